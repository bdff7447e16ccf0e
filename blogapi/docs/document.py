"""The OpenAPI document: what the routes, their rules and their schemas say, and nothing written twice."""

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
from blogapi.web.errors import PROBLEM_JSON, default_problem, phrase
from blogapi.web.fields import FieldNames, Identifier, Timestamp
from blogapi.web.request_id import REQUEST_ID_HEADER

Document = dict[str, Any]

METHODS = {"get", "post", "put", "patch", "delete"}

_EXTENSION = "blogapi-document"

_ALWAYS = tuple(header.name for header in headers.RESPONSE_HEADERS)
_HEADERS: dict[str, Document] = {
    **{
        header.name: {"description": header.description, "schema": dict(header.schema)}
        for header in headers.RESPONSE_HEADERS
    },
    "ETag": {
        "description": "Of exactly this answer; send it as If-None-Match.",
        "schema": {"type": "string"},
    },
    "Allow": {"schema": {"type": "string", "example": headers.DOCUMENTED_ALLOW}},
    "X-Total-Count": {"description": "Items in the whole list.", "schema": {"type": "integer"}},
    "Link": {"description": "first, prev, next and last page, where paged.", "schema": {"type": "string"}},
    "Location": {"description": "Path of what was created.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"schema": {"type": "string", "enum": ["ApiKey"]}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag of what was read: the write happens only if nothing changed since.",
    "schema": {"type": "string"},
}
_REQUEST_ID = {
    "name": REQUEST_ID_HEADER,
    "in": "header",
    "description": "An id of the client's choice for the logs of both sides; a malformed one is replaced.",
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Under the same key, the same request is answered again for 24 hours, not done again.",
    "schema": {"type": "string", "maxLength": 255},
}
_CONDITIONS: dict[bool, list[Document]] = {False: [_IF_MATCH], True: [_IF_MATCH, _IDEMPOTENCY_KEY]}
_OF_ERRORS = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}


