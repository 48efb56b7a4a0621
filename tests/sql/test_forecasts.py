"""Forecasts as a query: what is open, who works, what was said each hour, and how it came true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from claimcheck import projects
from claimcheck.access import people
from claimcheck.forecasts import measuring, record
from tests.intake import SKILL, World, row


def filled(world: World, n: int, **rules: Any) -> tuple[int, int]:
    """A project with one batch of so many items, stored."""
    project = world.project(**rules)
    return project, more(world, project, n)


def more(world: World, project: int, n: int) -> int:
    batch = world.batch(project)
    world.accept(project, [row(f"{batch}-{i}") for i in range(n)], batch_id=batch)
    world.web.run("batches/close", batch_id=batch)
    world.publish()
    return batch


def work(world: World, n: int, who: str = "ada", minutes_ago: float = 0) -> None:
    """So many looks, which were given that long ago."""
    before = world.one("SELECT COALESCE(max(id), 0) FROM decisions")
    for _ in range(n):
        claimed = world.claim(who)
        assert claimed is not None
        world.decide(claimed)
    if minutes_ago:
        age(world, "decisions", "created_at", minutes_ago, f"id > {before}")


def age(world: World, table: str, columns: str, minutes: float, which: str = "true") -> None:
    """Makes facts older, past the triggers that keep them as they are."""
    sets = ", ".join(f"{c} = {c} - interval '{minutes} minutes'" for c in columns.split())
    world.sql.execute("SET session_replication_role = replica")
    world.sql.execute(f"UPDATE {table} SET {sets} WHERE {which}".encode())
    world.sql.execute("SET session_replication_role = DEFAULT")


@pytest.fixture(autouse=True)
def yesterday(world: World) -> None:
    """What other tests looked at is no work of the last six hours."""
    age(world, "decisions", "created_at", 60 * 24)


def hourly(world: World) -> None:
    """Says and ends what is due, until nothing is any more in this hour."""
    for _ in range(50):
        if not record.run(world.worker):
            return
    raise AssertionError("it says the same again and again")


def test_it_counts_what_is_open_by_skill_and_what_stands_before_a_batch(world: World) -> None:
    project, first = filled(world, 30)
    second = more(world, project, 20)
    work(world, 10)
    told = measuring.tell(world.web, project_id=project)
    [line] = told.lines
    assert (line.skill, line.led, line.items, line.looks, line.experts) == (SKILL, False, 40, 40.0, 1)
    assert line.rate == pytest.approx(40)  # ten looks in a quarter of an hour
    assert (told.subject.items, told.settled, told.open_items, told.found.progress) == (50, 10, 40, pytest.approx(0.2))
    behind, ahead = (measuring.tell(world.web, project_id=project, batch_id=b) for b in (second, first))
    assert [(t.lines[0].looks, t.lines[0].ahead, t.settled, t.subject.items) for t in (behind, ahead)] == [(20, 20, 0, 20), (20, 0, 10, 30)]
    assert behind.found.raw_last == pytest.approx(1) and ahead.found.raw_last == pytest.approx(0.5)


def test_it_expects_the_looks_that_items_took_and_counts_leads_apart(world: World) -> None:
    project, _ = filled(world, 40, wanted=2, agreement={"mode": "adaptive"})
    told = measuring.tell(world.web, project_id=project)
    assert (told.looks_an_item, told.lines[0].looks, told.found.last) == (2.6, pytest.approx(104), None)
    claimed = world.claim()
    assert claimed is not None
    world.decide(claimed, "escalate")
    other, _ = filled(world, 3)
    world.sql.execute("UPDATE tasks SET paused = (project_id <> %s) WHERE ended_as IS NULL", [other])
    escalated = world.claim()
    assert escalated is not None
    world.decide(escalated, "escalate")
    work(world, 2)
    told = measuring.tell(world.web, project_id=other)
    assert [(line.led, line.looks, bool(line.rate)) for line in told.lines] == [(True, 1.0, False)]
    assert told.found.last is None  # all that is open waits for the leads


def test_it_gives_a_project_that_has_begun_nothing_its_share_of_its_skill(world: World) -> None:
    busy, _ = filled(world, 30)
    work(world, 20)
    quiet, _ = filled(world, 30)
    busy_told, quiet_told = (measuring.tell(world.web, project_id=p) for p in (busy, quiet))
    assert busy_told.lines[0].rate == pytest.approx(80)
    assert quiet_told.lines[0].rate == pytest.approx(80 * 30 / 40)


def test_it_logs_each_hour_once_and_judges_what_came_to_its_end(world: World) -> None:
    project, batch = filled(world, 24, deadline=(datetime.now(UTC) + timedelta(days=9)).isoformat())
    work(world, 6, minutes_ago=90)
    hourly(world)
    rows = world.all("SELECT * FROM forecast_log WHERE project_id = %s ORDER BY batch_id NULLS FIRST", project)
    assert [(r.batch_id, r.items, r.settled, r.bucket, r.experts, r.state) for r in rows] == [
        (None, 24, 6, 1, 1, "on_time"), (batch, 24, 6, 1, 1, "on_time")]  # fmt: skip
    assert rows[1].last_low < rows[1].last < rows[1].last_high and rows[1].raw_most < rows[1].raw_last
    age(world, "forecast_log", "at hour", 60, f"project_id = {project}")
    work(world, 18)
    hourly(world)
    [ended] = world.all("SELECT * FROM forecast_ends WHERE batch_id = %s", batch)
    last = world.one("SELECT max(created_at) FROM decisions WHERE project_id = %s", project)
    assert (ended.items, ended.last_at) == (24, last) and ended.most_at <= ended.last_at
    [judged] = [j for j in record.judged(world.web) if j.project_id == project]  # the batch alone: it is all there was
    assert (judged.batch_id, judged.last_actual) == (batch, pytest.approx(1.0, abs=0.05))
    assert judged.of_last().point == rows[1].last
    customer = projects.load(world.web, project, world.cast.eve).customer_id
    assert [j.project_id for j in record.judged(world.web, customer_id=customer)].count(project) == 1
    assert record.judged(world.web, customer_id=customer + 99) == []
    [past] = [p for p in measuring.past(world.web) if p.ended == ended.id]
    assert past.last == pytest.approx(judged.last_actual / rows[1].raw_last)


def test_it_rests_at_the_weeks_rate_while_nobody_works(world: World) -> None:
    project, _ = filled(world, 40)
    work(world, 8)
    hourly(world)
    age(world, "decisions", "created_at", 60 * 10, f"project_id = {project}")
    age(world, "forecast_log", "at hour", 60 * 10, f"project_id = {project}")
    told = measuring.tell(world.web, project_id=project)
    assert told.resting_since is not None and told.experts == 0
    assert told.lines[0].rate == pytest.approx(32) and told.found.last is not None
    hourly(world)
    told = measuring.tell(world.web, project_id=project)
    assert told.lines[0].rate == pytest.approx(16)  # a working hour and one of rest


def test_it_reads_its_own_people_only(world: World) -> None:
    """Gold and other skills are no help: only looks at what the project asks for count."""
    project, _ = filled(world, 10, skill="seals")
    filled(world, 10)
    work(world, 5)
    assert measuring.tell(world.web, project_id=project).lines[0].rate is None
    people.give_skill(world.web, person_id=world.cast.ben.id, skill="seals")
    work(world, 6, "ben")
    assert measuring.tell(world.web, project_id=project).found.line is not None
