"""`python -m workers.publisher`: puts what was taken in to the store and publishes it, until told to stop. Several may run."""

from __future__ import annotations

import random
import signal
import threading
import time
from contextlib import nullcontext

from claimcheck import config, errors, evidence, logs, publishing, sweeps
from claimcheck.db import Database
from claimcheck.forecasts import alerts, boosting, record
from claimcheck.operations import alerting
from claimcheck.operations.pulse import Pulse
from claimcheck.outbound import deliveries
from claimcheck.review import lease_times
from claimcheck.store import Store

IDLE_SECONDS = 0.2
BOOST_SECONDS = 30.0  # between two looks at deadlines and at what is counted hourly
FORECAST_SECONDS = 60.0  # between two looks at what is to be forecast in this hour, and at what is in danger
AWAY_SECONDS, LONGEST_SECONDS = 0.5, 5.0  # between attempts while the database or the store does not answer, doubling

log = logs.get("publisher")


def run(db: Database, store: Store, stop: threading.Event, pulse: Pulse | None = None) -> None:
    """Rounds of publishing until `stop` is set; it finishes the round it is in, and begins none while its pulse rests. Outages are waited out."""
    away, boosted, forecast = 0, float("-inf"), float("-inf")
    while not stop.is_set():
        if pulse and pulse.resting.is_set():
            stop.wait(IDLE_SECONDS)
            continue
        try:
            with pulse.round() if pulse else nullcontext():
                if time.monotonic() - boosted > BOOST_SECONDS:
                    boosted = time.monotonic()
                    boosting.run(db)
                    lease_times.count(db)
                if time.monotonic() - forecast > FORECAST_SECONDS:
                    forecast = time.monotonic()
                    record.run(db)
                    alerts.run(db)
                pause = _round(db, store, probe=away > 0)
            away = 0
        except errors.Error as error:
            away += 1
            log.warning("publisher waits", error=error.code, detail=error.detail, times=away)
            pause = min(LONGEST_SECONDS, AWAY_SECONDS * 2 ** min(away - 1, 8)) * random.uniform(0.5, 1)  # noqa: S311 (no secret)
        stop.wait(pause)


def _round(db: Database, store: Store, *, probe: bool) -> float:
    """Seconds until the next round: none while there is work. Raises StoreUnavailable while the store is away."""
    sweeps.finish(db)
    evidence.rehash(db)
    if probe and not store.ready():  # nothing is taken for as long
        raise errors.StoreUnavailable()
    done = publishing.publish(db, store)
    if done.away:
        raise errors.StoreUnavailable()
    return 0 if done.published else IDLE_SECONDS


def main() -> None:
    """Runs with the settings of the environment; SIGTERM and SIGINT end it in good order."""
    logs.configure()
    settings, stop = config.load(), threading.Event()
    config.require(settings, "database_url_worker", "s3_endpoint", "s3_access_key", "s3_secret_key")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db = Database(str(settings.database_url_worker), max_size=publishing.THREADS + 2, name="publisher")
    pulse = Pulse(db, "publisher").start()
    watch = alerting.Watch(db, settings, deliveries.sender(settings))
    threading.Thread(target=watch.run, args=(stop,), name="watch", daemon=True).start()
    try:
        run(db, Store(settings, connections=publishing.THREADS + 2), stop, pulse)
    finally:
        pulse.stop()
        db.close()


if __name__ == "__main__":
    main()
