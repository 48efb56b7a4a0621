"""A desk on which a good deal has happened, every bit of it through the API: several queues, verdicts, leases left, overturns, and what was refused."""

from __future__ import annotations

import random
from typing import Any

from claimcheck.intake import admission, handling, inbox, parameters, resolving
from tests.flows.conftest import LiveDesk
from tests.messages import body
from tests.web.api_client import Api, proof

REASONS = ["as it should be", "name differs", "unreadable"]
ROUTES = {"routes": [{"queue": "large", "at_least": "100", "skill": "busy"}]}


class Busy:
    """Ada, Ben and Chi at work for Eve, as a number says."""

    def __init__(self, desk: LiveDesk, seed: int = 7):
        self.desk, self.chance = desk, random.Random(seed)
        self.eve, self.ada, self.ben, self.chi = (Api(desk.app, getattr(desk.cast, n)) for n in ("eve", "ada", "ben", "chi"))
        self.projects = [
            desk.project(name="Single", skill="busy", reason_codes=REASONS, abandon_limit=2),
            desk.project(name="Twice", skill="busy", reason_codes=REASONS, wanted=2),
            desk.project(name="Breaks", skill="busy", reason_codes=REASONS, thresholds=ROUTES),
        ]

    def run(self, acts: int = 60) -> None:
        """Sends what there is to judge, and lets people act."""
        single, twice, breaks = self.projects
        for project, n in ((single, 24), (twice, 8)):
            rows: list[dict[str, Any]] = [{"idempotency_key": f"k{k}", "payload": {"n": k}} for k in range(n)]
            self.eve.post(f"/v1/projects/{project}/items", {"items": [*rows, {"idempotency_key": "refused"}]})
        self._messages(breaks)
        self.desk.publish()
        for _ in range(acts):
            self.act(self.chance.choice((self.ada, self.ben, self.ada, self.ben, self.chi)))

    def _messages(self, project: int) -> None:
        web, settings = self.desk.web, parameters.DEFAULTS
        eve = admission.Sender(self.desk.cast.eve.id, self.desk.cast.eve.customer_id, "http")
        given = [
            *(body(project, f"s{n}", variance_amount="12.50", partition_key=f"P{n}") for n in range(8)),
            *(body(project, f"l{n}", variance_amount="-512.50", partition_key=f"P{n + 8}") for n in range(8)),
            body(project, "none", variance_amount="0.00", match_decision="MATCHED"),
            body(project, "poison", variance_amount=1.5),
        ]
        admission.admit(web, given, sender=eve, worker="test", settings=settings)
        handling.handle(web, inbox.pull(web, settings, 200), worker="test", settings=settings)
        self.desk.publish()
        resolving.resolve(web, worker="test", settings_version=1)

    def act(self, who: Api) -> None:
        """Takes what is next, and decides it most times; a lead may overturn instead."""
        if who is self.chi and self.chance.random() < 0.4:
            self.overturn()
            return
        answer = who.post("/v1/tasks/next")
        if answer.status_code != 200:
            return
        task, way = answer.json, self.chance.random()
        if way < 0.15:
            who.post(f"/v1/assignments/{task['assignment_id']}/release", {"lease_token": task["lease_token"]})
        elif way < 0.22:
            self.desk.lapse(self.desk.cast.chi if who is self.chi else self.desk.cast.ada if who is self.ada else self.desk.cast.ben)
        else:
            self.decide(who, task)

    def decide(self, who: Api, task: dict[str, Any]) -> None:
        verdicts = ["approve", "approve", "approve", "reject"] + ([] if who is self.chi else ["escalate"])
        given = {"verdict": self.chance.choice(verdicts), "reason_code": self.chance.choice(REASONS), "note": "why"}
        who.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), **given})

    def overturn(self) -> None:
        """Opens one of the outcomes in force again."""
        standing = "SELECT d.id FROM decisions d WHERE outcome IS NOT NULL AND verdict <> 'overturn' AND NOT EXISTS (SELECT FROM decisions o WHERE o.supersedes = d.id)"
        if found := sorted(row[0] for row in self.desk.execute(standing)):
            self.chi.post(f"/v1/decisions/{self.chance.choice(found)}/overturn", {"reason_code": REASONS[1], "note": "wrong", "reopen": True})
