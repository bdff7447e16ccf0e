"""The image worker decodes images, removes metadata, applies the rotation, and scales pictures."""

from __future__ import annotations

import errno
import json
import os
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import AvifImagePlugin, GifImagePlugin, Image, ImageSequence

from blogapi.content.media import image_metadata, image_worker, images
from tests.content.media.image_files import (
    ANIMATED,
    FORMATS,
    SECRET,
    SRGB_PROFILE,
    STILL,
    draw,
    encode,
    make_animation,
    make_exif,
    make_image,
    make_photo,
    read,
)

RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture
def run(tmp_path) -> Callable[..., Any]:
    """Runs a job for an image file in this process; returns the result, the file and the scaled files."""

    def run(data: bytes, extension: str, *widths: int) -> tuple[dict[str, Any], bytes, list[bytes]]:
        source, output, scaled = tmp_path / "source", tmp_path / "output", tmp_path / "scaled"
        source.write_bytes(data)
        job = {"source": str(source), "format": FORMATS[extension], "output": str(output)}
        result = image_worker.run_job(job)
        if "error" in result:
            return result, b"", []
        written = []
        for width in widths:
            more = {"source": str(output), "output": str(scaled), "width": width, "target": "WEBP"}
            assert image_worker.run_job(job | more)["width"] == width
            written.append(scaled.read_bytes())
        return result, output.read_bytes(), written

    return run


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, "storage_full"), (errno.EFBIG, "too_large"), (errno.EIO, "damaged")]
)
def test_a_file_that_cannot_be_written_is_reported(monkeypatch, number, error):
    def fail(*_):
        raise OSError(number, "failed")

    monkeypatch.setattr(Path, "write_bytes", fail)
    job = {"source": __file__, "format": "PNG", "output": ""}
    monkeypatch.setattr(Path, "read_bytes", lambda _: make_image("png"))
    assert image_worker.run_job(job) == {"error": error}


@pytest.mark.parametrize(
    ("text", "error"), [("<svg xmlns='http://www.w3.org/2000/svg'/>", None), ("<html/>", "invalid_svg")]
)
def test_an_svg_file_is_a_job(tmp_path, text, error):
    source, output = tmp_path / "a.svg", tmp_path / "output"
    source.write_text(text, encoding="utf-8")
    result = image_worker.run_job({"source": str(source), "format": "SVG", "output": str(output)})
    assert result.get("error") == error
    assert output.exists() is (error is None)


def assert_color(image: Image.Image, position: tuple[int, int], expected: tuple[int, ...]) -> None:
    color = image.convert("RGBA").getpixel(position)
    assert isinstance(color, tuple)
    assert all(abs(one - other) < 40 for one, other in zip(color, expected, strict=False)), color


@pytest.mark.parametrize("extension", FORMATS)
def test_an_image_without_metadata_is_unchanged(run, extension):
    data = make_image(extension)
    assert run(data, extension) == ({"width": 40, "height": 30, "is_still": True}, data, [])


@pytest.mark.parametrize("extension", FORMATS)
def test_metadata_is_removed_and_the_picture_stays(run, extension):
    data = make_photo(extension)
    assert SECRET.encode() in data
    _, stored, _ = run(data, extension)
    image = read(stored)
    for word in (SECRET.encode(), b"Exif", b"EXIF", b"XMP", b"xmpmeta", b"tEXt", b"zTXt", b"eXIf"):
        assert word not in stored
    assert not image.getexif()
    # The header of a WebP file has flags for its metadata.
    assert extension != "webp" or not stored[20] & 0b1100
    assert image.info.get("icc_profile") == (None if extension == "gif" else SRGB_PROFILE)
    assert_color(image, (5, 5), RED)
    # Only AVIF images are encoded again.
    assert extension == "avif" or image.tobytes() == read(data).tobytes()
    # The stored file itself has nothing to remove.
    assert run(stored, extension)[1] == stored


