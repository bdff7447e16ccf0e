"""Plain waitress with one file: `python -m tests.benchmarks.bare_file RESPONSES FILE PORT THREADS`.

Shows the cost of serving a file without an application: each response has the recorded headers, and waitress
sends the file itself (`wsgi.file_wrapper`), which is faster than reading the file in the application.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import waitress

from tests.benchmarks.recorded_responses import load


def application(responses: Path, file: Path) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """Return a WSGI application that serves the file with the headers of the only recorded response."""
    ((status, headers, body),) = load(responses).values()
    headers = [*headers, ("Content-Length", str(len(body)))]

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response(status, headers)
        chunks: Iterable[bytes] = environ["wsgi.file_wrapper"](file.open("rb"))
        return chunks

    return app


if __name__ == "__main__":
    app, port, threads = (
        application(Path(sys.argv[1]), Path(sys.argv[2])),
        int(sys.argv[3]),
        int(sys.argv[4]),
    )
    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None)
