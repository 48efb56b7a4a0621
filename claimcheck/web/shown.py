"""An item's payload as views, read part by part, masked; each read and each reveal is on record before its first byte."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from flask import request, url_for

from claimcheck import errors, evidence, projects, rendering
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.access.people import Person
from claimcheck.evidence import OpenPart
from claimcheck.rendering.views import View
from claimcheck.review.assignments import Assignment
from claimcheck.review.history import Facts
from claimcheck.rules import Reason, Rules
from claimcheck.web import desk

BROKEN = "The payload is not available: the store does not have it as it was accepted."
GONE = "Your time ran out, so it is not shown. Take it again to see it."
AWAY = "The store does not answer, so the payload can't be shown now. Reload the page in a moment; the item stays yours."


@dataclass(frozen=True)
class Masks:
    """What is masked of an item: each field with whether it is revealed just now, and what may be named as the purpose."""

    fields: list[tuple[str, bool]]
    purposes: list[Reason]
    purpose: str | None


def asked() -> Reveal:
    """What the form at hand wants revealed."""
    fields = tuple(name.replace("\0", "") for name in request.form.getlist("reveal")[: masking.FIELDS])
    return Reveal(fields, request.form.get("purpose", "").replace("\0", "") or None) if fields else masking.NOTHING


def in_force(project_id: int) -> Rules:
    """The rules whose masks hold now, whatever an item was handed out under."""
    return projects.rules(desk().db, project_id, projects.version(desk().db, project_id))


def masks(project_id: int, reveal: Reveal = masking.NOTHING) -> Masks | None:
    """What a project masks for its reviewers and leads; None for nothing. Raises Invalid for a reveal that can't be."""
    rules = in_force(project_id)
    if reveal is not masking.NOTHING:
        masking.check(reveal, masked=rules.masked, purposes=[p.code for p in rules.purposes])
    if not rules.masked:
        return None
    return Masks([(name, name in reveal.fields) for name in rules.masked], rules.purposes, reveal.purpose)


def views(assignment: Assignment, me: int, rules: Rules, reveal: Reveal = masking.NOTHING) -> tuple[View, ...] | str:
    """What a reviewer sees of the item in their hands, or a sentence on why it is not shown. Raises Invalid for a reveal that can't be."""

    def opened(n: int, reveal: Reveal) -> OpenPart:
        return evidence.open_part(desk().db, desk().store, assignment_id=assignment.id, person_id=me, n=n, reveal=reveal)

    def href(n: int, purpose: str | None) -> str:
        return url_for("payload.part", assignment_id=assignment.id, n=n, purpose=purpose)

    hidden = in_force(assignment.project_id).masked
    return _Item(assignment.item_id, assignment.evidence_version, hidden, reveal, opened, href).views(rules)


def of_item(facts: Facts, version: int, me: Person, reveal: Reveal = masking.NOTHING) -> tuple[View, ...] | str:
    """What a lead, or the customer (who sent it, and sees it unmasked), sees of a version. Raises Invalid for a reveal that can't be."""
    rules = projects.rules(desk().db, facts.project_id, facts.project_version)

    def opened(n: int, reveal: Reveal) -> OpenPart:
        asked = {"item_id": facts.id, "version": version, "n": n, "purpose": "item page", "reveal": reveal}
        return evidence.open_item_part(desk().db, desk().store, person=me, **asked)

    def href(n: int, purpose: str | None) -> str:
        return url_for("payload.item_part", item_id=facts.id, version=version, n=n, purpose=purpose)

    hidden = in_force(facts.project_id).masked if me.role == "lead" else []
    return _Item(facts.id, version, hidden, reveal, opened, href).views(rules)


@dataclass(frozen=True)
class _Item:
    """One version of an item on its way to a screen."""

    id: int
    version: int
    masked: list[str]
    reveal: Reveal
    opened: Callable[[int, Reveal], OpenPart]
    href: Callable[[int, str | None], str]

    def views(self, rules: Rules) -> tuple[View, ...] | str:
        parts = [self._part(p) for p in evidence.parts(desk().db, item_id=self.id, version=self.version)]
        files = {part.name for part in parts}
        hidden = [name for name in self.masked if name not in self.reveal.fields]
        shown = rendering.Rules.of(rules.show or (), [p.model_dump() for p in rules.pairs], hidden)

        def read(part: rendering.Part, limit: int) -> bytes:
            asked = self._whole() if part.name in self.reveal.fields else self._fields(files) if part.n == 0 else masking.NOTHING
            with closing(self.opened(part.n, asked).stream) as stream:  # pyright: ignore[reportArgumentType]
                return _first(stream, limit)

        try:
            return rendering.show(parts, read, shown)
        except errors.Unavailable:
            return AWAY
        except (errors.PayloadMissing, errors.PayloadDamaged):
            return BROKEN
        except (errors.StaleLease, errors.NotFound):
            return GONE

    def _part(self, part: evidence.Part) -> rendering.Part:
        purpose = self.reveal.purpose if part.name in self.reveal.fields else None
        return rendering.Part(part.n, part.name, part.content_type, part.size, self.href(part.n, purpose))

    def _whole(self) -> Reveal:
        return Reveal((), self.reveal.purpose)

    def _fields(self, files: set[str]) -> Reveal:
        """What is to be revealed of the payload's fields: files are revealed where they are read."""
        fields = tuple(name for name in self.reveal.fields if name not in files)
        return Reveal(fields, self.reveal.purpose) if fields else masking.NOTHING


def _first(stream: object, limit: int) -> bytes:
    found = bytearray()
    for chunk in stream:  # pyright: ignore[reportGeneralTypeIssues]
        found += chunk
        if len(found) >= limit:
            break
    return bytes(found[:limit])
