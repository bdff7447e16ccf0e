"""The waitress tasks that send the responses of the application and of the server itself."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import build_http_date

from blogapi.rate_limits import limiter
from blogapi.response_cache.middleware import ONLY_CACHED_KEY, NotCached
from blogapi.serving.log import AccessLogEntry, loggable_path
from blogapi.serving.parser import BodiesFull, Busy, TooSlow
from blogapi.serving.unread import NoRoom
from blogapi.storage import commit_version
from blogapi.storage.database import QUEUE_SECONDS_KEY
from blogapi.web import errors
from blogapi.web.headers import error_headers
from blogapi.web.request_id import REQUEST_ID_HEADER, REQUEST_ID_KEY, ROUTE_KEY, choose_request_id

# A longer body is sent separately from the head.
MAX_JOINED_BYTES = 64 * 1024


def _canonical_name(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


_REQUEST_ID_NAME = _canonical_name(REQUEST_ID_HEADER)


@lru_cache(4)
def _format_date(second: int) -> str:
    return str(build_http_date(second))


@lru_cache(1024)
def _make_head_template(status: str, headers: tuple[tuple[str, str], ...], length: int) -> str | None:
    """Return the head of a response as waitress writes it, with `%s` for its date and its request id.

    waitress formats and sorts the header names again for every response; cached responses share this
    template. Return None if `headers` repeats a name or contains a header that waitress or the template sets.
    """
    lines = {_canonical_name(name): value.replace("%", "%%") for name, value in headers}
    if len(lines) < len(headers) or lines.keys() & {"Date", "Server", "Connection", _REQUEST_ID_NAME}:
        return None
    lines.setdefault("Content-Length", str(length))
    lines |= {"Date": "%s", _REQUEST_ID_NAME: "%s"}
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
            # After any other exception, the server sends an error response, which is logged instead.
            if self.wrote_header or isinstance(error, ClientDisconnected):
                self._log()
            # waitress logs this path unchanged, so remove secrets from it.
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
        """Write the error response; parts of the request may not have been parsed."""
        error = self.request.error
        code, detail = errors.default_problem(error.code)
        body = errors.problem_body(error.code, code, detail)
        self.status = f"{error.code} {error.reason}"
        self.request_id = choose_request_id(self.request.headers.get("X_REQUEST_ID"))
        self.response_headers = error_headers(self.request_id)
        if isinstance(error, Busy):
            self.response_headers.append(("Retry-After", "1"))
        self.content_length = len(body)
        self.set_close_on_finish()
        # The server does not linger for a slow client, nor for a request that was received completely (Busy).
        self.channel.lingers = isinstance(error, BodiesFull) or not isinstance(error, Busy | TooSlow)
        self.write(b"" if self.request.command == "HEAD" else body)


class ResponseTask(LoggedTask, WSGITask):  # type: ignore[misc]
    """The response of the application.

    The head is sent when the body can follow: either there is memory for the whole response, or a thread may
    wait for the client. Until then, a body of unknown length is buffered. If neither is possible and the
    buffer is full, the server sends a 503 response instead.
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
            self.channel.end_response()

    def execute(self) -> None:
        """Call the application."""
        try:
            super().execute()
        finally:
            if self.wrote_header and self.has_body and self.request.command != "HEAD":
                # A file is sent without `write`.
                self.body_bytes = self.body_bytes or self.content_length or 0
            environ = self.environ or {}
            self.route, self.request_id = environ.get(ROUTE_KEY, ""), environ.get(REQUEST_ID_KEY, "")

    def may_be_cached(self) -> bool:
        """Return whether the socket thread may ask for a cached response."""
        request, keyless_paths = self.request, self.channel.server.keyless_paths
        if keyless_paths is None or request.command != "GET" or not self._keeps_open():
            return False
        return "X_API_KEY" in request.headers or request.path.startswith(keyless_paths)

    def replay(self) -> bool:
        """Send the response if it is cached and there is memory for it; return whether it was sent.

        This method never waits: the connection buffers what the client does not take at once.
        """
        channel = self.channel
        self.start()
        environ = self.get_environment()
        environ[ONLY_CACHED_KEY] = True
        try:
            body = b"".join(channel.server.application(environ, self._set_head))
        except NotCached:
            return False
        self.content_length = len(body) if self.has_body else None
        head = self.build_response_header()
        if self.close_on_finish:
            return False
        try:
            if not self._reserve(len(head) + len(body)):
                return False
            self._send(head, body)
        finally:
            channel.end_response()
        self.body_bytes = len(body)
        self.route, self.request_id = environ.get(ROUTE_KEY, ""), environ.get(REQUEST_ID_KEY, "")
        channel.responded_at = time.monotonic()
        self._log()
        return True

    def _reserve(self, size: int) -> bool:
        """Return whether there is memory for a response of `size` bytes."""
        channel = self.channel
        if channel.has_allowance(size):
            return True
        channel.reader = limiter.address_key(self.get_environment()["REMOTE_ADDR"])
        return bool(channel.reserve(size))

    def _send(self, head: bytes, body: bytes) -> None:
        # To send the head and the body together takes one system call, but it copies the body.
        if len(body) <= MAX_JOINED_BYTES:
            self.channel.write_soon(head + body)
        else:
            self.channel.write_soon(head)
            self.channel.write_soon(body)

    def _set_head(self, status: str, headers: list[tuple[str, str]], *exc_info: Any) -> None:
        self.status, self.response_headers = status, headers

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment of the request."""
        environment: dict[str, Any] = super().get_environment()
        # A pipelined request counts as received when the previous response was finished.
        received_at = max(self.request.received_at, self.channel.responded_at)
        environment[commit_version.RECEIVED_KEY] = received_at
        environment.setdefault(QUEUE_SECONDS_KEY, time.monotonic() - received_at)
        return environment

    def write(self, data: bytes) -> None:
        """Send a chunk of the body, or buffer it until the response is admitted."""
        if not self._admitted:
            # waitress writes an empty first chunk if the response has no body, or if its body is a file.
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
            # The whole body is buffered, so its length is known.
            self.content_length = sum(map(len, self._buffered_chunks))
        super().finish()
        self.channel.responded_at = time.monotonic()

    def build_response_header(self) -> bytes:
        """Return the status line and the headers; close the connection if the server is stopping."""
        if self.channel.server.stopping:
            super().set_close_on_finish()
        # Use templates only for reads: the headers of other responses could contain a session cookie.
        has_template = (
            self.request.command == "GET"
            and self.has_body
            and self.content_length is not None
            and self.response_headers
            and self._keeps_open()
            and not self.close_on_finish
        )
        header: bytes = self._fill_head_template() if has_template else super().build_response_header()
        return header

    def _keeps_open(self) -> bool:
        """Return whether neither the client nor the server asks to close the connection."""
        asked = self.request.headers.get("CONNECTION", "") not in ("", "keep-alive")
        return self.version == "1.1" and not asked and not self.channel.server.stopping

    def _admit(self) -> bool:
        """Return whether the response can be sent now; raises NoRoom if it cannot even be buffered."""
        channel = self.channel
        size = sum(len(name) + len(value) + 4 for name, value in self.response_headers)
        whole = self.content_length is not None or not self.has_body or self.request.command == "HEAD"
        if not whole:
            size += sum(map(len, self._buffered_chunks))
        elif any(self._buffered_chunks):
            size += self.content_length or 0
        if whole and self._reserve(size):
            return True
        channel.reader = limiter.address_key(self.get_environment()["REMOTE_ADDR"])
        # After a committed write, the server never sends a 503. Only clients with write access can get such
        # a long response to a write.
        changed = self.request.command not in ("GET", "HEAD")
        if channel.stream(always=changed):
            return True
        if whole or not channel.reserve(size):
            raise NoRoom
        return False

    def _fill_head_template(self) -> bytes:
        # The request id differs in every response. Its header is usually the last one.
        *headers, (name, request_id) = self.response_headers
        template = (
            _make_head_template(self.status, tuple(headers), self.content_length)
            if name == REQUEST_ID_HEADER
            else None
        )
        if template is None:
            other: bytes = super().build_response_header()
            return other
        return (template % (_format_date(int(self.start_time)), request_id)).encode("latin-1")

    def set_close_on_finish(self) -> None:
        """Close the connection after this response, unless the only reason is that the response has no body.

        waitress closes the connection after any response without Content-Length, which includes 204 and 304.
        """
        asks_to_close = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or asks_to_close:
            super().set_close_on_finish()
