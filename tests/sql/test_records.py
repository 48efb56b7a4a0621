"""The pipeline's records on their way into the log stream, and what the log alone can tell of them again."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from claimcheck.intake import auditing, movement, records, resolving
from claimcheck.intake.movement import Reading
from tests import pipeline
from tests.intake import World, at_once, eventually, without
from tests.pipeline import WORKER, handle, message, pull, send

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(world: World) -> int:
    pipeline.lapse(world)
    while runs := pull(world):  # handled, not swept away: the log is compared with all that ever happened
        handle(world, runs)
    relayed(world)
    return world.project(thresholds={"routes": [{"queue": "large", "at_least": "1000"}]})


class Paper:
    """A stream that keeps what is written to it."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def relayed(world: World) -> str:
    """What is not in the log yet, as it comes into it."""
    paper = Paper()
    while records.relay(world.web, paper):
        pass
    return paper.text


def read(text: str) -> Reading:
    return movement.read((f"line {n}", line.encode()) for n, line in enumerate(text.splitlines(), 1))


def everything(world: World) -> str:
    """The log of all that ever happened here."""
    world.sql.execute("INSERT INTO pipeline_unlogged SELECT id FROM pipeline_records ON CONFLICT DO NOTHING")
    return relayed(world)


def work(world: World, project: int) -> None:
    """Messages of every fate."""
    send(world, project, "small", variance_amount="1.00")
    send(world, project, "great", variance_amount="-2000.00")
    send(world, project, "even", variance_amount="0.00")
    assert [answer.result for answer in pipeline.admit(world, [message(project, "small", variance_amount="1.00"), b"{}", message(project, "great")])] == [
        "repeated", "refused", "refused"]  # fmt: skip
    pipeline.hand_back(world, *pull(world))
    handle(world, pull(world))
    world.publish()
    while world.claim():  # the small one stands before the others in its partition
        claim = world.claim()
        assert claim is not None
        world.decide(claim)
    resolving.resolve(world.web, worker=WORKER, settings_version=1)
    send(world, project, "waiting", variance_amount="5.00")


def kinds(faults) -> set[str]:
    return {fault.kind for fault in faults}


def test_it_writes_every_column_of_each_record_once(world: World, project: int) -> None:
    work(world, project)
    lines = [json.loads(line) for line in relayed(world).splitlines()]
    rows = {row.id: row for row in world.all("SELECT * FROM pipeline_records") if row.id in {line["record"] for line in lines}}
    assert len(lines) == len(rows) > 10 and not relayed(world)
    for line in lines:
        row = rows[line["record"]]
        assert set(line) == {"event", "record", *(set(row._fields) - {"id"})} and line["event"] == "pipeline.decision"
        assert (line["variance_amount"], line["source_hash"]) == (
            None if row.variance_amount is None else str(row.variance_amount), row.source_hash and row.source_hash.hex())  # fmt: skip
        assert line["at"].endswith("+00:00")


def test_it_shares_the_work_between_relays(world: World, project: int) -> None:
    send(world, project, *map(str, range(200)))
    papers = [Paper() for _ in range(4)]
    at_once(4, lambda n: [None for _ in iter(lambda: records.relay(world.web, papers[n], 10), 0)])
    numbers = [json.loads(line)["record"] for paper in papers for line in paper.text.splitlines()]
    assert len(numbers) == len(set(numbers)) == 200


class Slow(Paper):
    """A stream that is stuck until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.stuck, self.go = threading.Event(), threading.Event()

    def flush(self) -> None:
        self.stuck.set()
        assert self.go.wait(30)


def test_it_leaves_to_another_relay_what_that_one_is_writing(world: World, project: int) -> None:
    send(world, project, "a", "b")
    slow, other = Slow(), Paper()
    first = threading.Thread(target=records.relay, args=(world.web, slow))
    second = threading.Thread(target=records.relay, args=(world.web, other))
    first.start()
    assert slow.stuck.wait(30)
    second.start()
    eventually(lambda: other.text or not second.is_alive())
    slow.go.set()
    first.join()
    second.join()
    assert slow.text and not other.text


KILLED = """
import os, signal, sys
from pathlib import Path
from claimcheck.db import Database
from claimcheck.intake import records
class Killed(records.Log):
    def flush(self):
        super().flush()
        os.kill(os.getpid(), signal.SIGKILL)
