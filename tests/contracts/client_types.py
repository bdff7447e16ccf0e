"""The types in `blogapi/docs/static/blogapi.js`, derived from the OpenAPI document.

`python -m tests.contracts.openapi` writes them again.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

from blogapi.docs.assets import STATIC_FOLDER
from tests.contracts.client import merge_schemas

FILE = STATIC_FOLDER / "blogapi.js"
HEADING = (
    "// The types of the API. `python -m tests.contracts.openapi` derives them from the OpenAPI document.\n"
)

# The schemas of the responses that the client returns, and the operations whose filters it sends.
ITEMS = (
    *("Article", "Page", "Category", "SingleCategory", "Tag", "SingleTag", "Author", "SingleAuthor"),
    "Redirect",
)
RESPONSES = (*ITEMS, "Site", "ChangeList", "Problem")
LISTS = {
    name: f"list{plural}"
    for name, plural in {
        **{
            "Article": "Articles",
            "Page": "Pages",
            "Category": "Categories",
            "Tag": "Tags",
            "Author": "Authors",
        },
        "Redirect": "Redirects",
    }.items()
}
# The parameters that the client sends itself, or whose response is no JSON.
OWN_PARAMETERS = {"page", "page_size", "fields", "format"}

_SIMPLE = {"integer": "number"}
_REFERENCE = re.compile(r"#/components/(?:schemas|parameters)/(\w+)")
_LINE = 120


def write_types(document: dict[str, Any]) -> None:
    """Write the types of the document into the client."""
    code = FILE.read_text(encoding="utf-8").partition(HEADING)[0]
    FILE.write_text(code + HEADING + make_types(document), encoding="utf-8", newline="\n")


def make_types(document: dict[str, Any]) -> str:
    """Return a comment with the types of what a front end reads, and of the filters of each list."""
    document = merge_schemas(document)
    schemas = document["components"]["schemas"]
    names = list(RESPONSES)
    # The list grows while the loop appends the schemas that the text of a schema refers to.
    for name in names:
        found = dict.fromkeys(_REFERENCE.findall(json.dumps(schemas[name])))
        names += [other for other in found if other not in names and not _is_text(schemas[other])]
    typedefs = [text for name in names for text in _make_typedefs(name, schemas)]
    typedefs += [_make_filters(name, operation, document) for name, operation in LISTS.items()]
    return "\n".join(["/**", *typedefs, " */"]) + "\n"


def _make_typedefs(name: str, schemas: dict[str, Any]) -> list[str]:
    """Return the typedef of a schema; for an item also that of all its fields, which `fields` can name."""
    schema, required = schemas[name], schemas[name].get("required", [])
    if "properties" not in schema:
        return [_wrap(name, _make_type(schema, schemas))]
    is_item, fields = name in ITEMS, {True: [], False: []}
    for field, value in schema["properties"].items():
        is_optional = _is_omitted(value, schemas) if is_item else field not in required
        key = (field if field.isidentifier() else f'"{field}"') + "?" * is_optional
        fields[is_item and field not in required].append(f"{key}: {_make_type(value, schemas)}")
    typedefs = [_wrap(name, f"{{ {', '.join(fields[False])} }}")]
    return typedefs + [_wrap(f"{name}Fields", f"{name} & {{ {', '.join(fields[True])} }}")] * is_item


def _is_text(schema: dict[str, Any]) -> bool:
    return "properties" not in schema and "enum" not in schema


def _is_omitted(schema: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Return whether the description says that the field can be absent although `fields` names it."""
    reference = _REFERENCE.fullmatch(schema.get("$ref", ""))
    return "is absent" in (schemas[reference[1]] if reference else schema).get("description", "")


def _make_type(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    if reference := _REFERENCE.fullmatch(schema.get("$ref", "")):
        target = schemas[reference[1]]
        return _make_type(target, schemas) if _is_text(target) else reference[1]
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema.get("type") == "array":
        item = _make_type(schema["items"], schemas)
        return f"({item})[]" if "|" in item else f"{item}[]"
    if schema.get("type") == "object":
        return f"Record<string, {_make_type(schema['additionalProperties'], schemas)}>"
    if "anyOf" in schema:
        return " | ".join(_make_type(one, schemas) for one in schema["anyOf"])
    types = schema.get("type", "unknown")
    if isinstance(types, list) and "object" in types and "additionalProperties" in schema:
        others = [_SIMPLE.get(name, name) for name in types if name != "object"]
        return " | ".join([_make_type({**schema, "type": "object"}, schemas), *others])
    if isinstance(types, list) and "array" in types:
        others = [_SIMPLE.get(name, name) for name in types if name != "array"]
        return " | ".join([_make_type({**schema, "type": "array"}, schemas), *others])
    return " | ".join(_SIMPLE.get(name, name) for name in ([types] if isinstance(types, str) else types))


def _make_filters(name: str, operation_id: str, document: dict[str, Any]) -> str:
    operations = (one for path in document["paths"].values() for one in path.values())
    (operation,) = (
        one for one in operations if isinstance(one, dict) and one.get("operationId") == operation_id
    )
    parameters = document["components"]["parameters"]
    filters = []
    for parameter in operation["parameters"]:
        reference = _REFERENCE.fullmatch(parameter.get("$ref", ""))
        resolved = parameters[reference[1]] if reference else parameter
        if resolved["name"] not in OWN_PARAMETERS:
            kind = _make_type(resolved["schema"], document["components"]["schemas"])
            kind = f"{kind.removesuffix('[]')} | {kind}" if kind.endswith("[]") else kind
            filters.append(f"{resolved['name']}?: {kind}")
    if "x-custom-fields" in operation:
        filters.append("[name: `custom.${string}`]: CustomFilter")
    return _wrap(f"{name}Filters", f"{{ {', '.join(filters)} }}")


def _wrap(name: str, kind: str) -> str:
    """Return a typedef in lines of limited length."""
    text = f"@typedef {{{kind}}} {name}"
    return textwrap.fill(
        text,
        _LINE,
        initial_indent=" * ",
        subsequent_indent=" *   ",
        break_long_words=False,
        break_on_hyphens=False,
    )
