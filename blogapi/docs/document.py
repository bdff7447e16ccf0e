"""The OpenAPI document, generated from the routes, their access rules and their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

import flask_smorest
import marshmallow as ma
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from blogapi.docs import examples
from blogapi.docs.schemas import ProblemSchema
from blogapi.web import headers
from blogapi.web.access import Access, Rule, get_access
from blogapi.web.blueprint import Blueprint, IdConverter
from blogapi.web.errors import PROBLEM_JSON, default_problem, reason_phrase
from blogapi.web.fields import FieldNames, Identifier, Timestamp
from blogapi.web.request_id import REQUEST_ID_HEADER

Document = dict[str, Any]

METHODS = {"get", "post", "put", "patch", "delete"}

_EXTENSION = "blogapi-document"

_COMMON_HEADERS = tuple(header.name for header in headers.RESPONSE_HEADERS)
_HEADERS: dict[str, Document] = {
    **{
        header.name: {"description": header.description, "schema": dict(header.schema)}
        for header in headers.RESPONSE_HEADERS
    },
    "ETag": {
        "description": "Validator of this response. Send it in the header If-None-Match of a read, or in the "
        "header If-Match of a write.",
        "schema": {"type": "string"},
    },
    "Allow": {"schema": {"type": "string", "example": headers.DOCUMENTED_ALLOW}},
    "X-Total-Count": {"description": "Number of items on all pages.", "schema": {"type": "integer"}},
    "Link": {
        "description": "URLs of the first, previous, next and last page, if the request asks for a page.",
        "schema": {"type": "string"},
    },
    "Location": {"description": "Path of the created item.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"schema": {"type": "string", "enum": ["ApiKey"]}},
    "Retry-After": {"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer"}},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": "ETag of an earlier response. If the item has changed, the write is refused with 412.",
    "schema": {"type": "string"},
}
_REQUEST_ID = {
    "name": REQUEST_ID_HEADER,
    "in": "header",
    "description": "An id that the client chooses, for use in logs. A malformed id is replaced.",
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A unique key of your choice. If a request is repeated with the same key within 24 "
    "hours, it is not executed again, and the response to the first request is returned.",
    "schema": {"type": "string", "maxLength": 255},
}
_ERROR_HEADERS = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}


def init_app(app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
    """Register the OpenAPI document of the blueprints. It is generated at its first use and then cached."""
    app.extensions[_EXTENSION] = cache(lambda: Api(app, blueprints, version=version).document)


def get_document(app: Flask) -> Document:
    """Return the OpenAPI document of the application."""
    document: Document = app.extensions[_EXTENSION]()
    return document


class Api(flask_smorest.Api):  # type: ignore[misc]
    """Collects the operations of the blueprints and generates the document."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME: ClassVar[None] = None

    def __init__(self, app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
        super().__init__(
            spec_kwargs={
                "title": "blogapi",
                "version": version,
                "openapi_version": "3.1.0",
                "marshmallow_plugin": MarshmallowPlugin(schema_name_resolver=_schema_name),
                "info": {
                    "description": "Read and write the articles, categories and tags of a blog. Send an "
                    "API key with each request. All timestamps are UTC."
                },
                "servers": [{"url": "/"}],
            }
        )
        self.register_field(Identifier, "string", "uuid")
        self.register_field(Timestamp, "string", None)
        self.register_field(FieldNames, "string", None)
        self.register_converter(IdConverter, lambda converter: {"type": "string", "format": "uuid"})
        self.init_app(app)
        for blueprint in blueprints:
            blueprint.register_views_in_doc(self, app, self.spec, name=blueprint.name, parameters=None)
            self.spec.tag({"name": blueprint.name, "description": blueprint.description})

    def _register_error_handlers(self) -> None:
        """Leave error handling to `web.errors`."""

    @property
    def document(self) -> Document:
        """The complete OpenAPI document."""
        components = self.spec.components
        components.security_scheme("key", {"type": "apiKey", "in": "header", "name": "X-API-KEY"})
        components.security_scheme("login", {"type": "apiKey", "in": "cookie", "name": "blogapi_session"})
        for name, header in _HEADERS.items():
            components.header(name, header)
        components.parameter(REQUEST_ID_HEADER, "header", _REQUEST_ID)
        self._reference(ProblemSchema)
        views = {endpoint.replace(".", "_"): view for endpoint, view in self._app.view_functions.items()}
        partial_schemas = {
            name: self._reference(schema) for name, view in views.items() if (schema := _partial_schema(view))
        }
        document: Document = self.spec.to_dict()
        document["components"]["responses"] = {}
        self._add_read_only_fields(document["components"]["schemas"])
        for path, operations in document["paths"].items():
            operations.setdefault("parameters", []).append(
                {"$ref": f"#/components/parameters/{REQUEST_ID_HEADER}"}
            )
            for method in METHODS & operations.keys():
                name = operations[method]["operationId"]
                _complete_operation(
                    operations[method], path, method, views[name], partial_schemas.get(name), document
                )
        return document

    def _add_read_only_fields(self, schemas: Document) -> None:
        """Add the ignored read-only fields to each request body, so that a response is a valid body."""
        for key, name in self.ma_plugin.converter.refs.items():
            for field in sorted(getattr(key[0], "read_only", ())):
                schemas[name]["properties"].setdefault(field, {"readOnly": True})

    def _reference(self, schema: type[ma.Schema]) -> Document:
        reference: Document = self.ma_plugin.resolver.resolve_schema_dict(schema)
        return reference


def _schema_name(schema: type[ma.Schema] | ma.Schema) -> str:
    """Return the name of a schema in the document; a partial body is named `…Changes`."""
    schema_class = schema if isinstance(schema, type) else type(schema)
    name = schema_class.__name__.removesuffix("Schema")
    return f"{name}Changes" if isinstance(schema, ma.Schema) and schema.partial else name


def _partial_schema(view: Any) -> type[ma.Schema] | None:
    schema: type[ma.Schema] | None = view.__dict__.get("partial_schema")
    return schema


def _complete_operation(
    operation: Document,
    path: str,
    method: str,
    view: Any,
    partial_schema: Document | None,
    document: Document,
) -> None:
    """Add the access rule, examples, headers and errors that the view does not declare itself."""
    access = get_access(view)
    assert access is not None
    operation["security"] = _security_requirements(access.rule)
    operation["description"] = "\n\n".join(
        (_describe_access(access), *filter(None, [operation.get("description")]))
    )
    for media in operation.get("requestBody", {}).get("content", {}).values():
        media["example"] = examples.make_example(media["schema"], document)
    responses = {status: response for status, response in operation["responses"].items() if int(status) < 300}
    for status, response in responses.items():
        _complete_response(response, method, view, partial_schema, document)
        if status == "201" and view.__dict__.get("writes"):
            response["headers"] |= _header_references("Location")
    if method == "get":
        responses["304"] = {
            "description": "The client's copy is up to date.",
            "headers": _header_references(*_COMMON_HEADERS, "ETag"),
        }
    if view.__dict__.get("writes"):
        conditions = [_IF_MATCH, _IDEMPOTENCY_KEY] if method == "post" else [_IF_MATCH]
        operation.setdefault("parameters", []).extend(conditions)
    shared_responses = document["components"]["responses"]
    for status in _error_statuses(operation, path, method, view):
        name = reason_phrase(status).replace(" ", "")
        shared_responses.setdefault(name, _problem_response(status))
        responses[str(status)] = {"$ref": f"#/components/responses/{name}"}
    operation["responses"] = responses


def _complete_response(
    response: Document, method: str, view: Any, partial_schema: Document | None, document: Document
) -> None:
    names = [*_COMMON_HEADERS]
    if method == "get":
        names.append("ETag")
    if view.__dict__.get("section"):
        names.append("Allow")
    for media in response.get("content", {}).values():
        media["example"] = examples.make_example(media["schema"], document)
        is_list = media["schema"].get("type") == "array"
        if view.__dict__.get("writes") and not is_list:
            names.append("ETag")
        if is_list and method == "get":
            names += ["X-Total-Count", "Link"]
        if partial_schema is not None:
            partial = {"type": "array", "items": partial_schema} if is_list else partial_schema
            media["schema"] = {"anyOf": [media["schema"], partial]}
    response["headers"] = response.get("headers", {}) | _header_references(*names)


def _describe_access(access: Access) -> str:
    scope = f" Scope: {access.scope}." if access.rule.checks_credentials else ""
    return f"For: {access.rule.description}.{scope}"


def _security_requirements(rule: Rule) -> list[dict[str, list[str]]]:
    identified: list[dict[str, list[str]]] = [{"key": []}, {"login": []}]
    if rule.requires_credentials:
        return identified
    return [{}, *identified] if rule.checks_credentials else []


def _error_statuses(operation: Document, path: str, method: str, view: Any) -> Iterator[int]:
    """Yield the error statuses that the operation can return."""
    yield 400
    access = get_access(view)
    assert access is not None
    if access.rule.checks_credentials or "requestBody" in operation:
        yield from (401, 403)
    if "{" in path:
        yield 404
    if "requestBody" in operation:
        yield from (413, 415, 422)
    # Request limits apply to every path except the health check.
    if operation["operationId"] != "health_check":
        yield 429
    if view.__dict__.get("writes"):
        yield from (404, 409, 422, 428)
    if method != "get":
        yield 412
    yield from (500, 503)
    if method != "get":
        yield 507


def _problem_response(status: int) -> Document:
    code, detail = default_problem(status)
    example = {
        "type": "about:blank",
        "title": reason_phrase(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    extra_headers = (_ERROR_HEADERS[status],) if status in _ERROR_HEADERS else ()
    return {
        "description": reason_phrase(status),
        "headers": _header_references(*_COMMON_HEADERS, *extra_headers),
        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }


def _header_references(*names: str) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
