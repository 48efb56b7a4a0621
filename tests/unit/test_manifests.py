"""Manifests: the same bytes each time, and every change of a delivered folder is found without us."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimcheck import canonical
from claimcheck.datasets import manifests
from claimcheck.proof import signing

KEY = signing.new_key_pair()
FILES = {"data.jsonl": b'{"item_id":1}\n', "data.csv": b'"item_id"\r\n"1"\r\n'}


def document(**changes: Any) -> dict[str, Any]:
    files = [{"name": n, "content_type": "x/y", "rows": 1, "size": len(b), "sha256": hashlib.sha256(b).hexdigest()} for n, b in FILES.items()]
    known = {"project": {"id": 5, "name": "KYC"}, "version": 2, "kind": "delivery", "rows": 1, "counts": {"settled": 1}, "files": files, "made_of": {}}
    return {**known, "key_id": KEY.key_id, **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "v2"
    out.mkdir()
    for name, data in FILES.items():
        (out / name).write_bytes(data)
    (out / "manifest.json").write_bytes(manifests.build(document(), KEY.private))
    return out


def problems(path: Path, pem: str = KEY.public_pem) -> str:
    return " | ".join(manifests.verify(path, pem.encode()).problems)


def test_it_verifies_a_folder_or_the_manifest_alone(folder: Path):
    assert manifests.build(document(), KEY.private) == (folder / "manifest.json").read_bytes()
    assert not problems(folder) and not problems(folder / "manifest.json")
    assert manifests.is_one(folder) and manifests.is_one(folder / "manifest.json") and not manifests.is_one(folder / "data.csv")


def forge(folder: Path, **changes: Any) -> None:
    told = canonical.parse_json((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_bytes(canonical.encode({**told, **changes}))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "data.csv").write_bytes(b'"item_id"\r\n"2"\r\n'), "another SHA-256"),
        (lambda f: (f / "data.csv").write_bytes(b""), "has 0 bytes"),
        (lambda f: (f / "data.csv").unlink(), "file missing: 'data.csv'"),
        (lambda f: (f / "more.csv").write_bytes(b"x"), "extra file: 'more.csv'"),
        (lambda f: (f / "manifest.json").unlink(), "there is no manifest.json"),
        (lambda f: (f / "manifest.json").write_bytes((f / "manifest.json").read_bytes() + b"\n"), "was written anew"),
        (lambda f: (f / "manifest.json").write_bytes(b'{"format":'), "cannot be read"),
        (lambda f: forge(f, rows=2), "changed after signing"),
        (lambda f: forge(f, signature="x"), "changed after signing"),
        (lambda f: forge(f, format="other/1"), "not a manifest"),
        (lambda f: forge(f, files=[{"name": "../secret", "content_type": "x/y", "rows": 1, "size": 1, "sha256": "ab"}]), "no plain name"),
        (lambda f: forge(f, counts=None), "no proper counts"),
        (lambda f: (shutil.rmtree(f), f.mkdir()), "there is no manifest.json"),
    ],
)
def test_it_finds(folder: Path, damage: Callable[[Path], Any], said: str):
    damage(folder)
    assert said in problems(folder)


def test_it_knows_another_key(folder: Path):
    assert "wrong key" in problems(folder, signing.new_key_pair().public_pem) and "cannot be used" in problems(folder, "no key")
