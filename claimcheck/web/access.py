"""Who may open which address. An address is shut until `allow` or `public` opens it, and a test walks them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import Flask, Request, Response, current_app, g, request
from flask_login import LoginManager, UserMixin, current_user

from claimcheck import errors
from claimcheck.access import people, sessions
from claimcheck.access.people import Person
from claimcheck.web.same_origin import is_api

View = TypeVar("View", bound=Callable[..., object])


@dataclass(frozen=True)
class Policy:
    """No roles: for everybody. A background address (a poll, a heartbeat) does not keep a session alive."""

    roles: frozenset[str]
    background: bool = False


PUBLIC = Policy(frozenset())


class SignedIn(UserMixin):
    """flask-login's view of a person."""

    def __init__(self, person: Person):
        self.person, self.id = person, str(person.id)


def allow(*roles: str, background: bool = False) -> Callable[[View], View]:
    """Opens a page to people of these roles; to everybody who is signed in where none is named. Goes below the route's decorator."""
    policy = Policy(frozenset(roles or people.ROLES), background)

    def declare(view: View) -> View:
        view.policy = policy  # pyright: ignore[reportFunctionMemberAccess]
        return view

    return declare


def public(view: View) -> View:
    """Opens an address to everybody."""
    view.policy = PUBLIC  # pyright: ignore[reportFunctionMemberAccess]
    return view


def policy_of(endpoint: str | None) -> Policy | None:
    """The policy that the endpoint's view declares."""
    return getattr(current_app.view_functions.get(endpoint or ""), "policy", None)


def current() -> Person:
    """Who is signed in. Raises Unauthenticated."""
    if is_api() or not current_user.is_authenticated:
        raise errors.Unauthenticated()
    return current_user.person


def check() -> None:
    """Before each request: raises Unauthenticated or Forbidden. The API judges its own, by the bearer token."""
    if request.endpoint is None or is_api():
        return
    policy = policy_of(request.endpoint)
    if policy is None:
        raise errors.Forbidden()
    if policy.roles and current().role not in policy.roles:
        raise errors.Forbidden()


def cookie_name() -> str:
    """`__Host-` where the cookie can be Secure; else with the port in it, for a browser sends cookies to every port of a host."""
    settings = current_app.extensions["claimcheck"].settings
    return "__Host-claimcheck" if current_app.config["SESSION_COOKIE_SECURE"] else f"claimcheck-{settings.port}"


def set_cookie(response: Response, secret: str) -> None:
    """Hands the session's secret to the browser; it goes when the browser closes."""
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    response.set_cookie(cookie_name(), secret, path="/", httponly=True, secure=secure, samesite="Lax")


def clear_cookie(response: Response) -> None:
    """Takes the session's secret out of the browser."""
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    response.delete_cookie(cookie_name(), path="/", httponly=True, secure=secure, samesite="Lax")


def _load(request: Request) -> SignedIn | None:
    secret = request.cookies.get(cookie_name())
    if not secret or is_api() or g.get("sessions_away"):
        return None
    policy = policy_of(request.endpoint)
    background = policy is not None and policy.background
    g.sessions_away = True  # unless it is answered: then the error's page does not wait for it once more
    person = sessions.person_of(current_app.extensions["claimcheck"].db, secret, background=background)
    g.sessions_away = False
    return SignedIn(person) if person else None


def install(app: Flask) -> None:
    """flask-login over our own session rows: the signed cookie of Flask carries notices, never who somebody is."""
    manager = LoginManager()
    manager.init_app(app, add_context_processor=False)  # its own would break the error pages when the sessions can't be read
    manager.request_loader(_load)
    app.before_request(check)
