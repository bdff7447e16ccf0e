"""Reads from a running service, as the commands `health` and `upgrade --check` do."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import urlsplit


def fetch(
    url: str, path: str, headers: Mapping[str, str], *, seconds: float, max_bytes: int
) -> tuple[int, bytes]:
    """Return the status and the body of a path of the service at this address; each step may take `seconds`.

    Raises ConnectionError, whose message says that the service does not answer.
    """
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        with closing(kind(parts.netloc.rpartition("@")[2], timeout=seconds)) as connection:
            connection.request("GET", f"{parts.path.rstrip('/')}{path}", headers=headers)
            with connection.getresponse() as response:
                return response.status, response.read(max_bytes)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConnectionError(f"{url} does not answer: {reason}.") from error
