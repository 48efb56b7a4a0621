"""Changes that concern all of a project's open tasks: in small transactions, complete, and never in a claimer's way."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

import psycopg
import pytest

from claimcheck import errors, projects, rules, sweeps, versions
from claimcheck.access.people import Person, give_skill
from claimcheck.config import ROOT
from claimcheck.db import Database
from claimcheck.review import tasks
from claimcheck.review.decisions import submit
from tests.intake import World, eventually
from workers import publisher

NAMES = (f"swept {n}" for n in count())
FILL = """
WITH item AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version)
    SELECT %(project)s, %(batch)s, 'k' || n, sha256(n::text::bytea), 't', 0, 1 FROM generate_series(1, %(n)s) n RETURNING id),
version AS (
    INSERT INTO evidence (item_id, version, fields, created_by, published_at) SELECT id, 1, '{}', 0, now() FROM item)
INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor,
                   evidence_version, shown_version, evidence_hash)
SELECT i.id, %(project)s, 'review', q.id, q.lane_id, 0, row_number() OVER (ORDER BY i.id), clock_timestamp(), 1, 3, 0, 1, 1, sha256('x')
  FROM item i CROSS JOIN queues q WHERE q.project_id = %(project)s AND q.name = 'review'
"""

WRONG_ORDER = """
SELECT count(*) FILTER (WHERE rank <= before) AS wrong
  FROM (SELECT rank, lag(rank) OVER (ORDER BY id) AS before FROM tasks WHERE open_in = %s AND kind = 'review') t
