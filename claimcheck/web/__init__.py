"""The desk in a browser: one module a resource, each with its `blueprint`. The only place that imports Flask."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from flask import Flask, current_app

from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.store import Store

RESOURCES = (
    "login", "pages", "people", "libraries", "payload", "review", "assignments", "decisions", "escalations", "work", "projects", "items",
    "effects", "api", "docs", "metrics",
)  # fmt: skip


@dataclass(frozen=True)
class Desk:
    """What a view works with."""

    settings: Settings
    db: Database
    store: Store


def desk() -> Desk:
    """The desk of the current app."""
    return current_app.extensions["claimcheck"]


def install(app: Flask) -> None:
    """Registers the blueprint of every resource that is built."""
    for name in RESOURCES:
        built = import_module(f"claimcheck.web.{name}") if find_spec(f"claimcheck.web.{name}") else None
        if hasattr(built, "blueprint"):
            app.register_blueprint(built.blueprint)
