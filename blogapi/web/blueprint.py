"""The blueprint that all resources use: arguments and answers by schema, each documented as it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, NoReturn
from uuid import UUID

import flask
import flask_smorest
import marshmallow as ma
from flask import Request, Response, request
from webargs.flaskparser import FlaskParser
from werkzeug.routing import BaseConverter

from blogapi.web import headers
from blogapi.web import json as web_json
from blogapi.web.access import SAFE_METHODS
from blogapi.web.conditional import perform_write
from blogapi.web.errors import (
    Invalid,
    InvalidQuery,
    Malformed,
    NotFound,
    PreconditionFailed,
    flatten_messages,
)
from blogapi.web.fields import OutputSchema, PartialOutputSchema, parse_uuid
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, Query

View = Callable[..., Response]

# A malformed id is the id of nothing: it is looked up like any other and not found.
NIL_UUID = UUID(int=0)


class IdConverter(BaseConverter):
    """The id in a path: any single segment, so that a stranger hears 401 before they hear 404."""

    def to_python(self, value: str) -> UUID:
        """Return the UUID, or that of nothing for a malformed one."""
        return parse_uuid(value) or NIL_UUID


class Parser(FlaskParser):
    """Reads query strings and bodies: strictly, and with errors of our own."""

    DEFAULT_UNKNOWN_BY_LOCATION = {"query": ma.RAISE, "json": ma.RAISE}  # noqa: RUF012 (webargs names it so)

    def load_querystring(self, req: Request, schema: ma.Schema) -> dict[str, Any]:
        """Return the parameters; one that is given twice must be one that may be repeated."""
        found: dict[str, Any] = {}
        for name, values in req.args.lists():
            repeatable = isinstance(schema.fields.get(name), ma.fields.List)
            if len(values) > 1 and not repeatable:
                raise InvalidQuery(f"The parameter {name!r} is given {len(values)} times; give it once.")
            found[name] = values if repeatable else values[0]
        return found

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Return what the body says; no body is an empty object."""
        body = web_json.read_json_body(req)
        return ma.missing if body is None else body

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: Any) -> NoReturn:
        """Say all that is wrong at once."""
        messages = error.messages
        assert isinstance(messages, Mapping)
        if "query" in messages:
            raise InvalidQuery(
                "The query string is invalid; `errors` names each wrong parameter.",
                errors=flatten_messages(messages["query"]),
            )
        raise Invalid(
            "Some fields are invalid; `errors` names them all.", errors=flatten_messages(messages["json"])
        )


class PartialResult:
    """A result of which only some fields are to be shown (None: all that the schema shows).

    `unlisted` is the state of what the result leaves out and its ETag must tell of.
    """

    def __init__(self, result: Any, query: Query | None = None, *, unlisted: str = "") -> None:
        self.result = result
        self.fields = query.fields if query else None
        self.unlisted = unlisted


@dataclass(frozen=True, slots=True)
class Representation:
    """What a GET shows of a resource: one item by its uuid, and the whole list, with their schemas.

    `unlisted` tells the state of what a write of the list can change and the list does not show.
    """

    item: Callable[[UUID], Any]
    item_shape: ma.Schema
    items: Callable[[], Any]
    items_shape: ma.Schema
    unlisted: Callable[[], str] = str

    def etag(self, id: UUID | None) -> str | None:
        """Return the validator of an item, or of the list (None); None where there is no such item."""
        try:
            shown = self.items() if id is None else self.item(id)
        except NotFound:
            return None
        shape = self.items_shape if id is None else self.item_shape
        return _rendered(shown, shape).etag(self.unlisted() if id is None else "")


@dataclass(frozen=True, slots=True)
class UpsertResult:
    """A written item, and whether the write created it."""

    item: Any
    created: bool


