"""gunicorn's threads, kept from those who send slowly: a request gets one once its head and its small body are in."""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import time
from functools import partial
from typing import Any

from gunicorn.workers import gthread

SECONDS = 20.0  # for a request's head and small body to come in
HEAD_BYTES, BODY_BYTES = 64 * 1024, 1024 * 1024  # longer heads are gunicorn's to refuse; longer bodies are read as they come
HELD_BYTES = 64 * 1024 * 1024  # of all that is not whole yet, in a process
LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,7})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
EXPECT = re.compile(rb"^expect:[ \t]*100-continue", re.IGNORECASE | re.MULTILINE)
CHUNKED = re.compile(rb"^transfer-encoding:", re.IGNORECASE | re.MULTILINE)


class Worker(gthread.ThreadWorker):
    """As gunicorn's own, but what is not whole yet waits in the poller and takes no thread."""

    def enqueue_req(self, conn: Any) -> None:
        """Called for a new connection, and whenever a waiting one has sent something."""
        if not hasattr(conn, "came"):
            conn.told, conn.came, conn.until = (
                False,
                bytearray(conn.parser.unreader.take_buffered() if conn.parser else b""),
                time.monotonic() + SECONDS,
            )
        if _receive(conn.sock, conn.came) and not is_whole(conn.came):
            self._wait(conn)
            return
        conn.init()
        conn.sock.setblocking(True)
        conn.parser.unreader.unread(bytes(conn.came))
        del conn.came, conn.until
        super().enqueue_req(conn)

    def _wait(self, conn: Any) -> None:
        if not conn.told and b"\r\n\r\n" in conn.came and EXPECT.search(conn.came):
            conn.told = True
            with contextlib.suppress(OSError):  # its sender would wait for us, and we for the body
                conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        conn.timeout = conn.until
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def murder_pending(self) -> None:
        """Closes what has not come in by its time, and the oldest where too much is held. Not in the order of their times."""
        now, held = time.monotonic(), sum(len(getattr(conn, "came", b"")) for conn in self.pending_conns)
        waiting: list[Any] = [*self.pending_conns]
        for conn in sorted(waiting, key=lambda conn: conn.timeout):
            if conn.timeout > now and held <= HELD_BYTES:
                return
            held -= len(getattr(conn, "came", b""))
            self.pending_conns.remove(conn)
            self.poller.unregister(conn.sock)
            self.nr_conns -= 1
            conn.close()


def _receive(sock: socket.socket, came: bytearray) -> bool:
    """Adds what lies there; whether more can come."""
    sock.setblocking(False)
    try:
        piece = sock.recv(HEAD_BYTES)
    except BlockingIOError:
        return True
    except OSError:
        return False
    came += piece
    return bool(piece)


def is_whole(came: bytearray) -> bool:
    """Whether a thread would not have to wait for the rest: all of it is there, or it is too long to be waited for."""
    begin = len(came) - len(came.lstrip(b"\r\n"))
    end = came.find(b"\r\n\r\n", begin)
    if end < 0:
        return len(came) >= HEAD_BYTES
    if CHUNKED.search(came, begin, end + 2):  # the API's streams are read as they come, once it is known whose they are
        return came.startswith(b"/v1/", came.find(b" ", begin) + 1) or came.endswith(b"\r\n0\r\n\r\n") or len(came) > end + 4 + 2 * BODY_BYTES
    length = LENGTH.search(came, begin, end + 2)
    body = int(length[1]) if length else 0
    return body > BODY_BYTES or len(came) >= end + 4 + body
