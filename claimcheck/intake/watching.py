"""What a pool's process looks after beside the messages: the settings in force, how far behind the pool is, and how it is itself."""

from __future__ import annotations

from claimcheck import errors, logs
from claimcheck.db import Database
from claimcheck.intake import inbox, parameters, signals
from claimcheck.intake.pool import Status

log = logs.get("intake")


class InForce:
    """The settings that a process works by: the newest that are safe. A later version that isn't is told and left alone."""

    def __init__(self, db: Database):
        """Raises Invalid that says the numbers where the version in force is not safe."""
        self.db, self.version = db, parameters.current(db)
        self._left = -1
        parameters.check(self.version.parameters, parameters.measured_p99_ms(db))

    def __call__(self) -> parameters.Version:
        return self.version

    def look(self) -> None:
        """Takes a newer version up. What the handlers measure may make the present one unsafe: that is told once a version, and changed by people."""
        newest = parameters.current(self.db)
        try:
            parameters.check(newest.parameters, parameters.measured_p99_ms(self.db))
        except errors.Invalid as error:
            if newest.version != self._left:
                told = {"version": newest.version, "detail": error.detail, "settings_version": self.version.version}
                log.error("the settings are not safe", **told)
            self._left = newest.version
            return
        if newest.version != self.version.version:
            log.info("settings changed", before=self.version.version, settings_version=newest.version)
        self.version, self._left = newest, -1


def lag(db: Database, settings: parameters.Version) -> bool:
    """Whether the oldest message has waited longer than it should; told where it has."""
    oldest = inbox.oldest(db)
    most = settings.parameters.lag_s
    if oldest is None or oldest.seconds <= most:
        return False
    said = f"message {oldest.message_id} has waited {oldest.seconds:,.0f} s, and lag_s is {most}"
    traced = {"trace_id": oldest.trace_id, "source_hash": oldest.source_hash}
    signals.note(db, "CONSUMER_LAG", said, settings_version=settings.version, **traced)
    return True


def say(db: Database, name: str, source: str, status: Status, settings: parameters.Version) -> None:
    """Puts down how a pool is."""
    db.run(
        "pipeline_workers/say",
        name=name,
        source=source,
        settings_version=settings.version,
        state=status.state,
        queued=status.queued,
        in_flight=status.in_flight,
        handled=status.handled,
        measured=status.measured,
        p99_ms=status.p99_ms,
    )
