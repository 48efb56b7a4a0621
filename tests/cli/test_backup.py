"""A desk is backed up while people decide, lost, and restored into an empty one; and the secrets that it is sealed by are renewed."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg
import pytest

from app import create_app
from claimcheck import errors, publishing
from claimcheck.cli import __main__ as cli
from claimcheck.config import Settings
from claimcheck.db import STATEMENTS, Database
from claimcheck.embedded import dumping, processes
from claimcheck.embedded.home import Home
from claimcheck.operations import backups, drains
from claimcheck.operations.pulse import Pulse
from claimcheck.outbound import applying, deliveries, outbox
from claimcheck.review import decisions
from claimcheck.store import Store
from tests import people
from tests.web.api_client import Api, proof
from tests.workers.machinery import Hook

DECIDED, ITEMS = 4, 30
REASON = ("--reason", "The disk broke", "--as", "Dov")


class Desk:
    """A desk on a database and a bucket of its own: its API, its workers' functions, its command line."""

    def __init__(self, conninfos: Any, settings: Settings):
        self.conninfos, self.settings = conninfos, settings
        self.app = create_app(settings)
        self.db, self.worker, self.store = self.app.extensions["claimcheck"].db, Database(conninfos.worker), Store(settings)
        self.store.ensure_bucket()

    def sql(self, statement: str) -> list[Any]:
        with psycopg.connect(self.conninfos.superuser) as root:
            return root.execute(statement).fetchall()  # type: ignore[arg-type]

    def claimcheck(self, *words: Any, code: int = 0) -> Any:
        """A command, in this very process: its answer, or what it says where it fails."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")}
        out, said = io.StringIO(), io.StringIO()
        with mock.patch.dict(os.environ, kept | self.settings.environ(), clear=True), redirect_stdout(out), redirect_stderr(said):
            ended = cli.main([*map(str, words)])
        assert ended == code, f"{out.getvalue()}\n{said.getvalue()}"
        return json.loads(out.getvalue()) if code == 0 else said.getvalue()

    def decide(self, person: Any) -> int | None:
        """The next item, approved; its decision's id."""
        api = Api(self.app, person)
        answer = api.post("/v1/tasks/next")
        if answer.status_code == 204:
            return None
        sent = {**proof(answer.json), "verdict": "approve", "reason_code": "fits"}
        return api.post(f"/v1/assignments/{answer.json['assignment_id']}/submit", sent).json["decision_id"]

    def apply(self) -> None:
        """Carries out all that is to be applied."""
        applier = applying.Applier(self.worker, deliveries.sender(self.settings), threads=4)
        until = "SELECT count(*) FROM outbox WHERE state IN ('pending', 'leased')"
        with psycopg.connect(self.conninfos.superuser, autocommit=True) as root:
            root.execute("UPDATE outbox SET push_due = clock_timestamp(), due = clock_timestamp() WHERE state = 'pending'")

        def done() -> bool:
            for push in outbox.ring(self.worker, room=20):
                applier.take(push.outbox_id, 10)
            return self.sql(until)[0][0] == 0

        assert processes.wait_until(done, 60), self.sql("SELECT state, count(*) FROM outbox GROUP BY 1")
        applier.stop()

    def end(self) -> None:
        self.db.close()
        self.worker.close()


