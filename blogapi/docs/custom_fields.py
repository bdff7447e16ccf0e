"""The custom fields in the OpenAPI document, which differ between blogs.

The document is public, so the fields that only admins may read are absent from it. The marks
`x-custom-fields` show where the fields belong.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from blogapi.docs.components import SCHEMAS, Document, list_operations

_MARK, _PARAMETER = "x-custom-fields", "custom"
_COMPONENTS = {"values": "CustomFields", "changes": "CustomFieldsChanges"}


def mark_filters(operation: Document) -> None:
    """Replace the parameter that stands for all filters by custom fields with a mark."""
    parameters = operation.get("parameters", [])
    others = [one for one in parameters if (one.get("in"), one.get("name")) != ("query", _PARAMETER)]
    if len(others) < len(parameters):
        operation["parameters"] = others
        operation[_MARK] = "filters"


def add_custom_fields(document: Document, fields: Mapping[str, Document]) -> Document:
    """Return the document with these custom fields (JSON schemas, by name), as types and as parameters."""
    if not fields:
        return document
    document = copy.deepcopy(document)
    schemas = document["components"]["schemas"]
    for schema in list(_find_marked(schemas)):
        name, description = _COMPONENTS[schema.pop(_MARK)], schema["description"]
        schema.clear()
        schema |= {"$ref": f"{SCHEMAS}{name}", "description": description}
    changes = {name: {"anyOf": [_accept_references(one), {"type": "null"}]} for name, one in fields.items()}
    schemas["CustomFields"] = {
        "type": "object",
        "description": "The values of the custom fields of an article, by name.",
        "properties": dict(fields),
    }
    schemas["CustomFieldsChanges"] = {
        "type": "object",
        "description": "Changes of the custom fields of an article, by name; null removes a value.",
        "properties": changes,
    }
    for _, method, operations in list_operations(document):
        if _MARK in operations[method]:
            operations[method].setdefault("parameters", []).extend(_make_filters(fields))
    return document


def _accept_references(schema: Document) -> Document:
    """Return the JSON schema of the values of a field in a body, where an article is a reference."""
    if "items" in schema:
        return schema | {"items": _accept_references(schema["items"])}
    if schema.get("format") != "uuid":
        return schema
    others = {name: value for name, value in schema.items() if name not in ("type", "format")}
    return others | {"anyOf": [{"$ref": f"{SCHEMAS}Reference"}, {"type": "string"}]}


def _find_marked(node: Any) -> Iterator[Document]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and node.get(_MARK) in _COMPONENTS:
        yield node
    for child in list(children):
        yield from _find_marked(child)


def _make_filters(fields: Mapping[str, Document]) -> Iterator[Document]:
    for name, schema in fields.items():
        item = schema.get("items", schema)
        allowed = {key: value for key, value in item.items() if key in ("type", "format", "enum")}
        yield {
            "name": f"{_PARAMETER}.{name}",
            "in": "query",
            "description": f"List only articles with this value of “{schema['title']}”; it can be repeated.",
            "schema": {"type": "array", "items": allowed},
            "explode": True,
        }
