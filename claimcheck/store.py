"""The object store, over the minio SDK: objects go in once, are looked at after they went in, and come out as streams."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error

from claimcheck import errors
from claimcheck.config import Settings

PART = 8 * 1024 * 1024  # bytes sent, and held in memory, at once
CHUNK = 64 * 1024
CONNECT_SECONDS, READ_SECONDS = 1.0, 5.0
REGION = "us-east-1"
ABSENT = frozenset({"NoSuchKey", "NoSuchObject", "ResourceNotFound"})


class Missing(errors.PayloadMissing):
    """The object store does not have this object."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What the store says about an object. `sha256` is what was written beside it, hexadecimal, or empty."""

    size: int
    etag: str
    sha256: str
    encrypted: bool


@dataclass(frozen=True, slots=True)
class Object:
    """An object in a list. Another ETag under the same key is another object."""

    key: str
    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class Written:
    """What a stream came to."""

    size: int
    sha256: bytes


class _Joined:
    """Chunks of any length as a stream to read from."""

    def __init__(self, chunks: Iterable[bytes]):
        self.chunks, self.rest = iter(chunks), bytearray()

    def read(self, size: int) -> bytes:
        while len(self.rest) < size and (chunk := next(self.chunks, None)) is not None:
            self.rest += chunk
        block = bytes(self.rest[:size])
        del self.rest[:size]
        return block


class _Measured:
    """Reads a stream through, hashing on the way: the whole by SHA-256, each PART by MD5, as an ETag has it."""

    def __init__(self, data: BinaryIO, *, to_its_end: bool = False):
        self.data, self.size, self.sha256 = data, 0, hashlib.sha256()
        self.to_its_end = to_its_end
        self.parts: list[bytes] = []
        self.part, self.filled = hashlib.md5(usedforsecurity=False), 0

    def read(self, size: int = -1) -> bytes:
        block = self.data.read(size)
        if size > 0 and not block and not self.to_its_end:
            raise errors.Invalid(f"the data ended after {self.size} bytes")
        self.size += len(block)
        self.sha256.update(block)
        rest = memoryview(block)
        while rest:
            rest = self._fill(rest)
        return block

    def _fill(self, rest: memoryview) -> memoryview:
        if self.filled == PART:
            self.parts.append(self.part.digest())
            self.part, self.filled = hashlib.md5(usedforsecurity=False), 0
        taken = rest[: PART - self.filled]
        self.part.update(taken)
        self.filled += len(taken)
        return rest[len(taken) :]

    def etag(self) -> str:
        if not self.parts:
            return self.part.hexdigest()
        digests = [*self.parts, self.part.digest()]
        return f"{hashlib.md5(b''.join(digests), usedforsecurity=False).hexdigest()}-{len(digests)}"


def _address(endpoint: str) -> tuple[str, bool]:
    """(host and port, whether TLS) of an endpoint such as `http://127.0.0.1:8333` or `s3.example.org`."""
    url = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
    return url.netloc, url.scheme != "http"


def _fault(error: Exception) -> errors.Error:
    if isinstance(error, S3Error) and error.code in ABSENT:
        return Missing()
    said = error.code if isinstance(error, S3Error) else type(error).__name__
    return errors.StoreUnavailable(f"The object store does not answer as it should ({said}). Try again in a moment.")


@contextmanager
def _mapped() -> Iterator[None]:
    """The SDK's and the socket's errors as ours."""
    try:
        yield
    except (MinioException, urllib3.exceptions.HTTPError, OSError) as error:
        raise _fault(error) from error


