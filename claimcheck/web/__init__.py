"""The desk in a browser: one module a resource, each with its `blueprint`. The only place that imports Flask."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.store import Store


@dataclass(frozen=True)
class Desk:
    """What a view works with."""

    settings: Settings
    db: Database
    store: Store


def desk() -> Desk:
    """The desk of the current app."""
    return current_app.extensions["claimcheck"]
