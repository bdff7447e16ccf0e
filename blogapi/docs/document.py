"""The OpenAPI document, generated from the routes, their access rules and their schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, get_args

import flask_smorest
import marshmallow as ma
from flask import Flask

from blogapi.docs.components import (
    ComponentPlugin,
    Document,
    accept_responses_as_bodies,
    factor_out_base_schemas,
    get_component_name,
    list_operations,
)
from blogapi.docs.custom_fields import mark_custom_field_filters
from blogapi.docs.operations import HEADERS, PARAMETERS, add_undeclared_parts, move_path_parameters
from blogapi.docs.shared_components import (
    drop_unused_schemas,
    extract_shared_enums,
    extract_shared_objects,
    extract_shared_parameters,
    extract_shared_responses,
    extract_shared_timestamps,
)
from blogapi.web.access import get_access
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import ErrorCode
from blogapi.web.fields import FieldNames, Identifier, Timestamp
from blogapi.web.headers import RESPONSE_HEADERS
from blogapi.web.operation import get_operation
from blogapi.web.request_environ import REQUEST_ID_HEADER
from blogapi.web.slug_lookup import IdConverter, ReferenceConverter

_DOCUMENT_KEY = "blogapi-document"
_HEADER_NAMES = ", ".join(f"`{header.name}`" for header in RESPONSE_HEADERS)


class ProblemSchema(ma.Schema):
    """An error (RFC 9457): what is wrong and what to do about it."""

    type = ma.fields.String(required=True, metadata={"example": "about:blank"})
    title = ma.fields.String(required=True, metadata={"example": "Not Found"})
    status = ma.fields.Integer(required=True, metadata={"example": 404})
    detail = ma.fields.String(required=True, metadata={"description": "What is wrong, and what to do next."})
    code = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(get_args(ErrorCode)),
        metadata={"description": "A stable error code for programs.", "example": "not_found"},
    )
    errors = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.List(ma.fields.String()),
        metadata={
            "description": "Invalid fields or parameters, each with a list of messages.",
            "example": {"name": ["Must not be empty."]},
        },
    )
    uuid = Identifier(metadata={"description": "The item that has the name already (`name_taken`)."})


def init_app(app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
    """Register the OpenAPI document of the blueprints; it is generated at its first use and then cached."""
    app.extensions[_DOCUMENT_KEY] = cache(lambda: DocumentApi(app, blueprints, version=version).document)


def get_document(app: Flask) -> Document:
    """Return the OpenAPI document of the application."""
    document: Document = app.extensions[_DOCUMENT_KEY]()
    return document


class DocumentApi(flask_smorest.Api):  # type: ignore[misc]
    """Collects the operations of the blueprints and generates the document."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME: ClassVar[None] = None

    def __init__(self, app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
        super().__init__(
            spec_kwargs={
                "title": "blogapi",
                "version": version,
                "openapi_version": "3.1.0",
                "marshmallow_plugin": ComponentPlugin(),
                "info": {
                    "description": "Read and write the articles, categories and tags of a blog. Send an "
                    "API key with each request. All timestamps are UTC. Every response has the headers "
                    f"{_HEADER_NAMES}. A request may have the header `{REQUEST_ID_HEADER}`, an id that the "
                    "client chooses for use in logs; a malformed id is replaced."
                },
                "servers": [{"url": "/"}],
            }
        )
        self.register_field(Identifier, "string", "uuid")
        self.register_field(Timestamp, "string", None)
        self.register_field(FieldNames, "string", None)
        self.register_converter(IdConverter, lambda converter: {"type": "string", "format": "uuid"})
        self.register_converter(ReferenceConverter, lambda converter: {"type": "string"})
        self.init_app(app)
        for blueprint in blueprints:
            blueprint.register_views_in_doc(self, app, self.spec, name=blueprint.name, parameters=None)
            self.spec.tag({"name": blueprint.name, "description": blueprint.description})

    def _register_error_handlers(self) -> None:
        """Register nothing, because `web.error_handlers` handles all errors."""

    @property
    def document(self) -> Document:
        components = self.spec.components
        components.security_scheme("key", {"type": "apiKey", "in": "header", "name": "X-API-KEY"})
        components.security_scheme(
            "login",
            {
                "type": "apiKey",
                "in": "cookie",
                "name": "blogapi_session",
                "description": "Behind TLS, its name is `__Host-blogapi_session`.",
            },
        )
        for name, header in HEADERS.items():
            components.header(name, header)
        for name, parameter in PARAMETERS.items():
            components.parameter(name, parameter["in"], parameter)
        self.ma_plugin.resolver.resolve_schema_dict(ProblemSchema)
        views = {
            declared.id: view
            for view in self._app.view_functions.values()
            if (declared := get_operation(view)).id
        }
        selectable = self._find_selectable_fields(views)
        document: Document = self.spec.to_dict()
        document["components"]["responses"] = {}
        for path, method, operations in list_operations(document):
            documented = operations[method]
            view = views[documented["operationId"]]
            access = get_access(view, public_reads=self._app.config["PUBLIC_READS"])
            assert access is not None
            mark_custom_field_filters(documented)
            add_undeclared_parts(documented, path, method, get_operation(view), document, access)
        # Properties that a response has only with `fields` are optional.
        for name, properties in selectable:
            for field, json_schema in properties.items():
                document["components"]["schemas"][name]["properties"].setdefault(field, json_schema)
        extract_shared_enums(document)
        accept_responses_as_bodies(document, self.ma_plugin.list_read_only_fields())
        extract_shared_timestamps(document)
        extract_shared_objects(document)
        factor_out_base_schemas(document)
        move_path_parameters(document)
        extract_shared_parameters(document)
        extract_shared_responses(document)
        drop_unused_schemas(document)
        return document

    def _find_selectable_fields(self, views: Mapping[str, Any]) -> list[tuple[str, Document]]:
        """Return, for each response with `fields`, its component and all properties that it can have."""
        components = []
        for declared in map(get_operation, views.values()):
            if (schema := declared.partial_schema) is not None:
                reference = self.ma_plugin.resolver.resolve_schema_dict(declared.schema)
                json_schema = self.ma_plugin.converter.schema2jsonschema(schema())
                components.append((get_component_name(reference), json_schema["properties"]))
        return components
