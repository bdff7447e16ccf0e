"""The blueprint class of all resources, which parses arguments and renders responses with schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial, update_wrapper
from typing import Any, NoReturn
from uuid import UUID

import flask
import flask_smorest
import marshmallow as ma
from flask import Request, Response, g, request
from webargs.flaskparser import FlaskParser

from blogapi.storage.database import db, get_write_transaction, transaction
from blogapi.web import headers, read_only
from blogapi.web import json as web_json
from blogapi.web.errors import Invalid, InvalidQuery, Problem, flatten_messages
from blogapi.web.fields import FieldNames, PrefixedParameters, restrict_schema
from blogapi.web.json import JsonBody, make_json_body
from blogapi.web.operation import Operation, View, get_operation, make_operation_id, set_declarations
from blogapi.web.pagination import DetailQuery, Page
from blogapi.web.representation import PartialResult, Representation, UpsertResult
from blogapi.web.slug_lookup import read_item_by_reference
from blogapi.web.uploads import FileBodySchema, describe_file_body
from blogapi.web.writes import check_preconditions, run_write_once


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
        """Return the parsed body, or `missing` if there is none, which webargs loads as an empty object."""
        body = web_json.read_json_body(req)
        if req.method == "PATCH":
            g.sent_read_only = read_only.collect_read_only_fields(schema, body)
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


AnyView = Callable[..., Any]


def add_a_or_an(noun: str) -> str:
    """Return the noun with its indefinite article, for a summary."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def set_summary(sentence: str) -> Callable[[View], View]:
    """Set the docstring of a view, which the OpenAPI document shows as its summary."""

    def set_docstring(view: View) -> View:
        view.__doc__ = sentence
        return view

    return set_docstring


def _drop_wrapper(document: Callable[[View], Any]) -> Callable[[View], View]:
    """Return a decorator that adds the documentation of a flask-smorest decorator, but not its wrapper."""

    def decorate(view: View) -> View:
        view.__dict__["_apidoc"] = document(view).__dict__["_apidoc"]
        return view

    return decorate


