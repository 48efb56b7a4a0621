"""Effects: what a project's outcomes bring about. A standing is kept here; a webhook tells somebody else."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from claimcheck import config, errors, hooks, outbound
from claimcheck.config import Settings
from claimcheck.db import Connection, Database
from claimcheck.outbound import webhook as messages
from claimcheck.proof import signing

TAKEN_OUT = "The project's rules no longer name a webhook"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A project's webhook. The secrets are sealed; the former one is there for a day after a rotation."""

    effect_id: int
    project_id: int
    project: str
    customer_id: int
    url: str
    on_outcomes: list[str]
    switched_off: str | None
    rest_until: datetime | None
    failures: int
    sealed_secret: bytes = field(repr=False)
    sealed_former: bytes | None = field(repr=False)
    former_until: datetime | None
    server_now: datetime

    @property
    def resting(self) -> bool:
        """Whether it failed so often in a row that it is left alone for a while."""
        return self.rest_until is not None and self.rest_until > self.server_now

    def secrets(self, secret_key: str) -> list[str]:
        """What signs a call now. Raises signing.Unsealable where SECRET_KEY is another one."""
        sealed = [self.sealed_secret, *([self.sealed_former] if self.sealed_former else [])]
        return [signing.unseal(secret_key, purpose(self.project_id), one).decode() for one in sealed]


@dataclass(frozen=True, slots=True)
class _Put:
    new: bool


def purpose(project_id: int) -> str:
    """What a webhook's secret is sealed for."""
    return f"webhook of project {project_id}"


def _new_secret(settings: Settings, project_id: int) -> tuple[str, bytes]:
    config.require(settings, "secret_key")
    secret = messages.new_secret()
    return secret, signing.seal(str(settings.secret_key), purpose(project_id), secret.encode())


def check_url(url: str, settings: Settings) -> None:
    """Raises Invalid for an address that no call may go to."""
    try:
        outbound.check(url, settings.webhook_allow)
    except outbound.Failure as failure:
        raise errors.Invalid.field("webhook.url", str(failure)) from None


def install(connection: Connection, project_id: int, webhook: hooks.Webhook | None, settings: Settings | None = None) -> str | None:
    """Gives a project the effects that its rules name; a new webhook's secret, which is shown this once.

    Run again, it changes the webhook's address and outcomes and keeps its secret; rules without one switch it off.
    `settings` are the process's own where they are not given. Raises Invalid.
    """
    connection.run("effects/put_standing", project_id=project_id)
    if webhook is None:
        connection.run("effects/switch_off", project_id=project_id, reason=TAKEN_OUT)
        return None
    settings = settings or config.load()
    check_url(webhook.url, settings)
    secret, sealed = _new_secret(settings, project_id)
    put = connection.one("effects/put_webhook", _Put, project_id=project_id, url=webhook.url, on=list(webhook.on), sealed=sealed)
    return secret if put and put.new else None


def load(db: Database, *, project_id: int, customer_id: int | None = None) -> Webhook:
    """A project's webhook; with `customer_id` only that customer's. Raises NotFound."""
    row = db.one("effects/webhook", Webhook, project_id=project_id, customer_id=customer_id)
    if row is None:
        raise errors.NotFound()
    return row


def webhooks(db: Database, *, customer_id: int | None = None) -> list[Webhook]:
    """Every project's webhook, or a customer's, by the project's name."""
    return db.all("effects/webhooks", Webhook, customer_id=customer_id)


def rotate(db: Database, *, project_id: int, me: int, settings: Settings) -> str:
    """A new secret, which is shown this once; the former one signs beside it for 24 hours. Raises NotFound."""
    secret, sealed = _new_secret(settings, project_id)
    if not db.run("effects/rotate", project_id=project_id, me=me, sealed=sealed):
        raise errors.NotFound()
    return secret


def switch_on(db: Database, *, project_id: int, me: int) -> None:
    """Uses a webhook again that was switched off. Again is no error."""
    db.run("effects/switch_on", project_id=project_id, me=me)
