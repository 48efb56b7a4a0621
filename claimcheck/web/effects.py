"""Effects: what waits and what failed, for operators; a project's webhook and its calls, for whom the project concerns."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.outbound import deliveries, effects, outbox
from claimcheck.outbound.effects import Webhook
from claimcheck.web import access, desk, htmx, numbers

blueprint = Blueprint("effects", __name__)


@blueprint.get("/effects")
@access.allow("operator")
def index():
    return _index()


@blueprint.get("/effects/now")
@access.allow("operator", background=True)
def now():
    return render_template("effects/_now.html", **_facts())


def _index(*, error: errors.Error | None = None, skipping: int | None = None) -> str:
    return render_template("effects/index.html", **_facts() | {"error": error, "skipping": skipping})


def _facts() -> dict[str, Any]:
    db, after = desk().db, numbers.whole(request.args.get("after", ""), 0, digits=17)
    failed = outbox.dead(db, after=after)
    facts = {"failed": failed, "more": len(failed) == outbox.SHOWN, "trying": outbox.trying(db), "waiting": outbox.waiting(db)}
    return facts | {"webhooks": effects.webhooks(db)} | {"after": after, "error": None, "skipping": None, "reason": request.form.get("reason", "")}


@blueprint.post("/effects/<int:outbox_id>/attempts")
@access.allow("operator")
def retry(outbox_id: int):
    try:
        outbox.retry(desk().db, outbox_id=outbox_id, me=access.current().id)
    except errors.Conflict as error:
        return _index(error=error), error.status
    flash("It is tried again, under the same webhook-id.")
    return htmx.go(url_for("effects.index"))


@blueprint.post("/effects/attempts")
@access.allow("operator")
def retry_all():
    """All that failed, or what failed of one effect."""
    one = numbers.whole(request.form.get("effect_id", ""), None)
    count = outbox.retry_all(desk().db, me=access.current().id, effect_id=one)
    flash(f"{count} {'is' if count == 1 else 'are'} tried again." if count else "It is so already: nothing has failed that was not tried again.")
    return htmx.go(url_for("effects.index"))


@blueprint.post("/effects/<int:outbox_id>/skip")
@access.allow("operator")
def skip(outbox_id: int):
    try:
        outbox.skip(desk().db, outbox_id=outbox_id, me=access.current().id, reason=request.form.get("reason", "").replace("\0", ""))
    except (errors.Invalid, errors.Conflict) as error:
        return _index(error=error, skipping=outbox_id), error.status
    flash("It is skipped, on record; what waited behind it goes on.")
    return htmx.go(url_for("effects.index"))


@blueprint.get("/projects/<int:project_id>/webhook")
@access.allow("lead", "customer", "operator")
def webhook(project_id: int):
    return _webhook(_load(project_id))


def _load(project_id: int) -> Webhook:
    """The webhook, if the asker may see its project. Raises NotFound."""
    return effects.load(desk().db, project_id=project_id, customer_id=projects.reach(access.current()))


def _webhook(one: Webhook, *, secret: str | None = None) -> str:
    return render_template("effects/webhook.html", one=one, calls=deliveries.last(desk().db, effect_id=one.effect_id), secret=secret)


@blueprint.post("/projects/<int:project_id>/webhook/secrets")
@access.allow("customer", "operator")
def rotate(project_id: int):
    """The secret is in the answer only: it cannot be shown again."""
    one = _load(project_id)
    secret = effects.rotate(desk().db, project_id=project_id, me=access.current().id, settings=desk().settings)
    return _webhook(effects.load(desk().db, project_id=one.project_id), secret=secret)


@blueprint.post("/projects/<int:project_id>/webhook/tests")
@access.allow("lead", "customer", "operator")
def test(project_id: int):
    one, me = _load(project_id), access.current().id
    answer = deliveries.test(desk().db, deliveries.sender(desk().settings), project_id=one.project_id, me=me)
    flash(answer.error or f"The receiver took the test event and answered {answer.status}.")
    return htmx.go(url_for("effects.webhook", project_id=project_id))


@blueprint.post("/projects/<int:project_id>/webhook/use")
@access.allow("operator")
def switch_on(project_id: int):
    effects.switch_on(desk().db, project_id=_load(project_id).project_id, me=access.current().id)
    flash("The webhook is in use again; what waited for it is on its way.")
    return htmx.go(url_for("effects.webhook", project_id=project_id))
