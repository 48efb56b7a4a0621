"""Each guard against each attack, twice: in place the attack fails, taken out it succeeds."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import pytest
import urllib3

from claimcheck import outbound
from claimcheck.outbound import addresses, answers, connector, sending, targets
from claimcheck.outbound.clock import Deadline
from tests.unit import outbound_servers
from tests.unit.outbound_servers import LOOPBACK, OK, answering, repeating, serving

Patch = pytest.MonkeyPatch


def inward_name(patch: Patch) -> bool:
    """A public-looking name resolves to loopback. Success: the canary is asked."""
    with serving(answering(OK)) as canary:
        outbound_servers.names(patch, evil="127.0.0.1")
        outbound.post(f"http://evil.test:{canary.port}/", b"{}", {})
        return bool(canary.connections)


def wrapped_address(patch: Patch) -> bool:
    """Loopback behind a translator that an operator has allowed. Success: a connection begins."""
    begun = outbound_servers.connects(patch)
    outbound.post("https://[64:ff9b:1::7f00:1]/", b"{}", {}, allow="64:ff9b:1::/48")
    return bool(begun)


def rebinding(patch: Patch) -> bool:
    """The name is public when judged and loopback a moment later. Success: the canary is asked."""
    with serving(lambda server, connection: None) as canary:
        outbound_servers.connects(patch)
        outbound_servers.names(patch, evil="8.8.8.8")
        later = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", canary.port))
        patch.setattr(socket, "getaddrinfo", lambda *_, **__: [later])
        outbound.post(f"https://evil.test:{canary.port}/", b"{}", {}, deadline_seconds=2)
        return bool(canary.connections)


def detour(patch: Patch) -> bool:
    """The kernel (a NAT rule) sends the connection elsewhere than judged. Success: the canary gets the request."""
    with serving(answering(OK)) as canary:
        patch.setattr(connector, "connect", lambda sock, peer: sock.connect(("127.0.0.1", canary.port)))
        outbound.post("http://10.0.0.1/", b"{}", {}, allow="10.0.0.0/8")
        return bool(canary.requests)


def plain_http(patch: Patch) -> bool:
    """A public receiver over http:. Success: a connection begins."""
    begun = outbound_servers.connects(patch)
    outbound.post("http://8.8.8.8/", b"{}", {}, allow=LOOPBACK)
    return bool(begun)


def own_port(_patch: Patch) -> bool:
    """One of the desk's own servers. Success: it is asked."""
    with serving(answering(OK)) as own:
        outbound.post(f"http://127.0.0.1:{own.port}/", b"{}", {}, LOOPBACK, denied_ports={own.port})
        return bool(own.connections)


def own_public_address(patch: Patch) -> bool:
    """The public address of this very machine. Success: a connection begins."""
    begun = outbound_servers.connects(patch)
    patch.setattr(addresses, "_anything_binds", lambda: False)
    patch.setattr(addresses, "_binds", lambda address: True)
    outbound.post("https://8.8.8.8/", b"{}", {})
    return bool(begun)


def redirect(_patch: Patch) -> bool:
    """307 to another place. Success: that one is asked."""
    with serving(answering(OK)) as other:
        location = b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n" % other.port
        with serving(answering(location)) as receiver:
            outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, LOOPBACK)
            return bool(other.connections)


def drip(_patch: Patch) -> bool:
    """A proper answer, a byte at a time, well past the deadline. Success: it is taken."""
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with serving(answering(*[head[at : at + 1] for at in range(len(head))], pause=0.1)) as receiver:
        return outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, LOOPBACK, 0.5).kind == "applied"


def flood(_patch: Patch) -> bool:
    """Interim answers without end, each a proper one. Success: they are read until the time is up."""
    with serving(repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 4000)) as receiver:
        return outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, LOOPBACK, 3).fault == "timeout"


