"""The door to the work: why nothing is here, what others hold, what is left."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
from typing import Any

import pytest

from claimcheck.access import people
from claimcheck.review import tasks
from tests.flows.conftest import LiveDesk
from tests.web.reviewer import HTMX, Reviewer, ada, desk, live, one_item  # noqa: F401 (fixtures)


def _without_skills(desk: LiveDesk) -> None:
    desk.execute("DELETE FROM person_skills WHERE person_id = %s", desk.cast.ada.id)


def _with_paused_skills(desk: LiveDesk) -> None:
    people.give_skill(desk.web, person_id=desk.cast.ada.id, skill="reading")
    desk.execute("UPDATE person_skills SET status = 'paused' WHERE person_id = %s", desk.cast.ada.id)


def _in_exam(desk: LiveDesk) -> None:
    _standing(desk, "exam", held_back=False)


def _after_an_alarm(desk: LiveDesk) -> None:
    _standing(desk, "soft_paused", held_back=False)


def _held_back(desk: LiveDesk) -> None:
    _standing(desk, "active", held_back=True)


def _standing(desk: LiveDesk, status: str, *, held_back: bool) -> None:
    people.give_skill(desk.web, person_id=desk.cast.ada.id, skill="reading")
    desk.execute("UPDATE person_skills SET status = %s, held_back = %s WHERE person_id = %s", status, held_back, desk.cast.ada.id)


def _without_project(desk: LiveDesk) -> None:
    people.give_skill(desk.web, person_id=desk.cast.ada.id, skill="a rare skill")


def _with_an_empty_project(desk: LiveDesk) -> None:
    desk.project(name="Empty one")


def _with_a_paused_project(desk: LiveDesk) -> None:
    project = desk.project(name="Halted one")
    desk.execute("UPDATE projects SET paused_at = clock_timestamp() WHERE id = %s", project)


@pytest.mark.parametrize(
    ("arrange", "says"),
    [
        (_without_skills, "You have no skills yet"),
        (_with_paused_skills, "Your work in reading is paused"),
        (_with_paused_skills, '<a href="/standing">'),
        (_in_exam, "You are sitting the entry exam in reading"),
        (_after_an_alarm, "Your work in reading is paused until the extra golds are answered"),
        (_held_back, "In reading you are handed golds only for now"),
        (_without_project, "No project asks for a rare skill"),
        (_with_an_empty_project, "Nothing has been sent yet to Empty one"),
        (_with_a_paused_project, "Halted one is paused by a lead"),
    ],
)
def test_it_says_why_nothing_is_here(desk: LiveDesk, ada: Reviewer, arrange: Any, says: str):
    _without_skills(desk)
    arrange(desk)
    answer = ada.client.post("/review/next", follow_redirects=True)
    assert says in answer.text


def test_it_says_what_is_apart_beside_what_is_not(desk: LiveDesk, ada: Reviewer):
    _without_skills(desk)
    _with_paused_skills(desk)
    desk.project(name="Quiet one")
    page = ada.client.get("/review").text
    assert "Nothing has been sent yet to Quiet one" in page
    assert "Your work in reading is paused" in page
    assert '<a href="/standing">' in page


def test_it_says_how_many_are_held_by_others_and_when_the_next_is_free(desk: LiveDesk, ada: Reviewer):
    one_item(desk, lease_seconds=180)
    tasks.claim(desk.web, me=desk.cast.ben.id)
    page = ada.client.get("/review").text
    assert "1 item is held by others" in page and "free in about 3 min" in page


def test_it_tells_what_is_left_only_when_that_changed(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    address = re.search(r'hx-get="(/review/left\?was=[^"]+)"', ada.client.get("/review").text)[1]
    assert ada.client.get(address, headers=HTMX).status_code == 204
    tasks.claim(desk.web, me=desk.cast.ben.id)
    changed = ada.client.get(address, headers=HTMX)
    assert changed.status_code == 200 and "1 held by others" in re.sub(r"<[^>]+>", "", changed.text)
