"""No reveal without an access event: every address that can show a payload is named here, and shows no byte where the event can't be kept."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from claimcheck import projects, rules, versions
from claimcheck.access import access_events
from claimcheck.intake import batches, dead_letters
from claimcheck.review import tasks
from claimcheck.review.tasks import Claim
from tests.flows.conftest import LiveDesk
from tests.intake import without
from tests.people import browser, program
from tests.web.reviewer import live  # noqa: F401 - a fixture

OPEN, IBAN, FILE, PAGE, REFUSED = (f"canary-{name}-7d2f" for name in ("open", "iban", "file", "page", "refused"))
CANARIES = (OPEN, IBAN, FILE, PAGE, REFUSED)
WHY = "needed to decide"
RULES = {"title": "case", "masked": ["holder.iban", "secret.txt"], "reason_codes": ["fine"]}


def file(name: str, content_type: str, text: str) -> dict[str, str]:
    return {"name": name, "content_type": content_type, "base64": base64.b64encode(text.encode()).decode()}


FILES = [file("secret.txt", "text/plain", FILE), file("page.html", "text/html", f"<p>{PAGE}</p>")]
PAYLOAD = {"case": "One", "note": OPEN, "holder": {"iban": IBAN, "city": "Turin"}, "files": FILES}


@dataclass
class World:
    """An item in Ada's hands, and a dead letter, both full of canaries."""

    desk: LiveDesk
    project: int
    item: int
    claim: Claim
    letter: int

    @property
    def here(self) -> str:
        return f"/assignments/{self.claim.assignment_id}"

    @property
    def held(self) -> str:
        return f"/v1{self.here}"

    def as_(self, who: str, *, token: bool = False) -> FlaskClient:
        return (program if token else browser)(self.desk.app, getattr(self.desk.cast, who))


@pytest.fixture(scope="module")
def world(live: LiveDesk) -> World:  # noqa: F811
    project = live.project(**RULES)
    item, _ = live.send(project, PAYLOAD, {"case": "Two", "note": OPEN})
    claim = tasks.claim(live.web, me=live.cast.ada.id)
    assert claim and claim.item_id == item
    batch = batches.take(live.web, project=project, by=live.cast.eve.id, rows=[f'{{"idempotency_key": "bad", "payload": "{REFUSED}"}}'.encode()])
    [refused] = dead_letters.of_batch(live.web, batch_id=batch.batch_id)
    return World(live, project, item, claim, refused.dead_letter_id)


Call = Callable[[World], TestResponse]


def web(who: str, method: str, path: str, **form: Any) -> Call:
    return lambda w: w.as_(who).open(path.format(w=w), method=method, data=dict(form))


def api(who: str, method: str, path: str, body: Any = None) -> Call:
    return lambda w: w.as_(who, token=True).open(path.format(w=w), method=method, **({"json": body} if body is not None else {}))


