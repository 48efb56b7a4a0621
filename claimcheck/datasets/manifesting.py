"""What a version's manifest says, gathered from what was written down of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import canonical, errors, projects
from claimcheck.datasets import manifests, versions
from claimcheck.datasets.rows import moment
from claimcheck.datasets.versions import File
from claimcheck.db import Database
from claimcheck.proof import keys


@dataclass(frozen=True, slots=True)
class InForce:
    """A retraction that a version obeys."""

    version: int
    by: str
    since: datetime
    looks_to: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """What its data came to."""

    rows: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Asked:
    project_id: int
    project: str
    version: int
    kind: str
    parent_id: int | None
    parent_version: int | None
    up_to: int
    created_at: datetime


def build(db: Database, dataset_id: int, secret: str) -> tuple[bytes, Found]:
    """The signed manifest of a version whose files are whole, the same bytes each time."""
    asked = db.one("datasets/asked", _Asked, dataset_id=dataset_id)
    if asked is None:
        raise errors.NotFound()
    files = versions.files(db, dataset_id=dataset_id)
    data = next(file for file in files if file.name == "data.jsonl")
    key = keys.at(db, asked.created_at, secret)
    document = {
        "project": {"id": asked.project_id, "name": asked.project},
        "version": asked.version,
        "kind": asked.kind,
        "parent": _parent(db, asked),
        "asked_at": moment(asked.created_at),
        "made_of": _made_of(db, asked, data),
        "rows": data.rows,
        "counts": data.facts["counts"],
        "files": [_file(file) for file in files],
        "key_id": key.id,
    }
    return manifests.build(document, key.private(secret)), Found(data.rows, data.facts["counts"])


def _parent(db: Database, asked: _Asked) -> dict[str, Any] | None:
    if asked.parent_id is None:
        return None
    return {"version": asked.parent_version, "manifest_sha256": versions.manifest(db, dataset_id=asked.parent_id).sha256.hex()}


def _made_of(db: Database, asked: _Asked, data: File) -> dict[str, Any]:
    """The facts that the bytes follow from."""
    found = db.all("datasets/retractions", InForce, project_id=asked.project_id, version=asked.version)
    return {
        "decisions_up_to": asked.up_to,
        "retractions": [{"version": r.version, "looks_of": r.by, "since": _since(r.since), "reason": r.reason, "at": moment(r.at)} for r in found],
        "project_versions": [{"version": v, "rules_sha256": _rules(db, asked.project_id, v)} for v in data.facts["project_versions"]],
    }


def _since(at: datetime) -> str | None:
    return None if at.year < 1971 else moment(at)


def _rules(db: Database, project_id: int, version: int) -> str:
    return hashlib.sha256(canonical.encode(projects.rules(db, project_id, version).stored())).hexdigest()


def _file(file: File) -> dict[str, Any]:
    return {"name": file.name, "content_type": file.content_type, "rows": file.rows, "size": file.size, "sha256": file.sha256.hex()}
