"""What both sources promise: every message once, in the order of its partition, whoever is killed."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from claimcheck import errors
from claimcheck.intake import messages, sending, streams
from claimcheck.intake.pool import Pool
from claimcheck.intake.streams import STREAM
from tests import pipeline
from tests.doors import Door, Killed
from tests.intake import World
from tests.pipeline import items, message


@pytest.fixture
def stream(world: World, valkey: str, valkey_admin: str) -> Iterator[Door]:
    world.quiet()
    door = Door(world, "stream", valkey, valkey_admin)
    yield door
    door.end()


def bodies(project: int, count: int, partitions: str = "PQR") -> list[bytes]:
    return [message(project, f"{n:03}", partitions[n % len(partitions)]) for n in range(count)]


def by_partition(world: World, project: int) -> dict[str, list[str]]:
    found = defaultdict(list)
    rows = world.all("SELECT p.key, i.idempotency_key FROM items i JOIN partitions p ON p.id = i.partition_id "
                     "WHERE i.project_id = %s ORDER BY i.partition_no", project)  # fmt: skip
    for partition, key in rows:
        found[partition].append(key)
    return dict(found)


def whole(world: World, project: int, count: int, partitions: str = "PQR") -> None:
    """Each has its item, in order, and nothing is left over."""
    expected = {p: [f"{n:03}" for n in range(count) if partitions[n % len(partitions)] == p] for p in partitions}
    assert by_partition(world, project) == expected and not world.refused(project)


async def until(holds: Callable[[], Any], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.02)


async def all_of(consumer: Any, runs: Sequence[Any]) -> None:
    for run in runs:
        await consumer.handle([run])


def test_it_gives_each_once_and_in_order(door: Door) -> None:
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 300))
        pool = Pool(door.consumer(), lambda: pipeline.settings(prefetch=40, run_messages=10))
        running = asyncio.create_task(pool.run())
        await until(lambda: pool.status.handled == 300)
        pool.stop()
        assert await running
        await pool.source.close()
        assert door.kind == "inbox" or not door.admin.exists(streams.READER)
        await door.rest()

    door.play(main)
    whole(door.world, project, 300)
    assert door.left() == 0


@pytest.mark.parametrize("fate", ["before", "after", "between"])
def test_it_loses_nothing_with_a_consumer_that_is_killed(door: Door, fate: str) -> None:
    """Before its commit, after it (an acknowledgement that never came), or with what it had only pulled."""
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 40))
        first, second = door.consumer([fate]), door.consumer()
        runs = await first.pull(20)
        if fate != "between":
            with pytest.raises(Killed):
                await first.handle(runs[:1])
        door.lapse()
        await all_of(second, await second.pull(20))
        await door.rest()

    door.play(main)
    whole(door.world, project, 40)
    assert door.left() == 0


def test_it_reads_again_in_order_what_was_handed_back(door: Door) -> None:
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 30, "P"))
        consumer = door.consumer()
        first = await consumer.pull(10)
        door.send(bodies(project, 40, "P")[30:])
        await consumer.hand_back(first)
        again = await consumer.pull(10)
        assert sum(run.size for run in again) == sum(run.size for run in first) == 10
        await all_of(consumer, again)
        await door.rest()

    door.play(main)
    whole(door.world, project, 40, "P")


def test_it_gives_a_partition_to_one_of_two(door: Door) -> None:
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 200))
        asked = pipeline.settings(prefetch=20, run_messages=5)
        pools = [Pool(door.consumer(name=f"pool {n}"), lambda: asked) for n in range(2)]
        running = [asyncio.create_task(pool.run()) for pool in pools]
        await until(lambda: sum(pool.status.handled for pool in pools) >= 200)
        for pool in pools:
            pool.stop()
        await asyncio.gather(*running)
        assert sum(pool.status.handled for pool in pools) == 200
        await door.rest()

    door.play(main)
    whole(door.world, project, 200)


def test_it_does_not_let_a_late_consumer_turn_the_order_round(door: Door) -> None:
    """It was taken for dead, and goes on beside the one that has its work by now."""
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 30, "P"))
        late, next_one = door.consumer(), door.consumer()
        first = await late.pull(10)
        door.lapse()
        await all_of(next_one, await next_one.pull(10))
        try:
            await all_of(late, first)
        except errors.LeaseExpired:
            assert door.kind == "inbox"
        assert door.kind == "inbox" or not await late.pull(10), "another one reads"
        await door.rest()

    door.play(main)
    whole(door.world, project, 30, "P")


def test_it_keeps_the_loop_free_while_a_handler_computes(door: Door) -> None:
    """Its thread comes back only once the loop has gone on beside it."""
    project, began, seen = door.world.project(), threading.Event(), threading.Event()

    async def main() -> None:
        door.send(bodies(project, 3, "P"))
        consumer = door.consumer()
        what = "_handle" if door.kind == "inbox" else "_admit"
        whole_ = getattr(consumer, what)

        def compute(*args: Any, **more: Any) -> Any:
            began.set()
            assert seen.wait(30), "the loop stood still"
            return whole_(*args, **more)

        setattr(consumer, what, compute)
        handling = asyncio.create_task(all_of(consumer, await consumer.pull(10)))
        await until(began.is_set)
        seen.set()
        await handling
        await door.rest()

    door.play(main)
    whole(door.world, project, 3, "P")


def test_it_knows_a_key_for_ever(door: Door) -> None:
    """Years after its message was handled, when nothing but the ledger is left of it: a repeat is none, other content is refused and kept."""
    project = door.world.project()

    async def main() -> None:
        door.send(bodies(project, 6))
        await door.rest()
        door.clear()
        door.world.sql.execute("ALTER TABLE messages DISABLE TRIGGER append_only")
        door.world.sql.execute("UPDATE messages SET received_at = '2001-01-01' WHERE project_id = %s", [project])
        door.world.sql.execute("ALTER TABLE messages ENABLE TRIGGER append_only")
        door.send([*bodies(project, 6), message(project, "000", "P", variance_amount="99.00")])
        await door.rest()

    door.play(main)
    expected = {p: [f"{n:03}" for n in range(6) if "PQR"[n % 3] == p] for p in "PQR"}
    assert by_partition(door.world, project) == expected and door.left() == 0
    [letter] = door.world.refused(project)
    assert (letter.cause, json.loads(bytes(letter.body))["variance_amount"]) == ("other_content", "99.00")


HOURS = (0, 26, -26, 3, -3)  # that producers' clocks are wrong by


def test_it_minds_no_producers_clock(door: Door) -> None:
    """Producers whose clocks differ by days send to one partition in turn: the order is that of arrival, whatever time they write down, also as an entry's id."""
    project, began = door.world.project(), time.time()
    hours = [HOURS[n % len(HOURS)] for n in range(20)]

    def say(n: int, at: float) -> bytes:
        told = datetime.fromtimestamp(at, UTC).isoformat()
        return message(project, f"{n:03}", "P", payload={"ours": "100.00", "theirs": "112.50", "sent_at": told}, trace_id=f"{at:.0f}")

    async def main() -> None:
        for n, wrong in enumerate(hours):
            at = began + 3600 * wrong
            door.send([say(n, at)], at)
        await door.rest()

    door.play(main)
    whole(door.world, project, 20, "P")
    assert door.world.one("SELECT max(abs(extract(epoch FROM clock_timestamp() - received_at))) FROM messages WHERE project_id = %s", project) < 3600


