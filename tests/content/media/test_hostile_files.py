"""Hostile files are refused with a clear error, or stored without what is hostile; nothing else is left."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from blogapi.content.media import folder as folders
from blogapi.content.media import service
from blogapi.content.media.models import Media
from blogapi.storage.database import db
from blogapi.web.errors import Invalid
from tests.content.media.image_files import (
    SECRET,
    make_animation,
    make_image,
    make_photo,
    make_png,
    make_png_header,
    read,
)

pytestmark = [pytest.mark.slow, pytest.mark.once, pytest.mark.usefixtures("image_processes")]

SCRIPT = b"<script>alert(document.cookie)</script>"
COMPRESSED_ZEROS = zlib.compress(bytes(2**24), 9)


def make_zip() -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.writestr("Main.class", "code")
    return buffer.getvalue()


def make_bomb(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """Return a PNG file whose header promises more pixels than its data has."""
    body = zlib.compress(bytes(1000))
    return make_png(make_png_header(width, height), *chunks, (b"IDAT", body), (b"IEND", b""))


def insert_into_png(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return an image with these chunks after its header."""
    data = make_image("png")
    return data[:33] + make_png(*chunks)[8:] + data[33:]


def insert_into_jpeg(marker: int, payload: bytes) -> bytes:
    data = make_image("jpg")
    return data[:2] + bytes([0xFF, marker]) + struct.pack(">H", 2 + len(payload)) + payload + data[2:]


