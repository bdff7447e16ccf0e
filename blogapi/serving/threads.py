"""The threads that process requests."""

from __future__ import annotations

import logging
from typing import Any

from waitress.task import ThreadedTaskDispatcher

_WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")


class Dispatcher:
    """The threads of a server: `threads` threads for reads, and as many for writes.

    A write can wait for seconds until other writes end. Reads have separate threads, so that waiting writes
    do not delay them.
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
