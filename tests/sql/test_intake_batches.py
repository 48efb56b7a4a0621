"""Batches: a sending of any length, chunk by chunk, in flat memory; sent again it does no harm."""

from __future__ import annotations

import io
import json
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from claimcheck import errors, items, lines
from claimcheck.intake import batches, dead_letters
from tests.intake import World, row


class Rows(io.RawIOBase):
    """An NDJSON stream that is made while it is read: `n` rows of about a kilobyte, some of them bad."""

    def __init__(self, n: int, bad: dict[int, bytes] | None = None):
        self.rows = iter(range(n))
        self.bad, self.rest = bad or {}, b""

    def read(self, size: int = -1, /) -> bytes:
        while len(self.rest) < size and (n := next(self.rows, None)) is not None:
            self.rest += (self.bad.get(n) or json.dumps(row(f"k{n}", f"{n} " + "x" * 900)).encode()) + b"\n"
        block, self.rest = self.rest[:size], self.rest[size:]
        return block


def _take(world: World, project: int, stream: Any) -> batches.Sent:
    return batches.take(world.web, project=project, by=world.cast.eve.id, rows=lines.read(stream))


def _load(world: World, batch_id: int) -> batches.Batch:
    return batches.load(world.web, batch_id=batch_id, person=world.cast.eve)


BAD = {3: b"\xff\xfe", 700: b'{"idempotency_key": "k", "payload": {"a": "\x00"}}', 701: b"[" * 10_000, 1200: b"{}"}


def test_it_takes_a_stream_whose_rows_are_partly_bad(world: World) -> None:
    project = world.project()
    sent = _take(world, project, Rows(1300, BAD))
    assert (sent.accepted, sent.repeated, sent.refused) == (1296, 0, 4)
    refused = dead_letters.of_batch(world.web, batch_id=sent.batch_id)
    assert [r.field for r in refused] == ["items[3]", "items[700]", "items[701]", "items[1200].idempotency_key"]
    assert [letter.body for letter in world.refused(project)] == list(BAD.values())
    found = _load(world, sent.batch_id)
    assert (found.accepted, found.claimable, found.refused, found.closed_at is not None) == (1296, 0, 4, True)


def test_it_takes_a_stream_that_was_cut_when_it_is_sent_again(world: World) -> None:
    project = world.project()

    def cut() -> Iterator[Any]:
        for n, line in enumerate(lines.read(Rows(1200))):
            if n == 1100:
                raise ConnectionResetError
            yield line

    batch_id = batches.open(world.web, project_id=project, by=world.cast.eve.id)
    with pytest.raises(ConnectionResetError):
        batches.take(world.web, project=project, by=world.cast.eve.id, rows=cut(), batch_id=batch_id)
    left = _load(world, batch_id)
    assert (left.accepted, left.closed_at) == (1000, None)
    again = _take(world, project, Rows(1200))
    assert (again.accepted, again.repeated) == (200, 1000)
    assert _load(world, again.batch_id).repeated == 1000


def test_it_takes_ten_thousand_rows_in_flat_memory(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SPOOL_PARTS", 10**6)
    peaks = [_peak(world, 1000), _peak(world, 10_000)]
    assert peaks[1] < peaks[0] * 1.5 + 1_000_000, peaks


def _peak(world: World, n: int) -> int:
    project = world.project()
    tracemalloc.start()
    try:
        assert _take(world, project, Rows(n)).accepted == n
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        world.quiet()


def test_it_holds_a_stream_back_while_the_spool_is_full_and_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SPOOL_PARTS", 400)
    monkeypatch.setattr(batches, "PATIENCE_SECONDS", 120.0)
    project, done = world.project(), threading.Event()

    def publish() -> None:
        while not done.is_set():
            world.publish()
            done.wait(0.05)

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        assert _take(world, project, Rows(1200)).accepted == 1200
    finally:
        done.set()
        publisher.join()


def test_it_tells_a_stream_to_come_again_when_the_spool_stays_full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SPOOL_PARTS", 400)
    monkeypatch.setattr(batches, "PATIENCE_SECONDS", 0.1)
    project = world.project()
    with pytest.raises(errors.QueueSaturated) as told:
        _take(world, project, Rows(1200))
    batch_id = told.value.facts["batch_id"]
    assert isinstance(batch_id, int)
    assert (_load(world, batch_id).accepted, _load(world, batch_id).closed_at) == (500, None)


def test_it_shows_a_batch_to_those_who_may_see_it(world: World) -> None:
    batch_id = _take(world, world.project(), io.BytesIO(b"{}")).batch_id
    for who in ("eve", "chi", "dov"):
        assert batches.load(world.web, batch_id=batch_id, person=getattr(world.cast, who)).refused == 1
    with pytest.raises(errors.NotFound):
        batches.load(world.web, batch_id=batch_id, person=world.cast.ada)