def make_gif_of(frames: int, width: int = 1, height: int = 1) -> bytes:
    """Return an animation; each frame has one pixel."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0"
    header = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return header + frame * frames + b";"


def patch(data: bytes, position: int, new: bytes) -> bytes:
    return data[:position] + new + data[position + len(new) :]


def resize_jpeg(width: int, height: int) -> bytes:
    """Return a JPEG file whose header promises other sizes."""
    data = make_image("jpg")
    return patch(data, data.index(b"\xff\xc0") + 5, struct.pack(">HH", height, width))


def make_webp_canvas(width: int, height: int) -> bytes:
    data = make_animation("webp")
    return patch(data, 24, (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


def resize_avif(width: int, height: int) -> bytes:
    data = make_image("avif")
    return patch(data, data.index(b"ispe") + 8, struct.pack(">II", width, height))


LONG_MARKERS = b"\xff\xd8" + b"\xff\xe1\x00\x02" * 300_000 + b"\xff\xd9"

REFUSED = {
    "png bomb": make_bomb(50_000, 50_000),
    "png bomb of few pixels": make_bomb(7000, 7000),
    "png of no width": make_bomb(0, 10),
    "png long and thin": make_bomb(1_000_000, 1),
    "png with a wrong checksum": patch(make_image("png"), 29, b"oops"),
    "png of 2,000,000,000 frames": insert_into_png((b"acTL", struct.pack(">II", 2_000_000_000, 0))),
    "png with a profile of 16 MB": insert_into_png((b"iCCP", b"a\0\0" + COMPRESSED_ZEROS)),
    "png with a chunk of 4 GB": make_image("png")[:33] + b"\xff\xff\xff\xffIDAT",
    "png signature only": b"\x89PNG\r\n\x1a\n",
    "gif of 10,000 frames": make_gif_of(10_000),
    "gif of few large frames": make_gif_of(20, 7000, 7000),
    "gif of 65535 by 65535": make_gif_of(1, 65_535, 65_535),
    "gif without a trailer": make_image("gif")[:-1],
    "gif with blocks without end": make_image("gif")[:30] + b"\xff" * 5000,
    "jpeg of 65535 by 65535": resize_jpeg(65_535, 65_535),
    "jpeg of no height": resize_jpeg(40, 0),
    "jpeg truncated": make_image("jpg")[:-20],
    "jpeg of empty segments": LONG_MARKERS,
    "jpeg of fill bytes": b"\xff\xd8" + b"\xff" * 2_000_000,
    "jpeg that ends in a segment": make_image("jpg")[:2] + b"\xff\xe1\xff\xff",
    "jpeg magic with html": b"\xff\xd8\xff" + b"<html>" + SCRIPT,
    "png magic with zip": b"\x89PNG\r\n\x1a\n" + make_zip(),
    "webp truncated": make_image("webp")[:-20],
    "webp of 16,000,000 pixels a side": make_webp_canvas(16_000_000, 16_000_000),
    "webp of 268,000,000 pixels": make_webp_canvas(16_383, 16_383),
    "webp with a size of 4 GB": patch(make_image("webp"), 4, b"\xff\xff\xff\xff"),
    "webp signature only": b"RIFF\x04\0\0\0WEBP",
    "avif truncated": make_image("avif")[:-20],
    "avif of 65535 by 65535": resize_avif(65_535, 65_535),
    "avif signature only": b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf",
    "svg without its end": b"<svg xmlns='http://www.w3.org/2000/svg'>" + SCRIPT,
    "svg after a comment": b"<!-- a -->\n<svg onload='alert(1)'/>",
    "html named as an image": b"<!DOCTYPE html>" + SCRIPT,
    "html after spaces": b" \n\t<HTML>" + SCRIPT,
    "xml": b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "javascript": b"alert(1)",
    "zip": make_zip(),
    "php": b"<?php system($_GET['c']);",
    "bmp": b"BM" + bytes(100),
    "tiff": b"II*\0" + bytes(100),
    "video": b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41",
    "empty": b"",
}

# Files that are accepted without the words; each has a picture that can be decoded.
CLEANED = {
    "jpeg with html": (make_image("jpg") + SCRIPT, [b"script"]),
    "jpeg with html in a comment": (insert_into_jpeg(0xFE, SCRIPT), [b"script"]),
    "jpeg with php in its metadata": (insert_into_jpeg(0xE1, b"Exif\0\0<?php system('id');"), [b"php"]),
    "jpeg with a preview": (insert_into_jpeg(0xE0, b"JFXX\0\x10" + SECRET.encode()), [SECRET.encode()]),
    "gifar": (make_image("gif") + make_zip(), [b"PK", b"Main.class"]),
    "png with zip": (make_image("png") + make_zip(), [b"PK\x03\x04"]),
    "webp with html": (make_image("webp") + SCRIPT, [b"script"]),
    "avif with html": (make_image("avif") + SCRIPT, [b"script"]),
    "avif with html in a box": (make_image("avif") + b"\0\0\0\x30free" + SCRIPT + b" ", [b"script"]),
    "text bomb": (insert_into_png((b"zTXt", b"a\0\0" + COMPRESSED_ZEROS)), [b"zTXt"]),
    "place of a photo": (make_photo("jpg"), [b"Exif", b"GPS", SECRET.encode()]),
    "metadata that is damaged": (insert_into_jpeg(0xE1, b"Exif\0\0MM\0*\xff\xff\xff\xff"), [b"Exif"]),
}


@pytest.fixture
def upload(app, tmp_path) -> Iterator[Callable[[bytes], bytes]]:
    """Stores a file that is called a JPEG; returns the stored bytes."""

    def upload(data: bytes) -> bytes:
        (tmp_path / "source").write_bytes(data)
        with service.prepare_file(tmp_path / "source", "picture.jpg") as prepared:
            media, _ = service.store_file(prepared)
        extension = media.name.partition(".")[2]
        return folders.get_folder().get_path(media.hash, extension).read_bytes()

    with app.app_context():
        yield upload


def list_files() -> list[Path]:
    return [path for path in folders.get_folder().root.rglob("*") if path.is_file()]


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_a_hostile_file_is_refused(upload, data):
    with pytest.raises(Invalid) as raised:
        upload(data)
    assert raised.value.errors == {"file": [raised.value.detail]}
    assert raised.value.detail.count(".") >= 2, "the error says what to do"
    assert (list_files(), db.session.query(Media).count()) == ([], 0)


@pytest.mark.parametrize(("data", "words"), CLEANED.values(), ids=CLEANED)
def test_what_is_hostile_is_removed(upload, data, words):
    stored = upload(data)
    assert read(stored).size == (40, 30)
    for word in words:
        assert word in data or word == b"GPS"
        assert word not in stored
    assert len(list_files()) == 1
