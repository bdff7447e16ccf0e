"""The custom fields of WordPress (`wp:postmeta`) as values of custom fields of blogapi."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from blogapi.importing.format_api.custom_fields import CustomFields
from blogapi.importing.formats.wordpress import seo
from blogapi.importing.formats.wordpress.left_behind import count_name
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.xml_elements import Element

# Custom fields that other rules read, or in which wordpress.com keeps its state.
_KNOWN_FIELDS = seo.FIELDS | {"footnotes", "firehose_sent", "jabber_published"}
_HIDDEN_PREFIXES = ("_", "rank_math_", "wpcom_")
# Arrays and objects of PHP, as WordPress stores them.
_SERIALIZED_VALUE = re.compile(r"(?:a|O|C):[0-9]+:")


def read(item: Element, definitions: CustomFields, counts: Counter[str]) -> dict[str, Any]:
    """Return the values of custom fields, and the other fields for which custom fields could be defined.

    Counts all other fields by name, except hidden fields, whose names begin with an underscore.
    """
    taken, others = dict[str, Any](), dict[str, Any]()
    for key, values in _list_fields(item).items():
        field = definitions.find(key)
        if field is not None:
            taken[key] = values if field.is_list else values[0]
        elif key in _KNOWN_FIELDS:
            continue
        elif definitions.guess_types(values) and not any(map(_SERIALIZED_VALUE.match, values)):
            others[key] = values if len(values) > 1 else values[0]
        else:
            count_name(counts, "custom fields", to_line(key))
    return {"custom": definitions.convert(taken), "other_fields": others}


def _list_fields(item: Element) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for child in item.list_children("wp:postmeta"):
        key, value = child.get_text("wp:meta_key").strip(), child.get_text("wp:meta_value")
        if key and value.strip() and not key.startswith(_HIDDEN_PREFIXES):
            fields.setdefault(key, []).append(value)
    return fields
