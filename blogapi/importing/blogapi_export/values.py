"""Read and check the values in an export, which a person can have edited.

For a wrong value, a function raises RefusedFile with a sentence that names the field and gives an example.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from blogapi.content.custom_fields.custom_values import is_field_name
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import to_line
from blogapi.parsing import parse_timestamp, parse_uuid

Values = Mapping[str, object]
# The names of value types in messages; all other values are numbers.
_TYPES: Mapping[type, str] = {list: "a list", dict: "a mapping", bool: "true or false"}


def decode_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedFile(
            f"It is not UTF-8 (byte {error.start + 1:,} of its content); save it again as UTF-8."
        ) from error


def get_text(values: Values, name: str) -> str:
    """Return the text in a field; "" if the field is missing or empty."""
    value = values.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        _refuse_value(name, value, "a text", f'{name}: "Bread"')
    return value


def get_required_text(values: Values, name: str, example: str) -> str:
    """Return the text in a required field; the error message shows `example` as a valid value."""
    text = get_text(values, name)
    if not text.strip():
        _refuse_value(name, None, "a text", f"{name}: {example}")
    return text


def get_uuid(values: Values, name: str) -> UUID:
    value = values.get(name)
    uuid = parse_uuid(value) if isinstance(value, str) else None
    if uuid is None:
        _refuse_value(name, value, "a uuid", f"{name}: 3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d")
    return uuid


def get_time(values: Values, name: str) -> datetime | None:
    """Return the time in a field (aware, UTC), or None if the field is missing or empty."""
    value = values.get(name)
    text = value.strip() if isinstance(value, str) else ""
    time = parse_timestamp(text)
    if time is None and (text or not isinstance(value, str | None)):
        _refuse_value(name, value, "a time", f"{name}: 2024-05-01T09:00:00+00:00")
    return time


def get_number(values: Values, name: str, convert: Callable[[str], float]) -> float:
    """Return the number in a field, which the YAML parser has read as a text."""
    try:
        return convert(str(values[name]))
    except ValueError as error:
        raise RefusedFile(f"`{name}` is not a number; write for example `{name}: 1`.") from error


def get_flag(values: Values, name: str) -> bool:
    """Return whether a field is true; the YAML parser has read `true` as a text."""
    return values.get(name) in (True, "true")


def get_list(values: Values, name: str) -> Sequence[object]:
    """Return the list in a field; a single value becomes a list of one item, an empty field an empty list."""
    value = values.get(name)
    if value is None or value == "":
        return ()
    return value if isinstance(value, list) else [value]


def get_texts(values: Values, name: str) -> list[str]:
    items = [item for item in get_list(values, name) if item not in (None, "")]
    for item in items:
        if not isinstance(item, str):
            _refuse_value(name, item, "a list of texts", f"{name}: [Bread, Rye]")
    return [str(item) for item in items]


def get_mappings(values: Values, name: str) -> Iterator[Values]:
    for item in get_list(values, name):
        if not isinstance(item, dict):
            _refuse_value(name, item, "a list of mappings", "- name: Bread")
        yield item


def get_mapping(values: Values, name: str) -> Values:
    """Return the mapping in a field; {} if the field is missing or empty."""
    value = values.get(name)
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        _refuse_value(name, value, "a mapping", f"{name}: {{}}")
    return value


def get_former_slugs_or_paths(values: Values, name: str, time: datetime | None) -> dict[str, datetime | None]:
    """Return the values of `former_slugs` or `former_paths` with their times; `time` is the default time."""
    times: dict[str, datetime | None] = {}
    key = name.removeprefix("former_").removesuffix("s")
    for item in get_list(values, name):
        entry = item if isinstance(item, dict) else {key: item}
        times[get_text(entry, key)] = get_time(entry, "created") or time
    return times


def refuse_surrogates(value: object) -> None:
    """Raise RefusedFile for lone surrogates, which escapes in YAML and JSON can produce."""
    try:
        json.dumps(value, default=str, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise RefusedFile("It contains a lone surrogate, which is not a character; remove it.") from error


def _refuse_value(name: str, value: object, expected: str, example: str) -> NoReturn:
    """Raise RefusedFile for a missing or wrong value; `example` is a correct line for the message."""
    if value in (None, ""):
        raise RefusedFile(f"It has no `{name}`; add it, for example `{example}`.")
    shown = f"“{to_line(value)[:100]}”" if isinstance(value, str) else _TYPES.get(type(value), "a number")
    raise RefusedFile(f"`{name}` ({shown}) is not {expected}; write for example `{example}`.")


def get_custom_values(values: Values) -> dict[str, Any]:
    """Return the values of the custom fields by name, as JSON types."""
    found: dict[str, Any] = json.loads(json.dumps(get_mapping(values, "custom"), default=str))
    return {name: value for name, value in found.items() if is_field_name(name) and value is not None}
