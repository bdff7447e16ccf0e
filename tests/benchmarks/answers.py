"""Answers of the service in a file, for the servers that it is compared with."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

# The server writes these itself; the last two as the application hands it the body, in one piece or in many.
_OF_THE_SERVER = frozenset({"date", "connection", "server", "via", "content-length", "transfer-encoding"})

Ready = tuple[str, list[tuple[str, str]], bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a server, its header names as they were sent."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def save(file: Path, answers: Mapping[str, Answer]) -> None:
    """Keep the answers by the paths that were asked for."""
    kept = {
        path: {
            "status": f"{answer.status} {HTTPStatus(answer.status).phrase}",
            "headers": own_headers(answer),
            "body": base64.b64encode(answer.body).decode("ascii"),
        }
        for path, answer in answers.items()
    }
    file.write_text(json.dumps(kept), encoding="utf-8")


def load(file: Path) -> dict[tuple[str, str], Ready]:
    """Return status, headers and body by path and query string."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    return {
        (path.partition("?")[0], path.partition("?")[2]): (
            answer["status"],
            [(name, value) for name, value in answer["headers"]],
            base64.b64decode(answer["body"]),
        )
        for path, answer in kept.items()
    }


def own_headers(answer: Answer) -> list[tuple[str, str]]:
    """Return the headers that the application gave, sorted."""
    return sorted((name, value) for name, value in answer.headers if name.lower() not in _OF_THE_SERVER)
