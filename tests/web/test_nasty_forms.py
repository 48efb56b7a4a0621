"""Forms filled with what no person types: whatever stands in whichever field, it is refused or taken, and never a fault of ours."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from claimcheck import projects, web
from claimcheck.access.people import Person
from claimcheck.web.projects import written
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web import atlas
from tests.web.atlas import Address
from tests.web.reviewer import Reviewer, desk, live  # noqa: F401 (fixtures)

NASTY = ["a\0b", "9" * 5000, "\u00b2"]
READ = re.compile(r"""form\.get(?:list)?\(\s*"(\w+)\"""")
BESIDE = {"assignments": ["controls"], "decisions": ["controls"], "projects": []}


def fields(endpoint: str) -> list[str]:
    """The fields that an address may read: those that its module names, and the decision form's where it has one."""
    noun = endpoint.partition(".")[0]
    folder = Path(web.__file__).parent
    found = {name for module in [noun, *BESIDE.get(noun, [])] for name in READ.findall((folder / f"{module}.py").read_text(encoding="utf-8"))}
    return sorted(found | ({"rules", "why"} if noun == "projects" else set()))


def forms(app: object) -> list[Address]:
    return [a for a in atlas.addresses(app) if a.method == "POST" and not a.api and a.roles]  # pyright: ignore[reportArgumentType]


class Ground:
    """Work of Ada's that every address has something to do with."""

    def __init__(self, desk: LiveDesk):
        self.desk = desk
        self.project = desk.project()
        self.item, decided = desk.send(self.project, {"case": "held"}, {"case": "decided"})
        self.decision = desk.decide(desk.cast.ada, item_id=decided)
        browser(desk.app, desk.cast.ada).post(f"/decisions/{self.decision}/reconsideration", data={"note": "again, please"})
        self.ada = Reviewer(desk, desk.cast.ada)
        self.ada.next()

    def path(self, address: Address) -> str:
        ours = {
            "assignments": self.ada.page, "decisions": f"/decisions/{self.decision}", "projects": f"/projects/{self.project}",
            "items": f"/items/{self.item}", "people": f"/people/{self.desk.cast.ben.id}",
        }  # fmt: skip
        noun, *rest = address.path.removeprefix("/").split("/")
        return "/".join([ours[noun], *rest[1:]]) if noun in ours and rest[:1] == ["1"] else address.path

    def filled(self) -> dict[str, str]:
        """A form that would be taken as it stands, but for its lease."""
        rules = written(projects.load(self.desk.web, self.project, self.desk.cast.chi).parsed) + f"guidance: {time.monotonic_ns()}\n"
        return {"evidence_hash": self.ada.fields["evidence_hash"], "choice": "verdict:reject", "reason_code": "name differs", "note": "n",
                "answer": "a", "asked": str(self.decision), "skill": "kyc", "tier": "1", "rules": rules, "why": "w"}  # fmt: skip


def person_for(desk: LiveDesk, address: Address) -> Person:
    role = min(address.roles & {"reviewer", "lead"} or address.roles, key=["reviewer", "lead", "operator", "customer"].index)
    return next(person for person in vars(desk.cast).values() if person.role == role)


@pytest.mark.parametrize("nasty", NASTY, ids=["NUL", "many digits", "a digit that is none"])
def test_it_is_never_at_fault_for_what_stands_in_a_form(desk: LiveDesk, nasty: str):
    ground, at_fault = Ground(desk), set()
    for address in forms(desk.app):
        if address.endpoint in ("login.sign_out", "people.disable"):
            continue
        client = browser(desk.app, person_for(desk, address))
        for name in fields(address.endpoint):
            status = client.post(ground.path(address), data={**ground.filled(), name: nasty}).status_code
            at_fault |= {(address.endpoint, name)} if status >= 500 else set()
    assert at_fault == set()


def test_it_has_a_form_for_every_role(desk: LiveDesk):
    """Or the walk above could pass by walking nowhere."""
    assert {"note", "choice", "lease_token"} <= set(fields("assignments.draft"))
    assert {role for a in forms(desk.app) for role in a.roles} == {"reviewer", "lead", "operator", "customer"}
    assert len(forms(desk.app)) > 25
