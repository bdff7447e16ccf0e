"""The request parser, and the errors for requests that the server refuses before the application runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError, get_header_lines
from waitress.rfc7230 import HEADER_FIELD_RE
from waitress.utilities import BadRequest, Error

from blogapi import authentication
from blogapi.serving.limits import (
    MAX_CHUNK_LINE_BYTES,
    MAX_HEADER_BYTES,
    SHORT_BODY_BYTES,
    ByteCounter,
    Limits,
)
from blogapi.web.uploads import MAX_PARTS_SIZE

_UUID_PATTERN = re.compile(r"(?<=/)[0-9a-fA-F-]{36}(?=/)")
_HOST_PATTERN = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_TRANSFER_CODING_PATTERN = re.compile(rb"^transfer-encoding:(.*)$", re.IGNORECASE | re.MULTILINE)
# Matches a line feed without a carriage return, and a carriage return without a line feed. A carriage return
# at the end of the data is accepted, because the line feed may arrive with the next data.
_BARE_LINE_BREAK_PATTERN = re.compile(rb"(?<!\r)\n|\r(?!\n|\Z)")
# waitress itself would need quadratic time to refuse a control character after many spaces.
_CONTROL_CHARACTER_PATTERN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

# Method and path of the requests that upload media files and files to import, without the slash at the end.
MEDIA_UPLOADS = ("POST /api/v1/blog/media", "PUT /api/v1/blog/media/:id/content")
IMPORT_UPLOADS = ("POST /api/v1/imports",)


class RequestTooSlow(Error):  # type: ignore[misc]
    """The request was not received in time."""

    code, reason = 408, "Request Timeout"


class ServerBusy(Error):  # type: ignore[misc]
    """The server has no memory or thread for the request."""

    code, reason = 503, "Service Unavailable"


class StorageFull(Error):  # type: ignore[misc]
    """The disk has no space for the body."""

    code, reason = 507, "Insufficient Storage"


class ParserSettings(Adjustments):  # type: ignore[misc]
    """The settings of waitress, with additional settings for request bodies.

    `bodies` counts the bytes of received bodies that are not yet processed, without the first
    SHORT_BODY_BYTES of each body. `uploads` maps a method and a path, such as `PUT /items/:id` (`:id` stands
    for a uuid), to the settings of that upload. The settings of an upload apply only if their `accepts`
    returns True for the headers of the request.
    """

    ident = None
    max_request_header_size = MAX_HEADER_BYTES
    # `wrap_with_proxy_middleware` clears these headers.
    clear_untrusted_proxy_headers = False

    bodies: ByteCounter
    # The number of bytes that a refused client may still send.
    max_dropped_bytes = 0
    uploads: Mapping[str, ParserSettings] = MappingProxyType({})
    accepts: Callable[[Mapping[str, str]], bool] | None = None

    def find_upload_settings(self, method: str, path: str) -> ParserSettings | None:
        """Return the upload settings for the request, or None if it is not an upload."""
        return self.uploads.get(f"{method} {_UUID_PATTERN.sub(':id', path.removesuffix('/'))}")


class RequestParser(HTTPRequestParser):  # type: ignore[misc]
    """Parses a request, and refuses it if a proxy and this server could understand it differently."""

    # Default values of attributes, which the logs read even if the request line was not parsed.
    path = ""
    command = ""
    received_at = 0.0
    is_upload = False
    # The number of bytes of this body that are counted in `bodies`.
    _counted = 0

    # waitress has no type hints, so the types of these attributes are declared here.
    adj: Any
    error: Error | None

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.begun_at = time.monotonic()

    def received(self, data: bytes) -> int:
        """Parse received data and return how many of its bytes belong to this request."""
        try:
            consumed: int = super().received(data)
        except OSError:
            # The body cannot be written to its temporary file.
            consumed = len(data)
            self.mark_as_refused(StorageFull(""))
        if self.chunked and self.error is None:
            self._check_chunk_lines(len(data))
        if self.error is None and self.body_bytes_received > SHORT_BODY_BYTES:
            self._count_body_bytes()
        if self.completed:
            # Otherwise waitress would send "100 Continue" and wait for a body that never comes.
            self.expect_continue = False
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the request line and the headers; raises ParsingError if they are malformed or ambiguous."""
        if _CONTROL_CHARACTER_PATTERN.search(header_plus):
            raise ParsingError("Invalid character in the headers")
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # Content-Length has more digits than int() accepts, or an IPv6 address is malformed.
            raise ParsingError("Content-Length or an IPv6 address is malformed") from error
        upload = self.adj.find_upload_settings(self.command, self.path)
        if upload is not None and (upload.accepts is None or upload.accepts(self.headers)):
            # waitress reads the maximum size of the body only after this method.
            self.is_upload, self.adj = True, upload
        self._read_connection_options()
        if self.chunked:
            codings = _TRANSFER_CODING_PATTERN.findall(header_plus)
            if len(codings) > 1 or b"," in codings[0] or "CONTENT_LENGTH" in self.headers:
                raise ParsingError("The length of the body is given twice")
        if "TRANSFER_ENCODING" in self.headers:
            raise ParsingError("This version of HTTP has no transfer codings")
        if (self.version == "1.1" or "HOST" in self.headers) and not _HOST_PATTERN.fullmatch(
            self.headers.get("HOST", "")
        ):
            raise ParsingError("The Host header is missing or malformed")

    def get_limit_start(self, upload_rate: int) -> float:
        """Return the start of the time limit for receiving the complete request (time.monotonic).

        For an upload, the time that its bytes may take at `upload_rate` bytes per second is added.
        """
        return self.begun_at + (self.body_bytes_received / upload_rate if self.is_upload else 0.0)

    def mark_as_refused(self, error: Error) -> None:
        """Mark the request as complete, so that the server sends `error` as its response."""
        self.error, self.completed = error, True

    def close(self) -> None:
        super().close()
        counted, self._counted = self._counted, 0
        self.adj.bodies.add_bytes(-counted)

    def _count_body_bytes(self) -> None:
        size = self.body_bytes_received - SHORT_BODY_BYTES
        if self.adj.bodies.add_bytes(size - self._counted):
            self._counted = size
        else:
            self.mark_as_refused(ServerBusy(""))

    def _read_connection_options(self) -> None:
        # waitress compares the whole header with `close` or `keep-alive`, so remove all other options.
        options = {option.strip(" \t").lower() for option in self.headers.get("CONNECTION", "").split(",")}
        for option in ("close", "keep-alive"):
            if option in options:
                self.headers["CONNECTION"] = option
                return

    def _check_chunk_lines(self, received: int) -> None:
        # waitress parses an incomplete line again whenever data arrives: a line of 16 MB would take seconds.
        body = self.body_rcv
        if body is None:
            return
        if len(body.control_line) > MAX_CHUNK_LINE_BYTES or len(body.trailer) > MAX_HEADER_BYTES:
            self.mark_as_refused(BadRequest("A line between the chunks is too long"))
        elif _BARE_LINE_BREAK_PATTERN.search(body.trailer, max(0, len(body.trailer) - received - 1)):
            self.mark_as_refused(BadRequest("Bare CR or LF found in the trailer section"))
        elif self.completed and _CONTROL_CHARACTER_PATTERN.search(body.trailer):
            self.mark_as_refused(BadRequest("Invalid character in the trailer section"))
        elif self.completed and not all(map(HEADER_FIELD_RE.match, get_header_lines(body.trailer))):
            self.mark_as_refused(BadRequest("Invalid field in the trailer section"))


def configure_body_limits(app: Flask, settings: ParserSettings, limits: Limits) -> None:
    """Set the maximum size of each kind of upload, and limit the total size of all unprocessed bodies."""
    media, imports = copy(settings), copy(settings)
    media.max_request_body_size = app.config["MAX_MEDIA_SIZE"] + MAX_PARTS_SIZE
    imports.max_request_body_size = app.config["MAX_IMPORT_SIZE"] + MAX_PARTS_SIZE
    imports.accepts = lambda headers: authentication.has_session(app, headers.get("COOKIE", ""))
    largest = max(media.max_request_body_size, settings.max_request_body_size)
    settings.max_dropped_bytes = largest
    settings.bodies = media.bodies = ByteCounter(limits.bodies * largest)
    imports.bodies = ByteCounter(limits.imports * imports.max_request_body_size)
    settings.uploads = dict.fromkeys(MEDIA_UPLOADS, media) | dict.fromkeys(IMPORT_UPLOADS, imports)
