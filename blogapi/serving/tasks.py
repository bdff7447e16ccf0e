"""The waitress tasks that send the responses of the application and of the server itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import build_http_date

from blogapi.delivery.response_cache import commit_version
from blogapi.delivery.response_cache.middleware import ONLY_CACHED_KEY, NotCached
from blogapi.serving.access_log import AccessLogEntry, make_loggable_path
from blogapi.serving.parser import RequestTooSlow, ServerBusy
from blogapi.site.served_paths import is_site_path
from blogapi.storage.database import QUEUE_SECONDS_KEY
from blogapi.web import errors
from blogapi.web.headers import make_error_headers
from blogapi.web.logs import USERNAME_KEY
from blogapi.web.request_environ import REQUEST_ID_KEY, ROUTE_KEY, choose_request_id


@lru_cache(256)
def _capitalize_header_name(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


@lru_cache(4)
def _format_date(second: int) -> str:
    return str(build_http_date(second))


def format_head(status: str, headers: Sequence[tuple[str, str]], length: int, second: int) -> bytes:
    """Return the head of an HTTP/1.1 response: the same bytes as waitress makes, but computed faster."""
    fields = [(_capitalize_header_name(name), value) for name, value in headers]
    fields.append(("Date", _format_date(second)))
    if not any(name == "Content-Length" for name, _ in fields):
        fields.append(("Content-Length", str(length)))
    lines = "\r\n".join([f"{name}: {value}" for name, value in sorted(fields, key=itemgetter(0))])
    return f"HTTP/1.1 {status}\r\n{lines}\r\n\r\n".encode("latin-1")


class LoggedTask(Task):  # type: ignore[misc]
    """A task that is recorded in the access log of its server, if there is one."""

    body_bytes = 0
    request_id = ""
    route = ""
    client = user = ""

    def service(self) -> None:
        try:
            super().service()
        except Exception as error:
            # After any other exception, the task of the error response logs the request.
            if self.wrote_header or isinstance(error, ClientDisconnected):
                self.log_request()
            # waitress logs this path with the exception, so remove secrets from the path.
            self.request.path = make_loggable_path(self.request.path, self.route)
            raise
        self.log_request()

    def write(self, data: bytes) -> None:
        """Send a chunk of the body, and count its bytes for the access log."""
        self.body_bytes += len(data)
        super().write(data)

    def log_request(self) -> None:
        """Record the request in the access log."""
        access_log = self.channel.server.access_log
        if access_log is None:
            return
        request = self.request
        access_log.add_entry(
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
                self.client or self.channel.addr[0],
                self.user,
            )
        )


class ProblemTask(LoggedTask, ErrorTask):  # type: ignore[misc]
    """The task that sends an error response to a request that the server itself refuses."""

    def execute(self) -> None:
        """Send the error response, using only attributes that an unparsed request has too."""
        error = self.request.error
        code, detail = errors.get_default_problem(error.code)
        body = errors.make_problem_body(error.code, code, detail)
        self.status = f"{error.code} {errors.get_reason_phrase(error.code)}"
        self.request_id = choose_request_id(self.request.headers.get("X_REQUEST_ID"))
        self.response_headers = make_error_headers(self.request_id)
        if isinstance(error, ServerBusy):
            self.response_headers.append(("Retry-After", "1"))
        self.content_length = len(body)
        self.set_close_on_finish()
        self.channel.is_refused = not isinstance(error, RequestTooSlow)
        self.write(b"" if self.request.command == "HEAD" else body)


class ResponseTask(LoggedTask, WSGITask):  # type: ignore[misc]
    """The task that sends the response of the application, or a cached response."""

    content_length: int | None
    chunked_response: bool

    def execute(self) -> None:
        try:
            super().execute()
        finally:
            if self.wrote_header and self.has_body and self.request.command != "HEAD":
                # If waitress sends a file, it does not call `write`, which counts the bytes.
                self.body_bytes = self.body_bytes or self.content_length or 0
            self._read_log_fields()

    def finish(self) -> None:
        if not self.wrote_header:
            self.write(b"")
        # The response to a HEAD request has no body, so waitress must not send the last chunk of a body.
        self.chunked_response &= self.request.command != "HEAD"
        super().finish()

    def can_use_response_cache(self) -> bool:
        """Return whether the socket thread may look for a cached response."""
        request, server = self.request, self.channel.server
        if server.keyless_paths is None or request.error or request.command != "GET" or server.stopping:
            return False
        if self.version != "1.1" or request.headers.get("CONNECTION", "") not in ("", "keep-alive"):
            return False
        if "X_API_KEY" in request.headers or is_site_path(request.path):
            return True
        return bool(request.path.startswith(server.keyless_paths))

    def find_cached_response(self) -> tuple[bytes, bytes] | None:
        """Return the head and the body of the cached response, or None if no response is cached."""
        self.start()
        environ = self.get_environment()
        environ[ONLY_CACHED_KEY] = True
        try:
            body = b"".join(self.channel.server.application(environ, self._start_response))
        except NotCached:
            return None
        self.body_bytes = len(body)
        self._read_log_fields()
        if self.has_body:
            return format_head(self.status, self.response_headers, len(body), int(self.start_time)), body
        return self.build_response_header(), body

    def get_environment(self) -> dict[str, Any]:
        environment: dict[str, Any] = super().get_environment()
        received_at = self.request.received_at
        environment[commit_version.RECEIVED_KEY] = received_at
        environment[QUEUE_SECONDS_KEY] = time.monotonic() - received_at
        return environment

    def build_response_header(self) -> bytes:
        """Return the status line and the headers; close the connection if the server is stopping."""
        if self.channel.server.stopping:
            super().set_close_on_finish()
        header: bytes = super().build_response_header()
        return header

    def set_close_on_finish(self) -> None:
        """Close the connection after this response, unless the only reason is that the response has no body.

        waitress closes the connection after any response without Content-Length, which includes 204 and 304.
        """
        asks_to_close = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or asks_to_close:
            super().set_close_on_finish()

    def _read_log_fields(self) -> None:
        environ = self.environ or {}
        self.route, self.request_id = environ.get(ROUTE_KEY, ""), environ.get(REQUEST_ID_KEY, "")
        self.client, self.user = environ.get("REMOTE_ADDR", ""), environ.get(USERNAME_KEY, "")

    def _start_response(self, status: str, headers: list[tuple[str, str]], *exc_info: Any) -> None:
        self.status, self.response_headers = status, headers
