"""One thing that a desk may be full of, beside the same desk without it: live leases, a hot partition, own looks."""

from __future__ import annotations

from contextlib import ExitStack

from bench import ground
from bench.figures import Part, over, spread
from bench.load import HASH, Floor
from bench.sides import WARM, Rounds, Step, claim, in_turn, look, open_side
from claimcheck.embedded.postgres import Postgres
from claimcheck.review import tasks

ONE, OTHER = 3, 6  # reviewers; with a single skill in the database everybody works in one lane

HOT = """
INSERT INTO partitions (project_id, key, accepted_no, last_no, promoted_no) VALUES (1, 'hot', {n}, {n}, 1);
UPDATE items SET partition_id = 1, partition_no = id WHERE id <= {n};
UPDATE tasks SET partition_id = 1, partition_no = id, waits = id > 1 WHERE id <= {n};
"""
MINE = f"""
UPDATE tasks SET wanted = 3;
UPDATE tasks SET seen_by = ARRAY[{ONE}], votes = ARRAY['approve'], lease_count = 1 WHERE id <= {{n}};
INSERT INTO assignments (task_id, item_id, person_id, lane_id, lease_no, evidence_version, evidence_hash, claimed_at, lease_seconds, idle_seconds, hold_until, lease_expires,
                         may_be_last, ended_at, end_reason)
SELECT n, n, {ONE}, 1, 1, 1, {HASH}, clock_timestamp() - interval '2 days', 1800, 300, clock_timestamp(), clock_timestamp() - interval '1 day', false,
       clock_timestamp() - interval '1 day', 'submitted' FROM generate_series(1, {{n}}) n;
INSERT INTO decisions (item_id, task_id, assignment_id, project_id, project_version, person_id, verdict, evidence_version, shown_version, evidence_hash, reason_code)
SELECT task_id, task_id, id, 1, 1, {ONE}, 'approve', 1, 1, {HASH}, 'ok' FROM assignments WHERE person_id = {ONE} AND end_reason = 'submitted';
"""
NONE_MINE = "UPDATE tasks SET wanted = 3"
EVEN = ("VACUUM (FULL, ANALYZE) tasks", "VACUUM ANALYZE")  # no side is the one whose rows were just moved


def leases(rounds: int = 5, times: int = 100, live: int = 50_000) -> Part:
    """Live leases in the reviewer's own lane beside none: claim, heartbeat, submit."""
    part = _part("leases", "no live lease", f"{live:,} live leases")
    with ground.server() as postgres, ExitStack() as stack:
        floors = [Floor(pending=10_000, live=n, skills=1, abandon_limit=32_000) for n in (0, live)]
        webs = [stack.enter_context(ground.database(postgres, floor, waits_for_disk=False))[1] for floor in floors]
        _compare(part, _measure(webs, ONE, look, rounds, times), {"claim": 1.2, "heartbeat": 1.2, "submit": 1.2})
    return part


def partition(rounds: int = 5, times: int = 100, size: int = 10_000) -> Part:
    """A partition at the head of the lane, only its oldest item open: its submits, and claims of others while that item is held."""
    part = _part("partition", "no partition", f"a partition of {size:,}")
    assert size > (rounds * times + WARM), "the partition would be used up"
    with ground.server() as postgres, ExitStack() as stack:
        webs = _twins(stack, postgres, Floor(pending=10_000 + size, skills=1, abandon_limit=32_000), HOT.format(n=size))
        _compare(part, _measure(webs, OTHER, look, rounds, times), {"submit": 8.0}, " that opens the next item")
        held = [_hold(web, OTHER) for web in webs]
        _compare(part, _measure(webs, ONE, claim, rounds, times), {"claim": 1.3}, " while the open item is held")
    assert len(set(held)) == 1, "both sides hold the item of the same place"
    return part


def looks(rounds: int = 5, times: int = 100, mine: int = 1_000) -> Part:
    """Items at the head of the lane that the reviewer has looked at and that wait for others, beside none."""
    part = _part("looks", "no look of one's own", f"{mine:,} looks of one's own")
    with ground.server() as postgres, ExitStack() as stack:
        webs = _twins(stack, postgres, Floor(pending=20_000, skills=1, abandon_limit=32_000), MINE.format(n=mine), NONE_MINE)
        _compare(part, _measure(webs, ONE, claim, rounds, times), {"claim": 5.0})
    return part


def _part(name: str, without: str, having: str) -> Part:
    return Part(name, ["what", f"{without}, p50 / p99 ms", f"{having}, p50 / p99 ms", "p50 ×", "p99 ×"])


def _twins(stack: ExitStack, postgres: Postgres, floor: Floor, altered: str, same: str = "SELECT 1") -> list[str]:
    """The web's conninfo of two databases with the same floor, the second one altered."""
    webs = []
    for script in (same, altered):
        superuser, web = stack.enter_context(ground.database(postgres, floor, waits_for_disk=False))
        ground.run(superuser, *filter(str.strip, script.split(";")), *EVEN)
        webs.append(web)
    return webs


def _hold(web: str, me: int) -> int:
    """Takes the head of the lane, and keeps it; the task."""
    side = open_side(web, me)
    claimed = tasks.claim(side.db, me=me)
    side.db.close()
    assert claimed is not None
    return claimed.task_id


def _measure(webs: list[str], me: int, step: Step, rounds: int, times: int) -> Rounds:
    sides = [open_side(web, me) for web in webs]
    found = in_turn(sides, step, rounds, times)
    for side in sides:
        side.db.close()
    return found


def _compare(part: Part, found: Rounds, targets: dict[str, float], when: str = "") -> None:
    for what, most in targets.items():
        without, having = ((found.p50[n, what], found.p99[n, what]) for n in (0, 1))
        p50, p99 = over(having[0], without[0]), over(having[1], without[1])
        shown = (" / ".join(map(spread, side)) for side in (without, having))
        part.row(f"{what}{when}", *shown, spread(p50), spread(p99))
        part.goal(f"{what}{when}, p50", p50, most=most)
