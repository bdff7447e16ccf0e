"""Examples for the OpenAPI document, generated from the schemas so that each of them is valid."""

from __future__ import annotations

from typing import Any

from blogapi.docs.components import get_reference

_UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
_NAIVE_TIMESTAMP = "2026-01-31T09:30:00.000000"


def add_example(media: dict[str, Any], document: dict[str, Any]) -> None:
    """Add an example to the component of a body, or to the body if it has no component.

    The example of a component is also that of the items of a list.
    """
    name = get_reference(media["schema"])
    if not name:
        media["example"] = make_example(media["schema"], document)
        return
    schema = document["components"]["schemas"][name]
    example = make_example(schema, document)
    if name.endswith("Changes"):
        example = _shorten(example, schema.get("required", []))
    schema["examples"] = [example]


def _shorten(example: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the example of a partial update with only one field that is not required."""
    changed = [name for name in example if name not in required][:1]
    return {name: value for name, value in example.items() if name in (*required, *changed)}


def make_example(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    """Return an example for a JSON schema of the document; its lists of `articles` are empty."""
    for keyword in ("example", "default"):
        if keyword in schema:
            return schema[keyword]
    if "$ref" in schema:
        return make_example(_resolve(schema["$ref"], document), document)
    if "anyOf" in schema:
        return make_example(schema["anyOf"][0], document)
    if "enum" in schema:
        return schema["enum"][0]
    json_type = schema.get("type", "string")
    return _make_of_type(json_type if isinstance(json_type, str) else json_type[0], schema, document)


def _make_of_type(json_type: str, schema: dict[str, Any], document: dict[str, Any]) -> Any:
    if json_type == "object":
        return {
            name: []
            if name == "articles" and property_schema.get("type") == "array"
            else make_example(property_schema, document)
            for name, property_schema in schema.get("properties", {}).items()
            if not property_schema.get("readOnly")
        }
    if json_type == "array":
        return [make_example(schema["items"], document)]
    if json_type == "string":
        return _make_string(schema)
    return {"integer": 1, "boolean": True}.get(json_type)


def _make_string(schema: dict[str, Any]) -> str:
    if schema.get("format") == "uuid":
        return _UUID
    pattern = schema.get("pattern", "")
    if pattern.endswith(r"\+00:00$"):
        return f"{_NAIVE_TIMESTAMP}+00:00"
    return _NAIVE_TIMESTAMP if pattern.startswith(r"^\d{4}") else ""


def _resolve(reference: str, document: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = document["components"]["schemas"][reference.rsplit("/", 1)[-1]]
    return schema
