"""The modules, style sheets and icons of the admin pages; all of them are in the package."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"

# The content of the files in `static`, by path. It is read once, because its digest is in the addresses.
# Type declarations are not served, because only the type checker reads them.
FILES = {
    path.relative_to(STATIC).as_posix(): path.read_bytes()
    for path in sorted(STATIC.rglob("*"))
    if path.is_file() and path.suffix != ".ts"
}


def _compute_digest() -> str:
    digest = hashlib.sha256()
    for name, content in FILES.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


# Modules import each other by relative paths, so the address of each file contains one digest of all files.
DIGEST = _compute_digest()


@cache
def compress(name: str) -> bytes:
    """Return the content of a file, compressed with gzip."""
    return gzip.compress(FILES[name], mtime=0)
