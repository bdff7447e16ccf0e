"""A connection: when it may read and write, and when its time is over."""

from __future__ import annotations

import socket
import time
from typing import Any

from waitress.channel import HTTPChannel
from waitress.utilities import Error

from blogapi.serving.parser import Busy, Parser, TooSlow
from blogapi.serving.tasks import AnswerTask, ProblemTask

# waitress takes as much out of a temporary file as the system says it may send, and for a slow reader the
# same megabytes again and again.
SEND_BYTES = 256 * 1024


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection.

    Closing one whose client still sends makes the client's side throw away the answer unread. After a
    refusal it is therefore only half closed: what comes is read and dropped until the client ends, for a
    bounded time and amount.

    Deadlines are looked after from time to time by the server (`watch`), not with every request.
    """

    task_class = AnswerTask
    error_task_class = ProblemTask
    parser_class = Parser

    lingers = False
    answered_at = 0.0
    # Set where the server has no room for the request that has just come in.
    turned_away = False

    # waitress's own, whose types nothing tells.
    request: Parser | None
    will_close: bool
    sendbuf_len: int
    current_outbuf_count: int

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.limits = server.limits
        self.client = server.client_of(addr)
        self._left, self._half_closed_at = self.limits.linger_bytes, 0.0
        self._seen, self._still_since = 0.0, time.monotonic()
        super().__init__(server, sock, addr, adj, map=map)
        self.sendbuf_len = min(self.sendbuf_len, SEND_BYTES)

    def watch(self, now: float) -> None:
        """Refuse the request, or end the connection, whose time is over at `now` (time.monotonic)."""
        # waitress notes each movement by the wall clock: that it changed counts, not what it says.
        if self.last_activity != self._seen:
            self._seen, self._still_since = self.last_activity, now
        still = now - self._still_since
        if self.total_outbufs_len or self.requests or self.close_when_flushed:
            self._pause(now)
            if self.total_outbufs_len and still > self.limits.stall:
                # At once: the system will not say that such a connection can be written to.
                self.handle_close()
        elif self.request is not None:
            if now - self.request.begun_at > self.server.request_seconds:
                self.refuse(TooSlow(""))
        elif still > self.limits.idle:
            self.will_close = True

    def waits_since(self) -> float | None:
        """Return since when the client owes us bytes of a request, or takes none of its answer.

        None while we owe an answer.
        """
        if self.requests or self.will_close:
            return None
        if self.total_outbufs_len or self.close_when_flushed:
            # What has moved since the last sweep does not stand still.
            return self._still_since if self.last_activity == self._seen else None
        return float(self._still_since if self.request is None else self.request.begun_at)

    def is_idle(self) -> bool:
        """Tell whether neither side owes the other anything."""
        busy = self.requests or self.total_outbufs_len or self.close_when_flushed or self.will_close
        return self.request is None and not busy

    def refuse(self, error: Error) -> None:
        """Answer the request that is coming in with an error; only for the thread of the sockets."""
        with self.requests_lock:
            request = self.request
            if request is None or self.requests:
                return
            request.refuse(error)
            self.request = None
            self.requests.append(request)
        self.service()

    def handle_write(self) -> None:
        """Send what is there to be sent; half close where that was all and the connection lingers."""
        if not (self.lingers and self.close_when_flushed):
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if not self.connected or self.will_close:
            self.handle_close()
        elif not self.total_outbufs_len:
            self._half_close()

    def write_soon(self, data: Any) -> int:
        """Take in a piece of an answer and return how many bytes of it were taken."""
        # waitress keeps what it has sent from a buffer until nothing is left in it to be sent. So much that
        # there is a file for the rest is another buffer's.
        if self.current_outbuf_count > self.adj.outbuf_overflow and not self.outbufs[-1].overflowed:
            self.current_outbuf_count = self.adj.outbuf_high_watermark
        taken: int = super().write_soon(data)
        return taken

    def handle_read(self) -> None:
        """Read a request."""
        super().handle_read()
        if self.turned_away:
            self.turned_away = False
            self.requests[0].refuse(Busy(""))
            self.service()

    def add_channel(self, map: Any = None) -> None:
        """Be one of the server's connections."""
        super().add_channel(map)
        self.server.came(self)

    def del_channel(self, map: Any = None) -> None:
        """Be one no more."""
        if self._fileno is not None:
            self.server.went(self)
        super().del_channel(map)

    def _pause(self, now: float) -> None:
        # Nothing is read while an answer is due: that time is not the client's.
        request = self.request
        if request is not None:
            request.begun_at = now

    def _half_close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self._half_closed_at = time.monotonic()
        # Another class, and no question in each of the methods: all connections are asked all the time
        # whether they are readable and writable.
        self.__class__ = HalfClosed


class HalfClosed(Channel):
    """A connection on which the last answer was sent; what still comes is dropped."""

    def watch(self, now: float) -> None:
        """End it where its time is over."""
        self.will_close = self.will_close or now - self._half_closed_at > self.server.linger_seconds

    def waits_since(self) -> float | None:
        """Return since when the client owes us its end: like a slow one, it makes room for others."""
        return self._half_closed_at

    def is_idle(self) -> bool:
        """Tell that the client may not have read its answer yet."""
        return False

    def writable(self) -> bool:
        """Tell whether there is an end to make."""
        return self.will_close

    def readable(self) -> bool:
        """Tell whether to read."""
        return not self.will_close

    def handle_write(self) -> None:
        """Make an end."""
        self.handle_close()

    def handle_read(self) -> None:
        """Drop what comes."""
        try:
            # An end of the stream, which is an empty piece, closes the connection.
            self._left -= len(self.recv(64 * 1024))
        except OSError:
            self.handle_close()
        if self._left < 0:
            self.will_close = True
