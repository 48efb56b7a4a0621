"""Notices: an alert on its way to a webhook or a mailbox, at least once, under one id."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from claimcheck import deliveries, effects, errors, logs, outbound, signing
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.deliveries import Call, Sender
from claimcheck.outbound import mail, webhook
from claimcheck.outbound.mail import Post

LEASE_SECONDS = 90.0  # longer than a call, and than all steps with a mail server
IDLE_SECONDS = 3.0
TYPE = "deadline.changed"
WORDS = {"on_time": "on time again", "at_risk": "at risk of missing its deadline", "late": "late or about to be"}

log = logs.get("courier")


@dataclass(frozen=True, slots=True)
class Notice:
    """One in this worker's hands, with its alert."""

    notice_id: int
    alert_id: int
    kind: str
    attempt: int
    created_at: datetime
    email: str | None
    person: str | None
    project_id: int
    project: str
    at: datetime
    state: str
    was: str
    deadline: datetime
    miss_probability: float | None
    eta: datetime | None
    eta_low: datetime | None
    eta_high: datetime | None
    open_items: int
    skill: str | None
    experts: int | None
    items: int | None


class Courier:
    """Sends what is due, one after the other, until told to stop."""

    def __init__(self, db: Database, sender: Sender, post: Post, base_url: str):
        self.db, self.sender, self.post, self.base_url = db, sender, post, base_url

    def run(self, stop: threading.Event) -> None:
        """Rounds until `stop` is set."""
        while not stop.is_set():
            try:
                pause = 0 if self.send_one() else IDLE_SECONDS
            except errors.Error as error:
                log.warning("courier waits", error=error.code, detail=error.detail)
                pause = IDLE_SECONDS
            stop.wait(pause)

    def send_one(self) -> bool:
        """Sends the one that is due first; False where none is."""
        notice = self.db.one("alert_notices/lease", Notice, seconds=LEASE_SECONDS)
        if notice is None:
            return False
        try:
            self._call(notice) if notice.kind == "webhook" else self._write(notice)
        except outbound.Failure as failure:
            self._failed(notice, str(failure), permanent=failure.fault == "denied")
        except signing.Unsealable:
            self._failed(notice, "SECRET_KEY does not open the webhook's secret", permanent=True)
        return True

    def _call(self, notice: Notice) -> None:
        to, sent = effects.load(self.db, project_id=notice.project_id), message(notice)
        if to.switched_off:
            return self._failed(notice, "The webhook is switched off", permanent=True)
        answer = webhook.deliver(to.url, sent, to.secrets(self.sender.secret_key), self.sender.allow, self.sender.denied_ports, deliveries.DEADLINE)
        deliveries.record(self.db, Call(to.effect_id, None, sent.id, notice.attempt, answer))
        if answer.kind == "applied":
            return self._done(notice)
        return self._failed(notice, answer.error or "No answer", permanent=answer.kind != "transient", retry_after=answer.retry_after)

    def _write(self, notice: Notice) -> None:
        key = f"alert-{notice.alert_id}-{notice.notice_id}"
        subject = f"{notice.project} is {_words(notice)}"
        made = mail.letter(self.post, to=str(notice.email), key=key, subject=subject, text=text(notice, self.base_url), at=notice.at)
        mail.send(self.post, made, key=key)
        self._done(notice)

    def _done(self, notice: Notice) -> None:
        self.db.run("alert_notices/done", notice_id=notice.notice_id, attempt=notice.attempt)

    def _failed(self, notice: Notice, error: str, *, permanent: bool, retry_after: float | None = None) -> None:
        log.warning("notice failed", notice_id=notice.notice_id, error=error, permanent=permanent)
        pause = outbound.backoff(notice.attempt, retry_after)
        self.db.run("alert_notices/failed", notice_id=notice.notice_id, attempt=notice.attempt, error=error, pause=pause, permanent=permanent)


def post(settings: Settings) -> Post:
    """Where letters go by these settings."""
    return Post(settings.home / "mail", settings.mail_from, settings.smtp_url)


def message(notice: Notice) -> webhook.Message:
    """What a receiver is told of an alert."""
    data: dict[str, Any] = {
        "alert_id": notice.alert_id, "project_id": notice.project_id, "project": notice.project, "state": notice.state, "was": notice.was,
        "deadline": _utc(notice.deadline), "miss_probability": notice.miss_probability, "eta": _utc(notice.eta), "eta_low": _utc(notice.eta_low),
        "eta_high": _utc(notice.eta_high), "open": notice.open_items,
        "help": {"skill": notice.skill, "experts": notice.experts, "items": notice.items},
    }  # fmt: skip
    return webhook.message(f"alert_{notice.alert_id}", TYPE, notice.at, data)


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _words(notice: Notice) -> str:
    return "finished in time" if notice.state == "on_time" and not notice.open_items else WORDS[notice.state]


def text(notice: Notice, base_url: str) -> str:
    """The letter."""
    chance = "not known" if notice.miss_probability is None else f"{notice.miss_probability:.0%}"
    lines = [
        f"Hello {notice.person},",
        "",
        f"the project {notice.project} is {_words(notice)}.",
        "",
        f"Deadline: {_said(notice.deadline)}",
        f"Chance of missing it: {chance}",
        f"Open items: {notice.open_items:,}",
    ]
    if notice.eta:
        lines.append(f"Last item expected: {_said(notice.eta)}, with 80 % between {_said(notice.eta_low)} and {_said(notice.eta_high)}")
    ways = [f"{notice.experts:,} more experts of “{notice.skill}” at work"] if notice.experts else []
    ways += [f"{notice.items:,} items fewer"] if notice.items else []
    if ways and notice.state != "on_time":
        lines += ["", f"What would help: {' or '.join(ways)}."]
    return "\n".join([*lines, "", f"{base_url}/projects/{notice.project_id}", "", "You are told once each time this changes.", ""])


def _said(moment: datetime | None) -> str:
    return "unknown" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
