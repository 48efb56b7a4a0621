"""People: operators add them, give them skills, shut their accounts; leads may look."""

from __future__ import annotations

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.access import passwords, people, sessions, tokens
from claimcheck.web import access, desk, htmx

blueprint = Blueprint("people", __name__, url_prefix="/people")
PAGE = 100
TIERS = [str(tier) for tier in people.TIERS]


@blueprint.get("")
@access.allow("lead", "operator")
def index():
    return _index()


def _index(error: errors.Error | None = None) -> str:
    args, db = request.args, desk().db
    role = args.get("role") if args.get("role") in people.ROLES else None
    found = people.page(db, after=args.get("after", "").replace("\0", ""), role=role, search=args.get("q"), limit=PAGE + 1)
    return render_template(
        "people/index.html",
        listed=found[:PAGE],
        more=len(found) > PAGE,
        search=args.get("q", ""),
        role=role,
        roles=people.ROLES,
        typed={name: request.form.get(name, "") for name in ("name", "email", "role", "skills", "customer")},
        error=error,
    )


@blueprint.post("")
@access.allow("operator")
def add():
    form = request.form
    customer = form.get("customer", "").strip() or None
    skills = [name for name in form.get("skills", "").split(",") if name.strip()]
    facts = {"name": form.get("name", ""), "email": form.get("email", ""), "role": form.get("role", ""), "customer": customer}
    try:
        person = desk().db.together(lambda connection: people.add(connection, **facts, skills=skills, by=access.current().id))
    except (errors.Invalid, errors.NameTaken) as error:
        return _index(error), error.status
    flash(f"{person.name} is added. Now make the link that lets them choose a password.")
    return htmx.go(url_for("people.show", person_id=person.id))


@blueprint.get("/<int:person_id>")
@access.allow("lead", "operator")
def show(person_id: int):
    return _show(person_id)


def _show(person_id: int, *, error: errors.Error | None = None, link: str | None = None, token: str | None = None) -> str:
    db = desk().db
    return render_template(
        "people/show.html",
        one=people.load(db, person_id=person_id),
        skills=people.skills(db, person_id=person_id),
        known=people.known_skills(db),
        tiers=people.TIERS,
        holds=people.holds(db, person_id=person_id),
        sessions=sessions.live(db, person_id=person_id),
        tokens=tokens.live(db, person_id=person_id),
        error=error,
        link=link,
        token=token,
    )


@blueprint.post("/<int:person_id>/skills")
@access.allow("operator")
def set_skill(person_id: int):
    """A tier from 0 to 3 gives the skill or changes it; `none` takes it away."""
    form, me, db = request.form, access.current(), desk().db
    skill, tier = form.get("skill", ""), form.get("tier", "")
    try:
        if tier == "none":
            people.take_skill(db, person_id=person_id, skill=skill, by=me.id)
        else:
            people.give_skill(db, person_id=person_id, skill=skill, tier=int(tier) if tier in TIERS else -1, by=me.id)
    except errors.Invalid as error:
        return _show(person_id, error=error), error.status
    return htmx.go(url_for("people.show", person_id=person_id))


@blueprint.post("/<int:person_id>/disablement")
@access.allow("operator")
def disable(person_id: int):
    try:
        gone = people.disable(desk().db, person_id=person_id, by=access.current().id)
    except errors.Invalid as error:
        return _show(person_id, error=error), error.status
    flash(_told(gone))
    return htmx.go(url_for("people.show", person_id=person_id))


def _told(gone: people.Disabled) -> str:
    """What ended with the account, in a sentence."""
    parts = [f"{gone.sessions} sessions and {gone.tokens} tokens ended"]
    if gone.item_id:
        parts.append(f"item {gone.item_id} went back to {'an escalation' if gone.escalation_id else 'the queue'}")
    return f"The account is disabled: {', '.join(parts)}."


@blueprint.post("/<int:person_id>/disablement/end")
@access.allow("operator")
def enable(person_id: int):
    people.enable(desk().db, person_id=people.load(desk().db, person_id=person_id).id, by=access.current().id)
    flash("The account is open again. Old sessions and tokens stay ended.")
    return htmx.go(url_for("people.show", person_id=person_id))


@blueprint.post("/<int:person_id>/password-link")
@access.allow("operator")
def make_link(person_id: int):
    """The link is in the answer only: it is kept nowhere, so it cannot be shown again."""
    secret = passwords.link(desk().db, person_id=person_id, by=access.current().id)
    return _show(person_id, link=desk().settings.base_url + url_for("login.link", secret=secret))


@blueprint.post("/<int:person_id>/tokens")
@access.allow("operator")
def make_token(person_id: int):
    return _show(person_id, token=tokens.make(desk().db, person_id=person_id, by=access.current().id))


@blueprint.post("/<int:person_id>/tokens/<int:token_id>/revocation")
@access.allow("operator")
def revoke_token(person_id: int, token_id: int):
    tokens.revoke(desk().db, token_id=token_id, person_id=person_id, by=access.current().id)
    flash("The token is revoked.")
    return htmx.go(url_for("people.show", person_id=person_id))


@blueprint.post("/<int:person_id>/sessions/end")
@access.allow("operator")
def end_sessions(person_id: int):
    person = people.load(desk().db, person_id=person_id)
    ended = sessions.end_all(desk().db, person_id=person.id, by=access.current().id)
    flash(f"{ended} sessions ended.")
    return htmx.go(url_for("people.show", person_id=person_id))
