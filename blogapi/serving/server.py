"""A subclass of the waitress server that adds limits, deadlines and problem+json errors.

The server itself refuses a request if its request line is malformed, if its headers or its body are too
large, or if it arrives while the queue is full.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask
from waitress import wasyncore
from waitress.proxy_headers import (
    PROXY_HEADERS,
    MalformedProxyHeader,
    clear_untrusted_headers,
    parse_proxy_headers,
)
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from blogapi.content.media import images
from blogapi.delivery.response_cache import middleware as response_cache_middleware
from blogapi.delivery.response_cache.commit_version import SqliteVersionSource
from blogapi.serving import listening
from blogapi.serving.access_log import AccessLog
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.serving.parser import ParserSettings, configure_body_limits
from blogapi.web import errors, headers, metrics
from blogapi.web.rate_limits.limiter import get_address_key
from blogapi.web.rate_limits.middleware import has_request_limit
from blogapi.web.request_environ import REQUEST_ID_KEY, choose_request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")


class Dispatcher:
    """The threads of a server: `threads` threads for reads, and as many for writes.

    A write can wait seconds for other writes. Reads have their own threads, so that writes do not delay them.
    """

    def __init__(self, threads: int) -> None:
        # waitress would log a line for each request that waits.
        logging.getLogger("waitress.queue").disabled = True
        self.reads, self.writes = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        for pool in (self.reads, self.writes):
            pool.set_thread_count(threads)

    def add_task(self, channel: Any) -> None:
        """Queue the first request of a connection."""
        is_write = channel.requests[0].command in _WRITE_METHODS
        (self.writes if is_write else self.reads).add_task(channel)

    def count_queued(self) -> int:
        """Return how many requests wait for a thread."""
        return len(self.reads.queue) + len(self.writes.queue)

    def shutdown(self, timeout: float = 5) -> None:
        """End the threads; wait up to `timeout` seconds for the running requests of each kind."""
        for pool in (self.reads, self.writes):
            pool.shutdown(timeout=timeout)


_FORWARDED_HEADERS = frozenset({"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"})


def wrap_with_proxy_middleware(app: Flask, proxy: str, *, trust_all: bool = False) -> WSGIApplication:
    """Return the application wrapped in a middleware that applies the `X-Forwarded-*` headers of `proxy`.

    `proxy` is an address or a network. If it is empty, no sender is trusted unless `trust_all` is set.
    The middleware of waitress is not used: its errors have another format, and it accepts any address.
    """
    trusted = ip_network(proxy, strict=False) if proxy else None

    def translate_headers(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        untrusted, peer = PROXY_HEADERS, environ["REMOTE_ADDR"]
        if trust_all or (trusted is not None and ip_address(peer) in trusted):
            try:
                untrusted = parse_proxy_headers(
                    environ, trusted_proxy_count=1, trusted_proxy_headers=_FORWARDED_HEADERS
                )
                # The rate limits and the access log use the address, so refuse a text that is no IP address.
                environ["REMOTE_ADDR"] = str(ip_address(environ["REMOTE_ADDR"]))
            except (MalformedProxyHeader, ValueError):
                # Restore the address, so that the access log does not contain the invalid text of the header.
                environ["REMOTE_ADDR"] = peer
                return _send_bad_request(environ, start_response)
        clear_untrusted_headers(environ, untrusted)
        return app(environ, start_response)

    return translate_headers


def _send_bad_request(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    body = errors.make_problem_body(400, *errors.get_default_problem(400))
    name = environ[REQUEST_ID_KEY] = choose_request_id(environ.get("HTTP_X_REQUEST_ID"))
    start_response("400 Bad Request", [*headers.make_error_headers(name), ("Content-Length", str(len(body)))])
    return [body]


logger = logging.getLogger(__name__)

# A connection that has stalled for this number of seconds may be closed in favor of a new connection.
EVICTION_SECONDS = 1.0

# Minimum time between two log messages about connections that cannot be accepted, in seconds.
LOG_INTERVAL_SECONDS = 60


class Server(TcpWSGIServer):  # type: ignore[misc]
    """The server on one listening socket, which limits its connections and the time of requests."""

    channel_class = Channel

    access_log: AccessLog | None = None

    # The socket thread sends this state to systemd at each sweep. If the thread hangs, systemd notices.
    heartbeat = "WATCHDOG=1"

    def __init__(
        self,
        application: WSGIApplication,
        listening_socket: socket.socket,
        settings: ParserSettings,
        *,
        proxy: str = "",
        limits: Limits,
        keyless_paths: tuple[str, ...] | None = None,
    ) -> None:
        self.limits = limits
        # The socket thread looks for a cached response if a request has a key, or if its path begins with one
        # of these paths. If this is None, the socket thread never looks into the cache.
        self.keyless_paths = keyless_paths
        self.stopping = False
        self.request_seconds = limits.request
        self._proxy = ip_network(proxy, strict=False) if proxy else None
        # True after a connection could not be accepted; the next sweep sets it back to False.
        self._is_full = False
        self._next_sweep = 0.0
        self._logged_at = -float(LOG_INTERVAL_SECONDS)
        dispatcher = Dispatcher(settings.threads)
        socket_info = (
            listening_socket.family,
            listening_socket.type,
            listening_socket.proto,
            listening_socket.getsockname(),
        )
        super().__init__(
            application, {}, True, listening_socket, dispatcher, settings, socket_info, bind_socket=False
        )

    def run(self) -> None:
        """Serve until `stop` is called or all sockets are closed."""
        try:
            while self._map and not self.stopping:
                self._run_loop_once(self.limits.sweep)
            if self._map:
                self._finish_requests()
        finally:
            self._close_all_connections()

    def stop(self) -> None:
        """Let `run` finish the received requests within a time limit and return; any thread may call this."""
        self.stopping = True
        self.pull_trigger()

    def readable(self) -> bool:
        """Return whether the server accepts connections now."""
        return bool(self.accepting) and not self._is_full

    def handle_accept(self) -> None:
        """Accept a connection, unless all slots are taken and no stalled connection can be closed for it."""
        evicted = None
        if len(self.active_channels) >= self.limits.connections:
            evicted = self._find_most_stalled_connection()
            if evicted is None:
                self._pause_accepting(
                    "All connection slots are taken; new connections wait until one is free."
                )
                return
        try:
            accepted = self.accept()
        except OSError as error:
            # Usually the process has no free file descriptor. Without a pause, this would be a busy loop.
            self._pause_accepting(f"Cannot accept a connection: {error.strerror or error}.")
            return
        if accepted is None:
            return
        connection, address = accepted[0], self.fix_addr(accepted[1])
        if evicted is None and self._has_too_many_connections(client := self.get_client_key(address)):
            evicted = self._find_most_stalled_connection(client)
            if evicted is None:
                connection.close()
                return
        if evicted is not None:
            # Close the old connection only after the accept: otherwise the new connection could get the file
            # descriptor of the old connection, which may have pending events.
            evicted.handle_close()
        self._open_channel(connection, address)

    def add_task(self, task: Channel) -> None:
        """Record that the connection has a complete request, so that the socket thread starts the request.

        The request is not started here, because waitress calls this while it holds a lock of the connection.
        """
        task.has_unstarted_request = True

    def is_queue_full(self) -> bool:
        """Return whether no other request can wait for a thread."""
        return bool(self.task_dispatcher.count_queued() >= self.limits.queue)

    def fix_addr(self, addr: Any) -> Any:
        """Return a client's address; a socket on `::` reports an IPv4 address as `::ffff:1.2.3.4`."""
        ip = ip_address(addr[0].partition("%")[0])
        mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
        return addr if mapped is None else (str(mapped), *addr[1:])

    def get_client_key(self, address: Any) -> str:
        """Return the key under which connections of the address are counted; "" for the proxy (no limit)."""
        ip = ip_address(address[0].partition("%")[0])
        if self._proxy is not None and ip in self._proxy:
            return ""
        return get_address_key(str(ip))

    def _open_channel(self, connection: socket.socket, address: Any) -> None:
        try:
            self.set_socket_options(connection)
            self.channel_class(self, connection, address, self.adj, map=self._map)
        except OSError:
            # The client has already disconnected.
            connection.close()

    def _has_too_many_connections(self, client: str) -> bool:
        if not client or len(self.active_channels) < self.limits.connections // 2:
            return False
        clients = [channel.client for channel in self.active_channels.values()]
        return clients.count(client) >= self.limits.per_address

    def _find_most_stalled_connection(self, client: str | None = None) -> Channel | None:
        """Return the connection (of this client, if it is given) that has stalled longest, or None."""
        now = time.monotonic()
        waiting = [
            (since, channel)
            for channel in self.active_channels.values()
            if (client is None or channel.client == client)
            and (since := channel.get_stall_start()) is not None
            # If the client has reached its own limit, any of its incomplete requests may be evicted.
            and (now - since > EVICTION_SECONDS or (client is not None and channel.request is not None))
        ]
        return min(waiting, key=lambda item: item[0])[1] if waiting else None

    def _pause_accepting(self, reason: str) -> None:
        now, self._is_full = time.monotonic(), True
        if now - self._logged_at >= LOG_INTERVAL_SECONDS:
            self._logged_at = now
            logger.warning(reason)

    def _run_loop_once(self, seconds: float) -> None:
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep, self._is_full = now + self.limits.sweep, False
            for channel in list(self.active_channels.values()):
                channel.check_deadlines(now)
            listening.notify_service_manager(self.heartbeat)
        # select() fails with a file descriptor above 1,023, so poll() is used where it exists.
        wasyncore.loop(seconds, use_poll=True, map=self._map, count=1)

    def _finish_requests(self) -> None:
        """Finish the requests of all connections, including connections that were not yet accepted."""
        ends_at = time.monotonic() + self.limits.stop
        self.request_seconds = self.limits.stop_grace
        self._run_loop_once(0)
        before = -1
        while before < len(self.active_channels) < self.limits.connections:
            before = len(self.active_channels)
            self.handle_accept()
        self.accepting = False
        self.socket.close()
        self._map.pop(self._fileno, None)
        self._run_loop_once(0)
        while self._close_idle_connections() and time.monotonic() < ends_at:
            self._next_sweep = 0.0
            self._run_loop_once(min(self.limits.sweep, 0.1))

    def _close_idle_connections(self) -> bool:
        """Close idle connections; return whether other connections are left."""
        for channel in list(self.active_channels.values()):
            if channel.is_idle():
                channel.handle_close()
        return bool(self.active_channels)

    def _close_all_connections(self) -> None:
        for channel in list(self.active_channels.values()):
            channel.handle_close()
        self.close()
        # The worker threads are daemons, so a thread that is still busy does not delay the exit.
        self.task_dispatcher.shutdown(timeout=0.5)


