"""File names for HTTP (RFC 6266): whatever was sent, what leaves is one harmless base name."""

import re
import unicodedata
from urllib.parse import quote

from claimcheck.rendering import marks

# Characters that a shell, a path or a header would read; marks.ODD holds controls and right-to-left overrides.
READ_BY_OTHERS = re.compile(r'[\\/:*?"<>|%\x00-\x1f\x7f]')
DIRECTION = re.compile("[\u200c-\u200f\u061c]")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
LONGEST = 150


def safe(name: str) -> str:
    """A base name without path, control, direction or device; `file` where nothing is left."""
    plain = DIRECTION.sub("", READ_BY_OTHERS.sub("_", marks.ODD.sub("_", unicodedata.normalize("NFC", name)))).strip(" .")
    stem, dot, suffix = plain.rpartition(".")
    short = f"{stem[: LONGEST - len(suffix)]}{dot}{suffix}" if stem and len(suffix) < 12 else plain[:LONGEST]
    return f"_{short}" if DEVICES.fullmatch(short) else short or "file"


def disposition(name: str, *, inline: bool = False) -> str:
    """The value of Content-Disposition: an ASCII name for the old, `filename*` in UTF-8 for the others."""
    clean = safe(name)
    ascii_only = re.sub(r"[^A-Za-z0-9._ -]", "_", unicodedata.normalize("NFKD", clean).encode("ascii", "ignore").decode())
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{ascii_only.strip(' .') or 'file'}\"; filename*=UTF-8''{quote(clean, safe='')}"
