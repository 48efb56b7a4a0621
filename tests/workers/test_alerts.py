"""A deadline in danger is told once: on record, by signed webhook, and by letter."""

from __future__ import annotations

import email
import email.policy
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from claimcheck import migrations, projects, rules
from claimcheck.forecasts import alerts
from claimcheck.outbound import applying, deliveries, mail, outbox, webhook
from claimcheck.outbound.answers import Failure
from claimcheck.outbound.mail import Post
from tests.intake import World, at_once, row

SECRET = "tests tests only: 7c1f0e5ab94d2368"  # noqa: S105
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.fixture(scope="module")
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


class Receiver:
    """Answers every call with the next of its statuses, the last of them for ever."""

    def __init__(self, *statuses: int):
        self.statuses, self.calls = [*statuses], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/hook"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                stream.readline()
                pairs = [line.decode().rstrip("\r\n").split(": ", 1) for line in iter(stream.readline, b"\r\n")]
                headers = {name.lower(): value for name, value in pairs}
                self.calls.append((headers, stream.read(int(headers["content-length"]))))
                status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
                connection.sendall(f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode())


class MailServer:
    """As much of SMTP as smtplib speaks; `refuses` answers RCPT with that code."""

    def __init__(self, refuses: int | None = None):
        self.letters: list[bytes] = []
        self.refuses = refuses
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rwb", buffering=0) as stream:
            stream.write(b"220 here\r\n")
            while line := stream.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    stream.write(b"354 go on\r\n")
                    self.letters.append(b"".join(iter(stream.readline, b".\r\n")))
                answer = f"{self.refuses} no\r\n".encode() if word == b"RCPT" and self.refuses else b"250 ok\r\n"
                stream.write(b"221 bye\r\n" if word == b"QUIT" else answer)
                if word == b"QUIT":
                    return


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "mail"


def tell(world: World, folder: Path, url: str | None = None) -> None:
    """Everything that is due, once, as a worker does."""
    how = {"webhook_allow": LOOPBACK, "home": folder.parent, "mail_from": "desk@example.org", "smtp_url": url, "base_url": "https://desk.example.org"}
    applier = applying.Applier(world.worker, deliveries.sender(world.settings.model_copy(update=how | {"secret_key": SECRET})), threads=1)
    world.sql.execute("UPDATE outbox SET due = clock_timestamp(), push_due = clock_timestamp() WHERE state = 'pending'")
    due = [row.id for row in world.all("SELECT id FROM outbox WHERE state = 'pending' ORDER BY id")]
    for outbox_id in [*due, 0]:  # the last one is none: once a thread is free for it, the others are done
        applier.take(outbox_id)
    applier.stop()


def endangered(world: World, hook: str | None = None, hours: float = 2) -> tuple[int, str | None]:
    """A project of 50 items with one looked at: five a quarter of an hour, two hours left."""
    world.quiet()
    given = {
        "name": f"due {datetime.now(UTC).timestamp()}",
        "skill": "documents",
        "reason_codes": ["fine"],
        "deadline": (datetime.now(UTC) + timedelta(hours=hours)).isoformat(),
    }
    if hook:
        given["webhook"] = {"url": hook}
    settings = world.settings.model_copy(update={"secret_key": SECRET, "webhook_allow": LOOPBACK})
    made = projects.create(world.web, by=world.cast.eve, rules=rules.parse(given), settings=settings)
    world.accept(made.id, [row(f"{made.id}-{n}") for n in range(60)])
    world.publish()
    for _ in range(10):
        claimed = world.claim()
        assert claimed is not None
        world.decide(claimed)
    world.sql.execute("UPDATE outbox SET state = 'done', done_at = clock_timestamp() WHERE state = 'pending'")  # outcomes are told elsewhere
    return made.id, made.webhook_secret


def test_it_is_raised_once_and_told_to_webhook_and_mailboxes(world: World, home: Path) -> None:
    receiver = Receiver(503, 204)
    project, secret = endangered(world, receiver.url)
    assert sum(at_once(3, lambda _: alerts.run(world.worker))) == 1
    assert alerts.run(world.worker) == 0
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.state, alert.was, alert.open_items, alert.pending) == ("at_risk", "on_time", 50, 3)  # a webhook, Chi, Eve
    assert alerts.in_danger(world.web, world.cast.eve) == alerts.in_danger(world.web, world.cast.chi) == 1
    tell(world, home)
    [(headers, body)] = receiver.calls
    assert webhook.is_genuine([str(secret)], headers, body) and headers["webhook-id"] == f"alert_{alert.id}"
    told = json.loads(body)
    assert (told["type"], told["data"]["state"], told["data"]["was"], told["data"]["open"]) == ("deadline.changed", "at_risk", "on_time", 50)
    assert told["data"]["help"]["experts"] == alert.experts
    tell(world, home)
    receiver.listener.close()
    assert receiver.calls[1][1] == body and receiver.calls[1][0]["webhook-id"] == headers["webhook-id"]
    [again] = alerts.page(world.web, project_id=project)
    assert (again.done, again.pending, again.dead) == (3, 0, 0)
    letters = [email.message_from_bytes(p.read_bytes(), policy=email.policy.default) for p in sorted(home.glob("*.eml"))]
    assert sorted(str(letter["To"]) for letter in letters) == ["chi@example.org", "eve@example.org"]
    assert (
        "at risk of missing its deadline" in str(letters[0]["Subject"]) and f"https://desk.example.org/projects/{project}" in letters[0].get_content()
    )


