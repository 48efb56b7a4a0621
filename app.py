"""The application factory: settings in, a Flask app with everything on it out."""

from __future__ import annotations

from flask import Flask
from htmx_flask import Htmx
from jinja2 import StrictUndefined

from claimcheck import config, logs, web
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.operations import tracing
from claimcheck.store import Store
from claimcheck.web import access, errors, look, requests, resources, same_origin
from claimcheck.web.addresses import Hosts, NumberedRule
from claimcheck.web.headers import Headers
from claimcheck.web.proxies import Proxies

FORM_BYTES = 1024 * 1024  # of a request; an address that takes more says so itself


def create_app(settings: Settings | None = None) -> Flask:
    """The desk as a WSGI application. Raises SettingsError, whose message is for people."""
    settings = settings or config.load()
    config.require(settings, "database_url_web", "redis_url", "s3_endpoint", "s3_access_key", "s3_secret_key", "secret_key")
    logs.configure()
    tracing.begin(settings, "web")
    app = Flask(__name__, static_folder=None)
    app.url_rule_class = NumberedRule
    app.config.update(_config(settings))
    app.jinja_env.undefined = StrictUndefined
    app.extensions["claimcheck"] = web.Desk(settings, Database(settings.database_url_web or "", name="claimcheck-web"), Store(settings))
    for part in (requests, same_origin, access, errors, look, resources):
        part.install(app)
    Htmx(app)
    app.wsgi_app = Headers(Proxies(Hosts(app.wsgi_app, settings), settings.trusted_proxies), settings)
    return app


def _config(settings: Settings) -> dict[str, object]:
    secure = settings.base_url.startswith("https://")
    in_force, *former = str(settings.secret_key).split("\n")
    return {
        "SECRET_KEY": in_force,
        "SECRET_KEY_FALLBACKS": former,
        "SESSION_COOKIE_NAME": "__Host-notices" if secure else f"notices-{settings.port}",  # signed; who somebody is never stands in it
        "SESSION_COOKIE_SECURE": secure,
        "SESSION_PROTECTION": None,  # flask-login's, for sessions that a cookie holds
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "MAX_CONTENT_LENGTH": FORM_BYTES,
        "MAX_FORM_MEMORY_SIZE": FORM_BYTES,
        "MAX_FORM_PARTS": 500,
    }
