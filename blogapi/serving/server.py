"""waitress with our limits and deadlines, and with its own errors in our one body.

By subclassing alone: what waitress itself refuses (a broken request line, a header or a body that is too
large, one request too many) never reaches the application, so its answer is written here.
"""

from __future__ import annotations

import logging
import select
import socket
import threading
import time
from collections import Counter
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from blogapi.metrics import registry
from blogapi.serving import listening
from blogapi.serving.budget import ByteBudget
from blogapi.serving.channel import Channel
from blogapi.serving.limits import MAX_HEADER_BYTES, Limits
from blogapi.serving.log import AccessLog
from blogapi.serving.proxy import trust_proxy
from blogapi.serving.unread import UnreadBudget
from blogapi.storage import database

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

logger = logging.getLogger(__name__)

# So high that waitress itself never lets a thread wait for a client: what is unread, we bound.
HIGH_WATERMARK = 2**40

# A connection that has owed us a request for so long makes room for another, in seconds.
PATIENCE = 1.0

# How often one trouble is told in the log, in seconds.
TELL_EVERY = 60


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """The threads, and what waits for one."""

    def add_task(self, task: Any) -> None:
        """Let the task wait for a thread, without a line in the log each time."""
        with self.lock:
            self.queue.append(task)
            self.queue_cv.notify()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """One listening socket and its connections."""

    channel_class = Channel

    def __init__(
        self,
        application: WSGIApplication,
        listens: socket.socket,
        settings: Adjustments,
        *,
        proxy: str = "",
        limits: Limits,
        journal: AccessLog | None = None,
    ) -> None:
        self.limits = limits
        self.journal = journal
        self.stopping = False
        self.request_seconds, self.linger_seconds = limits.request, limits.linger
        self.addresses: Counter[str] = Counter()
        self.unread = UnreadBudget(limits, settings.threads)
        largest = settings.max_request_body_size
        self.bodies = ByteBudget(limits.bodies * largest, limits.bodies_per_address * largest)
        self._proxy = ip_network(proxy, strict=False) if proxy else None
        self._next_sweep = self._rests_until = 0.0
        self._told_at = -float(TELL_EVERY)
        self._thread = 0
        # select() ends the process at a file descriptor over 1,023.
        self._poll = wasyncore.poll2 if hasattr(select, "poll") else wasyncore.poll
        dispatcher = Dispatcher()
        dispatcher.set_thread_count(settings.threads)
        where = (listens.family, listens.type, listens.proto, listens.getsockname())
        super().__init__(application, {}, True, listens, dispatcher, settings, where, bind_socket=False)

    def run(self) -> None:
        """Serve until `stop` is called, or all sockets are closed."""
        self._thread = threading.get_ident()
        try:
            while self._map and not self.stopping:
                self._turn(self.limits.sweep)
            if self._map:
                self._drain()
        finally:
            self._close_all()

    def stop(self) -> None:
        """Answer what has come in, for a bounded time, then end; from any thread or signal handler."""
        self.stopping = True
        self.pull_trigger()

    def readable(self) -> bool:
        """Tell whether to let somebody in."""
        return bool(self.accepting) and (not self._rests_until or time.monotonic() >= self._rests_until)

    def handle_accept(self) -> None:
        """Let somebody in, where there is room."""
        pushed_out = None
        if len(self.active_channels) >= self.limits.connections:
            pushed_out = self._slowest()
            if pushed_out is None:
                self._rest("All connections are taken; nobody is let in until one ends.")
                return
        try:
            accepted = self.accept()
        except OSError as error:
            # Mostly no file descriptor is left. At once again would be the same, all the time.
            self._rest(f"No connection can be taken: {error.strerror or error}.")
            return
        self._rests_until = 0.0
        if accepted is None:
            return
        connection, address = accepted
        if pushed_out is None and self._is_crowded(client := self.client_of(address)):
            pushed_out = self._slowest(client)
            if pushed_out is None:
                connection.close()
                return
        if pushed_out is not None:
            # After the accept: what the system still tells of the old descriptor is not for a new one.
            pushed_out.handle_close()
        self._join(connection, address)

    def add_task(self, task: Channel) -> None:
        """Let the connection's request wait for a thread; one too many is refused."""
        if threading.get_ident() != self._thread:
            # It follows an answer, and comes from the answering thread, which is free again.
            if not task.defer():
                self.task_dispatcher.add_task(task)
        elif len(self.task_dispatcher.queue) >= self.limits.queue:
            task.turned_away = True
        else:
            self.task_dispatcher.add_task(task)

    def came(self, channel: Channel) -> None:
        """Count a connection."""
        self.addresses[channel.client] += 1

    def went(self, channel: Channel) -> None:
        """Count it no more."""
        self.addresses[channel.client] -= 1
        if not self.addresses[channel.client]:
            del self.addresses[channel.client]

    def client_of(self, address: Any) -> str:
        """Return under which name an address is counted; empty for the proxy, which is not limited.

        Of IPv6 a client has a whole /64.
        """
        ip = ip_address(address[0].partition("%")[0])
        if self._proxy is not None and ip in self._proxy:
            return ""
        if isinstance(ip, IPv6Address):
            return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False))
        return str(ip)

    def _join(self, connection: socket.socket, address: Any) -> None:
        try:
            self.set_socket_options(connection)
            self.channel_class(self, connection, self.fix_addr(address), self.adj, map=self._map)
        except OSError:
            # The client is gone already.
            connection.close()

    def _is_crowded(self, client: str) -> bool:
        few = len(self.active_channels) >= self.limits.connections // 2
        return bool(client) and few and self.addresses[client] >= self.limits.per_address

    def _slowest(self, client: str | None = None) -> Channel | None:
        """Return the connection, of that client if one is named, that has owed us bytes for longest."""
        now = time.monotonic()
        waiting = [
            (since, channel)
            for channel in self.active_channels.values()
            if (client is None or channel.client == client)
            and (since := channel.waits_since()) is not None
            # An address that is short of places first gives up what it does not finish.
            and (now - since > PATIENCE or (client is not None and channel.request is not None))
        ]
        return min(waiting, key=lambda found: found[0])[1] if waiting else None

    def _rest(self, why: str) -> None:
        now = time.monotonic()
        self._rests_until = now + self.limits.rest
        if now - self._told_at >= TELL_EVERY:
            self._told_at = now
            logger.warning(why)

    def _sweep(self, now: float) -> None:
        for channel in list(self.active_channels.values()):
            channel.watch(now)
        for client, size in self.unread.take_refused().items():
            self._make_room(client, size, now)

    def _make_room(self, client: str, size: int, now: float) -> None:
        """Close the connections that take nothing and are in the way of such an answer, the longest first."""
        full = self.unread.is_full(size)
        in_the_way = [
            (since, channel)
            for channel in self.active_channels.values()
            if (channel.streams or (channel.reserved and (full or channel.reader == client)))
            and (since := channel.waits_since()) is not None
            and now - since > self.limits.stall_in_the_way
        ]
        for _, channel in sorted(in_the_way, key=lambda found: found[0]):
            if self.unread.admits(client, size):
                break
            channel.handle_close()

    def _turn(self, seconds: float) -> None:
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + self.limits.sweep
            self._sweep(now)
        self._poll(seconds, self._map)

    def _drain(self) -> None:
        """Answer whoever has sent a request; begin with those that the system has taken for us."""
        until = time.monotonic() + self.limits.stop
        self.request_seconds = self.linger_seconds = self.limits.last_words
        self._rests_until = 0.0
        self._turn(0)
        before = -1
        while before < len(self.active_channels) < self.limits.connections:
            before = len(self.active_channels)
            self.handle_accept()
        self.accepting = False
        self.socket.close()
        self._map.pop(self._fileno, None)
        self._turn(0)
        while self._end_idle() and time.monotonic() < until:
            self._next_sweep = 0.0
            self._turn(min(self.limits.sweep, 0.1))

    def _end_idle(self) -> bool:
        """End the connections that owe nothing and are owed nothing; tell whether some are left."""
        for channel in list(self.active_channels.values()):
            if channel.is_idle():
                channel.handle_close()
        return bool(self.active_channels)

    def _close_all(self) -> None:
        for channel in list(self.active_channels.values()):
            channel.handle_close()
        self.close()
        # The threads are daemons: one that still works does not hold up the end.
        self.task_dispatcher.shutdown(timeout=0.5)