def test_it_suspends_while_the_inbox_is_full(stream: Door) -> None:
    project = stream.world.project()

    async def main() -> None:
        stream.settings = pipeline.settings(inbox_limit=10)
        stream.send(bodies(project, 40))
        consumer = stream.consumer()
        await all_of(consumer, await consumer.pull(10))
        with pytest.raises(errors.QueueSaturated):
            await consumer.pull(10)
        assert stream.world.one("SELECT count(*) FROM inbox") == 10
        stream.settings = pipeline.SETTINGS
        await stream.rest()

    stream.play(main)
    whole(stream.world, project, 40)


def test_it_keeps_what_is_no_message(stream: Door) -> None:
    async def main() -> None:
        stream.admin.xadd(STREAM, {"body": b"\xff{", "producer": "engine 7"})
        stream.admin.xadd(STREAM, {"nothing": "here"})
        await stream.rest()

    stream.play(main)
    first, second = stream.world.all("SELECT * FROM dead_letters WHERE source = 'stream' ORDER BY id DESC LIMIT 2")[::-1]
    assert (bytes(first.body), first.headers, first.gate) == (b"\xff{", {"producer": "engine 7"}, "structural")
    assert json.loads(bytes(second.body)) == {"nothing": "here"} and stream.left() == 0


def test_it_is_not_stopped_by_what_the_database_can_not_hold(stream: Door) -> None:
    """Whatever a producer puts there, it is kept, and what stands behind it is read."""
    project = stream.world.project()
    long = b"x" * (messages.BYTES + 5)

    async def main() -> None:
        stream.admin.xadd(STREAM, {"body": b"no JSON", b"odd\xff\x00": b"a\x00b\nc", "long": "y" * 5000, **{f"h{n}": "1" for n in range(100)}})
        stream.admin.xadd(STREAM, {b"nothing\x00": b"\xff\x00"})
        stream.admin.xadd(STREAM, {"body": long})
        stream.send([message(project, "behind")])
        await stream.rest()

    stream.play(main)
    assert items(stream.world, project) == ["behind"] and stream.left() == 0
    odd, nothing, large = stream.world.all("SELECT * FROM dead_letters WHERE source = 'stream' ORDER BY id DESC LIMIT 3")[::-1]
    assert len(odd.headers) <= 50 and all(len(text) <= 500 and text.isprintable() for pair in odd.headers.items() for text in pair)
    assert json.loads(bytes(nothing.body)) == {"nothing\0": "\\xff\0"}, "every byte can be told"
    assert (large.cause, bytes(large.body)) == ("too_large", long[: messages.BYTES]) and f"{len(long):,}" in large.detail


