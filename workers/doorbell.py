"""RQ as we let it in: a bell that says which outbox row is due. Nothing that stands in Redis is believed beyond that number."""

from __future__ import annotations

import os
import time
from typing import Any, ClassVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

QUEUE = "apply"
FUNCTION = "workers.apply.run"
JOB_SECONDS = 30  # a job only hands its row to a thread; this is the last net
WORKER_TTL = 20  # seconds; RQ blocks for 15 fewer, on a connection that is given 10 more
MAINTENANCE_SECONDS = 30
RESULT_SECONDS, FAILURE_SECONDS, WAITING_SECONDS = 5, 60, 600  # what is lost is rung for again
# What RQ may read back of a job. Callbacks, webhooks, dependents, repeats and meta are missing on purpose: they name what to call or fetch.
KEPT = {b"data", b"origin", b"status", b"created_at", b"enqueued_at", b"started_at", b"ended_at", b"last_heartbeat", b"worker_name"}


class NotOurs(ValueError):
    """A job in Redis is none that the dispatcher makes."""


class Ring(Job):
    """A job that can be nothing but `workers.apply.run(outbox_id)`."""

    def restore(self, raw_data: Any) -> Any:
        """Takes from Redis what a ring consists of, and the times to live from here."""
        super().restore({name: value for name, value in dict(raw_data).items() if _name(name) in KEPT})
        self.timeout, self.result_ttl, self.failure_ttl, self.ttl = JOB_SECONDS, RESULT_SECONDS, FAILURE_SECONDS, WAITING_SECONDS
        self.description = "ring"

    def _deserialize_data(self) -> None:
        super()._deserialize_data()
        whole = (self._func_name, self._instance, self._kwargs)
        if whole != (FUNCTION, None, {}) or not isinstance(self._args, list | tuple) or [type(a) for a in self._args] != [int]:
            raise NotOurs("a job that the dispatcher did not make was refused")


def _name(name: bytes | str) -> bytes:
    return name.encode() if isinstance(name, str) else name


class RingQueue(Queue):
    """The queue of rings."""

    job_class = Ring


class RingWorker(SimpleWorker):
    """Runs rings in this very process. RQ forks for each job, to outlive one that crashes or never ends: a ring does neither, it hands a number
    to a thread, and effects are as safe from a kill with a fork as without (leases). A fork needs connections of its own and does one thing at a
    time: 11 to 28 effects a second, against 81 to 95 (three runs of each, two busy cores). A job that lasts no longer than JOB_SECONDS needs no
    heartbeats. Deaf to commands by publish/subscribe: whoever can write to Redis could stop the worker.
    """

    job_class = Ring
    queue_class = RingQueue
    max_connection_wait_time = 2.0
    log_result_lifespan: ClassVar[bool] = False
    told_to_stop: float | None = None  # when

    def request_stop(self, signum: Any, frame: Any) -> None:
        """Finishes the job and comes back from `work`."""
        self.told_to_stop = time.monotonic()
        super().request_stop(signum, frame)

    def request_force_stop(self, signum: int, frame: Any) -> None:  # noqa: ARG002 (RQ's interface)
        """A second signal: ends at once. Within a second of the first it is the same one, sent to the whole group."""
        if self.told_to_stop and time.monotonic() - self.told_to_stop > 1:
            os._exit(1)

    def check_for_suspension(self, burst: bool) -> None:
        """Is not suspended: a key in Redis could keep every outcome from being applied."""

    def subscribe(self) -> None:
        """Does not."""

    def unsubscribe(self) -> None:
        """Nothing to end."""

    def clean_group_registries(self) -> None:
        """We have no groups, and RQ would read their jobs by pickle."""


def connect(url: str, seconds: float = 3.0) -> redis.Redis:
    """A client whose every wait has an end, after `seconds`; a worker's is longer than it blocks."""
    once = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=2, health_check_interval=10, retry=once)


def queue(client: redis.Redis) -> RingQueue:
    """The queue, on this connection."""
    return RingQueue(QUEUE, connection=client, serializer=JSONSerializer)


def worker(client: redis.Redis) -> RingWorker:
    """A worker of this one queue: with two, a job that was popped by a worker who is killed is lost."""
    return RingWorker(
        [queue(client)],
        connection=client,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
        maintenance_interval=MAINTENANCE_SECONDS,
        log_job_description=False,
    )


def ring(queue: RingQueue, outbox_id: int, push: int) -> None:
    """Enqueues a ring, under an id that no other had."""
    queue.enqueue_call(
        FUNCTION,
        args=(outbox_id,),
        job_id=f"ob-{outbox_id}-{push}",
        timeout=JOB_SECONDS,
        result_ttl=RESULT_SECONDS,
        failure_ttl=FAILURE_SECONDS,
        ttl=WAITING_SECONDS,
        description="ring",
    )


def evicts(client: redis.Redis) -> str | None:
    """The eviction policy where it is one that throws keys away; rings would vanish unseen."""
    policy = str(client.info("memory").get("maxmemory_policy", ""))  # pyright: ignore[reportAttributeAccessIssue]
    return policy if policy != "noeviction" else None
