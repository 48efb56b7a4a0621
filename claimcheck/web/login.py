"""Signing in and out, one's own account, and passwords set through a link."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask_login import current_user
from werkzeug.datastructures import MultiDict

from claimcheck import errors
from claimcheck.access import passwords, sessions
from claimcheck.web import access, desk, htmx, places

blueprint = Blueprint("login", __name__)
KEPT, KEPT_BYTES = "kept.", 200_000


def ask() -> Response:
    """The answer to somebody who is not signed in: to the sign-in and back again.

    htmx is sent there by its own header, since it would swap a followed redirect into the page; a form that was posted
    without script goes into the sign-in form, and is offered again afterwards.
    """
    if htmx.is_htmx():
        response = make_response("", 401)
        response.headers["HX-Redirect"] = _login_with(urlsplit(request.headers.get("HX-Current-URL", "")).path)
        return response
    if request.method == "POST":
        return make_response(_page(target=places.own(urlsplit(request.referrer or "").path), kept=_kept_from_post()), 401)
    return make_response(redirect(_login_with(request.full_path.rstrip("?"))))


def _login_with(path: str) -> str:
    return "/login" + (f"?{urlencode({'next': path})}" if places.own(path) and path != "/" else "")


def _kept_from_post() -> dict[str, list[str]]:
    if request.mimetype != "application/x-www-form-urlencoded" or (request.content_length or 0) > KEPT_BYTES:
        return {}
    fields = {name: values for name, values in request.form.lists() if "password" not in name}
    return {"": [request.path], **fields}


def _page(*, target: str | None = None, email: str = "", error: str = "", kept: dict[str, list[str]] | None = None) -> str:
    return render_template("login/page.html", next=target or "", email=email, error=error, kept=kept or {})


def _kept_from_login(form: MultiDict[str, str]) -> dict[str, list[str]]:
    return {name.removeprefix(KEPT): values for name, values in form.lists() if name.startswith(KEPT)}


@blueprint.get("/login")
@access.public
def page():
    target = places.own(request.args.get("next"))
    if current_user.is_authenticated:
        return redirect(target or places.home(access.current().role))
    return _page(target=target)


@blueprint.post("/login")
@access.public
def sign_in():
    form = request.form
    target, kept = places.own(form.get("next")), _kept_from_login(form)
    try:
        person_id = passwords.check(
            desk().db, email=form.get("email", ""), password=form.get("password", ""), address=_address()
        )
    except (errors.WrongPassword, errors.TooMany) as error:
        response = make_response(_page(target=target, email=form.get("email", "")[:254], error=error.detail, kept=kept), error.status)
        if error.retry_after:
            response.headers["Retry-After"] = str(error.retry_after)
        return response
    return _signed_in(person_id, target, kept)


def _signed_in(person_id: int, target: str | None, kept: dict[str, list[str]]) -> Response:
    """A session under a new secret; whatever the browser brought along is over."""
    to, onward = places.own(kept.pop("", [""])[0], "POST"), target or "/"
    page = render_template("login/kept.html", to=to, kept=kept, next=onward) if to else None
    return _begin(make_response(page) if page else htmx.go(onward), person_id)


def _begin(response: Response, person_id: int) -> Response:
    db = desk().db
    if old := request.cookies.get(access.cookie_name()):
        sessions.end(db, old)
    agent = request.user_agent.string
    access.set_cookie(response, sessions.begin(db, person_id=person_id, address=_address(), agent=agent))
    return response


@blueprint.post("/logout")
@access.public
def sign_out():
    if secret := request.cookies.get(access.cookie_name()):
        sessions.end(desk().db, secret)
    flash("You are signed out.")
    response = htmx.go(url_for("login.page"))
    access.clear_cookie(response)
    return response


@blueprint.get("/password/<secret>")
@access.public
def link(secret: str):
    return render_template("login/password.html", one=passwords.person_of_link(desk().db, secret), error=None)


@blueprint.post("/password/<secret>")
@access.public
def set_by_link(secret: str):
    try:
        passwords.set_by_link(desk().db, secret=secret, password=request.form.get("password", ""))
    except errors.LinkUsed:
        raise
    except errors.Invalid as error:
        person = passwords.person_of_link(desk().db, secret)
        return render_template("login/password.html", one=person, error=error), error.status
    flash("Your password is set. Sign in with it.")
    return htmx.go(url_for("login.page"))


@blueprint.get("/account")
@access.allow()
def account():
    return _account()


def _account(error: errors.Invalid | None = None) -> str:
    me = access.current()
    mine = sessions.live(desk().db, person_id=me.id, current=request.cookies.get(access.cookie_name(), ""))
    return render_template("login/account.html", sessions=mine, error=error, shortest=passwords.SHORTEST)


@blueprint.post("/account/password")
@access.allow()
def change_password():
    me, db, form = access.current(), desk().db, request.form
    try:
        if not passwords.is_right(db, person=me, password=form.get("current", ""), address=_address()):
            raise errors.Invalid.field("current", "that is not your password")
        passwords.choose(db, person=me, password=form.get("password", ""), by=me.id)
    except errors.Invalid as error:
        return _account(error), error.status
    flash("Your password is changed, and you are signed out everywhere else.")
    return _begin(htmx.go(url_for("login.account")), me.id)


@blueprint.post("/account/other-sessions/end")
@access.allow()
def end_other_sessions():
    me = access.current()
    ended = sessions.end_all(desk().db, person_id=me.id, by=me.id, kept=request.cookies[access.cookie_name()])
    flash(f"Signed out in {ended} other {'place' if ended == 1 else 'places'}." if ended else "You are signed in nowhere else.")
    return htmx.go(url_for("login.account"))


def _address() -> str:
    return request.remote_addr or "0.0.0.0"  # noqa: S104 (a name for "unknown")
