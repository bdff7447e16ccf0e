"""Calls a WSGI application in this process and measures each call. Imports only the standard library.

Both the programs that import blogapi and the program that imports Django use this module.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from wsgiref.util import setup_testing_defaults

# The CPU time of the thread. On Windows its resolution is 16 ms, so elapsed time is used there.
CLOCK = "perf_counter" if os.name == "nt" else "thread_time"
cpu_clock: Callable[[], float] = getattr(time, CLOCK)

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]

# A request as JSON: the method, the path, and the body, which is null if the request has no body.
Request = tuple[str, str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """The CPU time of the thread and the elapsed time of a call, in ms, and the status of the response."""

    cpu_ms: float
    wall_ms: float
    status: int


def call(app: Application, request: Request, headers: Mapping[str, str]) -> Call:
    """Call the application and read the response; building the environ is not measured."""
    environ = _make_environ(request, headers)
    status = 0

    def start_response(line: str, *_: Any) -> Callable[[bytes], Any]:
        nonlocal status
        status = int(line[:3])
        return lambda data: None

    cpu, wall = cpu_clock(), time.perf_counter()
    chunks = app(environ, start_response)
    for _ in chunks:
        pass
    if hasattr(chunks, "close"):
        chunks.close()
    return Call((cpu_clock() - cpu) * 1000, (time.perf_counter() - wall) * 1000, status)


def call_all(
    app: Application, requests: Mapping[str, Sequence[Request]], headers: Mapping[str, str]
) -> dict[str, list[tuple[float, float, int]]]:
    """Return the CPU ms, elapsed ms and status of each request, under the same names as the requests."""
    found: dict[str, list[tuple[float, float, int]]] = {}
    for name, same in requests.items():
        calls = [call(app, request, headers) for request in same]
        found[name] = [(one.cpu_ms, one.wall_ms, one.status) for one in calls]
    return found


def _make_environ(request: Request, headers: Mapping[str, str]) -> dict[str, Any]:
    method, path, body = request
    data = b"" if body is None else json.dumps(body).encode("utf-8")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path.partition("?")[0],
        "QUERY_STRING": path.partition("?")[2],
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": io.BytesIO(data),
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
    }
    if data:
        environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(data))}
    setup_testing_defaults(environ)
    return environ
