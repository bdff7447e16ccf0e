"""A hash of all code that the stored JSON of articles depends on."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).parent.parent

# Packages and modules that determine the stored JSON; a test compares them with the imports of `json_writer`.
SOURCES = (
    "articles",
    "authors",
    "categories",
    "content",
    "media/__init__.py",
    "media/addresses.py",
    "media/html_pictures.py",
    "media/models.py",
    "media/references.py",
    "media/schemas.py",
    "media/types.py",
    "media/uses.py",
    "search",
    "site",
    "tags",
    "taxonomies",
    "web/fields.py",
    "web/json.py",
    "web/json_fragments.py",
    "web/media_addresses.py",
)
LIBRARIES = ("comrak-ext", "marshmallow", "nh3", "python-slugify", "text-unidecode", "tzdata")


@cache
def compute_fingerprint() -> str:
    """Return 16 hexadecimal digits that change if the code or one of its libraries changes.

    If the stored fingerprint differs at start, all articles are rendered again.
    """
    digest = hashlib.sha256(" ".join(f"{name}={version(name)}" for name in LIBRARIES).encode())
    for source in SOURCES:
        path = _ROOT / source
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            # A checkout on Windows may have CRLF line endings.
            digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]
