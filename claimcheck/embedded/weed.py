"""An S3 store from SeaweedFS's wheel: `weed mini` with all its servers in one process, on loopback.

Only the S3 port asks for credentials.
"""

from __future__ import annotations

import io
import os
import sysconfig
from pathlib import Path

import minio
import urllib3

from claimcheck.embedded.processes import Program

PORTS = (
    "s3.port", "s3.port.grpc", "filer.port", "filer.port.grpc", "master.port", "master.port.grpc",
    "volume.port", "volume.port.grpc", "admin.port", "admin.port.grpc",
)  # fmt: skip
OFF = ("webdav", "admin.ui", "master.telemetry", "s3.iam", "s3.allowDeleteBucketNotEmpty")

PROBE = "starting"  # one byte, as an empty object asks for no volume


class Weed:
    """One store. `ports` are as many as PORTS, in their order."""

    def __init__(self, folder: Path, ports: list[int], access_key: str, secret_key: str, bucket: str, log: Path):
        self.folder, self.ports, self.log = folder, ports, log
        self.access_key, self.secret_key, self.bucket = access_key, secret_key, bucket
        self.endpoint = f"http://127.0.0.1:{ports[0]}"

    def prepare(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def program(self) -> Program:
        options = [f"-{name}={port}" for name, port in zip(PORTS, self.ports, strict=True)]
        options += [f"-{name}=false" for name in OFF]
        options += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.preStopSeconds=0"]
        # Abstract sockets: as files they would be left in the common temporary folder, where another user's stop ours.
        options += [f"-{part}.localSocket=@claimcheck-{part}-{self.ports[0]}" for part in ("s3", "filer")]
        argv = [str(Path(sysconfig.get_path("scripts")) / "weed"), "mini", f"-dir={self.folder}", f"-bucket={self.bucket}"]
        environ = {"PATH": os.defpath, "HOME": str(self.folder)}
        keys = {"AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key}
        return Program("store", argv + options, self.log, environ=environ | keys)

    def is_ready(self) -> bool:
        """Whether an object can be written, by writing one: the port opens, and the bucket is told, before the volumes are there."""
        client = self._client()
        try:
            client.put_object(self.bucket, PROBE, io.BytesIO(b"."), 1)
            client.remove_object(self.bucket, PROBE)
            return True
        except (minio.error.MinioException, urllib3.exceptions.HTTPError):
            return False

    def _client(self) -> minio.Minio:
        pool = urllib3.PoolManager(timeout=urllib3.Timeout(connect=1, read=5), retries=False)
        host = f"127.0.0.1:{self.ports[0]}"
        return minio.Minio(host, access_key=self.access_key, secret_key=self.secret_key, secure=False, http_client=pool)
