"""Keys of fields in any spelling: `Publish-Date` and `publish_date` are the same key."""

from __future__ import annotations

_SEPARATORS = {ord(character): None for character in "-_ "}


def normalize_key(key: object) -> str:
    """Return a key in lower case, without `-`, `_` and spaces."""
    return str(key).casefold().translate(_SEPARATORS)


def to_mapping(value: object) -> dict[str, object]:
    """Return a mapping as it is, and {} for any other value."""
    return value if isinstance(value, dict) else {}


def is_empty(value: object) -> bool:
    """Return whether a value is null, blank text, or an empty list or mapping."""
    return value is None or value in ({}, []) or (isinstance(value, str) and not value.strip())