ITEM, PARTS = "/items/{w.item}", "/items/{w.item}/versions/1/parts"
REVEAL = {"fields": ["holder.iban"], "purpose": WHY}
# Each address that shows payloads: how it is asked, and what it then shows.
EMITS: dict[str, tuple[Call, tuple[str, ...]]] = {
    "GET assignments.show": (web("ada", "GET", "{w.here}"), (OPEN,)),
    "POST assignments.reveal": (web("ada", "POST", "{w.here}/reveals", reveal=["holder.iban", "secret.txt"], purpose=WHY), (OPEN, IBAN, FILE)),
    "POST assignments.decision": (web("ada", "POST", "{w.here}/decision", choice=""), (OPEN,)),
    "POST assignments.skip": (web("ada", "POST", "{w.here}/skip", reason="none of them"), (OPEN,)),
    "POST assignments.release": (web("ada", "POST", "{w.here}/release", lease_token="not it"), (OPEN,)),
    "POST assignments.again": (web("ben", "POST", "{w.here}/again"), ()),
    "POST assignments.returned": (web("chi", "POST", "{w.here}/return"), ()),
    "GET payload.part": (web("ada", "GET", "{w.here}/parts/0"), (OPEN,)),
    "GET payload.part_html": (web("ada", "GET", "{w.here}/parts/2/html"), (PAGE,)),
    "POST items.payload": (web("chi", "POST", f"{ITEM}/payload", reveal=["holder.iban"], purpose=WHY), (OPEN, IBAN)),
    "GET payload.item_part": (web("chi", "GET", f"{PARTS}/1?purpose={WHY}"), (FILE,)),
    "GET payload.item_part_html": (web("eve", "GET", f"{PARTS}/2/html"), (PAGE,)),
    "POST dead_letters.reveal": (web("chi", "POST", "/dead-letters/{w.letter}/bytes"), (REFUSED,)),
    "GET dead_letters.download": (web("eve", "GET", "/dead-letters/{w.letter}/bytes"), (REFUSED,)),
    "POST dead_letters.try_one": (web("chi", "POST", "/dead-letters/{w.letter}/dry-runs", body="{}"), (REFUSED,)),
    "POST dead_letters.replay": (web("chi", "POST", "/dead-letters/{w.letter}/replays", body="{}"), ()),
    "GET api.payload_get": (api("eve", "GET", f"/v1{ITEM}/payload"), (OPEN, IBAN)),
    "POST api.payload_reveals": (api("chi", "POST", f"/v1{ITEM}/reveals", REVEAL), (OPEN, IBAN)),
    "GET api.payload_part": (api("chi", "GET", f"/v1{PARTS}/1?purpose={WHY}"), (FILE,)),
    "GET api.payload_held": (api("ada", "GET", "{w.held}/payload"), (OPEN,)),
    "GET api.payload_held_part": (api("ada", "GET", "{w.held}/parts/2"), (PAGE,)),
    "POST api.payload_held_reveals": (api("ada", "POST", "{w.held}/reveals", REVEAL), (OPEN, IBAN)),
    "POST exports.make": (web("chi", "POST", "/projects/{w.project}/exports", format="jsonl", purpose=WHY), (OPEN, IBAN)),
    "GET api.dead_letters_body": (api("chi", "GET", "/v1/dead-letters/{w.letter}/body"), (REFUSED,)),
}
# All others: they name items, count them, decide them, and show nothing of what is in them. A new address is to be thought about, and then written here.
NAMES = """
api.forecasts_of_batch api.forecasts_of_project api.forecasts_report batches.forecast batches.newest batches.of_project batches.show forecasts.of_project forecasts.plan forecasts.report
lease_times.change lease_times.show exports.config imports.page access_events.index access_events.person access_events.person_table access_events.table api.access_events_page
api.assignments_heartbeat api.assignments_release api.assignments_send_back api.assignments_skip api.assignments_submit api.batches_get api.dead_letters_causes
api.dead_letters_get api.dead_letters_page api.dead_letters_replay api.dead_letters_replay_many api.decisions_get api.decisions_overturn api.decisions_receipt
api.golds_make api.golds_retire api.intake_send api.items_find api.items_get api.items_search api.items_send api.openapi_document api.payload_put api.payouts_mine
api.payouts_reverse api.projects_cancel api.projects_change api.projects_create api.projects_get api.projects_history api.projects_page api.projects_pause
api.projects_resume api.results_page api.reviewers_me api.signing_keys_public api.skills_experts api.skills_page api.skills_put_expert api.skills_put_terms
api.standings_appeal api.standings_mine api.tasks_next api.uploads_send
assignments.draft assignments.lease dead_letters.index dead_letters.replay_many dead_letters.show dead_letters.try_many
decisions.answer decisions.ask decisions.overturn decisions.receipt docs.show effects.index effects.retry effects.retry_all effects.rotate effects.skip
effects.switch_on effects.test effects.webhook escalations.page escalations.take items.page items.show libraries.file login.account login.change_password
login.end_other_sessions login.link login.page login.set_by_link login.sign_in login.sign_out metrics.show pages.front_door pages.go_to pages.healthz
pages.readyz pages.theme pay.page pay.reverse pay.statement payload.asset payload.pdf_frame payload.resource people.add people.disable people.enable
people.end_sessions people.index people.make_link people.make_token people.revoke_token people.set_skill people.show pipeline.change pipeline.show
projects.boost projects.cancel projects.change projects.index projects.pause projects.resume projects.show review.left review.next_item review.page
skills.add skills.answer skills.index skills.put skills.retire skills.show skills.terms standing.appeal standing.page static work.page
api.datasets_acknowledge api.datasets_ask api.datasets_file api.datasets_get api.datasets_manifest api.datasets_page api.retractions_get api.retractions_make
api.retractions_page api.retractions_preview datasets.acknowledge datasets.again datasets.ask datasets.file datasets.index datasets.progress datasets.show
retractions.index retractions.make operations.drain operations.index operations.pause_queue operations.prune operations.replay operations.resume
operations.revoke operations.rotate_signing_key api.approvals_get api.approvals_page approvals.page approvals.take
api.overturns_begin api.overturns_get api.overturns_members api.overturns_outcomes api.overturns_page api.overturns_step
overturns.begin overturns.index overturns.new overturns.show overturns.status overturns.step
api.batch_decisions_alike api.batch_decisions_decide api.batch_decisions_drop api.batch_decisions_get api.batch_decisions_make api.batch_decisions_members
api.batch_decisions_page api.batch_decisions_sample api.batch_decisions_undo api.batch_decisions_undo_one batch_decisions.decide batch_decisions.drop
batch_decisions.index batch_decisions.make batch_decisions.new batch_decisions.progress batch_decisions.sample batch_decisions.show batch_decisions.undo
batch_decisions.undo_one api.item_actions_drop api.item_actions_get api.item_actions_go_on api.item_actions_make api.item_actions_members api.item_actions_page
item_actions.drop item_actions.go_on item_actions.index item_actions.make item_actions.progress item_actions.show items.beside items.rows
saved_views.remove saved_views.save saved_views.show control.health control.now control.show control.work guidance.change guidance.show policy_gaps.found policy_gaps.index
operations.now effects.now api.saved_views_get api.saved_views_page api.saved_views_remove api.saved_views_save
"""
SILENT = frozenset(NAMES.split())
# These show what the same person's file, sent with this very form or before, holds; nothing of anybody's items.
ECHOES = {"POST imports.dry_run", "POST imports.take"}


