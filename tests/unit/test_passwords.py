"""How passwords are hashed: how many at once, and by what."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from claimcheck import errors
from claimcheck.access import passwords


def test_it_hashes_two_at_once_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock, gate = 0, 0, threading.Lock(), threading.Event()

    class Slow:
        def hash(self, _: str) -> str:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            gate.wait(0.02)
            with lock:
                running -= 1
            return "hash"

    monkeypatch.setattr(passwords, "HASHER", Slow())
    with ThreadPoolExecutor(12) as pool:
        assert [*pool.map(passwords._hash, ["words"] * 24)] == ["hash"] * 24
    assert most == passwords.AT_ONCE == 2


def test_it_turns_people_away_rather_than_queue_them_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "PATIENCE", 0.0)
    with passwords._turn(), passwords._turn(), pytest.raises(errors.TooMany):
        passwords._hash("words")


def test_it_hashes_by_argon2id_with_the_memory_that_owasp_asks_for() -> None:
    assert passwords._hash("words").startswith("$argon2id$v=19$m=47104,t=1,p=1$")


def test_it_takes_every_letter_of_a_long_password() -> None:
    long = "x" * 150
    assert passwords._matches(passwords._hash(long + "a"), long + "a")
    assert not passwords._matches(passwords._hash(long + "a"), long + "b")
    assert not passwords._matches("no hash at all", "words")
