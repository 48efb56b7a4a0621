"""Manifests: what a version consists of, signed, so that anybody can check its files without us and without a network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claimcheck import canonical
from claimcheck.proof import signed
from claimcheck.proof.signed import Verdict

FORMAT = "claimcheck.dataset/1"
NAME = "manifest.json"
_MANIFEST = {"project": dict, "version": int, "kind": str, "rows": int, "counts": dict, "files": list, "made_of": dict, "key_id": str,
             "signature": str}  # fmt: skip
_FILE = {"name": str, "content_type": str, "rows": int, "size": int, "sha256": str}


def build(document: dict[str, Any], private: bytes) -> bytes:
    """The manifest's bytes: the document, which names `key_id`, with its signature; the same each time."""
    return signed.encoded({"format": FORMAT, **document}, private)


def is_one(path: Path) -> bool:
    """Whether this is a version's folder or its manifest, rather than a receipt."""
    try:
        document = canonical.parse_json(_manifest(path).read_bytes())
    except (OSError, canonical.InvalidJSON):
        return path.is_dir()
    return path.is_dir() or (isinstance(document, dict) and document.get("format") == FORMAT)


def _manifest(path: Path) -> Path:
    return path / NAME if path.is_dir() else path


def verify(path: Path, pem: bytes) -> Verdict:
    """Checks a manifest's signature and, of a folder, that it holds exactly the files that the manifest names, byte for byte."""
    try:
        document = canonical.parse_json(written := _manifest(path).read_bytes())
    except FileNotFoundError:
        return Verdict((f"there is no {NAME} in {path}",), ())
    except canonical.InvalidJSON:
        return Verdict((f"{_manifest(path)} cannot be read: it is cut off, or another file",), ())
    if problems := [*_shape(document)]:
        return Verdict(tuple(problems), ())
    problems = [*signed.signature("manifest", document, pem)]
    if written != canonical.encode(document):
        problems.append("the manifest was written anew: its bytes, and so its SHA-256, are not those that were signed and told")
    said = f"version {document['version']} of {document['project'].get('name')}: {document['rows']:,} rows"
    checked = [f"the manifest's signature, by key {document['key_id']}", said]
    if path.is_dir():
        problems += _files(document["files"], path)
        checked.append(f"{len(document['files'])} files in {path}")
    return Verdict(tuple(problems), tuple(checked))


def _shape(document: Any) -> Iterator[str]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        yield f'this is not a manifest of the form "{FORMAT}"'
        return
    yield from signed.fields("the manifest", document, _MANIFEST)
    for file in document["files"] if isinstance(document.get("files"), list) else ():
        if any(signed.fields("a file", file, _FILE)):
            yield "the manifest has no proper files"
        elif file["name"] in ("", ".", "..", NAME) or "/" in file["name"] or "\\" in file["name"] or "\0" in file["name"]:
            yield f"the manifest names a file {file['name']!r}, which is no plain name"


def _files(files: list[dict[str, Any]], folder: Path) -> Iterator[str]:
    for file in files:
        path = folder / file["name"]
        if not path.is_file():
            yield f"file missing: {file['name']!r}"
        elif path.stat().st_size != file["size"]:
            yield f"file changed: {file['name']!r} has {path.stat().st_size} bytes, the manifest says {file['size']}"
        elif (found := _digest(path)) != file["sha256"]:
            yield f"file changed: {file['name']!r} has another SHA-256, {found}"
    known = {NAME, *(file["name"] for file in files)}
    yield from (f"extra file: {p.name!r} is not in the manifest" for p in sorted(folder.iterdir()) if p.name not in known)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
