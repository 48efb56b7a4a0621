"""The servers that every other test stands on."""

from __future__ import annotations

import io

import minio
import psycopg
import pytest
import redis


def test_it_runs_postgresql_18_durably(database):
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SHOW server_version").fetchone()[0].startswith("18.")
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            assert connection.execute("SELECT current_setting(%s)", (name,)).fetchone() == ("on",)


@pytest.mark.parametrize("role", ["owner", "web", "worker"])
def test_it_gives_each_role_its_own_sign_in_and_no_superpower(database, role):
    with psycopg.connect(getattr(database, role)) as connection:
        row = connection.execute(
            "SELECT rolname, rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert row == (f"claimcheck_{role}", False, False, False)


LARGE = [
    "lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, 'x')", "lo_put(1, 0, 'x')", "lo_get(1)", "lo_open(1, 393216)", "lowrite(0, 'x')", "loread(0, 1)",
    "lo_lseek64(0, 0, 0)", "lo_tell(0)", "lo_truncate(0, 0)", "lo_close(0)", "lo_unlink(1)", "lo_import('/etc/passwd')", "lo_export(1, '/tmp/x')",
]  # fmt: skip


@pytest.mark.parametrize("role", ["owner", "web", "worker"])
def test_it_lets_nobody_make_large_objects(postgres, role):
    """In the database that `deploy/roles.sql` made; those of the tests are clones of another one."""
    with psycopg.connect(getattr(postgres.conninfos("claimcheck"), role), autocommit=True) as connection:
        left = "SELECT oid::regprocedure::text FROM pg_proc WHERE proname ~ '^lo(_|read|write)' AND has_function_privilege(oid, 'EXECUTE')"
        assert connection.execute(left).fetchall() == []
        for call in LARGE:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT {call}")


@pytest.mark.parametrize("name", ["postgres", "template1"])
@pytest.mark.parametrize("role", ["owner", "web", "worker"])
def test_it_lets_no_role_into_another_database(postgres, role, name):
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(getattr(postgres.conninfos(name), role))


def test_it_refuses_a_wrong_password(database):
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(database.web.replace("claimcheck_web:", "claimcheck_web:wrong"))


def test_it_makes_databases_that_do_not_share_rows(make_database):
    one, other = make_database(), make_database()
    with psycopg.connect(one.owner) as connection:
        connection.execute("CREATE TABLE only_here (id int)")
    with psycopg.connect(other.owner) as connection:
        assert connection.execute("SELECT to_regclass('only_here')").fetchone() == (None,)


def test_it_runs_valkey_that_evicts_nothing_and_keeps_every_write(valkey_admin):
    with redis.Redis.from_url(valkey_admin) as client:
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        assert client.config_get("appendonly")["appendonly"] == "yes"


@pytest.mark.parametrize("forbidden", ["FLUSHALL", "CONFIG GET *", "ACL LIST", "SHUTDOWN", "KEYS *", "SET elsewhere 1"])
def test_it_refuses_the_desk_what_a_queue_does_not_need(valkey, forbidden):
    with redis.Redis.from_url(valkey) as client, pytest.raises(redis.exceptions.NoPermissionError):
        client.execute_command(*forbidden.split())


def test_it_lets_the_desk_see_the_eviction_policy(valkey):
    with redis.Redis.from_url(valkey) as client:
        assert client.info("memory")["maxmemory_policy"] == "noeviction"


def test_it_gives_settings_that_reach_every_server(settings):
    with psycopg.connect(settings.database_url_worker) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    client = minio.Minio(settings.s3_endpoint.removeprefix("http://"), settings.s3_access_key, settings.s3_secret_key, secure=False)
    client.put_object(settings.s3_bucket, "hello", io.BytesIO(b"hello"), 5)
    with client.get_object(settings.s3_bucket, "hello") as answer:
        assert answer.read() == b"hello"
