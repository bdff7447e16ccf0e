"""Replaces repeated parts of the OpenAPI document with references, so that clients have fewer types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from blogapi.docs.components import METHODS, SCHEMA_PREFIX, Document, get_component_name, list_operations
from blogapi.docs.custom_fields import COMPONENTS, EXTENSION
from blogapi.web.fields import AWARE_TIME_PATTERN, NAIVE_TIME_PATTERN


def extract_shared_enums(document: Document) -> None:
    """Turn each enum that several properties with the same name have into a component.

    Otherwise, generators for languages with nominal types make a type for each property.
    """
    fields = [
        (owner, name, schema["properties"])
        for owner, schema in document["components"]["schemas"].items()
        for name in schema["properties"]
    ]
    occurrences = []
    for owner, name, properties in fields:
        is_array = "items" in properties[name]
        container, key = (properties[name], "items") if is_array else (properties, name)
        if container[key].get("type") == "string" and "enum" in container[key]:
            container[key].pop("example", None)
            noun = name.removesuffix("s") if is_array else name
            occurrences.append(_Occurrence(owner, _make_type_name(noun), container, key))
    _extract_repeated_values(document, "schemas", occurrences)


def extract_shared_objects(document: Document) -> None:
    """Turn each inline object that several properties with the same name have into a component."""
    occurrences = [
        # In some languages, a type `Headers` would hide the type `Headers` of the standard library.
        _Occurrence(
            owner, COMPONENTS.get(schema.get(EXTENSION, ""), f"{_make_type_name(name)}Map"), properties, name
        )
        for owner, component in document["components"]["schemas"].items()
        for properties in [component.get("properties", {})]
        for name, schema in properties.items()
        if "object" in schema.get("type", ())
    ]
    _extract_repeated_values(document, "schemas", occurrences)


def _make_type_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def extract_shared_timestamps(document: Document) -> None:
    """Turn each schema that several timestamps have, such as a nullable time, into a component."""
    schemas = document["components"]["schemas"]
    names = {AWARE_TIME_PATTERN: "Timestamp", NAIVE_TIME_PATTERN: "TimestampWithoutOffset"}
    occurrences = [
        _Occurrence(owner, prefix + names[field["pattern"]], schema["properties"], name)
        for owner, schema in schemas.items()
        for name, field in schema.get("properties", {}).items()
        if field.get("pattern") in names
        for prefix in ["Nullable" if "null" in field["type"] else ""]
    ]
    _extract_repeated_values(document, "schemas", occurrences)


def extract_shared_parameters(document: Document) -> None:
    """Turn each parameter that several operations have into a component."""
    occurrences = [
        _Occurrence(
            owner.get("operationId", re.sub(r"\W+", "-", path).strip("-")),
            parameters[number].get("name", ""),
            parameters,
            number,
        )
        for path, methods in document["paths"].items()
        for owner in (methods, *(methods[method] for method in METHODS if method in methods))
        for parameters in [owner.get("parameters", [])]
        for number in range(len(parameters))
    ]
    _extract_repeated_values(document, "parameters", occurrences)


def extract_shared_responses(document: Document) -> None:
    """Turn each successful response that several operations have into a component."""
    occurrences = [
        _Occurrence(operations[method]["operationId"], _make_response_name(status, schema), responses, status)
        for _, method, operations in list_operations(document)
        for responses in [operations[method]["responses"]]
        for status, response in responses.items()
        for schema in [media["schema"] for media in response.get("content", {}).values()][:1]
    ]
    _extract_repeated_values(document, "responses", occurrences)


def _make_response_name(status: str, schema: Document) -> str:
    created, is_list = "Created" * (status == "201"), "items" in schema
    return f"{created}{get_component_name(schema).removeprefix(created) or 'File'}{'List' * is_list}"


class _Occurrence(NamedTuple):
    """A value in the document: its owner, its name as a component, and the container and key that hold it."""

    owner: str
    name: str
    container: Any
    key: Any

    @property
    def value(self) -> Document:
        value: Document = self.container[self.key]
        return value


def _extract_repeated_values(document: Document, section: str, occurrences: Sequence[_Occurrence]) -> None:
    """Move repeated values to a section of the components, and refer to them.

    If different values would get the same name, the most frequent value gets it. The name of each other value
    begins with the name of its first owner.
    """
    shared: Document = document["components"][section]
    by_text: dict[str, list[_Occurrence]] = {}
    for occurrence in occurrences:
        if "$ref" not in occurrence.value:
            by_text.setdefault(json.dumps(occurrence.value, sort_keys=True), []).append(occurrence)
    for repeated in sorted(by_text.values(), key=len, reverse=True):
        if len(repeated) > 1:
            owner, name, *_ = repeated[0]
            if name in shared:
                name = f"{owner}{name[0].upper()}{name[1:]}"
            shared[name] = repeated[0].value
            for occurrence in repeated:
                occurrence.container[occurrence.key] = {"$ref": f"#/components/{section}/{name}"}


def drop_unused_schemas(document: Document) -> None:
    """Delete the components to which nothing refers."""
    schemas = document["components"]["schemas"]
    used: set[str] = set()
    pending = list(_list_references([document["paths"], document["components"]["responses"]]))
    while pending:
        name = pending.pop()
        if name not in used:
            used.add(name)
            pending += _list_references(schemas[name])
    for name in schemas.keys() - used:
        del schemas[name]


def _list_references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith(SCHEMA_PREFIX):
            yield reference.removeprefix(SCHEMA_PREFIX)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _list_references(inner)
