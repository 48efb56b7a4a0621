"""PNG, JPEG, GIF and WebP read by their headers and block structure. Nothing is ever decoded here."""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

from claimcheck.rendering import hints, limits, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

# A file that is a picture to one program and a page to another. The words are long enough that pixels
# do not spell them by chance.
MARKUP = re.compile(rb"<(?:script|iframe|!doctype|html|body|object|embed)[\s>/]", re.IGNORECASE)
NOT_FRAMES = (0xC4, 0xC8, 0xCC)


@dataclass(frozen=True)
class Picture:
    """`end`: where the picture's own bytes stop, None where its end is missing."""

    width: int
    height: int
    end: int | None


def read(part: Part, source: Read) -> views.Image:
    """Raises NotShown where the bytes are not the picture that they are declared to be."""
    if part.size > limits.IMAGE:
        raise NotShown(f"Pictures over {limits.IMAGE // limits.MIB} MiB are offered as a file.")
    media_type = ALIASES.get(part.media_type, part.media_type)
    data = source(part, limits.IMAGE)
    picture = inspect(media_type, data)
    return views.Image(part, media_type, picture.width, picture.height, _notes(picture, data))


def verified(part: Part, data: bytes) -> str | None:
    """The media type under which a part's bytes may be sent to be seen, None where they may not."""
    media_type = ALIASES.get(part.media_type, part.media_type)
    try:
        return media_type if media_type in FORMATS and inspect(media_type, data) else None
    except NotShown:
        return None


def inspect(media_type: str, data: bytes) -> Picture:
    name, parse = FORMATS[media_type]
    try:
        picture = parse(data)
    except (struct.error, IndexError, ValueError):
        raise NotShown(_mismatch(name, data)) from None
    if MARKUP.search(data):
        raise NotShown(f"This {name} picture carries HTML in its bytes, so it is offered as a file.")
    if min(picture.width, picture.height) < 1:
        raise NotShown(f"This {name} picture says it has no pixels.")
    _bound(picture)
    return picture


def _mismatch(name: str, data: bytes) -> str:
    found = hints.words(data[: limits.HEAD])
    if name in found:
        return f"This says it is a {name} picture, but its structure is damaged."
    return f"This says it is a {name} picture, but its bytes are {found}."


def _bound(picture: Picture) -> None:
    width, height = picture.width, picture.height
    if width * height > limits.IMAGE_PIXELS or max(width, height) > limits.IMAGE_SIDE:
        raise NotShown(
            f"{width:,} × {height:,} pixels are more than a screen can open safely"
            f" ({limits.IMAGE_PIXELS // 1_000_000} million), so it is offered as a file."
        )


def _notes(picture: Picture, data: bytes) -> tuple[str, ...]:
    if picture.end is None:
        return ("The end of this picture is missing.",)
    rest = len(data) - picture.end
    return (f"{rest:,} bytes follow the end of the picture and are not shown.",) if rest > 0 else ()


def _png(data: bytes) -> Picture:
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        raise ValueError
    width, height, depth, colour = struct.unpack_from(">IIBB", data, 16)
    if depth not in (1, 2, 4, 8, 16) or colour not in (0, 2, 3, 4, 6):
        raise ValueError
    return Picture(width, height, _png_end(data))


def _png_end(data: bytes) -> int | None:
    at, pixels = 8, False
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if not kind.isalpha():
            raise ValueError
        at += 12 + length
        pixels = pixels or kind == b"IDAT"
        if kind == b"IEND":
            return at if pixels else None
    return None


def _jpeg(data: bytes) -> Picture:
    at, size = 2, None
    if data[:2] != b"\xff\xd8":
        raise ValueError
    while data[at] == 0xFF:
        marker, length = struct.unpack_from(">BH", data, at + 1)
        if marker == 0xFF:
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in NOT_FRAMES:
            size = struct.unpack_from(">HH", data, at + 5)
        if marker == 0xDA and size:
            return Picture(size[1], size[0], _jpeg_end(data, at + 2 + length))
        at += 2 + length
    raise ValueError


def _jpeg_end(data: bytes, at: int) -> int | None:
    """The first end marker after the scan: inside a scan every FF is followed by 00 or a restart."""
    end = data.find(b"\xff\xd9", at)
    return None if end < 0 else end + 2


def _gif(data: bytes) -> Picture:
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise ValueError
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at, frames = 13 + _palette(flags), 0
    while data[at : at + 1] not in (b"", b";"):
        if data[at] == 0x2C:
            frames += 1
            left, top, wide, high = struct.unpack_from("<HHHH", data, at + 1)
            width, height = max(width, left + wide), max(height, top + high)
            at = _gif_blocks(data, at + 11 + _palette(data[at + 9]))
        elif data[at] == 0x21:
            at = _gif_blocks(data, at + 2)
        else:
            raise ValueError
    if not frames:
        raise ValueError
    return Picture(width, height, at + 1 if at < len(data) else None)


def _palette(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _gif_blocks(data: bytes, at: int) -> int:
    """Passes over sub-blocks, each led by its length, up to the empty one."""
    while at < len(data) and data[at]:
        at += 1 + data[at]
    return at + 1


def _webp(data: bytes) -> Picture:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError
    size = WEBP_SIZES.get(data[12:16])
    if size is None:
        raise ValueError
    width, height = size(data)
    end = 8 + struct.unpack_from("<I", data, 4)[0]
    return Picture(width, height, end if end <= len(data) else None)


def _webp_lossy(data: bytes) -> tuple[int, int]:
    if data[23:26] != b"\x9d\x01\x2a":
        raise ValueError
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _webp_lossless(data: bytes) -> tuple[int, int]:
    if data[20] != 0x2F:
        raise ValueError
    bits = struct.unpack_from("<I", data, 21)[0]
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _webp_extended(data: bytes) -> tuple[int, int]:
    width, height = data[24:27], data[27:30]
    if len(height) < 3:
        raise ValueError
    return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1


WEBP_SIZES = {b"VP8 ": _webp_lossy, b"VP8L": _webp_lossless, b"VP8X": _webp_extended}
FORMATS: dict[str, tuple[str, Callable[[bytes], Picture]]] = {
    "image/png": ("PNG", _png),
    "image/jpeg": ("JPEG", _jpeg),
    "image/gif": ("GIF", _gif),
    "image/webp": ("WebP", _webp),
}
ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}
