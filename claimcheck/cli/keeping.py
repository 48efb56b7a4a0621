"""`receive`, `key`, `schema`, `licences`: looking after a desk."""

from __future__ import annotations

import errno
from argparse import Namespace
from importlib import metadata

from claimcheck import errors
from claimcheck import schema as schema_
from claimcheck.cli import terminal
from claimcheck.db import QUEUE
from claimcheck.outbound import receiver, webhook
from claimcheck.proof import keys


def receive(arguments: Namespace) -> None:
    _receivable(arguments)
    faults = receiver.Faults(fail_rate=arguments.fail_rate, delay_rate=1.0 if arguments.slow_seconds else 0.0, delay_seconds=arguments.slow_seconds)
    try:
        receiver.serve(arguments.host, arguments.port, arguments.secret, arguments.log, faults)
    except RuntimeError as error:
        raise errors.Invalid.field("--log", str(error)) from None
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise errors.Invalid.field("--port", f"{arguments.port} is taken; choose another one") from None


def _receivable(arguments: Namespace) -> None:
    """Raises Invalid for what the receiver could not work with, or would never be called genuine by."""
    if not arguments.secret:
        raise errors.Invalid.field("--secret", "is needed: `bin/claimcheck project apply` prints it, once, as whsec_…")
    if not all(webhook.is_secret(secret) for secret in arguments.secret):
        raise errors.Invalid.field("--secret", "must be the whole whsec_… secret, as it was shown")
    if not 0 <= arguments.fail_rate <= 1:
        raise errors.Invalid.field("--fail-rate", "must be a share from 0 to 1")


def list_keys(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        known = keys.all(desk.db)
    facts = [{"id": key.id, "created_at": key.created_at.isoformat(), "public_key": key.public_key} for key in known]
    text = "\n".join(f"# {key.id}, signing from {key.created_at:%Y-%m-%d %H:%M:%S} UTC on\n{key.public_key.strip()}" for key in known)
    terminal.answer(arguments, {"keys": facts}, text or "No key yet: the first one is made with the first receipt.")


def rotate_key(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        me = terminal.operator(desk.db, arguments.who) if arguments.who else desk.me
        made = keys.rotate(desk.db, str(desk.settings.secret_key), me=me.id, reason=arguments.reason.strip()[:500])
    terminal.answer(arguments, {"id": made}, f"Key {made} signs what is decided from {keys.AHEAD:.0f} seconds from now on.")


def schema(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        text = schema_.dump(str(desk.settings.database_url))
    if arguments.write:
        (QUEUE / "schema.sql").write_text(text, encoding="utf-8")
    terminal.answer(arguments, {"lines": text.count("\n")}, "written to queue/schema.sql" if arguments.write else text.rstrip("\n"))


def licences(arguments: Namespace) -> None:
    rows = sorted({(d.metadata["Name"], d.version, _licence(d)) for d in metadata.distributions()}, key=lambda row: row[0].lower())
    terminal.answer(arguments, {"packages": rows}, "\n".join(f"{name:<28} {version:<14} {licence}" for name, version, licence in rows))


def _licence(distribution: metadata.Distribution) -> str:
    """What the package says of itself: the SPDX expression, else its classifiers, else the first line of its text."""
    said = distribution.metadata
    classified = [c.split(" :: ")[-1] for c in said.get_all("Classifier") or [] if c.startswith("License ::")]
    return _first(said, "License-Expression") or ", ".join(classified) or (_first(said, "License") or "not said").splitlines()[0][:80]


def _first(said: metadata.PackageMetadata, field: str) -> str | None:
    return next(iter(said.get_all(field) or []), None)
