"""The door to the work: why nothing is here, what others hold, what is left."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
from typing import Any

import pytest

from claimcheck import people, tasks
from tests.flows.conftest import LiveDesk
from tests.web.reviewer import HTMX, Reviewer, ada, desk, live, one_item  # noqa: F401 (fixtures)


def _without_skills(desk: LiveDesk) -> None:
    desk.execute("DELETE FROM person_skills WHERE person_id = %s", desk.cast.ada.id)


def _with_paused_skills(desk: LiveDesk) -> None:
    people.give_skill(desk.web, person_id=desk.cast.ada.id, skill="reading")
    desk.execute("UPDATE person_skills SET status = 'paused' WHERE person_id = %s", desk.cast.ada.id)


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
