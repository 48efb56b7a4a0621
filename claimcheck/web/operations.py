"""What operators may do to the desk: each act a button, what may hurt asks for a reason. `bin/claimcheck` has them all too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.operations import alerting, drafts, drains, history, queues, reasons, replaying, secrets
from claimcheck.proof import keys
from claimcheck.web import access, desk, htmx, numbers

blueprint = Blueprint("operations", __name__, url_prefix="/operations")
OLD_DAYS = 30  # of drafts, where nobody says


@blueprint.get("")
@access.allow("operator")
def index():
    return _index()


@blueprint.get("/now")
@access.allow("operator", background=True)
def now():
    return render_template("operations/_now.html", **_facts())


def _index(*, act: str = "", error: errors.Error | None = None, tried: str = "") -> str:
    """`act` is the form that was sent, which shows its error or what a dry run said, and what was typed."""
    return render_template("operations/index.html", **_facts() | {"act": act, "error": error, "tried": tried})


def _facts() -> dict[str, Any]:
    """How everything is, and what was typed, if anything was."""
    db, typed = desk().db, request.form
    acts = history.lately(db)
    return {
        "alerts": alerting.lately(db), "programs": drains.state(db), "queues": queues.page(db), "unapplied": replaying.unapplied(db),
        "reach": secrets.reach(db), "keys": keys.all(db), "acts": acts, "replayed": getattr(replaying.last(acts), "id", 0),
        "act": "", "reason": typed.get("reason", ""), "days": typed.get("days", str(OLD_DAYS)),
        "failed": bool(typed.get("failed")), "queue": typed.get("queue", ""),
    }  # fmt: skip


def _done(act: str, work: Callable[[], str]):
    """Does it and says so, or shows the page with what is wrong beside the form."""
    try:
        flash(work())
    except errors.Error as error:
        return _index(act=act, error=error), error.status
    return htmx.go(url_for("operations.index"))


def _reason() -> str:
    return request.form.get("reason", "")


@blueprint.post("/drain")
@access.allow("operator")
def drain():
    def work() -> str:
        if not drains.drain(desk().db, me=access.current().id, reason=_reason()):
            raise errors.Conflict("It is so already: somebody else had the programs take nothing new. Nothing was changed.")
        return "Nothing new is taken. What is in hand is finished; this page says when all is empty."

    return _done("drain", work)


@blueprint.post("/drain/end")
@access.allow("operator")
def resume():
    def work() -> str:
        done = drains.resume(desk().db, me=access.current().id, reason=_reason())
        return "The programs take work again." if done else "It is so already: the programs take work."

    return _done("drain", work)


@blueprint.post("/queues")
@access.allow("operator")
def pause_queue():
    """`queue` is the project's number and the queue's name, apart by a colon; `open` resumes it."""

    def work() -> str:
        number, _, name = request.form.get("queue", "").partition(":")
        how = {
            "project_id": numbers.whole(number, 0),
            "name": name.replace("\0", ""),
            "me": access.current().id,
        }
        if request.form.get("open"):
            done = queues.resume(desk().db, **how, reason=_reason())
            return f"The queue {name} is open again." if done else f"It is so already: the queue {name} is open."
        if not queues.pause(desk().db, **how, reason=_reason()):
            raise errors.Conflict(f"It is so already: the queue {name} is paused. Nothing was changed.")
        return f"The queue {name} is paused: nothing more of it is handed out; what people hold, they may finish."

    return _done("queue", work)


@blueprint.post("/replays")
@access.allow("operator")
def replay():
    """`seen` is the last replay that the page knew of: a newer one is told first, and nothing is done twice unawares."""

    def work() -> str:
        last, seen = replaying.last(history.lately(desk().db)), numbers.whole(request.form.get("seen", ""), None, digits=17)
        if last and seen is not None and last.id > seen:
            said = f"It is so already: {last.by} had everything tried at once since you looked. Nothing was changed."
            raise errors.Conflict(f"{said} Press again to have it tried once more.")
        n = replaying.replay(desk().db, me=access.current().id, reason=_reason(), failed=bool(request.form.get("failed")))
        return f"{n:,} {'is' if n == 1 else 'are'} tried at once. A receiver that had one already knows it by its webhook-id."

    return _done("replay", work)


@blueprint.post("/signing-keys")
@access.allow("operator")
def rotate_signing_key():
    def work() -> str:
        made = keys.rotate(desk().db, str(desk().settings.secret_key), me=access.current().id, reason=reasons.optional(_reason()))
        return f"Key {made} signs what is decided from {keys.AHEAD:.0f} seconds from now on. Receipts of the former keys stay good."

    return _done("signing-key", work)


@blueprint.post("/revocations")
@access.allow("operator")
def revoke():
    """The asker's own session is kept: somebody has to go on."""

    def work() -> str:
        kept = request.cookies.get(access.cookie_name(), "")
        gone = secrets.revoke(desk().db, me=access.current().id, reason=_reason(), kept=kept)
        return f"{gone.tokens:,} tokens and {gone.sessions:,} sessions ended; yours goes on."

    return _done("revoke", work)


@blueprint.post("/prunings")
@access.allow("operator")
def prune():
    """With `try` it says how many there are, and throws none away."""
    typed = request.form.get("days", "")
    days = numbers.whole(typed, 0, digits=5)
    if request.form.get("try"):
        try:
            n = drafts.old(desk().db, days=days)
        except errors.Invalid as error:
            return _index(act="prune", error=error), error.status
        return _index(act="prune", tried=f"{n:,} {'draft is' if n == 1 else 'drafts are'} older than {days} days. Nothing was changed.")

    def work() -> str:
        n = drafts.prune(desk().db, days=days, me=access.current().id, reason=_reason())
        return f"{n:,} {'draft' if n == 1 else 'drafts'} thrown away."

    return _done("prune", work)
