"""waitress with our limits, and with its own errors in our one body.

By subclassing alone: what waitress itself refuses (a broken request line, a header or a body that is too
large) never reaches the application, so its answer is written here.
"""

from __future__ import annotations

import os
import re
import socket
import time
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest

from blogapi.core import errors, wire
from blogapi.serving.proxy import believing

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024

# How long, and how much, a client may go on sending after it was refused.
LINGER_SECONDS = 10
LINGER_BYTES = 64 * 1024 * 1024

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_TRANSFER_CODING = re.compile(rb"^transfer-encoding:(.*)$", re.IGNORECASE | re.MULTILINE)


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request; refuses what two servers in a row could understand in two ways."""

    # Read by waitress's log lines and by ours even where the request line was never understood.
    path = ""
    command = ""

    def received(self, data: bytes) -> int:
        """Take in a piece of the request and return how many bytes of it belong to it."""
        consumed: int = super().received(data)
        if self.chunked and not self.completed:
            self._limit_chunk_lines()
        if self.error is not None:
            # Else waitress invites the body that it has just refused, and waits for it.
            self.expect_continue = False
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Read the request line and the headers; raises ParsingError where they are not plain."""
        codings = _TRANSFER_CODING.findall(header_plus)
        super().parse_header(header_plus)
        if self.chunked and (len(codings) > 1 or b"," in codings[0] or "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The length of the body is given twice")
        if "TRANSFER_ENCODING" in self.headers:
            raise ParsingError("This version of HTTP has no transfer codings")
        if (self.version == "1.1" or "HOST" in self.headers) and not _HOST.fullmatch(
            self.headers.get("HOST", "")
        ):
            raise ParsingError("The Host header is missing or broken")

    def _limit_chunk_lines(self) -> None:
        # waitress reads an unfinished line anew with every piece that comes: 16 MB of it take seconds.
        if len(self.body_rcv.control_line) > MAX_CHUNK_LINE_BYTES or (
            len(self.body_rcv.trailer) > MAX_HEADER_BYTES
        ):
            self.error = BadRequest("A line between the chunks is too long")
            self.completed = True


class ProblemTask(ErrorTask):  # type: ignore[misc]
    """Answers what the server itself refuses."""

    def execute(self) -> None:
        """Write the error; what the request said otherwise may not even have been parsed."""
        status = self.request.error.code
        code, detail = errors.plain(status)
        body = errors.body(status, code, detail)
        self.status = f"{status} {self.request.error.reason}"
        self.response_headers = wire.refusal_headers()
        self.content_length = len(body)
        self.set_close_on_finish()
        self.channel.lingers = True
        self.write(b"" if self.request.command == "HEAD" else body)


class AnswerTask(WSGITask):  # type: ignore[misc]
    """Answers what the application says."""

    def set_close_on_finish(self) -> None:
        """End the connection after this answer, but not only because it has no body.

        waitress takes a missing Content-Length for a reason; a 304 or a 204 never has one.
        """
        asked = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or asked:
            super().set_close_on_finish()


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection.

    Closing one whose client still sends makes the client's side throw away the answer unread. After a
    refusal it is therefore only half closed: what comes is read and dropped until the client ends, for a
    bounded time and amount.
    """

    task_class = AnswerTask
    error_task_class = ProblemTask
    parser_class = Parser

    lingers = False
    _deadline = 0.0
    _left = LINGER_BYTES

    def handle_write(self) -> None:
        """Send what is there to be sent; half close where that was all and the connection lingers."""
        if self._deadline:
            # Only the server's own upkeep makes a half closed connection writable again.
            self.handle_close()
            return
        if not (self.lingers and self.close_when_flushed):
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if not self.connected or self.will_close:
            self.handle_close()
        elif not self.total_outbufs_len:
            self._half_close()

    def writable(self) -> bool:
        """Tell whether there is something to send, or an end to make."""
        if self._deadline:
            return bool(self.will_close)
        return bool(super().writable())

    def readable(self) -> bool:
        """Tell whether to read; ends a half closed connection whose time is over."""
        if not self._deadline:
            return bool(super().readable())
        if time.monotonic() > self._deadline:
            self.will_close = True
        return not self.will_close

    def handle_read(self) -> None:
        """Read a request, or drop what a refused client still sends."""
        if not self._deadline:
            super().handle_read()
            return
        try:
            # An end of the stream, which is an empty piece, closes the connection.
            self._left -= len(self.recv(64 * 1024))
        except OSError:
            self.handle_close()
        if self._left < 0:
            self.will_close = True

    def _half_close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self._deadline = time.monotonic() + LINGER_SECONDS


class Server(TcpWSGIServer):  # type: ignore[misc]
    """One listening socket."""

    channel_class = Channel


def create(app: Flask, *, host: str, port: int, threads: int) -> Server:
    """Return a server that listens; raises OSError where it cannot."""
    listening = _bound(host, port)
    settings = Adjustments(
        sockets=[listening],
        threads=threads,
        ident=None,
        # waitress refuses what reaches its limit, Flask what exceeds it.
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"] + 1,
        max_request_header_size=MAX_HEADER_BYTES,
        clear_untrusted_proxy_headers=False,
    )
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(settings.threads)
    where: Any = (listening.family, listening.type, listening.proto, listening.getsockname())
    served = believing(app, app.config["TRUSTED_PROXY"])
    return Server(served, {}, True, listening, dispatcher, settings, where, bind_socket=False)


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except UnicodeError as error:
        raise OSError(f"{host!r} is no host name") from error
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            # So that a restart need not wait; elsewhere it would let two programs share the port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError:
        listening.close()
        raise
    return listening