def test_it_admits_large_entries_in_several_calls(stream: Door) -> None:
    project, calls = stream.world.project(), list[int]()

    async def main() -> None:
        stream.send([message(project, f"{n}", payload={"text": "x" * 900_000}) for n in range(8)])
        consumer = stream.consumer()
        admit = consumer._admit
        consumer._admit = lambda db, bodies, **more: (calls.append(sum(map(len, bodies))), admit(db, bodies, **more))
        await all_of(consumer, await consumer.pull(10))
        await stream.rest()

    stream.play(main)
    assert len(calls) > 1 and max(calls) <= sending.CALL_BYTES and items(stream.world, project) == [f"{n}" for n in range(8)]


def test_it_lives_through_a_flush(stream: Door) -> None:
    """What wasn't admitted is gone with its Redis; everything after it is read."""
    project = stream.world.project()

    async def main() -> None:
        consumer = stream.consumer()
        stream.send([message(project, "lost", "P")])
        assert await consumer.pull(10)
        stream.admin.flushdb()
        stream.send([message(project, "kept", "P")])
        runs: Sequence[Any] = []
        async with asyncio.timeout(30):
            while not runs:
                runs = await consumer.pull(10)
        await consumer.handle(runs)
        await stream.rest()

    stream.play(main)
    assert items(stream.world, project) == ["kept"]


def test_it_does_not_let_the_stream_grow(stream: Door) -> None:
    project = stream.world.project()

    async def main() -> None:
        stream.send(bodies(project, 1000))
        await stream.rest()

    stream.play(main)
    assert stream.admin.xlen(STREAM) <= 200
    whole(stream.world, project, 1000)


def test_it_says_so_when_its_redis_is_away(stream: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "valkey", "redis://127.0.0.1:1/0")

    async def main() -> None:
        with pytest.raises(errors.Unavailable):
            await stream.consumer().pull(10)

    stream.play(main)


KEYS = 6
EXAMPLES = int(os.environ.get("DESK_STORMS", "30"))  # more by hand
STEPS = ["send", "send", "pull", "pull", "finish", "before", "before", "after", "kill", "lapse", "lapse", "back"]
STORM = st.fixed_dictionaries(
    {
        "deliveries": st.lists(st.integers(1, 5), min_size=2, max_size=KEYS).flatmap(
            lambda times: st.permutations([key for key, n in enumerate(times) for _ in range(n)])
        ),
        "steps": st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 2)), min_size=10, max_size=40),
    }
)  # fmt: skip


