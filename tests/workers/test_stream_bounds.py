"""What a stream's reader takes at once, what it cuts off, and what it says of a server that keeps nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import redis.exceptions

from claimcheck import lines
from claimcheck.intake import messages, parameters, streams
from claimcheck.intake.streams import GROUP, STREAM
from tests import pipeline
from tests.doors import Door
from tests.intake import World


@pytest.fixture
def stream(world: World, valkey: str, valkey_admin: str) -> Iterator[Door]:
    world.quiet()
    door = Door(world, "stream", valkey, valkey_admin)
    yield door
    door.end()


def test_it_takes_no_more_bytes_than_there_is_room_for(stream: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at them every few entries; what is left comes with the next pull."""
    monkeypatch.setattr(streams, "AT_ONCE", 2)
    stream.settings = pipeline.settings(prefetch_bytes=parameters.MIB)
    stream.send([b"%d" % n + b" " * 400_000 for n in range(10)])

    async def main() -> list[list[int]]:
        consumer = stream.consumer()
        pulled = [await consumer.pull(200) for _ in range(4)]
        assert all(run.bytes <= parameters.MIB + 2 * 400_100 for runs in pulled for run in runs)
        return [[int(entry.body) for run in runs for entry in run.entries] for runs in pulled]

    assert stream.play(main) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], []]


def test_it_reads_again_in_the_same_bounds(stream: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "AT_ONCE", 2)
    stream.settings = pipeline.settings(prefetch_bytes=parameters.MIB)
    stream.send([b"%d" % n + b" " * 400_000 for n in range(7)])

    async def once() -> list[list[int]]:
        async with asyncio.timeout(60):
            consumer = stream.consumer()
            await consumer.pull(200)
            await consumer.pull(200)
            await consumer.hand_back([])
            pulled = [await consumer.pull(200) for _ in range(3)]
            return [[int(entry.body) for run in runs for entry in run.entries] for runs in pulled]

    assert stream.play(once) == [[0, 1, 2, 3], [4, 5, 6], []]


def test_it_carries_every_piece_as_it_was_written(stream: Door) -> None:
    long = b"x" * (messages.BYTES + 5)
    stream.admin.xadd(STREAM, {"body": b"\x00\xff1", "a": b"b", "\u00e9": b""})
    stream.admin.xadd(STREAM, {"body": long})
    stream.admin.xadd(STREAM, {"other": b"1"})

    async def main() -> Any:
        [run] = await stream.consumer().pull(200)
        return run.entries

    first, second, third = stream.play(main)
    assert first.body == b"\x00\xff1" and first.headers == (("a", "b"), ("\u00e9", ""))
    assert isinstance(second.body, lines.TooLong) and second.body.size == len(long) and second.body.beginning == long[: messages.BYTES]
    assert third.body == b'{"other": "1"}' and third.headers == (("other", "1"),)


def test_it_cuts_nothing_off_by_an_id_of_before_a_flush(stream: Door) -> None:
    """With a clock set back, entries that nobody has read have lower ids than what is acknowledged late."""
    stream.admin.xadd(STREAM, {"body": b"old"}, id="9000000000000-0")

    async def main() -> int:
        consumer = stream.consumer()
        [run] = await consumer.pull(10)
        stream.admin.flushdb()
        stream.admin.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
        for n in range(300):  # trimming goes by whole nodes of the stream
            stream.admin.xadd(STREAM, {"body": b"new"}, id=f"1000000000000-{n}")
        await consumer._acknowledge([entry.id for entry in run.entries])
        return int(stream.admin.xlen(STREAM))  # type: ignore[arg-type]

    assert stream.play(main) == 300


@pytest.mark.parametrize(("kept", "said"), [(1, None), (0, "not on the disk"), (None, "can't be seen")])
def test_it_says_that_a_server_keeps_nothing(stream: Door, monkeypatch: pytest.MonkeyPatch, kept: int | None, said: str | None) -> None:
    told = list[str]()
    for level in ("warning", "error"):
        monkeypatch.setattr(streams.log, level, lambda event, **more: told.append(f"{event} {more.get('fix')}"))

    async def main() -> None:
        consumer = stream.consumer()

        async def info(_: str) -> dict[str, int]:
            if kept is None:
                raise redis.exceptions.NoPermissionError("no INFO")
            return {"aof_enabled": kept}

        monkeypatch.setattr(consumer.client, "info", info)
        await consumer.pull(1)
        await consumer.pull(1)

    stream.play(main)
    assert len(told) == (said is not None) and all(str(said) in one and "appendonly yes" in one for one in told)