records.relay(Database(sys.argv[1]), Killed(Path(sys.argv[2])))
"""


def test_it_writes_again_what_it_was_killed_over_and_the_reader_drops_the_doubles(world: World, project: int, tmp_path: Path) -> None:
    work(world, project)
    killed = subprocess.run([sys.executable, "-c", KILLED, world.conninfos.web, str(tmp_path)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert killed.returncode == -signal.SIGKILL
    [path] = tmp_path.glob(records.FILES)
    first = path.read_bytes().count(b"\n")
    assert first > 10
    log = records.Log(tmp_path)

    def drained() -> bool:  # what the killed one had locked is free once the server has noticed
        records.relay(world.web, log)
        return world.one("SELECT count(*) FROM pipeline_unlogged") == 0

    eventually(drained)
    found = movement.read((path.name, line) for line in path.read_bytes().splitlines())
    assert found.doubles == first == len(found.records) and not found.faults


def test_it_loses_nothing_where_it_is_killed_before_it_wrote(world: World, project: int) -> None:
    class Broken(Paper):
        def flush(self) -> None:
            raise OSError("the disk is full")

    send(world, project, "a")
    with pytest.raises(OSError, match="full"):
        records.relay(world.web, Broken())
    assert relayed(world).count("\n") == 1


def a_line(number: int, **more: str) -> str:
    return json.dumps({"event": "pipeline.decision", "record": number, **dict.fromkeys(movement.FIELDS), "detail": {}, **more}) + "\n"


def test_it_goes_on_after_a_line_that_somebody_was_killed_in(tmp_path: Path) -> None:
    log = records.Log(tmp_path)
    log.write(a_line(1))
    log.flush()
    [path] = tmp_path.glob(records.FILES)
    path.write_bytes(path.read_bytes() + b'{"event": "pipeline.decision", "rec')
    log.write(a_line(2))
    log.flush()
    found = movement.read((path.name, line) for line in path.read_bytes().splitlines())
    assert set(found.records) == {1, 2} and kinds(found.faults) == {"unreadable"}
    assert path.stat().st_mode & 0o077 == 0


def test_it_lets_many_write_to_one_file(tmp_path: Path) -> None:
    def write(n: int) -> None:
        log = records.Log(tmp_path)
        for i in range(50):
            log.write(a_line(n * 50 + i, x="y" * 3000))
            log.flush()

    at_once(4, write)
    [path] = tmp_path.glob(records.FILES)
    found = movement.read((path.name, line) for line in path.read_bytes().splitlines())
    assert len(found.records) == 200 and not found.faults


def test_it_rebuilds_each_movement_and_the_totals_from_the_log_alone(world: World, project: int) -> None:
    work(world, project)
    found = read(relayed(world))
    moved = {one.steps[0]["idempotency_key"]: one for one in movement.movements(found).values()}
    assert {key: (one.state, one.queue) for key, one in moved.items()} == {
        "small": ("routed", "review"), "great": ("routed", "large"), "even": ("resolved", "automatic"),
        "waiting": ("waiting", None)}  # fmt: skip
    assert [step["decision"] for step in movement.trail(found, key="small")] == ["admitted", "repeated", "handed_back", "routed"]
    trace = moved["great"].steps[0]["trace_id"]
    assert [step["decision"] for step in movement.trail(found, trace=trace)] == ["admitted", "handed_back", "routed"]
    totals = movement.totals(found, movement.movements(found))
    assert (totals["decisions"]["admitted"], totals["decisions"]["routed"], totals["decisions"]["refused"]) == (4, 3, 2)
    assert totals["queues"] == {"automatic": 1, "large": 1, "review": 1} and totals["variance"] == {"EUR": "2001.00"}
    assert totals["codes"] == {"DUPLICATE_KEY": 1, "POISON_MESSAGE": 1} and not movement.inconsistent(moved.values())


@pytest.fixture
def log(world: World, project: int) -> list[str]:
    work(world, project)
    return everything(world).splitlines(keepends=True)


def compared(world: World, lines: list[str]) -> set[str]:
    found = read("".join(lines))
    return kinds([*found.faults, *auditing.compare(world.web, found).faults])


def test_it_agrees_with_the_database(world: World, log: list[str]) -> None:
    assert not compared(world, log)
    assert not compared(world, [*log[::-1], *log, "not ours\n", '{"event": "started"}\n']), "in any order, written twice, among other lines"


def test_it_notices_a_line_that_was_taken_out(world: World, log: list[str]) -> None:
    for n in range(0, len(log), 5):
        assert compared(world, log[:n] + log[n + 1 :]) == {"missing"}


def test_it_notices_a_record_that_nobody_wrote(world: World, log: list[str]) -> None:
    made = json.dumps({**json.loads(log[-1]), "record": 10**9, "message_id": 10**9}) + "\n"
    assert compared(world, [*log, made]) == {"unknown"}


def test_it_notices_a_line_that_was_changed_whatever_in_it(world: World, log: list[str]) -> None:
    n, said = next((n, said) for n, line in enumerate(log) if (said := json.loads(line))["decision"] == "routed" and said["queue"] == "large")
    others = {"decision": "admitted", "item_id": 7, "settings_version": 99, "detail": {"attempts": 9}}
    for name in set(said) - {"event", "record"}:
        changed = json.dumps({**said, name: others.get(name, "x")}) + "\n"
        assert "differs" in compared(world, [*log[:n], changed, *log[n + 1 :]]), name
        assert "contradicts" in compared(world, [*log, changed]), f"a double with another {name}"


def test_it_names_a_line_that_is_no_record_whatever_it_lacks(world: World, log: list[str]) -> None:
    for name in set(said := json.loads(log[0])) - {"event", "record"}:
        for damaged in ({key: value for key, value in said.items() if key != name}, {**said, name: []}):
            found = read(json.dumps(damaged) + "\n" + "".join(log[1:]))
            assert kinds(found.faults) == {"unreadable"}, name
            movement.totals(found, movement.movements(found))
    deep = read('{"event": "pipeline.decision", "record": ' + "[" * 100_000 + "\n")
    assert kinds(deep.faults) == {"unreadable"}
    assert movement.totals(read(json.dumps({**said, "code": 7, "decision": None}) + "\n" + "".join(log[1:])), {})


def test_it_writes_lines_that_end_for_everybody_where_they_end(world: World, project: int) -> None:
    pipeline.admit(world, [json.dumps({"x\u2028y\u0085z\x1b[2J": 1}).encode()])
    text = relayed(world)
    assert text.isascii() and text.count("\n") == len(text.splitlines()) == 1


def test_it_has_a_new_days_file_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name as well: what is noted as written is never written again."""
    kept: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda file: kept.append(stat.S_ISDIR(os.fstat(file).st_mode)))
    log = records.Log(tmp_path)
    for _ in range(2):
        log.write("{}\n")
        log.flush()
    assert kept == [False, True, False]


