"""`python -m tests.content.articles.golden_rendering` writes the renderings of the articles in `golden/`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blogapi.content.articles.models import DERIVED_COLUMNS
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.search.tokenizer import find_words
from blogapi.rendering.renderer import render

FOLDER = Path(__file__).parent / "golden"
EXPECTED = FOLDER / "expected.json"
CONTENT_TYPES = {"article.md": "markdown", "article.html": "html", "article.txt": "text"}


def render_articles() -> dict[str, Any]:
    """Return the number of the renderer, the derived columns, and the renderings by file name."""
    renderings = {
        name: asdict(render((FOLDER / name).read_text(encoding="utf-8"), content_type))
        for name, content_type in CONTENT_TYPES.items()
    }
    words = {name: find_words(rendering["plain_text"]) for name, rendering in renderings.items()}
    found = {
        "number": int(RENDERER_VERSION),
        "columns": sorted(DERIVED_COLUMNS),
        "renderings": renderings,
        "words": words,
    }
    # Tuples become arrays.
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


if __name__ == "__main__":
    text = json.dumps(render_articles(), ensure_ascii=False, indent=1)
    EXPECTED.write_text(f"{text}\n", encoding="utf-8", newline="\n")
