"""The scripts, style sheets and images of the documentation pages, which are files of the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

STATIC_FOLDER = Path(__file__).parent / "static"

# Scalar shows the API reference (https://github.com/scalar/scalar, MIT license). `scalar.js.gz` is the
# file `dist/browser/standalone.js` of the npm package `@scalar/api-reference`; CONTRIBUTING.md describes how
# to update it. SCALAR_SHA256 is the digest of the uncompressed file.
SCALAR_VERSION = "1.72.1"
SCALAR_SHA256 = "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c"

# `mimetypes` reads the Windows registry. If the registry maps `.js` to text/plain, the page stays blank.
CONTENT_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".toml": "application/toml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".webp": "image/webp",
}
COMPRESSED_SUFFIX = ".gz"

ASSET_NAMES = frozenset(path.name.removesuffix(COMPRESSED_SUFFIX) for path in STATIC_FOLDER.iterdir())


@cache
def read_asset(name: str) -> tuple[bytes, bool]:
    """Return the content of an asset, and whether it is compressed with gzip."""
    compressed = STATIC_FOLDER / f"{name}{COMPRESSED_SUFFIX}"
    if compressed.is_file():
        return compressed.read_bytes(), True
    return (STATIC_FOLDER / name).read_bytes(), False
