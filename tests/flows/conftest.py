"""A desk that answers on a port, a real Chromium before it, and work on it."""

from __future__ import annotations

import base64
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from app import create_app
from claimcheck import projects, publishing, revisions, rules
from claimcheck.access import people as accounts
from claimcheck.access import sessions
from claimcheck.access.people import Person
from claimcheck.db import Database
from claimcheck.intake import batches
from claimcheck.review import decisions, tasks
from claimcheck.store import Store
from claimcheck.web import access
from tests import people
from tests.people import Cast

SECONDS = 20  # of waiting before a browser test gives up: the machine may be busy
expect.set_options(timeout=SECONDS * 1000)

REASONS = ["as it should be", "name differs", "document expired", "picture unreadable"]


def file(name: str, content_type: str, content: str) -> dict[str, str]:
    """A file of an item's payload."""
    return {"name": name, "content_type": content_type, "base64": base64.b64encode(content.encode()).decode()}


@dataclass
class LiveDesk:
    """The desk under test. What it makes has names that no other test uses."""

    app: Flask
    url: str
    web: Database
    worker: Database
    store: Store
    cast: Cast
    superuser: str
    made: int = field(default=0)

    def project(self, **others: Any) -> int:
        """A project of Eve's for a skill of its own, which Ada and Ben have."""
        self.made += 1
        skill = others.pop("skill", f"skill {self.made}")
        given = {"name": f"Project {self.made}", "skill": skill, "reason_codes": REASONS, **others}
        made = projects.create(self.web, by=self.cast.eve, rules=rules.parse(given), settings=self.app.extensions["claimcheck"].settings)
        for person in (self.cast.ada, self.cast.ben):
            accounts.give_skill(self.web, person_id=person.id, skill=skill)
        return made.id

    def send(self, project_id: int, *payloads: dict[str, Any]) -> list[int]:
        """Items, taken in, stored and published; their ids."""
        rows = [{"idempotency_key": f"k{project_id}-{n}", "payload": payload} for n, payload in enumerate(payloads, 1)]
        batches.take(self.web, project=project_id, by=self.cast.eve.id, rows=rows)
        self.publish()
        return [row[0] for row in self.execute("SELECT id FROM items WHERE project_id = %s ORDER BY id", project_id)]

    def new_version(self, item_id: int, payload: dict[str, Any]) -> None:
        """The item becomes something else."""
        revisions.revise(self.web, person=self.cast.eve, item_id=item_id, payload=payload)
        self.publish()

    def publish(self) -> None:
        while publishing.publish_once(self.worker, self.store):
            pass

    def execute(self, statement: str, *params: Any) -> list[tuple[Any, ...]]:
        """As the superuser, past every rule: for what only time, or another person, would do."""
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            cursor = connection.execute(statement, params)
            return cursor.fetchall() if cursor.description else []

    def lapse(self, person: Person) -> None:
        """Lets the lease that this person holds run out."""
        past = "greatest(claimed_at, clock_timestamp() - interval '1 second')"
        self.execute(f"UPDATE assignments SET lease_expires = {past} WHERE person_id = %s AND ended_at IS NULL", person.id)

    def clear(self) -> None:
        """Nothing waits and nobody holds anything: what an earlier test left behind is closed."""
        self.execute("UPDATE assignments SET ended_at = clock_timestamp(), end_reason = 'revoked' WHERE ended_at IS NULL")
        self.execute("DELETE FROM drafts")
        self.execute("UPDATE tasks SET cancelled_at = clock_timestamp() WHERE ended_as IS NULL AND cancelled_at IS NULL")

    def decide(self, person: Person, *, verdict: str = "approve", reason: str = REASONS[0], note: str = "", item_id: int | None = None) -> int:
        """Claims and decides as that person; the decision's id."""
        claim = tasks.claim(self.web, me=person.id, item_id=item_id)
        assert claim is not None
        return decisions.submit(
            self.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=person.id, evidence_hash=claim.evidence_hash,
            verdict=verdict, reason_code=reason, note=note,
        )  # fmt: skip

    def cookie(self, person: Person) -> dict[str, Any]:
        with self.app.app_context():
            return {"name": access.cookie_name(), "value": sessions.begin(self.web, person_id=person.id), "url": self.url}


class Handler(WSGIRequestHandler):
    """Werkzeug's, which leaves an answer's file open where the browser resets the connection while what is left of the request is read."""

    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:  # noqa: ARG002 (its signature)
        if environ and hasattr(answer := environ.get("tests.answer"), "close"):
            answer.close()


def _kept(app: Any) -> Any:
    def answer(environ: Any, start_response: Any) -> Any:
        environ["tests.answer"] = app(environ, start_response)
        return environ["tests.answer"]

    return answer


def served(database: Any, store_server: Any, valkey: str) -> Iterator[LiveDesk]:
    """A desk on these servers, answering on a port of its own."""
    settings = people.settings(database, store_server, valkey)
    app = create_app(settings)
    server = make_server("127.0.0.1", 0, _kept(app), threaded=True, request_handler=Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    worker, store, web = Database(database.worker), Store(settings), app.extensions["claimcheck"].db
    store.ensure_bucket()
    yield LiveDesk(app, f"http://127.0.0.1:{server.server_port}", web, worker, store, people.cast(web), database.superuser)
    server.shutdown()
    thread.join()
    server.server_close()
    worker.close()
    web.close()


@pytest.fixture(scope="module")
def live(database: Any, store_server: Any, valkey: str) -> Iterator[LiveDesk]:
    """A desk of the module's own."""
    yield from served(database, store_server, valkey)


@pytest.fixture
def desk(live: LiveDesk) -> LiveDesk:
    """The module's desk with nothing on it."""
    live.clear()
    return live


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "bin/test brings Chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A browser of somebody's: its faults are the test's."""

    context: BrowserContext
    page: Page
    faults: list[str]


@pytest.fixture
def browser_of(chromium: Browser, desk: LiveDesk) -> Iterator[Callable[..., Page]]:
    """Makes browsers, each signed in as one person. A script error or a breach of the content policy fails the test."""
    opened: list[Opened] = []

    def make(person: Person | None, **options: Any) -> Page:
        context = chromium.new_context(base_url=desk.url, **options)
        if person is not None:
            context.add_cookies([desk.cookie(person)])
        page, faults = context.new_page(), []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None)
        page.set_default_timeout(SECONDS * 1000)
        opened.append(Opened(context, page, faults))
        return page

    yield make
    for one in opened:
        one.context.close()
        assert not one.faults, one.faults
