"""The blueprint class of all resources, which parses arguments and renders responses with schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NoReturn, TypeVar, cast
from uuid import UUID

import flask
import flask_smorest
import marshmallow as ma
from flask import Request, Response, g, request
from webargs.flaskparser import FlaskParser

from blogapi.web import headers, read_only
from blogapi.web import json as web_json
from blogapi.web.conditional import perform_write
from blogapi.web.errors import Invalid, InvalidQuery, Problem, flatten_messages
from blogapi.web.field_names import FieldNames
from blogapi.web.fields import PrefixedParameters
from blogapi.web.json import JsonBody
from blogapi.web.operation import get_operation, make_operation_id
from blogapi.web.pagination import DetailQuery, Page
from blogapi.web.representation import PartialResult, Representation, UpsertResult, restrict_schema, serialize


class ArgumentParser(FlaskParser):
    """Parses query strings and JSON bodies; unknown fields are refused."""

    DEFAULT_UNKNOWN_BY_LOCATION = {"query": ma.RAISE, "json": ma.RAISE}  # noqa: RUF012 (webargs names it so)

    def load_querystring(self, req: Request, schema: ma.Schema) -> dict[str, Any]:
        """Return the query parameters; raises InvalidQuery if a parameter that is not a list is repeated."""
        parameters: dict[str, Any] = {}
        for name, values in req.args.lists():
            prefix, _, rest = name.partition(".")
            if isinstance(schema.fields.get(prefix), PrefixedParameters):
                parameters.setdefault(prefix, {})[rest] = values
                continue
            repeatable = isinstance(schema.fields.get(name), ma.fields.List)
            if len(values) > 1 and not repeatable:
                raise InvalidQuery(f"The parameter {name!r} is sent {len(values)} times; send it once.")
            parameters[name] = values if repeatable else values[0]
        # A search form sends an empty `q` if the reader entered nothing.
        if "q" in schema.fields and parameters.get("q") == "":
            del parameters["q"]
        return parameters

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Return the parsed body; for no body, return `missing`, which webargs loads as an empty object."""
        body = web_json.read_json_body(req)
        if req.method == "PATCH":
            g.sent_read_only = read_only.collect(schema, body)
        return ma.missing if body is None else body

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: Any) -> NoReturn:
        """Raise InvalidQuery or Invalid with the messages of all wrong fields."""
        messages = error.messages
        assert isinstance(messages, Mapping)
        if "query" in messages:
            errors = flatten_messages(messages["query"])
            known = {field.data_key or name: field for name, field in schema.fields.items()}
            names = [f"{name}.*" if isinstance(known[name], PrefixedParameters) else name for name in known]
            for name in errors.keys() & messages["query"].keys() - known.keys():
                errors[name] = [f"Unknown parameter; the known ones are {', '.join(sorted(names))}."]
            raise InvalidQuery(
                "The query string is invalid; `errors` names each wrong parameter.", errors=errors
            )
        raise Invalid(
            "Some fields are invalid; `errors` names them all.", errors=flatten_messages(messages["json"])
        )


View = Callable[..., Response]
AnyView = TypeVar("AnyView", bound=Callable[..., Any])


