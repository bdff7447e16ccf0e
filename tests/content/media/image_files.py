"""Small image files for the tests."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import ExifTags, Image, ImageCms, PngImagePlugin

FORMATS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF"}
STILL = ("jpg", "png", "webp", "avif")
ANIMATED = ("png", "gif", "webp", "avif")
SECRET = "secret"
XMP = f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{SECRET}</x:xmpmeta>".encode()
SRGB_PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def draw(width: int = 40, height: int = 30, mode: str = "RGB") -> Image.Image:
    """Return a picture whose upper left quarter is red and whose rest is blue."""
    image = Image.new("RGB", (width, height), "blue")
    image.paste("red", (0, 0, width // 2, height // 2))
    return image if mode == "RGB" else image.convert(mode)


def encode(image: Image.Image, extension: str, **options: Any) -> bytes:
    """Return the image as a file; lossy formats have a high quality."""
    quality = {} if extension in ("png", "gif") else {"quality": 95}
    buffer = BytesIO()
    image.save(buffer, FORMATS[extension], **(quality | options))
    return buffer.getvalue()


def make_image(extension: str = "png", width: int = 40, height: int = 30, **options: Any) -> bytes:
    """Return an image file without metadata."""
    return encode(draw(width, height), extension, **options)


def make_exif(orientation: int = 1) -> Image.Exif:
    """Return metadata with a place, a name and the orientation."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    exif[ExifTags.Base.Artist] = SECRET
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] = "N"
    return exif


def make_photo(extension: str, *, orientation: int = 1, **options: Any) -> bytes:
    """Return an image with all metadata that the format has, and a colour profile."""
    if extension == "gif":
        return make_image("gif", comment=SECRET.encode())
    more: dict[str, Any] = {"exif": make_exif(orientation), "icc_profile": SRGB_PROFILE}
    if extension == "png":
        more["pnginfo"] = PngImagePlugin.PngInfo()
        more["pnginfo"].add_text("Author", SECRET)
        more["pnginfo"].add_text("Comment", SECRET, zip=True)
    else:
        more["xmp"] = XMP
    if extension == "jpg":
        more["comment"] = SECRET
    return make_image(extension, **(more | options))


def make_animation(extension: str, frames: int = 3, **options: Any) -> bytes:
    """Return an animated image."""
    images = [Image.new("RGB", (16, 12), (80 * number, 0, 255)) for number in range(frames)]
    return encode(images[0], extension, save_all=True, append_images=images[1:], duration=40, **options)


def make_png(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a PNG file with these chunks."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def make_png_header(width: int, height: int) -> tuple[bytes, bytes]:
    """Return the first chunk of a PNG file in eight-bit grey."""
    return b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)


def read(data: bytes) -> Image.Image:
    """Return the decoded image."""
    image = Image.open(BytesIO(data))
    image.load()
    return image
