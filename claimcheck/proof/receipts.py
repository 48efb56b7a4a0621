"""Decision receipts: signed documents that anybody can check without us."""

import dataclasses
import datetime
import hashlib
import pathlib
from collections.abc import Iterator
from typing import Any

from claimcheck import canonical
from claimcheck.formats import filenames
from claimcheck.proof import signed, signing
from claimcheck.proof.signed import Verdict

FORMAT = "claimcheck.receipt/1"
_PART = {"name": str, "content_type": str, "size": int, "sha256": str}
_EVIDENCE = {"item": int | str, "evidence_version": int, "project_version": int, "shown": list, "parts": list}
_RECEIPT = {
    "decision_id": int,
    "item_id": int | str,
    "evidence_hash": str,
    "evidence": dict,
    "key_id": str,
    "signature": str,
}


@dataclasses.dataclass(frozen=True)
class ReceiptFacts:
    """What a receipt says, in the words of the decision's row; `evidence` is the whole hashed document."""

    decision_id: int
    item_id: int
    idempotency_key: str
    project_id: int
    project_name: str
    project_version: int
    verdict: str | None
    answer: Any
    reason_code: str | None
    note: str | None
    evidence_hash: str
    evidence: dict[str, Any]
    evidence_version: int
    reviewer: str
    decided_at: datetime.datetime
    supersedes: int | None
    key_id: str
    approved_by: str | None = None  # named where there is one, so that receipts of before stay as they were


def build(facts: ReceiptFacts, private: bytes) -> bytes:
    """The receipt as canonical JSON, signed with the key that the facts name: same facts, same bytes.

    ValueError where the facts contradict each other: nothing decided, another key's id, a hash that is not
    the evidence's, a time without a zone.
    """
    _check(facts, private)
    document = dataclasses.asdict(facts) | {"format": FORMAT, "decided_at": _utc(facts.decided_at)}
    if facts.approved_by is None:
        del document["approved_by"]
    return signed.encoded(document, private)


def _check(facts: ReceiptFacts, private: bytes) -> None:
    if facts.verdict is None and facts.answer is None:
        raise ValueError(f"decision {facts.decision_id} has neither a verdict nor an answer")
    if signing.key_id(signing.public_pem(private)) != facts.key_id:
        raise ValueError(f"decision {facts.decision_id} names key {facts.key_id}, but another one was given")
    if _hash(facts.evidence) != facts.evidence_hash:
        raise ValueError(f"decision {facts.decision_id}: the evidence hash is not that of the evidence")


def _utc(time: datetime.datetime) -> str:
    if time.tzinfo is None:
        raise ValueError("a receipt needs a time with its zone")
    return time.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _hash(document: Any) -> str:
    return canonical.source_hash(canonical.encode(document))


def verify(receipt: bytes, public_key_pem: str | bytes, payload_folder: pathlib.Path | str | None) -> Verdict:
    """Check a receipt against a public key and a folder with the item's files; no database, store or network.

    The folder's files are named as the receipt's parts; with None they are not checked, as `checked` shows.
    """
    try:
        document = canonical.parse_json(receipt)
    except canonical.InvalidJSON as error:
        return Verdict((_unreadable(receipt, error),), ())
    if problems := tuple(_shape(document)):
        return Verdict(problems, ())
    folder = None if payload_folder is None else pathlib.Path(payload_folder)
    problems = [*signed.signature("receipt", document, public_key_pem), *_evidence(document)]
    checked = [f"the signature, by key {document['key_id']}", "the evidence hash"]
    if folder is not None:
        problems += _parts(document["evidence"]["parts"], folder)
        checked.append(f"{len(document['evidence']['parts'])} parts in {folder}")
    return Verdict(tuple(problems), tuple(checked))


def _unreadable(receipt: bytes, error: canonical.InvalidJSON) -> str:
    if not receipt.strip():
        return "the receipt cannot be read: the file is empty"
    where = error.detail.partition(";")[0].partition(": ")[0]
    return f"the receipt cannot be read: it {where}; it may be cut off, or another file"


def _shape(document: Any) -> Iterator[str]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        yield f'this is not a receipt of the form "{FORMAT}"'
        return
    yield from signed.fields("the receipt", document, _RECEIPT)
    evidence = document.get("evidence")
    if isinstance(evidence, dict):
        yield from signed.fields("the receipt's evidence", evidence, _EVIDENCE)
        for part in evidence["parts"] if isinstance(evidence.get("parts"), list) else ():
            yield from signed.fields("a part of the evidence", part, _PART)


def _evidence(document: dict[str, Any]) -> Iterator[str]:
    evidence = document["evidence"]
    if (computed := _hash(evidence)) != document["evidence_hash"]:
        said = document["evidence_hash"]
        yield f"the evidence hash does not match: the receipt says {said}, its evidence gives {computed}"
    if evidence["item"] != document["item_id"]:
        yield f"the evidence is of item {evidence['item']}, the decision of item {document['item_id']}"
    if evidence["evidence_version"] != document.get("evidence_version"):
        yield "the evidence is of another version than the one decided on"


def _parts(parts: list[dict[str, Any]], folder: pathlib.Path) -> list[str]:
    if not folder.is_dir():
        return [f"{folder} is not a folder"]
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    places = {part["name"]: part["name"] if part["name"] in files else filenames.on_disk(part["name"]) for part in parts}
    found = [problem for part in parts if (problem := _part(part, folder, places[part["name"]]))]
    extra = sorted(files - {*places.values()})
    return found + [f"extra file: {name!r} is in the folder but not in the receipt" for name in extra]


def _part(part: dict[str, Any], folder: pathlib.Path, place: str) -> str | None:
    name = part["name"]
    try:
        path = (folder / place).resolve()
        if not path.is_relative_to(folder.resolve()):
            return f"part {name!r} names a place outside the folder"
        size, digest = path.stat().st_size, _digest(path)
    except (OSError, ValueError):
        return f"part missing: {name!r} is no file in the folder"
    if size != part["size"]:
        return f"part changed: {name!r} has {size} bytes, the receipt says {part['size']}"
    return None if digest == part["sha256"] else f"part changed: {name!r} has another SHA-256, {digest}"


def _digest(path: pathlib.Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
