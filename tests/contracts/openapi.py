"""The committed OpenAPI document; `python -m tests.contracts.openapi` writes it and the client's types."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blogapi import create_app
from blogapi.docs import document as openapi_document
from blogapi.storage.database import db
from tests.contracts import client_types

FILE = Path(__file__).with_name("openapi.json")


def serialize(document: dict[str, Any]) -> str:
    """Return the document as text, with sorted keys."""
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def make_diff(document: dict[str, Any]) -> str:
    """Return a unified diff from the committed document."""
    old, new = FILE.read_text(encoding="utf-8"), serialize(document)
    return "\n".join(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "committed", "generated", lineterm="")
    )


def write_document() -> None:
    """Write the document of the application with default settings."""
    with TemporaryDirectory() as folder:
        os.environ["BLOGAPI_INSTANCE_PATH"] = folder
        app = create_app({"SECRET_KEY": "x" * 32})
        with app.app_context():
            db.engine.dispose()
        document = openapi_document.get_document(app)
        FILE.write_text(serialize(document), encoding="utf-8", newline="\n")
        client_types.write_types(document)


if __name__ == "__main__":
    write_document()
