"""Messages in a stream of Redis or Valkey: read by one reader at a time, in the stream's order, and acknowledged once the inbox has them."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar
from uuid import uuid4

import redis.asyncio
import redis.exceptions

from claimcheck import errors, lines, logs
from claimcheck.db import Database
from claimcheck.intake import admission, messages, sending
from claimcheck.intake.admission import Body, Sender
from claimcheck.intake.sources import Settings, Threads

STREAM, GROUP, READER = "claimcheck:intake", "claimcheck", "claimcheck:intake:reader"
FIELD, NEW = "body", ">"
SYSTEM = 0  # who sends: whoever may write to the stream may send for every project
AT_ONCE = 25  # entries that a script reads before it looks at their bytes
FAILED_SECONDS = 1.0  # until what failed by its own fault is read again

# One reader at a time, by a key that it renews; with it come the entries that others read and never acknowledged, so that they are read again, before
# new ones and in their order. In one script: whoever lost the key between two commands would take entries away from the reader after it.
OWN = """
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
if owner then return 1 end
local cursor = '0-0'
repeat
    local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[3], ARGV[1], 0, cursor, 'COUNT', 1000, 'JUSTID')
    cursor = claimed[1]
until cursor == '0-0'
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[3])) do
    local known = {}
    for n = 1, #consumer, 2 do known[consumer[n]] = consumer[n + 1] end
    if known['name'] ~= ARGV[1] and known['pending'] == 0 then redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[3], known['name']) end
end
return 2
"""
# Who is no longer the reader reads nothing. A few entries at a time, as long as there is room for their bytes, and no piece longer than it is kept.
# They come as two texts, for a reply of many small parts costs its reader more than all else: the sizes (of each entry how many pieces it has, and
# how long its id, names and values are), and the pieces.
READ = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return redis.error_reply('NOTREADER another one reads') end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
local left, cursor, room, longest = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local sizes, pieces = {}, {}
local function put(piece)
    sizes[#sizes + 1] = struct.pack('>I4', #piece)
    if #piece > longest then piece = string.sub(piece, 1, longest) end
    pieces[#pieces + 1] = piece
    room = room - #piece
end
while left > 0 and room > 0 do
    local asked = math.min(left, tonumber(ARGV[8]))
    local found = redis.call('XREADGROUP', 'GROUP', ARGV[3], ARGV[1], 'COUNT', asked, 'STREAMS', KEYS[1], cursor)
    local entries = found and found[1][2] or {}
    for _, entry in ipairs(entries) do
        local fields = entry[2] or {}
        sizes[#sizes + 1] = struct.pack('>I4', 1 + #fields)
        put(entry[1])
        for _, field in ipairs(fields) do put(field) end
        if cursor ~= '>' then cursor = entry[1] end
    end
    if #entries < asked then break end
    left = left - #entries
end
return {table.concat(sizes), table.concat(pieces)}
"""
# What was acknowledged leaves the stream, as far as nothing before it is pending. An id of before a flush cuts nothing off: with a clock set back,
# entries that nobody has read have lower ones.
ACKNOWLEDGE = """
local ids = {}
for id in string.gmatch(ARGV[2], '%S+') do ids[#ids + 1] = id end
local n = redis.call('XACK', KEYS[1], ARGV[1], unpack(ids))
if n < #ids then return n end
local pending = redis.call('XPENDING', KEYS[1], ARGV[1])
redis.call('XTRIM', KEYS[1], 'MINID', '~', pending[1] > 0 and pending[2] or ids[#ids])
return n
"""
RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


log = logs.get("intake")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the stream: a message, or how it begins where it is too long, and whatever its producer put beside it."""

    id: str
    body: Body = field(repr=False)
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def bytes(self) -> int:
        kept = self.body if isinstance(self.body, bytes) else self.body.beginning
        return len(kept) + sum(len(name) + len(value) for name, value in self.headers)


@dataclass(frozen=True, slots=True)
class StreamRun:
    """Entries in the stream's order."""

    sequence: str
    entries: tuple[Entry, ...]
    alone: bool = False

    @property
    def size(self) -> int:
        return len(self.entries)

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in self.entries)


