"""The real server, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from blogapi.serving import server as serving


@contextmanager
def running(app: Any, **options: Any) -> Iterator[int]:
    """Serve the application in a thread; yield the port."""
    with server(app, **options) as made:
        yield made.effective_port


@contextmanager
def server(app: Any, **options: Any) -> Iterator[serving.Server]:
    """Serve the application in a thread; yield the server."""
    made = serving.create_server(app, **{"host": "127.0.0.1", "port": 0, "threads": 4} | options)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.task_dispatcher.shutdown()
        stop(made)
        thread.join(5)
        assert not thread.is_alive()


def stop(made: serving.Server) -> None:
    """Stop the server's loop from its own thread, which owns the sockets."""

    def close() -> None:
        for channel in list(made.active_channels.values()):
            channel.handle_close()
        made.close()

    # The loop may already have stopped before it is woken; the trigger is closed then.
    with suppress(OSError):
        made.trigger.pull_trigger(close)
