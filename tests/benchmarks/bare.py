"""Stock waitress with ready answers: `python -m tests.benchmarks.bare FILE PORT THREADS`.

What a read costs before the application does anything: the same bytes and headers, out of a dict.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import waitress

from tests.benchmarks.recorded_responses import load


def application(file: Path) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """Return the WSGI application over the answers of the file."""
    responses = load(file)

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        status, headers, body = responses[environ["PATH_INFO"], environ["QUERY_STRING"]]
        start_response(status, headers)
        return [body]

    return app


if __name__ == "__main__":
    app, port, threads = application(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None)
