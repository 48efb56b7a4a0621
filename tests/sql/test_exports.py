"""Exports are whole, or fail: every outcome, every byte, under names that file systems take."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from claimcheck import errors, projects, revisions
from claimcheck.db import STATEMENTS
from claimcheck.experts.ruling import BY_THE_STATEMENT
from claimcheck.proof import exports, receipts, results
from tests.intake import World, eventually, file, row

SECRET = "a secret key of the tests" * 2


def written(world: World, project_id: int, out: Path) -> exports.Written:
    project = projects.load(world.web, project_id, world.cast.chi)
    return exports.write(world.web, world.store, project=project, me=world.cast.chi, secret=SECRET, out=out)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def begun(world: World, who: str) -> psycopg.Connection[Any]:
    """A submit that took its number and isn't committed yet."""
    claim = world.claim(who)
    assert claim
    slow = psycopg.connect(world.conninfos.web)
    fence = {
        "assignment_id": claim.assignment_id,
        "lease_token": claim.lease_token,
        "evidence_hash": claim.evidence_hash,
        "me": getattr(world.cast, who).id,
    }
    slow.execute(
        STATEMENTS["decisions/submit"],
        fence | {"verdict": "approve", "answer": None, "vote": "approve", "reason_code": "fine", "note": ""} | BY_THE_STATEMENT,
    )
    return slow


def test_it_waits_for_a_submit_that_is_slow(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project()
    world.accept(project, [row("a"), row("b")])
    world.publish()
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    slow = begun(world, "ada")
    claim = world.claim("ben")
    assert claim
    world.decide(claim)
    asked, page, done = [], results.page, []
    monkeypatch.setattr(results, "page", lambda *args, **given: asked.append(None) or page(*args, **given))
    thread = threading.Thread(target=lambda: done.append(written(world, project, tmp_path / "out")))
    thread.start()
    eventually(lambda: len(asked) > 1 or not thread.is_alive())
    slow.commit()
    slow.close()
    thread.join()
    assert done[0].outcomes == 2
    assert len(lines(tmp_path / "out" / "results.jsonl")) == len([*(tmp_path / "out" / "receipts").iterdir()]) == 2


def test_it_fails_where_that_takes_too_long(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project()
    world.accept(project, [row("a")])
    world.publish()
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    monkeypatch.setattr(exports, "PATIENCE", 0.0)
    with begun(world, "ada"), pytest.raises(errors.Unavailable):
        written(world, project, tmp_path / "out")


def test_it_writes_both_hashes_of_what_changed_since(world: World, tmp_path: Path) -> None:
    project = world.project()
    [taken] = world.accept(project, [row("a")]).taken
    world.publish()
    claim = world.claim()
    assert claim
    world.decide(claim)
    revisions.revise(world.web, person=world.cast.eve, item_id=taken.item_id, payload={"name": "another"})
    world.publish()
    written(world, project, tmp_path)
    [result] = lines(tmp_path / "results.jsonl")
    [known] = results.page(world.web, project_id=project).rows
    assert result["evidence_changed"] and result["evidence_hash"] == claim.evidence_hash.hex()
    assert result["current_evidence_hash"] == results.hash_now(world.web, project, known).hex() != result["evidence_hash"]


def test_it_writes_files_whose_names_are_too_long_for_a_file(world: World, tmp_path: Path) -> None:
    """Two that differ at the end alone, and one that is called as another would be."""
    names = ["Ж" * 195 + "1.txt", "Ж" * 195 + "2.txt", "short.txt"]
    project = world.project()
    sent = {"name": "Ada", "files": [file(name.encode(), name=name) for name in names]}
    [taken] = world.accept(project, [{"idempotency_key": "a", "payload": sent}]).taken
    world.publish()
    claim = world.claim()
    assert claim
    decision = world.decide(claim)
    written(world, project, tmp_path)
    [item] = lines(tmp_path / "items.jsonl")
    found = {part["name"]: (tmp_path / part["path"]).read_bytes() for part in item["parts"]}
    assert {name: found[name] for name in names} == {name: name.encode() for name in names}
    assert all(len(Path(part["path"]).name.encode()) <= 255 and Path(part["path"]).suffix in (".txt", ".json") for part in item["parts"])
    [key] = (tmp_path / "keys").iterdir()
    receipt = (tmp_path / "receipts" / f"{decision}.json").read_bytes()
    assert receipts.verify(receipt, key.read_bytes(), tmp_path / "items" / str(taken.item_id) / "v1").problems == ()