class Storm:
    """Consumers that are killed while messages come again and again; a model knows in which order each came first."""

    def __init__(self, door: Door, project: int, deliveries: Sequence[int]):
        self.door, self.project, self.to_send = door, project, list(deliveries)
        self.first: dict[str, list[str]] = {}
        self.fates: list[list[str]] = [[], [], []]
        self.consumers = [door.consumer(fate) for fate in self.fates]
        self.held: list[list[Any]] = [[], [], []]

    def send(self, _: int = 0, count: int = 3) -> None:
        now, self.to_send = self.to_send[:count], self.to_send[count:]
        for key in now:
            order = self.first.setdefault("PQ"[key % 2], [])
            if f"{key}" not in order:
                order.append(f"{key}")
        self.door.send([message(self.project, f"{key}", "PQ"[key % 2], variance_amount=str(key % 3)) for key in now])

    async def step(self, what: str, who: int) -> None:
        if what == "send":
            await asyncio.to_thread(self.send)
        elif what == "pull":
            self.held[who] += await self.consumers[who].pull(4)
        elif what == "lapse":
            self.door.lapse()
        elif what == "kill":
            self.held[who], self.consumers[who] = [], self.door.consumer(self.fates[who])
        elif holders := [one for one in range(3) if self.held[one]]:
            await self.finish(what, holders[who % len(holders)])

    async def finish(self, what: str, who: int) -> None:
        run = self.held[who].pop(0)
        self.fates[who][:] = [what] if what in ("before", "after") else []
        try:
            await (self.consumers[who].hand_back([run, *self.held[who]]) if what == "back" else self.consumers[who].handle([run]))
        except errors.LeaseExpired:
            assert self.door.kind == "inbox"
        except Killed:
            self.held[who], self.consumers[who] = [], self.door.consumer(self.fates[who])
        if what == "back":
            self.held[who] = []

    async def end(self) -> None:
        while self.to_send:
            await asyncio.to_thread(self.send)
        await self.door.rest()


def play_storms(door: Door, examples: int = EXAMPLES, **more: Any) -> None:
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large], **more)
    @given(STORM)
    def check(given_: dict[str, Any]) -> None:
        door.world.quiet()
        door.clear()
        project = door.world.project()

        async def main() -> Storm:
            storm = Storm(door, project, given_["deliveries"])
            for what, who in given_["steps"]:
                await storm.step(what, who)
            await storm.end()
            return storm

        storm = door.play(main)
        assert by_partition(door.world, project) == storm.first
        assert not door.world.refused(project) and door.left() == 0
        pipeline.settle(door.world)
        assert delivered(door.world, project) == storm.first

    check()


def test_it_holds_in_a_storm_of_redelivery(door: Door) -> None:
    """Each message comes one to five times in any order: one item a key, in the order of first arrival, through to the delivered outcomes."""
    play_storms(door)


async def _acknowledge_first(source: streams.StreamSource, runs: Sequence[streams.StreamRun]) -> None:
    for run in runs:
        await source._acknowledge([entry.id for entry in run.entries])
    await HANDLE(source, runs)


HANDLE = streams.StreamSource.handle


STREAM_MUTANTS: list[tuple[Any, str, Any]] = [
    (streams.StreamSource, "handle", _acknowledge_first),
    (streams, "OWN", streams.OWN.replace("until cursor == '0-0'", "until true").replace("'XAUTOCLAIM', KEYS[1], ARGV[3], ARGV[1], 0", "'XAUTOCLAIM', KEYS[1], ARGV[3], ARGV[1], 99999999")),
]


@pytest.mark.parametrize(("what", "name", "instead"), STREAM_MUTANTS, ids=["XACK before the commit", "nobody takes a dead one's entries"])
def test_that_storm_notices_when(stream: Door, monkeypatch: pytest.MonkeyPatch, what: Any, name: str, instead: Any) -> None:
    monkeypatch.setattr(what, name, instead)
    with pytest.raises(AssertionError):
        play_storms(stream, 200, derandomize=True, phases=[Phase.generate])


def delivered(world: World, project: int) -> dict[str, list[str]]:
    """The keys of the outcomes, in the order in which effects are applied."""
    rows = world.all(
        "SELECT p.key, i.idempotency_key FROM outbox o JOIN decisions d ON d.id = o.decision_id JOIN items i ON i.id = d.item_id "
        "JOIN partitions p ON p.id = i.partition_id WHERE i.project_id = %s ORDER BY o.effect_no", project)  # fmt: skip
    found = defaultdict(list)
    for partition, key in rows:
        found[partition].append(key)
    return dict(found)
