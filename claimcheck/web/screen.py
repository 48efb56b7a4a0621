"""Puts the review screen together: the item, its form and clock, or the page that says what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Response, make_response, render_template, url_for

from claimcheck import errors, projects
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.bulk import batch_decisions
from claimcheck.bulk.samples import Bound
from claimcheck.control import guidance
from claimcheck.review import assignments, decisions, drafts, history, looks, tasks
from claimcheck.review.assignments import Assignment
from claimcheck.rules import Rules
from claimcheck.web import access, adjudication, controls, desk, filters, shown
from claimcheck.web.controls import Typed
from claimcheck.web.look import span

LEADS = ("escalation",)  # kinds of task that only leads get
BESIDE_REVIEW = ("escalation", "adjudication")  # queues that leads work through on a page of their own


@dataclass(frozen=True)
class Clock:
    """The lease in a line. `state`: held, idle (not extended), lapsed (run out, free), lost. `spent`: per cent of the lease."""

    state: str
    left: int
    of: int
    last: bool = False
    word: str = ""
    next: str = ""

    @property
    def spent(self) -> int:
        return 100 - round(100 * min(1.0, self.left / self.of))


@dataclass(frozen=True)
class Heading:
    """What stands over the payload. Ages in seconds; `opened`: how often it was left undecided."""

    title: str
    age: float
    due: str
    late: bool
    opened: int


@dataclass(frozen=True)
class Banner:
    """One sentence on what is unusual, and the next step. `again`: with a button that takes the item again."""

    what: str
    next: str
    shape: str
    again: bool = False


CHANGED = Banner("The item changed while you were looking at it.", "This is what it is now: look again, then decide. Your words are kept.", "ask")
LAPSED = Banner("Your time ran out, and nobody has taken it yet.", "You may still submit, or take it again for more time.", "ask", again=True)
LOST = {
    "taken": ("Somebody else has it now", "Your time ran out, and it was handed on."),
    "free": ("It went back to the queue", "Nobody holds it at the moment."),
    "decided": ("It is decided", "Others have settled it; there is nothing left to do here."),
    "disputed": ("The looks are in", "Others have given the looks that were wanted; there is nothing left to do here."),
    "passed_on": ("It is with the leads now", "It was left undecided too often, or a look asked for them."),
    "cancelled": ("The project was cancelled", "Your time has run out, and nothing more is taken."),
    "closed": ("It is not yours any more", "You may not take it again."),
    "again": ("You hold it in another place", "You took it again; this is the old page."),
}
ENDED = {"released": "You gave it back.", "skipped": "You skipped it.", "revoked": "It was taken back by the desk."}


def rules_of(assignment: Assignment) -> Rules:
    """The rules that its decision is judged by."""
    return projects.rules(desk().db, assignment.project_id, assignment.project_version)


def clock(assignment: Assignment, *, whole: int = 1, idle: bool = False) -> Clock:
    """Of a lease that holds, or has run out without anybody taking the item. `whole`: seconds of a full one."""
    if not assignment.live:
        return _lapsed(assignment.id)
    left = int((assignment.lease_expires - assignment.server_now).total_seconds())
    return Clock("idle" if idle else "held", left, max(left, whole, 1), last=assignment.lease_expires >= assignment.hold_until)


def _lapsed(assignment_id: int) -> Clock:
    return Clock("lapsed", 0, 1, word="Time ran out, still free", next=url_for("assignments.show", assignment_id=assignment_id))


def lost_clock(where: looks.Whereabouts) -> Clock:
    """Of a lease that is gone."""
    if where.state == "lapsed":
        return _lapsed(where.id)
    word = "Decided" if where.state == "submitted" else LOST.get(where.state, LOST["closed"])[0]
    return Clock("lost", 0, 1, word=word, next=url_for("assignments.show", assignment_id=where.id))


def show(assignment_id: int, me: int, *, typed: Typed | None = None, banner: Banner | None = None, invalid: errors.Invalid | None = None,
         reveal: Reveal = masking.NOTHING, **more: Any) -> Response:  # fmt: skip
    """The page of one of the caller's assignments, whatever became of it. It claims nothing."""
    db = desk().db
    assignment = assignments.load(db, assignment_id=assignment_id, me=me)
    if assignment.live:
        return _review(assignment, me, typed, banner, invalid, reveal, more)
    where = looks.whereabouts(db, assignment_id=assignment_id, me=me)
    if where.state == "submitted":
        return decided(assignment, typed)
    if where.state in ("yours", "lapsed"):
        return _review(assignment, me, typed, banner or LAPSED, invalid, reveal, more)
    return lost(assignment, where, me, typed)


