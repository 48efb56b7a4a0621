"""Masked fields in a browser: revealed with a purpose, while the half-written note stays."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.flows.conftest import LiveDesk
from tests.unit import rendering_pictures as made

SCAN = {"name": "scan.png", "content_type": "image/png", "base64": base64.b64encode(made.png(60, 40)).decode()}


@pytest.mark.parametrize("script", [True, False])
def test_it_reveals_a_field_and_a_picture_for_a_purpose_and_keeps_the_note(desk: LiveDesk, browser_of: Callable[..., Page], script: bool) -> None:
    project = desk.project(masked=["iban", "scan.png"], show=["case", "iban", "scan.png"])
    [item] = desk.send(project, {"case": "one", "iban": "DE89 3704", "files": [SCAN]})
    page = browser_of(desk.cast.ada, java_script_enabled=script)
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    expect(page.get_by_text("masked").first).to_be_attached()
    assert "DE89" not in page.content() and page.locator("payload-image").count() == 0
    page.get_by_label("Note for the record").fill("half a thought")
    page.get_by_text("2 masked").click()
    page.get_by_role("checkbox", name="iban").check()
    page.get_by_role("checkbox", name="scan.png").check()
    page.get_by_label("What for?").select_option("needed to decide")
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("DE89 3704")).to_be_attached()
    expect(page.get_by_label("Note for the record")).to_have_value("half a thought")
    picture = page.locator("payload-image img")
    assert (picture.get_attribute("src") or "").endswith("?purpose=needed+to+decide")
    if script:
        page.locator("#tabs a", has_text="scan.png").click()
        expect(picture).to_be_visible()
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 60
    fields = desk.execute("SELECT field FROM access_events WHERE item_id = %s AND purpose = 'needed to decide' ORDER BY id", item)
    assert sorted(set(fields)) == [("iban",), ("scan.png",)]