def add_to_frames(data, *chunks):
    """Return the WebP file with further chunks at the end of each frame."""
    body, position = b"", 12
    while position < len(data):
        name, size = struct.unpack_from("<4sI", data, position)
        content = data[position + 8 : position + 8 + size + size % 2]
        if name == b"ANMF":
            content += b"".join(struct.pack("<4sI", *(chunk, 4)) + SECRET.encode()[:4] for chunk in chunks)
        body += struct.pack("<4sI", name, len(content)) + content
        position += 8 + size + size % 2
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def test_metadata_in_the_frames_of_a_webp_animation_is_removed(run):
    data = make_animation("webp")
    hostile = add_to_frames(data, b"EXIF", b"XMP ", b"ANMF", b"HIDE")
    assert hostile.count(b"EXIF") == 3
    assert run(hostile, "webp")[1] == data


@pytest.mark.parametrize("extension", STILL)
def test_the_rotation_is_applied(run, extension):
    result, stored, (scaled,) = run(make_photo(extension, orientation=6), extension, 20)
    assert result == {"width": 30, "height": 40, "is_still": True}
    assert read(scaled).size == (20, 27)
    for image in (read(stored), read(scaled)):
        assert not image.getexif()
        assert image.info["icc_profile"] == SRGB_PROFILE
        # A quarter turn to the right moves the upper left corner to the upper right one.
        assert_color(image, (image.width - 4, 4), RED)
        assert_color(image, (4, 4), BLUE)


@pytest.mark.parametrize(
    ("orientation", "corner"),
    [(2, (36, 4)), (3, (36, 26)), (4, (4, 26)), (5, (4, 4)), (7, (26, 36)), (8, (4, 36))],
)
def test_each_orientation_is_applied(run, orientation, corner):
    image = read(run(make_photo("png", orientation=orientation), "png")[1])
    assert image.size == ((40, 30) if orientation < 5 else (30, 40))
    assert_color(image, corner, RED)


def test_the_further_images_of_a_photo_are_removed(run):
    buffer = BytesIO()
    more = {"save_all": True, "append_images": [draw(mode="L")], "exif": make_exif(6)}
    draw().save(buffer, "MPO", quality=95, **more)
    result, stored, _ = run(buffer.getvalue(), "jpg")
    assert (result["width"], read(stored).format, b"MPF" in stored) == (30, "JPEG", False)
    assert_color(read(stored), (26, 4), RED)


def test_bytes_between_the_segments_of_a_jpeg_are_removed(run):
    data = make_image("jpg")
    assert run(data[:2] + b"junk\0\xff\0\xff" + data[2:], "jpg")[1] == data


def test_an_invalid_orientation_is_ignored(run):
    result, stored, _ = run(make_photo("jpg", orientation=77), "jpg")
    assert (result["width"], read(stored).size) == (40, (40, 30))


@pytest.mark.parametrize("extension", ANIMATED)
def test_an_animated_image_stays_animated(run, extension):
    data = make_animation(extension)
    result, stored, _ = run(data, extension)
    assert (stored, result["is_still"]) == (data, False)
    image, durations = read(stored), []
    for index in range(3):
        image.seek(index)
        image.load()
        durations.append(image.info["duration"])
    assert durations == [40, 40, 40]


@pytest.mark.parametrize("extension", ANIMATED)
def test_the_metadata_of_an_animated_image_is_removed(run, extension):
    more = {"comment": SECRET.encode()} if extension == "gif" else {"exif": b"Exif\0\0" + SECRET.encode()}
    if extension == "avif":
        more = {"xmp": SECRET}
    data = make_animation(extension, loop=0, **more)
    assert SECRET.encode() in data
    _, stored, _ = run(data, extension)
    assert SECRET.encode() not in stored
    frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(read(stored))]
    assert len(frames) == 3
    assert_color(frames[2], (5, 5), (160, 0, 255))


@pytest.mark.parametrize("extension", FORMATS)
def test_bytes_after_the_image_are_removed(run, extension):
    data = make_image(extension)
    _, stored, _ = run(data + b"<script>alert(1)</script>PK\x05\x06" + bytes(18), extension)
    assert b"script" not in stored
    assert extension == "avif" or stored == data
    assert read(stored).size == (40, 30)


def test_a_jpeg_has_the_right_sizes(run):
    # The decoder itself makes a smaller image of a large JPEG.
    result, stored, (scaled,) = run(make_image("jpg", 403, 301), "jpg", 40)
    assert result == {"width": 403, "height": 301, "is_still": True}
    assert (read(stored).size, read(scaled).size) == ((403, 301), (40, 30))
    assert_color(read(scaled), (8, 8), RED)