class Store:
    """One bucket. Every call may raise StoreUnavailable; those that name an object raise Missing where it is absent."""

    def __init__(self, settings: Settings, *, connections: int = 16):
        pool = urllib3.PoolManager(timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS), retries=False, maxsize=connections)
        host, tls = _address(settings.s3_endpoint or "")
        self.bucket = settings.s3_bucket
        self.client = Minio(
            host,
            access_key=settings.s3_access_key,
            secret_key=settings.s3_secret_key,
            secure=tls,
            region=REGION,
            http_client=pool,
        )

    def put(self, key: str, data: bytes | BinaryIO, size: int, content_type: str, sha256: str) -> None:
        """Writes an object and looks whether the store has it: its size, its ETag, and the `sha256` (64 hex digits) beside it.

        Reads a stream in constant memory. Raises StoreUnavailable where the store kept something else, Invalid
        where the data is not what `size` and `sha256` say (nothing is kept then).
        """
        if isinstance(data, bytes) and (len(data) != size or hashlib.sha256(data).hexdigest() != sha256):
            raise errors.Invalid(f"the data of {key} is not what its size and SHA-256 say")
        measured = _Measured(io.BytesIO(data) if isinstance(data, bytes) else data)
        with _mapped():
            self.client.put_object(
                self.bucket,
                key,
                cast(BinaryIO, measured),
                size,
                content_type,
                metadata={"sha256": sha256},
                part_size=PART,
                num_parallel_uploads=1,
            )
        if measured.sha256.hexdigest() != sha256:
            self.delete(key)
            raise errors.Invalid(f"the data of {key} is not what its SHA-256 says")
        self.check(key, size, sha256, etag=measured.etag())

    def put_stream(self, key: str, chunks: Iterable[bytes], content_type: str) -> Written:
        """Writes an object whose length nobody knows yet, in parts, in constant memory, and looks whether the store has it.

        What `chunks` raises ends it, and nothing is kept. Raises PayloadDamaged where the store kept something else.
        """
        measured = _Measured(cast(BinaryIO, _Joined(chunks)), to_its_end=True)
        with _mapped():
            self.client.put_object(self.bucket, key, cast(BinaryIO, measured), -1, content_type, part_size=PART, num_parallel_uploads=1)
        self.check(key, measured.size, "", etag=measured.etag())
        return Written(measured.size, measured.sha256.digest())

    def check(self, key: str, size: int, sha256: str, etag: str | None = None) -> None:
        """Raises Missing or PayloadDamaged where the store does not have the object as described."""
        found = self.stat(key)
        same_etag = etag is None or found.encrypted or found.etag == etag
        if found.size != size or found.sha256 != sha256 or not same_etag:
            raise errors.PayloadDamaged(f"the store's {key} is not what was put there ({found.size} bytes of {size})")

    def stat(self, key: str) -> Stat:
        """What the store says about an object, without its bytes."""
        with _mapped():
            found = self.client.stat_object(self.bucket, key)
        headers = found.metadata or {}
        return Stat(
            found.size or 0,
            (found.etag or "").strip('"'),
            headers.get("x-amz-meta-sha256", ""),
            "kms" in headers.get("x-amz-server-side-encryption", ""),
        )

    @contextmanager
    def open(self, key: str) -> Iterator[Iterator[bytes]]:
        """The object's bytes as chunks of at most CHUNK bytes, for as long as the block lasts."""
        with _mapped():
            response = self.client.get_object(self.bucket, key)
        try:
            yield _chunks(response)
        finally:
            response.close()
            response.release_conn()

    def read(self, key: str, limit: int) -> bytes:
        """The whole object. Raises PayloadDamaged where it is longer than `limit` bytes."""
        read: list[bytes] = []
        with self.open(key) as chunks:
            for chunk in chunks:
                read.append(chunk)
                limit -= len(chunk)
                if limit < 0:
                    raise errors.PayloadDamaged(f"{key} is longer than it should be")
        return b"".join(read)

    def list(self, prefix: str) -> Iterator[Object]:
        """Every object below a prefix, in the order of the keys, page by page as it is read."""
        with _mapped():
            for found in self.client.list_objects(self.bucket, prefix, recursive=True):
                if not found.is_dir and found.object_name:
                    yield Object(found.object_name, (found.etag or "").strip('"'), found.size or 0)

    def delete(self, key: str) -> None:
        """Takes an object away; none there is no error."""
        with _mapped():
            self.client.remove_object(self.bucket, key)

    def ensure_bucket(self) -> None:
        """Makes the bucket where there is none."""
        with _mapped():
            if not self.client.bucket_exists(self.bucket):
                self.client.make_bucket(self.bucket)

    def ready(self) -> bool:
        """Whether the store answers and has the bucket."""
        try:
            with _mapped():
                return self.client.bucket_exists(self.bucket)
        except errors.Error:
            return False


def _chunks(response: Any) -> Iterator[bytes]:
    with _mapped():
        yield from response.stream(CHUNK)
