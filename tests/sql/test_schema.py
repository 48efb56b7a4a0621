"""The migrations end exactly at the written schema, and what is applied is never edited."""

from __future__ import annotations

import psycopg
import pytest

from claimcheck import migrations, schema
from claimcheck.db import QUEUE


def test_it_ends_at_the_written_schema(database):
    written = (QUEUE / "schema.sql").read_text()
    assert schema.dump(database.owner) == written, "run `bin/claimcheck schema --write` and commit queue/schema.sql"


def test_it_refuses_an_edited_migration(make_database):
    database = make_database()
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        connection.execute("UPDATE migrations SET checksum = 'another' WHERE name LIKE '0001%'")
    with pytest.raises(migrations.MigrationChanged, match="0001_pre_people"):
        migrations.migrate(database.owner)


def test_it_applies_nothing_twice(make_database):
    database = make_database()
    assert migrations.migrate(database.owner) == []
    assert migrations.pending(database.owner) == []


APPEND_ONLY = [
    "decisions",
    "applied",
    "payouts",
    "events",
    "access_events",
    "access_days",
    "watched_objects",
    "project_versions",
    "dead_letters",
    "evidence_parts",
    "deliveries",
]


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("role", ["web", "worker", "owner"])
@pytest.mark.parametrize("what", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_it_refuses_to_change_facts(table, role, what, database):
    """I4: the server refuses; the owner too, by trigger."""
    with psycopg.connect(getattr(database, role), autocommit=True) as connection:
        column = connection.execute("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = 2", (table,)).fetchone()[0]
        _row(database, table)
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)):
            connection.execute(what.format(table, column, column))


def _row(database, table):
    """One row, whatever it says: a trigger for each row needs one to fire on."""
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
            return
        connection.execute("SET session_replication_role = replica")
        columns = connection.execute(
            """SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a
                WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND NOT a.attisdropped""",
            (table,),
        ).fetchall()
        values = {
            "text": "'x'",
            "integer": "1",
            "bigint": "1",
            "smallint": "1",
            "jsonb": "'{}'",
            "bytea": "decode(repeat('ab', 32), 'hex')",
            "double precision": "1",
            "boolean": "true",
            "date": "'2026-11-30'",
            "timestamp with time zone": "'2026-11-30'",
        }
        extra = {"decisions": ", verdict", "payouts": ", assignment_id"}.get(table, "")
        names = ", ".join(name for name, _ in columns) + extra
        given = ", ".join(values[kind] for _, kind in columns) + {"decisions": ", 'approve'", "payouts": ", 1"}.get(table, "")
        filled = given.replace("'x'", "'content_type'")
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({filled})")
