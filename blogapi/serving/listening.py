"""Listening sockets on a TCP address or on a socket file, and the messages to a service manager."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
UNIX_SOCKET_MODE = 0o660

# The addresses at which this machine reaches a server that listens on all addresses.
_LOOPBACK_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104, these addresses are replaced


def open_socket(host: str, port: int, unix_socket: Path | None) -> socket.socket:
    """Return a socket that listens on the address, or on `unix_socket` if it is given; raises OSError."""
    return bind_address(host, port) if unix_socket is None else bind_unix_socket(unix_socket)


def make_server_url(host: str, port: int) -> str:
    """Return the URL of a server that listens on this host."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_local_url(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens on this host."""
    return make_server_url(_LOOPBACK_ADDRESSES.get(host, host), port)


def is_unix_socket(listening: socket.socket) -> bool:
    """Return whether the socket is a Unix socket."""
    return HAS_UNIX_SOCKETS and listening.family == socket.AF_UNIX


def bind_address(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the address; raises OSError if it cannot be bound."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except UnicodeError as error:
        raise OSError(f"{host!r} is not a host name") from error
    family, kind, protocol, _, address = addresses[0]
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            # SO_REUSEADDR allows an immediate restart; on Windows, it would let two programs share the port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        # A client that connects before the server runs is queued by the operating system.
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def bind_unix_socket(path: Path) -> socket.socket:
    """Return a socket that listens on the path, with mode 0660; raises OSError if it cannot be bound.

    A socket file on which no server listens is replaced, because an earlier server left it. No other file is
    replaced.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale_socket(path)
        old_umask = os.umask(0o777 & ~UNIX_SOCKET_MODE)
        try:
            listening.bind(str(path))
        finally:
            os.umask(old_umask)
        # While no server listens on the file, another server would replace it.
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def remove_unix_socket(path: Path, created: os.stat_result) -> None:
    """Delete the socket file, unless another server has replaced the file that this server `created`."""
    with suppress(OSError):
        if os.path.samestat(path.lstat(), created):
            path.unlink()


def _remove_stale_socket(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise FileExistsError("a file of that name exists and is not a socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise FileExistsError("another server is listening there")


def notify_service_manager(state: str) -> None:
    """Send a state such as `READY=1` to the address in NOTIFY_SOCKET; without it, do nothing."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address or not HAS_UNIX_SOCKETS:
        return
    if address.startswith("@"):
        # An address that begins with @ is abstract and belongs to no file.
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # If systemd does not read, `sendto` must not block the socket thread.
        sender.settimeout(0.1)
        sender.sendto(state.encode("ascii"), address)
