"""The image worker: a program that decodes images, cleans SVG images, removes metadata, and scales pictures.

The worker runs in a process of its own, so that a hostile image cannot harm the server. It imports only the
standard library and Pillow. The module `images` starts one worker for each job. The worker reads the job as
JSON from its standard input, and writes the result as JSON to its standard output.

A job has `source`, `format` (Pillow's name or `SVG`) and `output`. A job with `width` and `target` (the
format of the output) scales a picture that was processed before. A result has `width`, `height`, `is_still`
(not for a scaled picture) and `note` (for a drawing), or `error`: `damaged`, `too_large`, `storage_full`,
`failed`, or `invalid_svg` with a `detail`.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import warnings
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import AvifImagePlugin, GifImagePlugin, Image, JpegImagePlugin

if __name__ == "__main__":
    # The folder of this file is the last in `sys.path`, because it contains modules with the names of
    # standard modules.
    sys.path.append(str(Path(__file__).parent))
    import image_metadata  # type: ignore[import-not-found, unused-ignore]
    import process_limits  # type: ignore[import-not-found, unused-ignore]
    import svg  # type: ignore[import-not-found, unused-ignore]
else:
    from blogapi.content.media import image_metadata, process_limits, svg

MAX_FRAME_PIXELS = 50_000_000
MAX_SIDE_PIXELS = 30_000
MAX_FRAMES = 2000
# The maximum number of pixels of all frames together.
MAX_TOTAL_PIXELS = 300_000_000
# The maximum width and height in the WebP format.
_MAX_WEBP_SIDE = 16_383

_MAX_MEMORY_BYTES = 1024**3
_MAX_CPU_SECONDS = 20
_NICENESS = 10

# Not every system defines both error codes.
_DISK_FULL_ERRORS = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 92},
    "PNG": {},
    "WEBP": {"quality": 92},
    "AVIF": {"quality": 85, "speed": 8, "max_threads": 1},
}
_SCALE_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 82, "progressive": True},
    "PNG": {},
    "WEBP": {"quality": 80, "method": 2},
    "AVIF": {"quality": 60},
}
_ENCODER_INFO = ("icc_profile", "subsampling")
_KEPT_INFO = (*_ENCODER_INFO, "transparency", "duration", "loop")
_TRANSPOSITIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class TooLarge(ValueError):
    """The image has more pixels or frames than the limits allow, or the scaled picture is too high."""


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Process one image and return the result; every exception is returned as an `error`."""
    try:
        if "target" in job:
            return _scale_picture(job)
        return _clean_svg(job) if job["format"] == "SVG" else _process_image(job)
    except svg.InvalidSvg as error:
        return {"error": "invalid_svg", "detail": str(error)}
    except (TooLarge, Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError):
        return {"error": "too_large"}
    except OSError as error:
        # EFBIG: the output is larger than the limit that `_limit_resources` sets.
        if error.errno == errno.EFBIG:
            return {"error": "too_large"}
        return {"error": "storage_full" if error.errno in _DISK_FULL_ERRORS else "damaged"}
    # The decoders raise many kinds of exceptions for damaged images.
    except Exception:
        return {"error": "damaged"}


def _clean_svg(job: dict[str, Any]) -> dict[str, Any]:
    drawing = svg.clean_svg(Path(job["source"]).read_bytes())
    Path(job["output"]).write_bytes(drawing.data)
    return {"width": drawing.width, "height": drawing.height, "is_still": False, "note": drawing.note}


def _process_image(job: dict[str, Any]) -> dict[str, Any]:
    data, format = Path(job["source"]).read_bytes(), job["format"]
    content = image_metadata.strip_metadata(data, format)
    image = _open_image(content.data, format, content.frames)
    frames = max(content.frames, getattr(image, "n_frames", 1)) if format != "GIF" else content.frames
    if frames > 1:
        for index in range(frames):
            image.seek(index)
            image.load()
        cleaned = content.data if content.is_stripped else _encode_image(image, format, save_all=True)
        Path(job["output"]).write_bytes(cleaned)
        return {"width": image.width, "height": image.height, "is_still": False}
    has_metadata = content.data != data or not content.is_stripped
    orientation = _get_orientation(data, image, has_metadata)
    rotation = _TRANSPOSITIONS.get(orientation)
    encodes = not content.is_stripped or (rotation is not None and has_metadata)
    width, height = image.size
    if format == "JPEG" and not encodes:
        # The decoder scales the image down while it decodes, which takes less time and memory.
        image.draft(None, (1, 1))
    image.load()
    if encodes and rotation is not None:
        image = _transpose_image(image, rotation)
    Path(job["output"]).write_bytes(_encode_image(image, format) if encodes else content.data)
    width, height = (height, width) if orientation >= 5 else (width, height)
    return {"width": width, "height": height, "is_still": True}