def routes(app: Flask) -> set[str]:
    return {f"{method} {rule.endpoint}" for rule in app.url_map.iter_rules() for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}


def leaked(answer: TestResponse) -> list[str]:
    return [canary for canary in CANARIES if canary in answer.get_data(as_text=True)]


@contextmanager
def unrecorded(desk: LiveDesk) -> Iterator[None]:
    """No access can be put on record, nor an opened dead letter."""
    desk.execute("ALTER TABLE access_events ADD CONSTRAINT never CHECK (false) NOT VALID")
    desk.execute("ALTER TABLE events ADD CONSTRAINT never CHECK (kind <> 'dead_letter.opened') NOT VALID")
    try:
        yield
    finally:
        desk.execute("ALTER TABLE access_events DROP CONSTRAINT never")
        desk.execute("ALTER TABLE events DROP CONSTRAINT never")


def test_it_knows_of_every_address_whether_it_shows_payloads(live: LiveDesk) -> None:  # noqa: F811
    found = routes(live.app)
    assert {name for name in found if name.split()[1] not in SILENT} - ECHOES == set(EMITS), "say of each new address whether it shows payloads"
    assert {name.split()[1] for name in found} >= SILENT


@pytest.mark.parametrize("name", EMITS)
def test_it_lets_no_byte_leave_where_the_access_cannot_be_put_on_record(world: World, name: str) -> None:
    ask, shows = EMITS[name]
    with unrecorded(world.desk):
        answer = ask(world)
        assert leaked(answer) == [] and (answer.status_code >= 500 or not shows)
    assert set(leaked(ask(world))) == set(shows), "or the address would show nothing anyway"


def test_it_shows_no_payload_where_it_says_that_it_does_not(world: World) -> None:
    """Each silent address that can be read, with the numbers of what holds canaries, as everybody who may."""
    numbers = {"item_id": world.item, "assignment_id": world.claim.assignment_id, "project_id": world.project, "letter_id": world.letter,
               "dead_letter_id": world.letter, "person_id": world.desk.cast.ada.id, "batch_id": 1}  # fmt: skip
    clients = {token: [world.as_(who, token=token) for who in ("ada", "chi", "dov", "eve")] for token in (False, True)}
    asked = 0
    with world.desk.app.test_request_context("/"):
        adapter = world.desk.app.url_map.bind("localhost")
        paths = [adapter.build(rule.endpoint, {name: numbers.get(name, 1) for name in rule.arguments}, method="GET")
                 for rule in world.desk.app.url_map.iter_rules() if "GET" in (rule.methods or ()) and rule.endpoint in SILENT]  # fmt: skip
    for path in paths:
        for client in clients[path.startswith("/v1/")]:
            answer = client.get(path)
            asked += answer.status_code == 200
            assert leaked(answer) == [], path
    assert asked > 40


def shown(world: World, who: str) -> dict[str, TestResponse]:
    """Every way to the item, without a purpose."""
    client, token = world.as_(who), world.as_(who, token=True)
    if who == "ada":
        found = {path: client.get(f"{world.here}{path}") for path in ("", "/parts/0", "/parts/1", "/parts/1/html")}
        return found | {f"v1 {path}": token.get(f"{world.held}{path}") for path in ("/payload", "/parts/0", "/parts/1")}
    parts = PARTS.format(w=world)
    found = {path: client.get(f"{parts}{path}") for path in ("/0", "/1", "/1/html")} | {"page": client.post(f"/items/{world.item}/payload")}
    return found | {f"v1 {path}": token.get(f"/v1{path}") for path in (f"/items/{world.item}/payload", f"{parts}/0", f"{parts}/1")}


