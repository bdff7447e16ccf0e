"""A minimal Flask view on plain waitress: `python -m tests.benchmarks.minimal FILE PORT THREADS`."""

from __future__ import annotations

import sys
from pathlib import Path

import waitress
from flask import Flask, Response, request

from tests.benchmarks.recorded_responses import load


def application(file: Path) -> Flask:
    """Return a Flask application that serves the responses in the file."""
    responses = load(file)
    app = Flask(__name__, static_folder=None)

    @app.get("/<path:path>")
    def respond(path: str) -> Response:
        status, headers, body = responses[request.path, request.query_string.decode("ascii")]
        return Response(body, status, headers)

    return app


if __name__ == "__main__":
    app, port, threads = application(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None)
