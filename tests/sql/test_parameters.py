"""The pipeline's settings as evidence: what is safe, in versions that stay, one after the other; and its signals, counted."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import psycopg
import pytest

from claimcheck import errors, logs
from claimcheck.intake import parameters, pools, signals
from claimcheck.intake.parameters import Parameters
from claimcheck.validation import validated
from tests.intake import World, at_once, without


@pytest.fixture(autouse=True)
def fresh(world: World) -> None:
    """No version, no pool, no signal."""
    world.sql.execute("ALTER TABLE pipeline_settings DISABLE TRIGGER append_only")
    world.sql.execute("DELETE FROM pipeline_settings")
    world.sql.execute("ALTER TABLE pipeline_settings ENABLE TRIGGER append_only")
    world.sql.execute("DELETE FROM pipeline_workers")
    world.sql.execute("DELETE FROM pipeline_signals")
    world.sql.execute("UPDATE pipeline_signal_totals SET n = 0")


def change(world: World, after: int = 0, why: str = "a test", **new: Any) -> int:
    found = Parameters(**{**parameters.current(world.web).settings, **new})
    return parameters.change(world.web, found, after=after, source="page", why=why, by=world.cast.dov.id)


def pool(world: World, name: str = "pool", p99: float = 900.0, measured: int = 200, state: str = "running", ago: str = "0 s") -> None:
    world.sql.execute(
        "INSERT INTO pipeline_workers (name, source, settings_version, state, measured, p99_ms, seen_at) "
        "VALUES (%s, 'inbox', 0, %s, %s, %s, clock_timestamp() - %s::interval)",
        [name, state, measured, p99, ago],
    )


def test_it_delivers_settings_that_are_safe() -> None:
    parameters.check(parameters.DEFAULTS.parameters)
    assert parameters.DEFAULTS.version == 0


@pytest.mark.parametrize(
    ("new", "field", "said"),
    [
        ({"prefetch": 1001}, "prefetch", ["1001", "queue_maxsize", "1000"]),
        ({"queue_maxsize": 199}, "prefetch", ["200", "queue_maxsize", "199"]),
        ({"run_messages": 201}, "run_messages", ["201", "prefetch", "200"]),
        ({"lease_timeout_ms": 2000}, "lease_timeout_ms", ["2000", "expected_p99_ms", "not above"]),
        ({"expected_p99_ms": 30_000}, "lease_timeout_ms", ["30000", "expected_p99_ms", "not above"]),
    ],
)
def test_it_refuses_what_does_not_fit_together_and_says_the_numbers(world: World, new: dict[str, int], field: str, said: list[str]) -> None:
    with pytest.raises(errors.Invalid) as told:
        change(world, **new)
    assert told.value.errors[0].field == field and all(word in told.value.errors[0].message for word in said)
    assert parameters.current(world.web).version == 0


@pytest.mark.parametrize("new", [{"prefetch": 1000}, {"run_messages": 200}, {"lease_timeout_ms": 2001}])
def test_it_takes_what_just_fits(world: World, new: dict[str, int]) -> None:
    assert change(world, **new) == 1


def test_it_goes_by_the_measured_p99_once_enough_were_measured(world: World) -> None:
    pool(world, "few", p99=9e9, measured=parameters.ENOUGH - 1)
    pool(world, "gone", p99=9e9, state="stopped")
    pool(world, "silent", p99=9e9, ago="61 seconds")
    assert parameters.measured_p99_ms(world.web) is None
    pool(world, "slow", p99=2400.4)
    pool(world, "fast", p99=12.0)
    assert parameters.measured_p99_ms(world.web) == 2400.4
    with pytest.raises(errors.Invalid, match=r"is 2400, not above the handlers' measured p99, which is 2400"):
        change(world, lease_timeout_ms=2400)
    assert change(world, lease_timeout_ms=2401) == 1, "what is expected does not count any more"


def test_it_makes_each_change_a_version_with_who_and_why(world: World) -> None:
    assert change(world, prefetch=300, why="more at once") == 1
    assert change(world, after=1, prefetch=400, why="still more") == 2
    newest, first, delivered = parameters.versions(world.web)
    assert [(v.version, v.parameters.prefetch, v.why, v.by, v.source) for v in (newest, first)] == [
        (2, 400, "still more", "Dov", "page"), (1, 300, "more at once", "Dov", "page")]  # fmt: skip
    assert delivered == parameters.DEFAULTS and parameters.current(world.web) == newest
    events = world.all("SELECT person_id, detail FROM events WHERE kind = 'pipeline.settings_changed' ORDER BY id DESC LIMIT 2")
    assert [(e.person_id, e.detail) for e in events] == [
        (world.cast.dov.id, {"version": 2, "why": "still more"}), (world.cast.dov.id, {"version": 1, "why": "more at once"})]  # fmt: skip


def test_it_makes_no_version_of_no_change(world: World) -> None:
    assert change(world) == 0 and change(world, prefetch=300) == 1 and change(world, after=1) == 1
    assert len(parameters.versions(world.web)) == 2


@pytest.mark.parametrize("why", ["", "  \n "])
def test_it_asks_why(world: World, why: str) -> None:
    with pytest.raises(errors.Invalid, match="say why"):
        change(world, prefetch=300, why=why)


def test_it_tells_the_second_of_two_who_change_from_the_same_version(world: World) -> None:
    assert change(world, prefetch=300) == 1
    with pytest.raises(errors.SettingsChanged) as told:
        change(world, after=0, prefetch=500)
    assert told.value.facts == {"version": 1} and parameters.current(world.web).parameters.prefetch == 300


def test_it_lets_one_of_many_win_who_change_at_once(world: World) -> None:
    def attempt(n: int) -> int | None:
        try:
            return change(world, prefetch=300 + n)
        except errors.SettingsChanged:
            return None

    answers = at_once(8, attempt)
    assert sorted(str(a) for a in answers) == ["1", *["None"] * 7]
    assert world.one("SELECT count(*) FROM pipeline_settings") == 1


def test_it_needs_the_version_as_its_fence(world: World) -> None:
    change(world, prefetch=300)
    guard = "ON CONFLICT (version) DO NOTHING"
    params = {"version": 1, "settings": json.dumps(parameters.DEFAULTS.settings), "source": "file", "why": "w", "by": world.cast.dov.id}
    assert world.web.one("pipeline_settings/add", parameters._Added, **params) is None
    with without("pipeline_settings/add", guard), pytest.raises(errors.StatementFailed):
        world.web.one("pipeline_settings/add", parameters._Added, **params)


def test_it_keeps_every_version_for_good(world: World) -> None:
    change(world, prefetch=300)
    for role in (world.conninfos.web, world.conninfos.worker, world.conninfos.owner):
        for statement in ("UPDATE pipeline_settings SET why = 'other'", "DELETE FROM pipeline_settings", "TRUNCATE pipeline_settings"):
            with psycopg.connect(role) as connection, pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)):
                connection.execute(statement)


@pytest.mark.parametrize("new", [{"prefetch": "200"}, {"prefetch": 1.5}, {"prefetch": 0}, {"handlers": 65}, {"workers": 4}, {"lag_s": True}])
def test_it_reads_settings_strictly(new: dict[str, Any]) -> None:
    with pytest.raises(errors.Invalid) as told:
        parameters.validated(Parameters, new)
    assert [e.field for e in told.value.errors] == [*new]


# Signals


def test_it_counts_signals_by_the_minute_and_in_all(world: World) -> None:
    signals.note(world.web, "POISON_MESSAGE", "one", settings_version=0, trace_id="t-1", source_hash=b"\1" * 32)
    signals.note(world.web, "POISON_MESSAGE", "three more", settings_version=0, n=3)
    signals.note(world.web, "CONSUMER_LAG", "slow", settings_version=0)
    found = {s.code: s for s in signals.lately(world.web)}
    assert [*found] == [*signals.ADVICE]
    poison = found["POISON_MESSAGE"]
    assert (poison.n, poison.last_detail, poison.last_trace_id, poison.last_source_hash) == (4, "three more", "t-1", b"\1" * 32)
    assert (found["QUEUE_SATURATED"].n, found["QUEUE_SATURATED"].last_at) == (0, None)
    world.sql.execute("UPDATE pipeline_signals SET minute = minute - interval '25 hours', last_at = last_at - interval '25 hours'")
    signals.note(world.web, "POISON_MESSAGE", "today", settings_version=0)
    found = {s.code: s for s in signals.lately(world.web)}
    assert (found["POISON_MESSAGE"].n, found["CONSUMER_LAG"].n, found["CONSUMER_LAG"].last_detail) == (1, 0, "slow")
    assert {t.code: t.n for t in signals.totals(world.web)} == {"POISON_MESSAGE": 5, "CONSUMER_LAG": 1, "LEASE_EXPIRED": 0, "QUEUE_SATURATED": 0}


def test_it_counts_signals_that_are_given_at_once(world: World) -> None:
    at_once(8, lambda n: signals.note(world.web, "LEASE_EXPIRED", f"{n}", settings_version=0, n=2))
    assert {t.code: t.n for t in signals.totals(world.web)}["LEASE_EXPIRED"] == 16
    assert world.one("SELECT sum(n) FROM pipeline_signals") == 16


def test_it_fails_nobody_by_a_signal_that_can_t_be_counted(world: World) -> None:
    """What it tells of is done by then: a handler whose work is committed would be taken for one that failed."""
    with without("pipeline_signals/note", "pipeline_signal_totals", "pipeline_signals_elsewhere"):
        signals.note(world.web, "POISON_MESSAGE", "one", settings_version=0)
    assert {t.code: t.n for t in signals.totals(world.web)}["POISON_MESSAGE"] == 0


def test_it_says_a_signal_in_the_log_with_its_trace_and_settings(world: World) -> None:
    stream, root = io.StringIO(), logging.getLogger()
    handlers = root.handlers
    logs.configure(stream)
    signals.note(world.web, "QUEUE_SATURATED", "full", settings_version=7, trace_id="t-1", source_hash=b"\2" * 32)
    root.handlers = handlers
    [said] = [json.loads(line) for line in stream.getvalue().splitlines() if "QUEUE_SATURATED" in line]
    assert (said["trace_id"], said["source_hash"], said["settings_version"], said["detail"]) == ("t-1", "02" * 32, 7, "full")


def test_it_has_advice_for_every_signal() -> None:
    assert set(signals.ADVICE) == set(signals.Code.__args__) and all(advice.endswith(".") for advice in signals.ADVICE.values())


def test_it_tells_pools_at_work_from_those_that_fell_silent(world: World) -> None:
    pool(world, "a")
    pool(world, "b", ago="2 minutes")
    pool(world, "c", state="stopped")
    pool(world, "d", ago="25 hours")
    assert [(p.name, p.at_work, p.silent) for p in pools.lately(world.web)] == [("a", True, False), ("b", False, True), ("c", False, False)]


def test_it_gives_up_no_message_for_its_neighbours_fault() -> None:
    """A run that fails is counted as a whole; which of its messages it was shows in the next attempt, when each is tried alone."""
    with pytest.raises(errors.Invalid, match="max_attempts: must be at least 2"):
        validated(parameters.Parameters, {"max_attempts": 1})
