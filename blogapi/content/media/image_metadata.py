"""Removes metadata and trailing bytes from image files without decoding the images.

The image worker loads this module without blogapi, so this module imports only the standard library.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

# The maximum number of parts of a file, which limits the time for a file of many tiny parts.
_MAX_PARTS = 200_000

# The parts that are kept, because they change how the image looks.
_KEPT_JPEG_SEGMENTS = {0xEE: b"Adobe", 0xE2: b"ICC_PROFILE\0"}
_KEPT_PNG_CHUNKS = frozenset(
    b"IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs hIST acTL fcTL fdAT".split()
)
_KEPT_WEBP_FRAME_CHUNKS = frozenset((b"ALPH", b"VP8 ", b"VP8L"))
_KEPT_WEBP_CHUNKS = _KEPT_WEBP_FRAME_CHUNKS | {b"VP8X", b"ICCP", b"ANIM", b"ANMF"}
_KEPT_GIF_EXTENSIONS = frozenset((b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012"))
_KEPT_AVIF_BOXES = frozenset((b"ftyp", b"meta", b"mdat", b"moov"))
_AVIF_METADATA = (b"Exif", b"application/rdf+xml", b"uuid", b"udta")

# A marker that begins a segment: neither an escaped byte nor a restart marker of the compressed data. Fill
# bytes FF can precede it; the pattern does not match them, because this would take quadratic time if no
# marker follows.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_WEBP_METADATA_FLAGS = 0x08 | 0x04


class DamagedFile(ValueError):
    """The file is damaged or incomplete."""


@dataclass(frozen=True, slots=True)
class StrippedFile:
    """A file without metadata.

    If `is_stripped` is False, the image must be encoded again to remove metadata.
    """

    data: bytes
    frames: int = 1
    is_stripped: bool = True


def strip_metadata(data: bytes, format: str) -> StrippedFile:
    """Return the file without metadata; a file without metadata is returned unchanged.

    `format` is Pillow's name of the format. Raises DamagedFile if the end of the image is missing.
    """
    try:
        return _STRIP_FUNCTIONS[format](data)
    except (IndexError, struct.error) as error:
        raise DamagedFile("the file is incomplete") from error


def _strip_jpeg(data: bytes) -> StrippedFile:
    kept, position = [data[:2]], 2
    for _ in range(_MAX_PARTS):
        # Bytes that belong to no segment are dropped, because decoders ignore them too.
        match = _JPEG_MARKER.search(data, position)
        if match is None:
            break
        position = match.end() - 2
        marker = data[position + 1]
        if marker == 0xD9:
            return StrippedFile(b"".join((*kept, b"\xff\xd9")))
        end = position + 2 + _read_number(">H", data, position + 2)
        if marker == 0xDA:
            following = _JPEG_MARKER.search(data, end)
            end = following.start() if following else len(data)
        if end > len(data):
            break
        if _is_kept_in_jpeg(marker, data[position + 4 : end]):
            kept.append(data[position:end])
        position = end
    raise DamagedFile("the end of the JPEG image is missing")


def _is_kept_in_jpeg(marker: int, payload: bytes) -> bool:
    # A longer JFIF segment contains a preview picture, which can show what was cropped.
    if marker == 0xE0:
        return payload.startswith(b"JFIF\0") and len(payload) == 14
    if marker in _KEPT_JPEG_SEGMENTS:
        return payload.startswith(_KEPT_JPEG_SEGMENTS[marker])
    return marker != 0xFE and not 0xE0 <= marker <= 0xEF


def _strip_png(data: bytes) -> StrippedFile:
    kept, position, frames = [data[:8]], 8, 0
    for _ in range(_MAX_PARTS):
        end = position + 12 + _read_number(">I", data, position)
        name = data[position + 4 : position + 8]
        if end > len(data):
            break
        if name in _KEPT_PNG_CHUNKS:
            kept.append(data[position:end])
        frames += name == b"fcTL"
        if name == b"IEND":
            return StrippedFile(b"".join(kept), max(1, frames))
        position = end
    raise DamagedFile("the end of the PNG image is missing")


def _strip_webp(data: bytes) -> StrippedFile:
    end = 8 + _read_number("<I", data, 4)
    # The RIFF header counts the padding byte of the last chunk, but some programs do not write this byte.
    if end > len(data) + 1:
        raise DamagedFile("the end of the WebP image is missing")
    body, frames = _strip_webp_chunks(data, 12, end, _KEPT_WEBP_CHUNKS)
    return StrippedFile(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body, max(1, frames))


def _strip_webp_chunks(data: bytes, position: int, end: int, names: Set[bytes]) -> tuple[bytes, int]:
    """Return the chunks with these names, and the number of frames; metadata in the frames is removed."""
    kept, frames = [], 0
    for _ in range(_MAX_PARTS):
        if position + 8 > end:
            break
        size = _read_number("<I", data, position + 4)
        start, position = position + 8, position + 8 + size
        if position > len(data):
            raise DamagedFile("the end of the WebP image is missing")
        name, content = data[start - 8 : start - 4], data[start:position]
        padding = data[position : position + size % 2]
        position += size % 2
        if name == b"VP8X":
            content = bytes([content[0] & ~_WEBP_METADATA_FLAGS]) + content[1:]
        elif name == b"ANMF" and name in names:
            frames += 1
            content = content[:16] + _strip_webp_chunks(content, 16, size, _KEPT_WEBP_FRAME_CHUNKS)[0]
        if name in names:
            kept.append(name + struct.pack("<I", len(content)) + content + padding)
    return b"".join(kept), frames


def _strip_gif(data: bytes) -> StrippedFile:
    position = 13 + _get_gif_table_size(data[10])
    kept, frames = [data[:position]], 0
    for _ in range(_MAX_PARTS):
        start, kind = position, data[position]
        if kind == 0x3B:
            return StrippedFile(b"".join((*kept, b";")), max(1, frames))
        if kind == 0x2C:
            frames += 1
            position = _skip_gif_blocks(data, position + 11 + _get_gif_table_size(data[position + 9]))
            kept.append(data[start:position])
        elif kind == 0x21:
            label, name = data[position + 1], data[position + 3 : position + 14]
            position = _skip_gif_blocks(data, position + 2)
            if label == 0xF9 or label == 0x01 or (label == 0xFF and name in _KEPT_GIF_EXTENSIONS):
                kept.append(data[start:position])
        else:
            break
    raise DamagedFile("the end of the GIF image is missing")


def _get_gif_table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _skip_gif_blocks(data: bytes, position: int) -> int:
    while size := data[position]:
        position += 1 + size
    return position + 1


def _strip_avif(data: bytes) -> StrippedFile:
    # The positions inside the file are absolute, so nothing can be removed without encoding the image again.
    is_clean, end = True, 0
    for name, start, end in _list_avif_boxes(data):
        is_clean &= name in _KEPT_AVIF_BOXES
        if name in (b"meta", b"moov"):
            is_clean &= not any(word in data[start:end] for word in _AVIF_METADATA)
    return StrippedFile(data, is_stripped=is_clean and end == len(data))


def _list_avif_boxes(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the name, the start and the end of each box; bytes after the last complete box are ignored."""
    position = 0
    for _ in range(_MAX_PARTS):
        if position + 8 > len(data):
            return
        size, name = _read_number(">I", data, position), data[position + 4 : position + 8]
        if size == 1:
            size = _read_number(">Q", data, position + 8)
        end = position + size if size else len(data)
        if size in range(1, 8) or end > len(data):
            return
        yield name, position, end
        position = end


def _read_number(format: str, data: bytes, position: int) -> int:
    (value,) = struct.unpack_from(format, data, position)
    return int(value)


_STRIP_FUNCTIONS: dict[str, Callable[[bytes], StrippedFile]] = {
    "JPEG": _strip_jpeg,
    "PNG": _strip_png,
    "WEBP": _strip_webp,
    "GIF": _strip_gif,
    "AVIF": _strip_avif,
}
