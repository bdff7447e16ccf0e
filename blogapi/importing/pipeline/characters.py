"""Remove the characters that no text of the blog contains from what a source has read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from blogapi.importing.article_record import ArticleRecord
from blogapi.importing.markdown.text import describe_removed_characters
from blogapi.rendering.characters import FORBIDDEN


def clean_record(record: ArticleRecord) -> ArticleRecord:
    """Return the record without forbidden characters, and with a note if it had some."""
    removed: list[str] = []
    cleaned: ArticleRecord = clean(record, removed)
    if not removed:
        return record
    return replace(cleaned, notes=(*cleaned.notes, describe_removed_characters(len(removed))))


def clean(value: Any, removed: list[str]) -> Any:
    """Return a value whose texts have no forbidden characters; adds these to `removed`."""
    if isinstance(value, str):
        removed += FORBIDDEN.findall(value)
        return FORBIDDEN.sub("", value)
    if isinstance(value, (tuple, list)):
        return type(value)([clean(item, removed) for item in value])
    if isinstance(value, Mapping):
        return {key: clean(item, removed) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{field.name: clean(getattr(value, field.name), removed) for field in fields(value)}
        )
    return value
