"""The headers that every response has, and conditional reads."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request
from werkzeug.datastructures import ETags, MIMEAccept

from blogapi.web.errors import PROBLEM_JSON
from blogapi.web.request_environ import REQUEST_ID_HEADER, REQUEST_ID_PATTERN

VARY = "Accept, origin"
# The `Vary` of operations that need no credentials because the setting PUBLIC_READS is on.
PUBLIC_VARY = f"{VARY}, X-API-KEY, Cookie"
ENCODING_VARY = f"{VARY}, Accept-Encoding"
NO_CACHE = "private, no-cache"
NO_STORE = "no-store"
_PUBLIC_PATTERN = "public, max-age=0, s-maxage=[0-9]+, stale-while-revalidate=[0-9]+"

# The operations of the interface specification send this `Allow` header, whatever their path accepts.
DOCUMENTED_ALLOW = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"

# The suffix that a proxy adds to an ETag when it compresses the response; our own ETags have no hyphen.
_COMPRESSION_SUFFIX = re.compile("-(gzip|br|zstd|deflate)$")

# The ETag of an item that has several representations: digests of the state of the item and of the body.
_ITEM_ETAG = re.compile("([0-9a-f]{16})[.][0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ResponseHeader:
    """A header that every response has; `value` is None if it depends on the request.

    The OpenAPI document shows `description` and `schema` (the JSON Schema of the value).
    """

    name: str
    value: str | None
    description: str
    schema: Mapping[str, Any]


def _make_header(name: str, value: str, description: str, *variants: str) -> ResponseHeader:
    return ResponseHeader(name, value, description, {"type": "string", "enum": [value, *variants]})


# The hooks, the OpenAPI document and the contract tests read this list, so it is the only place to edit.
RESPONSE_HEADERS = (
    _make_header("X-Frame-Options", "DENY", "No page may show the response in a frame."),
    _make_header("X-Content-Type-Options", "nosniff", "Browsers must not guess another content type."),
    _make_header("Referrer-Policy", "same-origin", "Browsers send a Referer to the same origin only."),
    _make_header(
        "Cross-Origin-Opener-Policy", "same-origin", "Pages of other origins get no reference to the window."
    ),
    # Flask adds `Cookie` to the value if the response depends on the session.
    _make_header(
        "Vary",
        VARY,
        "Request headers that the response may depend on.",
        *(f"{VARY}, Cookie", PUBLIC_VARY, ENCODING_VARY),
    ),
    ResponseHeader(
        "Cache-Control",
        None,
        "Whether browsers and shared caches may store the response. A browser revalidates a stored response "
        "before each use.",
        {"type": "string", "pattern": f"^({NO_CACHE}|{NO_STORE}|{_PUBLIC_PATTERN})$", "example": NO_CACHE},
    ),
    ResponseHeader(
        REQUEST_ID_HEADER,
        None,
        "The id of the request in the logs: the id that the client sent if it is valid, otherwise a new id.",
        {
            "type": "string",
            "pattern": f"^{REQUEST_ID_PATTERN}$",
            "example": "5f0c2a9be1d34c77",
        },
    ),
)
CONSTANT_HEADERS = {header.name: header.value for header in RESPONSE_HEADERS if header.value is not None}

# The response headers that pages of other origins may read.
CORS_EXPOSED_HEADERS = (
    "ETag",
    "Link",
    "Location",
    "Retry-After",
    REQUEST_ID_HEADER,
    "X-Total-Count",
)


def finish_response(response: Response) -> Response:
    """Add the headers that every response has; answer a GET or HEAD request with 304 if its ETag matches."""
    for name, value in CONSTANT_HEADERS.items():
        response.headers.setdefault(name, value)
    if response.status_code in (204, 308):
        response.headers.pop("Content-Type", None)
    if request.method in ("GET", "HEAD"):
        response.headers.setdefault("Cache-Control", NO_CACHE)
        if response.status_code == 200:
            if response.get_etag()[0] is None:
                response.set_etag(compute_etag(response.get_data()))
            if contains_etag(request.if_none_match, str(response.get_etag()[0])):
                response.status_code = 304
    else:
        response.headers["Cache-Control"] = NO_STORE
    return response


def compute_etag(body: bytes, hidden_state: str = "") -> str:
    """Return the ETag, without quotes, of a response body and of state that the body does not show."""
    digest = hashlib.sha256(body)
    digest.update(hidden_state.encode("utf-8"))
    return digest.hexdigest()[:32]


def contains_etag(header: ETags, etag: str) -> bool:
    """Return whether `If-Match` or `If-None-Match` contains the ETag, which is given without quotes.

    A proxy that compresses a response changes its strong ETag: nginx makes it weak, and Caddy and Apache
    append the name of the compression. These changes are ignored in the comparison.
    """
    return header.star_tag or etag in _read_etags(header)


def matches_item_state(header: ETags, etag: str) -> bool:
    """Return whether `If-Match` contains the ETag of any representation of the item in its current state.

    `etag` is the current ETag of one representation; representations differ in their `fields`. For a list, or
    an item with only one representation, `If-Match` must contain `etag` itself.
    """
    state = _ITEM_ETAG.fullmatch(etag)
    if header.star_tag or state is None:
        return contains_etag(header, etag)
    return any(sent and sent[1] == state[1] for sent in map(_ITEM_ETAG.fullmatch, _read_etags(header)))


def _read_etags(header: ETags) -> list[str]:
    """Return the ETags of the header as this service sent them, without the suffixes of proxies."""
    return [_COMPRESSION_SUFFIX.sub("", tag) for tag in header.as_set(include_weak=True) if tag]


def prefers_html() -> bool:
    """Return whether the `Accept` header of the request prefers HTML to JSON, as browsers do.

    A client that accepts both equally, for example with `*/*`, gets JSON.
    """
    accepted = request.accept_mimetypes
    return bool(accepted["text/html"] > accepted["application/json"])


def make_error_headers(current_id: str = "") -> list[tuple[str, str]]:
    """Return the headers of an error that is sent before the application sees the request.

    `current_id` is empty if the middleware of `request_environ` adds the id later.
    """
    return [
        *CONSTANT_HEADERS.items(),
        ("Cache-Control", NO_STORE),
        ("Content-Type", PROBLEM_JSON),
        *([(REQUEST_ID_HEADER, current_id)] if current_id else []),
    ]


def make_cors_headers(origin: str | None, allowed: Collection[str]) -> list[tuple[str, str]]:
    """Return the CORS headers of a response that is sent before the application sees the request.

    `origin` is the `Origin` header of the request, and `allowed` has the origins of the setting CORS_ORIGINS.
    """
    if origin is None or origin not in allowed:
        return []
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Expose-Headers", ", ".join(CORS_EXPOSED_HEADERS)),
    ]


def asks_for_json(accepted: MIMEAccept) -> bool:
    """Return whether an `Accept` header names JSON, and prefers it to HTML.

    A client that accepts anything, as with `*/*` or without the header, does not ask for JSON.
    """
    is_named = any(name == "application/json" for name, _ in accepted)
    return is_named and bool(accepted["application/json"] > accepted["text/html"])
