"""A desk's database with projects, effects and outcomes of its own making, for tests that begin where a decision was made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from claimcheck.db import Database
from claimcheck.proof import signing
from tests import people

SECRET_KEY = "n0t-a-real-key-but-long-enough-for-the-tests-of-effects"
SECRET = "whsec_" + "QWRhIEJlbiBDaGkgRG92IEV2ZSBBZGEgQmVuIENoaSE="
ALL = ["approve", "reject", "answer", "overturn"]
RULES = '{"name": "x", "skill": "documents", "reason_codes": [{"code": "ok", "label": "Fine"}]}'
SQL = {path.stem: path.read_text() for path in (Path(__file__).parent / "stage_sql").glob("*.sql")}


@dataclass(frozen=True)
class Project:
    """A project and the ids of its effects."""

    id: int
    name: str
    standing: int | None
    webhook: int | None


class Stage:
    """Works as the superuser on one database; `web` and `worker` are databases with those roles' rights."""

    def __init__(self, conninfos: Any, secret_key: str = SECRET_KEY):
        self.conninfos, self.secret_key = conninfos, secret_key
        self.sql = psycopg.connect(conninfos.superuser, autocommit=True, row_factory=namedtuple_row)
        self.web, self.worker = Database(conninfos.web, name="test web"), Database(conninfos.worker, name="test worker")
        self.keys = self.projects = 0
        self.cast = people.cast(self.web)
        self.run(SQL["lane"])

    def run(self, statement: str, **params: Any) -> None:
        self.sql.execute(statement, params)

    def all(self, statement: str, **params: Any) -> list[Any]:
        return self.sql.execute(statement, params).fetchall()

    def one(self, statement: str, **params: Any) -> Any:
        """The first column of the only row."""
        (row,) = self.all(statement, **params)
        return row[0]

    @property
    def dov(self) -> int:
        return self.cast.dov.id

    def project(self, *, standing: bool = True, url: str | None = None, customer: int | None = None) -> Project:
        """A customer's project, Northwind's if not said otherwise, with these effects."""
        self.projects += 1
        name = f"project {self.projects}"
        project = self.one(SQL["project"], name=name, customer=customer or self.cast.eve.customer_id, rules=RULES)
        sealed = signing.seal(self.secret_key, f"webhook of project {project}", SECRET.encode())
        of_standing = self.effect(project, "standing", None, None) if standing else None
        return Project(project, name, of_standing, self.effect(project, "webhook", url, sealed) if url else None)

    def effect(self, project: int, kind: str, url: str | None, sealed: bytes | None) -> int:
        return self.one(SQL["effect"], project=project, kind=kind, on=ALL, url=url, sealed=sealed)

    def outcome(self, project: Project, partition: str | None = None, note: str = "") -> int:
        """An item that was just approved; the decision's id."""
        self.keys += 1
        key = f"item {self.keys}"
        at = self.all(SQL["partition"], project=project.id, key=partition)[0] if partition else (None, None)
        hashed = hashlib.sha256(key.encode()).digest()
        return self.one(SQL["outcome"], project=project.id, key=key, hash=hashed, partition=at[0], no=at[1], note=note)

    def outcomes(self, project: Project, count: int, partition: str | None = None) -> list[int]:
        return [self.outcome(project, partition) for _ in range(count)]

    def overturn(self, decision: int) -> int:
        """Overturned to a rejection; the newer decision's id."""
        return self.one(SQL["overturn"], decision=decision)

    def row(self, decision: int, effect: int | None = None) -> Any:
        """The outbox row of a decision and an effect, where it has several."""
        (row,) = self.all(SQL["outbox"], decision=decision, effect=effect)
        return row

    def states(self, effect: int | None = None) -> dict[str, int]:
        """How many rows are in each state."""
        statement = "SELECT state, count(*)::int FROM outbox WHERE %(effect)s::int IS NULL OR effect_id = %(effect)s::int GROUP BY 1"
        return dict(self.all(statement, effect=effect))

    def open(self) -> int:
        return self.one("SELECT count(*) FROM outbox WHERE state IN ('pending', 'leased')")

    def clear(self) -> None:
        """Away with everything but people, skills and lanes."""
        self.sql.execute(SQL["clear"])

    def end(self) -> None:
        self.sql.close()
        self.web.close()
        self.worker.close()
