"""Under which name a part lies in a folder: its own, unless no file system would take that."""

from __future__ import annotations

import hashlib
import re

KEPT = 240  # bytes of a name that is kept as it is; most file systems take 255
ENDING = re.compile(r"\.[A-Za-z0-9]{1,12}\Z")


def on_disk(name: str) -> str:
    """The name; where its UTF-8 is too long one of 252 to 255 bytes: its beginning, `~`, 32 hex digits of its SHA-256, its ending."""
    whole = name.encode()
    if len(whole) <= KEPT:
        return name
    ending = found[0] if (found := ENDING.search(name)) else ""
    tail = f"~{hashlib.sha256(whole).hexdigest()[:32]}{ending}"
    return whole[: 255 - len(tail)].decode(errors="ignore") + tail
