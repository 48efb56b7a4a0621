"""Words for the review screens: times left, counts that stop, and what an entry of a history says."""

from __future__ import annotations

from markupsafe import Markup

from claimcheck.rendering import FIELDS, marks, prose, views
from claimcheck.rendering.views import View
from claimcheck.review.history import Entry
from claimcheck.review.looks import Escalation
from claimcheck.rules import Rules
from claimcheck.web import controls

CAP = 200  # where tasks.left stops counting
LEFT = {"released": "Released", "skipped": "Skipped", "expired": "Time ran out", "revoked": "Ended by the desk"}
BECAUSE = {
    "abandoned": "left undecided too often",
    "escalated": "a reviewer asked for it",
    "disputed": "the looks are in, and somebody trusted settles it",
    "audit": "the looks agree, and are checked now and then",
    "returned": "sent back by a lead",
    "reopened": "opened again",
    "retracted": "a label was taken back",
    "four_eyes": "the project wants a second pair of eyes on it",
    "seen_differently": "two people see it differently",
    "evidence_changed": "the evidence changed while it waited for a second pair of eyes",
    "rules_changed": "what the project asks or shows changed while it waited for a second pair of eyes",
    "undone": "a batch decision was undone",
}
ACTED = {
    "item.assigned": "Kept for somebody",
    "item.unassigned": "Kept for nobody any more",
    "item.moved": "Moved to another queue",
    "item.prioritised": "Priority set",
    "item.cancelled": "Cancelled",
}
SHAPES = {"approve": "ok", "reject": "no", "escalate": "ask"}


def minutes(seconds: int) -> str:
    """21:40, or 1 h 05 min."""
    if seconds >= 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"
    return f"{seconds // 60}:{seconds % 60:02}"


def about(seconds: int) -> str:
    """A wait as people say it: a minute, 12 min, 3 h."""
    if seconds < 90:
        return "a minute" if seconds >= 45 else "half a minute"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{round(seconds / 3600)} h"


def capped(count: int) -> str:
    """A count that stops at its limit says so."""
    return f"{CAP}+" if count >= CAP else str(count)


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def some_of(names: list[str]) -> str:
    """A few names, and how many more."""
    if len(names) <= 4:
        return ", ".join(names[:-1]) + f" and {names[-1]}" if names[1:] else "".join(names)
    return ", ".join(names[:3]) + f" and {len(names) - 3} other projects"


def honest(text: str) -> str:
    """A key or a title with what would hide or turn its characters shown by name: ‹RLO›."""
    return "".join(f"‹{span.text}›" if span.mark else span.text for span in marks.spans(text))


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def span_of_choices(form: controls.Form) -> str:
    """How many to choose."""
    if form.at_least == form.at_most:
        return f"Choose {form.at_least}."
    return f"Choose {form.at_least} to {form.at_most}." if form.at_least else f"Choose up to {form.at_most}, or none."


def look_shape(entry: Entry) -> str:
    """The mark of an entry of a history: ok, no, ask, other, or gone."""
    if entry.decided:
        return SHAPES.get(entry.verdict or entry.outcome or "", "other")
    return "gone" if entry.kind in LEFT else "other"


def look_words(entry: Entry, rules: Rules | None) -> str:
    """What happened, in a few words."""
    if entry.hidden:
        return "Decided; hidden until the other looks are in"
    if entry.kind == "overturn":
        return "Overturned: open again" if entry.outcome == "reopen" else f"Overturned: {_said(entry, rules)}"
    if entry.decided:
        return ("Settled: " if entry.kind == "outcome" else "") + _said(entry, rules)
    if entry.kind == "moved":
        if entry.reason == "seen_differently":
            return f"To the leads: {BECAUSE[entry.reason]}"
        to = {"escalation": "the leads", "adjudication": "adjudication", "approval": "other eyes"}.get(entry.task_kind, "review")
        return f"To {to}: {BECAUSE.get(entry.reason or '', entry.reason or '')}"
    if entry.kind == "acted":
        return ACTED[entry.reason or ""]
    return LEFT.get(entry.kind) or {"held": "Held now", "lapsed": "Held, time ran out", "sent_back": "Sent back to review"}[entry.kind]


def _said(entry: Entry, rules: Rules | None) -> str:
    verdict = entry.outcome if entry.kind == "overturn" and entry.answer is None else entry.verdict
    return controls.words(rules, verdict=None if entry.kind == "overturn" and entry.answer is not None else verdict, answer=entry.answer)


def why_escalated(escalation: Escalation) -> str:
    """Why an escalation came, with its numbers."""
    if escalation.because == "abandoned":
        return f"Left undecided {times(escalation.abandoned or 0)}"
    if escalation.kind == "approval":
        return "Two people see it differently"
    if escalation.kind == "adjudication":  # also where it is an audit: what the looks said is its holder's to see
        return f"{len(escalation.votes or ())} looks to adjudicate"
    return f"A reviewer asks: {escalation.reason}" if escalation.reason else "A reviewer asks"


VOIDED = {
    "evidence": "the evidence changed",
    "rules": "what the project asks or shows changed",
    "undone": "the batch decision was undone",
}


def approval_words(state: str, because: str | None = None) -> str:
    """Where an approval stands; of a voided one, because of what."""
    return {
        "pending": "Waits for somebody else to look",
        "approved": "Approved",
        "rejected": "Two people see it differently: a lead decides",
        "resolved": "Resolved",
        "voided": f"Voided: {VOIDED.get(because or '', 'what it was about changed')}",
    }[state]


def view_title(view: View) -> str:
    """What a panel of the payload is called on its tab."""
    if isinstance(view, views.Aligned | views.Pair):
        return view.title or f"{view.left.label.text} and {view.right.label.text}" if isinstance(view, views.Pair) else view.title or "Side by side"
    if isinstance(view, views.Missing):
        return view.label.text
    return "Fields" if view.part is None or view.part.name == FIELDS else view.part.name


def markdown(text: str) -> Markup:
    """What a project's owner wrote in Markdown."""
    return Markup(prose.html(text))  # noqa: S704 - cleaned


FILTERS = {
    f.__name__: f
    for f in (
        approval_words, minutes, about, capped, some_of, times, honest, sentence, span_of_choices, look_shape, look_words, why_escalated,
        view_title, markdown,
    )
}
