"""The HTTP client of the load, and the record of what the clients saw."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPMessage
from typing import Any

from tests.benchmarks.servers import HOST, TIMEOUT_SECONDS

# A server that has no room or no database answers with these statuses, and with `Retry-After`.
BUSY_STATUSES = (503, 507)
MAX_PROBLEMS = 50


class Refused(Exception):
    """The request failed, or its response has an unexpected status; the record contains it."""


@dataclass
class Record:
    """The responses by activity and status, and the problems; all threads share it."""

    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    busy: int = 0
    problems: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def requests(self) -> int:
        """The number of responses of the server."""
        with self._lock:
            return sum(count for (_, status), count in self.counts.items() if status)

    def count(self, activity: str, status: int) -> None:
        """Count a response, or a finished command (status 0)."""
        with self._lock:
            self.counts[activity, status] += 1

    def count_busy(self) -> None:
        """Count a response of a server that asks the client to wait."""
        with self._lock:
            self.busy += 1

    def add_problem(self, sentence: str) -> None:
        """Keep a problem; later ones are left out if there are many."""
        with self._lock:
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(sentence)


@dataclass(frozen=True, slots=True)
class Response:
    """A response of the server."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


class Client:
    """Sends the requests of one activity on a connection that is replaced after `per_connection` requests."""

    def __init__(self, record: Record, activity: str, port: int, *, per_connection: int) -> None:
        self._record, self._activity, self._port = record, activity, port
        self._per_connection, self._requests_left = per_connection, 0
        self._connection = HTTPConnection(HOST, port, timeout=TIMEOUT_SECONDS)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str],
        expected: Collection[int] = (200,),
    ) -> Response:
        """Return the response; `body` is JSON, or the bytes of a file.

        Raises Refused if there is no response, or if its status is not expected.
        """
        response = self._request(method, path, body, headers)
        self._record.count(self._activity, response.status)
        if response.status in expected:
            return response
        if response.status in BUSY_STATUSES and response.headers["Retry-After"]:
            self._record.count_busy()
        else:
            self._record.add_problem(f"{method} {path}: {response.status} {response.body[:300]!r}")
        raise Refused

    def abandon(self, path: str, *, headers: Mapping[str, str]) -> None:
        """Send a GET request, read the beginning of the response, and close the connection."""
        connection = HTTPConnection(HOST, self._port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("GET", path, headers=dict(headers))
            response = connection.getresponse()
            response.read(1000)
            self._record.count(self._activity, response.status)
        except (OSError, HTTPException) as error:
            self._record.add_problem(f"GET {path}: {error!r}")
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _request(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Response:
        if not self._requests_left:
            self._connection.close()
            self._requests_left = self._per_connection
        self._requests_left -= 1
        is_file = isinstance(body, bytes)
        kind = (
            {} if body is None else {"Content-Type": f"application/{'octet-stream' if is_file else 'json'}"}
        )
        content = body if body is None or is_file else json.dumps(body)
        try:
            self._connection.request(method, path, content, {**headers, **kind})
            response = self._connection.getresponse()
            return Response(response.status, response.headers, response.read())
        except (OSError, HTTPException) as error:
            self._requests_left = 0
            self._record.add_problem(f"{method} {path}: {error!r}")
            raise Refused from error
