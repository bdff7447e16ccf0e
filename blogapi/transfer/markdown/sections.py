"""Find the section pages of Hugo and Zola (`_index.md`) that make all articles below them private."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown import front_matter, privacy
from blogapi.transfer.markdown.fields import normalize_key
from blogapi.transfer.markdown.privacy import DraftReason
from blogapi.transfer.markdown.text import decode

_SECTION_PAGES = ("_index.md", "_index.markdown", "_index.html")


def find_reasons(entry: folder.Entry) -> list[DraftReason]:
    """Return the reasons for a draft in the section pages of all folders that contain the article.

    Folders above the imported folder are not read. Zola publishes no page of a draft section. Hugo applies
    the fields in `cascade` to all pages below the section page.
    """
    parents = entry.path.parents[: entry.key.count("/")]
    pages = [parent / name for parent in parents for name in _SECTION_PAGES if os.path.lexists(parent / name)]
    return [
        DraftReason(
            f"The section page “{page.name}” in a folder above it is private or unreadable; "
            "the article became a draft."
        )
        for page in pages
        if _is_private(page)
    ]


def _is_private(page: Path) -> bool:
    try:
        entries = front_matter.parse_file(decode(folder.read_bytes(page))[0]).entries
    except RefusedFile:
        # An unreadable page may be private.
        return True
    return any(any(privacy.find_in_front_matter(inherited)) for inherited in _inherited_entries(entries))


def _inherited_entries(entries: dict[str, object]) -> Iterator[dict[str, object]]:
    for key, value in entries.items():
        if normalize_key(key) in ("draft", "isdraft"):
            yield {key: value}
        elif normalize_key(key) == "cascade":
            mappings = value if isinstance(value, list) else [value]
            yield from (mapping for mapping in mappings if isinstance(mapping, dict))