def with_indefinite_article(noun: str) -> str:
    """Return the noun with its indefinite article, for a summary."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def summary(sentence: str) -> Callable[[AnyView], AnyView]:
    """Set the docstring of a view, which the OpenAPI document shows as its summary."""

    def describe(view: AnyView) -> AnyView:
        view.__doc__ = sentence
        return view

    return describe


class Blueprint(flask_smorest.Blueprint, flask.Blueprint):  # type: ignore[misc]
    """A blueprint whose views take and return objects; schemas parse and render them.

    Flask's Blueprint is a base class because of its type annotations, which flask-smorest lacks.
    """

    ARGUMENTS_PARSER = ArgumentParser()

    # flask-smorest has no type annotations.
    doc: Callable[..., Callable[[View], View]]
    alt_response: Callable[..., Callable[[View], View]]

    def __init__(
        self,
        name: str,
        module: str,
        *,
        description: str,
        url_prefix: str | None = None,
        resource: str | None = None,
    ) -> None:
        """Create the blueprint.

        `resource` is the plural noun in the operation ids, or empty; the default is the name.
        """
        super().__init__(name, module, url_prefix=url_prefix)
        self.description = description
        self.resource = name if resource is None else resource

    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: Any = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        """Register the view, and set its `operationId` in the OpenAPI document unless `doc` has set one."""
        documented = view_func.__dict__.setdefault("_apidoc", {}).setdefault("manual_doc", {})
        if "operationId" not in documented:
            documented["operationId"] = make_operation_id(self.resource, view_func.__name__)
        get_operation(view_func).id = documented["operationId"]
        super().add_url_rule(rule, endpoint, view_func, provide_automatic_options, **options)

    def check_exists(
        self, lookup: Callable[[UUID], object], *, in_view: bool = False
    ) -> Callable[[View], View]:
        """Look up the item of the path before the body is read, so that a 404 comes before a 422.

        With `in_view`, the view itself raises the errors of `lookup`, so it is called only before another
        error.
        """

        def decorate(view: View) -> View:
            @wraps(view)
            def with_lookup(*args: Any, id: UUID, **kwargs: Any) -> Any:
                if not in_view:
                    lookup(id)
                try:
                    return view(*args, id=id, **kwargs)
                except Problem:
                    if in_view:
                        lookup(id)
                    raise

            return with_lookup

        return decorate

    def arguments(
        self, schema: type[ma.Schema] | ma.Schema, *, location: str = "json", **options: Any
    ) -> Callable[[View], View]:
        """Pass the parsed query string or body to the view as its first argument."""
        # webargs would instantiate a schema class again for every request.
        instance = schema() if isinstance(schema, type) else schema
        decorate: Callable[[View], View] = super().arguments(instance, location=location, **options)

        def declare(view: View) -> View:
            parsed = decorate(view)
            get_operation(parsed).takes_query |= location == "query"
            return parsed

        return declare

    def response(
        self,
        status_code: int,
        schema: ma.Schema | dict[str, Any] | None = None,
        *,
        partial_schema: type[ma.Schema] | None = None,
        query: type[DetailQuery] | None = None,
        single: type[ma.Schema] | None = None,
        section: str = "",
        storable: bool = True,
        cacheable: bool = False,
        may_be_missing: bool = False,
        **options: Any,
    ) -> Callable[[Callable[..., Any]], View]:
        """Send the return value of the view, rendered by the schema.

        `partial_schema` is the schema of all fields that `fields=` can select. With `query`, the view gets
        the parameters of that schema and `fields` as its first argument; for a list, `single` is the schema
        of all fields of a single item. `section` is the section of the interface specification that documents
        the operation; the response then has the documented `Allow` header. With `storable`, a browser may
        store the response. With `cacheable`, the response cache may replay the response, so it must depend
        only on the request, the key, the database and the time. With `may_be_missing`, the view can raise
        NotFound although its path contains no id. If the view returns a Page, the response contains its rows
        and the paging headers.
        """
        document = super().response(status_code, schema, **options)

        def decorate(view: Callable[..., Any]) -> View:
            @wraps(view)
            def respond(*args: Any, **kwargs: Any) -> Response:
                response = _build_response(view(*args, **kwargs), status_code, schema, partial_schema)
                if not storable:
                    response.headers["Cache-Control"] = headers.NO_STORE
                if section:
                    response.headers["Allow"] = headers.DOCUMENTED_ALLOW
                return response

            documented: View = document(respond)
            declared = get_operation(documented)
            declared.schema, declared.partial_schema, declared.section = schema, partial_schema, section
            declared.cacheable, declared.may_be_missing = cacheable, may_be_missing
            if query is not None and partial_schema is not None and isinstance(schema, ma.Schema):
                fields_query = _make_query_schema(partial_schema, type(schema), query, single)
                documented = self.arguments(fields_query, location="query")(documented)
            return documented

        return decorate

    def write(
        self,
        status_code: int,
        schema: ma.Schema | None,
        representation: Representation,
        *,
        partial_schema: type[ma.Schema] | None = None,
        creates: bool = False,
        prepare: Callable[..., object] | None = None,
        section: str = "",
    ) -> Callable[[Callable[..., Any]], View]:
        """Run a view that writes in one transaction and send its return value.

        Preconditions are checked against the ETag that a GET of the path returns. The response has the ETag
        of the item. `partial_schema` is the schema of all fields that `fields=` can select. With `creates`,
        the view creates or replaces the item and returns an UpsertResult. `prepare` gets the arguments of the
        view and does the slow work before the transaction.
        """
        document = super().response(status_code, schema)
        document_created = super().alt_response(201, schema=schema, success=True) if creates else None

        def decorate(view: Callable[..., Any]) -> View:
            @wraps(view)
            def respond(*args: Any, **kwargs: Any) -> Response:
                id = kwargs.get("id")
                # `fields` is the last argument that was parsed.
                names = None if partial_schema is None else args[-1].fields
                args = args if partial_schema is None else args[:-1]
                sent = g.pop("sent_read_only", ())
                size = len(request.get_data())
                errors = sent and read_only.find_changed(sent, id, representation.read_fields, max_bytes=size)
                if prepare is not None:
                    prepare(*args, **kwargs)

                def write() -> Response:
                    if errors:
                        raise Invalid("Some fields are read-only; `errors` names them.", errors=errors)
                    return self.build_write_response(
                        view(*args, **kwargs), status_code, schema, representation, names
                    )

                response = perform_write(write, lambda: representation.etag(id))
                if section:
                    response.headers["Allow"] = headers.DOCUMENTED_ALLOW
                return response

            documented: View = document(respond)
            documented = document_created(documented) if document_created is not None else documented
            operation = get_operation(documented)
            if partial_schema is not None and schema is not None:
                query = _make_query_schema(partial_schema, type(schema))
                documented = self.arguments(query, location="query")(documented)
                operation.schema, operation.partial_schema = schema, partial_schema
            operation.writes, operation.section = True, section
            return documented

        return decorate

    def build_write_response(
        self,
        result: Any,
        status: int,
        schema: ma.Schema | None,
        representation: Representation,
        names: Sequence[str] | None = None,
    ) -> Response:
        """Return the response to a write, with the ETag of the item; for a new item, also with its path.

        The response contains the fields `names` (None: all fields of the schema).
        """
        if representation.get_several is not None and isinstance(result, list):
            result = representation.get_several(result, names)
        upsert = result if isinstance(result, UpsertResult) else UpsertResult(result, created=status == 201)
        status = 201 if upsert.created else status
        if schema is None or isinstance(upsert.item, JsonBody | list | Response):
            return _build_response(upsert.item, status, schema, None)
        uuid = upsert.item.uuid
        if names is None:
            current = serialize(representation.get_item(uuid), representation.item_schema)
        else:
            current = representation.read_fields(uuid, names)
        has_same_shape = names is not None or type(schema) is type(representation.item_schema)
        shown = current if has_same_shape else serialize(upsert.item, schema)
        response = web_json.json_response(shown.body, status)
        if upsert.created:
            path = request.path.rstrip("/") if request.method == "PUT" else f"{self.url_prefix}/{uuid}"
            response.headers["Location"] = f"{path}/"
        response.set_etag(current.etag())
        return response


def _build_response(
    result: Any,
    status: int,
    schema: ma.Schema | dict[str, Any] | None,
    partial_schema: type[ma.Schema] | None,
) -> Response:
    if isinstance(result, Response):
        return result
    hidden_state = ""
    if isinstance(result, PartialResult):
        hidden_state = result.hidden_state
        if result.fields is not None and partial_schema is not None:
            names = (name for name in partial_schema._declared_fields if name in result.fields)
            schema = restrict_schema(partial_schema, tuple(names))
        result = result.result
    if not isinstance(schema, ma.Schema):
        return Response(status=status)
    if isinstance(result, list) and schema.many and request.method in ("GET", "HEAD"):
        result = Page(result, len(result), None)
    is_page = isinstance(result, Page)
    items = result.rows if is_page else result
    # `many` is passed because a schema restricted to `fields` is the same for an item and for a page.
    json_body = serialize(items, schema, many=is_page or schema.many)
    response = web_json.json_response(json_body.body, status)
    if request.method in ("GET", "HEAD"):
        response.set_etag(json_body.etag(hidden_state))
    return add_page_headers(response, result) if is_page else response


def add_page_headers(response: Response, page: Page[Any]) -> Response:
    """Add the length of the list and the links to its other pages."""
    response.headers["X-Total-Count"] = str(page.total)
    links = page.links(request.path, list(request.args.items(multi=True)))
    if links:
        response.headers["Link"] = links
    return response


def _make_query_schema(
    schema: type[ma.Schema],
    default: type[ma.Schema],
    base: type[DetailQuery] = DetailQuery,
    single: type[ma.Schema] | None = None,
) -> type[DetailQuery]:
    """Return the query parameters with `fields`, which selects fields of `schema` for the response."""
    return cast(type[DetailQuery], base.from_dict({"fields_": FieldNames(schema, default, single=single)}))
