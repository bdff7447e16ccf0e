"""The query parameters of public pages and feeds; parameters that their views do not know are ignored.

Trackers, mail programs and social networks add parameters to addresses. The middleware removes these
parameters before the response cache computes its key, so that all such requests share one cached response.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


# The WSGI environ key that is set if the middleware has reduced a query string to the known parameters.
_IGNORED_KEY = "blogapi.ignored-parameters"


def has_ignored_parameters(environ: WSGIEnvironment) -> bool:
    """Return whether the request had a query string, from which the middleware removed unknown parameters."""
    return _IGNORED_KEY in environ


def init_app(
    app: Flask,
    names: Mapping[str, Collection[str]],
    find_names: Callable[[str], Collection[str] | None],
) -> None:
    """Wrap the application in a middleware that keeps only the known parameters, sorted by name.

    `names` maps prefixes of paths to the known parameters; for other paths, `find_names` returns them, or
    None for a path whose view refuses unknown parameters, as in the API.
    """
    application = app.wsgi_app

    def remove_parameters(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if query := environ.get("QUERY_STRING"):
            path = environ["PATH_INFO"]
            allowed = next((known for start, known in names.items() if path.startswith(start)), None)
            allowed = find_names(path) if allowed is None else allowed
            if allowed is not None:
                environ["QUERY_STRING"] = _keep_parameters(query, allowed)
                environ[_IGNORED_KEY] = True
        return application(environ, start_response)

    app.wsgi_app = remove_parameters  # type: ignore[method-assign]


def _keep_parameters(query: str, names: Collection[str]) -> str:
    # The server decodes the query string as ISO 8859-1 (PEP 3333), but browsers send UTF-8.
    text = query.encode("latin-1").decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
    return urlencode(sorted(pair for pair in pairs if pair[0] in names))
