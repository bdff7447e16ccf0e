"""Recognise the folders of note programs, in which a note is private unless a field makes it public."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.privacy_signs import VAULT_PUBLISHING_FIELDS
from blogapi.importing.formats.markdown.generators import list_configuration
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import to_bool

_MAX_LEVELS = 12


def find_reasons(entries: Mapping[str, object]) -> list[DraftReason]:
    """Return the reason for a draft if no field of a note says that it is public."""
    values = {normalize_key(key): to_bool(value) for key, value in entries.items()}
    if values.get("draft") is False or any(values.get(name) for name in VAULT_PUBLISHING_FIELDS):
        return []
    note = (
        "It is a note of Obsidian or Logseq without `publish: true`; the article became a draft "
        "(--publish-undated publishes it)."
    )
    return [DraftReason(note)]


# A folder is checked only once, and not again for each of its files.
@lru_cache(maxsize=1024)
def is_in_vault(folder: Path, levels: int) -> bool:
    """Return whether a folder is in a vault of Obsidian or Logseq that no generator (Quartz, …) publishes.

    The configuration of a generator is looked for in `levels` folders; folders above belong to others.
    """
    folders = (folder, *folder.parents[:_MAX_LEVELS])
    number = next((number for number, outer in enumerate(folders) if _is_vault(outer)), None)
    return number is not None and not any(map(list_configuration, folders[number:levels]))


def _is_vault(folder: Path) -> bool:
    return (folder / ".obsidian").is_dir() or (folder / "logseq" / "config.edn").is_file()
