"""Signed documents: canonical JSON that names its key and carries its signature, and what is wrong with one."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from claimcheck import canonical
from claimcheck.proof import signing


@dataclass(frozen=True)
class Verdict:
    """What a check found: `problems` in words, none where everything agrees, and what was `checked`."""

    problems: tuple[str, ...]
    checked: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def encoded(document: Mapping[str, Any], private: bytes) -> bytes:
    """The document, which names `key_id`, with its signature as canonical JSON: same document and key, same bytes."""
    signature = base64.b64encode(signing.sign(private, canonical.encode(document))).decode()
    return canonical.encode({**document, "signature": signature})


def fields(what: str, document: Any, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Of the fields that must be there, by name and kind, those that are missing or of another kind."""
    for name, kind in wanted.items():
        if not isinstance(document, dict) or not isinstance(document.get(name), kind):
            yield f"{what} has no proper {name}"


def signature(what: str, document: Mapping[str, Any], pem: str | bytes) -> Iterator[str]:
    """What is wrong with the signature by this public key; `what` the document is called: receipt, manifest."""
    try:
        given = signing.key_id(pem)
    except signing.BadKey as error:
        yield f"the key cannot be used: {error}"
        return
    if given != document["key_id"]:
        yield f"wrong key: the {what} names key {document['key_id']}, the file given is key {given}"
        return
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    if not signing.is_signed(pem, canonical.encode(unsigned), _decoded(document["signature"])):
        yield f"the signature does not match: the {what} was changed after signing, or forged"


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
