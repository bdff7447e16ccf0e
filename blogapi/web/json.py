"""JSON in and out: strict parsing of request bodies, compact responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from flask import Request, Response, stream_with_context

from blogapi.web import headers
from blogapi.web.errors import Invalid, Malformed, UnsupportedMediaType


def parse_json(data: bytes) -> Any:
    """Return what the JSON says; raises Malformed where it is not strict JSON in UTF-8."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise Malformed(f"The body is not UTF-8 (byte {error.start}); send UTF-8.") from error
    except RecursionError as error:
        raise Malformed("The JSON is nested too deeply.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Malformed(
            f"The body is not JSON ({where}: {error.msg}); correct it and send it again."
        ) from error
    except ValueError as error:
        raise Malformed("The JSON holds a number that is too long.") from error


def to_json(value: Any) -> str:
    """Return the value as compact JSON, which has no line feed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_json_bytes(value: Any) -> bytes:
    """Return the value as compact JSON in UTF-8."""
    return to_json(value).encode("utf-8")


def read_json_body(sent: Request) -> Any | None:
    """Return what the request's JSON body says, or None where it has no body.

    Raises UnsupportedMediaType for another type of body, Malformed for broken JSON, Invalid for `null`,
    which is a body and none that anything takes.
    """
    data = sent.get_data(cache=True)
    if not data:
        return None
    if not sent.is_json:
        raise UnsupportedMediaType("Send JSON with Content-Type: application/json.")
    said = parse_json(data)
    if said is None:
        raise Invalid(
            "The body is null; send an object or no body.", errors={"body": ["Invalid input type."]}
        )
    return said


def json_response(body: bytes | Iterator[bytes], status: int = 200) -> Response:
    """Return the JSON as an answer, sent as it is made where it comes in chunks."""
    sent = body if isinstance(body, bytes) else stream_with_context(body)
    return Response(sent, status, content_type="application/json")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Malformed("The JSON names the same key twice in one object; name each once.")
    return found


def _no_constant(word: str) -> NoReturn:
    raise Malformed(f"{word} is not JSON.")


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A body of JSON; `beside` is what its ETag must tell of and the bytes do not.

    A long body comes in chunks, which nobody holds as a whole: the `state` of what it shows validates it in
    place of its bytes.
    """

    body: bytes | Iterator[bytes]
    beside: str = ""
    state: str = ""

    def etag(self, unlisted: str = "") -> str:
        """Return the validator; `unlisted` is what a write can change besides."""
        shown = self.body if isinstance(self.body, bytes) else self.state.encode()
        return headers.compute_etag(shown, f"{self.beside}{unlisted}")
