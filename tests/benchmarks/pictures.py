"""Pictures as a camera makes them, and rows of the media library without files."""

from __future__ import annotations

import hashlib
import io
import random
import sys
from datetime import UTC, datetime, timedelta

from PIL import Image

from blogapi import create_app
from blogapi.media.folder import get_folder
from blogapi.media.models import Media, MediaRendition
from blogapi.storage.database import db, transaction
from blogapi.web.stored_json import store_json

SIZE = (4000, 3000)
ROWS_PER_TRANSACTION = 500
_RENDITION_WIDTHS = (400, 800, 1600)


def make_photo(seed: int) -> bytes:
    """Return a JPEG of 12 megapixels and about 5 MB, taken with the camera on its side."""
    source = random.Random(seed)
    width, height = SIZE
    shapes = Image.frombytes("RGB", (40, 30), source.randbytes(40 * 30 * 3)).resize(
        SIZE, Image.Resampling.BICUBIC
    )
    noise = Image.frombytes("L", SIZE, source.randbytes(width * height)).convert("RGB")
    exif = Image.Exif()
    # The orientation, and the model of the camera.
    exif[0x0112], exif[0x0110] = 6, "A camera"
    photo = io.BytesIO()
    Image.blend(shapes, noise, 0.12).save(photo, "JPEG", quality=85, exif=exif)
    return photo.getvalue()


def add_rows(count: int) -> None:
    """Add entries to the library whose files do not exist, but for one: `serve` refuses an empty folder."""
    app = create_app()
    started_at = datetime(2025, 1, 1, tzinfo=UTC)
    with app.app_context():
        folder = get_folder().root
        folder.mkdir(exist_ok=True)
        (folder / "README.txt").write_text("The files of a benchmark do not exist.", encoding="utf-8")
        for first in range(0, count, ROWS_PER_TRANSACTION):
            with transaction():
                numbers = range(first, min(first + ROWS_PER_TRANSACTION, count))
                rows = [_make_row(number, started_at + timedelta(minutes=number)) for number in numbers]
                db.session.add_all(rows)
                db.session.flush()
                store_json(db.session(), *rows)
            db.session.remove()
        db.engine.dispose()


def _make_row(number: int, created: datetime) -> Media:
    def digest(part: str) -> str:
        return hashlib.sha256(f"{number} {part}".encode()).hexdigest()

    return Media(
        name=f"picture-{number}.jpg",
        type="image/jpeg",
        size=5_000_000,
        hash=digest("file"),
        upload_hash=digest("upload"),
        width=3000,
        height=4000,
        alt="A harbour in the morning, with the boats of the night.",
        created=created,
        renditions=[
            MediaRendition(width=width, height=width * 4 // 3, size=width * 100, hash=digest(str(width)))
            for width in _RENDITION_WIDTHS
        ],
    )


if __name__ == "__main__":
    add_rows(int(sys.argv[1]))