class UnixServer(Server):
    """A server whose clients come through a file: whoever may open it is the proxy."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.path = Path(self.effective_port)
        self._made = self.path.lstat()

    def getsockname(self) -> tuple[str, str]:
        """Return what stands for host and port."""
        return "unix", self.socket.getsockname()

    def set_socket_options(self, conn: socket.socket) -> None:
        """Set none: they are those of TCP."""

    def fix_addr(self, addr: Any) -> tuple[str, None]:
        """Return the address that a client of this machine would have."""
        return "127.0.0.1", None

    def client_of(self, address: Any) -> str:
        """Return that all of them are the proxy."""
        return ""

    def close(self) -> None:
        """Let go of the socket and its file."""
        listening.remove(self.path, self._made)
        super().close()


def create(
    app: Flask,
    *,
    host: str,
    port: int,
    threads: int,
    unix_socket: Path | None = None,
    url_scheme: str = "http",
    trusted_proxy: str | None = None,
    limits: Limits | None = None,
    journal: AccessLog | None = None,
) -> Server:
    """Return a server that listens; raises OSError where it cannot.

    `unix_socket` takes the place of host and port, `trusted_proxy` that of the setting. What was served goes
    to the `journal`, which its owner closes.
    """
    limits = limits or Limits(
        request=app.config["REQUEST_SECONDS"], unread_bytes=app.config["UNREAD_MEGABYTES"] * 2**20
    )
    listens = listening.at_address(host, port) if unix_socket is None else listening.in_file(unix_socket)
    settings = Adjustments(
        sockets=[listens],
        threads=threads,
        ident=None,
        url_scheme=url_scheme,
        # waitress refuses what reaches its limit, Flask what exceeds it.
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"] + 1,
        max_request_header_size=MAX_HEADER_BYTES,
        outbuf_high_watermark=HIGH_WATERMARK,
        clear_untrusted_proxy_headers=False,
    )
    database.reserve_reader_threads(app, threads)
    proxy = app.config["TRUSTED_PROXY"] if trusted_proxy is None else trusted_proxy
    served = trust_proxy(app, proxy, everybody=unix_socket is not None)
    kind = Server if unix_socket is None else UnixServer
    made = kind(served, listens, settings, proxy=proxy, limits=limits, journal=journal)
    registry.gauge(app, "connections", "Connections of clients.", lambda: len(made.active_channels))
    registry.gauge(app, "unread_bytes", "Memory held by answers not read yet.", lambda: made.unread.held)
    registry.gauge(
        app, "queue_depth", "Requests that wait for a thread.", lambda: len(made.task_dispatcher.queue)
    )
    return made
