"""Dataset versions: asked for, looked at, taken away, acknowledged. Workers make them (`making`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors, evidence, projects, transactions
from claimcheck.access.people import Person
from claimcheck.datasets import manifests
from claimcheck.db import Database
from claimcheck.evidence import OpenPart
from claimcheck.projects import Project
from claimcheck.store import Store

PATIENCE = 5.0  # seconds for submits that are on their way
NEWEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Somebody of the customer's said that they have a version."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Version:
    """A version of what is delivered of a project. `rows`, `counts` and the manifest's `sha256` come when it is made; `reason` is a retraction's."""

    id: int
    project_id: int
    project: str
    customer: str
    version: int
    parent_version: int | None
    kind: str
    created_at: datetime
    requested_by: str
    state: str
    step: str
    step_done: int
    step_total: int
    last_error: str | None
    rows: int | None
    counts: dict[str, int] | None
    sha256: bytes | None
    made_at: datetime | None
    retraction_id: int | None
    reason: str | None
    acknowledged: list[dict[str, Any]]

    @property
    def acks(self) -> list[Acknowledgement]:
        """Who has it, since when."""
        return [Acknowledgement(ack["by"], datetime.fromisoformat(ack["at"])) for ack in self.acknowledged]

    @property
    def delivered(self) -> bool:
        """Whether it can be taken away."""
        return self.sha256 is not None


@dataclass(frozen=True, slots=True)
class File:
    """One of a version's files. `facts` is what was counted while it was written."""

    name: str
    content_type: str
    rows: int
    size: int
    sha256: bytes
    object_key: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The signed bytes, and their SHA-256."""

    body: bytes
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """The version that answers a request, and whether it is new."""

    id: int
    new: bool


@dataclass(frozen=True, slots=True)
class Newest:
    """A project's newest version; `has_news`: something was settled since its cut."""

    id: int
    version: int
    up_to: int
    in_making: bool
    delivered: bool
    has_news: bool


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Cut:
    id: int
    server_now: datetime


def ask(db: Database, *, project: Project, me: Person, idempotency_key: str | None = None) -> Asked:
    """Asks for a project's next version. One in the making, one under the same key, or the newest where nothing happened since, is the answer again.

    Raises Unavailable while a submit is on its way for long.
    """
    last = newest(db, project_id=project.id)
    if found := _known(db, project.id, me, last, idempotency_key):
        return Asked(found, False)
    params = {"project_id": project.id, "me": me.id, "idempotency_key": idempotency_key, "after": last.version if last else 0, "up_to": cut(db)}
    try:
        with db.connection() as connection:
            made = connection.one("datasets/ask", _Id, **params)
    except errors.Again:  # two asked at once, and the other one was first
        made = None
    return Asked(made.id, True) if made else ask(db, project=project, me=me, idempotency_key=idempotency_key)


def _known(db: Database, project_id: int, me: Person, last: Newest | None, idempotency_key: str | None) -> int | None:
    if idempotency_key is not None and (known := db.one("datasets/by_key", _Id, project_id=project_id, idempotency_key=idempotency_key)):
        return known.id
    if last and not last.delivered and not last.in_making:
        again(db, dataset_id=last.id, me=me)
    return last.id if last and not (last.delivered and last.has_news) else None


def cut(db: Database) -> int:
    """The last decision, once none with a lower number is on its way any more. Raises Unavailable."""
    last = db.one("results/newest", _Cut)
    if not transactions.await_writers(db, "decisions", patience=PATIENCE):
        raise errors.Unavailable("A submit is still on its way; ask again in a moment.")
    return last.id if last else 0


def newest(db: Database, *, project_id: int) -> Newest | None:
    """A project's newest version, if there is any."""
    return db.one("datasets/newest", Newest, project_id=project_id)


def load(db: Database, *, dataset_id: int, person: Person) -> Version:
    """One version that this person may see. Raises NotFound."""
    row = db.one("datasets/load", Version, dataset_id=dataset_id, customer_id=projects.reach(person))
    if row is None:
        raise errors.NotFound()
    return row


def page(db: Database, *, project_id: int, before: int = NEWEST, limit: int = 50) -> list[Version]:
    """A project's versions, the newest first."""
    return db.all("datasets/page", Version, project_id=project_id, before=before, limit=limit)


def files(db: Database, *, dataset_id: int) -> list[File]:
    """A version's files that are whole, by name."""
    return db.all("datasets/files", File, dataset_id=dataset_id)


def manifest(db: Database, *, dataset_id: int) -> Manifest:
    """A version's manifest. Raises NotDelivered."""
    found = db.one("datasets/manifest", Manifest, dataset_id=dataset_id)
    if found is None:
        raise errors.NotDelivered()
    return found


def open_file(db: Database, store: Store, *, dataset_id: int, name: str, me: Person) -> OpenPart:
    """A file of a delivered version, or its manifest, put on record first; the caller judged who may. Raises NotFound, NotDelivered, Missing."""
    signed, known = manifest(db, dataset_id=dataset_id), {file.name: file for file in files(db, dataset_id=dataset_id)}
    if name != manifests.NAME and name not in known:
        raise errors.NotFound()
    db.run("datasets/note_read", dataset_id=dataset_id, me=me.id, name=name)
    if name == manifests.NAME:
        return OpenPart(name, "application/json", len(signed.body), signed.sha256, (chunk for chunk in [signed.body]))
    file = known[name]
    return OpenPart(name, file.content_type, file.size, file.sha256, evidence.verified(store, file.object_key, file.sha256))


def acknowledge(db: Database, *, dataset_id: int, me: Person) -> None:
    """The customer has it. Again is no error. Raises NotFound, NotDelivered."""
    if not load(db, dataset_id=dataset_id, person=me).delivered:
        raise errors.NotDelivered()
    db.run("datasets/acknowledge", dataset_id=dataset_id, me=me.id)


def again(db: Database, *, dataset_id: int, me: Person) -> None:
    """A version that was given up is tried anew."""
    db.run("datasets/again", dataset_id=dataset_id, me=me.id)
