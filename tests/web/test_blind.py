"""B8: what waits for a second pair of eyes is told to nobody: every page, answer and download is the same whatever was proposed, and whoever proposed it."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pytest
from flask.testing import FlaskClient

from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.review import decisions, reconsiderations, tasks
from tests.flows.conftest import REASONS, LiveDesk
from tests.people import browser, program
from tests.web import atlas
from tests.web.reviewer import live  # noqa: F401 (fixtures)

# The same items, said otherwise and by others; as that could not happen, the triggers are off.
OTHERWISE = """
SET session_replication_role = replica;
UPDATE proposals SET verdict = 'reject', outcome = 'reject', reason_code = 'picture unreadable', note = 'Not so.', person_id = %(ben)s WHERE supersedes IS NULL;
UPDATE proposals SET outcome = 'reopen', reason_code = 'picture unreadable', note = 'Not so.', person_id = %(other)s WHERE supersedes IS NOT NULL;
UPDATE decisions d SET verdict = 'reject', reason_code = 'picture unreadable', note = 'Not so.', person_id = %(ben)s FROM proposals p WHERE d.task_id = p.task_id AND p.supersedes IS NULL;
UPDATE decisions d SET verdict = 'approve', reason_code = 'name differs', note = 'I do.' FROM approvals a WHERE d.task_id = a.task_id;
UPDATE tasks t SET votes = '{reject}' FROM proposals p WHERE t.id = p.task_id AND p.supersedes IS NULL;
UPDATE reconsiderations SET note = 'I should not have rejected it.';
UPDATE approvals SET moved_by = %(ben)s WHERE moved_by = %(ada)s;
UPDATE approvals SET moved_by = %(other)s WHERE moved_by = %(chi)s;
UPDATE events SET person_id = %(ben)s FROM approvals a WHERE events.item_id = a.item_id AND NOT a.overturns AND person_id = %(ada)s;
UPDATE events SET person_id = %(other)s FROM approvals a WHERE events.item_id = a.item_id AND a.overturns AND person_id = %(chi)s;
UPDATE assignments SET person_id = %(ben)s FROM approvals a WHERE assignments.item_id = a.item_id AND NOT a.overturns AND person_id = %(ada)s;
UPDATE tasks SET barred = array_replace(array_replace(barred, %(ada)s, %(ben)s), %(chi)s, %(other)s), seen_by = array_replace(seen_by, %(ada)s, %(ben)s)
  FROM approvals a WHERE tasks.item_id = a.item_id"""
OPENLY = ("/account", "/access-events", "/v1/access-events", "/people")  # who signed in, and who had an item open: never what they said
PSEUDONYM, BY_TIME = re.compile(r"\bp-[0-9a-f]{10}\b"), re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{32,64}\b|\d+(\.\d+)?( (min|h|s)\b)?")


@dataclass
class Pending:
    """Three items: a look waits, an overturn waits, and one was seen differently. `clients` by who asks; none of them touched any, but the holder."""

    desk: LiveDesk
    ids: dict[str, list[int]]
    other: Person
    clients: dict[str, tuple[str, FlaskClient, FlaskClient]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def pending(live: LiveDesk) -> Pending:
    project = live.project(skill="second", four_eyes=[{"verdict": "approve"}, {"verdict": "overturn"}])
    items = live.send(project, *({"case": f"case {n}"} for n in range(3)))
    who = {name: person(live, name) for name in ("lead 2", "lead 3", "reviewer 2", "reviewer 3", "reviewer 4")}
    for trusted in ("reviewer 2", "reviewer 3"):
        people.give_skill(live.web, person_id=who[trusted].id, skill="second", tier=2)
    said = live.decide(live.cast.ada, item_id=items[0], note="I see the seal.")
    reconsiderations.ask(live.web, decision_id=said, me=live.cast.ada.id, note="I should not have approved it.")
    stood = live.decide(live.cast.ada, item_id=items[1], verdict="reject")
    decisions.overturn(live.web, decision_id=stood, me=live.cast.chi.id, reason_code=REASONS[1], verdict="approve", note="It is there.")
    live.decide(live.cast.ada, item_id=items[2], note="I see the seal.")
    live.decide(who["reviewer 3"], item_id=items[2], verdict="reject", reason=REASONS[2], note="I do not.")
    assert tasks.claim(live.web, me=who["reviewer 2"].id, item_id=items[0])
    tables = {"assignment_id": "assignments", "decision_id": "decisions", "approval_id": "approvals", "batch_id": "batches", "skill_id": "skills"}
    ids = {name: [i for (i,) in live.execute(f"SELECT id FROM {table} ORDER BY id")] for name, table in tables.items()}
    made = Pending(live, {"item_id": items, "project_id": [project], **ids}, who["lead 3"])
    asking = {"lead": who["lead 2"], "holder": who["reviewer 2"], "reviewer": who["reviewer 4"], "operator": live.cast.dov, "customer": live.cast.eve}
    made.clients = {name: (one.role, browser(live.app, one), program(live.app, one)) for name, one in asking.items()}
    return made


def person(desk: LiveDesk, name: str) -> Person:
    return people.add(desk.web, name=name, email=f"{name.replace(' ', '')}@example.org", role=name.split(" ")[0])


def places(pending: Pending) -> list[tuple[str, frozenset[str]]]:
    """Every address that may be read, with the ids of this desk, and for whom; and what leads search for."""
    app, project = pending.desk.app, pending.ids["project_id"][0]
    with app.test_request_context("/"):
        found = [(path, a.roles) for a in atlas.addresses(app) if a.method == "GET" and a.roles for path in filled(pending, a)]
    said = [f"project={project}&reason={reason.replace(' ', '+')}" for reason in REASONS]
    asked = [*said, *(f"state={state}" for state in ("approval", "pending", "escalated", "settled"))]
    found += [(f"/v1/projects/{project}/outcomes?reason={reason.replace(' ', '+')}", frozenset({"lead"})) for reason in REASONS]
    return [*found, *((f"{page}?{ask}", frozenset({"lead"})) for page in ("/items", "/v1/items") for ask in asked)]


def filled(pending: Pending, address: atlas.Address) -> Iterator[str]:
    [rule] = [r for r in pending.desk.app.url_map.iter_rules(address.endpoint) if "GET" in (r.methods or ())]
    known = [name for name in rule.arguments if name in pending.ids]
    pattern = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
    others = {name: "x" if name == "name" else 1 for name in rule.arguments}
    yield from (pattern.format(**{**others, known[0]: value}) for value in pending.ids[known[0]]) if known else (address.path,)


def told(pending: Pending) -> dict[tuple[str, str], Counter[str]]:
    """What each of them is told at each address: its lines in any order, without numbers, which tell the time and how many."""
    said: dict[tuple[str, str], Counter[str]] = {}
    for name, (role, page, api) in pending.clients.items():
        for path, roles in places(pending):
            if role in roles and not path.startswith(OPENLY):
                answer = (api if path.startswith("/v1") else page).get(path)
                assert answer.status_code < 500 and not ("?" in path and answer.status_code != 200), (name, path, answer.status)
                said[name, path] = Counter(plain(line) for line in re.split(r"[\n,]", answer.get_data(as_text=True)))
    again = pending.clients["holder"][2].post("/v1/tasks/next", json={})
    return {**said, ("holder", "again"): Counter(plain(line) for line in again.get_data(as_text=True).split(","))}


def plain(line: str) -> str:
    return BY_TIME.sub("0", PSEUDONYM.sub("", line)).strip() + "".join(sorted(PSEUDONYM.findall(line)))


def test_no_overturn_is_offered_while_another_waits_for_its_second_pair_of_eyes(pending: Pending):
    waits = pending.ids["item_id"][1]
    page = browser(pending.desk.app, pending.desk.cast.chi).get(f"/items/{waits}").text
    assert "/overturn\"" not in page and "until a second pair of eyes has settled what waits" in page


def test_every_page_and_answer_is_the_same_whatever_was_proposed_and_by_whom(pending: Pending):
    cast = pending.desk.cast
    before = told(pending)
    assert len(before) > 250 and {name for name, _ in before} == set(pending.clients)
    with psycopg.connect(pending.desk.superuser, autocommit=True) as connection:
        for statement in OTHERWISE.split(";\n"):
            connection.execute(statement, {"ada": cast.ada.id, "ben": cast.ben.id, "chi": cast.chi.id, "other": pending.other.id})
    after = told(pending)
    tell = {where: [*(before[where] - after[where]), *(after[where] - before[where])][:4] for where in before if before[where] != after[where]}
    assert not tell
