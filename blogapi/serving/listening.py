"""The socket that a server listens on: at an address, or in the file system."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
UNIX_MODE = 0o660


def at_address(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address; raises OSError where it cannot be."""
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


def in_file(path: Path) -> socket.socket:
    """Return a socket bound to the path, for its owner and group; raises OSError where it cannot be.

    A socket that nobody listens on is one that a server left behind, and is replaced; any other file stays.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _make_way(path)
        before = os.umask(0o777 & ~UNIX_MODE)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
    except OSError:
        listening.close()
        raise
    return listening


def remove(path: Path, made: os.stat_result) -> None:
    """Remove the socket file, if it is still the one that was made."""
    with suppress(OSError):
        if os.path.samestat(path.lstat(), made):
            path.unlink()


def _make_way(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise FileExistsError("there is a file of that name, and it is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(1)
        try:
            caller.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise FileExistsError("a server is listening there")
