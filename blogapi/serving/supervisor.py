"""Reports the state of the service to systemd (`man sd_notify`)."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

from blogapi.serving.listening import UNIX_SOCKETS


def notify(state: str) -> None:
    """Send a state such as `READY=1` to the address in NOTIFY_SOCKET; without it, do nothing."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address or not UNIX_SOCKETS:
        return
    if address.startswith("@"):
        # An abstract address, which is no file.
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # If systemd does not read, `sendto` must not block the socket thread.
        sender.settimeout(0.1)
        sender.sendto(state.encode("ascii"), address)
