"""The id of a request, which its response and its log lines contain, and the WSGI key of its route."""

from __future__ import annotations

import re
import secrets

REQUEST_ID_HEADER = "X-Request-ID"
# An API key that a client sends by mistake is not accepted as an id, because ids are logged.
REQUEST_ID_PATTERN = "(?!blogapi_)[A-Za-z0-9._-]{1,64}"

# Keys of the WSGI environment: the id of the request, and the URL rule of its view.
REQUEST_ID_KEY = "blogapi.request_id"
ROUTE_KEY = "blogapi.route"


def choose_request_id(sent: str | None) -> str:
    """Return the id that the client sent if it is well-formed, otherwise a new one."""
    return sent if sent and re.fullmatch(REQUEST_ID_PATTERN, sent, re.ASCII) else secrets.token_hex(8)
