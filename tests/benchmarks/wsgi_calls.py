"""Calls a WSGI application in this process and measures each call. Imports only the standard library.

Both the programs that import blogapi and the program that imports Django use this module.
"""

from __future__ import annotations

import io
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any
from wsgiref.util import setup_testing_defaults

# The CPU time of the thread. On Windows its resolution is 16 ms, so elapsed time is used there.
CLOCK = "perf_counter" if os.name == "nt" else "thread_time"
cpu_clock: Callable[[], float] = getattr(time, CLOCK)

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]

# A request as JSON: the method, the path, and the body, which is null if the request has no body.
Request = tuple[str, str, Any]


# An empty list or page costs next to nothing, so its measurement would be wrong.
_EMPTY_JSON = re.compile(rb'(\[\]|\{\}|null|\{"changes":\[\].*)\s*')
_ITEMS_OF_XML = (b"<entry>", b"<item>", b"<loc>")


@dataclass(frozen=True, slots=True)
class Call:
    """The CPU time of the thread and the elapsed time of a call, in ms.

    If `problem` is not empty, the times are invalid.
    """

    cpu_ms: float
    wall_ms: float
    problem: str = ""


def find_problem(method: str, status: int, body: bytes) -> str:
    """Return why a response must not be measured: it is an error, or empty; "" if it can be measured."""
    if status not in {"GET": (200,), "DELETE": (204,)}.get(method, (200, 201)):
        return f"answered {status}"
    if status == 204:
        return ""
    is_empty = not body or _EMPTY_JSON.fullmatch(body)
    if is_empty or (body.startswith(b"<?xml") and not any(item in body for item in _ITEMS_OF_XML)):
        return "the response is empty"
    return ""


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
    body = list(chunks)
    if hasattr(chunks, "close"):
        chunks.close()
    times = (cpu_clock() - cpu) * 1000, (time.perf_counter() - wall) * 1000
    return Call(*times, find_problem(request[0], status, b"".join(body)))


def call_all(
    app: Application, requests: Mapping[str, Sequence[Request]], headers: Mapping[str, str]
) -> dict[str, list[tuple[float, float, str]]]:
    """Return the CPU ms, elapsed ms and problem of each request, under the same names as the requests."""
    return {
        name: [astuple(call(app, request, headers)) for request in same] for name, same in requests.items()
    }


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