class UnixServer(Server):
    """A server on a Unix socket. Every process that can open its file is treated as the trusted proxy."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.path = Path(self.effective_port)
        self._file_status = self.path.lstat()

    def getsockname(self) -> tuple[str, str]:
        """Return a pair, because waitress expects a host and a port."""
        return "unix", self.socket.getsockname()

    def set_socket_options(self, conn: socket.socket) -> None:
        """Do nothing, because the options that waitress sets are for TCP."""

    def fix_addr(self, addr: Any) -> tuple[str, None]:
        """Return the loopback address, because a Unix socket has no client address."""
        return "127.0.0.1", None

    def get_client_key(self, address: Any) -> str:
        """Return "", because every client is treated as the proxy."""
        return ""

    def close(self) -> None:
        """Close the socket and delete its file."""
        listening.remove_unix_socket(self.path, self._file_status)
        super().close()


def create_server(
    app: Flask,
    *,
    listening_socket: socket.socket,
    threads: int,
    url_scheme: str = "http",
    trusted_proxy: str | None = None,
    limits: Limits | None = None,
    access_log: AccessLog | None = None,
) -> Server:
    """Return a server that listens on the bound socket.

    `trusted_proxy` overrides the setting TRUSTED_PROXY. The caller must close `access_log`.
    """
    is_unix = listening.is_unix_socket(listening_socket)
    limits = limits or Limits(request=app.config["REQUEST_SECONDS"])
    settings = ParserSettings(
        sockets=[listening_socket],
        threads=threads,
        url_scheme=url_scheme,
        # waitress refuses a body that is as long as its limit; Flask refuses only a longer body.
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"] + 1,
    )
    configure_body_limits(app, settings, limits)
    images.init_app(app, threads=threads)
    proxy = app.config["TRUSTED_PROXY"] if trusted_proxy is None else trusted_proxy
    wrapped_app = wrap_with_proxy_middleware(app, proxy, trust_all=is_unix)
    server_class = UnixServer if is_unix else Server
    server = server_class(
        wrapped_app,
        listening_socket,
        settings,
        proxy=proxy,
        limits=limits,
        keyless_paths=_list_keyless_paths(app),
    )
    server.access_log = access_log
    metrics.add_gauge(app, "connections", "Open client connections.", lambda: len(server.active_channels))
    metrics.add_gauge(
        app,
        "unread_bytes",
        "Bytes of responses not yet read.",
        lambda: sum(channel.total_outbufs_len for channel in list(server.active_channels.values())),
    )
    metrics.add_gauge(
        app, "queue_depth", "Requests that wait for a thread.", lambda: server.task_dispatcher.count_queued()
    )
    return server


def _list_keyless_paths(app: Flask) -> tuple[str, ...] | None:
    """Return the prefixes of the paths whose cached responses need no key.

    Return None if the socket thread must not look into the cache, because it could have to wait: for a
    database on another machine, or for the counters of the rate limits.
    """
    cache = response_cache_middleware.RESPONSE_CACHE.get(app)
    if not isinstance(cache.source, SqliteVersionSource) or has_request_limit(app):
        return None
    return cache.keyless_paths
