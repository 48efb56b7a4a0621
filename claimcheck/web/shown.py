"""An item's payload as views, read part by part; each read is on record before its first byte."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from flask import url_for

from claimcheck import errors, evidence, projects, rendering
from claimcheck.assignments import Assignment
from claimcheck.evidence import OpenPart
from claimcheck.history import Facts
from claimcheck.people import Person
from claimcheck.rendering.views import View
from claimcheck.rules import Rules
from claimcheck.web import desk

BROKEN = "The payload is not available: the store does not have it as it was accepted."
GONE = "Your time ran out, so it is not shown. Take it again to see it."
AWAY = "The store does not answer, so the payload can't be shown now. Reload the page in a moment; the item stays yours."


def views(assignment: Assignment, me: int, rules: Rules) -> tuple[View, ...] | str:
    """What a reviewer sees of the item in their hands, or a sentence on why it is not shown."""

    def opened(n: int) -> OpenPart:
        return evidence.open_part(desk().db, desk().store, assignment_id=assignment.id, person_id=me, n=n)

    def href(n: int) -> str:
        return url_for("payload.part", assignment_id=assignment.id, n=n)

    return _views(assignment.item_id, assignment.evidence_version, rules, opened, href)


def of_item(facts: Facts, version: int, me: Person) -> tuple[View, ...] | str:
    """What a lead, or the customer, sees of a version."""
    rules = projects.rules(desk().db, facts.project_id, facts.project_version)

    def opened(n: int) -> OpenPart:
        return evidence.open_item_part(desk().db, desk().store, person=me, item_id=facts.id, version=version, n=n, purpose="item page")

    def href(n: int) -> str:
        return url_for("payload.item_part", item_id=facts.id, version=version, n=n)

    return _views(facts.id, version, rules, opened, href)


def _views(
    item_id: int, version: int, rules: Rules, opened: Callable[[int], OpenPart], href: Callable[[int], str]
) -> tuple[View, ...] | str:
    stored = evidence.parts(desk().db, item_id=item_id, version=version)
    parts = [rendering.Part(p.n, p.name, p.content_type, p.size, href(p.n)) for p in stored]

    def read(part: rendering.Part, limit: int) -> bytes:
        with closing(opened(part.n).stream) as stream:  # pyright: ignore[reportArgumentType]
            return _first(stream, limit)

    try:
        return rendering.show(parts, read, rendering.Rules.of(rules.show or (), [p.model_dump() for p in rules.pairs]))
    except errors.Unavailable:
        return AWAY
    except (errors.PayloadMissing, errors.PayloadDamaged):
        return BROKEN
    except (errors.StaleLease, errors.NotFound):
        return GONE


def _first(stream: object, limit: int) -> bytes:
    found = bytearray()
    for chunk in stream:  # pyright: ignore[reportGeneralTypeIssues]
        found += chunk
        if len(found) >= limit:
            break
    return bytes(found[:limit])
