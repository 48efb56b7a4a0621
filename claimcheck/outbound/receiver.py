"""A small webhook receiver to try with: verifies, deduplicates, survives a kill, and misbehaves on request."""

import dataclasses
import datetime
import fcntl
import http.server
import json
import os
import pathlib
import random
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, TextIO

from claimcheck import canonical
from claimcheck.outbound import webhook

LARGEST_BODY = 1024 * 1024


@dataclasses.dataclass(frozen=True)
class Faults:
    """How the receiver misbehaves; rates are shares of the requests, 0 to 1.

    `fail_rate`: answers `fail_status`, nothing is kept. `lose_rate`: keeps the event, then hangs up without an
    answer. `delay_rate`: keeps the event and answers `delay_seconds` later, past the sender's deadline if that long.
    """

    fail_rate: float = 0.0
    fail_status: int = 503
    lose_rate: float = 0.0
    delay_rate: float = 1.0
    delay_seconds: float = 0.0
    seed: int | None = None


class Journal:
    """An append-only file of JSON lines, forced to disk before anything is answered; one process at a time."""

    def __init__(self, path: pathlib.Path):
        self._lock = threading.Lock()
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise RuntimeError(f"{path} is in use by another receiver") from None
        self._seen = {entry["webhook_id"] for entry in entries(path) if entry["result"] == "first"}
        self._end_torn_line()

    def _end_torn_line(self) -> None:
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(size - 1, 0))
        if self._file.read(1) not in (b"", b"\n"):
            self._file.write(b"\n")

    def take(self, webhook_id: str, body: bytes, traceparent: str = "") -> dict[str, Any]:
        """Keep a genuine event; its `result` is "first" or "duplicate"."""
        with self._lock:
            result = "duplicate" if webhook_id in self._seen else "first"
            entry = self._append(result, webhook_id, body, traceparent)
            self._seen.add(webhook_id)
            return entry

    def refuse(self, webhook_id: str, body: bytes) -> dict[str, Any]:
        """Keep note of an event whose signature is bad."""
        with self._lock:
            return self._append("bad signature", webhook_id, body)

    def _append(self, result: str, webhook_id: str, body: bytes, traceparent: str = "") -> dict[str, Any]:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        entry = {"at": now, "result": result, "webhook_id": webhook_id, "body": body.decode(errors="replace")}
        entry |= {"traceparent": traceparent} if traceparent else {}
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        return entry

    def close(self) -> None:
        """Close the file and give up the lock."""
        self._file.close()


def entries(path: pathlib.Path) -> list[dict[str, Any]]:
    """Everything in a journal, in order; lines torn by a kill are left out (they were never answered)."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


class Receiver(http.server.ThreadingHTTPServer):
    """The server; `url` is where to send to. `serve_forever()` runs it, `close()` ends it."""

    daemon_threads = True

    def __init__(self, host: str, port: int, secrets: Sequence[str], journal: Journal, faults: Faults, out: TextIO):
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)
        self.secrets, self.journal, self.faults, self.out = secrets, journal, faults, out
        self.chance, self.printing = random.Random(faults.seed), threading.Lock()  # noqa: S311
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"

    def tell(self, entry: dict[str, Any]) -> None:
        """One line for one event."""
        line = f"{entry['at']}  {entry['result']:<13}  {entry['webhook_id']}  {_summary(entry['body'])}"
        with self.printing:
            self.out.write(ascii(line)[1:-1].rstrip() + "\n")
            self.out.flush()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that hangs up is no error here; anything else is."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop listening and close the journal."""
        self.server_close()
        self.journal.close()


def _summary(body: str) -> str:
    try:
        event = canonical.parse_json(body.encode(errors="replace"))
        data = event["data"]
        told = [event["type"], data.get("verdict") or data.get("answer") or "", data.get("idempotency_key") or ""]
    except (canonical.InvalidJSON, KeyError, TypeError, AttributeError):
        return ""
    return "  ".join(str(word)[:80] for word in told if word != "")


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Receiver  # pyright: ignore[reportIncompatibleVariableOverride]
    timeout = 10

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 10 and int(size) <= LARGEST_BODY):
            return self._answer(413 if size.isdigit() else 411)
        return self._receive(self.rfile.read(int(size)))

    def _receive(self, body: bytes) -> None:
        server, faults = self.server, self.server.faults
        webhook_id = self.headers.get("webhook-id", "-")
        if not webhook.is_genuine(server.secrets, dict(self.headers), body):
            server.tell(server.journal.refuse(webhook_id, body))
            return self._answer(401)
        if self._happens(faults.fail_rate):
            return self._answer(faults.fail_status)
        server.tell(server.journal.take(webhook_id, body, self.headers.get("traceparent", "")))
        if self._happens(faults.delay_rate):
            time.sleep(faults.delay_seconds)
        return self._hang_up() if self._happens(faults.lose_rate) else self._answer(204)

    def _happens(self, rate: float) -> bool:
        return self.server.chance.random() < rate

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: an event has its own line."""


def start(
    host: str = "127.0.0.1",
    port: int = 0,
    secret: str | Sequence[str] = (),
    log: pathlib.Path | str = "received.jsonl",
    faults: Faults | None = None,
    out: TextIO | None = None,
) -> Receiver:
    """A receiver that listens already; port 0 takes a free one."""
    secrets = [secret] if isinstance(secret, str) else list(secret)
    journal = Journal(pathlib.Path(log))
    try:
        return Receiver(host, port, secrets, journal, faults or Faults(), out or sys.stdout)
    except BaseException:
        journal.close()
        raise


def serve(
    host: str = "127.0.0.1",
    port: int = 0,
    secret: str | Sequence[str] = (),
    log: pathlib.Path | str = "received.jsonl",
    faults: Faults | None = None,
) -> None:
    """Receive until interrupted; one line on standard output for each event."""
    receiver = start(host, port, secret, log, faults)
    try:
        sys.stdout.write(f"Listening on {receiver.url}, keeping events in {log}\n")
        sys.stdout.flush()
        receiver.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        receiver.close()
