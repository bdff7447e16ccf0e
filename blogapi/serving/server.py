"""waitress with our limits, and with its own errors in our one body.

By subclassing alone: what waitress itself refuses (a broken request line, a header or a body that is too
large) never reaches the application, so its answer is written here.
"""

from __future__ import annotations

from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher

from blogapi.core import errors, wire

MAX_HEADER_BYTES = 16 * 1024


class ProblemTask(ErrorTask):  # type: ignore[misc]
    """Answers what the server itself refuses."""

    def execute(self) -> None:
        """Write the error; what the request said otherwise may not even have been parsed."""
        status = self.request.error.code
        code, detail = errors.plain(status)
        body = errors.body(status, code, detail)
        self.status = f"{status} {self.request.error.reason}"
        self.response_headers = [
            *wire.HEADERS.items(),
            ("Vary", wire.VARY),
            ("Cache-Control", "no-store"),
            ("Content-Type", errors.PROBLEM_JSON),
        ]
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection."""

    error_task_class = ProblemTask


class Server(TcpWSGIServer):  # type: ignore[misc]
    """One listening socket."""

    channel_class = Channel


def create(app: Flask, *, host: str, port: int, threads: int) -> Server:
    """Return a server that listens; raises OSError where it cannot."""
    settings = Adjustments(
        host=host,
        port=port,
        threads=threads,
        ident=None,
        # waitress refuses what reaches its limit, Flask what exceeds it.
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"] + 1,
        max_request_header_size=MAX_HEADER_BYTES,
        **_proxy(app.config["TRUSTED_PROXY"]),
    )
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(settings.threads)
    return Server(app, {}, True, None, dispatcher, settings, settings.listen[0])


def _proxy(address: str) -> dict[str, Any]:
    if not address:
        return {"clear_untrusted_proxy_headers": True}
    return {
        "trusted_proxy": address,
        "trusted_proxy_count": 1,
        "trusted_proxy_headers": "x-forwarded-for x-forwarded-proto x-forwarded-host",
        "clear_untrusted_proxy_headers": True,
    }
