"""Pictures for the media library."""

from __future__ import annotations

import io

from PIL import Image


def make_picture(colour: str, kind: str = "PNG", size: tuple[int, int] = (40, 30)) -> bytes:
    """Return a picture of one colour."""
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, kind)
    return content.getvalue()
