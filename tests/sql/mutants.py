"""Deliberate faults: each takes one guard out of a statement, and those guards of the schema that would hide it. A race must notice each."""

from __future__ import annotations

from claimcheck.db import STATEMENTS

LAPSED = "<= (SELECT now FROM clock)"
MINE = " AND NOT %(me)s::int = ANY (t.closed_to)"
NO_CHECKS = """
ALTER TABLE assignments DROP CONSTRAINT assignments_ended_in_time, DROP CONSTRAINT assignments_expired_late;
DROP TRIGGER ended_once ON assignments; DROP TRIGGER ended_once ON tasks; DROP INDEX assignments_one_look;
ALTER TABLE decisions DROP CONSTRAINT decisions_assignment_id_key; CREATE INDEX ON decisions (assignment_id);
ALTER TABLE tasks DROP CONSTRAINT tasks_looks_within_wanted, DROP CONSTRAINT tasks_settled_by_all_looks;"""
HEAD_OFF = "ALTER TABLE partitions DROP CONSTRAINT partitions_head_promoted;"
NOBODY_TOUCHED = "CREATE OR REPLACE FUNCTION touched(of_item bigint, beside bigint) RETURNS int[] LANGUAGE sql AS $$ SELECT '{}'::int[] $$;"
ONE_OVERTURN_OFF = "DROP INDEX decisions_superseded_once;"

MUTANTS: dict[str, tuple[list[tuple[str, str, str]], str]] = {
    "I3 the fence is removed": (
        [
            ("decisions/submit", "WHERE token = %(lease_token)s::uuid AND person_id = %(me)s::int", "WHERE true"),
            ("decisions/submit", "WHERE fence.ended_at IS NULL AND t.ended_as IS NULL", "WHERE t.ended_as IS NULL"),
        ],
        NO_CHECKS,
    ),
    "I3 a heartbeat ignores expiry": ([("assignments/heartbeat", " AND lease.lease_expires > clock.now", "")], NO_CHECKS),
    "I1 a claim ignores expiry": (
        [
            ("tasks/claim", f"a.live_until {LAPSED}", "a.live_until <= 'infinity'"),
            ("tasks/claim", f"a.lease_expires {LAPSED}", "a.lease_expires <= 'infinity'"),
        ],
        NO_CHECKS,
    ),
    "I2 who has seen it is not asked": ([("tasks/claim", MINE, "")], NO_CHECKS),
    "I2 who has seen it is asked at the head only": (
        [("tasks/claim", f"AND t.state = 'pending'{MINE}  -- judged again on the locked row", "AND t.state = 'pending'")],
        NO_CHECKS,
    ),
    "I7 an expired look stays in seen_by": (
        [("tasks/claim", "array_remove(t.seen_by, lapsed_by) || %(me)s::int", "t.seen_by || %(me)s::int")],
        NO_CHECKS,
    ),
    "I7 a lapsed lease of one's own is not closed": (
        [("tasks/claim", f"AND a.ended_at IS NULL AND a.lease_expires {LAPSED}\n       FOR", "AND false\n       FOR")],
        "",
    ),
    "I7 the abandon limit is ignored": ([("tasks/claim", ", false) AS at_limit", ", false) AND false AS at_limit")], ""),
    "I8 the evidence is not compared": (
        [("decisions/submit", "t.evidence_hash = %(evidence_hash)s::bytea AS same_evidence", "true AS same_evidence")],
        "",
    ),
    "I9 a payout is left out": (
        [
            (
                "decisions/submit",
                "price_minor, currency FROM tally),\nraised",
                "price_minor, currency FROM tally WHERE random() < .9),\nraised",
            )
        ],
        "",
    ),
    "I11 the partition's head is unguarded": ([], HEAD_OFF),
    "I11 nobody is promoted": (
        [("decisions/submit", "SET waits = false FROM next WHERE n.id = next.id", "SET waits = true FROM next WHERE n.id = next.id")],
        HEAD_OFF,
    ),
    "I15 a second pair of eyes reads what was said": (
        [("looks/disputed", "WHERE held.kind = 'adjudication' OR EXISTS (SELECT FROM approvals p WHERE p.decider_id = held.task_id)", "WHERE true")],
        "",
    ),
    "I16 nobody is asked for a second look": (
        [("decisions/submit", "OR four_eyes IS NOT NULL AND comes_to", "OR false AND comes_to")],
        "DROP TRIGGER four_eyes ON decisions;",
    ),
    "I16 whose hands it was in is forgotten": ([], NOBODY_TOUCHED),
    "I18 looks are tallied from decisions": (
        [
            (
                "decisions/submit",
                "votes <@ ARRAY[%(vote)s::text]",
                "(SELECT COALESCE(array_agg(d.verdict), '{}') FROM decisions d WHERE d.task_id = task.id) <@ ARRAY[%(vote)s::text]",
            )
        ],
        "",
    ),
    "an outcome may be overturned twice": ([], ONE_OVERTURN_OFF),
    "the claim is not on record": (
        [
            (
                "tasks/claim",
                "WHERE e.assignment_id IS NOT NULL)\nSELECT",
                "WHERE e.assignment_id IS NOT NULL AND (closed_id IS NOT NULL OR random() < .9))\nSELECT",
            )
        ],
        "",
    ),
}


def statements(name: str) -> dict[str, str]:
    """The statements with one mutant's changes. Raises AssertionError where the text it changes is no longer there."""
    mutated: dict[str, str] = dict(STATEMENTS)
    for file, old, new in MUTANTS[name][0]:
        assert old in mutated[file], f"{name}: {file} no longer holds {old!r}"
        mutated[file] = mutated[file].replace(old, new)
    return mutated
