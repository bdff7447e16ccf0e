"""Reads and writes a file with responses of the service, for the other servers to send."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

# The server adds these headers. The last two depend on whether the body has one chunk or several chunks.
_SERVER_HEADERS = frozenset({"date", "connection", "server", "via", "content-length", "transfer-encoding"})

RecordedResponse = tuple[str, list[tuple[str, str]], bytes]


@dataclass(frozen=True, slots=True)
class Response:
    """A response of a server, with the header names as the server sent them."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def save(file: Path, responses: Mapping[str, Response]) -> None:
    """Write the responses to the file, each under its path."""
    recorded = {
        path: {
            "status": f"{response.status} {HTTPStatus(response.status).phrase}",
            "headers": list_application_headers(response),
            "body": base64.b64encode(response.body).decode("ascii"),
        }
        for path, response in responses.items()
    }
    file.write_text(json.dumps(recorded), encoding="utf-8")


def load(file: Path) -> dict[tuple[str, str], RecordedResponse]:
    """Return the status, headers and body of each response by path and query string."""
    recorded = json.loads(file.read_text(encoding="utf-8"))
    return {
        (path.partition("?")[0], path.partition("?")[2]): (
            response["status"],
            [(name, value) for name, value in response["headers"]],
            base64.b64decode(response["body"]),
        )
        for path, response in recorded.items()
    }


def list_application_headers(response: Response) -> list[tuple[str, str]]:
    """Return the headers of the application, sorted."""
    return sorted((name, value) for name, value in response.headers if name.lower() not in _SERVER_HEADERS)
