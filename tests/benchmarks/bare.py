"""Plain waitress with stored responses: `python -m tests.benchmarks.bare FILE PORT THREADS`.

Shows the cost of a read without an application: the same bytes and headers come from a dict.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import waitress

from tests.benchmarks.recorded_responses import load


def application(file: Path) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """Return a WSGI application that serves the responses in the file."""
    responses = load(file)

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        status, headers, body = responses[environ["PATH_INFO"], environ["QUERY_STRING"]]
        start_response(status, headers)
        return [body]

    return app


if __name__ == "__main__":
    app, port, threads = application(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None)
