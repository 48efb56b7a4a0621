"""What a payload tries and may not do: act in the page, act under its own address, get out of its frame."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Error

from tests.flows import payload_files as made
from tests.flows import payload_stage
from tests.flows.payload_stage import Files, Shown, Stage
from tests.unit import rendering_pictures as pictures

ATTRIBUTES = """() => [...document.querySelectorAll(".p-all *")].flatMap((e) => [...e.attributes]).map((a) => a.name)
  .filter((name) => /^(on|hx-|data-hx-)/.test(name))"""
STRAYS = ".p-all script, .p-all svg, .p-all object, .p-all form, .p-all [style]:not(.p-sheet, .p-sheet *)"
# Inside a timer: what DevTools itself calls is exempt from the policy.
EVAL = "() => new Promise((told) => setTimeout(() => { try { told(new Function('return 1')()) } catch (error) { told(error.name) } }))"
FETCH = "address => fetch(address, { credentials: 'include', mode: 'no-cors' }).then(() => 'open', () => 'shut')"
LEAVE = """address => { new Image().src = `${address}/picture`; navigator.sendBeacon(`${address}/beacon`); open(`${address}/window`);
  const inner = document.createElement("iframe"); inner.src = `${address}/frame`; document.body.append(inner);
  const form = document.createElement("form"); form.action = `${address}/form`; document.body.append(form); form.submit();
  try { top.location = `${address}/top` } catch { } location = `${address}/away` }"""


@pytest.fixture
def shown(chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    with payload_stage.showing(chromium, monkeypatch) as found:
        yield found


def hostile(canary: str) -> Files:
    """Every kind of view, each full of what would act if it were taken for more than text."""
    corpus = [text.replace("{canary}", canary) for text in made.CORPUS]
    fields = {**dict.fromkeys(corpus, 1), "texts": corpus, "rows": [{"a": text, "b": text} for text in corpus], "long": corpus[0] * 200}
    rows = ['"{}",1'.format(text.replace('"', '""')) for text in corpus]
    return [
        ("payload.json", "application/json", json.dumps(fields).encode()),
        ("text.txt", "text/plain", "\n".join(corpus).encode()),
        ("table.csv", "text/csv", "\n".join(rows).encode()),
        ("page.html", "text/html", f"<h1>Page</h1>{''.join(corpus)}".encode()),
        ("drawing.svg", "image/svg+xml", made.SVG.format(canary=canary, mark="s").encode()),
        ("both.gif", "image/gif", made.GIF.format(canary=canary, mark="g").encode()),
        ("posing.pdf", "application/pdf", b"PK\x03\x04" + corpus[3].encode()),
        ("acting.pdf", "application/pdf", made.acting_pdf(canary)),
        ("front.png", "image/png", pictures.png(30, 20)),
        *((text, "text/plain", b"named") for text in corpus),
    ]


def test_nothing_in_any_view_acts(shown: Shown):
    page = shown.show(*hostile(shown.canary))
    shown.drawn()
    page.locator("iframe.p-page").scroll_into_view_if_needed()
    page.frame_locator("iframe.p-page").get_by_role("heading", name="Page", exact=True).wait_for()
    assert page.evaluate(ATTRIBUTES) == []
    assert page.locator(STRAYS).count() == 0
    assert page.locator(".p-all").inner_text().count("{{7*7}} ${7*7} #{7*7}") >= 6
    shown.quiet()


def test_the_same_acts_where_nothing_guards(shown: Shown):
    shown.stage.bare = "".join(text.replace("{canary}", shown.canary) for text in made.CORPUS)
    shown.page.goto(shown.stage.url + "/bare", wait_until="commit")
    shown.page.wait_for_timeout(1500)
    assert len(set(shown.hits)) > 5


BODIES = {
    "html": made.PAGE,
    "svg": made.SVG,
    "xhtml": made.XHTML,
    "gif": made.GIF,
    "script": "fetch('//{canary}/{mark}')",
    "sheet": "body{{background:url(//{canary}/{mark})}}",
}
TYPES = ["text/html", "image/svg+xml", "text/xml", "image/gif", "application/pdf", "text/plain"]
WAYS = """<iframe src={0}></iframe><iframe src={0}/html></iframe><object data={0}></object><embed src={0}><img src={0}>
<script src={0}></script><link rel=stylesheet href={0}>"""


def confused(canary: str, declared: str) -> Files:
    return [(f"f.{name}", declared, body.format(canary=canary, mark=name).encode()) for name, body in BODIES.items()]


@pytest.mark.parametrize("declared", TYPES)
def test_no_declared_type_makes_bytes_act_when_they_are_opened_directly(shown: Shown, declared: str):
    shown.stage.files = confused(shown.canary, declared)
    for n in range(len(shown.stage.files)):
        for path in (f"/assignments/7/parts/{n}", f"/items/5/versions/1/parts/{n}", f"/assignments/7/parts/{n}/html"):
            with contextlib.suppress(Error):  # a download starts instead of a page
                shown.page.goto(shown.stage.url + path)
    shown.page.wait_for_timeout(400)
    assert shown.hits == []


@pytest.mark.parametrize("declared", TYPES)
def test_no_declared_type_makes_bytes_act_when_they_are_embedded(shown: Shown, declared: str):
    shown.stage.files = confused(shown.canary, declared)
    every = "".join(WAYS.format(f"/assignments/7/parts/{n}") for n in range(len(shown.stage.files)))
    shown.stage.bare = f"<!doctype html><body>{every}"
    shown.page.goto(shown.stage.url + "/bare", timeout=120_000)
    shown.page.wait_for_timeout(800)
    assert len(shown.stage.opened) >= 5 * len(shown.stage.files)
    assert shown.hits == []


def test_the_pdf_frame_has_no_origin_no_cookie_and_no_eval(shown: Shown):
    shown.show(("a.pdf", "application/pdf", made.pdf()))
    frame = shown.drawn()
    assert frame.evaluate("() => origin") == "null"
    assert frame.evaluate("() => { try { return document.cookie } catch (error) { return error.name } }") == "SecurityError"
    assert frame.evaluate(EVAL) == "EvalError"
    by_frame = {
        path: cookie
        for path, cookie, _ in shown.stage.requests
        if path.endswith((".mjs", "/pdf.js", "/pdf.css", ".ttf")) and "payload" not in path
    }
    assert len(by_frame) >= 4
    assert set(by_frame.values()) == {""}


def test_the_pdf_frame_has_no_way_out(shown: Shown):
    shown.show(("a.pdf", "application/pdf", made.pdf()))
    frame, asked = shown.drawn(), len(shown.stage.requests)
    for address in (f"http://{shown.canary}/fetch", f"{shown.stage.url}/assignments/7/parts/0", f"{shown.stage.url}/show"):
        assert frame.evaluate(FETCH, address) == "shut"
    frame.evaluate(LEAVE, f"http://{shown.canary}")
    shown.page.wait_for_timeout(1000)
    assert shown.hits == []
    assert len(shown.stage.requests) == asked
    assert shown.page.url == f"{shown.stage.url}/show"


def test_the_page_takes_no_word_from_other_windows_and_no_absurd_sizes(shown: Shown):
    page = shown.show(("a.pdf", "application/pdf", made.pdf()))
    frame = shown.drawn()
    page.evaluate("() => postMessage({ claimcheck: 'pdf', type: 'failed', reason: 'locked' }, '*')")
    page.wait_for_timeout(300)
    assert page.locator("payload-pdf[data-failed]").count() == 0
    frame.evaluate("() => parent.postMessage({ claimcheck: 'pdf', type: 'pages', sizes: [[1e9, 1]], total: 1 }, '*')")
    page.locator("payload-pdf[data-failed=damaged]").wait_for(state="attached")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:
    stage = Stage(
        files=[
            ("front.png", "image/png", pictures.png()),
            ('a"\r\nX: 1\u202e.html', "text/html", b"<p onclick=x>Hi <a href=//t>t</a>"),
            ("posing.png", "image/png", b"<script>1</script>"),
            ("a.pdf", "application/pdf", made.pdf()),
            ("bomb.png", "image/png", pictures.png(50_000, 50_000, pixels=False)),
        ]
    )
    return payload_stage.make(stage, monkeypatch).test_client()


@pytest.mark.parametrize("path", ["/assignments/7/parts/", "/items/5/versions/1/parts/"])
@pytest.mark.parametrize("n", range(5))
def test_every_byte_of_a_payload_leaves_under_the_same_headers(client: Any, path: str, n: int):
    answer = client.get(f"{path}{n}")
    assert answer.status_code == 200
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.content_length == len(answer.data)
    kind, disposition = answer.headers["Content-Type"], answer.headers["Content-Disposition"]
    assert (kind, disposition.partition(";")[0]) == (("image/png", "inline") if n == 0 else ("application/octet-stream", "attachment"))
    assert "X" not in answer.headers


def test_cleaned_html_leaves_under_a_sandbox_of_its_own(client: Any):
    answer = client.get("/assignments/7/parts/1/html")
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert policy[:2] == ["sandbox", "default-src 'none'"]
    assert not [directive for directive in policy if directive.startswith(("script-src", "img-src", "connect-src"))]
    assert "<p>Hi <a>t</a></p>" in answer.text
    assert "link: //t" in answer.text
    assert "its bytes are a PDF" in client.get("/assignments/7/parts/3/html").text


def test_the_frames_policy_names_folders_and_never_the_whole_desk(client: Any):
    policy = client.get("/frames/pdf").headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; ")
    for word in ("allow-same-origin", "unsafe", "*", "script-src 'self'", "data:", "blob:"):
        assert word not in policy
    sources = {source for directive in policy.split("; ") for source in directive.split()[1:] if source.startswith("http")}
    assert {source.removeprefix("http://localhost") for source in sources} == {
        "/static/libraries/pdfjs-dist/",
        "/frames/pdfjs/",
        "/frames/assets/",
    }


def test_frames_may_load_their_own_files_and_no_others(client: Any):
    for path in (
        "assets/pdf.js",
        "assets/layout.js",
        "assets/html.css",
        "pdfjs/cmaps/Adobe-Japan1-UCS2.bcmap",
        "pdfjs/standard_fonts/FoxitFixed.pfb",
    ):
        answer = client.get(f"/frames/{path}", buffered=True)
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for path in (
        "assets/../payload.js",
        "assets/..%2fpayload.js",
        "assets/payload.js",
        "pdfjs/package.json",
        "pdfjs/build/pdf.sandbox.mjs",
        "pdfjs/cmaps/../package.json",
    ):
        assert client.get(f"/frames/{path}").status_code == 404
