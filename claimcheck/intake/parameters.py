"""The pipeline's parameters: every change is one more version, with who and why, and unsafe ones are refused with the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.types.json import Jsonb
from pydantic import Field

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.validation import Model, validated

MIB = 1024 * 1024  # the longest message
ENOUGH = 200  # measured handlers, before their p99 stands in for the expected one


class Parameters(Model):
    """How the pipeline works. Times are in milliseconds; sizes are in messages, or in bytes where they say so."""

    prefetch: int = Field(200, ge=1, le=10_000, description="messages that one pull takes at most")
    queue_maxsize: int = Field(1_000, ge=1, le=100_000, description="pulled messages that wait in memory at most")
    prefetch_bytes: int = Field(16 * MIB, ge=MIB, le=1024 * MIB, description="bytes of messages that one pull takes at most")
    queue_max_bytes: int = Field(64 * MIB, ge=MIB, le=16 * 1024 * MIB, description="bytes of pulled messages that wait in memory at most")
    run_messages: int = Field(50, ge=1, le=500, description="messages of one partition that one pull takes at most")
    handlers: int = Field(4, ge=1, le=64, description="handlers at work at once")
    lease_timeout_ms: int = Field(30_000, ge=100, le=3_600_000, description="until a partition that somebody pulled may be pulled by others")
    expected_p99_ms: int = Field(2_000, ge=1, le=3_600_000, description="stands in for the handlers' p99 until 200 were measured")
    drain_timeout_ms: int = Field(10_000, ge=0, le=600_000, description="for work in flight, after SIGTERM")
    max_attempts: int = Field(5, ge=2, le=100, description="pulls of a message before it is poison")
    inbox_limit: int = Field(100_000, ge=1, le=100_000_000, description="waiting messages, before producers are asked to wait")
    retry_after_s: int = Field(5, ge=1, le=3_600, description="what a producer that has to wait is told, in seconds")
    lag_s: int = Field(300, ge=1, le=86_400, description="age of the oldest waiting message that is CONSUMER_LAG, in seconds")


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the parameters. `settings` is their stored form; version 0 are the defaults, which nobody has changed yet."""

    version: int
    settings: dict[str, Any]
    source: str
    why: str
    by: str
    created_at: datetime | None

    @property
    def parameters(self) -> Parameters:
        return validated(Parameters, self.settings)


@dataclass(frozen=True, slots=True)
class _Slowest:
    p99_ms: float | None


@dataclass(frozen=True, slots=True)
class _Added:
    version: int


DEFAULTS = Version(0, validated(Parameters, {}).model_dump(mode="json"), "default", "as delivered", "system", None)


def current(db: Database | Connection) -> Version:
    """The version in force."""
    return db.one("pipeline_settings/current", Version) or DEFAULTS


def versions(db: Database) -> list[Version]:
    """Every version, newest first, the defaults last."""
    return [*db.all("pipeline_settings/all", Version), DEFAULTS]


def measured_p99_ms(db: Database | Connection) -> float | None:
    """The slowest pool's p99 handler time; None until ENOUGH handlers were measured."""
    row = db.one("pipeline_workers/slowest", _Slowest, enough=ENOUGH)
    return row.p99_ms if row else None


def check(parameters: Parameters, p99_ms: float | None = None) -> None:
    """Raises Invalid that says the numbers where parameters do not fit: `prefetch <= queue_maxsize`, likewise in bytes; `lease_timeout > p99`."""
    if parameters.prefetch > parameters.queue_maxsize:
        raise errors.Invalid.field(
            "prefetch", f"is {parameters.prefetch}, more than queue_maxsize, which is {parameters.queue_maxsize}; lower it or raise the other"
        )
    if parameters.prefetch_bytes > parameters.queue_max_bytes:
        said = f"is {parameters.prefetch_bytes}, more than queue_max_bytes, which is {parameters.queue_max_bytes}; lower it or raise the other"
        raise errors.Invalid.field("prefetch_bytes", said)
    if parameters.run_messages > parameters.prefetch:
        raise errors.Invalid.field(
            "run_messages", f"is {parameters.run_messages}, more than prefetch, which is {parameters.prefetch}; lower it or raise the other"
        )
    slowest, what = (p99_ms, "the handlers' measured p99") if p99_ms is not None else (float(parameters.expected_p99_ms), "expected_p99_ms")
    if parameters.lease_timeout_ms <= slowest:
        raise errors.Invalid.field(
            "lease_timeout_ms",
            f"is {parameters.lease_timeout_ms}, not above {what}, which is {slowest:.0f}: leases would lapse while handlers are at work; raise it",
        )


def change(db: Database, new: Parameters, *, after: int, source: Literal["file", "page"], why: str, by: int) -> int:
    """The parameters from now on; the version's number, the old one's where nothing differs.

    `after` is the version that the change was made from. Raises Invalid, and Stale where somebody else was faster.
    """
    if not why.strip():
        raise errors.Invalid.field("why", "say why the parameters change; the next reader will want to know")
    check(new, measured_p99_ms(db))
    there = current(db)
    if there.parameters == new:
        return there.version
    params = {"settings": Jsonb(new.model_dump(mode="json")), "source": source, "why": why.strip()[:2000], "by": by}
    made = db.one("pipeline_settings/add", _Added, version=after + 1, **params) if there.version == after else None
    if made is None:
        raise errors.SettingsChanged(version=current(db).version)
    return made.version
