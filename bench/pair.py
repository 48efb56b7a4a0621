"""Claim + submit: our own code path beside the same statements under pgbench, and beside the bare pair on a bare table, in one run."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import psycopg

from bench import ground
from bench.figures import Part, over, spread
from bench.load import Floor
from bench.sides import look_once, open_side
from claimcheck.db import STATEMENTS
from claimcheck.embedded.postgres import Postgres
from claimcheck.experts.ruling import BY_THE_STATEMENT

BARE = """
CREATE TABLE bare (id bigint PRIMARY KEY, state text NOT NULL DEFAULT 'pending', token uuid, expires timestamptz);
CREATE INDEX bare_claim ON bare (id) WHERE state = 'pending';
CREATE TABLE bare_decisions (id bigint PRIMARY KEY, verdict text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
INSERT INTO bare (id) SELECT generate_series(1, 400000);
"""
BARE_CLAIM = """
WITH pick AS MATERIALIZED (SELECT id FROM bare WHERE state = 'pending' ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE bare b SET state = 'leased', token = gen_random_uuid(), expires = clock_timestamp() + interval '15 min' FROM pick WHERE b.id = pick.id RETURNING b.id, b.token"""
BARE_SUBMIT = """
WITH u AS (UPDATE bare SET state = 'decided', expires = NULL WHERE id = %(id)s AND token = %(token)s::uuid AND state = 'leased' RETURNING id)
INSERT INTO bare_decisions (id, verdict) SELECT id, 'approve' FROM u"""


def script(name: str, **given: str) -> str:
    """A statement for pgbench: parameters become its variables, or what is given."""
    return variables(STATEMENTS[name], **given)


def variables(text: str, **given: str) -> str:
    for parameter in {word.split(")")[0] for word in text.split("%(")[1:]}:
        text = text.replace(f"%({parameter})s", given.get(parameter, f":{parameter}"))
    return text.replace("%%", "%").rstrip().rstrip(";")


def full_pair() -> str:
    claim = script("tasks/claim", skill_id="NULL", queue="NULL", item_id="NULL")
    submit = script(
        "decisions/submit",
        evidence_hash="decode(repeat('ab', 32), 'hex')",
        vote="'approve'",
        verdict="'approve'",
        answer="NULL",
        reason_code="'ok'",
        note="''",
        **dict.fromkeys(BY_THE_STATEMENT, "NULL"),
    )
    return f"\\set me 1 + :client_id * 3\n{claim} \\gset\n{submit} \\gset done_\n"


def work(web: str, me: int, seconds: float, out) -> None:
    """One process: claims and submits through the modules that the web uses."""
    side = open_side(web, me)
    end, done = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        look_once(side)
        done += 1
    side.db.close()
    out.put(done / seconds)


def through_our_code(web: str, processes: int, seconds: float) -> float:
    """Pairs a second of so many processes, each a reviewer of its own."""
    out = multiprocessing.Queue()
    team = [multiprocessing.Process(target=work, args=(web, reviewer(n), seconds, out)) for n in range(processes)]
    for one in team:
        one.start()
    total = sum(out.get() for _ in team)
    for one in team:
        one.join()
    return total


def reviewer(n: int) -> int:
    """The nth of those who hold five skills, and the first skill too (`share_a_lane`)."""
    return 1 + n * 3


def share_a_lane(superuser: str, people: int) -> None:
    ground.run(
        superuser,
        f"INSERT INTO person_skills (person_id, skill_id) SELECT 1 + n * 3, 1 FROM generate_series(0, {people - 1}) n ON CONFLICT DO NOTHING",
    )


def main(full: bool, rounds: int = 5, seconds: int = 0) -> Part:
    seconds = seconds or (6 if full else 2)
    columns = ["processes", "our code, pairs/s", "same SQL under pgbench", "bare pair under pgbench", "ours / same SQL", "same SQL / bare"]
    part = Part("pair", columns)
    with ground.server() as postgres, ground.database(postgres, Floor(pending=300_000, decided=100_000, skills=40)) as (superuser, web):
        share_a_lane(superuser, 8)
        with psycopg.connect(superuser, autocommit=True) as connection:
            connection.execute(BARE)
        for processes in (1, 8):
            compare(part, processes, measure(postgres, superuser, web, processes, rounds, seconds))
    return part


def measure(postgres: Postgres, superuser: str, web: str, processes: int, rounds: int, seconds: int) -> list[tuple[float, float, float]]:
    """(our code, the same SQL, the bare pair) of each round."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        bare, full = Path(folder) / "bare.sql", Path(folder) / "full.sql"
        bare.write_text(f"{BARE_CLAIM} \\gset\n{variables(BARE_SUBMIT)};\n")
        full.write_text(full_pair())
        return [
            (
                through_our_code(web, processes, seconds),
                ground.pgbench(postgres, superuser, full, processes, seconds),
                ground.pgbench(postgres, superuser, bare, processes, seconds),
            )
            for _ in range(rounds)
        ]


LEAST = {1: (0.65, 0.35), 8: (0.45, 0.22)}  # processes → ours to the same SQL, that to the bare pair


def compare(part: Part, processes: int, found: list[tuple[float, float, float]]) -> None:
    ours, same, bare = (list(column) for column in zip(*found, strict=True))
    code, depth = over(ours, same), over(same, bare)
    part.row(str(processes), *(spread(column, 0) for column in (ours, same, bare)), spread(code), spread(depth))
    part.goal(f"our code to the same SQL, {processes} processes", code, least=LEAST[processes][0])
    part.goal(f"the full SQL to the bare pair, {processes} processes", depth, least=LEAST[processes][1])
