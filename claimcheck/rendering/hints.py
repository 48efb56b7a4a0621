"""What bytes look like. Only ever a hint, used in sentences; whether a part is shown is its parser's word."""

import re

import puremagic

from claimcheck.rendering import limits

SIGNATURES = (
    (re.compile(rb"PK(?:\x03\x04|\x05\x06)"), "application/zip", "a ZIP archive"),
    (re.compile(rb"\s{0,1000}%PDF-"), "application/pdf", "a PDF"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png", "a PNG picture"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg", "a JPEG picture"),
    (re.compile(rb"GIF8[79]a"), "image/gif", "a GIF picture"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp", "a WebP picture"),
    (re.compile(rb"II\*\0|MM\0\*"), "image/tiff", "a TIFF picture"),
    (re.compile(rb"MZ.{0,20}?\0\0", re.DOTALL), "application/x-msdownload", "a Windows program"),
    (re.compile(rb"\x7fELF"), "application/x-elf", "a Linux program"),
    (re.compile(rb"\x1f\x8b\x08"), "application/gzip", "a gzip archive"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"), "application/x-archive", "an archive"),
    (re.compile(rb"\s*(?:<\?xml.{0,400}?>\s*)?(?:<!--.{0,400}?-->\s*)?<svg[\s>]", re.DOTALL | re.IGNORECASE),
     "image/svg+xml", "an SVG drawing"),
    (re.compile(rb"\s*(?:<!doctype html|<html|<head|<body|<script)", re.IGNORECASE), "text/html", "an HTML page"),
)  # fmt: skip
BINARY = frozenset(kind for _, kind, _ in SIGNATURES if kind not in ("image/svg+xml", "text/html"))


def looks_like(head: bytes) -> tuple[str, str] | None:
    """(media type, words) of what the first bytes look like, or None where nothing is known."""
    for signature, media_type, words in SIGNATURES:
        if signature.match(head):
            return media_type, words
    return None


def binary(head: bytes) -> tuple[str, str] | None:
    """The same, for formats that cannot be text."""
    found = looks_like(head)
    return found if found and found[0] in BINARY else None


def words(head: bytes) -> str:
    """A noun phrase for the bytes, for the end of "but its bytes are …"."""
    found = looks_like(head)
    if found:
        return found[1]
    if not head.translate(None, bytes(range(32, 127)) + b"\t\r\n"):
        return "plain text"
    return _puremagic(head) or "something else"


def _puremagic(head: bytes) -> str:
    try:
        guess = puremagic.magic_string(head[: limits.HEAD])[0]
    except (puremagic.PureError, ValueError, IndexError):
        return ""
    return guess.mime_type or guess.name
