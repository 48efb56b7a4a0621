"""Labels are delivered, taken back, given again and acknowledged, in a browser: a thousand items, one expert pulled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from claimcheck.datasets import making
from tests.flows.conftest import REASONS, LiveDesk
from tests.labelled import label

ITEMS, PULLED, HALF = 1000, 60, 30


def make(desk: LiveDesk) -> None:
    making.run(making.Desk(desk.worker, desk.store, str(desk.app.extensions["claimcheck"].settings.secret_key)))


def downloaded(page: Page, name: str) -> bytes:
    with page.expect_download() as caught:
        page.get_by_role("link", name=name).click()
    return Path(caught.value.path()).read_bytes()


def rows(data: bytes) -> dict[str, dict[str, Any]]:
    return {row["idempotency_key"]: row for row in map(json.loads, data.splitlines())}


def test_it_delivers_a_thousand_labels_takes_an_expert_s_back_and_delivers_again(desk: LiveDesk, browser_of: Callable[..., Page]):
    project, ada, ben = desk.project(name="Receipts"), desk.cast.ada.id, desk.cast.ben.id
    label(desk.superuser, project, [[(ben if n < PULLED else ada, "approve")] for n in range(ITEMS)], reason=REASONS[0])
    ledger = desk.execute("SELECT * FROM payouts ORDER BY id")
    eve, chi = browser_of(desk.cast.eve), browser_of(desk.cast.chi)

    eve.goto(f"/projects/{project}")
    eve.get_by_role("link", name="Its datasets").click()
    eve.get_by_role("button", name="Deliver version 1").click()
    expect(eve.get_by_role("heading", name="Being made")).to_be_visible()
    make(desk)
    expect(eve.get_by_role("heading", name="Files")).to_be_visible()  # the page asks by itself
    first, at = downloaded(eve, "data.jsonl"), eve.url
    assert len(rows(first)) == ITEMS
    eve.get_by_role("button", name="Acknowledge").click()
    expect(eve.get_by_text("Acknowledged; the desk's leads see it.")).to_be_visible()

    chi.goto(f"/projects/{project}/datasets")
    chi.get_by_role("link", name="Take labels back").click()
    chi.get_by_label("Who looked").select_option(str(ben))
    chi.get_by_label("All of them").check()
    chi.get_by_role("button", name="See what would become of them").click()
    expect(chi.get_by_text(f"{PULLED} of them are in version 1.")).to_be_visible()
    chi.get_by_label("Why; the customer reads it").fill("Their golds turned bad.")
    chi.get_by_role("button", name=f"Take {PULLED} labels back").click()
    make(desk)
    expect(chi.get_by_text("Asked for again")).to_be_visible()

    eve.goto(f"/projects/{project}/datasets")
    eve.get_by_role("link", name="Version 2").click()
    expect(eve.get_by_text(f"{PULLED} pending").first).to_be_visible()
    pulled = rows(downloaded(eve, "changes.jsonl"))
    assert len(pulled) == PULLED and all(c["old"]["outcome"] == "approve" and c["new"] is None and c["reason"] == "Their golds turned bad." for c in pulled.values())
    eve.get_by_role("button", name="Acknowledge").click()

    for n in range(HALF):
        desk.decide(desk.cast.ada, verdict="reject" if n % 3 == 0 else "approve")
    eve.goto(f"/projects/{project}/datasets")
    eve.get_by_role("button", name="Deliver version 3").click()
    expect(eve.get_by_role("heading", name="Being made")).to_be_visible()
    make(desk)
    expect(eve.get_by_role("heading", name="Files")).to_be_visible()
    third, resolved = rows(downloaded(eve, "data.jsonl")), rows(downloaded(eve, "changes.jsonl"))
    assert len(third) == ITEMS and len(resolved) == HALF
    assert sorted({r["status"] for r in resolved.values()}) == ["changed", "confirmed"] and sum(r["status"] == "changed" for r in resolved.values()) == HALF // 3
    assert sum(r["status"] == "pending" for r in third.values()) == PULLED - HALF
    stones = [r for r in third.values() if r["status"] != "settled"]
    assert len(stones) == PULLED and all(r["reason"] and r["old"]["outcome"] == "approve" and r["looks"][0]["withdrawn"] for r in stones), "each is explained"

    eve.goto(at)
    assert hashlib.sha256(downloaded(eve, "data.jsonl")).digest() == hashlib.sha256(first).digest()
    assert desk.execute("SELECT * FROM payouts WHERE id <= %s ORDER BY id", ledger[-1][0]) == ledger
    chi.goto(f"/projects/{project}/datasets")
    expect(chi.get_by_role("row", name="Version 2")).to_contain_text("yes Eve")
