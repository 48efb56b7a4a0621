"""The store: what goes in is looked at, what comes out is a stream, and every fault is one of ours."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from claimcheck import errors, store
from claimcheck.config import Settings
from claimcheck.store import PART, Store


def _settings(server: Any, **more: Any) -> Settings:
    given = {
        "s3_endpoint": server.endpoint,
        "s3_access_key": server.access_key,
        "s3_secret_key": server.secret_key,
        "s3_bucket": server.bucket,
    }
    return Settings(**(given | more))


@pytest.fixture
def s3(store_server: Any) -> Store:
    return Store(_settings(store_server))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("size", [0, 1, 100_000, PART, PART + 1, 2 * PART])
@pytest.mark.parametrize("wrapped", [bytes, io.BytesIO], ids=["bytes", "a stream"])
def test_it_gives_back_what_was_put(s3: Store, size: int, wrapped: Callable[[bytes], Any]) -> None:
    data = os.urandom(size)
    s3.put("t/put", wrapped(data), size, "image/png", _sha256(data))
    assert (s3.stat("t/put").size, s3.stat("t/put").sha256) == (size, _sha256(data))
    assert s3.read("t/put", size) == data
    with s3.open("t/put") as chunks:
        assert all(len(chunk) <= store.CHUNK for chunk in chunks)


class Zeros(io.RawIOBase):
    """So many zero bytes."""

    def __init__(self, size: int):
        self.left = size

    def read(self, size: int = -1, /) -> bytes:
        taken = min(size, self.left)
        self.left -= taken
        return bytes(taken)


def test_it_streams_up_and_down_in_constant_memory(s3: Store) -> None:
    size, digest = 12 * PART, hashlib.sha256()
    for _ in range(12):
        digest.update(bytes(PART))
    tracemalloc.start()
    try:
        s3.put("t/large", Zeros(size), size, "application/zip", digest.hexdigest())  # type: ignore[arg-type]
        with s3.open("t/large") as chunks:
            assert sum(map(len, chunks)) == size
        assert tracemalloc.get_traced_memory()[1] < 4 * PART
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("wrapped", [bytes, io.BytesIO], ids=["bytes", "a stream"])
@pytest.mark.parametrize(("size", "sha256"), [(5, "00" * 32), (6, _sha256(b"hello"))], ids=["another hash", "too short"])
def test_it_keeps_nothing_that_is_not_what_was_said(s3: Store, wrapped: Callable[[bytes], Any], size: int, sha256: str) -> None:
    with pytest.raises(errors.Invalid):
        s3.put("t/wrong", wrapped(b"hello"), size, "text/plain", sha256)
    with pytest.raises(errors.PayloadMissing):
        s3.stat("t/wrong")


def test_it_leaves_a_good_object_alone_when_bad_bytes_come_for_its_key(s3: Store) -> None:
    s3.put("t/good", b"hello", 5, "text/plain", _sha256(b"hello"))
    with pytest.raises(errors.Invalid):
        s3.put("t/good", b"hallo", 5, "text/plain", _sha256(b"hello"))
    assert s3.read("t/good", 5) == b"hello"


@pytest.mark.parametrize("ask", [lambda s: s.stat("t/none"), lambda s: s.read("t/none", 5), lambda s: s.check("t/none", 5, "00")])
def test_it_says_when_an_object_is_missing(s3: Store, ask: Callable[[Store], Any]) -> None:
    with pytest.raises(store.Missing):
        ask(s3)
    s3.delete("t/none")


@pytest.mark.parametrize(
    ("size", "sha256", "etag"), [(6, _sha256(b"hello"), None), (5, "00" * 32, None), (5, _sha256(b"hello"), "00" * 16)]
)
def test_it_says_when_an_object_is_another(s3: Store, size: int, sha256: str, etag: str | None) -> None:
    s3.put("t/another", b"hello", 5, "text/plain", _sha256(b"hello"))
    with pytest.raises(errors.PayloadDamaged):
        s3.check("t/another", size, sha256, etag)
    with pytest.raises(errors.PayloadDamaged):
        s3.read("t/another", 4)


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def broken() -> Iterator[str]:
    """A server that answers 503 to everything."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        running = threading.Thread(target=answer)
        running.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    running.join()


@pytest.mark.parametrize("kind", ["closed", "silent", "broken", "no bucket", "wrong key"])
def test_it_says_when_the_store_does_not_answer(
    store_server: Any, silent: str, broken: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "READ_SECONDS", 0.3)
    more = {
        "closed": {"s3_endpoint": "http://127.0.0.1:9"},
        "silent": {"s3_endpoint": silent},
        "broken": {"s3_endpoint": broken},
        "no bucket": {"s3_bucket": "not-there"},
        "wrong key": {"s3_secret_key": "wrong" * 5},
    }[kind]
    away = Store(_settings(store_server, **more))
    assert not away.ready()
    with pytest.raises(errors.StoreUnavailable):
        away.read("k", 1)
    if kind != "no bucket":  # some stores make it then
        with pytest.raises(errors.StoreUnavailable):
            away.put("k", b"a", 1, "a/b", _sha256(b"a"))


def test_it_makes_its_bucket(store_server: Any) -> None:
    fresh = Store(_settings(store_server, s3_bucket="another-bucket"))
    assert not fresh.ready()
    fresh.ensure_bucket()
    fresh.ensure_bucket()
    assert fresh.ready()