def make_grey_with_alpha() -> bytes:
    image = Image.new("LA", (40, 30), (200, 255))
    image.paste((0, 0), (0, 0, 20, 15))
    return encode(image, "png")


def make_palette_with_transparency() -> bytes:
    image = draw(mode="P")
    return encode(image, "png", transparency=image.getpixel((0, 0)))


GREY = (128, 128, 128, 255)


@pytest.mark.parametrize(
    ("data", "extension", "corner", "rest"),
    [
        (encode(draw(mode="CMYK"), "jpg"), "jpg", (*RED, 255), (*BLUE, 255)),
        (encode(Image.new("I;16", (40, 30), 32896), "png"), "png", GREY, GREY),
        (encode(Image.new("L", (40, 30), 128), "jpg"), "jpg", GREY, GREY),
        (make_grey_with_alpha(), "png", (0, 0, 0, 0), (200, 200, 200, 255)),
        (make_palette_with_transparency(), "png", (255, 0, 0, 0), (*BLUE, 255)),
        (encode(draw(mode="P"), "gif"), "gif", (*RED, 255), (*BLUE, 255)),
        (encode(Image.new("1", (40, 30), 1), "png"), "png", *[(255, 255, 255, 255)] * 2),
        (encode(Image.new("RGBA", (40, 30), (9, 200, 9, 128)), "webp"), "webp", *[(9, 200, 9, 128)] * 2),
    ],
    ids=["cmyk", "grey16", "grey", "grey-alpha", "palette-alpha", "gif", "bilevel", "rgba"],
)
def test_scaled_pictures_show_the_colors_of_each_mode(run, data, extension, corner, rest):
    _, _, (scaled,) = run(data, extension, 20)
    image = read(scaled).convert("RGBA")
    for position, expected in (((3, 3), corner), ((16, 12), rest)):
        color = image.getpixel(position)
        # Where nothing is seen, the colour does not matter.
        expected = (*color[:3], 0) if expected[3] == 0 else expected
        # A CMYK image has no pure colours.
        assert all(abs(one - other) < 60 for one, other in zip(color, expected, strict=True)), color


def test_the_profile_of_a_scaled_picture_is_kept(run):
    _, _, (scaled,) = run(make_image("jpg", icc_profile=SRGB_PROFILE), "jpg", 20)
    assert read(scaled).info["icc_profile"] == SRGB_PROFILE


def test_a_profile_that_does_not_fit_is_dropped(run):
    profile = SRGB_PROFILE[:16] + b"CMYK" + SRGB_PROFILE[20:]
    data = encode(draw(mode="CMYK"), "jpg", icc_profile=profile)
    _, stored, (scaled,) = run(data, "jpg", 20)
    assert stored == data
    assert "icc_profile" not in read(scaled).info
    assert_color(read(scaled), (3, 3), RED)


@pytest.mark.parametrize(
    ("limit", "value", "data"),
    [
        ("MAX_FRAME_PIXELS", 1199, make_image("png")),
        ("MAX_SIDE_PIXELS", 39, make_image("png")),
        ("MAX_FRAMES", 2, make_animation("gif")),
        ("MAX_TOTAL_PIXELS", 16 * 12 * 3 - 1, make_animation("webp")),
    ],
)
def test_an_image_beyond_the_limits_is_refused(run, monkeypatch, limit, value, data):
    extension = "gif" if data[:3] == b"GIF" else "png" if data[1:4] == b"PNG" else "webp"
    monkeypatch.setattr(image_worker, limit, getattr(image_worker, limit))
    assert "error" not in run(data, extension)[0]
    monkeypatch.setattr(image_worker, limit, value)
    assert run(data, extension)[0] == {"error": "too_large"}
    monkeypatch.setattr(image_worker, limit, value + 1)
    assert "error" not in run(data, extension)[0]


