"""The desk's own processes: web, workers, dispatcher, publisher, intake; each gets only the settings that it may know."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from claimcheck import config
from claimcheck.config import Settings
from claimcheck.embedded.processes import Program

GUNICORN = Path(__file__).with_name("gunicorn_conf.py")
NEVER = {"database_url": None, "demo_password": None, "streams_url": None}  # the owner's rights and the demo's password are bin/run's alone
INTAKE = ("database_url_web", "streams_url", "s3_access_key", "s3_secret_key")  # of who takes items in as the web does, watched folders too
WEB_GRACE, WORKER_GRACE = 25.0, 30.0  # seconds; longer than a request, longer than an effect's deadline


def all_of(settings: Settings, logs: Path) -> list[Program]:
    """What runs beside the servers, the web first."""
    web = settings.model_copy(update={**NEVER, "database_url_worker": None})
    worker = settings.model_copy(update={**NEVER, "database_url_web": None})
    programs = [_web(web, logs)]
    programs += [_module(f"worker-{n + 1}", "workers.worker", worker, logs) for n in range(settings.workers)]
    programs += [_module(name, f"workers.{name}", worker, logs) for name in ("dispatcher", "publisher")]
    intake = settings.model_copy(update={name: None for name in config.SECRETS if name not in INTAKE})
    programs.append(_module("intake", "workers.intake", intake, logs))
    return programs


def _web(settings: Settings, logs: Path) -> Program:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    argv = [sys.executable, "-P", "-m", "gunicorn", "-c", str(GUNICORN), "-b", f"{host}:{settings.port}", "wsgi:app"]
    return Program("web", argv, logs / "web.log", environ=_environ(settings), grace=WEB_GRACE)


def _module(name: str, module: str, settings: Settings, logs: Path) -> Program:
    argv = [sys.executable, "-P", "-m", module]
    return Program(name, argv, logs / f"{name}.log", environ=_environ(settings), grace=WORKER_GRACE)


def _environ(settings: Settings) -> dict[str, str]:
    """Ours, without any setting that we were given, and with those that this process gets."""
    rest = {name: value for name, value in os.environ.items() if name not in config.names()}
    return {**rest, "PYTHONPATH": str(config.ROOT), "PYTHONUNBUFFERED": "1", **settings.environ()}