def test_it_tells_what_can_not_have_happened_without_the_database(world: World, log: list[str]) -> None:
    found = [json.loads(line) for line in log]

    def faults(said: list[dict]) -> list[str]:
        reading = read("".join(json.dumps(one) + "\n" for one in said))
        return [fault.said for fault in movement.inconsistent(movement.movements(reading).values())]

    assert not faults(found)
    key = next(said["message_id"] for said in found if said["decision"] == "routed")
    assert "without being admitted" in faults([s for s in found if not (s["decision"] == "admitted" and s["message_id"] == key)])[0]
    again = [{**s, "record": 10**9} for s in found if s["decision"] == "routed" and s["message_id"] == key]
    assert "routed after it was routed" in faults(found + again)[0]
    other = [{**s, "variance_amount": "9.99"} if s["decision"] == "routed" and s["message_id"] == key else s for s in found]
    assert "differ in variance_amount" in faults(other)[0]


def test_it_leaves_out_what_the_log_has_not_yet(world: World, project: int, log: list[str]) -> None:
    send(world, project, "new")
    found = auditing.compare(world.web, read("".join(log)))
    assert (found.faults, found.behind) == ([], 1)


def test_it_notices_a_message_that_is_elsewhere(world: World, project: int, log: list[str]) -> None:
    [row] = world.all("SELECT i.* FROM inbox i JOIN messages m ON m.id = i.message_id WHERE m.project_id = %s", project)
    world.sql.execute("DELETE FROM inbox WHERE message_id = %s", (row.message_id,))
    assert compared(world, log) == {"elsewhere"}
    world.sql.execute("INSERT INTO inbox (message_id, partition_id, body) VALUES (%s, %s, %s)", (row.message_id, row.partition_id, row.body))


def test_that_test_notices_relays_that_do_not_lock(world: World, project: int) -> None:
    with without("pipeline_records/unlogged", "FOR NO KEY UPDATE SKIP LOCKED"), pytest.raises(AssertionError):
        test_it_leaves_to_another_relay_what_that_one_is_writing(world, project)
