"""Puts files into the media folder, without rows in the database."""

from __future__ import annotations

import hashlib

from flask import Flask

from blogapi.content.media import addresses
from blogapi.content.media.folder import get_folder


def put_file(app: Flask, content: bytes, name: str = "cat.webp") -> str:
    """Put a file into the media folder; return its path on the server."""
    digest = hashlib.sha256(content).hexdigest()
    target = get_folder(app).get_path(digest, name.rpartition(".")[2])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return addresses.make_file_path(digest, name)