@pytest.mark.parametrize("extension", FORMATS)
def test_a_truncated_image_is_damaged(run, extension):
    for data in (
        make_image(extension),
        make_photo(extension),
        make_animation(extension) if extension != "jpg" else b"",
    ):
        for length in {len(data) - 1, len(data) // 2, 20, 12, 3} - {-1, 0}:
            if data:
                assert run(data[:length], extension)[0] == {"error": "damaged"}, length


def test_a_file_of_many_parts_is_refused(run, monkeypatch):
    monkeypatch.setattr(image_metadata, "_MAX_PARTS", 1)
    for extension in ("jpg", "png", "gif"):
        assert run(make_image(extension), extension)[0] == {"error": "damaged"}


WORKER = [sys.executable, "-P", images._WORKER_FILE, str(2**20)]


def test_the_worker_runs_a_job_of_its_input(tmp_path):
    (tmp_path / "source").write_bytes(make_image("png"))
    paths = {"source": str(tmp_path / "source"), "output": str(tmp_path / "output")}
    for more, result, size in (
        ({}, {"width": 40, "height": 30, "is_still": True}, (40, 30)),
        ({"width": 20, "target": "WEBP"}, {"width": 20, "height": 15}, (20, 15)),
    ):
        job = json.dumps({"format": "PNG", **paths, **more})
        worker = subprocess.run(WORKER, input=job, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        assert json.loads(worker.stdout) == result
        assert read((tmp_path / "output").read_bytes()).size == size


def test_the_worker_imports_nothing_of_the_service():
    source = Path(image_metadata.__file__).read_text("utf-8")
    assert "import blogapi" not in source and "from blogapi" not in source


def test_the_worker_limits_itself(monkeypatch):
    limits, niceness = {}, []
    names = {name: name for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_CORE")}
    monkeypatch.setattr(os, "nice", niceness.append, raising=False)
    monkeypatch.setitem(sys.modules, "resource", SimpleNamespace(**names, setrlimit=limits.__setitem__))
    image_worker._limit_resources(77)
    assert {name: soft for name, (soft, _) in limits.items()} == {
        **{"RLIMIT_AS": 2**30, "RLIMIT_CPU": 20, "RLIMIT_FSIZE": 77, "RLIMIT_CORE": 0}
    }
    # Windows has neither the limits nor the priority.
    monkeypatch.delattr(os, "nice")
    monkeypatch.setitem(sys.modules, "resource", None)
    image_worker._limit_resources(78)
    assert (limits["RLIMIT_FSIZE"], niceness) == ((77, 77), [10])


def test_a_bomb_is_refused_before_its_data_is_read(run, monkeypatch):
    for module, name in (
        (Image, "MAX_IMAGE_PIXELS"),
        (AvifImagePlugin, "DEFAULT_MAX_THREADS"),
        (GifImagePlugin, "LOADING_STRATEGY"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(image_worker, "MAX_FRAME_PIXELS", 1199)
    with warnings.catch_warnings():
        image_worker.configure_pillow()
        assert Image.MAX_IMAGE_PIXELS == 1199
        assert run(make_image("png"), "png")[0] == {"error": "too_large"}


@pytest.mark.parametrize(
    ("format", "options"), [("PNG", {}), ("JPEG", {"quality": 90}), ("WEBP", {}), ("AVIF", {"speed": 10})]
)
@pytest.mark.parametrize("target", ["PNG", "JPEG", "WEBP", "AVIF"])
def test_a_stored_picture_is_scaled_to_a_width(tmp_path, format, options, target):
    source, output = tmp_path / "source", tmp_path / "output"
    Image.new("RGB", (90, 60), "red").save(source, format, **options)
    job = {"source": str(source), "format": format, "output": str(output), "width": 30, "target": target}
    assert image_worker.run_job(job) == {"width": 30, "height": 20}
    with Image.open(output) as scaled:
        assert (scaled.format, scaled.size) == (target, (30, 20))
        red, green, blue = scaled.convert("RGB").getpixel((15, 10))
    assert red > 240 and green < 20 and blue < 20


def test_the_rotation_of_an_avif_picture_is_a_part_of_it(tmp_path):
    source, output = tmp_path / "source", tmp_path / "output"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (90, 60), "red").save(source, "AVIF", exif=exif, speed=10)
    job = {"source": str(source), "format": "AVIF", "output": str(output), "width": 20, "target": "WEBP"}
    assert image_worker.run_job(job) == {"width": 20, "height": 30}


def test_a_picture_that_would_be_too_high_is_not_scaled(tmp_path):
    source, output = tmp_path / "source", tmp_path / "output"
    Image.new("1", (1, 200)).save(source, "PNG")
    job = {"source": str(source), "format": "PNG", "output": str(output), "width": 100, "target": "WEBP"}
    assert image_worker.run_job(job) == {"error": "too_large"}
    assert not output.exists()
