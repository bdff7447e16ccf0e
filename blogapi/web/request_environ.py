"""WSGI middleware that prepares the environ of each request for the inner middlewares and the views."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

REQUEST_ID_HEADER = "X-Request-ID"
# Refuses an API key that a client sends as the id by mistake, because ids are logged.
REQUEST_ID_PATTERN = "(?!blogapi_)[A-Za-z0-9._-]{1,64}"

# The WSGI environ keys of the id of the request, and of the URL rule of its view.
REQUEST_ID_KEY = "blogapi.request_id"
ROUTE_KEY = "blogapi.route"

MCP_PATH = "/mcp"

# Parsing a header of 16 kB takes 50 ms, and browsers send fewer than 300 characters.
MAX_ACCEPT_LENGTH = 1_000
# The WSGI environ key that is set if the middleware has replaced the query string of the request.
_REPLACED_KEY = "blogapi.replaced-query"


def choose_request_id(sent: str | None) -> str:
    """Return the id that the client sent if it is well-formed, otherwise a new one."""
    return sent if sent and re.fullmatch(REQUEST_ID_PATTERN, sent, re.ASCII) else secrets.token_hex(8)


def has_replaced_query(environ: WSGIEnvironment) -> bool:
    """Return whether the middleware reduced the query string of the request to its known parameters."""
    return _REPLACED_KEY in environ


def init_app(
    app: Flask,
    names: Mapping[str, Collection[str]],
    find_names: Callable[[str], Collection[str] | None],
) -> None:
    """Wrap the application in the middleware, outside the response cache and the limits on requests.

    Each request gets an id, which is added to its response, so that a cached response has the id of the
    current request. A very long `Accept` header is ignored. At MCP_PATH, a bearer token becomes the API key.
    In requests for public pages and feeds, only the known query parameters are kept. `names` maps prefixes of
    paths to the known parameters; for other paths, `find_names` returns them, or None for a path whose view
    refuses unknown parameters, as in the API.
    """
    application = app.wsgi_app

    def prepare_environ(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request_id = environ[REQUEST_ID_KEY] = choose_request_id(environ.get("HTTP_X_REQUEST_ID"))
        path = environ["PATH_INFO"]
        if len(environ.get("HTTP_ACCEPT", "")) > MAX_ACCEPT_LENGTH:
            del environ["HTTP_ACCEPT"]
        if path.rstrip("/") == MCP_PATH:
            _copy_bearer_token(environ)
        if query := environ.get("QUERY_STRING"):
            known = next((known for start, known in names.items() if path.startswith(start)), None)
            known = find_names(path) if known is None else known
            if known is not None:
                environ["QUERY_STRING"], environ[_REPLACED_KEY] = _keep_known_parameters(query, known), True

        def start_response_with_id(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            return start_response(status, [*headers, (REQUEST_ID_HEADER, request_id)], *exc_info)

        return application(environ, start_response_with_id)

    app.wsgi_app = prepare_environ  # type: ignore[method-assign]


def _copy_bearer_token(environ: WSGIEnvironment) -> None:
    """Copy the bearer token to the header X-API-KEY, which the limits, the logs and the access rules read.

    The cookies are removed, so a login gives no access.
    """
    environ.pop("HTTP_COOKIE", None)
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() == "bearer":
        environ.setdefault("HTTP_X_API_KEY", token.strip())


def _keep_known_parameters(query: str, names: Collection[str]) -> str:
    """Return the query string with only these parameters, sorted by name.

    Trackers, mail programs and social networks add parameters to addresses. Without these parameters, such
    requests share one cached response.
    """
    # The server decodes the query string as ISO 8859-1 (PEP 3333), but browsers send UTF-8.
    text = query.encode("latin-1").decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
    return urlencode(sorted(pair for pair in pairs if pair[0] in names))
