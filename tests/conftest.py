"""Fixtures that give the tests real servers: PostgreSQL with the three roles, Valkey, an S3 store."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql

from claimcheck import config, migrations
from claimcheck.embedded import processes
from tests import servers

FOLDER, SESSION = "DESK_TEST_FOLDER", "DESK_TEST_SESSION"
TEMPLATE = "claimcheck_template"

# Nothing fails for being slow: servers and browsers share two cores with it.
settings.register_profile("shared cores", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared cores")


def pytest_configure(config: pytest.Config) -> None:
    """The first process of the session names a folder, which the xdist workers find in their environment."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="desk-tests-")
        Path(folder).chmod(0o711)  # PostgreSQL's own account has to pass
        os.environ[FOLDER], os.environ[SESSION] = folder, str(processes.identity(os.getpid()))


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        servers.end_all(Path(os.environ[FOLDER]))


def _server(name: str) -> dict[str, Any]:
    return servers.get(name, Path(os.environ[FOLDER]), os.environ[SESSION])


@dataclass(frozen=True)
class Conninfos:
    """Connection URLs to one database, one for each role."""

    superuser: str
    owner: str
    web: str
    worker: str
    name: str


@dataclass(frozen=True)
class Cluster:
    """The session's PostgreSQL. `pid` is its postmaster's."""

    port: int
    passwords: dict[str, str]
    pid: int

    def conninfos(self, database: str) -> Conninfos:
        def url(role: str, user: str) -> str:
            return f"postgresql://{user}:{self.passwords[role]}@127.0.0.1:{self.port}/{database}"

        roles = (url(role, f"claimcheck_{role}") for role in ("owner", "web", "worker"))
        return Conninfos(url("postgres", "postgres"), *roles, database)

    def execute(self, statement: str, *names: str) -> None:
        """Runs a statement as the superuser, outside any transaction, with identifiers filled in."""
        with psycopg.connect(self.conninfos("postgres").superuser, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@pytest.fixture(scope="session")
def postgres() -> Cluster:
    """The session's PostgreSQL 18."""
    words = _server("postgres")
    return Cluster(words["port"], words["passwords"], words["pid"])


@pytest.fixture(scope="session")
def template_database(postgres: Cluster) -> str:
    """The name of a migrated database that nobody is connected to."""
    folder = Path(os.environ[FOLDER])
    done = folder / "template"
    with servers.locked(folder):
        if not done.exists():
            postgres.execute("DROP DATABASE IF EXISTS {}", TEMPLATE)
            postgres.execute("CREATE DATABASE {} OWNER claimcheck_owner", TEMPLATE)
            migrations.migrate(postgres.conninfos(TEMPLATE).owner)
            done.touch()
    return TEMPLATE


@pytest.fixture(scope="session")
def make_database(postgres: Cluster, template_database: str) -> Iterator[Callable[[], Conninfos]]:
    """Makes clones of the migrated database; they are dropped with the session."""
    made: list[str] = []

    def make() -> Conninfos:
        made.append(f"desk_{secrets.token_hex(6)}")
        postgres.execute("CREATE DATABASE {} TEMPLATE {} OWNER claimcheck_owner", made[-1], template_database)
        return postgres.conninfos(made[-1])

    yield make
    for name in made:
        postgres.execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


@pytest.fixture(scope="module")
def database(make_database: Callable[[], Conninfos]) -> Conninfos:
    """A migrated database of the test module's own."""
    return make_database()


def _valkey_url(who: str, user: str) -> str:
    words = _server("valkey")
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return f"redis://{user}:{words['passwords'][who]}@127.0.0.1:{words['port']}/{number}"


@pytest.fixture(scope="session")
def valkey() -> str:
    """The URL of the session's Valkey, a database number for each xdist worker, with the rights that a desk has."""
    return _valkey_url("desk", "claimcheck")


@pytest.fixture(scope="session")
def valkey_admin() -> str:
    """The same database of the same Valkey for a user who may flush it and change its configuration."""
    return _valkey_url("admin", "admin")


@dataclass(frozen=True)
class StoreServer:
    endpoint: str
    access_key: str
    secret_key: str
    bucket: str


@pytest.fixture(scope="session")
def store_server() -> StoreServer:
    """The session's S3 store."""
    words = _server("store")
    return StoreServer(words["endpoint"], words["access_key"], words["secret_key"], words["bucket"])


@pytest.fixture(scope="module")
def settings(database: Conninfos, valkey: str, store_server: StoreServer, tmp_path_factory: pytest.TempPathFactory) -> config.Settings:
    """What web, workers and commands get: the module's own database on the session's servers."""
    return config.Settings(
        home=tmp_path_factory.mktemp("home"),
        database_url=database.owner,
        database_url_web=database.web,
        database_url_worker=database.worker,
        redis_url=valkey,
        s3_endpoint=store_server.endpoint,
        s3_access_key=store_server.access_key,
        s3_secret_key=store_server.secret_key,
        s3_bucket=store_server.bucket,
        secret_key=secrets.token_urlsafe(48),
        webhook_allow="127.0.0.0/8,::1/128",
    )
