"""Runs the real server in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from blogapi.serving import listening
from blogapi.serving import server as serving


@contextmanager
def serve(app: Any, **options: Any) -> Iterator[int]:
    """Serve the application in a thread; yield the port."""
    with start_server(app, **options) as server:
        yield server.effective_port


@contextmanager
def start_server(
    app: Any, *, host: str = "127.0.0.1", unix_socket: Path | None = None, **options: Any
) -> Iterator[serving.Server]:
    """Serve the application in a thread; yield the server."""
    listening_socket = listening.open_socket(host, 0, unix_socket)
    server = serving.create_server(app, listening_socket=listening_socket, **{"threads": 4} | options)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.task_dispatcher.shutdown()
        stop_server(server)
        thread.join(60)
        assert not thread.is_alive()


def stop_server(server: serving.Server) -> None:
    """Stop the server's loop from its own thread, which owns the sockets."""

    def close() -> None:
        for channel in list(server.active_channels.values()):
            channel.handle_close()
        server.close()

    # If the loop has already stopped, the trigger is closed.
    with suppress(OSError):
        server.trigger.pull_trigger(close)
