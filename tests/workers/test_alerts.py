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

from claimcheck import alerts, couriers, deliveries, projects, rules
from claimcheck.outbound import mail, webhook
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


@pytest.fixture(autouse=True)
def nothing_on_its_way(world: World) -> None:
    world.sql.execute("UPDATE alert_notices SET state = 'done', done_at = clock_timestamp() WHERE state = 'pending'")


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


def courier(world: World, folder: Path, url: str | None = None) -> couriers.Courier:
    settings = world.settings.model_copy(update={"secret_key": SECRET, "webhook_allow": LOOPBACK})
    return couriers.Courier(world.worker, deliveries.sender(settings), Post(folder, "desk@example.org", url), "https://desk.example.org")


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
    return made.id, made.webhook_secret


def test_it_is_raised_once_and_told_to_webhook_and_mailboxes(world: World, home: Path) -> None:
    receiver = Receiver(503, 204)
    project, secret = endangered(world, receiver.url)
    assert sum(at_once(3, lambda _: alerts.run(world.worker))) == 1
    assert alerts.run(world.worker) == 0
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.state, alert.was, alert.open_items, alert.pending) == ("at_risk", "on_time", 50, 3)  # a webhook, Chi, Eve
    assert alerts.in_danger(world.web, world.cast.eve) == alerts.in_danger(world.web, world.cast.chi) == 1
    sends = courier(world, home)
    while sends.send_one():
        pass
    [(headers, body)] = receiver.calls
    assert webhook.is_genuine([str(secret)], headers, body) and headers["webhook-id"] == f"alert_{alert.id}"
    told = json.loads(body)
    assert (told["type"], told["data"]["state"], told["data"]["was"], told["data"]["open"]) == ("deadline.changed", "at_risk", "on_time", 50)
    assert told["data"]["help"]["experts"] == alert.experts
    world.sql.execute("UPDATE alert_notices SET due = clock_timestamp() WHERE state = 'pending'")
    assert sends.send_one() and not sends.send_one()
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
    sends = courier(world, home, "smtp://127.0.0.1:1")
    assert [sends.send_one() for _ in range(3)] == [True] * 3
    receiver.listener.close()
    [alert] = alerts.page(world.web, project_id=project)
    assert (alert.dead, alert.done, alert.pending) == (1, 0, 2)  # letters are tried again
    errors_ = {e.last_error for e in world.all("SELECT last_error FROM alert_notices WHERE alert_id = %s", alert.id)}
    assert "The receiver answered 404." in errors_ and any("mail server" in e for e in errors_)
