"""The socket that a server listens on."""

from __future__ import annotations

import os
import socket


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
