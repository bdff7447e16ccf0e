"""A client connection, which has deadlines and sends cached responses without a worker thread."""

from __future__ import annotations

import socket
import time
from io import BytesIO
from typing import Any

from flask import has_app_context
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel

from blogapi.serving.parser import RequestParser, RequestTooSlow, ServerBusy
from blogapi.serving.tasks import ProblemTask, ResponseTask
from blogapi.storage.database import db

CHUNK_BYTES = 128 * 1024

# After a connection has sent this number of bytes, other connections have their turn. Without turns, the
# others waited 0.5 s during 8 fast downloads and 7 s during 60 downloads; with turns, 0.03 s and 0.1 s.
TURN_BYTES = 256 * 1024

# A cached body that is longer than this is sent separately from the head.
MAX_JOINED_BYTES = 64 * 1024


class Channel(HTTPChannel):  # type: ignore[misc]
    """A client connection.

    The socket thread starts each request. The socket thread itself sends a cached response, which is faster
    than waking another thread; any other request is queued for a worker thread. The next request of a
    connection starts when the previous response has been sent completely.

    If a connection is closed while its client is still sending, the client's operating system discards the
    response unread. Therefore, after the server has refused a request, it closes only its own direction of
    the connection (half close) and drops what the client still sends, until the client closes the connection,
    the time limit `drop` has passed, or the client has sent as much as the largest body.
    """

    task_class = ResponseTask
    error_task_class = ProblemTask
    parser_class = RequestParser

    # True if the socket thread must still start the first request of `requests`.
    has_unstarted_request = False
    # Whether the last request was refused, and whether the connection is half closed.
    is_refused = is_half_closed = False
    # The number of bytes that a half closed connection has received.
    _dropped_bytes = 0
    _turn_bytes_left = TURN_BYTES

    # waitress has no type hints, so the types of these attributes are declared here.
    request: RequestParser | None
    will_close: bool

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.limits = server.limits
        self.client = server.get_client_key(addr)
        # The time at which a byte was last received from the client or sent to it.
        self._active_at = time.monotonic()
        super().__init__(server, sock, addr, adj, map=map)
        self.sendbuf_len = CHUNK_BYTES

    def check_deadlines(self, now: float) -> None:
        """Refuse the request or close the connection if a deadline has passed at `now` (time.monotonic)."""
        if self.total_outbufs_len:
            # Try to send: Linux reports a socket as writable only when a third of its buffer is free.
            self.handle_write()
        has_output = bool(self.total_outbufs_len)
        if has_output or self.requests or self.close_when_flushed:
            if not has_output:
                # The time limits of the client do not include the time that the application needs.
                self._active_at = now
            elif now - self._active_at > self.limits.stall:
                self.handle_close()
            if self.request is not None:
                # The server does not read from the client until the response is sent.
                self.request.begun_at = now
        elif self.request is not None:
            if now - self._get_limit_start(self.request) > self.server.request_seconds:
                self._refuse_request(self.request)
        elif now - self._active_at > (self.limits.drop if self.is_half_closed else self.limits.idle):
            self.will_close = True

    def get_stall_start(self) -> float | None:
        """Return the start of the current wait for the client to send or to read bytes (time.monotonic).

        Return None while the server is working on a response.
        """
        if self.will_close or (self.requests and not self.total_outbufs_len):
            return None
        if self.request is None or self.total_outbufs_len:
            return self._active_at
        return self._get_limit_start(self.request)

    def is_idle(self) -> bool:
        """Return whether no request is being received and no response is pending."""
        busy = self.requests or self.total_outbufs_len or self.close_when_flushed or self.will_close
        return self.request is None and not busy

    def handle_read(self) -> None:
        """Receive data; if it completes a request, start the request."""
        super().handle_read()
        self._start_next_request()

    def handle_write(self) -> None:
        """Send buffered output; after its last byte, start the next request."""
        if self.is_refused and self.close_when_flushed and not self.total_outbufs_len:
            self._half_close()
            return
        super().handle_write()
        self._start_next_request()

    def handle_close(self) -> None:
        """Close the connection and release the bodies of its requests."""
        super().handle_close()
        if self.request is not None:
            self.request.close()
        if self.has_unstarted_request:
            self.has_unstarted_request = False
            self.requests[0].close()

    def writable(self) -> bool:
        """Return whether `handle_write` must be called."""
        return bool(self.has_unstarted_request or super().writable())

    def received(self, data: bytes) -> bool:
        """Parse received data, or drop it if the connection is half closed."""
        if self.is_half_closed:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > self.adj.max_dropped_bytes:
                self.handle_close()
            return True
        self._active_at = time.monotonic()
        return bool(super().received(data))

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send some bytes and return their number, which is 0 if it is the turn of other connections."""
        if self._turn_bytes_left <= 0:
            # waitress treats 0 as a full socket buffer, and tries again when the socket is writable.
            return 0
        sent: int = super().send(data, do_close=do_close)
        if sent:
            self._turn_bytes_left -= sent
            self._active_at = time.monotonic()
        return sent

    def write_soon(self, data: Any) -> int:
        """Buffer a chunk of a response and return its length."""
        if self.total_outbufs_len > self.adj.outbuf_high_watermark and has_app_context():
            # While the thread waits for the client, it must not occupy a database connection or a snapshot.
            db.session.rollback()
        return int(super().write_soon(data))

    def _start_next_request(self) -> None:
        """Start the first request, unless it was started already or an earlier response is not yet sent."""
        # With unsent output, `write_soon` could wait for the client, but the socket thread must never wait.
        if not self.has_unstarted_request or self.total_outbufs_len or not self.connected:
            return
        self.has_unstarted_request = False
        request = self.requests[0]
        # The time of a pipelined request is measured from the end of the previous response.
        request.received_at = time.monotonic()
        task = self.task_class(self, request)
        response = task.find_cached_response() if task.can_use_response_cache() else None
        if response is not None:
            self._send_cached_response(*response)
            # Let waitress use a new buffer for the next response, because a buffer keeps the sent bytes.
            self.current_outbuf_count = self.adj.outbuf_high_watermark
            task.log_request()
            request.close()
            with self.requests_lock:
                self.requests.pop(0)
            self.has_unstarted_request = bool(self.requests)
        elif self.server.is_queue_full():
            request.mark_as_refused(ServerBusy(""))
            self.service()
        else:
            self.server.task_dispatcher.add_task(self)

    def _send_cached_response(self, head: bytes, body: bytes) -> None:
        if len(body) <= MAX_JOINED_BYTES:
            self.write_soon(head + body)
            return
        self.write_soon(head)
        # This buffer reads the body from the cache instead of copying it.
        buffer = ReadOnlyFileBasedBuffer(BytesIO(body))
        buffer.prepare()
        self.write_soon(buffer)

    def _refuse_request(self, request: RequestParser) -> None:
        request.mark_as_refused(RequestTooSlow(""))
        with self.requests_lock:
            self.request = None
            self.requests.append(request)
        self.service()

    def _half_close(self) -> None:
        self.is_half_closed, self.is_refused, self.close_when_flushed = True, False, False
        self.request = None
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()

    def _get_limit_start(self, request: RequestParser) -> float:
        # A stopping server gives uploads no additional time.
        return request.begun_at if self.server.stopping else request.get_limit_start(self.limits.upload_rate)

    def _flush_some(self, do_close: bool = True) -> bool:
        self._turn_bytes_left = TURN_BYTES
        return bool(super()._flush_some(do_close))
