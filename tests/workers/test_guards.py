"""Each guard of the outbox is taken out in turn, and its test must fail: a test that can't is none."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from claimcheck import errors
from claimcheck.db import STATEMENTS
from tests.workers import test_outbox as tests
from tests.workers.stage import Stage

Check = Callable[[Stage], None]
MUTANTS: list[tuple[str, str, str, Check]] = [
    ("outbox/done", " AND lease = %(lease)s::uuid", " AND %(lease)s::uuid IS NOT NULL", tests.test_it_takes_nothing_from_a_lost_lease),
    ("outbox/done", " AND lease = %(lease)s::uuid", " AND %(lease)s::uuid IS NOT NULL AND state = 'leased'",
     tests.test_it_hands_a_lapsed_row_on_and_fences_the_first_worker_off),
    ("outbox/done", "UPDATE outbox n SET turn = true", "UPDATE outbox n SET turn = false", tests.test_it_hands_a_partitions_effects_out_in_order),
    ("outbox/done", "INSERT INTO applied (decision_id, effect_id) SELECT decision_id, effect_id FROM done", "SELECT 1",
     tests.test_it_applies_a_standing_with_its_applied_row),
    ("outbox/done", "CASE WHEN excluded.decision_id > s.decision_id THEN excluded.outcome ELSE s.outcome END", "excluded.outcome",
     tests.test_it_keeps_the_newer_decision_standing_whatever_is_applied_first),
    ("outbox/done", "e.id = done.effect_id AND e.failures > 0", "false", tests.test_it_lets_an_endpoint_rest_that_fails_again_and_again),
    ("outbox/lease", "AND (o.state = 'pending' OR o.lease_until <= clock_timestamp())", "", tests.test_it_gives_a_row_to_one_of_many),
    ("outbox/lease", "o.ring_for IS NOT NULL AND", "o.state <> 'dead' AND", tests.test_it_hands_a_partitions_effects_out_in_order),
    ("outbox/lease", "AND o.due <= clock_timestamp()", "", tests.test_it_waits_for_a_failed_rows_time),
    ("outbox/lease", "(e.kind = 'standing' OR CASE", "(true OR CASE", tests.test_it_bounds_what_is_in_flight_to_one_endpoint),
    ("outbox/lease", "AND (e.rest_until IS NULL OR e.rest_until <= clock_timestamp())", "",
     tests.test_it_lets_an_endpoint_rest_that_fails_again_and_again),
    ("outbox/lease", "e.switched_off IS NULL AND", "", tests.test_it_switches_an_effect_off_that_is_gone),
    ("outbox/lease", "o.attempts >= %(attempts)s::int AS spent", "%(attempts)s::int < 0 AS spent", tests.test_it_buries_a_row_that_kills_each_worker),
    ("outbox/ring", "- (SELECT count(*) FROM outbox l WHERE l.leased_for = e.id AND l.lease_until > (SELECT clock_timestamp()))", "",
     tests.test_it_bounds_what_is_in_flight_to_one_endpoint),
    ("outbox/ring", "2 ^ least(o.unanswered, 4)", "1", tests.test_it_rings_again_for_what_nobody_came_for_ever_more_slowly),
    ("outbox/ring", "LIMIT greatest(0,", "LIMIT greatest(99,", tests.test_it_bounds_what_is_in_flight_to_one_endpoint),
    ("outbox/failed", "o.attempts >= %(attempts)s::int", "%(attempts)s::int < 0", tests.test_it_gives_up_after_three_days_or_the_last_attempt),
    ("outbox/failed", "o.first_tried <= clock_timestamp() - %(hours)s::int", "o.created_at <= clock_timestamp() - %(hours)s::int",
     tests.test_it_counts_the_three_days_from_the_first_attempt),
    ("outbox/failed", "greatest(%(retry_after)s::float8,", "greatest(least(1, %(retry_after)s::float8),",
     tests.test_it_lets_an_endpoint_rest_for_as_long_as_it_asks),
    ("outbox/retry", "first_tried = NULL,", "", tests.test_it_counts_the_three_days_from_the_first_attempt),
    ("outbox/skip", "AND o.turn AND", "AND", tests.test_it_holds_a_partition_behind_a_dead_effect_until_it_is_retried_or_skipped),
    ("outbox/skip", "o.state IN ('pending', 'dead')", "o.state IN ('pending', 'dead', 'leased')", tests.test_it_wants_a_reason_for_a_skip),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "guard", "weakened", "check"), MUTANTS, ids=[f"{m[0]}-{n}" for n, m in enumerate(MUTANTS)])
def test_it_notices_a_missing_guard(stage: Stage, monkeypatch: pytest.MonkeyPatch, statement: str, guard: str, weakened: str, check: Check) -> None:
    assert STATEMENTS[statement].count(guard) == 1, "the guard is written differently now"
    monkeypatch.setitem(STATEMENTS, statement, STATEMENTS[statement].replace(guard, weakened))
    with pytest.raises((AssertionError, errors.Error, psycopg.Error, pytest.fail.Exception)):
        check(stage)


@pytest.fixture
def unguarded(stage: Stage) -> Stage:
    """Without the CHECK that refuses a lost turn. The module's database is the test's own."""
    stage.run("ALTER TABLE partitions DROP CONSTRAINT partitions_turn_given")
    return stage


def test_it_loses_a_turn_where_the_server_does_not_refuse_it(unguarded: Stage) -> None:
    with pytest.raises(AssertionError):
        for _ in range(10):
            unguarded.clear()
            tests.test_it_never_leaves_a_partition_without_a_turn(unguarded)
