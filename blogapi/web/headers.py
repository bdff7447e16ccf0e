"""Bytes in, bytes out: strict JSON, the headers that every answer carries, conditional reads."""

from __future__ import annotations

import hashlib

from flask import Response, request

from blogapi.web import request_id
from blogapi.web import request_id as log
from blogapi.web.errors import PROBLEM_JSON

SECURITY_HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
VARY = "Accept, origin"
NO_CACHE = "private, no-cache"

# The interface shows this value on the answers of its operations, whatever each path takes.
DOCUMENTED_ALLOW = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"


def finish_response(response: Response) -> Response:
    """Give the response the headers that all carry, and turn a read that nothing changed into a 304."""
    response.headers.update(SECURITY_HEADERS)
    response.headers["Vary"] = VARY
    if response.status_code == 204:
        response.headers.pop("Content-Type", None)
    if request.method in ("GET", "HEAD"):
        response.headers.setdefault("Cache-Control", NO_CACHE)
        if response.status_code == 200:
            _conditional(response)
    else:
        response.headers["Cache-Control"] = "no-store"
    return response


def compute_etag(body: bytes, beside: str = "") -> str:
    """Return the validator of an answer, without its quotes; `beside` is what else it tells of."""
    seen = hashlib.sha256(body)
    seen.update(beside.encode("utf-8"))
    return seen.hexdigest()[:32]


def error_headers(request_id: str = "") -> list[tuple[str, str]]:
    """Return the headers of an error that is answered before the application saw the request.

    The id is left out where the answer still passes what names every answer (`web.request_id`).
    """
    return [
        *SECURITY_HEADERS.items(),
        ("Vary", VARY),
        ("Cache-Control", "no-store"),
        ("Content-Type", PROBLEM_JSON),
        *([(log.REQUEST_ID_HEADER, request_id)] if request_id else []),
    ]


def _conditional(response: Response) -> None:
    if response.get_etag()[0] is None:
        response.set_etag(compute_etag(response.get_data()))
    if request.if_none_match.contains_weak(str(response.get_etag()[0])):
        response.status_code = 304


# What pages of other origins may read of an answer.
CORS_EXPOSED_HEADERS = (
    "ETag",
    "Link",
    "Location",
    "Retry-After",
    request_id.REQUEST_ID_HEADER,
    "X-Total-Count",
)
