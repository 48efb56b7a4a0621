"""`embedded.desk`: a command finds the running desk's servers, or has its own while it lasts."""

from __future__ import annotations

import psycopg
import pytest
import redis

from claimcheck import config, embedded, migrations
from claimcheck.embedded import checks
from claimcheck.embedded.home import Home, Taken, Unusable
from tests.embedded import running
from tests.embedded.running import Run


@pytest.fixture
def bare(home, monkeypatch):
    """Settings that name nothing but the home."""
    for name in config.names():
        monkeypatch.delenv(name, raising=False)
    return config.Settings(home=home)


def test_it_starts_servers_of_its_own_and_ends_them(bare):
    with embedded.desk(bare) as settings:
        assert migrations.pending(settings.database_url) == []
        checks.queue(settings)
        checks.store(settings)
        with psycopg.connect(settings.database_url) as connection:
            connection.execute("CREATE TABLE mark (word text)")
        with pytest.raises(Taken):
            Home(bare.home).lock()
    assert running.is_deserted(bare.home)
    with embedded.desk(bare) as again, psycopg.connect(again.database_url) as connection:
        assert connection.execute("SELECT to_regclass('mark')").fetchone() == ("mark",)
        assert again.secret_key == settings.secret_key


def test_it_finds_the_running_desk(bare):
    run = Run(bare.home).until_ready()
    with embedded.desk(bare) as settings:
        assert settings == run.settings()
        checks.database(settings)
    checks.database(settings)  # and leaves it running
    assert run.stop() == 0


def test_it_uses_servers_of_one_s_own_and_starts_none(settings):
    with embedded.desk(settings) as reached:
        assert reached == settings
        assert running.belonging_to(settings.home) == []


def test_it_runs_a_desk_on_servers_of_one_s_own_without_demo_or_secrets(settings, home):
    ours = ("CLAIMCHECK_HOME", "CLAIMCHECK_DEMO", "PORT", "BASE_URL")
    given = {name: value for name, value in settings.environ().items() if name not in ours}
    run = Run(home, **given).until_ready()
    assert "@demo.local" not in run.words
    assert not run.settings().demo
    assert not {"postgres", "valkey", "store"} & set(run.json()["processes"])
    assert not {"secrets.json", "demo-password", "postgres"} & {path.name for path in home.iterdir()}
    assert run.stop() == 0
    assert running.is_deserted(home)


@pytest.mark.parametrize("role", ["owner", "web", "worker"])
def test_it_refuses_a_database_that_forgets_what_it_acknowledged(settings, database, role):
    change = "ALTER ROLE claimcheck_{} IN DATABASE {} {} synchronous_commit".format
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        connection.execute(f"{change(role, database.name, 'SET')} = off")
        try:
            with pytest.raises(Unusable, match="synchronous_commit=off"):
                checks.database(settings)
        finally:
            connection.execute(change(role, database.name, "RESET"))
    checks.database(settings)


def test_it_refuses_a_valkey_that_drops_jobs(settings, valkey_admin):
    with redis.Redis.from_url(valkey_admin) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(Unusable, match="maxmemory-policy allkeys-lru"):
                checks.queue(settings)
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    checks.queue(settings)


def test_it_refuses_a_bucket_that_is_not_there_and_servers_that_do_not_answer(settings):
    with pytest.raises(Unusable, match="S3_BUCKET nowhere"):
        checks.store(settings.model_copy(update={"s3_bucket": "nowhere"}))
    with pytest.raises(Unusable, match="S3_ENDPOINT"):
        checks.store(settings.model_copy(update={"s3_endpoint": "http://127.0.0.1:1"}))
    with pytest.raises(Unusable, match="REDIS_URL"):
        checks.queue(settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"}))
    with pytest.raises(Unusable, match="DATABASE_URL_WEB cannot be reached"):
        checks.database(settings.model_copy(update={"database_url_web": "postgresql://x@127.0.0.1:1/x"}))
