"""What the section pages of Hugo and Zola (`_index.md`) say about all articles below them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown import front_matter, privacy
from blogapi.transfer.markdown.fields import fold
from blogapi.transfer.markdown.privacy import Reason
from blogapi.transfer.markdown.text import decode

_PAGES = ("_index.md", "_index.markdown", "_index.html")


def reasons(entry: folder.Entry) -> list[Reason]:
    """Return what keeps an article private in the sections above it, up to the imported folder.

    Zola leaves out all pages of a section that is a draft; Hugo's `cascade` gives its fields to all below.
    """
    parents = entry.path.parents[: entry.key.count("/")]
    pages = [parent / name for parent in parents for name in _PAGES if folder.exists(parent / name)]
    return [
        Reason(f"The section page “{page.name}” of its folders makes it a draft.")
        for page in pages
        if _is_private(page)
    ]


def _is_private(page: Path) -> bool:
    try:
        entries = front_matter.split(decode(folder.read_bytes(page))[0]).entries
    except RefusedFile:
        # What cannot be read may keep it private.
        return True
    return any(any(privacy.in_front_matter(inherited)) for inherited in _inherited(entries))


def _inherited(entries: dict[str, object]) -> Iterator[dict[str, object]]:
    for key, value in entries.items():
        if fold(key) in ("draft", "isdraft"):
            yield {key: value}
        elif fold(key) == "cascade":
            parts = value if isinstance(value, list) else [value]
            yield from (part for part in parts if isinstance(part, dict))
