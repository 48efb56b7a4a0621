"""Receipts: the same bytes each time, and every change is found without us."""

import base64
import dataclasses
import datetime
import json
import pathlib
import socket
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

from claimcheck import canonical
from claimcheck.proof import receipts, signing

FILES = {"fields.json": b'{"amount":12.50}', "sides/front.png": b"\x89PNG front", "empty.txt": b""}
KEY = signing.new_key_pair()


def facts(**changes: object) -> receipts.ReceiptFacts:
    parts = [canonical.Part(name, "text/plain", len(data), canonical.source_hash(data)) for name, data in FILES.items()]
    evidence = canonical.evidence_document(7, 2, 3, ["amount"], parts)
    known = receipts.ReceiptFacts(
        decision_id=41,
        item_id=7,
        idempotency_key="case-7",
        project_id=5,
        project_name="KYC",
        project_version=4,
        verdict="approve",
        answer=None,
        reason_code="OK",
        note="clear – 12.50 €",
        evidence_hash=canonical.source_hash(canonical.encode(evidence)),
        evidence=evidence,
        evidence_version=2,
        reviewer="r-8f3a",
        decided_at=datetime.datetime(2026, 11, 29, 14, 3, 2, 120, datetime.timezone(datetime.timedelta(hours=2))),
        supersedes=None,
        key_id=KEY.key_id,
    )
    return dataclasses.replace(known, **changes)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, data in FILES.items():
        (tmp_path / "case" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "case" / name).write_bytes(data)
    return tmp_path / "case"


def problems(receipt: bytes, folder: pathlib.Path | None, key: str = KEY.public_pem) -> str:
    return " | ".join(receipts.verify(receipt, key, folder).problems)


def changed(**changes: object) -> bytes:
    return canonical.encode(canonical.parse_json(receipts.build(facts(), KEY.private)) | changes)


def resigned(**changes: object) -> bytes:
    document = json.loads(changed(**changes))
    del document["signature"]
    signature = base64.b64encode(signing.sign(KEY.private, canonical.encode(document))).decode()
    return canonical.encode(document | {"signature": signature})


def test_it_builds_the_same_bytes_each_time() -> None:
    first = receipts.build(facts(), KEY.private)
    assert first == receipts.build(facts(), KEY.private) == canonical.encode(json.loads(first))
    assert json.loads(first)["decided_at"] == "2026-11-29T12:03:02.000120Z"
    assert {field.name for field in dataclasses.fields(receipts.ReceiptFacts)} - {"approved_by"} < set(json.loads(first))


def test_it_names_who_approved_only_where_somebody_did(folder: pathlib.Path) -> None:
    """Receipts of decisions that needed nobody else stay byte for byte what they were."""
    assert "approved_by" not in json.loads(receipts.build(facts(), KEY.private))
    second = receipts.build(dataclasses.replace(facts(), approved_by="reviewer-7"), KEY.private)
    assert json.loads(second)["approved_by"] == "reviewer-7" and receipts.verify(second, KEY.public_pem, folder).ok
    assert not receipts.verify(second.replace(b"reviewer-7", b"reviewer-8"), KEY.public_pem, folder).ok


def test_it_verifies_with_nothing_but_files(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "socket")
    verdict = receipts.verify(receipts.build(facts(), KEY.private), KEY.public_pem, folder)
    assert verdict.ok and verdict.checked[-1] == f"3 parts in {folder}"


def test_it_verifies_a_receipt_that_was_laid_out_anew(folder: pathlib.Path) -> None:
    pretty = json.dumps(json.loads(receipts.build(facts(), KEY.private)), indent=2).encode()
    assert problems(pretty, folder) == ""


def test_it_keeps_the_digits_of_an_answer(folder: pathlib.Path) -> None:
    answer = canonical.parse_json(b'{"grade": 4.50}')
    receipt = receipts.build(facts(verdict=None, answer=answer), KEY.private)
    assert b'"answer":{"grade":4.50}' in receipt and problems(receipt, folder) == ""


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(receipts.ReceiptFacts)])
def test_it_notices_a_change_of_any_field(field: str, folder: pathlib.Path) -> None:
    other = {"evidence": {"item": 7, "evidence_version": 2, "project_version": 3, "shown": [], "parts": []}}
    values = {"decision_id": 42, "item_id": 8, "evidence_version": 9, **other}
    assert problems(changed(**{field: values.get(field, "other")}), folder)


def test_it_says_that_the_signature_is_wrong(folder: pathlib.Path) -> None:
    assert "signature does not match" in problems(changed(note="x"), folder)
    assert "signature does not match" in problems(changed(signature="not base64"), folder)
    assert "signature does not match" in problems(changed(surplus=1), folder)


