"""Answers as they go out: those of the application, and the server's own refusals."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import build_http_date

from blogapi.core import errors, freshness, log, wire
from blogapi.serving.log import Served, shown
from blogapi.serving.parser import Busy, TooSlow


def _spelt(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


_ID = _spelt(log.HEADER)


@lru_cache(4)
def _date(second: int) -> str:
    return str(build_http_date(second))


@lru_cache(1024)
def _form(status: str, headers: tuple[tuple[str, str], ...], length: int) -> str | None:
    """Return the head of an answer as waitress writes it, `%s` for its date and for its id.

    waitress spells and sorts all names with each answer; those that are given again have the same. None
    where there is something in it that waitress decides on.
    """
    lines = {_spelt(name): value.replace("%", "%%") for name, value in headers}
    if len(lines) < len(headers) or lines.keys() & {"Date", "Server", "Connection", _ID}:
        return None
    lines.setdefault("Content-Length", str(length))
    lines |= {"Date": "%s", _ID: "%s"}
    named = "\r\n".join(f"{name}: {value}" for name, value in sorted(lines.items()))
    return f"HTTP/1.1 {status}\r\n{named}\r\n\r\n"


class Noted(Task):  # type: ignore[misc]
    """A task that is told to the journal of its server, if that has one."""

    body_bytes = 0
    request_id = ""
    route = ""

    def service(self) -> None:
        """Answer the request."""
        try:
            super().service()
        except Exception as error:
            # Of others there will be another answer, which is the one to be told.
            if self.wrote_header or isinstance(error, ClientDisconnected):
                self._note()
            # waitress logs it as it is.
            self.request.path = shown(self.request.path, self.route)
            raise
        self._note()

    def write(self, data: bytes) -> None:
        """Send a piece of the body."""
        self.body_bytes += len(data)
        super().write(data)

    def _note(self) -> None:
        journal = self.channel.server.journal
        if journal is None:
            return
        request = self.request
        journal.add(
            Served(
                time.time(),
                request.command,
                request.path,
                self.route,
                self.status,
                time.monotonic() - request.received_at if request.received_at else 0.0,
                self.body_bytes,
                self.request_id,
                request.headers.get("X_API_KEY", ""),
            )
        )


class ProblemTask(Noted, ErrorTask):  # type: ignore[misc]
    """Answers what the server itself refuses."""

    def execute(self) -> None:
        """Write the error; what the request said otherwise may not even have been parsed."""
        error = self.request.error
        code, detail = errors.plain(error.code)
        body = errors.body(error.code, code, detail)
        self.status = f"{error.code} {error.reason}"
        self.request_id = log.request_id(self.request.headers.get("X_REQUEST_ID"))
        self.response_headers = wire.refusal_headers(self.request_id)
        if isinstance(error, Busy):
            self.response_headers.append(("Retry-After", "1"))
        self.content_length = len(body)
        self.set_close_on_finish()
        # Whoever is too slow is not waited for, and a request that finds no room has come to its end.
        self.channel.lingers = not isinstance(error, Busy | TooSlow)
        self.write(b"" if self.request.command == "HEAD" else body)


class AnswerTask(Noted, WSGITask):  # type: ignore[misc]
    """Answers what the application says."""

    def execute(self) -> None:
        """Have the application answer."""
        try:
            super().execute()
        finally:
            told = self.environ or {}
            self.route, self.request_id = told.get(log.ROUTE, ""), told.get(log.REQUEST_ID, "")

    def get_environment(self) -> dict[str, Any]:
        """Return what the application is told of the request."""
        environment: dict[str, Any] = super().get_environment()
        # A request that was sent before the last one was answered follows it all the same.
        environment[freshness.RECEIVED] = max(self.request.received_at, self.channel.answered_at)
        return environment

    def finish(self) -> None:
        """End the answer."""
        super().finish()
        self.channel.answered_at = time.monotonic()

    def build_response_header(self) -> bytes:
        """Return the status line and the headers; a server that ends says so."""
        if self.channel.server.stopping:
            super().set_close_on_finish()
        asked = self.request.headers.get("CONNECTION", "")
        # Reads alone: what answers a login is not to be kept.
        usual = self.request.command == "GET" and self.version == "1.1" and self.has_body
        if usual and self.content_length is not None and not asked and not self.close_on_finish:
            header = self._usual_header()
        else:
            header = super().build_response_header()
        return header

    def _usual_header(self) -> bytes:
        # Nearly always the last one, and other with each answer.
        *headers, (name, request_id) = self.response_headers
        form = _form(self.status, tuple(headers), self.content_length) if name == log.HEADER else None
        if form is None:
            other: bytes = super().build_response_header()
            return other
        return (form % (_date(int(self.start_time)), request_id)).encode("latin-1")

    def set_close_on_finish(self) -> None:
        """End the connection after this answer, but not only because it has no body.

        waitress takes a missing Content-Length for a reason; a 304 or a 204 never has one.
        """
        asked = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or asked:
            super().set_close_on_finish()
