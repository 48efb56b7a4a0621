"""What an answer means, and when to try again."""

import datetime
import email.utils
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck import outbound
from claimcheck.outbound import answers


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        ((200, 201, 202, 204, 299), "applied"),
        ((408, 425, 429, 500, 501, 502, 503, 504, 599), "transient"),
        ((301, 302, 303, 307, 308, 304), "permanent"),
        ((400, 401, 403, 404, 405, 409, 413, 421, 422, 499), "permanent"),
        ((410,), "gone"),
        ((101, 103, 600, 999), "transient"),
    ],
)
def test_it_sorts_statuses(statuses: tuple[int, ...], kind: str) -> None:
    for status in statuses:
        answer = answers.answered(status, "", 0.1, None)
        assert answer.kind == kind and (answer.error is None) == (kind == "applied"), status


@pytest.mark.parametrize("fault", ["url", "denied", "redirect", "certificate", "timeout", "connection", "name", "protocol"])
def test_it_sorts_faults(fault: answers.Fault) -> None:
    expected = "permanent" if fault in ("url", "denied", "redirect", "certificate") else "transient"
    assert answers.failed(answers.Failure(fault, "words"), 1.0).kind == expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        (" 30 ", 30.0),
        ("999999", 3600.0),
        ("9" * 5000, None),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600.0),
        ("Fri, 31 Dec 9999 23:59:59 -0000", 3600.0),
        ("Fri, 31 Dec 99999 23:59:59 +9999", None),
    ],
)
def test_it_caps_what_the_receiver_asks_for(header: str | None, seconds: float | None) -> None:
    assert answers.answered(429, "", 0.1, header).retry_after == seconds


def test_it_reads_a_date_to_wait_for() -> None:
    header = email.utils.format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=600), usegmt=True)
    assert 0 < (answers.answered(503, "", 0.1, header).retry_after or 0) <= 600


def test_it_waits_longer_each_time_up_to_an_hour() -> None:
    assert [outbound.backoff(attempt, jitter=1.0) for attempt in (1, 2, 3, 12, 13, 10**9)] == [2, 4, 8, 3600, 3600, 3600]
    assert outbound.backoff(3, jitter=0.0) == 4 and outbound.backoff(0, jitter=1.0) == 2
    assert outbound.backoff(1, retry_after=90, jitter=1.0) == 90 and outbound.backoff(1, retry_after=1e9) == 3600
    assert outbound.backoff(12, retry_after=5, jitter=0.0) == 1800


@given(st.integers(1, 100))
def test_it_spreads_the_attempts(attempts: int) -> None:
    longest = outbound.backoff(attempts, jitter=1.0)
    assert longest / 2 <= outbound.backoff(attempts) <= longest


@given(st.binary(max_size=3000) | st.text(max_size=1500).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_it_shows_no_character_that_could_act(body: bytes) -> None:
    shown = answers.excerpt(body)
    assert len(shown) <= answers.EXCERPT_CHARACTERS and "\0" not in shown
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_it_shows_the_beginning_of_a_body_in_one_line() -> None:
    assert answers.excerpt(b"a\x1b[31m b\r\n\x00c\xff \xe2\x80\xae\xe2\x80\xa8d") == "a [31m b c\ufffd d"
    assert answers.excerpt(b"x" * 5000) == "x" * 999 + "…"