class StreamSource:
    """Entries of the stream, which are admitted. An entry without `body` is kept as a dead letter, with all its fields."""

    name: ClassVar[str] = "stream"

    def __init__(self, client: redis.asyncio.Redis, db: Database, threads: Threads, worker: str, settings: Settings, admit: Any = admission.admit):
        self.client, self.db, self.threads, self.worker, self.settings, self._admit = client, db, threads, worker, settings, admit
        self.me = f"{worker}:{uuid4().hex[:12]}"
        self._grouped = self._reader = self._durable = False
        self._from, self._times = NEW, 0  # how often reading began anew
        self._turn = asyncio.Lock()

    async def pull(self, room: int) -> Sequence[StreamRun]:
        """Entries once read and never acknowledged first, then new ones; none while another reads. Raises QueueSaturated while the inbox is full."""
        await self.threads.help(admission.room, self.db, self.settings())
        try:
            return await self._pull(room)
        except redis.exceptions.ResponseError as error:
            self._reader = False
            if "NOGROUP" in str(error) or "NOTREADER" in str(error):  # flushed, or we were away for long
                self._grouped = False
                return []
            raise errors.Unavailable(f"Redis refuses to read the stream: {error}") from error
        except (redis.exceptions.RedisError, OSError) as error:
            self._reader = False
            raise errors.Unavailable(f"Redis does not answer: {type(error).__name__}") from error

    async def _pull(self, room: int) -> list[StreamRun]:
        if not self._durable:
            await self._see_durability()
        if not self._grouped:
            await self._make_group()
        times = self._times
        if not self._reader and not await self._own():
            return []
        run, cursor = list[StreamRun](), ""
        while not run and cursor != NEW:
            cursor = self._from
            run = await self._read(cursor, room)
            if times != self._times:  # it is read again, behind what has to come before it
                return []
        return run

    async def _read(self, cursor: str, room: int) -> list[StreamRun]:
        """New entries, or those of ours that follow the cursor; once there are none of these any more, new ones are next."""
        times = self._times
        asked = self.settings().parameters
        bounds = (room, cursor, asked.prefetch_bytes, messages.BYTES, AT_ONCE)
        sizes, pieces = await self._script(READ, [STREAM, READER], self.me, asked.lease_timeout_ms, GROUP, *bounds)
        found = list(_cut(sizes, pieces))
        if cursor != NEW and times == self._times:
            self._from = found[-1][0][0].decode() if found else NEW
        gone = [entry[0] for entry, _ in found if len(entry) == 1]
        if gone:  # deleted or trimmed by somebody before they were admitted
            await self.client.xack(STREAM, GROUP, *gone)
        run = StreamRun(STREAM, tuple(_entry(entry, lengths) for entry, lengths in found if len(entry) > 1))
        return [run] if run.entries else []

    async def _see_durability(self) -> None:
        """Told once: a managed server may keep its data by other means, so that it is not refused."""
        said = {"settings_version": self.settings().version, "fix": "set `appendonly yes` (and `appendfsync always`) on the server of STREAMS_URL"}
        try:
            kept = (await self.client.info("persistence")).get("aof_enabled")
        except redis.exceptions.ResponseError as error:
            log.warning("whether the stream is on the disk can't be seen", error=str(error)[:200], **said)
        else:
            if not kept:
                log.error("the stream is not on the disk: what was sent and not yet acknowledged is lost with its server", **said)
        self._durable = True

    async def _make_group(self) -> None:
        try:
            await self.client.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
        except redis.exceptions.ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        self._grouped = True

    async def _own(self) -> bool:
        """Whether we are the reader; who has just become it begins with what others left."""
        self._reader = bool(await self._script(OWN, [STREAM, READER], self.me, self._lease_ms(), GROUP))
        if self._reader:
            self._from = "0"
        return self._reader

    async def _script(self, script: str, keys: list[str], *args: Any) -> Any:
        return await self.client.eval(script, len(keys), *keys, *args)  # type: ignore[misc]

    def _lease_ms(self) -> int:
        return self.settings().parameters.lease_timeout_ms

    async def handle(self, runs: Sequence[StreamRun]) -> None:
        for run in runs:
            for headers, bodies, ids in _alike(run.entries):
                sender = Sender(SYSTEM, None, "stream", dict(headers))
                await self.threads.handle(self._admit, self.db, bodies, sender=sender, worker=self.worker, settings=self.settings())
                await self._acknowledge(ids)

    async def _acknowledge(self, ids: list[str]) -> None:
        """What isn't acknowledged for want of Redis is read and admitted again, which changes nothing."""
        try:
            await self._script(ACKNOWLEDGE, [STREAM], GROUP, " ".join(ids))
        except (redis.exceptions.RedisError, OSError) as error:
            raise errors.Unavailable(f"Redis does not answer: {type(error).__name__}") from error

    async def extend(self, runs: Sequence[StreamRun]) -> None:  # noqa: ARG002 (a Source's)
        await self._quietly(RENEW, self.me, self._lease_ms())

    async def hand_back(self, runs: Sequence[StreamRun]) -> None:  # noqa: ARG002 (a Source's)
        """They stay pending, and are read again before anything that comes after them."""
        self._again()

    async def put_off(self, run: StreamRun, error: str) -> None:  # noqa: ARG002 (a Source's)
        self._again()
        await asyncio.sleep(FAILED_SECONDS)

    def _again(self) -> None:
        self._times += 1
        self._from = "0"

    async def close(self) -> None:
        """Leaves the stream to the next reader."""
        await self._quietly(RELEASE, self.me)
        await self.client.aclose()

    async def _quietly(self, script: str, *args: Any) -> None:
        try:
            await self._script(script, [READER], *args)
        except (redis.exceptions.RedisError, OSError):
            self._reader = False


