"""`simulate`: what a project would cost and how right it would be, by playing a crowd's labels through a throw-away desk."""

from __future__ import annotations

import csv
import json
import logging
import secrets
import signal
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from claimcheck import errors
from claimcheck.cli import terminal
from claimcheck.db import Database
from claimcheck.embedded import throwaway
from claimcheck.experts import crowds, simulating

COLUMNS = ("item", "label", "answers", "used_as_gold")


def simulate(arguments: Namespace) -> int:
    """Progress on standard error; standard output ends with one line of JSON."""
    looks: int | None = arguments.looks
    if looks is not None and not 1 <= looks <= 20:
        raise errors.Invalid.field("looks", "must be from 1 to 20")
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    crowd = crowds.read(arguments.labels, arguments.gold)
    if arguments.results:
        arguments.results.open("a").close()  # better refused now than after the play
    terminal.say(f"{len(crowd.rows):,} labels of {len(crowd.items):,} items, {len(crowd.labels)} different ones; seed {seed}")
    with desk() as place:
        found = simulating.play(place, crowd, seed=seed, looks=looks, say=terminal.say)
    if arguments.results:
        _write(arguments.results, found.results)
    facts = {"accuracy": found.accuracy, "answers_per_item": found.answers_per_item, "paid": found.paid, "undecided": found.undecided, "seed": seed}
    terminal.say(_text(found))
    terminal.put(json.dumps(facts))
    return 0


@contextmanager
def _calm() -> Iterator[None]:
    """Nothing is logged of a desk that nobody works at; asked to end, it goes as by Ctrl-C, so that nothing is left."""
    root = logging.getLogger()
    level, before = root.level, signal.signal(signal.SIGTERM, signal.default_int_handler)
    root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.setLevel(level)
        signal.signal(signal.SIGTERM, before)


@contextmanager
def desk() -> Iterator[simulating.Desk]:
    """A throw-away desk for as long as the block lasts."""
    terminal.say("starting a throw-away desk")
    with _calm(), throwaway.database() as place:
        desk = simulating.Desk(*(Database(conninfo, max_size=2, name="simulate") for conninfo in (place.owner, place.web, place.worker)))
        try:
            yield desk
        finally:
            for db in (desk.owner, desk.web, desk.worker):
                db.close()


def _text(found: simulating.Outcome) -> str:
    right = "no gold to judge by" if found.accuracy is None else f"{100 * found.accuracy:.1f} % right"
    return f"{right}, {found.answers_per_item:.2f} answers an item, {found.paid:,} paid, {found.undecided:,} undecided"


def _write(path: Path, results: list[simulating.Result]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows((r.item, r.label, r.answers, str(r.used_as_gold).lower()) for r in results)