def test_it_is_told_again_only_when_it_changes(world: World, home: Path) -> None:
    project, _ = endangered(world)
    assert alerts.run(world.worker) == 1
    world.sql.execute("UPDATE projects SET deadline = clock_timestamp() + interval '2.5 hours' WHERE id = %s", [project])
    assert alerts.run(world.worker) == 0
    world.sql.execute("UPDATE projects SET deadline = clock_timestamp() + interval '9 days' WHERE id = %s", [project])
    assert alerts.run(world.worker) == 1
    world.sql.execute("UPDATE projects SET deadline = clock_timestamp() - interval '1 minute' WHERE id = %s", [project])
    assert alerts.run(world.worker) == 1
    states = [(a.was, a.state) for a in alerts.page(world.web, project_id=project)]
    assert states == [("on_time", "late"), ("at_risk", "on_time"), ("on_time", "at_risk")]
    world.quiet()


def test_it_warns_of_work_that_nobody_has_begun(world: World) -> None:
    world.quiet()
    given = {"deadline": (datetime.now(UTC) + timedelta(hours=3)).isoformat(), "skill": "seals"}
    project = world.project(**given)
    world.accept(project, [row(f"s{n}") for n in range(3)])
    world.publish()
    assert alerts.run(world.worker) == 1
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.state, alert.miss_probability, alert.eta) == ("at_risk", None, None)


def test_a_letter_goes_by_the_mail_server_and_a_refusal_is_final(world: World, home: Path) -> None:
    server, refusing = MailServer(), MailServer(refuses=550)
    post = Post(home, "desk@example.org", server.url)
    made = mail.letter(post, to="eve@example.org", key="alert-1-2", subject="Kyc is\nlate", text="Grüße\n", at=datetime.now(UTC))
    mail.send(post, made, key="alert-1-2")
    [raw] = server.letters
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    assert (letter["Subject"], letter["Message-ID"], letter.get_content().strip()) == ("Kyc is late", "<alert-1-2@example.org>", "Grüße")
    with pytest.raises(Failure) as raised:
        mail.send(Post(home, "desk@example.org", refusing.url), made, key="alert-1-2")
    assert raised.value.fault == "denied"
    server.listener.close()
    refusing.listener.close()
    with pytest.raises(Failure) as away:
        mail.send(Post(home, "desk@example.org", "smtp://127.0.0.1:1"), made, key="alert-1-2")
    assert away.value.fault == "connection"


def test_it_gives_up_on_a_receiver_that_refuses_for_good(world: World, home: Path) -> None:
    receiver = Receiver(404)
    project, _ = endangered(world, receiver.url)
    assert alerts.run(world.worker) == 1
    tell(world, home, "smtp://127.0.0.1:1")
    receiver.listener.close()
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.dead, alert.done, alert.pending) == (1, 0, 2)  # letters are tried again
    errors_ = {e.last_error for e in world.all("SELECT o.last_error FROM outbox o JOIN notices n ON n.id = o.notice_id WHERE n.alert_id = %s", alert.id)}
    assert "The receiver answered 404." in errors_ and any("mail server" in e for e in errors_)


def test_it_writes_to_nobody_who_was_disabled_since(world: World, home: Path) -> None:
    project, _ = endangered(world)
    assert alerts.run(world.worker) == 1
    world.sql.execute("UPDATE people SET disabled_at = clock_timestamp() WHERE id = %s", [world.cast.chi.id])
    tell(world, home)
    world.sql.execute("UPDATE people SET disabled_at = NULL WHERE id = %s", [world.cast.chi.id])
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.done, alert.dead, len([*home.glob("*.eml")])) == (1, 1, 1) and outbox.dead(world.web)[-1].person == "Chi"


def test_what_waited_for_a_courier_goes_on_under_its_id(world: World, home: Path) -> None:
    """A desk that comes from before letters were notices: as told then, word for word, and what waits still waits."""
    project, _ = endangered(world, "http://127.0.0.1:9/hook")
    assert alerts.run(world.worker) == 1
    said = "SELECT kind, key, body, created_at, alert_id, person_id FROM notices WHERE project_id = %s ORDER BY key"
    raised = world.all(said, project)
    before = (migrations.FILES / "0091_pre_alerts.sql").read_text()
    with world.sql.transaction(force_rollback=True):
        world.sql.execute("SET LOCAL session_replication_role = replica")
        world.sql.execute("DELETE FROM outbox WHERE notice_id IN (SELECT id FROM notices WHERE project_id = %s)", [project])
        world.sql.execute("DELETE FROM notices WHERE project_id = %s", [project])
        world.sql.execute(before[before.index("CREATE TABLE alert_notices") : before.index("CREATE INDEX")])
        world.sql.execute(OLD, {"project": project, "chi": world.cast.chi.id, "eve": world.cast.eve.id})
        world.sql.execute((migrations.FILES / "0122_post_couriers.sql").read_text())
        assert world.all(said, project) == raised
        carried = world.all("SELECT o.* FROM outbox o JOIN notices n ON n.id = o.notice_id WHERE n.project_id = %s ORDER BY n.key", project)
    assert [(row.state, row.attempts, row.last_error) for row in carried] == [("pending", 3, "away"), ("done", 1, None), ("dead", 1, "no")]
    assert carried[0].first_tried and carried[0].due == carried[0].push_due > carried[0].created_at


OLD = """
INSERT INTO alert_notices (alert_id, kind, person_id, state, attempts, due, last_error, done_at)
SELECT a.id, old.kind, old.person_id, old.state, old.attempts, clock_timestamp() + interval '1 hour', old.last_error, CASE old.state WHEN 'done' THEN clock_timestamp() END
  FROM alerts a, (VALUES ('webhook', NULL, 'pending', 3, 'away'), ('email', %(chi)s::int, 'done', 1, NULL), ('email', %(eve)s, 'dead', 1, 'no'))
       old (kind, person_id, state, attempts, last_error)
 WHERE a.project_id = %(project)s"""
