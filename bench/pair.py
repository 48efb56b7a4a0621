"""Claim + submit: our own code path beside the same statements under pgbench, and beside the bare pair on a bare table, in one run."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import psycopg

from bench.ground import database, pgbench, server, spread
from bench.load import Floor
from claimcheck import decisions, tasks
from claimcheck.db import STATEMENTS, Database

BARE = """
CREATE TABLE bare (id bigint PRIMARY KEY, state text NOT NULL DEFAULT 'pending', token uuid, expires timestamptz);
CREATE INDEX bare_claim ON bare (id) WHERE state = 'pending';
CREATE TABLE bare_decisions (id bigint PRIMARY KEY, verdict text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
INSERT INTO bare (id) SELECT generate_series(1, 400000);
"""
BARE_PAIR = """
WITH pick AS MATERIALIZED (SELECT id FROM bare WHERE state = 'pending' ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE bare b SET state = 'leased', token = gen_random_uuid(), expires = clock_timestamp() + interval '15 min' FROM pick WHERE b.id = pick.id RETURNING b.id, b.token \\gset
WITH u AS (UPDATE bare SET state = 'decided', expires = NULL WHERE id = :id AND token = :token::uuid AND state = 'leased' RETURNING id)
INSERT INTO bare_decisions (id, verdict) SELECT id, 'approve' FROM u;
"""


def script(name: str, **given: str) -> str:
    """A statement for pgbench: parameters become its variables, or what is given."""
    text = STATEMENTS[name]
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
    )
    return f"\\set me 1 + :client_id * 3\n{claim} \\gset\n{submit} \\gset done_\n"


def work(web: str, me: int, seconds: float, out) -> None:
    """One process: claims and submits through the modules that the web uses."""
    db = Database(web, max_size=1)
    end, done = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        claim = tasks.claim(db, me=me)
        assert claim is not None
        decisions.submit(
            db,
            assignment_id=claim.assignment_id,
            lease_token=claim.lease_token,
            me=me,
            evidence_hash=claim.evidence_hash,
            verdict="approve",
            reason_code="ok",
        )
        done += 1
    db.close()
    out.put(done / seconds)


def through_our_code(web: str, processes: int, seconds: float) -> float:
    out = multiprocessing.Queue()
    team = [multiprocessing.Process(target=work, args=(web, 1 + n * 3, seconds, out)) for n in range(processes)]
    for one in team:
        one.start()
    total = sum(out.get() for _ in team)
    for one in team:
        one.join()
    return total


RULES = '{"name": "bench", "skill": "bench", "reason_codes": [{"code": "ok", "label": "ok"}]}'


def main(rounds: int = 5, seconds: int = 4) -> list[str]:
    """A table of Markdown lines."""
    lines = [
        "| processes | our code, pairs/s | same SQL under pgbench | bare pair under pgbench | ours / same SQL | same SQL / bare |",
        "|---|---|---|---|---|---|",
    ]
    with server() as postgres, tempfile.TemporaryDirectory() as folder, database(postgres, Floor(pending=200_000, reviewers=60)) as (superuser, web):
        Path(folder).chmod(0o755)
        bare, full = Path(folder) / "bare.sql", Path(folder) / "full.sql"
        bare.write_text(BARE_PAIR)
        full.write_text(full_pair())
        with psycopg.connect(superuser, autocommit=True) as connection:
            connection.execute(BARE)
            connection.execute("ALTER TABLE project_versions DISABLE TRIGGER USER")
            connection.execute("UPDATE project_versions SET rules = %s", (RULES,))
            connection.execute(
                "INSERT INTO person_skills (person_id, skill_id) SELECT 1 + n * 3, 1 FROM generate_series(0, 7) n ON CONFLICT DO NOTHING"
            )
        for processes in (1, 8):
            ours, same, floor = [], [], []
            for _ in range(rounds):
                ours.append(through_our_code(web, processes, seconds))
                same.append(pgbench(postgres, superuser, full, processes, seconds))
                floor.append(pgbench(postgres, superuser, bare, processes, seconds))
            ratio, depth = [a / b for a, b in zip(ours, same, strict=True)], [a / b for a, b in zip(same, floor, strict=True)]
            lines.append(f"| {processes} | {spread(ours, 0)} | {spread(same, 0)} | {spread(floor, 0)} | **{spread(ratio)}** | {spread(depth)} |")
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
