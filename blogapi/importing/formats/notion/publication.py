"""Decide whether a page is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blogapi.importing.format_api.privacy_signs import NOTION_PUBLIC_STATUSES, NOTION_PUBLISHING_FIELDS
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import to_bool, to_line


def is_public(properties: Mapping[str, Any]) -> bool:
    """Return whether a property of a page says that it is public."""
    values = {normalize_key(name): value for name, value in properties.items()}
    has_flag = any(to_bool(values.get(name)) for name in NOTION_PUBLISHING_FIELDS)
    return has_flag or to_line(values.get("status")).casefold() in NOTION_PUBLIC_STATUSES
