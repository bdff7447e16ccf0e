"""The committed document of the API; `python -m tests.contracts.openapi` writes it again."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blogapi import create_app
from blogapi.docs import document
from blogapi.storage.database import db

FILE = Path(__file__).with_name("openapi.json")


def as_text(described: dict[str, Any]) -> str:
    """Return the document as it is committed: sorted, so that equal documents are equal texts."""
    return json.dumps(described, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def difference(described: dict[str, Any]) -> str:
    """Return the lines in which the document differs from the committed one, as a unified diff."""
    old, new = FILE.read_text(encoding="utf-8"), as_text(described)
    return "\n".join(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "committed", "generated", lineterm="")
    )


def write() -> None:
    """Write the document of the application with its default settings."""
    with TemporaryDirectory() as folder:
        os.environ["BLOGAPI_INSTANCE_PATH"] = folder
        app = create_app({"SECRET_KEY": "x" * 32})
        with app.app_context():
            db.engine.dispose()
        FILE.write_text(as_text(document.get_document(app)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
