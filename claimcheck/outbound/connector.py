"""Connections to exactly the judged addresses, under a deadline and a budget of bytes."""

import contextlib
import dataclasses
import functools
import io
import socket
import ssl
from collections.abc import Callable, Collection

from urllib3.connection import HTTPConnection, HTTPSConnection

from claimcheck.outbound import addresses
from claimcheck.outbound.answers import Failure
from claimcheck.outbound.clock import Deadline


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Verifies names and chains by the system's authorities (SSL_CERT_FILE adds a private one); TLS 1.2 and later."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


@dataclasses.dataclass
class Link:
    """One call's socket: opened once, to one of `found`, and closed by `close` alone."""

    found: Collection[addresses.Address]
    port: int
    judge: Callable[[Collection[addresses.Address]], None]
    deadline: Deadline
    budget: int
    guarded: "GuardedSocket | None" = None
    stack: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)

    def open(self) -> socket.socket:
        """Connect to the first address that answers, sharing out the time; nothing has been sent before."""
        failure = OSError()
        for position, address in enumerate(self.found):
            try:
                return self._connect(address, self.deadline.remaining() / (len(self.found) - position))
            except OSError as error:
                failure = error
        raise failure

    def _connect(self, address: addresses.Address, seconds: float) -> socket.socket:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        sock = self.stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
        sock.settimeout(seconds)
        connect(sock, (str(address), self.port))
        # The kernel may have been told to send us elsewhere; judged is who really answers.
        self.judge([addresses.parse(sock.getpeername()[0])])
        sock.settimeout(self.deadline.remaining())  # OpenSSL counts this over the whole handshake
        return sock

    def guard(self, sock: socket.socket) -> "GuardedSocket":
        """The socket as http.client shall see it."""
        self.stack.enter_context(sock)
        self.guarded = GuardedSocket(sock, self.deadline, self.budget)
        return self.guarded

    def close(self) -> None:
        """Close whatever was opened."""
        self.stack.close()


def connect(sock: socket.socket, peer: tuple[str, int]) -> None:
    """The one place where a connection begins."""
    sock.connect(peer)


class GuardedSocket:
    """What http.client needs of a socket; each read and write gets only the time that is left."""

    def __init__(self, sock: socket.socket, deadline: Deadline, budget: int):
        self._sock, self._deadline, self._budget = sock, deadline, budget
        self.ended = False  # whether the other side has closed and everything is read

    def sendall(self, data: bytes) -> None:
        """Send all of it before the deadline. (SSLSocket.sendall would start the clock anew for each record.)"""
        view = memoryview(data)
        while view:
            self._sock.settimeout(self._deadline.remaining())
            view = view[self._sock.send(view) :]

    def receive_into(self, buffer: memoryview) -> int:
        """Receive before the deadline; Failure "protocol" once the budget is spent."""
        if self._budget <= 0:
            raise Failure("protocol", "The receiver's answer does not end.")
        self._sock.settimeout(self._deadline.remaining())
        size = self._sock.recv_into(buffer)
        self._budget -= size
        self.ended = size == 0
        return size

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002
        """The reading side."""
        return io.BufferedReader(_Reader(self))

    def settimeout(self, seconds: float | None) -> None:
        """Nothing: urllib3's time-outs would replace the deadline."""

    def close(self) -> None:
        """Nothing: http.client closes before the body is read; Link.close does it."""


class _Reader(io.RawIOBase):
    def __init__(self, sock: GuardedSocket):
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._sock.receive_into(buffer)


class PinnedHTTP(HTTPConnection):
    """urllib3's connection over a Link instead of its own resolving and connecting."""

    link: Link

    def _new_conn(self) -> socket.socket:
        return self.link.open()

    def connect(self) -> None:
        super().connect()
        self.sock = self.link.guard(self.sock)  # pyright: ignore[reportAttributeAccessIssue]


class PinnedHTTPS(HTTPSConnection):
    """The same with TLS: SNI and the certificate's name are those of the URL."""

    link: Link

    def _new_conn(self) -> socket.socket:
        return self.link.open()

    def connect(self) -> None:
        super().connect()
        self.sock = self.link.guard(self.sock)  # pyright: ignore[reportAttributeAccessIssue]