def big_body(_patch: Patch) -> bool:
    """A body of ten gigabytes. Success: more than the cap is kept."""
    with serving(repeating(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", b"x" * 65536)) as receiver:
        kept: list[int] = []
        excerpt = answers.excerpt
        _patch.setattr(answers, "excerpt", lambda body: kept.append(len(body)) or excerpt(body))
        outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, LOOPBACK, 10)
        return kept[0] > 64 * 1024


def cut_headers(_patch: Patch) -> bool:
    """The receiver dies in the middle of its headers. Success: that counts as applied."""
    with serving(answering(b"HTTP/1.1 200 OK\r\nContent-")) as receiver:
        return outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}, LOOPBACK).kind == "applied"


def odd_url(patch: Patch) -> bool:
    """A user name that looks like the host. Success: it is looked up."""
    asked: list[str] = []
    patch.setattr(targets, "lookup", lambda host, port: asked.append(host) or [])
    outbound.post("https://ok.com@evil.test/", b"{}", {})
    return bool(asked)


def telling(_patch: Patch) -> bool:
    """A Redis server answers with its own words. Success: the error repeats them."""
    with serving(answering(b"-ERR secret\r\n")) as redis:
        return "secret" in repr(outbound.post(f"http://127.0.0.1:{redis.port}/", b"{}", {}, LOOPBACK))


def judge_nobody(patch: Patch) -> None:
    patch.setattr(targets, "judge", lambda target, found, allow, denied: None)


def believe_the_route(patch: Patch) -> None:
    patch.setattr(addresses, "parse", lambda text: ipaddress.ip_address("10.0.0.1"))


def connect_by_name(patch: Patch) -> None:
    patch.delattr(connector.PinnedHTTPS, "_new_conn")


def ignore_what_is_wrapped(patch: Patch) -> None:
    patch.setattr(addresses, "_wrapped", lambda address: ())


def ignore_own_addresses(patch: Patch) -> None:
    patch.setattr(addresses, "_own", lambda address: False)


def follow(patch: Patch) -> None:
    def exchange(connection: Any, _target: Any, body: bytes, _headers: Any, _limit: int) -> answers.Answer:
        url = f"http://{connection.host}:{connection.port}/"
        with urllib3.PoolManager() as pool:
            return answers.answered(pool.request("POST", url, body=body).status, "", 0.0, None)

    patch.setattr(sending, "_exchange", exchange)


def restart_the_clock(patch: Patch) -> None:
    patch.setattr(Deadline, "remaining", lambda deadline: 30.0)


def spend_without_limit(patch: Patch) -> None:
    patch.setattr(sending, "_ROOM_FOR_HEADERS", 10**12)


def read_everything(patch: Patch) -> None:
    read = sending._read
    patch.setattr(sending, "_read", lambda response, limit: read(response, limit * 20))
    spend_without_limit(patch)


def miss_the_end(patch: Patch) -> None:
    patch.setattr(connector.GuardedSocket, "ended", property(lambda sock: False, lambda sock, value: None), raising=False)


def accept_odd(patch: Patch) -> None:
    patch.setattr(targets, "_refuse_odd", lambda parts, host: None)


def repeat_what_was_said(patch: Patch) -> None:
    patch.setattr(answers.Failure, "__str__", lambda failure: repr(failure.__context__), raising=False)


GUARDS: list[tuple[Callable[[Patch], bool], Callable[[Patch], None]]] = [
    (inward_name, judge_nobody),
    (plain_http, judge_nobody),
    (own_port, judge_nobody),
    (wrapped_address, ignore_what_is_wrapped),
    (own_public_address, ignore_own_addresses),
    (rebinding, connect_by_name),
    (detour, believe_the_route),
    (redirect, follow),
    (drip, restart_the_clock),
    (flood, spend_without_limit),
    (big_body, read_everything),
    (cut_headers, miss_the_end),
    (odd_url, accept_odd),
    (telling, repeat_what_was_said),
]


@pytest.mark.parametrize(("attack", "weaken"), GUARDS, ids=lambda function: function.__name__)
def test_it_withstands(attack: Callable[[Patch], bool], weaken: Callable[[Patch], None], monkeypatch: Patch) -> None:
    assert not attack(monkeypatch)
    weaken(monkeypatch)
    assert attack(monkeypatch), "without its guard the attack has to succeed, or this test shows nothing"
