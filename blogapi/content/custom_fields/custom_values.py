"""The values of custom fields: which values fit a definition, and how they are stored, shown and found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import marshmallow as ma

from blogapi.content.custom_fields.models import MAX_NAME_LENGTH, NO_VALUES, CustomField, FieldType
from blogapi.parsing import is_web_address, parse_uuid
from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from blogapi.web.media_addresses import PictureReference, add_service_url

MAX_TEXT_LENGTH, MAX_LONG_TEXT_LENGTH, MAX_LIST_ITEMS = 1_000, 100_000, 100

# The values of the custom fields of an article, by name, in the form of JSON.
CustomValues = Mapping[str, Any]

# A function that returns a single value as it is stored, or raises UnfitValue.
ItemConverter = Callable[[CustomField, Any], Any]

_PICTURE_FIELD = PictureReference()


class UnfitValue(ValueError):
    """A value does not fit the definition of its field; the message says why."""


def is_field_name(text: str) -> bool:
    """Return whether a custom field can have this name."""
    return len(text) <= MAX_NAME_LENGTH and re.fullmatch(r"[a-z][a-z0-9_]*", text) is not None


def convert_imported_value(field: CustomField, value: Any) -> Any:
    """Return a value of another system in its stored form, or None if it is empty.

    A value that does not fit is returned unchanged.
    """
    try:
        decoded = json.loads(json.dumps(value, default=str))
    except ValueError:
        # The value contains an integer with too many digits for JSON.
        return None
    decoded = decoded if not field.is_list or isinstance(decoded, list) else [decoded]
    try:
        if field.is_list:
            return convert_value(field, [_parse_imported_item(field, item) for item in decoded])
        return convert_value(field, _parse_imported_item(field, decoded))
    except UnfitValue:
        return decoded


def _parse_imported_item(field: CustomField, value: Any) -> Any:
    if not isinstance(value, str):
        is_text = field.type in (FieldType.TEXT, FieldType.LONG_TEXT, FieldType.CHOICE)
        return json.dumps(value) if is_text and isinstance(value, bool | int | float) else value
    text = value.strip()
    if field.type == FieldType.BOOLEAN:
        text = {"1": "true", "0": "false", "yes": "true", "no": "false"}.get(text.lower(), text.lower())
    if field.type == FieldType.DATE:
        return text[:10]
    return parse_value(field, text)


def parse_stored_values(stored: str) -> dict[str, Any]:
    """Return the values of custom fields, by name, from the column `Article.custom`."""
    values: dict[str, Any] = json.loads(stored or NO_VALUES)
    return values


def dump_values(values: CustomValues) -> str:
    """Return the values as text for the column `Article.custom`; equal values give equal texts."""
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def list_media_paths(stored: str) -> list[str]:
    """Return the values in `stored` that can be addresses of files in the media library."""
    values = parse_stored_values(stored).values() if "/media/" in stored else ()
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [item for item in items if isinstance(item, str) and item.startswith("/media/")]


def merge_values(stored: str, changes: CustomValues) -> str:
    """Return the stored values with these changes; a change to None removes the value."""
    if not changes:
        return stored
    changed = parse_stored_values(stored) | dict(changes)
    return dump_values({name: value for name, value in changed.items() if value is not None})


def convert_value(field: CustomField, value: Any, convert_single: ItemConverter | None = None) -> Any:
    """Return the value as it is stored, or None for an empty value; raises UnfitValue if it does not fit.

    `convert_single` replaces the converter of single values for the type of the field.
    """
    convert_single = convert_single or convert_single_value
    if not field.is_list:
        return None if value in (None, "") else convert_single(field, value)
    if value is None:
        return None
    if not isinstance(value, list):
        raise UnfitValue("Must be a list.")
    if len(value) > MAX_LIST_ITEMS:
        raise UnfitValue(f"Must contain at most {MAX_LIST_ITEMS} items.")
    items = [convert_single(field, item) for item in value]
    return items or None


def convert_single_value(field: CustomField, value: Any) -> Any:
    """Return a single value as it is stored; raises UnfitValue if it does not fit."""
    return _CONVERTERS[FieldType(field.type)](field, value)


def fits_definition(field: CustomField, value: Any) -> bool:
    """Return whether a stored value fits the definition."""
    try:
        return convert_value(field, value) is not None
    except UnfitValue:
        return False


def list_single_values(field: CustomField, value: Any) -> list[Any]:
    """Return the single values of a valid value: its items if the field is a list, else the value itself."""
    return list(value) if field.is_list else [value]


def parse_value(field: CustomField, text: str) -> Any:
    """Parse a single value that a query string or a file contains as text; raises UnfitValue."""
    if field.type == FieldType.NUMBER:
        if not re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", text):
            raise UnfitValue(f"“{text[:80]}” is not a number of at most 15 digits.")
        value = float(text)
        return int(value) if value.is_integer() else value
    if field.type == FieldType.BOOLEAN:
        if text not in ("true", "false"):
            raise UnfitValue("Must be true or false.")
        return text == "true"
    return text


def make_picture_urls_absolute(field: CustomField, value: Any) -> Any:
    """Return a valid value in which the addresses of pictures are absolute."""
    if field.type != FieldType.PICTURE:
        return value
    return [add_service_url(item) for item in value] if field.is_list else add_service_url(value)


def list_searched_texts(fields: Iterable[CustomField], stored: str) -> list[str]:
    """Return the stored values that searches cover, as texts."""
    values = parse_stored_values(stored)
    words: list[str] = []
    for field in fields:
        if field.is_searched and not field.is_admin_only and field.name in values:
            value = values[field.name]
            if fits_definition(field, value):
                words += [
                    str(item) for item in list_single_values(field, value) if not isinstance(item, bool)
                ]
    return words


def make_json_schema(field: CustomField) -> dict[str, Any]:
    """Return the JSON schema of the valid values of the field, for the OpenAPI document."""
    schema: dict[str, Any] = dict(_JSON_SCHEMAS.get(field.type, {"type": "string"}))
    if field.type == FieldType.CHOICE:
        schema["enum"] = field.options
    if field.type == FieldType.NUMBER:
        limits = {"minimum": field.minimum, "maximum": field.maximum}
        schema |= {name: limit for name, limit in limits.items() if limit is not None}
    if field.is_list:
        schema = {"type": "array", "items": schema}
    return schema | {"title": field.label} | ({"description": field.help} if field.help else {})


def _convert_text(field: CustomField, value: Any) -> str:
    limit = MAX_LONG_TEXT_LENGTH if field.type == FieldType.LONG_TEXT else MAX_TEXT_LENGTH
    text = _require_text(value)
    if FORBIDDEN_CHARACTER.search(text):
        raise UnfitValue("Contains a control character or a lone surrogate; remove it.")
    if len(text) > limit:
        raise UnfitValue(f"Must have at most {limit} characters.")
    return text


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnfitValue("Must be a text.")
    if not value.strip():
        raise UnfitValue("Must not be empty.")
    return value


def _convert_number(field: CustomField, value: Any) -> int | float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # This condition refuses NaN too; `math.isfinite` would raise an error for a very large integer.
    if not is_number or not abs(value) <= 1e15:
        raise UnfitValue(f"“{str(value)[:80]}” is not a number of at most 15 digits.")
    low, high = field.minimum, field.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        limits = [
            f"at least {low:g}" if low is not None else "",
            f"at most {high:g}" if high is not None else "",
        ]
        raise UnfitValue(f"Must be {' and '.join(filter(None, limits))}.")
    number: int | float = int(value) if float(value).is_integer() else value
    return number


def _convert_boolean(field: CustomField, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnfitValue("Must be true or false.")
    return value


def _convert_date(field: CustomField, value: Any) -> str:
    try:
        if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise UnfitValue("Must be a date such as 2026-01-31.")


def _convert_url(field: CustomField, value: Any) -> str:
    text = _require_text(value)
    if len(text) > MAX_TEXT_LENGTH or not is_web_address(text):
        raise UnfitValue("Must be an http(s) URL without credentials, or a relative URL.")
    return text


def _convert_choice(field: CustomField, value: Any) -> str:
    if value not in field.options:
        raise UnfitValue(f"Must be one of: {', '.join(field.options)}.")
    return str(value)


def _convert_picture(field: CustomField, value: Any) -> str:
    text = _require_text(value)
    try:
        return _PICTURE_FIELD.check_address(text)
    except ma.ValidationError as error:
        raise UnfitValue(str(error.messages[0])) from error


def _convert_article(field: CustomField, value: Any) -> str:
    uuid = parse_uuid(value) if isinstance(value, str) else None
    if uuid is None:
        raise UnfitValue("Must be the uuid of an article.")
    return str(uuid)


_CONVERTERS: Mapping[FieldType, ItemConverter] = {
    FieldType.TEXT: _convert_text,
    FieldType.LONG_TEXT: _convert_text,
    FieldType.NUMBER: _convert_number,
    FieldType.BOOLEAN: _convert_boolean,
    FieldType.DATE: _convert_date,
    FieldType.URL: _convert_url,
    FieldType.CHOICE: _convert_choice,
    FieldType.PICTURE: _convert_picture,
    FieldType.ARTICLE: _convert_article,
}
# The JSON schemas of the values by type; values of the other types are plain strings.
_JSON_SCHEMAS: Mapping[str, Mapping[str, str]] = {
    FieldType.NUMBER: {"type": "number"},
    FieldType.BOOLEAN: {"type": "boolean"},
    FieldType.DATE: {"type": "string", "format": "date"},
    FieldType.ARTICLE: {"type": "string", "format": "uuid"},
}
