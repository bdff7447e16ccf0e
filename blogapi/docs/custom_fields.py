"""The custom fields in the OpenAPI document, which differ between blogs.

The document is public, so it omits the fields that only admins may read. The extension `x-custom-fields`
marks the properties and the lists that have custom fields.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping

from blogapi.docs.components import SCHEMA_PREFIX, Document, list_operations

EXTENSION, _PARAMETER_NAME = "x-custom-fields", "custom"
_VALUES_COMPONENT, _CHANGES_COMPONENT = "CustomFields", "CustomFieldsChanges"
# The names of the components of custom fields, by the value of `x-custom-fields`.
COMPONENTS = {"values": _VALUES_COMPONENT, "changes": _CHANGES_COMPONENT}


def mark_custom_field_filters(operation: Document) -> None:
    """Replace the parameter `custom`, which stands for all custom field filters, with `x-custom-fields`."""
    parameters = operation.get("parameters", [])
    others = [item for item in parameters if (item.get("in"), item.get("name")) != ("query", _PARAMETER_NAME)]
    if len(others) < len(parameters):
        operation["parameters"] = others
        operation[EXTENSION] = "filters"


def add_custom_fields(document: Document, fields: Mapping[str, Document]) -> Document:
    """Return the document with types and parameters for these custom fields (JSON schemas by name)."""
    if not fields:
        return document
    document = copy.deepcopy(document)
    schemas = document["components"]["schemas"]
    changes = {
        name: {"anyOf": [_accept_references(field_schema), {"type": "null"}]}
        for name, field_schema in fields.items()
    }
    for name, properties in ((_VALUES_COMPONENT, dict(fields)), (_CHANGES_COMPONENT, changes)):
        schemas[name] |= {"properties": properties}
        del schemas[name]["additionalProperties"], schemas[name][EXTENSION]
    for _, method, operations in list_operations(document):
        if EXTENSION in operations[method]:
            operations[method].setdefault("parameters", []).extend(_make_filter_parameters(fields))
    return document


def _accept_references(schema: Document) -> Document:
    """Return the JSON schema of a field in a request body; fields that refer to articles accept references.

    The title is omitted, because generators would use it as the name of a type, which can exist already.
    """
    if "items" in schema:
        return {"type": "array", "items": _accept_references(schema["items"])}
    if schema.get("format") == "uuid":
        return {"anyOf": [{"$ref": f"{SCHEMA_PREFIX}Reference"}, {"type": "string"}]}
    return {name: value for name, value in schema.items() if name not in ("title", "description")}


def _make_filter_parameters(fields: Mapping[str, Document]) -> Iterator[Document]:
    for name, schema in fields.items():
        item = schema.get("items", schema)
        allowed = {key: value for key, value in item.items() if key in ("type", "format", "enum")}
        yield {
            "name": f"{_PARAMETER_NAME}.{name}",
            "in": "query",
            "description": f"List only articles with this value of “{schema['title']}”; it can be repeated.",
            "schema": {"type": "array", "items": allowed},
            "explode": True,
        }