class Blueprint(flask_smorest.Blueprint, flask.Blueprint):  # type: ignore[misc]
    """A blueprint whose views take and return objects; schemas parse and render them.

    Flask's Blueprint is a base class because of its type annotations, which flask-smorest lacks.
    """

    ARGUMENTS_PARSER = ArgumentParser()

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
        operation = get_operation(view_func)
        operation.id = documented["operationId"]
        run = update_wrapper(partial(self.run_view, operation, view_func), view_func)
        super().add_url_rule(rule, endpoint or view_func.__name__, run, provide_automatic_options, **options)

    def doc(self, **documented: Any) -> Callable[[View], View]:
        """Add these entries to the documentation of the operation in the OpenAPI document."""
        return _drop_wrapper(super().doc(**documented))

    def alt_response(self, status_code: int, **options: Any) -> Callable[[View], View]:
        """Add another possible response, such as an error, to the documentation of the operation."""
        return _drop_wrapper(super().alt_response(status_code, **options))

    def check_exists(
        self, lookup: Callable[[UUID], object], *, in_view: bool = False
    ) -> Callable[[View], View]:
        """Look up the item of the path before the body is read, so that a 404 comes before a 422.

        With `in_view`, the view itself looks up the item; `lookup` is called only before the ETag of the item
        is computed, and if the view or the parser raises an error, so that its 404 replaces that error.
        """
        if in_view:
            return set_declarations(lookup_after_error=lookup)

        def decorate(view: View) -> View:
            get_operation(view).lookups.insert(0, lookup)
            return view

        return decorate

    def arguments(
        self, schema: type[ma.Schema] | ma.Schema, *, location: str = "json", **options: Any
    ) -> Callable[[View], View]:
        """Pass the parsed query string or body to the view, after the arguments of decorators above."""
        # webargs would instantiate a schema class again for every request.
        instance = schema() if isinstance(schema, type) else schema
        document = _drop_wrapper(super().arguments(instance, location=location, **options))

        def decorate(view: View) -> View:
            operation = get_operation(view)
            operation.arguments.insert(0, (instance, location))
            operation.takes_query |= location == "query"
            document(view)
            return view

        return decorate

    def file_body(self, schema: type[FileBodySchema]) -> Callable[[View], View]:
        """Declare that the body is a file, or a form with a file and the other fields of the schema."""
        document = self.doc(requestBody=describe_file_body(schema))
        return lambda view: document(set_declarations(takes_file=True)(view))

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
    ) -> Callable[[AnyView], Callable[..., Response]]:
        """Send the return value of the view, rendered by the schema.

        `partial_schema` is the schema of all fields that `fields=` can select. With `query`, the view gets
        the parameters of that schema and `fields` as its last argument; for a list, `single` is the schema of
        all fields of a single item. `section` is the section of the interface specification that documents
        the operation; the response then has the documented `Allow` header. With `storable`, a browser may
        store the response. With `cacheable`, the response cache may store the response, so it must depend
        only on the request, the key, the database and the time. With `may_be_missing`, the view can raise
        NotFound although its path contains no id. If the view returns a Page, the response contains its rows
        and the paging headers.
        """
        document = _drop_wrapper(super().response(status_code, schema, **options))

        def decorate(view: AnyView) -> Callable[..., Response]:
            operation = get_operation(view)
            operation.status, operation.schema, operation.partial_schema = status_code, schema, partial_schema
            operation.section, operation.storable = section, storable
            operation.cacheable, operation.may_be_missing = cacheable, may_be_missing
            document(view)
            if query is not None and partial_schema is not None and isinstance(schema, ma.Schema):
                self._declare_fields_query(view, partial_schema, type(schema), query, single)
            return view

        return decorate

    def write(
        self,
        status_code: int,
        schema: ma.Schema | None,
        representation: Representation,
        *,
        partial_schema: type[ma.Schema] | None = None,
        creates: bool = False,
        receive_body: Callable[..., AbstractContextManager[object]] | None = None,
        prepare_write: Callable[..., object] | None = None,
        section: str = "",
    ) -> Callable[[AnyView], Callable[..., Response]]:
        """Decorate a view that writes: it runs in one transaction, and its return value is sent.

        Preconditions are checked against the ETag that a GET of the path returns. The response has the ETag
        of the item. `partial_schema` is the schema of all fields that `fields=` can select. With `creates`,
        the view creates or replaces the item and returns an UpsertResult. `receive_body` is a context manager
        that reads the body of the request; the view gets its value as the last argument. `prepare_write` gets
        the arguments of the view and does the slow work before the transaction.
        """
        document = _drop_wrapper(super().response(status_code, schema))
        document_created = _drop_wrapper(super().alt_response(201, schema=schema, success=True))

        def decorate(view: AnyView) -> Callable[..., Response]:
            operation = get_operation(view)
            operation.status, operation.schema, operation.partial_schema = status_code, schema, partial_schema
            operation.representation, operation.section = representation, section
            operation.receive_body, operation.prepare_write = receive_body, prepare_write
            document(view)
            if creates:
                document_created(view)
            if partial_schema is not None and schema is not None:
                self._declare_fields_query(view, partial_schema, type(schema))
            return view

        return decorate

    def _declare_fields_query(
        self,
        view: AnyView,
        schema: type[ma.Schema],
        default: type[ma.Schema],
        base: type[DetailQuery] = DetailQuery,
        single: type[ma.Schema] | None = None,
    ) -> None:
        """Declare the query parameters of the view, including `fields`, which selects fields of `schema`."""
        operation = get_operation(view)
        operation.fields_query = base.from_dict({"fields_": FieldNames(schema, default, single=single)})()
        operation.takes_query = True
        _drop_wrapper(super().arguments(operation.fields_query, location="query"))(view)

    def run_view(self, operation: Operation, view: AnyView, **values: Any) -> Response:
        """Run a view with the values of its path, and return the response.

        The checks and lookups that need no body run first. Then the body and the query string are parsed, and
        the view runs: a read by uuid or slug, or a write in its transaction.
        """
        try:
            for check in operation.checks:
                check()
            for lookup in operation.lookups:
                lookup(values["id"])
            parse = self.ARGUMENTS_PARSER.parse
            args = [parse(schema, location=location) for schema, location in operation.arguments]
            if operation.fields_query is not None:
                args.append(parse(operation.fields_query, location="query"))
            if operation.representation is not None:
                response = self._run_write(operation, view, args, values)
            else:
                if operation.find_owner is None:
                    result = view(*args, **values)
                else:
                    read = partial(view, *args)
                    result, values["id"] = read_item_by_reference(read, values["id"], operation.find_owner)
                if callable(operation.shows) and not g.caller.is_authenticated:
                    g.shown = operation.shows(*args, **values)
                response = _build_response(
                    result, operation.status, operation.schema, operation.partial_schema
                )
        except Problem:
            if operation.lookup_after_error is not None:
                operation.lookup_after_error(values["id"])
            raise
        if not operation.storable:
            response.headers["Cache-Control"] = headers.NO_STORE
        if operation.section:
            response.headers["Allow"] = headers.DOCUMENTED_ALLOW
        return response

    def _run_write(
        self, operation: Operation, view: AnyView, args: list[Any], values: dict[str, Any]
    ) -> Response:
        id, representation = values.get("id"), operation.representation
        names = None if operation.fields_query is None else args.pop().fields
        with ExitStack() as stack:
            if operation.receive_body is not None:
                args.append(stack.enter_context(operation.receive_body(*args, **values)))
            if operation.prepare_write is not None:
                operation.prepare_write(*args, **values)
            sent = g.pop("sent_read_only", ())
            size = len(request.get_data())
            errors = sent and read_only.find_errors(sent, id, representation.read_fields, max_bytes=size)

            def compute_etag() -> str | None:
                # Look the item up first, so that the time of the response does not show a hidden item.
                if operation.lookup_after_error is not None:
                    operation.lookup_after_error(values["id"])
                etag: str | None = representation.compute_etag(id)
                return etag

            def write() -> Response:
                check_preconditions(compute_etag)
                if errors:
                    raise Invalid("Some fields are read-only; `errors` names them.", errors=errors)
                result = view(*args, **values)
                return self.build_write_response(
                    result, operation.status, operation.schema, representation, names
                )

            with transaction(visible=None):
                # The key may have been deleted, or the user disabled, while the write waited for the lock.
                if g.get("caller_tag") != get_write_transaction(db.session()).counter["tag"]:
                    g.check_caller()
                is_repeatable = request.method == "POST" and "Idempotency-Key" in request.headers
                return run_write_once(write) if is_repeatable else write()

    def build_write_response(
        self,
        result: Any,
        status: int,
        schema: ma.Schema | dict[str, Any] | None,
        representation: Representation,
        names: Sequence[str] | None = None,
    ) -> Response:
        """Return the response to a write, with the ETag of the item and, if the item is new, its path.

        The response contains the fields `names` (None: all fields of the schema).
        """
        if representation.get_items_by_uuid is not None and isinstance(result, list):
            result = representation.get_items_by_uuid(result, names)
        upsert = result if isinstance(result, UpsertResult) else UpsertResult(result, created=status == 201)
        status = 201 if upsert.created else status
        if not isinstance(schema, ma.Schema) or isinstance(upsert.item, JsonBody | list | Response):
            return _build_response(upsert.item, status, schema, None)
        uuid = upsert.item.uuid
        if names is None:
            current = make_json_body(representation.get_item(uuid), representation.item_schema)
        else:
            current = representation.read_fields(uuid, names)
        has_same_shape = names is not None or type(schema) is type(representation.item_schema)
        shown = current if has_same_shape else make_json_body(upsert.item, schema)
        response = web_json.make_json_response(shown.body, status)
        if upsert.created:
            path = request.path.rstrip("/") if request.method != "POST" else f"{self.url_prefix}/{uuid}"
            response.headers["Location"] = f"{path}/"
        response.set_etag(current.compute_etag())
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
    json_body = make_json_body(items, schema, many=is_page or schema.many)
    response = web_json.make_json_response(json_body.body, status)
    if request.method in ("GET", "HEAD"):
        response.set_etag(json_body.compute_etag(hidden_state))
    return add_page_headers(response, result) if is_page else response


def add_page_headers(response: Response, page: Page[Any]) -> Response:
    """Add the headers with the length of the list and the links to its other pages."""
    response.headers["X-Total-Count"] = str(page.total)
    links = page.make_link_header(request.path, list(request.args.items(multi=True)))
    if links:
        response.headers["Link"] = links
    return response