def _review(assignment: Assignment, me: int, typed: Typed | None, banner: Banner | None, invalid: errors.Invalid | None,
            reveal: Reveal, more: dict[str, Any]) -> Response:  # fmt: skip
    db, rules, leads = desk().db, rules_of(assignment), access.current().role == "lead"
    kept = None if typed else drafts.load(db, task_id=assignment.task_id, me=me)
    filled = typed or (Typed.of_draft(kept.body) if kept else Typed())
    context = {
        "here": "/escalations" if assignment.queue in BESIDE_REVIEW and leads else "/review",
        "leads": leads,
        "assignment": assignment,
        "heading": heading(assignment),
        "clock": clock(assignment, whole=rules.lease_seconds),
        "form": controls.form(rules, assignment.kind, filled),
        "skips": rules.skip_reasons,
        "rules": rules,
        "guided": guidance.at(db, project_id=assignment.project_id, moment=assignment.claimed_at),
        "payload": (payload := shown.views(assignment, me, rules, reveal)),
        "masks": shown.masks(assignment.project_id, reveal) if isinstance(payload, tuple) else None,
        "blind": payload == shown.BROKEN,
        "looks": _looks(assignment),
        "sampled": _sampled(assignment) if leads else None,
        "disagreement": adjudication.of(assignment, rules),
        "draft": int((assignment.server_now - kept.saved_at).total_seconds()) if kept else None,
        "banner": banner,
        "sent_back": looks.sent_back(db, task_id=assignment.task_id) if assignment.parent_id else None,
        "form_errors": invalid.errors or [errors.FieldError("", invalid.detail)] if invalid else [],
    }
    return make_response(render_template("assignments/show.html", **context, **left(me), **more))


def _looks(assignment: Assignment) -> list[history.Entry] | None:
    """What was done before, for leads; a reviewer's look is blind, and an adjudicator sees cards without names."""
    if assignment.kind not in LEADS:
        return None
    return [entry for entry in history.of_item(desk().db, item_id=assignment.item_id) if entry.kind != "held"]


def _sampled(assignment: Assignment) -> tuple[int, Bound] | None:
    """The batch decision in whose sample the item is, for its lead, and how far that sample is."""
    number = batch_decisions.of_assignment(desk().db, assignment_id=assignment.id)
    found = number and batch_decisions.progress(desk().db, batch_decisions.load(desk().db, batch_id=number))
    return (number, found) if number and found else None


def left(me: int) -> dict[str, Any]:
    """What is left for this person; `left_mark` changes with it."""
    found = tasks.left(desk().db, me=me)
    return {"left": found, "left_mark": f"{found.waiting}.{found.held}.{(found.next_free_seconds or 0) // 60}.{found.done_today}"}


def heading(assignment: Assignment) -> Heading:
    """What stands over the payload."""
    now = assignment.server_now
    due = (assignment.deadline - now).total_seconds() if assignment.deadline else None
    return Heading(
        title=filters.honest(assignment.title or assignment.idempotency_key),
        age=(now - assignment.arrived_at).total_seconds(),
        due="" if due is None else f"Due in {span(due)}" if due > 0 else f"Late by {span(-due)}",
        late=due is not None and due <= 0,
        opened=assignment.lease_count - 1 if assignment.wanted == 1 and assignment.queue not in BESIDE_REVIEW else 0,
    )


def lost(assignment: Assignment, where: looks.Whereabouts, me: int, typed: Typed | None) -> Response:
    """What became of a lease that is gone, the words that were typed under it, and the next step."""
    kept = None if typed else drafts.load(desk().db, task_id=assignment.task_id, me=me)
    words = typed or (Typed.of_draft(kept.body) if kept else Typed())
    what, then = LOST[where.ended_as if where.ended_as in ("decided", "disputed") and where.state == "passed_on" else where.state]
    said = controls.form(rules_of(assignment), assignment.kind, words)
    context = {
        "here": "/review",
        "assignment": assignment,
        "heading": heading(assignment),
        "where": where,
        "what": what,
        "then": ENDED.get(where.end_reason or "", then),
        "typed": words,
        "chosen": _chosen(said),
        "holding": looks.holding(desk().db, me=me),
    }
    return make_response(render_template("assignments/lost.html", **context, **left(me)))


def _chosen(form: controls.Form) -> list[str]:
    """What was chosen and why, in words."""
    every = [*form.controls, *([form.escalate] if form.escalate else [])]
    return [c.label for c in every if c.checked] + [r.label for r in form.reasons if r.checked]


def decided(assignment: Assignment, typed: Typed | None = None) -> Response:
    """The decision that was made under a lease. `typed` is a second one, which was not taken."""
    if assignment.decision_id is None:
        raise errors.NotFound()
    decision = decisions.load(desk().db, decision_id=assignment.decision_id)
    rules = projects.rules(desk().db, decision.project_id, decision.project_version)
    said = controls.words(rules, verdict=decision.verdict, answer=decision.answer)
    reason = next((r.label for r in rules.reason_codes if r.code == decision.reason_code), decision.reason_code)
    other = typed if typed and not typed.empty else None
    context = {
        "here": "/review",
        "assignment": assignment,
        "heading": heading(assignment),
        "decision": decision,
        "said": said,
        "reason": reason,
        "other": other,
        "chosen": _chosen(controls.form(rules, assignment.kind, other)) if other else [],
        "holding": looks.holding(desk().db, me=assignment.person_id),
    }
    return make_response(render_template("assignments/decided.html", **context))
