"""One POST to a receiver: whatever it does, an Answer comes back before the deadline."""

import contextlib
import functools
import http.client
import os
import ssl
from collections.abc import Collection, Iterable, Iterator, Mapping

import urllib3.exceptions

from claimcheck.outbound import addresses, answers, connector, targets
from claimcheck.outbound.answers import Answer, Failure
from claimcheck.outbound.clock import Deadline

_ROOM_FOR_HEADERS = 64 * 1024
_REGISTRATION_SECONDS = 2.0
_ALWAYS = {"Connection": "close", "User-Agent": "Claimcheck"}


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    allow: str | Iterable[str | addresses.Network] = (),
    deadline_seconds: float = 10.0,
    max_response: int = 64 * 1024,
    denied_ports: Collection[int] = frozenset(),
    tls: ssl.SSLContext | None = None,
) -> Answer:
    """POST the body once. Nothing is raised for what a receiver, a resolver or a network does: see `Answer.kind`.

    `allow` are ranges beside the public addresses (WEBHOOK_ALLOW), where `http:` may be used too, except on
    `denied_ports`. No redirects, no proxies; at most `max_response` bytes of the answer's body are read.
    """
    deadline, ranges = Deadline(deadline_seconds), addresses.networks(allow)
    try:
        target = targets.parse(url)
        judge = functools.partial(targets.judge, target, allow=ranges, denied=denied_ports)
        judge(found := targets.resolve(target, deadline))
        link = connector.Link(found, target.port, judge, deadline, max_response + _ROOM_FOR_HEADERS)
        with contextlib.closing(link), _failures(deadline):
            return _exchange(_connection(target, link, tls), target, body, headers, max_response)
    except Failure as failure:
        return answers.failed(failure, deadline.spent())


def check(url: str, allow: str | Iterable[str | addresses.Network] = ()) -> None:
    """Failure unless the URL may be registered. What is written is judged: names are resolved at each call.

    A name behind plain `http:` is looked up now too, since nothing else tells whether it leads where `allow` says.
    """
    target, ranges = targets.parse(url), addresses.networks(allow)
    if target.scheme == "http" and not ranges:
        raise Failure("denied", targets.NEEDS_TLS)
    try:
        found = [addresses.parse(target.host)]
    except ValueError:
        found = _looked_up(target) if target.scheme == "http" else []
    targets.judge(target, found, ranges, ())


def _looked_up(target: targets.Target) -> list[addresses.Address]:
    try:
        return targets.resolve(target, Deadline(_REGISTRATION_SECONDS))
    except Failure:
        raise Failure("denied", targets.NEEDS_TLS) from None


def _connection(target: targets.Target, link: connector.Link, tls: ssl.SSLContext | None) -> connector.PinnedHTTP | connector.PinnedHTTPS:
    if target.scheme == "https":
        connection = connector.PinnedHTTPS(target.host, target.port, ssl_context=tls or connector.tls_context())
    else:
        connection = connector.PinnedHTTP(target.host, target.port)
    connection.link = link
    return connection


def _exchange(
    connection: connector.PinnedHTTP | connector.PinnedHTTPS,
    target: targets.Target,
    body: bytes,
    headers: Mapping[str, str],
    limit: int,
) -> Answer:
    connection.request("POST", target.path, body, {**_ALWAYS, **headers})
    # Not urllib3's own getresponse: it logs what it cannot parse, and that is the receiver's to choose.
    with contextlib.closing(http.client.HTTPConnection.getresponse(connection)) as response:
        if connection.link.guarded and connection.link.guarded.ended:
            raise ConnectionResetError  # in the middle of the headers: http.client takes that for their end
        excerpt = answers.excerpt(_read(response, limit))
        spent = connection.link.deadline.spent()
        return answers.answered(response.status, excerpt, spent, response.headers.get("Retry-After"))


def _read(response: http.client.HTTPResponse, limit: int) -> bytes:
    """As much of the body as comes in time: the status line is the answer, the body is only shown."""
    pieces, size = [], 0
    with contextlib.suppress(Failure, OSError, http.client.HTTPException):
        while size < limit and (piece := response.read1(limit - size)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)


@contextlib.contextmanager
def _failures(deadline: Deadline) -> Iterator[None]:
    """Everything that can go wrong on a connection, in words of our own: the target's could be anybody's secrets."""
    try:
        yield
    except TimeoutError:
        raise deadline.passed() from None
    except ssl.SSLCertVerificationError as error:
        raise Failure("certificate", f"The receiver's certificate is not valid: {error.verify_message}.") from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and not isinstance(error, ssl.SSLError) else "it broke off"
        raise Failure("connection", f"No connection to the receiver: {reason}.") from None
    except (http.client.HTTPException, urllib3.exceptions.HTTPError):
        raise Failure("protocol", "The receiver did not answer in proper HTTP.") from None