"""


class Swept:
    """A project of a skill of its own with many open tasks, which Ada and Ben may claim."""

    def __init__(self, world: World, n: int, skill: str | None = None, **given: Any):
        self.world, self.name = world, next(NAMES)
        self.skill = skill or self.name
        found = rules.parse({"name": self.name, "skill": self.skill, "reason_codes": ["ok"], **given})
        self.id = projects.create(world.web, by=world.cast.eve, rules=found, settings=world.settings).id
        for person in (world.cast.ada, world.cast.ben):
            give_skill(world.web, person_id=person.id, skill=self.skill)
        [batch] = world.all("INSERT INTO batches (project_id, created_by) VALUES (%s, 0) RETURNING id", self.id)
        world.sql.execute(FILL, {"project": self.id, "batch": batch.id, "n": n})

    def change(self, **given: Any) -> None:
        now = projects.load(self.world.web, self.id, self.world.cast.chi)
        versions.change(self.world.web, self.id, self.world.cast.chi.id, rules.parse({**now.rules, **given}), why="tried")

    def tally(self, column: str) -> dict[Any, int]:
        rows = self.world.all(f"SELECT {column} AS value, count(*) AS n FROM tasks WHERE project_id = %s GROUP BY 1", self.id)
        return {row.value: row.n for row in rows}

    def tiers(self) -> list[int]:
        """Of the lanes that its tasks are in."""
        rows = self.world.all("SELECT DISTINCT l.tier FROM tasks t JOIN lanes l ON l.id = t.lane_id WHERE t.project_id = %s ORDER BY 1", self.id)
        return [row.tier for row in rows]

    def decide(self, person: Person) -> int:
        """Claims and approves; the project that the task was of."""
        claim = tasks.claim(self.world.web, me=person.id, skill=self.skill)
        assert claim is not None
        held = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "me": person.id}
        submit(self.world.web, **held, evidence_hash=claim.evidence_hash, verdict="approve", reason_code="ok")
        return claim.project_id


def while_locked(world: World, statement: str, *params: Any) -> Callable[[], None]:
    """Holds what the statement locks or writes until the answer is called, on a connection of its own."""
    connection = psycopg.connect(world.conninfos.superuser)
    connection.execute(statement, params)  # type: ignore[arg-type]

    def end() -> None:
        connection.commit()
        connection.close()

    return end


def test_it_ranks_every_open_task_anew_and_never_hides_them_from_a_claimer(world: World) -> None:
    swept, done = Swept(world, 6000), threading.Event()
    found: list[bool] = []

    def claims(person: Person) -> None:
        while not done.is_set():
            claim = tasks.claim(world.web, me=person.id, skill=swept.skill)
            found.append(claim is not None)
            if claim:
                world.web.run("assignments/release", assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=person.id,
                              skip=False, reason=None)  # fmt: skip

    threads = [threading.Thread(target=claims, args=[p]) for p in (world.cast.ada, world.cast.ben)]
    for thread in threads:
        thread.start()
    swept.change(priority=7)
    done.set()
    for thread in threads:
        thread.join()
    [still] = world.all("SELECT count(*) AS n FROM tasks WHERE open_in = %s AND priority <> CASE kind WHEN 'review' THEN 7 ELSE 17 END", swept.id)
    assert still.n == 0
    assert len(found) > 20
    assert all(found), f"{found.count(False)} of {len(found)} claims found nothing"
    [order] = world.all(WRONG_ORDER, swept.id)
    assert order.wrong <= len(found), "the old order, but for tasks that were in somebody's hands at that moment"


def test_it_moves_what_came_with_a_priority_of_its_own_by_as_much(world: World) -> None:
    swept = Swept(world, 4)
    world.sql.execute("UPDATE items SET priority = 3 WHERE id = (SELECT min(id) FROM items WHERE project_id = %s)", [swept.id])
    swept.change(priority=2)
    assert swept.tally("priority") == {2: 3, 5: 1}
    sweeps.rerank(world.web, project_id=swept.id)
    assert swept.tally("priority") == {2: 3, 5: 1}, "once more changes nothing"
    swept.change(priority=20)
    assert swept.tally("priority") == {20: 4}
    swept.change(priority=0)
    assert swept.tally("priority") == {0: 3, 3: 1}, "and nothing is lost at the ends of the scale"


def test_it_serves_a_project_by_its_new_weight(world: World) -> None:
    light = Swept(world, 200)
    heavy = Swept(world, 200, skill=light.skill)
    sweeps.rerank(world.web, project_id=light.id)
    heavy.change(weight=0.01)  # far behind everybody
    heavy.change(weight=8)
    served = [light.decide(world.cast.ada) for _ in range(36)]
    assert served.count(heavy.id) == pytest.approx(32, abs=2)


def test_it_moves_every_open_task_to_the_lanes_of_another_tier(world: World) -> None:
    swept = Swept(world, 1200)
    assert tasks.claim(world.web, me=world.cast.ben.id, skill=swept.skill) is not None
    swept.change(quality_floor=3)
    [lanes] = world.all(
        "SELECT count(DISTINCT t.lane_id) AS n, min(l.tier) AS tier FROM tasks t JOIN lanes l ON l.id = t.lane_id WHERE t.project_id = %s", swept.id
    )
    assert (lanes.n, lanes.tier) == (1, 3)
    assert tasks.claim(world.web, me=world.cast.ada.id, skill=swept.skill) is None


@pytest.mark.parametrize(("act", "state"), [(projects.pause, "paused"), (projects.cancel, "cancelled")])
def test_it_waits_for_a_task_that_is_in_somebodys_hands(world: World, monkeypatch: pytest.MonkeyPatch, act: Any, state: str) -> None:
    monkeypatch.setattr(sweeps, "PATIENCE", 0.0)  # the row is waited for, not only the transaction
    swept = Swept(world, 700)
    end = while_locked(world, "SELECT FROM tasks WHERE id = (SELECT min(id) FROM tasks WHERE project_id = %s) FOR NO KEY UPDATE", swept.id)
    thread = threading.Thread(target=act, args=[world.web, swept.id, world.cast.chi.id])
    thread.start()
    eventually(lambda: swept.tally("state") == {"pending": 1, state: 699})  # the others don't wait
    assert thread.is_alive()
    end()
    thread.join()
    assert swept.tally("state") == {state: 700}


@pytest.mark.parametrize(("act", "state"), [(projects.pause, "paused"), (projects.cancel, "cancelled")])
@pytest.mark.parametrize("guarded", [True, False])
def test_it_reaches_a_task_that_was_on_its_way(world: World, monkeypatch: pytest.MonkeyPatch, act: Any, state: str, guarded: bool) -> None:
    """A transaction that read the project's row before, and commits its task after every open one was seen to."""
    swept = Swept(world, 3)
    end = while_locked(world, COPY, swept.id)
    if not guarded:
        monkeypatch.setattr(sweeps, "PATIENCE", 0.0)
    thread = threading.Thread(target=act, args=[world.web, swept.id, world.cast.chi.id])
    thread.start()
    eventually(lambda: swept.tally("state") == {state: 3})
    if not guarded:
        thread.join()
    end()
    thread.join()
    assert swept.tally("state") == ({state: 4} if guarded else {"pending": 1, state: 3})
    publishes(world)
    assert swept.tally("state") == {state: 4}, "a publisher makes up for what was not waited for"


