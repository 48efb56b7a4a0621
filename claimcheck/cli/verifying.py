"""`verify`: a receipt or a delivered dataset offline, with nothing but files; or a decision against the desk."""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from pathlib import Path

from claimcheck import errors, evidence
from claimcheck.cli import terminal
from claimcheck.cli.terminal import Desk
from claimcheck.datasets import manifests
from claimcheck.proof import keys, receipts
from claimcheck.proof.signed import Verdict
from claimcheck.review import decisions

LARGEST = 2**63 - 1  # the database's; nobody decides so often


def verify(arguments: Namespace) -> int:
    verdict = _on_desk(int(arguments.subject)) if arguments.subject.isascii() and arguments.subject.isdigit() else _offline(arguments)
    text = "\n".join(
        [
            *(f"checked: {line}" for line in verdict.checked),
            *(f"WRONG: {line}" for line in verdict.problems),
            "genuine" if verdict.ok else "NOT genuine",
        ]
    )
    terminal.answer(arguments, {"ok": verdict.ok, "problems": verdict.problems, "checked": verdict.checked}, text)
    return 0 if verdict.ok else terminal.FAILED


def _offline(arguments: Namespace) -> Verdict:
    if arguments.key is None:
        raise errors.Invalid.field("--key", "give the desk's public key; `bin/claimcheck key list` prints it, and every export holds it")
    if manifests.is_one(Path(arguments.subject)):
        return manifests.verify(Path(arguments.subject), arguments.key.read_bytes())
    return receipts.verify(Path(arguments.subject).read_bytes(), arguments.key.read_bytes(), arguments.payload)


def _on_desk(decision_id: int) -> Verdict:
    """The receipt that the desk would give, against the bytes that its store holds now."""
    with terminal.desk() as desk, tempfile.TemporaryDirectory() as folder:
        decision = _decision(desk, decision_id)
        receipt = decisions.receipt(desk.db, decision_id=decision_id, secret=str(desk.settings.secret_key))
        missing = _fetch(desk, decision.item_id, decision.evidence_version, Path(folder))
        by_id = {key.id: key.public_key for key in keys.all(desk.db)}
        verdict = receipts.verify(receipt, by_id[json.loads(receipt)["key_id"]], folder)
    return Verdict((*missing, *verdict.problems), (f"decision {decision_id} on the desk", *verdict.checked))


def _decision(desk: Desk, decision_id: int) -> decisions.Decision:
    try:
        return decisions.load(desk.db, decision_id=min(decision_id, LARGEST))
    except errors.NotFound:
        raise errors.NotFound(f"there is no decision {decision_id}") from None


def _fetch(desk: Desk, item_id: int, version: int, folder: Path) -> list[str]:
    """Puts the parts into the folder; what the store could not give, in words."""
    missing = []
    for part in evidence.parts(desk.db, item_id=item_id, version=version):
        try:
            with desk.store.open(part.object_key) as chunks, (folder / part.name).open("wb") as file:
                for chunk in chunks:
                    file.write(chunk)
        except errors.Error as error:
            missing.append(f"{part.name}: {error.detail}")
    return missing
