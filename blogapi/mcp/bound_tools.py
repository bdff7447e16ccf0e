"""Binds each tool to its operation in the OpenAPI document, which also gives the schema of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blogapi.docs.components import Document, list_operations
from blogapi.mcp.tools import TOOLS, Tool

# The schema keywords that an assistant does not need. The API checks the limits, and its errors name them.
_DROPPED_KEYWORDS = frozenset(
    (
        *("example", "examples", "x-custom-fields", "minLength", "maxLength", "pattern", "minimum"),
        *("maximum", "minItems", "maxItems", "unevaluatedProperties", "readOnly", "$ref"),
    )
)
# The descriptions of some arguments; the others have the first sentence of the description of the parameter.
_ARGUMENT_TEXTS = {
    "fields": "Comma-separated names; `*` stands for the usual fields, and `-content` leaves out `content`.",
    "if_match": "The `etag` of your last read; if the item has changed since, the call fails: read it again.",
}


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with its operation: the method, the path with placeholders, and the parameters.

    `definition` is the entry of the tool in the response to `tools/list`.
    """

    tool: Tool
    method: str
    path: str
    parameters: Sequence[Document]
    definition: Document


def bind_tools(document: Document) -> dict[str, BoundTool]:
    """Return the tools with their operations, by name."""
    operations = {
        item[method]["operationId"]: (method.upper(), path, item)
        for path, method, item in list_operations(document)
    }
    return {tool.name: _bind_tool(tool, *operations[tool.operation], document) for tool in TOOLS}


def get_argument_name(parameter: str) -> str:
    """Return the name of the argument for a parameter, such as `if_match` for the header If-Match."""
    return parameter.lower().replace("-", "_")


def _bind_tool(tool: Tool, method: str, path: str, path_item: Document, document: Document) -> BoundTool:
    operation = path_item[method.lower()]
    parameters, properties, required = list[Document](), {}, [*tool.required]
    for declared in (*path_item.get("parameters", ()), *operation.get("parameters", ())):
        parameter = _resolve_reference(declared, document)
        name, is_in_path = parameter["name"], parameter["in"] == "path"
        if is_in_path or name in (*tool.parameters, *tool.defaults):
            parameters.append(parameter)
        if is_in_path or name in tool.parameters:
            argument = get_argument_name(name)
            text = _ARGUMENT_TEXTS.get(argument) or _get_first_sentence(parameter.get("description", ""))
            schema = _simplify_schema(parameter["schema"], document)
            properties[argument] = schema | ({"description": text} if text else {})
            if is_in_path or (name == "If-Match" and method != "POST"):
                required.append(argument)
    if tool.body:
        body = _simplify_schema(operation["requestBody"]["content"]["application/json"]["schema"], document)
        properties |= {name: body["properties"][name] for name in tool.body}
        required += [name for name in tool.body if name in body.get("required", ())]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    definition = {
        "name": tool.name,
        "title": tool.name.replace("_", " ").capitalize(),
        "description": f"{operation['summary']} {tool.hint}".rstrip(),
        "inputSchema": schema | ({"required": required} if required else {}),
        "annotations": {
            "readOnlyHint": method == "GET",
            "destructiveHint": tool.is_destructive,
            "idempotentHint": method != "POST",
            "openWorldHint": False,
        },
    }
    return BoundTool(tool, method, path, parameters, definition)


def _resolve_reference(value: Document, document: Document) -> Document:
    """Return the value; if it has a `$ref`, merged with the component to which the `$ref` leads."""
    if "$ref" not in value:
        return value
    section, name = value["$ref"].split("/")[-2:]
    return {**document["components"][section][name], **value}


def _simplify_schema(value: Any, document: Document) -> Any:
    """Return a JSON schema with references resolved, and without read-only properties, examples and limits.

    A schema that extends other schemas with `allOf` also gets their properties.
    """
    if isinstance(value, list):
        return [_simplify_schema(item, document) for item in value]
    if not isinstance(value, dict):
        return value
    result: Document = {}
    for name, part in _resolve_reference(value, document).items():
        if name == "properties":
            writable = {key: schema for key, schema in part.items() if not schema.get("readOnly")}
            result[name] = result.get(name, {}) | {
                key: _simplify_schema(schema, document) for key, schema in writable.items()
            }
        elif name == "allOf":
            for base in _simplify_schema(part, document):
                result["properties"] = result.get("properties", {}) | base["properties"]
                result["required"] = [*result.get("required", ()), *base.get("required", ())]
        elif name == "description":
            result[name] = _get_first_sentence(part)
        elif name not in _DROPPED_KEYWORDS:
            result[name] = _simplify_schema(part, document)
    return result


def _get_first_sentence(text: str) -> str:
    return f"{text.split('. ')[0].rstrip('.')}." if text else ""
