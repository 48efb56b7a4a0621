"""What must be true of the servers before a desk may open on them, whosever they are."""

from __future__ import annotations

from pathlib import Path
from typing import LiteralString, cast
from urllib.parse import urlsplit

import minio
import psycopg
import redis
import urllib3

from claimcheck.config import Settings
from claimcheck.embedded.home import Unusable

DURABILITY = Path(__file__).parents[2] / "deploy" / "durability.sql"


def database(settings: Settings) -> None:
    """Raises Unusable where an acknowledged decision could be lost, or where a role cannot sign in."""
    for attribute in ("database_url", "database_url_web", "database_url_worker"):
        name, url = attribute.upper(), getattr(settings, attribute)
        try:
            with psycopg.connect(url, connect_timeout=5) as connection:
                rows = connection.execute(cast(LiteralString, DURABILITY.read_text(encoding="utf-8"))).fetchall()
        except psycopg.OperationalError as error:
            raise Unusable(f"{name} cannot be reached: {error}") from error
        off = [setting for setting, value in rows if value == "off"]
        if off:
            raise Unusable(f"{name} reaches a database with {', '.join(f'{n}=off' for n in off)}, which loses decisions; set them to on")


def queue(settings: Settings, attribute: str = "redis_url") -> None:
    """Raises Unusable where Redis may drop jobs, or entries of the stream, when its memory is full."""
    name = attribute.upper()
    with redis.Redis.from_url(str(getattr(settings, attribute)), socket_timeout=5, socket_connect_timeout=5) as client:
        try:
            policy = client.info("memory").get("maxmemory_policy")
        except redis.RedisError as error:
            raise Unusable(f"{name} cannot be used: {error}") from error
    if policy != "noeviction":
        raise Unusable(f"{name} reaches a server with maxmemory-policy {policy}, which drops what waits there; set it to noeviction")


def store(settings: Settings) -> None:
    """Raises Unusable where the bucket is not there."""
    address = urlsplit(str(settings.s3_endpoint))
    pool = urllib3.PoolManager(timeout=urllib3.Timeout(connect=2, read=5), retries=False)
    client = minio.Minio(
        address.netloc, settings.s3_access_key, settings.s3_secret_key, secure=address.scheme == "https", http_client=pool
    )
    try:
        found = client.bucket_exists(settings.s3_bucket)
    except (minio.error.MinioException, urllib3.exceptions.HTTPError) as error:
        raise Unusable(f"S3_ENDPOINT {settings.s3_endpoint} cannot be used: {error}") from error
    if not found:
        raise Unusable(f"S3_BUCKET {settings.s3_bucket} is not on {settings.s3_endpoint}; create it first")