def init_app(app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
    """Promise the document of the blueprints; it is made when it is first asked for, and then kept."""
    app.extensions[_EXTENSION] = cache(lambda: Api(app, blueprints, version=version).document)


def get_document(app: Flask) -> Document:
    """Return the document of the application."""
    document: Document = app.extensions[_EXTENSION]()
    return document


class Api(flask_smorest.Api):  # type: ignore[misc]
    """Collects the operations of the blueprints and makes the document of them."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME: ClassVar[None] = None

    def __init__(self, app: Flask, blueprints: Sequence[Blueprint], *, version: str) -> None:
        super().__init__(
            spec_kwargs={
                "title": "blogapi",
                "version": version,
                "openapi_version": "3.1.0",
                "marshmallow_plugin": MarshmallowPlugin(schema_name_resolver=_name_of),
                "info": {
                    "description": "Articles, categories and tags of one blog, over HTTP with an API key."
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
        """Leave all errors to `web.errors`."""

    @property
    def document(self) -> Document:
        """Return the whole document."""
        components = self.spec.components
        components.security_scheme("key", {"type": "apiKey", "in": "header", "name": "X-API-KEY"})
        components.security_scheme("login", {"type": "apiKey", "in": "cookie", "name": "blogapi_session"})
        for name, header in _HEADERS.items():
            components.header(name, header)
        components.parameter(REQUEST_ID_HEADER, "header", _REQUEST_ID)
        self._reference(ProblemSchema)
        views = {endpoint.replace(".", "_"): view for endpoint, view in self._app.view_functions.items()}
        partial_schema = {
            name: self._reference(shape) for name, view in views.items() if (shape := _trimmed(view))
        }
        document: Document = self.spec.to_dict()
        document["components"]["responses"] = {}
        self._show_read_only(document["components"]["schemas"])
        for path, operations in document["paths"].items():
            operations.setdefault("parameters", []).append(
                {"$ref": f"#/components/parameters/{REQUEST_ID_HEADER}"}
            )
            for method in METHODS & operations.keys():
                name = operations[method]["operationId"]
                _complete(operations[method], path, method, views[name], partial_schema.get(name), document)
        return document

    def _show_read_only(self, schemas: Document) -> None:
        """Add to each body the fields that it passes over, so that what was read fits it."""
        for key, name in self.ma_plugin.converter.refs.items():
            for field in sorted(getattr(key[0], "read_only", ())):
                schemas[name]["properties"].setdefault(field, {"readOnly": True})

    def _reference(self, shape: type[ma.Schema]) -> Document:
        reference: Document = self.ma_plugin.resolver.resolve_schema_dict(shape)
        return reference


def _name_of(schema: type[ma.Schema] | ma.Schema) -> str:
    """Return the name of a schema in the document; the partial form of a body is its `Changes`."""
    shape = schema if isinstance(schema, type) else type(schema)
    name = shape.__name__.removesuffix("Schema")
    return f"{name}Changes" if isinstance(schema, ma.Schema) and schema.partial else name


def _trimmed(view: Any) -> type[ma.Schema] | None:
    shape: type[ma.Schema] | None = view.__dict__.get("partial_schema")
    return shape


def _complete(
    operation: Document,
    path: str,
    method: str,
    view: Any,
    partial_schema: Document | None,
    document: Document,
) -> None:
    """Add what the rule, the schemas and the hooks say of an operation beyond what the view declared."""
    access = get_access(view)
    assert access is not None
    operation["security"] = _security(access.rule)
    operation["description"] = "\n\n".join(
        (_permission(access), *filter(None, [operation.get("description")]))
    )
    for media in operation.get("requestBody", {}).get("content", {}).values():
        media["example"] = examples.make_example(media["schema"], document)
    success = {status: answer for status, answer in operation["responses"].items() if int(status) < 300}
    for status, answer in success.items():
        _describe(answer, method, view, partial_schema, document)
        if status == "201" and view.__dict__.get("writes"):
            answer["headers"] |= _headers("Location")
    if method == "get":
        success["304"] = {
            "description": "Nothing changed.",
            "headers": _headers(*_ALWAYS, "ETag"),
        }
    if view.__dict__.get("writes"):
        operation.setdefault("parameters", []).extend(_CONDITIONS[method == "post"])
    shared = document["components"]["responses"]
    for status in _errors(operation, path, method, view):
        name = phrase(status).replace(" ", "")
        shared.setdefault(name, _problem(status))
        success[str(status)] = {"$ref": f"#/components/responses/{name}"}
    operation["responses"] = success


def _describe(
    answer: Document, method: str, view: Any, partial_schema: Document | None, document: Document
) -> None:
    names = [*_ALWAYS]
    if method == "get":
        names.append("ETag")
    if view.__dict__.get("section"):
        names.append("Allow")
    for media in answer.get("content", {}).values():
        media["example"] = examples.make_example(media["schema"], document)
        is_list = media["schema"].get("type") == "array"
        if view.__dict__.get("writes") and not is_list:
            names.append("ETag")
        if is_list and method == "get":
            names += ["X-Total-Count", "Link"]
        if partial_schema is not None:
            few = {"type": "array", "items": partial_schema} if is_list else partial_schema
            media["schema"] = {"anyOf": [media["schema"], few]}
    answer["headers"] = answer.get("headers", {}) | _headers(*names)


def _permission(access: Access) -> str:
    scope = f" Scope: {access.scope}." if access.rule.identifies else ""
    return f"For: {access.rule.sentence}.{scope}"


def _security(rule: Rule) -> list[dict[str, list[str]]]:
    known: list[dict[str, list[str]]] = [{"key": []}, {"login": []}]
    if rule.requires:
        return known
    return [{}, *known] if rule.identifies else []


def _errors(operation: Document, path: str, method: str, view: Any) -> Iterator[int]:
    """Yield the statuses of the errors that the operation can answer with."""
    yield 400
    access = get_access(view)
    assert access is not None
    if access.rule.identifies or "requestBody" in operation:
        yield from (401, 403)
    if "{" in path:
        yield 404
    if "requestBody" in operation:
        yield from (413, 415, 422)
    # Where a setting limits requests, any is refused; to check the health is none.
    if operation["operationId"] != "health_check":
        yield 429
    if view.__dict__.get("writes"):
        yield from (404, 409, 422, 428)
    if method != "get":
        yield 412
    yield from (500, 503)
    if method != "get":
        yield 507


def _problem(status: int) -> Document:
    code, detail = default_problem(status)
    example = {
        "type": "about:blank",
        "title": phrase(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    extra = (_OF_ERRORS[status],) if status in _OF_ERRORS else ()
    return {
        "description": phrase(status),
        "headers": _headers(*_ALWAYS, *extra),
        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }


def _headers(*names: str) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
