"""What a pool's process looks after: how far behind it is, and the settings that it works by."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from claimcheck import errors, logs
from claimcheck.intake import inbox, parameters, signals, watching
from tests import pipeline
from tests.intake import World, eventually


@pytest.fixture(autouse=True)
def fresh(world: World) -> None:
    """No version, no pool, no signal, nothing in the inbox."""
    world.sql.execute("ALTER TABLE pipeline_settings DISABLE TRIGGER append_only")
    world.sql.execute("DELETE FROM pipeline_settings")
    world.sql.execute("ALTER TABLE pipeline_settings ENABLE TRIGGER append_only")
    for table in ("pipeline_workers", "pipeline_signals"):
        world.sql.execute(f"DELETE FROM {table}")
    pipeline.clear(world)


@contextmanager
def hearing() -> Iterator[list[dict[str, Any]]]:
    """The log's lines; they are there once the block has ended."""
    stream, root, said = io.StringIO(), logging.getLogger(), list[dict[str, Any]]()
    handlers = root.handlers
    logs.configure(stream)
    try:
        yield said
    finally:
        root.handlers = handlers
        said += [json.loads(line) for line in stream.getvalue().splitlines()]


def put(world: World, version: int, **settings: int) -> None:
    """A version comes into force past `parameters.change`, as one does that was safe when it was made."""
    world.sql.execute(
        "INSERT INTO pipeline_settings (version, settings, source, why, created_by) VALUES (%s, %s, 'page', 'a test', %s)",
        [version, Jsonb(parameters.DEFAULTS.settings | settings), world.cast.dov.id],
    )


def measure(world: World, p99_ms: float) -> None:
    """A pool elsewhere says what its handlers take."""
    world.sql.execute("DELETE FROM pipeline_workers")
    world.sql.execute(
        "INSERT INTO pipeline_workers (name, source, settings_version, state, measured, p99_ms, seen_at) "
        "VALUES ('slow', 'inbox', 0, 'running', 1000, %s, clock_timestamp() + interval '1 hour')", [p99_ms],
    )  # fmt: skip


def lagged(world: World) -> Any:
    """How often CONSUMER_LAG was given, and what it said last."""
    return next(signal for signal in signals.lately(world.web) if signal.code == "CONSUMER_LAG")


def test_it_says_how_far_behind_it_is_until_it_no_longer_is(world: World) -> None:
    project, impatient, patient = world.project(), pipeline.settings(lag_s=1), pipeline.settings(lag_s=3_600)
    pipeline.send(world, project, "lag old", "lag new")
    with hearing() as said:
        eventually(lambda: watching.lag(world.web, impatient))
        assert not watching.lag(world.web, patient), "older than it is allowed to be, not old"
    oldest = inbox.oldest(world.web)
    assert oldest is not None and oldest.message_id == world.one("SELECT id FROM messages WHERE idempotency_key = 'lag old'")
    assert (lagged(world).n, lagged(world).last_trace_id, lagged(world).last_source_hash) == (1, oldest.trace_id, oldest.source_hash)
    [line] = [line for line in said if line["event"] == "CONSUMER_LAG"]
    assert (line["trace_id"], line["source_hash"], line["settings_version"]) == (oldest.trace_id, oldest.source_hash.hex(), impatient.version)
    assert line["detail"].startswith(f"message {oldest.message_id} has waited ") and line["detail"].endswith("lag_s is 1")
    pipeline.handle(world, pipeline.pull(world))
    assert not watching.lag(world.web, impatient) and lagged(world).n == 1


def test_it_is_not_behind_where_nothing_waits(world: World) -> None:
    assert not watching.lag(world.web, pipeline.settings(lag_s=1))


def test_it_keeps_a_version_out_that_is_not_safe_and_goes_on_with_the_one_it_has(world: World) -> None:
    put(world, 1, lease_timeout_ms=5_000)
    in_force = watching.InForce(world.web)
    measure(world, 3_000)
    put(world, 2, lease_timeout_ms=2_500)
    with hearing() as said:
        for _ in range(3):
            in_force.look()
    assert in_force().version == 1 and in_force().parameters.lease_timeout_ms == 5_000
    [line] = [line for line in said if line["event"] == "the settings are not safe"]
    assert (line["version"], line["settings_version"]) == (2, 1) and "2500" in line["detail"] and "3000" in line["detail"], "once, with the numbers"


def test_it_takes_a_version_up_once_it_is_safe(world: World) -> None:
    put(world, 1, lease_timeout_ms=5_000)
    in_force = watching.InForce(world.web)
    measure(world, 3_000)
    put(world, 2, lease_timeout_ms=2_500)
    in_force.look()
    with hearing() as said:
        measure(world, 2_000)
        in_force.look()
        in_force.look()
    [line] = [line for line in said if line["event"] == "settings changed"]
    assert in_force().version == 2 and (line["before"], line["settings_version"]) == (1, 2)


def test_it_tells_of_the_version_in_force_that_is_no_longer_safe(world: World) -> None:
    """What the handlers measure may make it so; nobody but people can tell what to do about it."""
    put(world, 1, lease_timeout_ms=5_000)
    in_force = watching.InForce(world.web)
    measure(world, 6_000)
    with hearing() as said:
        in_force.look()
        in_force.look()
        measure(world, 4_000)
        in_force.look()
        measure(world, 7_000)
        in_force.look()
    assert [line["detail"].count("6000") for line in said if line["event"] == "the settings are not safe"] == [1, 0], "again, once it was safe meanwhile"
    assert in_force().version == 1


def test_it_does_not_begin_with_a_version_that_is_not_safe(world: World) -> None:
    put(world, 1, lease_timeout_ms=2_500)
    measure(world, 3_000)
    with pytest.raises(errors.Invalid, match=r"2500.*3000"):
        watching.InForce(world.web)


Guard = tuple[Any, str, Any, Any]
GUARDS: list[Guard] = [
    (parameters, "check", lambda *_: None, test_it_keeps_a_version_out_that_is_not_safe_and_goes_on_with_the_one_it_has),
    (parameters, "check", lambda *_: None, test_it_does_not_begin_with_a_version_that_is_not_safe),
    (parameters, "measured_p99_ms", lambda _: None, test_it_tells_of_the_version_in_force_that_is_no_longer_safe),
    (watching.InForce, "look", lambda _: None, test_it_takes_a_version_up_once_it_is_safe),
    (watching, "lag", lambda db, settings: inbox.oldest(db) is not None, test_it_says_how_far_behind_it_is_until_it_no_longer_is),
    (signals, "note", lambda *_, **__: None, test_it_says_how_far_behind_it_is_until_it_no_longer_is),
]


@pytest.mark.parametrize(("module", "name", "instead", "test"), GUARDS, ids=[f"{g[1]} {g[3].__name__}"[:50] for g in GUARDS])
def test_it_would_notice_a_missing_guard(world: World, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, instead: Any, test: Any) -> None:
    monkeypatch.setattr(module, name, instead)
    with pytest.raises((AssertionError, pytest.fail.Exception, ValueError)):
        test(world)
