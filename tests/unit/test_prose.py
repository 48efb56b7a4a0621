"""Markdown of others: it reads well, and does nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck.rendering import prose

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick=alert(1)>b</b>",
    "<svg/onload=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](java&Tab;script:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "<javascript:alert(1)>",
    "[a](/assignments/1/release)",
    "[a](//evil.example/x)",
    "[a](\\\\evil.example)",
    "[a](https://ok.example \"x\\\" onmouseover=alert(1) y\")",
    "![a](https://tracker.example/x.png)",
    "![a\" onerror=\"alert(1)](x)",
    "![<img src=x onerror=alert(1)>](x)",
    "[![a](https://tracker.example/x.png)](javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x]",
    "`<script>`\n\n```html\" onload=\"x\n<script>\n```",
    "| a |\n|:-:|\n| <img src=x onerror=x> |",
    "<details open ontoggle=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<a href=\"https://ok.example\" hx-get=\"/people\" data-key=\"a\" class=\"primary\" id=\"go\" style=\"position:fixed\">x</a>",
    "<form action=/x><input name=lease_token></form>",
    "<math><mtext></p><style><img src=x onerror=alert(1)>",
]  # fmt: skip
TAG = re.compile(r"<(/?)([a-z0-9]+)((?: [a-z]+=\"[^\"<>]*\")*)>")
ATTRIBUTES = {"href", "rel", "target", "title", "start"}


def bare(html: str) -> None:
    """Every `<` opens a tag that is allowed, with attributes that are, and every address leads out."""
    assert html.count("<") == len(TAG.findall(html)), html
    for _, name, attributes in TAG.findall(html):
        assert name in prose.TAGS and name != "img", html
        given_ = dict(re.findall(r'([a-z]+)="([^"]*)"', attributes))
        assert set(given_) <= ATTRIBUTES, html
        assert re.match("(https?://|mailto:)", given_.get("href", "https://"), re.IGNORECASE), html


@pytest.mark.parametrize("text", ATTACKS)
def test_it_lets_nothing_act(text: str) -> None:
    bare(prose.html(text))


@given(st.lists(st.sampled_from([*ATTACKS, "\n", "> ", "- ", "#", "`", "[", "](", "<", "\\", "&#0;", "*", "| ", "    "]), max_size=8).map("".join))
def test_it_lets_nothing_act_whatever_stands_beside_it(text: str) -> None:
    bare(prose.html(text))


def test_it_shows_text_and_structure() -> None:
    shown = prose.html("# First\n\nThe **face**, then the *number*:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert shown.startswith("<p><strong>First</strong></p>")
    for part in ("<strong>face</strong>", "<em>number</em>", "<li>one</li>", "<td>1</td>"):
        assert part in shown


def test_it_opens_links_beside_the_desk_and_tells_the_other_side_nothing() -> None:
    [link] = re.findall("<a [^>]*>", prose.html("[the manual](https://example.org/a?b=1)"))
    assert 'href="https://example.org/a?b=1"' in link and 'target="_blank"' in link and 'rel="noopener noreferrer"' in link


def test_it_shows_html_and_pictures_as_words() -> None:
    assert "&lt;b&gt;" in prose.html("a <b>b</b>")
    assert prose.html("![the seal](seal.png)").strip() == "<p>the seal</p>"


def test_it_takes_the_longest_guidance_in_no_time() -> None:
    for text in ("[" * 10_000, "> " * 5_000, "*a " * 3_300, "`" * 10_000, "- " * 5_000, "[a](" * 2_500, "<" * 10_000, "&" * 10_000):
        bare(prose.html(text))