def _cut(sizes: bytes, pieces: bytes) -> Iterator[tuple[list[bytes], tuple[int, ...]]]:
    """Each entry's pieces as READ gave them, and how long they were before they were cut off."""
    numbers = struct.unpack(f">{len(sizes) // 4}I", sizes)
    n = at = 0
    while n < len(numbers):
        lengths = numbers[n + 1 : n + 1 + numbers[n]]
        entry = list[bytes]()
        for length in lengths:
            end = at + min(length, messages.BYTES)
            entry.append(pieces[at:end])
            at = end
        n += 1 + numbers[n]
        yield entry, lengths


def _entry(pieces: list[bytes], lengths: Sequence[int]) -> Entry:
    entry_id = pieces[0].decode()
    if len(pieces) == 3 and pieces[1] == FIELD.encode():
        return Entry(entry_id, _bounded(pieces[2], lengths[2]))
    named = {_text(pieces[n]): (pieces[n + 1], lengths[n + 1]) for n in range(1, len(pieces), 2)}
    body = named.pop(FIELD, None)
    headers = {name: _text(value) for name, (value, _) in named.items()}
    said = json.dumps(headers).encode()
    return Entry(entry_id, _bounded(*(body or (said, len(said)))), tuple(sorted(headers.items())))


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _bounded(body: bytes, length: int) -> Body:
    """As the other doors take it: what is longer than a message may be is kept as it begins."""
    return body if length <= messages.BYTES else lines.TooLong(body[: messages.BYTES], length)


def _alike(entries: Sequence[Entry]) -> Iterator[tuple[tuple[tuple[str, str], ...], list[Body], list[str]]]:
    """Bodies and ids of neighbours with the same headers, as many as one call admits."""
    for headers, group in groupby(entries, key=lambda entry: entry.headers):
        same = list(group)
        ids = iter([entry.id for entry in same])
        for call in sending.calls(entry.body for entry in same):
            yield headers, call, [next(ids) for _ in call]
