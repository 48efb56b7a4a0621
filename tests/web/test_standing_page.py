"""My standing: what somebody reads of each of their skills, and the appeal."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
from typing import Any

import pytest

from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.experts import golds, standings, upkeep
from claimcheck.intake import batches
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.api_client import Api
from tests.web.reviewer import desk, live  # noqa: F401 (fixtures)


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


class School:
    """A skill with an exam, and so many golds, each right with `approve`. Ben is new to it."""

    def __init__(self, desk: LiveDesk, n: int = 6):
        self.desk, self.ben = desk, desk.cast.ben
        for person in (desk.cast.ada, self.ben):
            desk.execute("DELETE FROM scores WHERE person_id = %s", person.id)
            desk.execute("DELETE FROM appeals WHERE person_id = %s", person.id)
            desk.execute("DELETE FROM person_skills WHERE person_id = %s", person.id)
        self.project = desk.project(title="case")
        self.skill = desk.execute("SELECT skill_id FROM projects WHERE id = %s", self.project)[0][0]
        [self.name] = [m.skill for m in standings.of_person(desk.web, person_id=self.ben.id)]
        items = desk.send(self.project, *({"case": f"Gold {n}"} for n in range(n)))
        for item in items:
            desk.decide(desk.cast.ada, item_id=item)
            golds.add(desk.web, item_id=item, accepted=["approve"], me=desk.cast.chi.id)
        upkeep.run(desk.worker)
        standings.put_terms(desk.web, skill_id=self.skill, exam=True, gold_rate=0.05, novice_rate=0.2, me=desk.cast.chi.id)
        people.take_skill(desk.web, person_id=self.ben.id, skill=self.name, by=0)
        people.give_skill(desk.web, person_id=self.ben.id, skill=self.name, by=0)

    def sit(self, *verdicts: str) -> None:
        for verdict in verdicts:
            self.desk.decide(self.ben, verdict=verdict)
            upkeep.run(self.desk.worker)

    def put(self, status: str, why: str = "Rest a little.", **more: Any) -> None:
        standings.put(
            self.desk.web, person_id=self.ben.id, skill_id=self.skill, status=status, tier=0, pinned=False, why=why, me=self.desk.cast.chi.id
        )
        for column, value in more.items():
            self.desk.execute(f"UPDATE person_skills SET {column} = %s WHERE person_id = %s", value, self.ben.id)

    def page(self, person: Person | None = None) -> str:
        return browser(self.desk.app, person or self.ben).get("/standing").text

    def appeal(self, note: str) -> Any:
        return browser(self.desk.app, self.ben).post(f"/standing/{self.skill}/appeals", data={"note": note})


@pytest.fixture
def school(desk: LiveDesk) -> School:
    return School(desk)


def test_it_shows_how_far_an_exam_is_and_which_golds_were_right_but_no_label(school: School):
    school.sit("approve", "reject", "approve")
    page = plain(school.page())
    for words in ("Entry exam : 3 of at most 25, 2 right", "2 of 3 right", "Between", "most likely", "entry exam"):
        assert words in page, page
    assert page.count("Right") == 2
    assert page.count("Wrong") == 1
    assert "Gold " in page
    assert "pprove" not in page
    assert "eject" not in page


def test_it_shows_the_interval_as_a_picture_that_can_be_read(school: School):
    school.sit("approve")
    [mine] = standings.of_person(school.desk.web, person_id=school.ben.id)
    assert mine.low is not None and mine.high is not None and mine.mean is not None
    [picture] = re.findall(r"<svg class=\"interval\".*?</svg>", school.page(), re.DOTALL)
    assert f'x="{100 * mine.low:.1f}"' in picture
    assert (
        f"Between {round(100 * mine.low)}\u202f% and {round(100 * mine.high)}\u202f% of them, most likely {round(100 * mine.mean)}\u202f%" in picture
    )


def test_it_says_where_nothing_is_measured_yet(school: School):
    page = plain(school.page())
    assert "None answered yet" in page
    assert '<svg class="interval"' not in school.page()


@pytest.mark.parametrize(
    ("status", "more", "says"),
    [
        ("active", {}, "Active"),
        ("active", {"held_back": True}, "Held back: gold only"),
        ("soft_paused", {}, "Extra golds : 0 of 5"),
        ("paused", {}, "You are handed nothing in this skill"),
    ],
)
def test_it_says_each_status_in_words_and_why(school: School, status: str, more: dict[str, Any], says: str):
    school.put(status, **more)
    page = plain(school.page())
    assert says in page
    assert "Rest a little." in page
    assert ("Appeal to a lead" in page) == (status in ("soft_paused", "paused"))


def test_it_carries_an_appeal_to_a_lead_and_the_answer_back(school: School):
    school.put("paused")
    assert school.appeal("Gold 2 was <ambiguous>.").location == f"/standing#skill-{school.skill}"
    page = school.page()
    assert "Gold 2 was &lt;ambiguous&gt;." in page
    assert "A lead will answer here." in page
    assert "<textarea" not in page
    [asked] = [a for a in standings.appeals(school.desk.web) if a.person_id == school.ben.id]
    standings.answer(school.desk.web, appeal_id=asked.id, me=school.desk.cast.chi.id, text="It was clear enough.", resume=False)
    page = school.page()
    assert "It was clear enough." in page
    assert "Appeal once more" not in page and "you can appeal again" in page
    refused = school.appeal("Please look again.")
    assert refused.status_code == 409 and "you can appeal again from" in plain(refused.text) and "Please look again." in refused.text
    school.desk.execute("UPDATE appeals SET answered_at = answered_at - interval '7 days' WHERE person_id = %s RETURNING id", school.ben.id)
    school.desk.execute("UPDATE person_skills SET since = since - interval '9 days' WHERE person_id = %s RETURNING skill_id", school.ben.id)
    assert "Appeal once more" in school.page()
    school.appeal("Please look again.")
    [asked] = [a for a in standings.appeals(school.desk.web) if a.person_id == school.ben.id]
    standings.answer(school.desk.web, appeal_id=asked.id, me=school.desk.cast.chi.id, text="You are right.", resume=True)
    page = plain(school.page())
    assert "Active" in page
    assert "You are right." in page
    assert "Appeal once more" not in page


@pytest.mark.parametrize("note", ["  ", "x" * 2001, "a\0b"])
def test_it_keeps_what_was_typed_and_says_what_is_wrong(school: School, note: str):
    school.put("paused")
    answer = school.appeal(note)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Say it in 1 to 2,000 characters." in answer.text
    assert note.replace("\0", "\ufffd") in answer.text.replace("\0", "\ufffd")
    assert not [a for a in standings.appeals(school.desk.web) if a.person_id == school.ben.id]


def test_it_takes_no_appeal_where_there_is_nothing_to_appeal(school: School):
    answer = school.appeal("why?")
    assert answer.status_code == 409
    assert "why?" in answer.text
    assert browser(school.desk.app, school.desk.cast.chi).post(f"/standing/{school.skill}/appeals", data={"note": "n"}).status_code == 404


def test_a_gold_s_page_and_its_line_in_my_work_and_in_the_pay_are_those_of_a_live_item(school: School):
    desk, ben = school.desk, school.ben
    more = [{"idempotency_key": f"k{school.project}-{n}", "payload": {"case": f"Gold {n}"}} for n in range(101, 107)]
    batches.take(desk.web, project=school.project, by=desk.cast.eve.id, rows=more)
    desk.publish()
    school.put("active")
    client, pages, kinds = browser(desk.app, ben), set(), []
    for n in range(6):
        desk.execute("UPDATE person_skills SET gold_every = 2, looks = %s WHERE person_id = %s", n, ben.id)  # every other look
        page = client.get(client.post("/review/next").location)
        pages.add(re.sub(r"[0-9a-f]{64}|[0-9a-f-]{36}|[0-9a-f]{4}…[0-9a-f]{4}|\d+", "#", page.text))
        [(kind,)] = desk.execute(
            "SELECT t.kind FROM assignments a JOIN tasks t ON t.id = a.task_id WHERE a.person_id = %s AND a.ended_at IS NULL", ben.id
        )
        assert "Item <b>" not in page.text
        kinds.append(kind)
        desk.decide(ben)
        upkeep.run(desk.worker)
    assert kinds == ["gold", "review"] * 3
    assert len(pages) == 1
    for path in ("/work", "/pay"):
        rows = re.findall(r"<tr id=.*?</tr>", client.get(path).text, re.DOTALL)[:6]
        assert len({re.sub(r"\d+", "#", row) for row in rows}) == 1, path


def test_it_says_so_where_somebody_has_no_skills(school: School):
    assert "You have no skills yet" in school.page(school.desk.cast.chi)


def test_it_tells_a_program_how_it_stands_and_takes_its_appeal(school: School):
    api = Api(school.desk.app, school.ben)
    school.sit("approve", "reject")
    [mine] = api.get("/v1/reviewers/me/standings").json["standings"]
    assert (mine["skill"], mine["status"], mine["golds"], mine["right"]) == (school.name, "exam", 2, 1)
    assert [gold["correct"] for gold in mine["last"]] == [False, True]
    assert "approve" not in str(mine)
    appeal = {"skill": school.name, "note": "Gold 1 was ambiguous."}
    assert api.post("/v1/reviewers/me/appeals", appeal).json["code"] == "NOTHING_TO_APPEAL"
    school.put("paused")
    assert api.post("/v1/reviewers/me/appeals", {**appeal, "skill": "none of mine"}).status_code == 422
    made = api.post("/v1/reviewers/me/appeals", appeal)
    assert made.status_code == 201
    assert api.post("/v1/reviewers/me/appeals", appeal).json["code"] == "NOTHING_TO_APPEAL"
    [mine] = api.get("/v1/reviewers/me/standings").json["standings"]
    assert (mine["said"], mine["appeal_id"], mine["appealed"]) == ("Rest a little.", made.json["id"], appeal["note"])


def test_it_makes_an_item_gold_once(school: School):
    lead = Api(school.desk.app, school.desk.cast.chi)
    [item] = school.desk.send(school.desk.project(), {"case": "known"})
    path = f"/v1/items/{item}/gold"
    assert lead.post(path, {"accepted": ["maybe"]}).status_code == 422
    assert lead.post(path, {"accepted": ["approve"]}).status_code == 201
    assert lead.post(path, {"accepted": ["approve"]}).json["code"] == "GOLD_EXISTS"
    assert lead.post("/v1/items/999999/gold", {"accepted": ["approve"]}).status_code == 404