@pytest.fixture
def make(make_database: Callable[[], Any], store_server: Any, valkey: str, tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    made: list[Desk] = []

    def new(name: str) -> Desk:
        database = make_database()
        home = tmp_path / name
        settings = people.settings(database, store_server, valkey, webhook_allow="127.0.0.0/8", home=home, s3_bucket=f"backup-{name}")
        made.append(Desk(database, settings.model_copy(update={"database_url": database.owner})))
        return made[-1]

    yield new
    for desk in made:
        desk.end()


def row(n: int) -> dict[str, Any]:
    """Every third one has the same file as others."""
    text = base64.b64encode(f"file {n % 3}".encode()).decode()
    return {"idempotency_key": f"b{n}", "payload": {"n": n, "files": [{"name": "a.txt", "content_type": "text/plain", "base64": text}]}}


def test_it_restores_what_was_backed_up_while_people_decided_and_applies_nothing_twice(make: Callable[[str], Desk], tmp_path: Path) -> None:
    lost, hook, folder = make("lost"), Hook(tmp_path / "received.jsonl"), tmp_path / "backup"
    cast = people.cast(lost.db, skills=["kyc"])
    rules = {
        "name": "Kept",
        "skill": "kyc",
        "reason_codes": ["fits"],
        "webhook": {"url": hook.url, "on": ["approve"]},
        "items": [*map(row, range(ITEMS))],
    }
    made = Api(lost.app, cast.eve).post("/v1/projects", rules).json
    hook.server.secrets = [made["webhook_secret"]]
    while publishing.publish_once(lost.worker, lost.store):
        pass
    with psycopg.connect(lost.conninfos.superuser) as root:
        root.execute("REVOKE EXECUTE ON FUNCTION lo_close(integer) FROM PUBLIC")  # as deploy/roles.sql does, which an owner may not
    before = [lost.decide(cast.ada) for _ in range(DECIDED)]
    lost.apply()
    before.append(lost.decide(cast.ada))  # decided, and not applied when the backup is made

    Pulse(lost.worker, "worker").beat()

    stop, meanwhile = threading.Event(), list[int | None]()

    def work() -> None:
        while not stop.is_set() and len(meanwhile) < ITEMS - DECIDED - 3:
            meanwhile.append(lost.decide(cast.ben))

    working = threading.Thread(target=work)
    working.start()
    told = lost.claimcheck("backup", folder, "--json")
    stop.set()
    working.join()
    lost.apply()  # the desk went on after its backup, and its receiver heard of it
    assert told["objects"] >= ITEMS and (folder / backups.KEY).stat().st_mode & 0o077 == 0
    assert len([*folder.glob("objects/*/*")]) < told["objects"], "the same bytes are kept once"

    # ---- what is refused ----
    new = make("new")
    assert "--reason" in new.claimcheck("restore", folder, code=2)
    assert "not empty" in lost.claimcheck("restore", folder, *REASON, code=2)
    assert "something in it" in lost.claimcheck("backup", folder, code=2)
    damaged = shutil.copytree(folder, tmp_path / "damaged")
    with (damaged / backups.INDEX).open("a") as file:
        file.write("\n")
    assert "changed since" in new.claimcheck("restore", damaged, *REASON, code=2)
    shutil.copy(folder / backups.INDEX, damaged / backups.INDEX)
    whole = (damaged / backups.MANIFEST).read_text()
    for wrong, said in ((whole.replace('"0170_operations"', '"9999_later"'), "newer version"), (whole[:50], "no whole backup"), ("{}", "can read")):
        (damaged / backups.MANIFEST).write_text(wrong)
        assert said in new.claimcheck("restore", damaged, *REASON, code=2)
    (damaged / backups.MANIFEST).write_text(whole)
    next(damaged.glob("objects/*/*")).write_text("another")
    assert "SHA-256" in new.claimcheck("restore", damaged, *REASON, code=2) and not new.sql("SELECT id FROM projects"), "before the database"
    assert new.claimcheck("restore", folder, "--dry-run", "--json")["rows"] == told["rows"]

    # ---- one that is cut off ----
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    with mock.patch.object(dumping, "_run", side_effect=errors.Error("pg_restore failed: no space left on device")):
        said = new.claimcheck("restore", folder, *REASON, code=1)
    assert "no space left" in said and "begin again with the same command" in said, "what happened, what state it is in, how to go on"
    assert new.sql(tables) == [(0,)]
    with mock.patch.object(dumping, "skip_numbers", side_effect=errors.Error("the server went away")):
        assert "was loaded, and not finished" in new.claimcheck("restore", folder, *REASON, code=1)
    said = new.claimcheck("restore", folder, *REASON, code=2)
    assert "was not finished" in said and "DROP SCHEMA public CASCADE; CREATE SCHEMA public" in said
    with psycopg.connect(new.conninfos.owner) as owner:
        owner.execute("DROP SCHEMA public CASCADE")
        owner.execute("CREATE SCHEMA public")

    # ---- the restore ----
    assert new.claimcheck("restore", folder, "--dry-run", "--json")["rows"] == told["rows"]
    assert new.sql(tables) == [(0,)], "nothing was changed"
    new.claimcheck("restore", folder, *REASON, "--json")
    assert "not empty" in new.claimcheck("restore", folder, *REASON, code=2), "and is an ordinary desk from now on"
    assert Home(new.settings.home).samples == "restored", "a start adds no sample and no demo account to what was restored"
    state = drains.state(new.db)
    assert state.drained is not None and not state.programs, "nothing goes out before somebody has looked, and no program of the lost desk is missed"
    assert new.sql(STATEMENTS["tasks/disagreements"]) == [], "every counter agrees with the facts"
    for key, sha256, size in new.sql("SELECT object_key, sha256, size FROM evidence_parts"):
        assert hashlib.sha256(new.store.read(key, size)).digest() == sha256
    kept = [n for (n,) in new.sql("SELECT id FROM decisions ORDER BY id")]
    assert set(before) <= set(kept) and before[-1] in kept
    secret = str(new.settings.secret_key)
    for number in before:
        assert number is not None
        assert decisions.receipt(new.db, decision_id=number, secret=secret) == decisions.receipt(lost.db, decision_id=number, secret=secret)
    [event] = new.sql("SELECT detail FROM events WHERE kind = 'operations.restored'")
    assert event[0]["reason"] == "The disk broke" and event[0]["by"] == "Dov"

    # ---- and on ----
    new.claimcheck("workers", "resume", "--as", "Dov", "--json")
    again = new.decide(people.cast(new.db).ada)
    assert again is not None and again > max(n for n in [*before, *meanwhile] if n), "no number is given twice"
    new.apply()
    heard = hook.effects()
    assert heard == Counter({n: 1 for n in {*before, *meanwhile, again} if n}), "each once, by its webhook-id"
    assert new.sql("SELECT count(*) FROM (SELECT decision_id, effect_id FROM applied GROUP BY 1, 2 HAVING count(*) > 1) twice") == [(0,)]
    assert new.sql(STATEMENTS["tasks/disagreements"]) == []
    hook.end()


def test_it_seals_anew_under_a_new_key_and_opens_by_the_former_until_then(make: Callable[[str], Desk]) -> None:
    desk, renewed = make("sealed"), "another key only for tests: 51ab3367fe09"
    cast = people.cast(desk.db, skills=["kyc"])
    rules = {"name": "Sealed", "skill": "kyc", "reason_codes": ["fits"], "webhook": {"url": "http://127.0.0.1:9/in"}, "items": []}
    Api(desk.app, cast.eve).post("/v1/projects", rules)
    desk.claimcheck("key", "rotate", "--json", "--as", "Dov")
    former = desk.settings
    desk.settings = former.model_copy(update={"secret_key": renewed})
    assert "below the new one" in desk.claimcheck("secrets", "reseal", *REASON, code=2)
    desk.settings = former.model_copy(update={"secret_key": f"{renewed}\n{former.secret_key}"})
    assert "--reason" in desk.claimcheck("secrets", "reseal", code=2)
    assert desk.claimcheck("secrets", "reseal", *REASON, "--json")["count"] == 2
    desk.settings = former.model_copy(update={"secret_key": renewed})
    assert desk.claimcheck("secrets", "reseal", *REASON, "--json")["count"] == 2, "the new key alone opens all of it"
    desk.settings = former
    assert "below the new one" in desk.claimcheck("secrets", "reseal", *REASON, code=2), "and the former one nothing"
