"""The pipeline's page: signals with advice, pools, what waits, and settings that are refused with the numbers."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from flask import Flask

from claimcheck.db import Database
from claimcheck.intake import parameters, signals
from claimcheck.intake.parameters import Parameters
from tests import people
from tests.people import Cast


@pytest.fixture
def dov(app: Flask, cast: Cast) -> Any:
    return people.browser(app, cast.dov)


def form(db: Database, **new: Any) -> dict[str, Any]:
    now = parameters.current(db)
    return {**now.settings, "why": "a test", "after": now.version, **new}


def test_it_is_for_operators_and_leads_look(app: Flask, cast: Cast, db: Database) -> None:
    clients = {name: people.browser(app, getattr(cast, name)) for name in ("ada", "eve", "chi", "dov")}
    assert [c.get("/pipeline").status_code for c in clients.values()] == [403, 403, 200, 200]
    assert [c.post("/pipeline/settings", data=form(db, prefetch=150)).status_code for c in clients.values()] == [403, 403, 403, 303]
    assert "Put in force" in clients["dov"].get("/pipeline").text and "Put in force" not in clients["chi"].get("/pipeline").text


def test_it_puts_settings_in_force_and_shows_their_history(dov: Any, db: Database) -> None:
    before = parameters.current(db)
    answer = dov.post("/pipeline/settings", data=form(db, lag_s=123, why="<b>pay day</b>"), follow_redirects=True)
    assert f"Version {before.version + 1} is in force" in answer.text
    assert "<code>lag_s</code>" in answer.text and "<b>123</b>" in answer.text and "&lt;b&gt;pay day" in answer.text
    now = parameters.current(db)
    assert (now.version, now.settings["lag_s"], now.by, now.source) == (before.version + 1, 123, "Dov", "page")


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ({"prefetch": 5000}, "is 5000, more than queue_maxsize, which is 1000"),
        ({"lease_timeout_ms": 1500}, "is 1500, not above expected_p99_ms, which is 2000"),
        ({"handlers": 0}, "must be at least 1"),
        ({"handlers": "many"}, "must be a whole number"),
        ({"inbox_limit": "9" * 40}, "must be a whole number"),
        ({"lag_s": 1, "why": " "}, "say why the parameters change"),
    ],
)
def test_it_refuses_unsafe_settings_with_the_numbers_and_keeps_what_was_typed(dov: Any, db: Database, new: dict[str, Any], said: str) -> None:
    before = parameters.current(db)
    answer = dov.post("/pipeline/settings", data=form(db, **new))
    assert answer.status_code == 422 and said in answer.text and "Nothing was changed" in answer.text
    assert all(f'value="{value}"' in answer.text for name, value in new.items() if name != "why")
    assert parameters.current(db) == before


def test_it_tells_the_second_of_two_who_change_at_once(dov: Any, db: Database) -> None:
    opened = form(db, lag_s=201)
    assert dov.post("/pipeline/settings", data=form(db, lag_s=202)).status_code == 303
    late = dov.post("/pipeline/settings", data=opened)
    assert late.status_code == 409 and "Somebody else changed the settings" in late.text and "Look at theirs" in late.text
    assert parameters.current(db).settings["lag_s"] == 202


def test_it_shows_every_parameter_with_its_meaning(dov: Any) -> None:
    page = dov.get("/pipeline").text
    for name, field in Parameters.model_fields.items():
        assert f'name="{name}"' in page and str(field.description)[1:20].replace("'", "&#39;") in page


def test_it_shows_signals_with_what_to_do(dov: Any, db: Database) -> None:
    assert "All quiet" in dov.get("/pipeline").text
    signals.note(db, "LEASE_EXPIRED", "<i>partition</i> 'Acme'", settings_version=0, trace_id="t-4711", source_hash=b"\1" * 32, n=3)
    page = dov.get("/pipeline").text
    assert "LEASE_EXPIRED" in page and signals.ADVICE["LEASE_EXPIRED"] in page and "t-4711" in page
    assert "&lt;i&gt;partition" in page and "<i>partition" not in page and "Quiet:" in page


def test_it_shows_pools_and_which_lag_behind(dov: Any, database: Any) -> None:
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("""INSERT INTO pipeline_workers (name, source, settings_version, state, handled, measured, p99_ms, seen_at) VALUES
                       ('alive', 'inbox', 9999, 'running', 12345, 1000, 38.4, clock_timestamp()), ('mute', 'stream', 0, 'running', 1, 1, 1, now() - interval '5 min')""")
        page = dov.get("/pipeline").text
        sql.execute("DELETE FROM pipeline_workers")
    assert "alive" in page and "9999, not yet" in page and "38 ms" in page and '<span class="tag no">silent</span>' in page
    assert "No pool was heard of today" in dov.get("/pipeline").text
