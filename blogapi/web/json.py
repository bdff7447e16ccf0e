"""Strict parsing of JSON request bodies, and compact JSON bodies of responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import marshmallow as ma
from flask import Request, Response, stream_with_context

from blogapi.web import headers
from blogapi.web.errors import Invalid, Malformed, UnsupportedMediaType
from blogapi.web.fields import WRONG_TYPE_MESSAGE, OutputSchema

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def parse_json(data: bytes) -> Any:
    """Return the parsed JSON; raises Malformed unless it is strict JSON in UTF-8."""
    try:
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=_refuse_duplicate_keys, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError as error:
        raise Malformed(f"The body is not UTF-8 (byte {error.start}); send UTF-8.") from error
    except RecursionError as error:
        raise Malformed("The JSON is nested too deeply; send a flatter body.") from error
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise Malformed(
            f"The body is not JSON ({position}: {error.msg}); correct it and send it again."
        ) from error
    except ValueError as error:
        raise Malformed("The JSON contains an integer with too many digits; shorten it.") from error


def to_json(value: Any) -> str:
    """Return the value as compact JSON on one line; control characters are escaped."""
    return _ENCODER.encode(value)


def to_json_bytes(value: Any) -> bytes:
    """Return the value as compact JSON in UTF-8."""
    return _ENCODER.encode(value).encode("utf-8")


def read_json_body(request: Request) -> Any | None:
    """Return the parsed JSON body of the request, or None if the body is empty.

    Raises UnsupportedMediaType if the Content-Type is not JSON, Malformed if the body is not valid JSON, and
    Invalid if the body is `null`.
    """
    data = request.get_data(cache=True)
    if not data:
        return None
    if not request.is_json:
        raise UnsupportedMediaType("Send JSON with Content-Type: application/json.")
    value = parse_json(data)
    if value is None:
        raise Invalid("The body is null; send an object or no body.", errors={"body": [WRONG_TYPE_MESSAGE]})
    return value


def make_json_response(body: bytes | Iterator[bytes], status: int = 200) -> Response:
    """Return a JSON response, which is streamed if the body is an iterator of chunks."""
    content = body if isinstance(body, bytes) else stream_with_context(body)
    return Response(content, status, content_type="application/json")


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Malformed("A JSON object has the same key twice; send each key once.")
    return members


def _refuse_constant(constant: str) -> NoReturn:
    raise Malformed(f"{constant} is not JSON; send a finite number or null.")


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON response body; `hidden_state` is state that its ETag depends on but the body does not show.

    A long body is an iterator of chunks, so that the whole body is never in memory. The ETag of such a body
    is computed from `state`, the state of the data in the body, and not from the bytes.

    `item_state` is the state of the item that the body represents: every write of the item changes this
    state, which is the same in all representations of the item. `If-Match` compares only this state.
    """

    body: bytes | Iterator[bytes]
    hidden_state: str = ""
    state: str = ""
    item_state: str = ""

    def compute_etag(self, extra_state: str = "") -> str:
        """Return the ETag, without quotes; `extra_state` is further state that a write can change."""
        content = self.body if isinstance(self.body, bytes) else self.state.encode()
        etag = headers.compute_etag(content, f"{self.hidden_state}{extra_state}")
        if not self.item_state:
            return etag
        # The start of the ETag is the same in all representations of the item, and changes with each write.
        return f"{headers.compute_etag(self.item_state.encode())[:16]}.{etag[:16]}"


def append_member(members: Mapping[str, Any], name: str, value: JsonBody, *, item_state: str) -> JsonBody:
    """Return a JSON object with the members and, at its end, one more member with this name and value.

    A value whose body is an iterator is not loaded into memory. `item_state` is the state of the item without
    this member.
    """
    json_object = to_json({**members, name: None})
    start = json_object.removesuffix("null}").encode()
    body = start + value.body + b"}" if isinstance(value.body, bytes) else chain([start], value.body, [b"}"])
    return JsonBody(body, value.hidden_state, f"{json_object} {value.state}", item_state)


def make_json_body(result: Any, schema: ma.Schema, *, many: bool | None = None) -> JsonBody:
    """Return the result as a JSON body, rendered by the schema; a JsonBody is returned unchanged."""
    if isinstance(result, JsonBody):
        return result
    items = result if isinstance(result, Sequence) else [result]
    hidden = " ".join(schema.hidden_state(item) for item in items) if isinstance(schema, OutputSchema) else ""
    return JsonBody(to_json_bytes(schema.dump(result, many=many)), hidden)
