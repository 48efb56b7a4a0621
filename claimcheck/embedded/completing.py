"""Settings made whole: what a first start makes and keeps, and what must not be given by halves."""

from __future__ import annotations

from typing import Any

from claimcheck import config
from claimcheck.config import Settings
from claimcheck.embedded import servers
from claimcheck.embedded.home import Home

LOOPBACK = "127.0.0.0/8,::1/128"


def whole(settings: Settings) -> Settings:
    """The same. Raises SettingsError where servers of one's own are named only in part."""
    if settings.database_url or settings.database_url_web or settings.database_url_worker:
        config.require(settings, "database_url", "database_url_web", "database_url_worker", "secret_key")
    if settings.s3_endpoint:
        config.require(settings, "s3_access_key", "s3_secret_key")
    return settings


def made(settings: Settings, home: Home) -> Settings:
    """With the secret key, and where this is a demo with its password and the right to send webhooks to this machine."""
    found: dict[str, Any] = {"demo": _is_demo(settings)}
    found["secret_key"] = settings.secret_key or home.secrets()["secret_key"]
    if found["demo"]:
        found["demo_password"] = home.demo_password(settings.demo_password)
        found["webhook_allow"] = settings.webhook_allow or LOOPBACK
    return changed(settings, **found)


def _is_demo(settings: Settings) -> bool:
    """Only on servers of our own, for people on this machine."""
    return settings.demo and settings.is_loopback and len(servers.wanted(settings)) == len(servers.ADDRESS)


def changed(settings: Settings, **found: Any) -> Settings:
    """A checked copy with other values."""
    given = {name: getattr(settings, name) for name in settings.model_fields_set}
    return Settings(**{**given, **found})
