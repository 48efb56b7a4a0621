"""`intake`: messages from a file, through the pipeline's gates."""

from __future__ import annotations

import math
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import IO

from claimcheck.cli import terminal
from claimcheck.cli.terminal import Desk
from claimcheck.intake import admission, sending

SHOWN = 20  # refused messages on the screen; all are kept as dead letters


def take(arguments: Namespace) -> int:
    """Waits while the inbox is full, as long as it takes."""
    with terminal.desk() as desk:
        if str(arguments.source) == "-":
            sent = _take(desk, "standard input", sys.stdin.buffer)
        else:
            with arguments.source.open("rb") as file:
                sent = _take(desk, arguments.source.name, file)
    for line, answer in sent.refusals[:SHOWN]:
        terminal.say(f"refused: line {line} ({answer.idempotency_key or 'no key'}): {answer.cause}: {answer.field} {answer.detail}")
    text = f"{sent.accepted} admitted, {sent.repeated} repeated, {sent.refused} refused and kept as dead letters."
    terminal.answer(arguments, sending.facts(sent), text)
    return terminal.FAILED if sent.refused else 0


def _take(desk: Desk, name: str, file: IO[bytes]) -> sending.Sent:
    sender = admission.Sender(desk.me.id, None, "file", {"file": name[:500]})
    worker = f"cli {socket.gethostname()}:{os.getpid()}"
    return sending.take(desk.db, _told(sending.read(file)), sender=sender, worker=worker, sent=sending.Sent(), patience=math.inf)


def _told(bodies: Iterable[admission.Body], every: int = 5000) -> Iterator[admission.Body]:
    for n, body in enumerate(bodies, 1):
        if n % every == 0:
            terminal.say(f"{n:,} messages read")
        yield body
