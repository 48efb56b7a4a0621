"""What the filters offer: reviewers, and a project's queues and reasons."""

from __future__ import annotations

from dataclasses import dataclass

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a filter may take, under its name."""

    filter: str
    value: str
    label: str


def of_project(db: Database, *, project_id: int | None) -> dict[str, list[Choice]]:
    """Choices by filter: queue, reason (both empty without a project) and reviewer."""
    found: dict[str, list[Choice]] = {"queue": [], "reason": [], "reviewer": []}
    for choice in db.all("triage/choices", Choice, project_id=project_id):
        found[choice.filter].append(choice)
    return found