@pytest.mark.parametrize("who", ["ada", "chi"])
def test_it_shows_nothing_masked_without_a_purpose(world: World, who: str) -> None:
    answers = shown(world, who)
    assert {path: found for path, answer in answers.items() if {IBAN, FILE} & set(found := leaked(answer))} == {}
    refused = [answer for path, answer in answers.items() if path.removesuffix("/html").endswith("/1")]
    assert refused and {answer.status_code for answer in refused} == {403}
    assert refused[-1].json["code"] == "MASKED" and WHY in refused[-1].json["detail"]
    assert "masked" in answers["" if who == "ada" else "page"].text


def test_it_masks_nothing_from_the_customer_who_sent_it(world: World) -> None:
    answers = shown(world, "eve")
    assert IBAN in answers["page"].text and FILE in answers["/1"].text and json.loads(answers["/0"].data)["holder"]["iban"] == IBAN


def test_it_puts_each_reveal_on_record_with_its_field_and_purpose(world: World) -> None:
    last = max((event.id for event in access_events.of_item(world.desk.web, item_id=world.item, limit=10_000)), default=0)
    page = world.as_("ada").post(f"{world.here}/reveals", data={"reveal": ["holder.iban", "secret.txt"], "purpose": WHY, "note": "half a thought"})
    assert "half a thought" in page.text and f"/parts/1?purpose={WHY.replace(' ', '+')}" in page.text
    seen = [(e.part, e.field, e.purpose) for e in access_events.of_item(world.desk.web, item_id=world.item, after=last) if e.part != "page.html"]
    assert sorted(seen, key=str) == sorted(
        [("payload.json", None, "review"), ("payload.json", "holder.iban", WHY), ("secret.txt", "secret.txt", WHY)], key=str
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [({"fields": ["holder.iban"], "purpose": "I like to"}, "purpose"), ({"fields": ["note"], "purpose": WHY}, "fields"), ({"fields": []}, "fields")],
)
def test_it_reveals_nothing_that_is_asked_for_wrongly(world: World, body: dict[str, Any], field: str) -> None:
    before = world.desk.execute("SELECT count(*) FROM access_events")
    answer = world.as_("ada", token=True).post(f"{world.held}/reveals", json=body)
    assert answer.status_code == 422 and field in [e["field"] for e in answer.json["errors"]] and leaked(answer) == []
    form = world.as_("ada").post(f"{world.here}/reveals", data={"reveal": body["fields"] or ["x"], "purpose": body.get("purpose", "")})
    assert form.status_code == 422 and "Nothing was revealed" in form.text and IBAN not in form.text
    assert world.desk.execute("SELECT count(*) FROM access_events WHERE field IS NOT NULL AND purpose = 'I like to'") == [(0,)]
    assert world.desk.execute("SELECT count(*) FROM access_events")[0][0] > before[0][0]


def test_it_takes_masks_that_come_later_from_that_moment_on(world: World) -> None:
    """Whatever rules an item was handed out under; and what it was called by in lists may be masked now."""
    desk, eve = world.desk, world.desk.cast.eve
    project = desk.project(reason_codes=["fine"])
    [item] = desk.send(project, {"iban": IBAN, "note": "x"})
    chi = browser(desk.app, desk.cast.chi)
    assert IBAN in chi.get(f"/items?project={project}").text and IBAN in chi.post(f"/items/{item}/payload").text
    old = projects.load(desk.web, project, eve).parsed
    versions.change(desk.web, project, desk.cast.chi.id, rules.parse(old.stored() | {"masked": ["iban"]}), why="seen by too many")
    assert IBAN not in chi.get(f"/items?project={project}").text and IBAN not in chi.post(f"/items/{item}/payload").text
    desk.send(project, {"iban": IBAN, "note": "x"}, {"iban": IBAN, "name": "Second"})
    assert "Second" in chi.get(f"/items?project={project}").text and IBAN not in chi.get(f"/items?project={project}").text


def test_it_may_not_be_called_by_what_is_masked(world: World) -> None:
    sent = world.as_("eve", token=True).post(
        "/v1/projects", json={"name": "x", "skill": "x", "reason_codes": ["a"], "title": "iban", "masked": ["iban"]}
    )
    assert sent.status_code == 422 and sent.json["errors"][0]["field"] == "title"


def test_those_tests_notice_a_statement_that_records_nothing(world: World) -> None:
    with without("evidence/open_part", "WHERE NOT withheld AND (n = 0", "WHERE false AND (n = 0"), unrecorded(world.desk):
        assert leaked(EMITS["GET payload.part"][0](world)) == [OPEN]


def test_those_tests_notice_a_statement_that_masks_nothing(world: World) -> None:
    with without("evidence/open_item_part", "CASE WHEN me.role = 'lead' THEN v.rules END", "NULL"):
        assert IBAN in leaked(shown(world, "chi")["/0"])