def _scale_picture(job: dict[str, Any]) -> dict[str, Any]:
    data, target, width = Path(job["source"]).read_bytes(), job["target"], job["width"]
    image = _open_image(data, job["format"], 1)
    # A stored image is upright, except that an AVIF image contains its rotation as a property.
    orientation = _get_orientation(data, image, has_metadata=False)
    full_width, full_height = image.size[::-1] if orientation >= 5 else image.size
    height = max(1, round(full_height * width / full_width))
    if height > _MAX_WEBP_SIDE:
        raise TooLarge("the scaled picture is too high")
    if job["format"] == "JPEG":
        image.draft(None, (width, height))
    image.load()
    if orientation in _TRANSPOSITIONS:
        image = _transpose_image(image, _TRANSPOSITIONS[orientation])
    image = _convert_mode(image).resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    Path(job["output"]).write_bytes(_encode_image(_convert_colors(image), target, **_SCALE_OPTIONS[target]))
    return {"width": width, "height": height}


def _open_image(data: bytes, format: str, frames: int) -> Any:
    image: Any = Image.open(BytesIO(data), formats=[format])
    if format != "GIF":
        frames = max(frames, getattr(image, "n_frames", 1))
    pixels = image.width * image.height
    if pixels > MAX_FRAME_PIXELS or max(image.size) > MAX_SIDE_PIXELS:
        raise TooLarge("the image has too many pixels")
    if frames > MAX_FRAMES or frames * pixels > MAX_TOTAL_PIXELS:
        raise TooLarge("the image has too many frames")
    return image


def _get_orientation(data: bytes, image: Any, has_metadata: bool) -> int:
    """Return the EXIF orientation (1 to 8); Pillow also reports the rotation of an AVIF image in EXIF."""
    if image.format == "GIF" or (image.format != "AVIF" and not has_metadata):
        return 1
    # Damaged metadata is treated as metadata without an orientation.
    with suppress(Exception):
        source = image if image.format == "AVIF" else Image.open(BytesIO(data), formats=[image.format])
        orientation = source.getexif().get(0x0112, 1)
        return orientation if orientation in _TRANSPOSITIONS else 1
    return 1


def _transpose_image(image: Any, rotation: Image.Transpose) -> Any:
    # Pillow does not mark the transposed image as JPEG, and would lose the chroma subsampling.
    sampling = JpegImagePlugin.get_sampling(image) if image.format == "JPEG" else None
    rotated = image.transpose(rotation)
    if sampling is not None and sampling >= 0:
        rotated.info["subsampling"] = sampling
    return rotated


def _encode_image(image: Any, format: str, **options: Any) -> bytes:
    """Return the image as a file without metadata, with its colour profile and its chroma subsampling."""
    image.info = {name: image.info[name] for name in _KEPT_INFO if name in image.info}
    # Not every encoder reads these values from `image.info`.
    options |= {name: image.info[name] for name in _ENCODER_INFO if name in image.info}
    # The image is encoded in memory, because Pillow reports no reason if it cannot write to a file.
    encoded = BytesIO()
    image.save(encoded, format, **(_SAVE_OPTIONS[format] | options))
    return encoded.getvalue()


def _convert_mode(image: Any) -> Any:
    """Return the image in a mode that can be resized without artefacts."""
    if image.mode.startswith("I"):
        return image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image if image.mode in ("RGB", "L", "CMYK") else image.convert("RGB")


def _convert_colors(image: Any) -> Any:
    """Return the image as RGB with its colour profile, or in sRGB if the profile is not for RGB."""
    profile = image.info.get("icc_profile") or b""
    if image.mode in ("RGB", "RGBA") and profile[16:20] in (b"RGB ", b""):
        return image
    if image.mode in ("L", "CMYK") and profile[16:20] in (b"GRAY", b"CMYK"):
        # An invalid profile is ignored, as browsers do.
        with suppress(Exception):
            image = _convert_to_srgb(image, profile)
    alpha = image.mode == "RGBA"
    image = image.convert("RGBA" if alpha else "RGB")
    image.info.pop("icc_profile", None)
    return image


def _convert_to_srgb(image: Any, profile: bytes) -> Any:
    from PIL import ImageCms

    source = ImageCms.ImageCmsProfile(BytesIO(profile))
    return ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")


def configure_pillow() -> None:
    """Set Pillow's limits for pixels and threads; an image with too many pixels raises an error."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    Image.MAX_IMAGE_PIXELS = MAX_FRAME_PIXELS
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    GifImagePlugin.LOADING_STRATEGY = GifImagePlugin.LoadingStrategy.RGB_AFTER_DIFFERENT_PALETTE_ONLY


def _limit_resources(max_file_bytes: int) -> None:
    # A low priority prevents the worker from slowing down requests.
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    process_limits.limit_process(
        memory_bytes=_MAX_MEMORY_BYTES, cpu_seconds=_MAX_CPU_SECONDS, file_bytes=max_file_bytes
    )


def main() -> None:
    """Run the job that is read from the standard input, and write its result to the standard output."""
    configure_pillow()
    _limit_resources(int(sys.argv[1]))
    json.dump(run_job(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
