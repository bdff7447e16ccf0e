"""Finds the custom fields for fields of a source, and guesses types for fields without a custom field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from blogapi.content.custom_fields.custom_values import (
    MAX_ITEMS,
    MAX_LONG_TEXT,
    MAX_TEXT,
    convert_imported,
    fits,
    is_field_name,
)
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.importing.format_api import source
from blogapi.rendering.slugs import make_slug

#: The maximum number of characters of a key from which a name is made.
MAX_KEY_LENGTH = 200

# The first of these types that a text matches is its type. A number must look the same when it is shown:
# `007`, `+49` and the version `1.10` are texts.
_PATTERNS = {
    FieldType.BOOLEAN: re.compile("true|false|yes|no", re.IGNORECASE),
    FieldType.NUMBER: re.compile(r"-?(?=[0-9.]{1,16}\Z)(0|[1-9][0-9]*)(\.0|\.[0-9]*[1-9])?"),
    FieldType.DATE: re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    FieldType.URL: re.compile(r"https?://\S+"),
    FieldType.TEXT: re.compile(rf".{{1,{MAX_TEXT}}}"),
    FieldType.LONG_TEXT: re.compile(rf"(?s).{{1,{MAX_LONG_TEXT}}}"),
}


@lru_cache(maxsize=1_000)
def make_name(key: str) -> str:
    """Return the API name of the custom field for a field of a source; "" if no valid name can be made.

    `Walked on`, `walked-on` and `walkedOn` have the name `walked_on`.
    """
    words = re.sub("(?<=[a-z0-9])(?=[A-Z])", "-", key[:MAX_KEY_LENGTH])
    # Later imports find the field by its name, so the names follow the rule of the first version.
    name = make_slug(words, default="-", former=True).replace("-", "_")
    return name if is_field_name(name) else ""


class CustomFields(source.CustomFields):
    """Finds the definitions of custom fields by the names of fields in a source, in any spelling."""

    def __init__(self, definitions: Iterable[CustomField]) -> None:
        self._definitions = {get_identity(field.name): field for field in definitions}

    def find(self, key: str) -> CustomField | None:
        return self._definitions.get(get_identity(make_name(key)))

    def convert(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the names of their custom fields; the first of several spellings is used."""
        values: dict[str, Any] = {}
        for key, value in entries.items():
            field = self.find(key)
            stored = None if field is None else convert_imported(field, value)
            if field is not None and stored is not None:
                values.setdefault(field.name, stored)
        return values

    def guess_types(self, value: Any) -> set[FieldType]:
        items = value if isinstance(value, list) else [value]
        types = {guess_type(item) for item in items[:MAX_ITEMS]}
        found = {kind for kind in types if kind is not None}
        return found if len(found) == len(types) and len(items) <= MAX_ITEMS else set()


def get_identity(name: str) -> str:
    """Return a form of a name that is the same for all its spellings."""
    return name.replace("_", "")


def guess_type(value: Any) -> FieldType | None:
    """Return the type of a custom field for a single value, or None if no type fits, as for a mapping.

    Values that would fit a choice, a picture or an article have a type of text.
    """
    # Python refuses to write integers of more than 4,300 digits.
    is_too_large = isinstance(value, int) and value.bit_length() > 64
    if value is None or isinstance(value, dict | list) or is_too_large:
        return None
    text = value.strip() if isinstance(value, str) else str(value).lower()
    for kind, pattern in _PATTERNS.items():
        field = CustomField(type=kind, is_list=False, choices="[]", minimum=None, maximum=None)
        if pattern.fullmatch(text) and fits(field, convert_imported(field, value)):
            return kind
    return None
