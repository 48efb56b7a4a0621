"""Which addresses a stranger's URL may lead to."""

import functools
import ipaddress
import socket
from collections.abc import Iterable, Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Written out: `is_global` is true for NAT64, 6to4, multicast and others that lead inwards.
_DENIED_4 = [
    ipaddress.IPv4Network(text)
    for text in [
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
    ]
]
_PUBLIC_6 = ipaddress.IPv6Network("2000::/3")
_DENIED_6 = [ipaddress.IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_V4_COMPATIBLE = ipaddress.IPv6Network("::/96")


def networks(ranges: str | Iterable[str | Network]) -> tuple[Network, ...]:
    """Address ranges from "127.0.0.0/8, ::1" or a list; ValueError names the one that is none."""
    listed = ranges.replace(",", " ").split() if isinstance(ranges, str) else ranges
    return tuple(ipaddress.ip_network(one) for one in listed)


def parse(text: str) -> Address:
    """The address as a connection reaches it: a zone is dropped, ::ffff:1.2.3.4 is 1.2.3.4."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def permitted(address: Address, allow: Iterable[Network]) -> bool:
    """Whether we may connect: public or allowed by the operator, and public too whatever it wraps.

    What an address wraps is never looked up in `allow`: a gateway would deliver it to *its* loopback.
    """
    return (listed(address, allow) or _public(address)) and all(map(_public, _wrapped(address)))


def listed(address: Address, allow: Iterable[Network]) -> bool:
    """Whether the operator has named the address (WEBHOOK_ALLOW)."""
    return any(address in network for network in allow)


def _public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return not listed(address, _DENIED_4) and not _own(address)
    if address in _NAT64:
        return True  # what it wraps decides
    return address in _PUBLIC_6 and not listed(address, _DENIED_6) and not _own(address)


def _wrapped(address: Address) -> Iterator[ipaddress.IPv4Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.sixtofour:
        yield address.sixtofour
    yield from address.teredo or ()
    if address in _NAT64 or address in _NAT64_LOCAL or (address in _V4_COMPATIBLE and int(address) > 1):
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def _own(address: Address) -> bool:
    """Whether an interface of this machine has the address; no packet is sent."""
    return _routed_to_itself(address) if _anything_binds() else _binds(address)


def _binds(address: Address) -> bool:
    with socket.socket(_family(address), socket.SOCK_DGRAM) as sock:
        try:
            sock.bind((str(address), 0))
        except OSError:
            return False
    return True


@functools.cache
def _anything_binds() -> bool:
    """Machines with a floating address (ip_nonlocal_bind) let a program bind to anything, even to an example."""
    return _binds(ipaddress.IPv4Address("192.0.2.1")) or _binds(ipaddress.IPv6Address("2001:db8::1"))


def _routed_to_itself(address: Address) -> bool:
    with socket.socket(_family(address), socket.SOCK_DGRAM) as sock:
        try:
            sock.connect((str(address), 9))  # of a datagram socket: asks the routing table, sends nothing
        except OSError:
            return False
        return parse(sock.getsockname()[0]) == address


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET if address.version == 4 else socket.AF_INET6
