"""RQ's own worker, as `rq worker -S json` starts it, to show that what is planted does go off: `python -m tests.workers.stock URL`."""

from __future__ import annotations

import sys

import redis
from rq import Queue, SimpleWorker
from rq.group import Group
from rq.serializers import JSONSerializer

if __name__ == "__main__":
    client = redis.Redis.from_url(sys.argv[1])
    SimpleWorker([Queue("apply", connection=client, serializer=JSONSerializer)], connection=client, serializer=JSONSerializer).work(burst=True)
    for group in Group.all(client):
        group.get_jobs()
