"""The desk's own alerts: conditions judged without Prometheus, each raised once and over once, told by signed webhook and by letter."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from claimcheck import errors, logs, outbound
from claimcheck.access import people
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.operations import conditions, metrics
from claimcheck.operations.conditions import Firing, Judge, Labels, Sample
from claimcheck.outbound import mail, webhook
from claimcheck.outbound.deliveries import DEADLINE, Sender

SECONDS = 15.0  # between two looks
LEASE_SECONDS = 90.0  # longer than a call, and than all steps with a mail server
PAST = 5  # alerts that are over, on the page

log = logs.get("claimcheck.alerting")


@dataclass(frozen=True, slots=True)
class Alert:
    """A condition that holds, or that held until `cleared_at`."""

    id: int
    name: str
    labels: str
    severity: str
    summary: str
    description: str
    raised_at: datetime
    cleared_at: datetime | None


@dataclass(frozen=True, slots=True)
class Notice:
    """What one of those who are told is told; nobody's mailbox where it goes to the webhook."""

    notice_id: int
    attempt: int
    over: bool
    person_id: int | None
    alert_id: int
    name: str
    labels: str
    severity: str
    summary: str
    description: str
    raised_at: datetime
    cleared_at: datetime | None
    person: str | None
    email: str | None

    @property
    def key(self) -> str:
        """By which receivers and mailboxes know a repetition."""
        return f"operations_{self.alert_id}_{'over' if self.over else 'raised'}"


def lately(db: Database) -> list[Alert]:
    """Those that are raised, and the last that are over."""
    return db.all("operations/open_alerts", Alert, past=PAST)


def samples(db: Database, settings: Settings) -> list[Sample]:
    """Every measure now."""
    families = metrics.Collector(db, settings.home).collect()
    return [Sample(one.name, conditions.labels(one.labels), one.value) for family in families for one in family.samples]


class Watch:
    """One process's. Several may watch: an alert is raised by whichever sees it first."""

    def __init__(self, db: Database, settings: Settings, sender: Sender):
        self.db, self.settings, self.sender = db, settings, sender
        self.judge = Judge(conditions.load())

    def run(self, stop: threading.Event) -> None:
        """Rounds until `stop` is set."""
        while not stop.wait(SECONDS):
            try:
                self.look(time.monotonic())
                while self.tell_one():
                    pass
            except errors.Error as error:
                log.warning("alerts wait", error=error.code, detail=error.detail)
            except Exception:
                log.exception("alerts broke")

    def look(self, now: float) -> None:
        """Raises what has held for long enough at `now`, in seconds, and clears what holds no more."""
        firing = {(one.rule.name, _text(one.labels)): one for one in self.judge.firing(samples(self.db, self.settings), now)}
        known = {(alert.name, alert.labels): alert for alert in lately(self.db) if alert.cleared_at is None}
        for key in firing.keys() - known.keys():
            self._raise(firing[key])
        holding = {(name, _text(labels)) for name, labels in self.judge.holding}
        for key in known.keys() - holding:  # one that only begins to hold anew goes on
            self.db.run("operations/clear_alert", id=known[key].id, me=people.SYSTEM)

    def _raise(self, one: Firing) -> None:
        told = {"name": one.rule.name, "labels": _text(one.labels), "severity": one.rule.severity, "summary": one.summary}
        log.error("alert", **told)
        named = told | {"description": one.description, "webhook": bool(self.settings.alert_url)}
        self.db.run("operations/raise_alert", **named, me=people.SYSTEM)

    def tell_one(self) -> bool:
        """Tells what is due first; False where nothing is."""
        notice = self.db.one("operations/lease_notice", Notice, seconds=LEASE_SECONDS)
        if notice is None:
            return False
        try:
            self._call(notice) if notice.person_id is None else self._write(notice)
        except outbound.Failure as failure:
            self._end(notice, str(failure), permanent=failure.fault == "denied")
        return True

    def _call(self, notice: Notice) -> None:
        if not self.settings.alert_url or not self.settings.alert_secret:
            return self._end(notice, "ALERT_URL and ALERT_SECRET are not set any more", permanent=True)
        sent = webhook.message(
            notice.key, "operations.alert", notice.cleared_at if notice.over and notice.cleared_at else notice.raised_at, _data(notice)
        )
        secrets, allow, denied = [self.settings.alert_secret], self.sender.allow, self.sender.denied_ports
        answer = webhook.deliver(self.settings.alert_url, sent, secrets, allow, denied, DEADLINE)
        error = None if answer.kind == "applied" else answer.error or "The receiver gave no answer."
        return self._end(notice, error, permanent=answer.kind in ("permanent", "gone"), retry_after=answer.retry_after)

    def _write(self, notice: Notice) -> None:
        if not notice.email:
            return self._end(notice, "The account is disabled, or has no address any more", permanent=True)
        key = f"{notice.key}-{notice.notice_id}"
        subject = f"{'Over' if notice.over else 'Alert'}: {notice.summary}"
        at = notice.cleared_at if notice.over and notice.cleared_at else notice.raised_at
        made = mail.letter(self.sender.post, to=notice.email, key=key, subject=subject, text=_letter(notice, self.settings.base_url), at=at)
        mail.send(self.sender.post, made, key=key)
        return self._end(notice, None)

    def _end(self, notice: Notice, error: str | None, *, permanent: bool = False, retry_after: float | None = None) -> None:
        if error:
            log.warning("alert untold", notice=notice.notice_id, error=error, permanent=permanent)
        pause = outbound.backoff(notice.attempt, retry_after)
        self.db.run("operations/end_notice", notice_id=notice.notice_id, attempt=notice.attempt, error=error, permanent=permanent, pause=pause)


def _text(of: Labels) -> str:
    return ",".join(f"{name}={value}" for name, value in of)


def _data(notice: Notice) -> dict[str, Any]:
    named = {name: getattr(notice, name) for name in ("alert_id", "name", "labels", "severity", "summary", "description")}
    moments = {name: at and _utc(at) for name, at in (("raised_at", notice.raised_at), ("cleared_at", notice.cleared_at))}
    return named | moments | {"state": "over" if notice.over else "raised"}


def _letter(notice: Notice, base_url: str) -> str:
    how = f"This is over since {_utc(notice.cleared_at)}:" if notice.over and notice.cleared_at else f"Since {_utc(notice.raised_at)}:"
    lines = [f"Hello {notice.person},", "", how, "", notice.summary, *([] if notice.over else [notice.description])]
    return "\n".join([*lines, "", f"{base_url}/operations", "", "You are told once when it begins and once when it is over.", ""])


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
