"""A dataset is made by a worker when the bell rings, and the customer's webhook is told, signed, once."""

from __future__ import annotations

import json
from typing import Any

from claimcheck import projects
from claimcheck.datasets import versions
from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage


def test_a_worker_makes_a_version_and_tells_the_webhook(stage: Stage, machinery: Machinery, hook: Hook, store_server: Any) -> None:
    machinery.more = {f"S3_{name.upper()}": getattr(store_server, name) for name in ("endpoint", "access_key", "secret_key", "bucket")}
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    project = stage.project(url=hook.url)
    stage.outcomes(project, 3)
    asked = versions.ask(stage.web, project=projects.load(stage.web, project.id, stage.cast.chi), me=stage.cast.eve)
    machinery.wait(lambda: len(hook.entries()) == 4)  # three outcomes and the notice
    made = versions.load(stage.web, dataset_id=asked.id, person=stage.cast.eve)
    [told] = [body for entry in hook.entries() if (body := json.loads(entry["body"]))["type"] == "dataset.delivered"]
    assert made.rows == told["data"]["rows"] == 3 and made.sha256 and told["data"]["manifest_sha256"] == made.sha256.hex()
    machinery.drained()
    assert stage.one("SELECT count(*) FROM outbox WHERE notice_id IS NOT NULL AND state = 'done'") == 1
