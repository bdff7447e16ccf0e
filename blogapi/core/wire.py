"""Bytes in, bytes out: strict JSON, the headers that every answer carries, conditional reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NoReturn

from flask import Request, Response, request, stream_with_context

from blogapi.core import log
from blogapi.core.errors import PROBLEM_JSON, Invalid, Malformed, UnsupportedMediaType

HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
VARY = "Accept, origin"
REVALIDATED = "private, no-cache"

# The interface shows this value on the answers of its operations, whatever each path takes.
DOCUMENTED_ALLOW = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"


def loads(data: bytes) -> Any:
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


def text(value: Any) -> str:
    """Return the value as compact JSON, which has no line feed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def dumps(value: Any) -> bytes:
    """Return the value as compact JSON in UTF-8."""
    return text(value).encode("utf-8")


def json_body(sent: Request) -> Any | None:
    """Return what the request's JSON body says, or None where it has no body.

    Raises UnsupportedMediaType for another type of body, Malformed for broken JSON, Invalid for `null`,
    which is a body and none that anything takes.
    """
    data = sent.get_data(cache=True)
    if not data:
        return None
    if not sent.is_json:
        raise UnsupportedMediaType("Send JSON with Content-Type: application/json.")
    said = loads(data)
    if said is None:
        raise Invalid(
            "The body is null; send an object or no body.", errors={"body": ["Invalid input type."]}
        )
    return said


def answer(body: bytes | Iterator[bytes], status: int = 200) -> Response:
    """Return the JSON as an answer, sent as it is made where it comes in chunks."""
    sent = body if isinstance(body, bytes) else stream_with_context(body)
    return Response(sent, status, content_type="application/json")


def finish(response: Response) -> Response:
    """Give the response the headers that all carry, and turn a read that nothing changed into a 304."""
    response.headers.update(HEADERS)
    response.headers["Vary"] = VARY
    if response.status_code == 204:
        response.headers.pop("Content-Type", None)
    if request.method in ("GET", "HEAD"):
        response.headers.setdefault("Cache-Control", REVALIDATED)
        if response.status_code == 200:
            _conditional(response)
    else:
        response.headers["Cache-Control"] = "no-store"
    return response


def etag_of(body: bytes, beside: str = "") -> str:
    """Return the validator of an answer, without its quotes; `beside` is what else it tells of."""
    seen = hashlib.sha256(body)
    seen.update(beside.encode("utf-8"))
    return seen.hexdigest()[:32]


def refusal_headers(request_id: str = "") -> list[tuple[str, str]]:
    """Return the headers of an error that is answered before the application saw the request.

    The id is left out where the answer still passes what names every answer (`core.log`).
    """
    return [
        *HEADERS.items(),
        ("Vary", VARY),
        ("Cache-Control", "no-store"),
        ("Content-Type", PROBLEM_JSON),
        *([(log.HEADER, request_id)] if request_id else []),
    ]


def _conditional(response: Response) -> None:
    if response.get_etag()[0] is None:
        response.set_etag(etag_of(response.get_data()))
    if request.if_none_match.contains_weak(str(response.get_etag()[0])):
        response.status_code = 304


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Malformed("The JSON names the same key twice in one object; name each once.")
    return found


def _no_constant(word: str) -> NoReturn:
    raise Malformed(f"{word} is not JSON.")
