"""Writes YAML that all parsers of YAML 1.1 and 1.2 read in the same way.

PyYAML is not used, because its Python writer takes 2 ms per article, its C writer escapes other characters,
and both leave texts such as `1e5` unquoted, which other parsers read as numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

# A text that is written without quotes: it begins with a letter and contains no special character of YAML.
_PLAIN_SCALAR = re.compile(r"[^\W\d_](?:[\w ,.!?()/'-]*[\w.!?)])?")
_RESERVED_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))
# YAML forbids most of these characters and reads the others as line breaks, but `json.dumps` does not escape
# them.
_UNSAFE_CHARACTERS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def to_yaml(value: Mapping[str, object] | Sequence[object]) -> str:
    """Return a mapping or a list as YAML in block style; keys must be plain words.

    The values are texts, numbers, booleans, mappings and lists. No line is wrapped.
    """
    return "".join(_to_yaml_lines(value, "")) if value else "[]\n"


def _to_yaml_lines(value: object, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{indent}{key}:{_format_value(item, f'{indent}  ')}"
    elif isinstance(value, (list, tuple)):
        for item in value:
            text = (
                "".join(_to_yaml_lines(item, f"{indent}  "))
                if isinstance(item, Mapping)
                else to_yaml_scalar(item)
            )
            yield f"{indent}- {text.strip()}\n"


def _format_value(value: object, indent: str) -> str:
    if isinstance(value, (Mapping, list, tuple)) and value:
        return "\n" + "".join(_to_yaml_lines(value, indent))
    return f" {to_yaml_scalar(value)}\n"


def to_yaml_scalar(value: object) -> str:
    """Return a text, a number, a boolean or an empty list as YAML on one line."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN_SCALAR.fullmatch(value) and value.lower() not in _RESERVED_WORDS:
        return value
    return _UNSAFE_CHARACTERS.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
    )