@pytest.mark.parametrize("guarded", [True, False])
def test_it_ranks_a_task_that_was_on_its_way(world: World, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    swept = Swept(world, 3)
    end = while_locked(world, COPY, swept.id)
    if not guarded:
        monkeypatch.setattr(sweeps, "PATIENCE", 0.0)
    thread = threading.Thread(target=swept.change, kwargs={"quality_floor": 3})
    thread.start()
    eventually(lambda: swept.tiers() == [3])
    if not guarded:
        thread.join()
    end()
    thread.join()
    assert swept.tiers() == ([3] if guarded else [0, 3])
    publishes(world)
    assert swept.tiers() == [3]


KILLED = """
import os, signal, sys
from claimcheck import projects, rules, sweeps, versions
from claimcheck.access import people
from claimcheck.db import Database
db, what, project, me = Database(sys.argv[1], max_size=2, name="killed"), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sweeps.rerank = sweeps.halt = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
if what == "change":
    now = projects.rules(db, project, projects.version(db, project))
    versions.change(db, project, me, rules.parse({**now.model_dump(mode="json"), "quality_floor": 3, "priority": 4}), why="tried")
getattr(projects, what)(db, project, me)
"""


def killed(world: World, what: str, project_id: int) -> None:
    """Does it in a process that is killed between the commit and its sweep."""
    argv = [sys.executable, "-c", KILLED, world.conninfos.web, what, str(project_id), str(world.cast.chi.id)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def publishes(world: World) -> None:
    """A round of a publisher, after whoever was at it has been silent for long."""
    world.sql.execute("UPDATE projects SET sweep_until = clock_timestamp() WHERE sweep_until IS NOT NULL")
    publisher._round(world.worker, world.store, probe=False)


def test_it_finishes_a_change_of_rules_after_a_kill(world: World) -> None:
    swept = Swept(world, 700)
    killed(world, "change", swept.id)
    assert (swept.tiers(), swept.tally("priority")) == ([0], {0: 700})
    swept.change(quality_floor=3, priority=4)
    assert swept.tiers() == [0], "the same change again is none"
    publisher._round(world.worker, world.store, probe=False)
    assert swept.tiers() == [0], "whoever changed it may still be at it"
    publishes(world)
    assert (swept.tiers(), swept.tally("priority")) == ([3], {4: 700})
    assert world.worker.one("projects/take_sweep", sweeps._Due, seconds=9.0) is None


@pytest.mark.parametrize(("what", "before", "after"), [("pause", "pending", "paused"), ("resume", "paused", "pending"), ("cancel", "pending", "cancelled")])
def test_it_finishes_a_halt_after_a_kill(world: World, what: str, before: str, after: str) -> None:
    swept = Swept(world, 700)
    if what == "resume":
        projects.pause(world.web, swept.id, world.cast.chi.id)
    killed(world, what, swept.id)
    assert swept.tally("state") == {before: 700}
    publishes(world)
    assert swept.tally("state") == {after: 700}
    assert world.worker.one("projects/take_sweep", sweeps._Due, seconds=9.0) is None


def test_it_forgets_no_change_that_comes_during_a_sweep(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process pauses the project, and is killed, while the end of its pause is being swept."""
    swept, wait = Swept(world, 3), sweeps._await_writers
    projects.pause(world.web, swept.id, world.cast.chi.id)

    def overtaken(db: Database) -> bool:
        monkeypatch.setattr(sweeps, "_await_writers", wait)
        killed(world, "pause", swept.id)
        return wait(db)

    monkeypatch.setattr(sweeps, "_await_writers", overtaken)
    projects.resume(world.web, swept.id, world.cast.chi.id)
    world.sql.execute("UPDATE tasks SET paused = false WHERE project_id = %s", [swept.id])  # as if it had seen none of the pause
    publishes(world)
    assert swept.tally("state") == {"paused": 3}


COLUMNS = ("item_id", "project_id", "kind", "queue_id", "lane_id", "priority", "rank", "since", "wanted", "abandon_limit", "price_minor",
           "evidence_version", "shown_version", "evidence_hash")  # fmt: skip
COPY = f"INSERT INTO tasks ({', '.join(COLUMNS)}) SELECT {', '.join(COLUMNS)} FROM tasks WHERE project_id = %s LIMIT 1"


def test_it_resumes_what_it_paused_and_leaves_a_paused_queue_alone(world: World) -> None:
    swept = Swept(world, 3)
    projects.pause(world.web, swept.id, world.cast.chi.id)
    world.sql.execute("UPDATE queues SET paused_at = now() WHERE project_id = %s AND name = 'review'", [swept.id])
    projects.resume(world.web, swept.id, world.cast.chi.id)
    assert swept.tally("state") == {"paused": 3}
    world.sql.execute("UPDATE queues SET paused_at = NULL WHERE project_id = %s", [swept.id])
    projects.resume(world.web, swept.id, world.cast.chi.id)
    assert swept.tally("state") == {"pending": 3}


def test_it_writes_down_who_did_what_once(world: World) -> None:
    swept = Swept(world, 1)
    for act in (projects.pause, projects.pause, projects.resume, projects.resume, projects.cancel, projects.cancel):
        act(world.web, swept.id, world.cast.chi.id)
    kinds = [e.kind for e in world.all("SELECT kind FROM events WHERE project_id = %s AND kind LIKE 'project.%%' ORDER BY id", swept.id)]
    assert kinds == ["project.created", "project.paused", "project.resumed", "project.cancelled"]


def test_it_keeps_versions_for_good(world: World) -> None:
    swept = Swept(world, 1)
    for statement in ("UPDATE project_versions SET why = 'other'", "DELETE FROM project_versions", "TRUNCATE project_versions CASCADE"):
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)), psycopg.connect(world.conninfos.web) as web:
            web.execute(statement)  # type: ignore[arg-type]
    assert [v.version for v in versions.page(world.web, swept.id)] == [1]


def test_it_retires_reasons_and_never_deletes_them(world: World) -> None:
    swept = Swept(world, 1, reason_codes=["ok", "old"])
    known = "SELECT code, label, reserved, retired FROM reason_codes WHERE project_id = %s ORDER BY code"
    swept.change(reason_codes=[{"code": "ok", "label": "Fine"}])
    assert [tuple(r) for r in world.all(known, swept.id)] == [
        ("agreement", "The looks agree", True, False), ("auto_zero_variance", "No variance is left", True, False), ("ok", "Fine", False, False), ("old", "old", False, True),
    ]  # fmt: skip
    swept.change(reason_codes=["ok", "old"])
    assert [r.retired for r in world.all(known, swept.id)] == [False] * 4


def test_it_gives_every_change_a_version_of_its_own(world: World) -> None:
    swept = Swept(world, 1)
    failed: list[BaseException] = []

    def change(price: int) -> None:
        try:
            swept.change(price_minor=price)
        except errors.Error as error:
            failed.append(error)

    threads = [threading.Thread(target=change, args=[n]) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [v.version for v in versions.page(world.web, swept.id)]
    assert not failed
    assert found == [*range(9, 0, -1)]