def test_it_says_that_the_key_is_wrong(folder: pathlib.Path) -> None:
    receipt, other = receipts.build(facts(), KEY.private), signing.new_key_pair()
    assert problems(receipt, folder, other.public_pem).startswith(f"wrong key: the receipt names key {KEY.key_id}")
    assert "PEM" in problems(receipt, folder, "not a key")


def test_it_names_the_part_that_is_wrong(folder: pathlib.Path) -> None:
    receipt = receipts.build(facts(), KEY.private)
    (folder / "fields.json").write_bytes(b'{"amount":99.50}')
    (folder / "sides/front.png").write_bytes(b"short")
    (folder / "empty.txt").unlink()
    (folder / "sides/more.png").write_bytes(b"")
    found = receipts.verify(receipt, KEY.public_pem, folder).problems
    assert [text.partition(",")[0] for text in found] == [
        "part changed: 'fields.json' has another SHA-256",
        "part changed: 'sides/front.png' has 5 bytes",
        "part missing: 'empty.txt' is no file in the folder",
        "extra file: 'sides/more.png' is in the folder but not in the receipt",
    ]


OUTSIDE = ["../secret", "/etc/hostname", "link", "sides/../../secret"]


@pytest.mark.parametrize("name", [*OUTSIDE, "n" * 400, "", "sides"])
def test_it_reads_nothing_outside_the_folder(name: str, folder: pathlib.Path) -> None:
    (folder.parent / "secret").write_bytes(b"secret")
    (folder / "link").symlink_to(folder.parent / "secret")
    part = canonical.Part(name, "", 6, canonical.source_hash(b"secret"))
    evidence = canonical.evidence_document(7, 2, 3, [], [part])
    hashed = canonical.evidence_hash(7, 2, 3, [], [part])
    expected = "names a place outside the folder" if name in OUTSIDE else "part missing"
    assert expected in problems(resigned(evidence=evidence, evidence_hash=hashed), folder)


def test_it_says_that_the_evidence_does_not_fit_the_decision(folder: pathlib.Path) -> None:
    assert "evidence hash does not match" in problems(resigned(evidence_hash="0" * 64), folder)
    assert "of item 7, the decision of item 8" in problems(resigned(item_id=8), folder)
    assert "another version" in problems(resigned(evidence_version=3), folder)


BROKEN = [
    b"",
    b"[]",
    b"{}",
    b'{"format":"claimcheck.receipt/2"}',
    b"[" * 10_000,
    b'{"a":1,"a":2}',
    changed(evidence=[]),
]
BROKEN += [
    changed(evidence={"parts": [1]}),
    changed(signature=None),
    changed(evidence=facts().evidence | {"parts": [{}]}),
]


@pytest.mark.parametrize("receipt", BROKEN, ids=lambda value: repr(value)[:24])
def test_it_explains_what_is_no_receipt(receipt: bytes, folder: pathlib.Path) -> None:
    assert problems(receipt, folder) and not receipts.verify(receipt, KEY.public_pem, folder).checked


def test_it_tells_that_parts_were_not_checked() -> None:
    verdict = receipts.verify(receipts.build(facts(), KEY.private), KEY.public_pem, None)
    assert verdict.ok and not any("parts" in line for line in verdict.checked)
    assert "is not a folder" in problems(receipts.build(facts(), KEY.private), pathlib.Path("/nonexistent"))


CONTRADICTIONS = [{"verdict": None}, {"key_id": "0" * 16}, {"evidence_hash": "0" * 64}]
CONTRADICTIONS += [{"decided_at": datetime.datetime(2026, 1, 1)}]  # noqa: DTZ001


@pytest.mark.parametrize("change", CONTRADICTIONS, ids=lambda change: next(iter(change)))
def test_it_signs_no_contradiction(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        receipts.build(facts(**change), KEY.private)


def test_it_is_verified_by_the_lines_of_the_docs(folder: pathlib.Path) -> None:
    page = pathlib.Path(__file__).parents[2] / "docs/receipts.md"
    names: dict[str, Any] = {}
    exec(page.read_text().split("```python\n")[1].split("```")[0], names)  # noqa: S102
    receipt, key = folder.parent / "receipt.json", folder.parent / "key.pem"
    receipt.write_bytes(receipts.build(facts(), KEY.private))
    key.write_text(KEY.public_pem)
    names["check"](str(receipt), str(key), str(folder))
    receipt.write_bytes(changed(note="x"))
    with pytest.raises(InvalidSignature):
        names["check"](str(receipt), str(key), str(folder))


def test_it_documents_every_field() -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs/receipts.md").read_text()
    assert not [name for name in json.loads(receipts.build(facts(), KEY.private)) if f"`{name}`" not in page]
