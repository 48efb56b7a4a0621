"""Which addresses may be reached: every wrapping of a private one is as private as that one."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck.outbound import addresses

INWARD_4 = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"),  # noqa: S104
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.9", "192.0.2.1", "192.88.99.1"),
    *("192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1"),
    *("255.255.255.255", "168.63.129.16"),
]
INWARD_6 = [
    *("::", "::1", "::2", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1"),
    *("2001:db8::1", "2001::1", "2001:2::1", "2001:20::1", "3fff::1", "5f00::1", "64:ff9b:1::808:808", "4000::1"),
    *("2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7", "::8.8.8.8", "::ffff:0:127.0.0.1"),
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700:4700::1111", "2a00::1", "64:ff9b::808:808"]
PUBLIC += ["::ffff:8.8.8.8", "168.63.129.17"]
V4 = st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address)
V6 = st.integers(0, 2**128 - 1).map(ipaddress.IPv6Address)


def wrappings(address: str) -> list[str]:
    number = int(ipaddress.IPv4Address(address))
    high, low = number >> 16, number & 0xFFFF
    teredo = f"2001:0:808:808:0:0:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}"
    inner = [f"::ffff:{address}", f"64:ff9b::{address}", f"64:ff9b:1::{address}", f"::{address}", teredo]
    return [*inner, f"2002:{high:x}:{low:x}::1", f"2001:0:{high:x}:{low:x}:0:0:f7f7:f7f7"]


def permitted(address: str, allow: str = "") -> bool:
    return addresses.permitted(addresses.parse(address), addresses.networks(allow))


@pytest.mark.parametrize("address", INWARD_4 + INWARD_6)
def test_it_denies_what_leads_inwards(address: str) -> None:
    assert not permitted(address)


@pytest.mark.parametrize("address", INWARD_4)
def test_it_denies_every_wrapping_of_it(address: str) -> None:
    assert not [spelling for spelling in wrappings(address) if permitted(spelling)]


@pytest.mark.parametrize("address", PUBLIC)
def test_it_permits_what_is_public(address: str) -> None:
    assert permitted(address)


def test_it_permits_what_the_operator_names() -> None:
    assert permitted("127.0.0.1", "127.0.0.0/8") and permitted("::1", "::1") and permitted("10.1.2.3", "10.0.0.0/8,::1")
    assert permitted("::ffff:127.0.0.1", "127.0.0.0/8"), "a mapped address is that address"
    assert not permitted("0.0.0.1", "127.0.0.0/8") and not permitted("169.254.169.254", "127.0.0.0/8")


@pytest.mark.parametrize("wrapped", wrappings("127.0.0.1")[1:])
def test_it_looks_into_a_wrapping_even_where_all_is_allowed(wrapped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not permitted(wrapped, "127.0.0.0/8") and not permitted(wrapped, "127.0.0.0/8 ::/0")
    monkeypatch.setattr(addresses, "_wrapped", lambda address: ())
    assert permitted(wrapped, "127.0.0.0/8 ::/0"), "the guard is what denied it"


@given(V4 | V6)
def test_it_permits_nothing_that_the_standard_library_calls_private(address: addresses.Address) -> None:
    assert address.is_global or not addresses.permitted(address, ())


@given(V4)
def test_it_judges_a_wrapping_no_milder_than_its_content(address: ipaddress.IPv4Address) -> None:
    assert permitted(str(address)) or not any(map(permitted, wrappings(str(address))))


def test_it_knows_the_machine_by_its_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("8.8.8.8")
    for way in (addresses._binds, addresses._routed_to_itself):
        assert way(own) and not way(other)
    assert not addresses._anything_binds()
    monkeypatch.setattr(addresses, "_binds", lambda address: address == other)
    assert not permitted("8.8.8.8") and permitted("8.8.4.4"), "a public address of this machine is denied"
    assert permitted("8.8.8.8", "8.8.8.8"), "unless it is named"


def test_it_asks_the_routes_where_a_program_may_bind_to_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_anything_binds", lambda: True)
    monkeypatch.setattr(addresses, "_binds", lambda address: True)
    assert permitted("8.8.8.8") and not permitted("127.0.0.1")


def test_it_says_which_range_is_none() -> None:
    assert addresses.networks("127.0.0.0/8, ::1") == addresses.networks(["127.0.0.0/8", "::1"])
    with pytest.raises(ValueError, match=r"10\.0\.0\.1/8"):
        addresses.networks("127.0.0.0/8,10.0.0.1/8")
