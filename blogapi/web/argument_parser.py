"""Parses the query strings and the JSON bodies of requests with schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import marshmallow as ma
from flask import Request, g, request
from webargs.flaskparser import FlaskParser

from blogapi.web import json as web_json
from blogapi.web import read_only
from blogapi.web.errors import Invalid, InvalidQuery, flatten_messages
from blogapi.web.fields import PrefixedParameters
from blogapi.web.operation import get_operation


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


def reject_query_parameters(view: Callable[..., Any]) -> None:
    """Raise InvalidQuery if the request has query parameters and the view takes none."""
    if request.args and not get_operation(view).takes_query:
        raise InvalidQuery("This operation takes no query parameters.")
