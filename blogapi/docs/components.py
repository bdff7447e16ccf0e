"""Converts marshmallow schemas to the components of the OpenAPI document.

Client generators create one type for each component, so similar schemas share a component: a response has the
same component as its variants with `fields`, and the body of a PUT accepts the response to a GET. A component
that has all properties of another component extends it, as a subclass extends its base class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import marshmallow as ma
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_instance
from apispec.ext.marshmallow.openapi import OpenAPIConverter

from blogapi.web.fields import EmptySchema, InputSchema, Reference, ReferenceSchema, Timestamp
from blogapi.web.uploads import MULTIPART_TYPE, FileBodySchema

Document = dict[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")

SCHEMA_PREFIX = "#/components/schemas/"
# A schema extends another one only if it inherits at least this number of properties.
_MIN_INHERITED_PROPERTIES = 5
# Families of schemas: their common properties become a component, which each schema of the family extends.
_SCHEMA_FAMILIES = {
    "ArticleOrPage": ("Article", "Page", "Previewed"),
    "Version": ("SingleRevision", "SinglePageRevision"),
    "Term": ("Category", "Tag", "SingleTag", "Author"),
    "ArticleOrPageBody": (
        *("ArticleChanges", "PageChanges", "WorkingCopyBody", "PageWorkingCopyBody"),
        *("WorkingCopyChanges", "PageWorkingCopyChanges"),
        *("NewRevisionChanges", "NewPageRevisionChanges"),
    ),
    "TermBody": tuple(
        f"{name}{suffix}Changes" for name in ("Category", "Tag", "Author") for suffix in ("", "Item")
    ),
}


def _make_component_name(schema: type[ma.Schema] | ma.Schema) -> str:
    """Return the name of the component; a partial body is named `…Changes`."""
    schema_class = schema if isinstance(schema, type) else type(schema)
    name = schema_class.__name__.removesuffix("Schema")
    is_partial = isinstance(schema, ma.Schema) and schema.partial
    return f"{name.removesuffix('Body')}Changes" if is_partial else name


def _describe_timestamp(converter: SchemaConverter, field: ma.fields.Field[Any], **_: Any) -> Document:
    """Return the format `date-time` for a time with an offset; RFC 3339 requires the offset."""
    is_date_time = isinstance(field, Timestamp) and field.aware and field.dump_only
    return {"format": "date-time"} if is_date_time else {}


def _describe_reference(converter: SchemaConverter, field: ma.fields.Field[Any], **_: Any) -> Document:
    if not isinstance(field, Reference):
        return {}
    null = [{"type": "null"}] if field.allow_none else []
    reference = converter.resolve_nested_schema(ReferenceSchema(unknown=ma.EXCLUDE))
    return {"anyOf": [reference, {"type": "string"}, *null]}


class SchemaConverter(OpenAPIConverter):
    """Converts marshmallow schemas to JSON schemas; the docstrings become the descriptions."""

    def init_attribute_functions(self) -> None:
        """Register the functions that describe the fields for times and references."""
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.add_attribute_function(_describe_timestamp)  # type: ignore[no-untyped-call]
        self.add_attribute_function(_describe_reference)  # type: ignore[no-untyped-call]

    def resolve_nested_schema(self, schema: Any) -> Any:
        """Return a reference to the component of the schema.

        A partial body without required fields has the same component as the full body.
        """
        instance = resolve_schema_instance(schema)
        if instance.partial and not any(field.required for field in instance.fields.values()):
            instance = type(instance)(many=instance.many)
        return super().resolve_nested_schema(instance)  # type: ignore[no-untyped-call]

    def schema2jsonschema(self, schema: Any) -> Document:
        """Return the JSON schema of a marshmallow schema."""
        instance = resolve_schema_instance(schema)
        json_schema: Document = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        if text := type(instance).__doc__:
            json_schema["description"] = text.partition("\n")[0]
        # Some generators treat a property with a default as required, even in a request.
        for field in json_schema["properties"].values():
            default = field.pop("default", None)
            if default not in (None, ""):
                texts = (field.get("description"), f"Default: {default}.")
                field["description"] = " ".join(filter(None, texts))
            field.pop("readOnly", None)
        if not isinstance(instance, InputSchema | EmptySchema | FileBodySchema):
            # Later versions may add properties to responses.
            json_schema.pop("additionalProperties", None)
        return json_schema


class ComponentPlugin(MarshmallowPlugin):
    """The apispec plugin with the converter and the component names of this module."""

    Converter = SchemaConverter

    def __init__(self) -> None:
        super().__init__(schema_name_resolver=_make_component_name)

    def list_read_only_fields(self) -> dict[str, frozenset[str]]:
        """Return the names of the read-only fields of each request body, by component."""
        assert self.converter is not None
        schemas = {name: key[0] for key, name in self.converter.refs.items()}
        return {name: schema.read_only for name, schema in schemas.items() if issubclass(schema, InputSchema)}


def get_component_name(schema: Document) -> str:
    """Return the name of the component to which a schema refers, or an empty string.

    For an array, this is the component of the items; for several alternatives, the first one.
    """
    item = schema.get("items", schema)
    reference: str = item.get("anyOf", [item])[0].get("$ref", "")
    return reference.removeprefix(SCHEMA_PREFIX)


def accept_responses_as_bodies(document: Document, read_only: Mapping[str, frozenset[str]]) -> None:
    """Make each JSON body of a PUT accept the responses that a GET and the PUT itself return.

    The body also gets the read-only properties, which a write ignores, so each response is a valid body. For
    languages with nominal types, the component of the response becomes an alternative of the body. The body
    of a working copy also accepts the response to a GET of its article or page.
    """
    schemas = document["components"]["schemas"]
    for path, method, operations in list_operations(document):
        item = document["paths"][path.removesuffix("working-copy/")]
        for media_type, media in operations[method].get("requestBody", {}).get("content", {}).items():
            body = get_component_name(media["schema"])
            if not body or media_type == MULTIPART_TYPE:
                continue
            reads = (operations.get("get", {}), operations[method], item.get("get", {}))
            responses = [name for read in reads if (name := _get_response_component(read))]
            for response in dict.fromkeys(responses):
                _add_read_only_fields(schemas, read_only, body, response)
            if method == "put":
                _accept_alternatives(media, [body, *dict.fromkeys(responses)])


def _get_response_component(operation: Document) -> str:
    """Return the name of the component that a successful response contains, or an empty string."""
    for status, response in operation.get("responses", {}).items():
        if status.startswith("2"):
            for media in response.get("content", {}).values():
                return get_component_name(media["schema"])
    return ""


def _add_read_only_fields(
    schemas: Document, read_only: Mapping[str, frozenset[str]], body: str, response: str
) -> None:
    """Add the read-only properties to a body, without types, because a write ignores their values."""
    properties, read = schemas[body]["properties"], schemas[response]["properties"]
    for name in sorted(read_only.get(body, ())):
        if name in read:
            properties.setdefault(name, {"readOnly": True})
    for name in properties.keys() & read.keys():
        nested, nested_read = get_component_name(properties[name]), get_component_name(read[name])
        if nested in read_only and nested_read:
            _add_read_only_fields(schemas, read_only, nested, nested_read)


def _accept_alternatives(media: Document, names: list[str]) -> None:
    alternatives = {"anyOf": [{"$ref": f"{SCHEMA_PREFIX}{name}"} for name in names]}
    is_array = media["schema"].get("type") == "array"
    media["schema"] = {"type": "array", "items": alternatives} if is_array else alternatives


def factor_out_base_schemas(document: Document) -> None:
    """Replace the properties that a schema shares with a base schema by a reference to the base schema."""
    schemas = document["components"]["schemas"]
    for name, family in _SCHEMA_FAMILIES.items():
        schemas[name] = {"description": f"What {', '.join(family)} have in common."}
        schemas[name] |= _make_common_schema([schemas[member] for member in family])
    large_schemas = {
        name: schema
        for name, schema in schemas.items()
        if len(schema.get("properties", {})) >= _MIN_INHERITED_PROPERTIES
    }
    for name, schema in large_schemas.items():
        bases = [
            base
            for base, other in large_schemas.items()
            if _is_extension(schema, other)
            and (name in _SCHEMA_FAMILIES.get(base, ()) or _is_closed(schema) == _is_closed(other))
        ]
        if bases:
            base = max(bases, key=lambda base: _count_inherited_properties(schema, large_schemas[base]))
            schemas[name] = _make_extension(schema, base, large_schemas[base])


def _make_common_schema(family: Sequence[Document]) -> Document:
    """Return a schema with the properties that all schemas share; the schema allows other properties."""
    first, *others = family
    properties = {
        name: value
        for name, value in first["properties"].items()
        if all(other["properties"].get(name) == value for other in others)
    }
    required = [name for name in properties if all(name in schema.get("required", ()) for schema in family)]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _is_closed(schema: Document) -> bool:
    # A closed schema allows no properties other than its own.
    return "additionalProperties" in schema


def _is_extension(schema: Document, base: Document) -> bool:
    """Return whether each value of the schema is also valid for the base, and the two schemas differ."""
    properties, others = schema["properties"], base["properties"]
    required, required_in_base = set(schema.get("required", ())), set(base.get("required", ()))
    return (
        (properties.keys() == others.keys() if _is_closed(base) else properties.keys() >= others.keys())
        and (properties, required) != (others, required_in_base)
        and required >= required_in_base
        and all(value in (properties[name], {"readOnly": True}) for name, value in others.items())
    )


def _count_inherited_properties(schema: Document, base: Document) -> tuple[int, int]:
    """Return how many properties the schema inherits from the base, and how many the base requires."""
    inherited = [name for name, value in base["properties"].items() if value == schema["properties"][name]]
    return len(inherited), len(base.get("required", ()))


def _make_extension(schema: Document, base: str, inherited: Document) -> Document:
    required = [key for key in schema.get("required", ()) if key not in inherited.get("required", ())]
    properties = {
        name: value
        for name, value in schema["properties"].items()
        # Some generators ignore that a property is required unless the extension repeats the property.
        if name in required or value != inherited["properties"].get(name)
    }
    # Some generators ignore properties beside `allOf`.
    extension = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    derived = {"description": schema["description"], "allOf": [{"$ref": f"{SCHEMA_PREFIX}{base}"}, extension]}
    if _is_closed(schema) and not _is_closed(inherited):
        derived["unevaluatedProperties"] = False
    return derived


def list_operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield (path, method, operations of the path) for each operation of the document."""
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                yield path, method, operations
