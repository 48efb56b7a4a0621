"""Ours: claim and submit through the modules that the web uses, with every rule, event and effect."""

from __future__ import annotations

import time

from bench import pair, sides
from bench.peers.places import Places

NAME = "the desk"


def prepare(places: Places) -> None:
    """Its database is made with its floor."""


def add(places: Places, n: int) -> None:
    """Its floor has enough."""


def work(places: Places, end: float) -> list[float]:
    side, done = sides.open_side(places.web, pair.reviewer(places.number)), []
    while time.monotonic() < end:
        sides.look_once(side)
        done.append(time.monotonic())
    return done
