"""HTML is cleaned to structure: nothing acts, nothing points anywhere, and a bomb is put down."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.rendering import limits, pages, scrub, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part

CANARY = "//127.0.0.1:9/hit"
HOSTILE = [
    f"<img src=x onerror=fetch('{CANARY}')>",
    f'"><svg onload=fetch("{CANARY}")>',
    f"<svg><script>fetch('{CANARY}')</script></svg>",
    f"<math><mtext><img src={CANARY}></mtext></math>",
    f"<math><mi><style><img src=x onerror=fetch('{CANARY}')></style></mi></math>",
    f"<a href='javascript:fetch(\"{CANARY}\")'>x</a>",
    f"<a href={CANARY}>x</a><a href='\t/{CANARY}'>y</a><a href=/projects>z</a>",
    f"<img src=https:{CANARY}><img srcset='{CANARY} 2x'><picture><source srcset={CANARY}></picture>",
    f"<link rel=stylesheet href={CANARY}><style>@import '{CANARY}'; a{{background:url({CANARY})}}</style>",
    f"<p style=\"background:url('{CANARY}')\">x</p>",
    f"<form action={CANARY}><button formaction={CANARY}>go</button><input autofocus onfocus=fetch('{CANARY}')></form>",
    f"<iframe src={CANARY}></iframe><object data={CANARY}></object><embed src={CANARY}><frame src={CANARY}>",
    f"<base href={CANARY}><meta http-equiv=refresh content='0;url={CANARY}'>",
    f"<div hx-get={CANARY} data-hx-get={CANARY} hx-trigger=load data-x=1 id=desk class=verdict>x</div>",
    f"<button hx-on:click=fetch('{CANARY}')>x</button>",
    f"<video src={CANARY} poster={CANARY}></video><audio src={CANARY}></audio><track src={CANARY}>",
    f"<template><script>fetch('{CANARY}')</script></template><noscript><img src={CANARY}></noscript>",
    f"<details open ontoggle=fetch('{CANARY}')>x</details>",
    f"<table background={CANARY}><td background={CANARY}>x</table>",
    f"<blockquote cite={CANARY}>x</blockquote><q cite={CANARY}>x</q><del cite={CANARY}>y</del>",
    f"<!--><script>fetch('{CANARY}')</script>--><![CDATA[<script>fetch('{CANARY}')</script>]]>",
    f"<noscript><p title=\"</noscript><img src=x onerror=fetch('{CANARY}')>\">",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "<plaintext><script>1</script>",
    "<xmp><script>1</script></xmp>",
]
TAG = re.compile(r"<\s*/?\s*([a-z][a-z0-9]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"([^\s=\"'/]+)\s*=")
ALLOWED = {name for names in scrub.ATTRIBUTES.values() for name in names} - {"href", "src"}


def part(data: bytes, content_type: str = "text/html") -> Part:
    return Part(1, "a.html", content_type, len(data), "/p/1")


def inert(html: str) -> None:
    for name, attributes in TAG.findall(html):
        assert name.lower() in scrub.TAGS
        assert set(ATTRIBUTE.findall(re.sub(r"\"[^\"]*\"|'[^']*'", "", attributes))) <= ALLOWED
    outside = TAG.sub("", html)
    assert "<" not in outside


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_in_a_clean_page_acts_or_points_anywhere(html: str):
    cleaned, _ = scrub.clean(html)
    inert(cleaned)
    again, addresses = scrub.clean(cleaned)
    assert again == cleaned
    assert addresses == []


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*HOSTILE, "<", ">", '"', "'", "<b>", "</p>", "<table>", "<svg>", "<math>", "<style>", "&lt;script&gt;", "\0", "x"]
        ),
        max_size=8,
    ).map("".join)
)
def test_cleaning_is_idempotent_and_inert(html: str):
    cleaned, _ = scrub.clean(html)
    inert(cleaned)
    assert scrub.clean(cleaned)[0] == cleaned


def test_it_tells_where_links_and_pictures_pointed():
    page = pages.page(
        part(b""), b"<a href='https://evil.example/x'>bank</a> <img src=//t.example/p.png alt=Logo> <a href=javascript:x>y</a>"
    )
    assert page.addresses == ("link: https://evil.example/x", "picture: //t.example/p.png", "link: javascript:x")
    assert page.html == '<a>bank</a> <img alt="Logo"> <a>y</a>'


def test_it_keeps_what_is_worth_reading():
    html = '<h1>T</h1><p dir="rtl">x <b>y</b></p><table><tbody><tr><td colspan="2">1</td></tr></tbody></table><ol start="3"><li>z</li></ol>'
    assert scrub.clean(html)[0] == html


def test_huge_spans_are_dropped():
    assert (
        scrub.clean("<table><tr><td colspan=100000 rowspan=2>x</table>")[0]
        == '<table><tbody><tr><td rowspan="2">x</td></tr></tbody></table>'
    )


def test_a_bomb_of_nested_tags_is_put_down():
    data = b"<div>" * (limits.HTML // 5)
    with pytest.raises(NotShown) as refused:
        pages.page(part(data), data)
    assert "too much work" in refused.value.reason


def test_broken_bytes_and_nul_reach_the_cleaner_as_replacement_characters():
    assert pages.page(part(b""), b"<p>a long enough text, a\0b\xff\xfec\xed\xa0\x80</p>").html.count("\ufffd") >= 3


@pytest.mark.parametrize(
    ("data", "words"), [(b"\x89PNG\r\n\x1a\n", "a PNG picture"), (b"PK\x03\x04", "a ZIP archive"), (b"%PDF-1.7", "a PDF")]
)
def test_what_is_no_page_is_a_download(data: bytes, words: str):
    with pytest.raises(NotShown) as refused:
        pages.read(part(data), lambda _part, limit: data[:limit])
    assert refused.value.reason == f"This says it is an HTML page, but its bytes are {words}."


def test_a_page_without_markup_or_over_the_limit_is_shown_as_text():
    for data in (b"only words", b"<p>x</p>" * (limits.HTML // 8 + 1)):
        assert isinstance(pages.read(part(data), lambda _part, limit, data=data: data[:limit]), views.Text)
