"""Markdown that a project's owner wrote, as markup that may stand in the desk's own page: text, structure and plain links."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from claimcheck.rendering import scrub

TAGS = scrub.TAGS - {"img"}
LINK = re.compile(r"(https?://|mailto:)[^\s\\]", re.IGNORECASE)


@functools.lru_cache(maxsize=256)
def html(text: str) -> str:
    """The text as clean HTML. HTML in it is shown as it was typed, a picture as its description; a link that leads into the desk is none."""
    return nh3.clean(
        _markdown().render(text),
        tags=set(TAGS),
        clean_content_tags=set(scrub.DROPPED),
        attributes={tag: names for tag, names in scrub.ATTRIBUTES.items() if tag != "img"},
        attribute_filter=_attribute,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https", "mailto"},
    )


@functools.cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable("table")
    made.core.ruler.push("headings", _embolden)
    made.add_render_rule("image", _describe)
    return made


def _embolden(state: StateCore) -> None:
    """The page has headings of its own: a heading here is a bold line."""
    for opened, inline, closed in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if opened.type == "heading_open":
            opened.tag = closed.tag = "p"
            inline.children = [Token("strong_open", "strong", 1), *(inline.children or ()), Token("strong_close", "strong", -1)]


def _describe(_self: Any, tokens: Sequence[Token], n: int, _options: Any, _env: Any) -> str:
    return escapeHtml(tokens[n].content)


def _attribute(element: str, name: str, value: str) -> str | None:
    if (element, name) == ("a", "href"):
        return value if LINK.match(value) else None
    return scrub.attribute(name, value)
