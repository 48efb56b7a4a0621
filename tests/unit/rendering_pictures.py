"""Small pictures made by hand, whole and hostile."""

import struct
import zlib


def png(width: int = 3, height: int = 2, *, pixels: bool = True, extra: bytes = b"") -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height))) if pixels else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + extra
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


def text_chunk(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + b"tEXt" + data + struct.pack(">I", zlib.crc32(b"tEXt" + data))


def gif(width: int = 3, height: int = 2, *, comment: bytes = b"", frame: tuple[int, int] | None = None) -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    said = b"!\xfe" + bytes([len(comment)]) + comment + b"\0" if comment else b""
    wide, high = frame or (width, height)
    return head + said + b"," + struct.pack("<HHHHB", 0, 0, wide, high, 0) + b"\x02\x02\x4c\x01\0" + b";"


def jpeg(width: int = 3, height: int = 2, *, segments: bytes = b"") -> bytes:
    frame = b"\xff\xc0\0\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0"
    return (
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
        + segments
        + frame
        + b"\xff\xda\0\x08\x01\x01\0\0\x3f\0"
        + b"\x12\xff\0\x34"
        + b"\xff\xd9"
    )


def webp(width: int = 3, height: int = 2, kind: str = "VP8L") -> bytes:
    if kind == "VP8L":
        body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\0\0\0"
    elif kind == "VP8X":
        body = b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    else:
        body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    inner = b"WEBP" + kind.ljust(4).encode() + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(inner)) + inner


SCRIPT = b"<script>fetch('/hit')</script>"
GIF_AND_PAGE = b"GIF89a/*<html><body>*/=1;/*" + SCRIPT + b"*/"
