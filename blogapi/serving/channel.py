"""A client connection: its deadlines and the memory that it may use."""

from __future__ import annotations

import socket
import time
from typing import Any

from flask import has_app_context
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.utilities import Error

from blogapi.rate_limits.limiter import address_key
from blogapi.serving.limits import ByteBudget
from blogapi.serving.parser import BodiesFull, Busy, Parser, TooSlow
from blogapi.serving.tasks import ProblemTask, ResponseTask
from blogapi.serving.unread import OVERHEAD_BYTES, ChunkBuffer
from blogapi.storage.database import db

# Longer chunks of a response are sent without being copied; waitress joins shorter ones.
MAX_COPIED_BYTES = 8 * 1024

# The number of bytes that are sent at a time.
CHUNK_BYTES = 128 * 1024

# After this number of bytes, other connections get their turn. Without turns, other requests waited 0.5 s
# during 8 fast downloads and 7 s during 60; with them, 0.03 s and 0.1 s.
TURN_BYTES = 256 * 1024


class Channel(HTTPChannel):  # type: ignore[misc]
    """A client connection.

    When a server closes a connection whose client is still sending, the client's operating system discards
    the response unread. After a refusal the server therefore only half closes the connection. It reads and
    drops incoming data until the client closes the connection or a limit of time or bytes is reached.

    The server checks the deadlines in its periodic sweep (`check_deadlines`), not with every request.

    Before response bytes are buffered, they are counted toward the limit of the client (`reader`). Either
    memory for the whole response is reserved, or the connection `streams`: the thread waits until the client
    has read enough of the response.
    """

    task_class = ResponseTask
    error_task_class = ProblemTask
    parser_class = Parser

    lingers = False
    # The time at which the server has sent its last response, if it still reads and drops incoming data.
    _half_closed_at: float | None = None
    responded_at = 0.0
    _turn_bytes = TURN_BYTES
    # True if a request has just arrived on a connection that has no other request.
    arrived = False
    # True if a request waits until the previous response has been sent completely.
    deferred = False

    # The client for which the current response is counted, the number of bytes reserved for the response, and
    # whether a thread may wait for the client.
    reader = ""
    reserved = 0
    streams = False
    _responding = False

    # The client whose request body is being received or processed, and the number of counted body bytes.
    _sender = ""
    _body_bytes = 0

    # waitress has no type hints, so the types of these attributes are declared here.
    request: Parser | None
    will_close: bool

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.limits = server.limits
        self.client = server.get_client(addr)
        self._bodies: ByteBudget = server.bodies
        self._linger_bytes_left = self.limits.linger_bytes
        self._seen_activity, self._inactive_since = 0.0, time.monotonic()
        super().__init__(server, sock, addr, adj, map=map)
        self.sendbuf_len = CHUNK_BYTES

    def check_deadlines(self, now: float) -> None:
        """Refuse the request or close the connection if a deadline has passed at `now` (time.monotonic)."""
        has_output = bool(self.total_outbufs_len)
        if has_output:
            # Linux reports a socket as writable only when a third of its buffer is free.
            self.handle_write()
            if not self.connected:
                return
        # waitress records activity with the wall clock, so only a change of the value is significant. The
        # application, which can write its first bytes at any moment, does not count against the client.
        if self.last_activity != self._seen_activity or (self.requests and not has_output):
            self._seen_activity, self._inactive_since = self.last_activity, now
        inactive_seconds = now - self._inactive_since
        if self.total_outbufs_len or self.requests or self.close_when_flushed:
            self._restart_request_time(now)
            if self.total_outbufs_len and inactive_seconds > self.limits.stall:
                # Close immediately: the operating system never reports such a connection as writable.
                self.handle_close()
        elif self._half_closed_at is not None:
            self.will_close = self.will_close or now - self._half_closed_at > self.server.linger_seconds
        elif self.request is not None:
            if now - self._late_since(self.request) > self.server.request_seconds:
                self.refuse(TooSlow(""))
        elif inactive_seconds > self.limits.idle:
            self.will_close = True

    def stalled_since(self) -> float | None:
        """Return the time since which the client has neither completed its request nor taken response bytes.

        Return None while the server itself is working on a response.
        """
        responding = self.requests and not (self.total_outbufs_len and (self.deferred or self.streams))
        if responding or self.will_close:
            return None
        if self._half_closed_at is not None:
            return self._half_closed_at
        if self.total_outbufs_len or self.close_when_flushed:
            # A connection with activity since the last sweep is not stalled.
            return self._inactive_since if self.last_activity == self._seen_activity else None
        return self._inactive_since if self.request is None else self._late_since(self.request)

    def is_idle(self) -> bool:
        """Return whether no request is being received and no response is pending."""
        busy = self.requests or self.total_outbufs_len or self.close_when_flushed or self.will_close
        # The client of a half closed connection might not have read its response yet.
        return self.request is None and not busy and self._half_closed_at is None

    def refuse(self, error: Error) -> None:
        """Refuse the request that is being received with `error`; only the socket thread may call this."""
        with self.requests_lock:
            request = self.request
            if request is None or self.requests:
                return
            request.refuse(error)
            self.request = None
            self.requests.append(request)
        self.service()

    def has_allowance(self, size: int) -> bool:
        """Return whether a response of `size` bytes is short enough not to be counted."""
        return bool(size + OVERHEAD_BYTES <= self.server.unread.allowance)

    def reserve(self, size: int) -> bool:
        """Reserve memory for a response, or for its first `size` bytes; return whether it fits."""
        with self.outbuf_lock:
            self._responding = True
            return self._resize(size + OVERHEAD_BYTES)

    def stream(self, *, always: bool) -> bool:
        """Let the thread wait for the client if enough threads are free; return whether it may wait.

        With `always`, the thread may wait in any case.
        """
        self._responding = True
        self.streams = self.server.unread.acquire_thread(self.reader, always=always)
        return self.streams

    def end_response(self) -> None:
        """Record that the response is complete or aborted."""
        if not self._responding:
            return
        if self.streams:
            self.server.unread.release_thread(self.reader)
        with self.outbuf_lock:
            self.streams = self._responding = False
        self._release_sent()

    def defer(self) -> bool:
        """Postpone the next request if output is unsent; return whether the request is postponed."""
        with self.outbuf_lock:
            self.deferred = bool(self.total_outbufs_len)
            return self.deferred

    def handle_close(self) -> None:
        """Close the connection and release its memory."""
        super().handle_close()
        if self.request is not None:
            self.request.close()
        if not self.requests:
            self._release_body()
        with self.outbuf_lock:
            self.deferred = False
            self._resize(0)

    def handle_write(self) -> None:
        """Send buffered output; half close a lingering connection after the last byte is sent."""
        if not (self.lingers and self.close_when_flushed):
            super().handle_write()
            if self.deferred or self.reserved:
                self._release_sent()
            return
        self._flush_exception(self._flush_some)
        if not self.connected or self.will_close:
            self.handle_close()
        elif not self.total_outbufs_len:
            self._half_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send some bytes and return their number; none if other connections must get their turn."""
        if self._turn_bytes <= 0:
            # The server tries again when the socket is writable, as if the client had taken no byte.
            self._turn_bytes = TURN_BYTES
            return 0
        sent: int = super().send(data, do_close=do_close)
        self._turn_bytes -= sent
        return sent

    def write_soon(self, data: Any) -> int:
        """Buffer a chunk of a response and return its length."""
        if not self.streams or isinstance(data, ReadOnlyFileBasedBuffer):
            written: int = super().write_soon(self._buffered(data))
            return written
        size = self.adj.outbuf_high_watermark
        for start in range(0, len(data), size):
            if self.total_outbufs_len > size and has_app_context():
                # While the thread waits, it must not keep a database connection or a snapshot.
                db.session.rollback()
            super().write_soon(ChunkBuffer(data[start : start + size]))
        return len(data)

    def received(self, data: bytes) -> bool:
        """Parse received data, or drop it if the connection is half closed."""
        if self._half_closed_at is None:
            parsed: bool = super().received(data)
            return parsed
        self._linger_bytes_left -= len(data)
        self.will_close = self.will_close or self._linger_bytes_left < 0
        return True

    def handle_read(self) -> None:
        """Read a request, and answer it if its response is cached; otherwise, queue it for a thread."""
        super().handle_read()
        if self.arrived:
            self.arrived = False
            self._answer()
        elif self.connected and self.request is not None:
            self._count_body(self.request)

    def replay(self, task: ResponseTask) -> None:
        """Send the cached response to the first request; queue the request for a thread if there is none.

        The socket thread sends it, because to wake another thread takes longer than to answer.
        """
        if not task.replay():
            self._queue()
            return
        task.request.close()
        self._release_body()
        # The next response needs an empty buffer.
        self.current_outbuf_count = self.adj.outbuf_high_watermark
        with self.requests_lock:
            self.requests.pop(0)
        if self.requests and not self.defer():
            self._queue()

    def service(self) -> None:
        """Process the first request."""
        super().service()
        self._release_body()

    def add_channel(self, map: Any = None) -> None:
        """Register the connection with the server."""
        super().add_channel(map)
        self.server.register(self)

    def del_channel(self, map: Any = None) -> None:
        """Unregister the connection from the server."""
        if self._fileno is not None:
            self.server.unregister(self)
        super().del_channel(map)

    def _answer(self) -> None:
        """Answer the request that has arrived, or queue it for a thread."""
        request, versions = self.requests[0], self.server.versions
        task = self.task_class(self, request)
        if request.error or not task.may_be_cached():
            self._queue()
        elif versions is None:
            self.replay(task)
        else:
            versions.replay(task, strict="X_API_KEY" in request.headers)

    def _queue(self) -> None:
        """Queue the first request for a thread; refuse it if the queue is full."""
        if self.server.is_queue_full():
            self.requests[0].refuse(Busy(""))
            self.service()
        else:
            self.server.task_dispatcher.add_task(self)

    def _count_body(self, request: Parser) -> None:
        size = max(0, request.body_bytes_received - self.limits.short_body_bytes)
        if size and not self._body_bytes:
            forwarded = request.headers.get("X_FORWARDED_FOR", "").rpartition(",")[2].strip()
            self._sender = self.client or address_key(forwarded)
            self._bodies = request.adj.bodies or self.server.bodies
        if self._bodies.resize(self._sender, self._body_bytes, size):
            self._body_bytes = size
        else:
            self.refuse(BodiesFull(""))

    def _release_body(self) -> None:
        with self.outbuf_lock:
            self._bodies.resize(self._sender, self._body_bytes, 0)
            self._body_bytes = 0

    def _buffered(self, data: Any) -> Any:
        return ChunkBuffer(data) if isinstance(data, bytes) and len(data) > MAX_COPIED_BYTES else data

    def _flush_outbufs_below_high_watermark(self) -> None:
        # Other threads never wait for their clients, because the whole response is counted.
        if self.streams:
            super()._flush_outbufs_below_high_watermark()

    def _resize(self, size: int) -> bool:
        # Reserved memory is released only after the client has taken the whole response.
        counted = max(self.reserved, size - self.server.unread.allowance) if size else 0
        fits: bool = self.server.unread.resize(self.reader, self.reserved, counted)
        if fits:
            self.reserved = counted
        return fits

    def _release_sent(self) -> None:
        """Release the memory of a response that was sent completely, and start a postponed request."""
        with self.outbuf_lock:
            if self.total_outbufs_len or self._responding:
                return
            self._resize(0)
            deferred, self.deferred = self.deferred, False
        if deferred:
            self.server.task_dispatcher.add_task(self)

    def _late_since(self, request: Parser) -> float:
        # A server that stops does not wait for uploads.
        return request.begun_at if self.server.stopping else request.late_since(self.limits.upload_rate)

    def _restart_request_time(self, now: float) -> None:
        # The server does not read from the client while a response is pending. This time must not count
        # against the deadline of the request.
        request = self.request
        if request is not None:
            request.begun_at = now

    def _half_close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        # waitress reads from a connection only if it is not to be closed.
        self._half_closed_at, self.close_when_flushed, self.lingers = time.monotonic(), False, False
