"""An item's payload in a real browser, under the desk's own policy: drawn, reachable by keyboard, standing still."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.flows import payload_files as made
from tests.flows import payload_stage
from tests.flows.payload_stage import Shown
from tests.unit import rendering_pictures as pictures

DATA = Path(__file__).parents[3] / "shared" / "data"
PDFS = ["pdflatex-4-pages", "habibi", "pdflatex-forms", "with-attachment", "grayscale-image", "minimal-document"]
TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".tiff": "image/tiff", ".sta": "text/plain"}
INK = """() => { const c = document.querySelector("canvas"), { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
  let ink = 0; for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 600) ink++; return ink; }"""
WATCH = """window.moved = 0; new PerformanceObserver((list) => list.getEntries().forEach((entry) => { moved += entry.value }))
  .observe({ type: "layout-shift", buffered: true })"""
STATE = "() => [document.querySelector('output').value, document.querySelector('.p-viewer').turn]"


@pytest.fixture
def shown(chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    with payload_stage.showing(chromium, monkeypatch) as found:
        yield found


def loaded(page: Page, width: int) -> Page:
    page.wait_for_function("width => document.querySelector('img').naturalWidth === width", arg=width)
    return page


def test_a_pdf_is_drawn(shown: Shown):
    shown.show(("a.pdf", "application/pdf", made.pdf(pages=3)))
    assert shown.drawn().evaluate(INK) > 100
    assert shown.page.locator("[data-page]").inner_text() == "1 / 3"
    shown.quiet()


@pytest.mark.parametrize("name", PDFS)
def test_real_pdfs_are_drawn(shown: Shown, name: str):
    path = DATA / "documents" / f"{name}.pdf"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    shown.show((path.name, "application/pdf", path.read_bytes()))
    frame = shown.drawn()
    assert frame.evaluate(INK) > 100
    assert frame.locator("a, input, textarea, button, form").count() == 0
    shown.quiet()


def test_real_files_are_shown(shown: Shown):
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not here")
    paths = [path for folder in ("documents", "statements") for path in sorted((DATA / folder).iterdir()) if path.suffix in TYPES]
    page = shown.show(*((path.name, TYPES[path.suffix], path.read_bytes()) for path in paths))
    for path in paths:
        assert page.get_by_role("heading", name=path.name, exact=True).count() == 1
    for image in page.locator(".p-is-image img").all():
        image.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=image.element_handle())
    assert page.locator(".p-is-text").count() == sum(path.suffix == ".sta" for path in paths)
    shown.quiet()


@pytest.mark.parametrize(
    ("data", "why", "words"),
    [
        (b"%PDF-1.7\n" + b"rubbish" * 50, "damaged", "This PDF cannot be read, so it is offered as a file."),
        (made.locked_pdf(), "locked", "This PDF is locked with a password, so it is offered as a file."),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why_and_stays_a_file(shown: Shown, data: bytes, why: str, words: str):
    page = shown.show(("a.pdf", "application/pdf", data))
    page.locator(f"payload-pdf[data-failed={why}]").wait_for(timeout=60_000)
    assert page.locator("[data-why]").inner_text() == words
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "a.pdf"
    assert Path(download.value.path()).read_bytes() == data
    shown.quiet()


def test_a_pdf_that_is_never_drawn_is_given_up(shown: Shown):
    shown.page.clock.install()
    shown.page.route("**/pdf.worker.min.mjs*", lambda _route: None)
    page = shown.show(("a.pdf", "application/pdf", made.pdf()))
    page.wait_for_function("() => document.querySelector('payload-pdf').sent")
    page.evaluate("() => { document.querySelector('[data-panel]').hidden = true }")
    page.wait_for_function("() => !document.querySelector('payload-pdf').seen")
    page.clock.fast_forward(21_000)
    assert page.locator("payload-pdf[data-failed]").count() == 0
    page.evaluate("() => { document.querySelector('[data-panel]').hidden = false }")
    page.wait_for_function("() => document.querySelector('payload-pdf').seen")
    page.clock.fast_forward(21_000)
    page.locator("payload-pdf[data-failed=slow]").wait_for()


def test_a_pdf_that_never_ends_does_not_stop_the_page(shown: Shown):
    page = shown.show(("a.pdf", "application/pdf", made.pdf()))
    frame, before = shown.drawn(), page.evaluate(STATE)
    frame.evaluate("() => { setTimeout(() => { for (;;); }) }")
    page.keyboard.press("+")
    assert page.evaluate(STATE) != before


def test_every_view_is_readable_by_everybody(shown: Shown):
    document = {"prompt": "Why?", "a": "x" * 900, "b": "y" * 900, "one": {"v": 1}, "two": {"v": 2}, "rows": [{"n": 1}, {"n": 2}], "odd": "a\0"}
    files = [
        ("payload.json", "application/json", json.dumps(document).encode()),
        ("a.txt", "text/plain", b"caf\xe9 and more\n" * 3),
        ("b.csv", "text/csv", b"who,amount\nLea,3\n"),
        ("c.png", "image/png", pictures.png(300, 200)),
        ("d.pdf", "application/pdf", made.pdf()),
        ("e.html", "text/html", b"<p>x</p>"),
        ("f.svg", "image/svg+xml", b"<svg/>"),
    ]
    sides = [{"left": "a", "right": "b"}, {"left": "one", "right": "two"}, {"left": "c.png", "right": "absent"}]
    for theme in ("light", "dark"):
        page = shown.show(*files, query=f"?theme={theme}", pairs=sides)
        faults = Axe().run(page).response["violations"]
        assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in faults] == []


def test_html_is_shown_as_a_page_that_takes_neither_clicks_nor_keys(shown: Shown):
    there = f"http://{shown.canary}"
    html = f"<h1>Bill</h1><p>Please <a href={there}/link>pay</a>.</p><img src={there}/pixel alt=Logo><script>fetch('{there}/s')</script>"
    page = shown.show(("a.html", "text/html", html.encode()))
    frame = page.frame_locator("iframe.p-page")
    frame.get_by_role("heading", name="Bill").wait_for()
    frame.get_by_text("pay", exact=True).click()
    assert frame.get_by_text(f"link: {there}/link").count() == 1
    assert page.evaluate("() => new Promise((told) => setTimeout(() => told(document.activeElement.tagName), 100))") != "IFRAME"
    shown.quiet()


def test_what_stands_behind_a_closed_tab_is_neither_fetched_nor_on_record(shown: Shown):
    files = [("a.pdf", "application/pdf", made.pdf()), ("b.png", "image/png", pictures.png(30, 20)), ("c.html", "text/html", b"<p>x</p>")]
    page = shown.show(*files, query="?hidden=1")
    page.wait_for_timeout(500)
    assert shown.stage.opened == []
    page.evaluate("() => { document.querySelector('[data-panel]').hidden = false }")
    assert shown.drawn().evaluate(INK) > 100
    for place in ("img", "iframe.p-page"):
        page.locator(place).scroll_into_view_if_needed()
    page.frame_locator("iframe.p-page").get_by_text("x", exact=True).wait_for()
    loaded(page, 30)
    assert sorted(shown.stage.opened) == [0, 1, 2]


def test_keys_zoom_and_turn_while_no_text_field_has_the_focus(shown: Shown):
    page = loaded(shown.show(("b.png", "image/png", pictures.png(300, 200)), query="?note=1"), 300)
    fitted = page.evaluate(STATE)
    page.keyboard.press("+")
    page.keyboard.press("r")
    zoomed = page.evaluate(STATE)
    assert (zoomed[0] != fitted[0], zoomed[1]) == (True, 1)
    page.locator("#note").focus()
    page.keyboard.type("r+-0r")
    assert page.evaluate(STATE) == zoomed
    assert page.locator("#note").input_value() == "r+-0r"


def test_a_verdicts_key_is_the_verdicts_unless_the_picture_has_the_focus(shown: Shown):
    page = loaded(shown.show(("b.png", "image/png", pictures.png(300, 200)), query="?verdict=1"), 300)
    page.locator(".p-stage").click()
    page.keyboard.press("r")
    assert page.evaluate(STATE)[1] == 0
    page.locator(".p-stage").focus()
    page.keyboard.press("r")
    assert page.evaluate(STATE)[1] == 1


def test_pages_of_a_pdf_are_turned_by_key_and_button(shown: Shown):
    page = shown.show(("a.pdf", "application/pdf", made.pdf(pages=6)))
    shown.drawn()
    page.get_by_role("button", name="Next page").click()
    page.wait_for_function("() => document.querySelector('[data-page]').textContent === '2 / 6'")
    page.locator(".p-stage").focus()
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.querySelector('[data-page]').textContent === '3 / 6'")
    page.keyboard.press("+")
    page.keyboard.press("r")
    assert page.evaluate(STATE)[1] == 1
    shown.quiet()


def test_nothing_moves_while_pictures_and_pdfs_arrive(shown: Shown):
    shown.page.add_init_script(WATCH)
    end = ("d.txt", "text/plain", b"end")
    page = shown.show(("a.pdf", "application/pdf", made.pdf(pages=2)), ("b.png", "image/png", pictures.png(1200, 900)), end)
    before = page.evaluate("() => document.querySelector('.p-is-text').offsetTop")
    shown.drawn()
    page.locator("img").scroll_into_view_if_needed()
    loaded(page, 1200)
    assert page.evaluate("() => document.querySelector('.p-is-text').offsetTop") == before
    assert page.evaluate("() => moved") < 0.01
