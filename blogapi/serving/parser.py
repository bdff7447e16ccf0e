"""Requests as they come in, and the reasons of the server's own to refuse one."""

from __future__ import annotations

import re
import time
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import BadRequest, Error

from blogapi.serving.limits import MAX_CHUNK_LINE_BYTES, MAX_HEADER_BYTES

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_TRANSFER_CODING = re.compile(rb"^transfer-encoding:(.*)$", re.IGNORECASE | re.MULTILINE)


class TooSlow(Error):  # type: ignore[misc]
    """The request did not come to its end in time."""

    code = 408
    reason = "Request Timeout"


class Busy(Error):  # type: ignore[misc]
    """There is no room for the request."""

    code = 503
    reason = "Service Unavailable"


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request; refuses what two servers in a row could understand in two ways."""

    # Read by waitress's log lines and by ours even where the request line was never understood.
    path = ""
    command = ""
    received_at = 0.0

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.begun_at = time.monotonic()

    def received(self, data: bytes) -> int:
        """Take in a piece of the request and return how many bytes of it belong to it."""
        consumed: int = super().received(data)
        if self.completed:
            self.received_at = time.monotonic()
        if self.chunked and not self.completed:
            self._limit_chunk_lines()
        if self.error is not None:
            # Else waitress invites the body that it has just refused, and waits for it.
            self.expect_continue = False
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Read the request line and the headers; raises ParsingError where they are not plain."""
        super().parse_header(header_plus)
        if self.chunked:
            codings = _TRANSFER_CODING.findall(header_plus)
            if len(codings) > 1 or b"," in codings[0] or "CONTENT_LENGTH" in self.headers:
                raise ParsingError("The length of the body is given twice")
        if "TRANSFER_ENCODING" in self.headers:
            raise ParsingError("This version of HTTP has no transfer codings")
        if (self.version == "1.1" or "HOST" in self.headers) and not _HOST.fullmatch(
            self.headers.get("HOST", "")
        ):
            raise ParsingError("The Host header is missing or broken")

    def refuse(self, error: Error) -> None:
        """Be over, by a decision of the server's."""
        self.error, self.completed, self.received_at = error, True, time.monotonic()

    def _limit_chunk_lines(self) -> None:
        # waitress reads an unfinished line anew with every piece that comes: 16 MB of it take seconds.
        if len(self.body_rcv.control_line) > MAX_CHUNK_LINE_BYTES or (
            len(self.body_rcv.trailer) > MAX_HEADER_BYTES
        ):
            self.error = BadRequest("A line between the chunks is too long")
            self.completed = True
