"""Responses of the application and of the server itself, as waitress tasks."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from flask import has_app_context
from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import build_http_date

from blogapi.rate_limits import limiter
from blogapi.response_cache import lru_cache as cache
from blogapi.serving.log import AccessLogEntry, loggable_path
from blogapi.serving.parser import BodiesFull, Busy, TooSlow
from blogapi.serving.unread import NoRoom
from blogapi.storage import commit_version
from blogapi.storage.database import db
from blogapi.web import errors
from blogapi.web import headers as wire
from blogapi.web import request_id as log


def _spell(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


_ID = _spell(log.REQUEST_ID_HEADER)


@lru_cache(4)
def _date(second: int) -> str:
    return str(build_http_date(second))


@lru_cache(1024)
def _form(status: str, headers: tuple[tuple[str, str], ...], length: int) -> str | None:
    """Return the head of a response as waitress writes it, with `%s` for its date and its request id.

    waitress spells and sorts the header names of every response again; cached responses share this template.
    None if a header is present that waitress itself decides on.
    """
    lines = {_spell(name): value.replace("%", "%%") for name, value in headers}
    if len(lines) < len(headers) or lines.keys() & {"Date", "Server", "Connection", _ID}:
        return None
    lines.setdefault("Content-Length", str(length))
    lines |= {"Date": "%s", _ID: "%s"}
    named = "\r\n".join(f"{name}: {value}" for name, value in sorted(lines.items()))
    return f"HTTP/1.1 {status}\r\n{named}\r\n\r\n"


class LoggedTask(Task):  # type: ignore[misc]
    """A task that is recorded in the access log of its server, if there is one."""

    body_bytes = 0
    request_id = ""
    route = ""

    def service(self) -> None:
        """Process the request."""
        try:
            super().service()
        except NoRoom:
            raise
        except Exception as error:
            # After any other exception an error response follows, which is logged instead.
            if self.wrote_header or isinstance(error, ClientDisconnected):
                self._log()
            # waitress logs the path of the request unchanged.
            self.request.path = loggable_path(self.request.path, self.route)
            raise
        self._log()

    def write(self, data: bytes) -> None:
        """Send a chunk of the body."""
        self.body_bytes += len(data)
        super().write(data)

    def _log(self) -> None:
        access_log = self.channel.server.access_log
        if access_log is None:
            return
        request = self.request
        access_log.add(
            AccessLogEntry(
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


class ProblemTask(LoggedTask, ErrorTask):  # type: ignore[misc]
    """The response to a request that the server itself refuses."""

    def execute(self) -> None:
        """Write the error; the request may not have been parsed beyond it."""
        error = self.request.error
        code, detail = errors.default_problem(error.code)
        body = errors.problem_body(error.code, code, detail)
        self.status = f"{error.code} {error.reason}"
        self.request_id = log.choose_request_id(self.request.headers.get("X_REQUEST_ID"))
        self.response_headers = wire.error_headers(self.request_id)
        if isinstance(error, Busy):
            self.response_headers.append(("Retry-After", "1"))
        self.content_length = len(body)
        self.set_close_on_finish()
        # A slow client is not waited for, and a request that found no room was received completely.
        self.channel.lingers = isinstance(error, BodiesFull) or not isinstance(error, Busy | TooSlow)
        self.write(b"" if self.request.command == "HEAD" else body)


class ResponseTask(LoggedTask, WSGITask):  # type: ignore[misc]
    """The response of the application.

    Its head is sent once the body can follow: there is room for all bytes that the client may leave unread,
    or a thread may wait for the client. Until then a body of unknown length is buffered as far as there is
    room. Otherwise the response is a 503.
    """

    content_length: int | None
    _admitted = False

    def __init__(self, channel: Any, request: Any) -> None:
        super().__init__(channel, request)
        self._buffered_chunks: list[bytes] = []

    def service(self) -> None:
        """Process the request."""
        try:
            super().service()
        except NoRoom:
            self.request.error = Busy("")
            self.channel.error_task_class(self.channel, self.request).service()
            self.close_on_finish = True
        finally:
            self.channel.end_answer()

    def execute(self) -> None:
        """Call the application."""
        try:
            super().execute()
        finally:
            environ = self.environ or {}
            self.route, self.request_id = environ.get(log.ROUTE_KEY, ""), environ.get(log.REQUEST_ID_KEY, "")

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment of the request."""
        environment: dict[str, Any] = super().get_environment()
        # A pipelined request counts as received after the previous response.
        environment[commit_version.RECEIVED_KEY] = max(self.request.received_at, self.channel.answered_at)
        return environment

    def write(self, data: bytes) -> None:
        """Send a chunk of the body, or buffer it until the response is admitted."""
        if not self._admitted:
            self._buffered_chunks.append(data)
            self._admitted = self._admit()
            if not self._admitted:
                return
            data = b"".join(self._buffered_chunks)
            self._buffered_chunks.clear()
        super().write(data)

    def finish(self) -> None:
        """Finish the response."""
        if not self.wrote_header and self.content_length is None and self.request.command != "HEAD":
            # The whole body is buffered, and there is room for it.
            self.content_length = sum(map(len, self._buffered_chunks))
        super().finish()
        self.channel.answered_at = time.monotonic()

    def build_response_header(self) -> bytes:
        """Return the status line and the headers; a server that is stopping closes the connection."""
        if self.channel.server.stopping:
            super().set_close_on_finish()
        asked = self.request.headers.get("CONNECTION", "")
        # Only for reads: templates of other responses could hold the cookie of a login.
        usual = (
            self.request.command == "GET"
            and self.version == "1.1"
            and self.has_body
            and self.response_headers
        )
        if usual and self.content_length is not None and not asked and not self.close_on_finish:
            header = self._usual_header()
        else:
            header = super().build_response_header()
        return header

    def _admit(self) -> bool:
        """Return whether the response may be sent; raises NoRoom if it can be neither sent nor buffered."""
        channel = self.channel
        size = sum(len(name) + len(value) + 4 for name, value in self.response_headers)
        whole = self.content_length is not None or not self.has_body or self.request.command == "HEAD"
        if not whole:
            size += sum(map(len, self._buffered_chunks))
        elif self.has_body and self.request.command != "HEAD":
            size += self.content_length or 0
        if whole and channel.has_allowance(size):
            return True
        channel.reader = limiter.address_key(self.get_environment()["REMOTE_ADDR"])
        # A committed write is never answered by a 503; only clients that may write get such long responses.
        changed = self.request.command not in ("GET", "HEAD")
        if (whole and channel.reserve(size)) or channel.stream(self._before_wait, always=changed):
            return True
        if whole or not channel.reserve(size):
            channel.server.unread.refuse(channel.reader, size)
            raise NoRoom
        return False

    def _before_wait(self) -> None:
        """Release what other threads wait for before this thread waits for its client."""
        give_up = self.get_environment().get(cache.GIVE_UP_KEY)
        if give_up is not None:
            give_up()
        if has_app_context():
            # A slow client holds neither a database connection nor a snapshot.
            db.session.rollback()

    def _usual_header(self) -> bytes:
        # The request id is usually the last header, and differs in every response.
        *headers, (name, request_id) = self.response_headers
        form = (
            _form(self.status, tuple(headers), self.content_length) if name == log.REQUEST_ID_HEADER else None
        )
        if form is None:
            other: bytes = super().build_response_header()
            return other
        return (form % (_date(int(self.start_time)), request_id)).encode("latin-1")

    def set_close_on_finish(self) -> None:
        """Close the connection after this response, but not only because it has no body.

        waitress closes after a response without Content-Length, which a 304 or a 204 never has.
        """
        asked = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or asked:
            super().set_close_on_finish()
