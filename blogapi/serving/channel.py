"""A connection: when it may read and write, and when its time is over."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

from waitress.channel import HTTPChannel
from waitress.utilities import Error

from blogapi.rate_limits.limiter import address_key
from blogapi.serving.parser import BodiesFull, Busy, Parser, TooSlow
from blogapi.serving.tasks import ProblemTask, ResponseTask
from blogapi.serving.unread import OVERHEAD, Piece

# Longer pieces of an answer are sent from where they are, shorter ones are put together by waitress.
COPIED_BYTES = 8 * 1024

# The largest piece of an answer that is sent as its client takes it.
PIECE_BYTES = 64 * 1024

# How often a thread that waits for its client looks whether others have made room, in seconds.
LOOK_SECONDS = 0.1


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection.

    Closing one whose client still sends makes the client's side throw away the answer unread. After a
    refusal it is therefore only half closed: what comes is read and dropped until the client ends, for a
    bounded time and amount.

    Deadlines are looked after from time to time by the server (`watch`), not with every request.

    What it holds of an answer is counted for the `reader` of that answer before it is buffered. Either room
    for all of it is reserved, or it `streams`: then the answering thread waits until the client has taken
    enough.
    """

    task_class = ResponseTask
    error_task_class = ProblemTask
    parser_class = Parser

    lingers = False
    answered_at = 0.0
    # Set where the server has no room for the request that has just come in.
    turned_away = False
    # Set where a request waits until the client has taken the answer before it.
    deferred = False

    # Whose share of what may be left unread the present answer takes, how much, and whether a thread waits.
    reader = ""
    reserved = 0
    streams = False
    _answering = False
    _before_wait: Callable[[], None] | None = None

    # Whose body is coming in or at work, and how much of it is counted.
    _sender = ""
    _body_bytes = 0

    # waitress's own, whose types nothing tells.
    request: Parser | None
    will_close: bool

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.limits = server.limits
        self.client = server.client_of(addr)
        self._left, self._half_closed_at = self.limits.linger_bytes, 0.0
        self._seen, self._still_since = 0.0, time.monotonic()
        super().__init__(server, sock, addr, adj, map=map)

    def watch(self, now: float) -> None:
        """Refuse the request, or end the connection, whose time is over at `now` (time.monotonic)."""
        if self.total_outbufs_len:
            # The system tells late that there is room again: Linux when a third of its buffer is free.
            self.handle_write()
            if not self.connected:
                return
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
        answering = self.requests and not (self.total_outbufs_len and (self.deferred or self.streams))
        if answering or self.will_close:
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

    def has_allowance(self, size: int) -> bool:
        """Tell whether an answer of that size is so short that it is not counted."""
        return bool(size + OVERHEAD <= self.server.unread.allowance)

    def reserve(self, size: int) -> bool:
        """Count an answer of that size, or what there is of it so far; tell whether there is room for it."""
        with self.outbuf_lock:
            self._answering = True
            return self._resize(size + OVERHEAD)

    def stream(self, before_wait: Callable[[], None], *, always: bool) -> bool:
        """Have the answering thread wait for the client, after `before_wait`; tell whether it may."""
        self._answering = True
        self.streams = self.server.unread.take_thread(self.reader, always=always)
        if self.streams:
            self._before_wait = before_wait
        return self.streams

    def end_answer(self) -> None:
        """Note that all of the answer is on its way, or that there will be no more of it."""
        if not self._answering:
            return
        if self.streams:
            self.server.unread.give_thread_back(self.reader)
        with self.outbuf_lock:
            self.streams = self._answering = False
        # It belongs to the answer, with all that was held back of that.
        self._before_wait = None
        self._take_stock()

    def defer(self) -> bool:
        """Have the next request wait where there is something unread; tell whether it waits."""
        with self.outbuf_lock:
            self.deferred = bool(self.total_outbufs_len)
            return self.deferred

    def handle_close(self) -> None:
        """Close the connection and let go of what it holds."""
        super().handle_close()
        if self.request is not None:
            self.request.close()
        if not self.requests:
            self._forget_body()
        with self.outbuf_lock:
            self.deferred = False
            self._resize(0)

    def handle_write(self) -> None:
        """Send what is there to be sent; half close where that was all and the connection lingers."""
        if not (self.lingers and self.close_when_flushed):
            super().handle_write()
            if self.deferred or self.reserved:
                self._take_stock()
            return
        self._flush_exception(self._flush_some)
        if not self.connected or self.will_close:
            self.handle_close()
        elif not self.total_outbufs_len:
            self._half_close()

    def write_soon(self, data: Any) -> int:
        """Take in a piece of an answer and return how many bytes of it were taken."""
        if not self.streams:
            taken: int = super().write_soon(self._buffered(data))
            return taken
        if self._has_room(len(data)):
            super().write_soon(Piece(data))
            return len(data)
        # No longer than what there is always room for once the client has taken all before it.
        size = min(PIECE_BYTES, self.server.unread.allowance - OVERHEAD)
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            self._wait_for_room(len(piece))
            super().write_soon(Piece(piece))
        return len(data)

    def handle_read(self) -> None:
        """Read a request."""
        super().handle_read()
        if self.turned_away:
            self.turned_away = False
            self.requests[0].refuse(Busy(""))
            self.service()
        elif self.connected and self.request is not None:
            self._count_body(self.request)

    def service(self) -> None:
        """Answer the first of the requests."""
        super().service()
        self._forget_body()

    def add_channel(self, map: Any = None) -> None:
        """Be one of the server's connections."""
        super().add_channel(map)
        self.server.came(self)

    def del_channel(self, map: Any = None) -> None:
        """Be one no more."""
        if self._fileno is not None:
            self.server.went(self)
        super().del_channel(map)

    def _count_body(self, request: Parser) -> None:
        size = max(0, request.body_bytes_received - self.limits.short_body_bytes)
        if size and not self._body_bytes:
            forwarded = request.headers.get("X_FORWARDED_FOR", "").rpartition(",")[2].strip()
            self._sender = self.client or address_key(forwarded)
        if self.server.bodies.resize(self._sender, self._body_bytes, size):
            self._body_bytes = size
        else:
            self.refuse(BodiesFull(""))

    def _forget_body(self) -> None:
        with self.outbuf_lock:
            self.server.bodies.resize(self._sender, self._body_bytes, 0)
            self._body_bytes = 0

    def _buffered(self, data: Any) -> Any:
        return Piece(data) if isinstance(data, bytes) and len(data) > COPIED_BYTES else data

    def _has_room(self, size: int) -> bool:
        with self.outbuf_lock:
            held = sum(outbuf.held for outbuf in self.outbufs if isinstance(outbuf, Piece))
            return not self.connected or self._resize(held + size + OVERHEAD)

    def _wait_for_room(self, size: int) -> None:
        if self._has_room(size):
            return
        if self._before_wait is not None:
            self._before_wait()
        with self.outbuf_lock:
            while not self._has_room(size):
                self.server.pull_trigger()
                self.outbuf_lock.wait(LOOK_SECONDS)

    def _resize(self, size: int) -> bool:
        # What was reserved stays so until the client has taken all.
        counted = max(self.reserved, size - self.server.unread.allowance) if size else 0
        fits: bool = self.server.unread.resize(self.reader, self.reserved, counted)
        if fits:
            self.reserved = counted
        return fits

    def _take_stock(self) -> None:
        """Count no more of an answer that was taken, and go on with the request that waited for that."""
        with self.outbuf_lock:
            if self.total_outbufs_len or self._answering:
                return
            self._resize(0)
            deferred, self.deferred = self.deferred, False
        if deferred:
            self.server.task_dispatcher.add_task(self)

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
