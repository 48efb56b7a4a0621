"""Every spelling of an inward address: refused, with no connection begun and nothing told."""

import unittest.mock

import pytest

from claimcheck import outbound
from claimcheck.outbound import targets
from tests.unit import outbound_servers

NUMERIC = [
    *("https://127.0.0.1/", "https://127.1/", "https://0/", "https://0x7f000001/", "https://2130706433/"),
    *("https://0177.0.0.1/", "https://0x7f.1/", "https://017700000001/", "https://127.0.0.1:5432/", "https://127.0.0.1:6379/"),
    *("https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/"),
    *("https://[64:ff9b::7f00:1]/", "https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/", "https://[fe80::1]/"),
    *("https://[2001:0:808:808:0:0:80ff:fffe]/", "https://169.254.169.254/latest/meta-data/", "https://10.0.0.5/"),
    *("https://192.168.0.1/", "https://[fd00::1]/", "https://168.63.129.16/", "https://100.64.0.1/", "HTTPS://127.0.0.1/"),
    *("http://127.0.0.1/", "http://0/", "http://[::1]:8000/"),
]
ODD = [
    *("https://①②⑦.0.0.1/", "https://a@127.0.0.1/", "http://a@127.0.0.1", "http://ok.com#@127.0.0.1", "https://ok.com#x"),
    *("file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "ftp://127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "", "https://"),
    *("https:///path", "https://ok.com\\@127.0.0.1/", "https://127.0.0.1\t/", " https://127.0.0.1/", "https://ok.com/\r\nX: y"),
    *("https://[fe80::1%25lo]/", "https://[::1/", "https://ok.com:99999/", "https://ok.com:0/", "https://ok.com:x/"),
    *("https://ok.com:80:80/", "https://ok com/", "https://" + "a" * 3000, "https://ok%2ecom/", "https://‮moc.ko/", "javascript:x"),
]


@pytest.mark.parametrize("url", NUMERIC)
def test_it_begins_no_connection_to_an_inward_address(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    answer = outbound.post(url, b"{}", {})
    assert (begun, answer.kind, answer.fault) == ([], "permanent", "denied")
    assert (answer.excerpt, answer.seconds, answer.status) == ("", 0.0, None)
    assert answer.error in (targets.DENIED, targets.NEEDS_TLS)


@pytest.mark.parametrize("url", ODD, ids=lambda url: url[:30] or "empty")
def test_it_refuses_an_odd_url_without_looking_it_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    monkeypatch.setattr(targets, "lookup", lambda host, port: pytest.fail(f"looked up {host!r}"))
    answer = outbound.post(url, b"{}", {}, allow="127.0.0.0/8 ::/0")
    assert (begun, answer.kind, answer.fault) == ([], "permanent", "url") and answer.error
    with pytest.raises(outbound.Failure):
        outbound.check(url, "127.0.0.0/8")


def test_it_judges_names_by_what_they_resolve_to(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    outbound_servers.names(monkeypatch, inward="127.0.0.1", mixed="8.8.8.8 127.0.0.1", six="2606:4700::1 ::1", mapped="::ffff:10.0.0.1")
    for host in ("inward.test", "mixed.test", "six.test", "mapped.test", "INWARD.test", "127.0.0.1"):
        assert outbound.post(f"https://{host}/", b"{}", {}).fault == "denied", host
    assert begun == []


def test_it_says_nothing_of_what_it_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    outbound_servers.names(monkeypatch, inward="10.11.12.13")
    answers = {outbound.post(f"https://{host}:{port}/", b"", {}) for host in ("inward.test", "10.11.12.13") for port in (443, 5432)}
    assert len(answers) == 1 and "10.11" not in repr(answers)


def test_it_asks_the_resolver_once_and_uses_that_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    outbound_servers.names(monkeypatch, rebinding=["8.8.8.8", "127.0.0.1"])
    assert outbound.post("https://rebinding.test/", b"{}", {}).fault == "connection"
    assert begun == ["8.8.8.8"]
    assert outbound.post("https://rebinding.test/", b"{}", {}).fault == "denied", "a retry hours later is judged anew"
    assert begun == ["8.8.8.8"]


def test_it_tries_the_judged_addresses_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    outbound_servers.names(monkeypatch, two="2606:4700::1 8.8.8.8")
    answer = outbound.post("https://two.test/", b"{}", {})
    assert begun == ["2606:4700::1", "8.8.8.8"]
    assert (answer.kind, answer.error) == ("transient", "No connection to the receiver: Connection refused.")


def test_it_needs_tls_except_where_the_operator_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    answer = outbound.post("http://8.8.8.8/", b"{}", {}, allow="127.0.0.0/8")
    assert (answer.error, begun) == (targets.NEEDS_TLS, [])


def test_it_checks_a_url_at_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "lookup", lambda host, port: pytest.fail("looked up at registration"))
    for url, allow in [("https://ok.com/hook?x=1", ""), ("https://10.0.0.1/", "10.0.0.0/8"), ("http://127.0.0.1:9/", "127.0.0.0/8")]:
        outbound.check(url, allow)
    for url, allow in [("http://ok.com/", ""), ("https://10.0.0.1/", ""), ("http://8.8.8.8/", "10.0.0.0/8"), ("https://[::1]/", "")]:
        with pytest.raises(outbound.Failure):
            outbound.check(url, allow)


def test_it_registers_plain_http_by_name_only_where_the_name_leads_to_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    outbound_servers.names(monkeypatch, inside="10.0.0.7", outside="8.8.8.8", both="10.0.0.7 8.8.8.8")
    outbound.check("http://inside.test/", "10.0.0.0/8")
    for host in ("outside.test", "both.test", "nowhere.test"):
        with pytest.raises(outbound.Failure, match="https://"):
            outbound.check(f"http://{host}/", "10.0.0.0/8")


def test_it_tries_again_where_a_name_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    for trouble in (OSError("secret detail"), UnicodeError("label too long")):
        monkeypatch.setattr(targets, "lookup", unittest.mock.Mock(side_effect=trouble))
        answer = outbound.post("https://nowhere.test/", b"{}", {})
        assert (answer.kind, answer.error) == ("transient", "The receiver's name could not be resolved.")
    assert outbound.post(f"https://a..b{'c' * 70}/", b"{}", {}).fault == "name"