class Blueprint(flask_smorest.Blueprint, flask.Blueprint):  # type: ignore[misc]
    """A blueprint whose views take and return objects; the schemas make bytes of them.

    Flask's own blueprint stands among the bases for its types, which flask-smorest does not have.
    """

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, module: str, *, description: str, url_prefix: str | None = None) -> None:
        super().__init__(name, module, url_prefix=url_prefix)
        self.description = description

    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: Any = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        """Register the view, in the document under its endpoint's name."""
        documented = view_func.__dict__.setdefault("_apidoc", {})
        documented.setdefault("manual_doc", {})["operationId"] = f"{self.name}_{view_func.__name__}"
        super().add_url_rule(rule, endpoint, view_func, provide_automatic_options, **options)

    def item(self, lookup: Callable[[UUID], object]) -> Callable[[View], View]:
        """Look the item of the path up before the body is read, so that a 404 comes before a 422."""

        def decorate(view: View) -> View:
            @wraps(view)
            def looked_up(*args: Any, id: UUID, **kwargs: Any) -> Any:
                lookup(id)
                return view(*args, id=id, **kwargs)

            return looked_up

        return decorate

    def named(self, view: View) -> View:
        """Refuse a malformed id before the body is read: nothing can be made under it."""

        def exists(id: UUID) -> None:
            if id == NIL_UUID:
                raise NotFound("The id is not a UUID; nothing can stand under it.")

        return self.item(exists)(view)

    def arguments(
        self, schema: type[ma.Schema] | ma.Schema, *, location: str = "json", **options: Any
    ) -> Callable[[View], View]:
        """Hand what the query string or the body says to the view, as its first argument."""
        # Made once: webargs would make a class into a schema at every request.
        made = schema() if isinstance(schema, type) else schema
        decorate: Callable[[View], View] = super().arguments(made, location=location, **options)
        return decorate

    def response(
        self,
        status_code: int,
        schema: ma.Schema | dict[str, Any] | None = None,
        *,
        partial_schema: type[PartialOutputSchema] | None = None,
        section: str = "",
        stored: bool = True,
        cacheable: bool = False,
        **options: Any,
    ) -> Callable[[Callable[..., Any]], View]:
        """Answer with what the view returns, in the shape of the schema.

        `partial_schema` is the schema of all fields that `fields=` may name; `section` the part of the
        interface that documents the operation, whose `Allow` value it then carries; `stored` whether a
        browser may store the response; `cacheable` whether the response depends on nothing but the request,
        the key, the database and the time, so that the response cache may replay it. A view that returns a
        Page responds with its rows and the paging headers.
        """
        document = super().response(status_code, schema, **options)

        def decorate(view: Callable[..., Any]) -> View:
            @wraps(view)
            def answering(*args: Any, **kwargs: Any) -> Response:
                response = _answer(view(*args, **kwargs), status_code, schema, partial_schema)
                if not stored:
                    response.headers["Cache-Control"] = "no-store"
                return _documented(response, section)

            documented: View = document(answering)
            documented.__dict__.update(partial_schema=partial_schema, section=section, cacheable=cacheable)
            return documented

        return decorate

    def write(
        self,
        status_code: int,
        shape: ma.Schema | None,
        shown: Representation,
        *,
        creates: bool = False,
        section: str = "",
    ) -> Callable[[Callable[..., Any]], View]:
        """Answer with what a writing view returns, done in one transaction with all checks before it.

        Preconditions are judged by what a GET of the path shows; the answer's ETag is the item's. A view
        that creates or replaces (`creates`) returns a Placed.
        """
        document = super().response(status_code, shape)
        also = super().alt_response(201, schema=shape, success=True) if creates else None

        def decorate(view: Callable[..., Any]) -> View:
            @wraps(view)
            def writing(*args: Any, **kwargs: Any) -> Response:
                response = perform_write(
                    lambda: self._written(view(*args, **kwargs), status_code, shape, shown),
                    lambda: shown.etag(kwargs.get("id")),
                )
                return _documented(response, section)

            documented: View = document(writing)
            documented = also(documented) if also is not None else documented
            documented.__dict__.update(writes=True, section=section)
            return documented

        return decorate

    def _written(self, result: Any, status: int, shape: ma.Schema | None, shown: Representation) -> Response:
        placed = result if isinstance(result, UpsertResult) else UpsertResult(result, created=status == 201)
        response = _answer(placed.item, 201 if placed.created else status, shape, None)
        if placed.created:
            response.headers["Location"] = f"{self.url_prefix}/{placed.item.uuid}/"
        if shape is not None and not isinstance(placed.item, list):
            response.set_etag(str(shown.etag(placed.item.uuid)))
        return response


def _documented(response: Response, section: str) -> Response:
    """Give an operation of the interface the `Allow` value that it shows there."""
    if section:
        response.headers["Allow"] = headers.DOCUMENTED_ALLOW
    return response


def _answer(
    result: Any,
    status: int,
    schema: ma.Schema | dict[str, Any] | None,
    partial_schema: type[PartialOutputSchema] | None,
) -> Response:
    if isinstance(result, Response):
        return result
    unlisted = ""
    if isinstance(result, PartialResult):
        unlisted = result.unlisted
        if result.fields is not None and partial_schema is not None:
            schema = _trimmed(partial_schema, tuple(sorted(set(result.fields))))
        result = result.result
    paged = isinstance(result, Page)
    shown = result.rows if paged else result
    if not isinstance(schema, ma.Schema):
        return Response(status=status)
    # A partial_schema schema is one for one item and for a page of them.
    rendered = _rendered(shown, schema, many=paged or schema.many)
    response = web_json.json_response(rendered.body, status)
    if request.method in ("GET", "HEAD"):
        response.set_etag(rendered.etag(unlisted))
    if paged:
        response.headers["X-Total-Count"] = str(result.total)
        links = result.links(request.path, list(request.args.items(multi=True)))
        if links:
            response.headers["Link"] = links
    return response


def _rendered(shown: Any, shape: ma.Schema, *, many: bool | None = None) -> JsonBody:
    """Return the body that shows it: as it was rendered when it was written, or as its schema renders it."""
    if isinstance(shown, JsonBody):
        return shown
    items = shown if isinstance(shown, Sequence) else [shown]
    beside = " ".join(shape.hidden(item) for item in items) if isinstance(shape, OutputSchema) else ""
    return JsonBody(web_json.to_json_bytes(shape.dump(shown, many=many)), beside)


@lru_cache(maxsize=256)
def _trimmed(shape: type[PartialOutputSchema], fields: tuple[str, ...]) -> PartialOutputSchema:
    return shape(only=fields)


def reject_conditional_headers(view: Callable[..., Any]) -> None:
    """Raise Stale or Malformed for conditions of a change that the view cannot honour, nothing being ignored.

    What it changes has no state that can be read, or its answer is secret and not kept for a retry.
    """
    if request.method in SAFE_METHODS or view.__dict__.get("writes"):
        return
    if "If-Match" in request.headers:
        raise PreconditionFailed(
            "This operation changes nothing that has an ETag; leave If-Match out.", etag=None
        )
    if "Idempotency-Key" in request.headers:
        raise Malformed("This operation cannot be repeated under an Idempotency-Key; leave it out.")


def reject_query_parameters(view: Callable[..., Any]) -> None:
    """Raise InvalidQuery for a query string that the view does not read, as nothing is ever ignored."""
    arguments = view.__dict__.get("_apidoc", {}).get("arguments", {}).get("parameters", ())
    if request.args and not any(argument["in"] == "query" for argument in arguments):
        raise InvalidQuery("This operation takes no query parameters.")
