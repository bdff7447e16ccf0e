"""The operations that the tools call, and the schemas of their arguments, from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blogapi.mcp.tools import TOOLS, Tool
from blogapi.web.fields import Fields

# The keywords that an assistant does not need. The API checks the limits, and its errors name them.
_DROPPED_KEYWORDS = frozenset(
    (
        *(
            "example",
            "examples",
            "x-custom-fields",
            "minLength",
            "maxLength",
            "pattern",
            "minimum",
            "maximum",
        ),
        *("minItems", "maxItems", "unevaluatedProperties", "readOnly"),
    )
)
_FIELDS_TEXT = "Comma-separated names; `*` stands for the usual ones, and `-content` leaves one out."

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with its operation: the method, the path with placeholders, and the parameters."""

    tool: Tool
    method: str
    path: str
    parameters: Sequence[Document]
    takes_body: bool
    input_schema: Fields


def bind_tools(document: Document) -> dict[str, BoundTool]:
    """Return the tools with their operations, by name."""
    operations = {
        operation["operationId"]: (method, path, item, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict) and "operationId" in operation
    }
    bound = {}
    for tool in TOOLS:
        method, path, item, operation = operations[tool.operation]
        declared = (*item.get("parameters", ()), *operation.get("parameters", ()))
        parameters = [_resolve(parameter, document) for parameter in declared]
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        bound[tool.name] = BoundTool(
            tool,
            method.upper(),
            path,
            [
                one
                for one in parameters
                if one["in"] == "path" or one["name"] in (*tool.query, *tool.defaults)
            ],
            body is not None,
            _build_input_schema(tool, parameters, body or {}, document),
        )
    return bound


def get_argument_name(parameter: str) -> str:
    """Return the name of the argument for a parameter, such as `if_match` for the header If-Match."""
    return parameter.lower().replace("-", "_")


def _build_input_schema(
    tool: Tool, parameters: Sequence[Document], body: Document, document: Document
) -> Fields:
    properties: Fields = {}
    required = [*tool.required]
    for parameter in parameters:
        name = get_argument_name(parameter["name"])
        if parameter["in"] == "path":
            required.insert(0, name)
        elif parameter["name"] not in tool.query:
            continue
        text = _FIELDS_TEXT if name == "fields" else _first_sentence(parameter.get("description", ""))
        schema = _inline(parameter["schema"], document)
        properties[name] = schema | ({"description": text} if text else {})
    fields, needed = _list_body_fields(body, document)
    properties |= {name: _inline(fields[name], document) for name in tool.body}
    required += [name for name in tool.body if name in needed and name not in required]
    for name, override in tool.overrides.items():
        properties[name] = properties[name] | override
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _list_body_fields(schema: Document, document: Document) -> tuple[Fields, list[str]]:
    """Return the properties of a body, which can extend other schemas, and the names of the required ones."""
    resolved = _resolve(schema, document)
    if "anyOf" in resolved:
        return _list_body_fields(resolved["anyOf"][0], document)
    properties, required = dict(resolved.get("properties", {})), [*resolved.get("required", ())]
    for part in resolved.get("allOf", ()):
        inherited, needed = _list_body_fields(part, document)
        properties, required = properties | inherited, [*required, *needed]
    return properties, required


def _resolve(value: Document, document: Document) -> Document:
    if "$ref" not in value:
        return value
    target: Any = document
    for part in value["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**_resolve(target, document), **{name: part for name, part in value.items() if name != "$ref"}}


def _inline(value: Any, document: Document) -> Any:
    """Return a schema without references, read-only properties, examples and limits."""
    if isinstance(value, list):
        return [_inline(item, document) for item in value]
    if not isinstance(value, Mapping):
        return value
    result: Fields = {}
    for name, part in _resolve(value, document).items():
        if name == "properties":
            kept = {key: one for key, one in part.items() if not one.get("readOnly")}
            result[name] = {key: _inline(one, document) for key, one in kept.items()}
        elif name == "description":
            result[name] = _first_sentence(part)
        elif name not in _DROPPED_KEYWORDS:
            result[name] = _inline(part, document)
    return result


def _first_sentence(text: str) -> str:
    return f"{text.split('. ')[0].rstrip('.')}." if text else ""
