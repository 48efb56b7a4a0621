"""The control room: each figure is the one that the append-only tables give, and the page shows it."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from claimcheck import projects
from claimcheck.access import people
from claimcheck.approvals import standing
from claimcheck.control import counting, figures
from claimcheck.web.control import as_said
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.busy import Busy
from tests.web.reviewer import live  # noqa: F401 (fixtures)

TODAY = "(now() AT TIME ZONE 'UTC')::date"
# What each figure is, computed anew from decisions, events, assignments' ends and the items themselves, by no statement of the desk.
ARRIVED = """SELECT i.project_id, count(DISTINCT e.item_id) FROM events e JOIN items i ON i.id = e.item_id AND NOT i.gold
              WHERE e.kind = 'evidence.published' GROUP BY 1"""
SETTLED = "SELECT project_id, count(*) FROM decisions WHERE outcome IS NOT NULL AND verdict IS DISTINCT FROM 'overturn' GROUP BY 1"
REOPENED = "SELECT project_id, count(*) FROM decisions WHERE verdict = 'overturn' AND outcome = 'reopen' GROUP BY 1"
BORN = """SELECT i.id AS item_id, i.project_id, i.queue, NULL::bigint AS task_id FROM items i WHERE EXISTS (SELECT FROM events e WHERE e.item_id = i.id AND e.kind = 'evidence.published')
          UNION ALL SELECT item_id, project_id, detail ->> 'queue', task_id FROM events WHERE kind = 'task.moved'"""
# a task is over that was decided, escalated, disputed, abandoned or returned: every raised task and every outcome ends one, but for a re-opening
OVER = """SELECT project_id, count(*) FROM (
            SELECT project_id FROM events WHERE kind = 'task.moved' AND detail ->> 'because' <> 'reopened'
             UNION ALL SELECT project_id FROM decisions WHERE outcome IS NOT NULL AND verdict IS DISTINCT FROM 'overturn') o GROUP BY 1"""
# of several looks each has a lease of its own, and one of them counts
LEASES = """SELECT least(6, (SELECT count(*) FILTER (WHERE c.kind = 'assignment.claimed') - greatest(count(*) FILTER (WHERE c.kind = 'assignment.submitted') - 1, 0)
                               FROM events c WHERE c.task_id = o.task_id)), count(*)
              FROM (SELECT DISTINCT a.task_id FROM events a WHERE a.kind = 'assignment.submitted' AND a.detail ? 'ended_as'
                     UNION SELECT (detail ->> 'from')::bigint FROM events WHERE kind = 'task.moved' AND detail ->> 'because' <> 'reopened') o
             WHERE EXISTS (SELECT FROM events c WHERE c.kind = 'assignment.claimed' AND c.task_id = o.task_id) GROUP BY 1"""
# a second look, and the lead's between two, are about the same outcome as what was proposed
ROUND = """WITH RECURSIVE again AS (SELECT (detail ->> 'from')::bigint AS was, task_id FROM events WHERE kind = 'task.moved' AND detail ->> 'because' IN ('four_eyes', 'seen_differently')),
             round AS (SELECT DISTINCT task_id, task_id AS of FROM events WHERE task_id IS NOT NULL UNION SELECT again.was, round.of FROM round JOIN again ON again.task_id = round.task_id)"""
REASONS = f"""{ROUND} SELECT e.task_id, d.reason_code, d.verdict, d.id, EXISTS (SELECT FROM decisions o JOIN decisions s ON s.id = o.supersedes JOIN round r ON r.of = s.task_id
                      WHERE r.task_id = d.task_id AND s.verdict = d.verdict) AS undone, p.name
               FROM events e JOIN decisions d ON d.id = e.decision_id JOIN people p ON p.id = e.person_id WHERE e.kind = 'assignment.submitted'"""

# asked, and neither resolved nor voided since; for leads are those that were seen differently
WAITING = """SELECT project_id, count(*), count(*) FILTER (WHERE different), min(at) FROM (
               SELECT a.project_id, a.at, EXISTS (SELECT FROM events e WHERE e.kind = 'approval.rejected' AND e.detail -> 'approval' = a.detail -> 'approval') AS different
                 FROM events a WHERE a.kind = 'approval.asked'
                  AND NOT EXISTS (SELECT FROM events e WHERE e.kind IN ('approval.resolved', 'approval.voided') AND e.detail -> 'approval' = a.detail -> 'approval')
                  AND NOT EXISTS (SELECT FROM events e WHERE e.kind = 'project.cancelled' AND e.project_id = a.project_id)) w GROUP BY 1 ORDER BY 4"""


@pytest.fixture(scope="module")
def busy(live: LiveDesk) -> Busy:
    busy = Busy(live)
    busy.run(70)
    seen_again(busy)
    count(live)
    return busy


def seen_again(busy: Busy) -> None:
    """Two proposals become outcomes, one as its second look says the same, one by a lead after it said something else; both are overturned."""
    desk, cast = busy.desk, busy.desk.cast
    busy.projects.append(desk.project(name="Seen again", skill="again", four_eyes=[{"verdict": "approve"}]))
    people.give_skill(desk.web, person_id=cast.ben.id, skill="again", tier=2)
    alike, other = items = desk.send(busy.projects[-1], {"n": 1}, {"n": 2})
    looks = [(cast.ada, alike, "approve"), (cast.ben, alike, "approve"), (cast.ada, other, "approve"), (cast.ben, other, "reject"), (cast.chi, other, "approve")]
    for person, item, verdict in looks:
        desk.decide(person, item_id=item, verdict=verdict, note="why")
    for item in items:
        [[outcome]] = desk.execute("SELECT id FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item)
        assert busy.chi.post(f"/v1/decisions/{outcome}/overturn", {"reason_code": "name differs", "note": "wrong", "reopen": True}).status_code == 201


def count(desk: LiveDesk) -> None:
    counting.run(desk.worker, seconds=0, hourly=0)


def by(desk: LiveDesk, statement: str) -> dict[Any, Any]:
    return {row[0]: row[1] for row in desk.execute(statement) if row[1]}


def summed(rows: list[figures.Hour], name: str) -> int:
    return sum(getattr(row, name) for row in rows)


@pytest.mark.parametrize(("name", "statement"), [("arrived", ARRIVED), ("settled", SETTLED), ("reopened", REOPENED)])
def test_it_counts_what_came_and_went(busy: Busy, name: str, statement: str):
    truth = by(busy.desk, statement)
    counted = {p: summed(figures.hours(busy.desk.web, project_id=p), name) for p in busy.projects}
    assert {p: n for p, n in counted.items() if n} == truth and sum(truth.values()) == summed(figures.hours(busy.desk.web), name) > 0


def test_it_counts_what_is_open_in_each_project_as_the_facts_say(busy: Busy):
    born = by(busy.desk, f"SELECT project_id, count(*) FROM ({BORN}) b GROUP BY 1")
    over = by(busy.desk, OVER)
    queues = figures.queues(busy.desk.web)
    open_now = {p: sum(q.pending + q.held + q.blocked + q.paused for q in queues if q.project_id == p) for p in busy.projects}
    assert open_now == {p: born[p] - over.get(p, 0) for p in busy.projects} and sum(open_now.values()) > 5
    assert {p: figures.hours(busy.desk.web, project_id=p)[-1].open for p in busy.projects} == open_now
    assert figures.hours(busy.desk.web)[-1].open == sum(open_now.values()) == figures.desk(busy.desk.web).open
    held = busy.desk.execute(
        "SELECT count(*) FROM events c WHERE c.kind = 'assignment.claimed' AND NOT EXISTS (SELECT FROM events e WHERE e.assignment_id = c.assignment_id AND e.id > c.id)"
    )
    assert sum(q.held for q in queues) <= held[0][0]
    assert sum(q.blocked for q in queues) == 0
    oldest = busy.desk.execute("SELECT min(created_at) FROM tasks WHERE state = 'pending'")[0][0]
    assert min(q.oldest for q in queues if q.oldest) == oldest


def test_it_counts_the_leases_of_what_ended(busy: Busy):
    truth = by(busy.desk, LEASES)
    counted: dict[int, int] = {}
    for row in figures.leases(busy.desk.web):
        counted[row.leases] = counted.get(row.leases, 0) + row.tasks
    automatic = counted.pop(0, 0)
    assert counted == truth and max(truth) > 1 and automatic == 0


def test_it_counts_reasons_and_load_look_by_look(busy: Busy):
    looks = busy.desk.execute(REASONS)
    said = busy.desk.web.all("control/reasons", figures.Said, project_id=0, weeks=4, limit=50)
    told: dict[tuple[str, str], list[int]] = {}
    for row in said:
        one = told.setdefault((row.reason_code, row.said), [0, 0])
        one[0], one[1] = one[0] + row.looks, one[1] + row.overturned
    truth: dict[tuple[str, str], list[int]] = {}
    for _, reason, verdict, _, undone, _ in looks:
        one = truth.setdefault((reason, verdict), [0, 0])
        one[0], one[1] = one[0] + 1, one[1] + undone
    assert told == truth and sum(n for _, n in truth.values()) > 0
    load = {one.person: one for one in figures.load(busy.desk.web)}
    for person in ("Ada", "Ben", "Chi"):
        assert load[person].total("looks") == sum(look[5] == person for look in looks)
        assert load[person].total("overturned") == sum(look[4] for look in looks if look[5] == person)
        left = "SELECT count(*) FROM events e JOIN people p ON p.id = e.person_id WHERE p.name = %s AND e.kind IN ('assignment.released', 'assignment.expired')"
        assert load[person].left == busy.desk.execute(left, person)[0][0]
    seconds = busy.desk.execute(
        "SELECT sum(extract(epoch FROM e.at - c.at))::float8 FROM events e JOIN events c ON c.assignment_id = e.assignment_id AND c.kind = 'assignment.claimed' WHERE e.kind = 'assignment.submitted'"
    )[0][0]
    assert sum(day.seconds for one in load.values() for day in one.days) == pytest.approx(seconds, abs=0.5)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("approve", "approve"),
        ('["glass", "dent"]', "glass, dent"),
        ("[]", "none of them"),
        ('"left"', "left"),
        ("4", "4"),
        ('["a long one that is cut o', '["a long one that is cut o'),
    ],
)
def test_what_a_look_said_is_told_without_its_json(kept: str, told: str):
    assert as_said(kept) == told


def test_it_counts_what_is_not_applied_and_what_was_refused(busy: Busy):
    desk = figures.desk(busy.desk.web)
    unapplied = """SELECT count(*), min(d.created_at) FROM decisions d WHERE d.outcome IS NOT NULL AND EXISTS (SELECT FROM effects e WHERE e.project_id = d.project_id
                     AND CASE WHEN d.verdict = 'overturn' THEN 'overturn' ELSE d.outcome END = ANY (e.on_outcomes)
                     AND NOT EXISTS (SELECT FROM applied a WHERE a.decision_id = d.id AND a.effect_id = e.id))"""
    [(n, oldest)] = busy.desk.execute(unapplied)
    assert desk.unapplied == n > 0 and abs((desk.oldest_unapplied - oldest).total_seconds()) < 1
    letters = by(
        busy.desk, "SELECT code, count(*) FROM dead_letters d WHERE NOT EXISTS (SELECT FROM dead_letter_replays r WHERE r.dead_letter_id = d.id) GROUP BY 1"
    )
    assert desk.letters == letters and sum(letters.values()) == 3


def test_it_counts_once_whoever_counts_and_whatever_is_killed(busy: Busy):
    """Four workers at once, and one whose commit never came: nothing is counted twice, nothing is left out."""
    before = figures.hours(busy.desk.web)
    with psycopg.connect(busy.desk.superuser) as killed:  # rolled back at the end, as by a kill
        killed.execute("UPDATE control_marks SET counted_at = NULL")
        killed.rollback()
    with busy.desk.worker.connection() as connection:
        connection.raw.execute("BEGIN")
        connection.run("control/mark", name="decisions", next_to=10**6)
        connection.raw.execute("ROLLBACK")
    for _ in range(6):
        busy.act(busy.ada)
    threads = [threading.Thread(target=count, args=(busy.desk,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count(busy.desk)
    after = figures.hours(busy.desk.web)
    assert summed(after, "settled") == sum(by(busy.desk, SETTLED).values()) >= summed(before, "settled")
    assert summed(after, "arrived") == summed(before, "arrived")


SKIP = "INSERT INTO events (kind, person_id) VALUES ('assignment.skipped', %s)"


def test_it_waits_for_whoever_is_late_with_a_lower_number(busy: Busy, monkeypatch: pytest.MonkeyPatch):
    """An event that is written first and committed last is not passed over; without the wait it would be."""
    desk, chi = busy.desk, busy.desk.cast.chi.id
    monkeypatch.setattr(counting, "PATIENCE", 0.05)
    with psycopg.connect(desk.superuser) as late:
        late.execute(SKIP, [chi])
        desk.execute(SKIP, chi)
        count(desk)
        assert skipped(desk) == 0, "the newest is not read while an older one is open"
        late.commit()
    count(desk)
    assert skipped(desk) == 2
    with monkeypatch.context() as careless, psycopg.connect(desk.superuser) as late:
        careless.setattr(counting.transactions, "await_writers", lambda *tables, patience: True)
        late.execute(SKIP, [chi])
        desk.execute(SKIP, chi)
        count(desk)
        late.commit()
        count(desk)
    assert skipped(desk) == 3, "this test would see it"


def test_it_waits_for_whoever_drew_a_number_and_has_written_nothing_yet(busy: Busy, monkeypatch: pytest.MonkeyPatch):
    """Between its number and its row a transaction has no number of its own that a snapshot could know it by."""
    desk, chi, before = busy.desk, busy.desk.cast.chi.id, skipped(busy.desk)
    monkeypatch.setattr(counting, "PATIENCE", 0.05)
    with psycopg.connect(desk.superuser) as gate, psycopg.connect(desk.superuser) as late:
        gate.execute("SELECT pg_advisory_lock(255)")
        slow = "INSERT INTO events (kind, person_id) VALUES ('assignment.skipped', CASE WHEN pg_advisory_xact_lock(255)::text = '' THEN %s::int END)"
        writing = threading.Thread(target=lambda: (late.execute(slow, [chi]), late.commit()))
        writing.start()
        while not desk.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 255 AND NOT granted"):
            assert writing.is_alive()
        desk.execute(SKIP, chi)
        count(desk)
        gate.execute("SELECT pg_advisory_unlock(255)")
        writing.join()
    count(desk)
    assert skipped(desk) == before + 2


def skipped(desk: LiveDesk) -> int:
    return next(one.total("skipped") for one in figures.load(desk.web) if one.person == "Chi")


def test_it_shows_its_figures_and_who_may_see_them(busy: Busy):
    desk = busy.desk
    for person in (desk.cast.chi, desk.cast.dov):
        client = browser(desk.app, person)
        for address in ("/control", "/control/now", "/control/work", "/control/health", f"/control?project={busy.projects[0]}", "/control?project=٥"):
            answer = client.get(address)
            assert answer.status_code == 200, (person.name, address)
    assert [browser(desk.app, p).get("/control").status_code for p in (desk.cast.ada, desk.cast.eve)] == [403, 403]


def test_it_tells_what_waits_for_a_second_pair_of_eyes_as_the_facts_say(live: LiveDesk):
    one, other, gone = ({p: live.send(p, *({"n": n} for n in range(4)))} for p in (live.project(skill="eyes", four_eyes=[{}]) for _ in range(3)))
    people.give_skill(live.web, person_id=live.cast.ben.id, skill="eyes", tier=2)
    given = {**one, **other, **gone}
    for items in given.values():
        for item in items:
            live.decide(live.cast.ada, item_id=item)
    [(first, items), (second, others), (third, _)] = given.items()
    live.decide(live.cast.ben, item_id=items[0])
    live.decide(live.cast.ben, item_id=items[1], verdict="reject")
    live.new_version(others[3], {"n": "changed"})
    projects.cancel(live.web, project_id=third, me=live.cast.chi.id)
    waiting = standing.waiting(live.web)
    assert [(w.project_id, w.waiting, w.for_leads) for w in waiting] == [(first, 3, 1), (second, 3, 0)]
    truth = live.execute(WAITING)
    assert [(w.project_id, w.waiting, w.for_leads) for w in waiting] == [row[:3] for row in truth]
    assert all(abs((w.oldest - row[3]).total_seconds()) < 1 for w, row in zip(waiting, truth, strict=True))
    chi = browser(live.app, live.cast.chi)
    for project, shown, link in ((0, 6, "/approvals"), (second, 3, f"/approvals?project_id={second}")):
        page = chi.get(f"/control/now?project={project}").text
        assert f"<dt>Waiting for approval</dt><dd>{shown}</dd>" in page and f'href="{link}"' in page
    assert "/approvals" not in browser(live.app, live.cast.dov).get("/control/now").text
