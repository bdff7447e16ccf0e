"""Pictures as a camera makes them, and entries of the media library with tiny files."""

from __future__ import annotations

import hashlib
import io
import random
import sys
from datetime import UTC, datetime, timedelta

from PIL import Image
from sqlalchemy import func, select

from blogapi import create_app
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media
from blogapi.storage.database import db, transaction

SIZE = (4000, 3000)
ROWS_PER_TRANSACTION = 500
_NAME = "picture-"


def make_photo(seed: int, size: tuple[int, int] | None = None) -> bytes:
    """Return a JPEG, by default of 12 megapixels and about 5 MB, taken with the camera on its side."""
    source = random.Random(seed)
    width, height = size or SIZE
    shapes = Image.frombytes("RGB", (40, 30), source.randbytes(40 * 30 * 3)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    noise = Image.frombytes("L", (width, height), source.randbytes(width * height)).convert("RGB")
    exif = Image.Exif()
    # The orientation, and the model of the camera.
    exif[0x0112], exif[0x0110] = 6, "A camera"
    photo = io.BytesIO()
    Image.blend(shapes, noise, 0.12).save(photo, "JPEG", quality=85, exif=exif)
    return photo.getvalue()


def add_rows(count: int) -> None:
    """Add entries to the library until it has `count`; their files are texts with the right digests."""
    app = create_app()
    started_at = datetime(2025, 1, 1, tzinfo=UTC)
    with app.app_context():
        folder = get_folder()
        is_added = Media.name.startswith(_NAME)
        present = db.session.scalar(select(func.count()).select_from(Media).where(is_added)) or 0
        for first in range(present, count, ROWS_PER_TRANSACTION):
            with transaction():
                numbers = range(first, min(first + ROWS_PER_TRANSACTION, count))
                rows = [_make_row(number, started_at + timedelta(minutes=number)) for number in numbers]
                db.session.add_all(rows)
                db.session.flush()
                for number, row in zip(numbers, rows, strict=True):
                    path = folder.get_path(row.hash, "jpg")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(_make_content(number, "file"))
            db.session.remove()
        db.engine.dispose()


def _make_content(number: int, part: str) -> bytes:
    return f"{number} {part}".encode()


def _make_row(number: int, created: datetime) -> Media:
    content = _make_content(number, "file")
    return Media(
        name=f"{_NAME}{number}.jpg",
        type="image/jpeg",
        size=len(content),
        hash=hashlib.sha256(content).hexdigest(),
        upload_hash=hashlib.sha256(_make_content(number, "upload")).hexdigest(),
        width=3000,
        height=4000,
        is_scalable=True,
        alt="A harbour in the morning, with the boats of the night.",
        created=created,
    )


if __name__ == "__main__":
    add_rows(int(sys.argv[1]))
