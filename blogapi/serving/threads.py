"""The threads that process requests."""

from __future__ import annotations

from typing import Any

from waitress.task import ThreadedTaskDispatcher

_WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")


class ThreadPool(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Threads and the queue of connections whose next request they process."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.set_thread_count(threads)

    def add_task(self, task: Any) -> None:
        """Queue the connection, without the log line that waitress writes each time."""
        with self.lock:
            self.queue.append(task)
            self.queue_cv.notify()


class Dispatcher:
    """The threads of a server: `threads` threads for reads, and as many for writes.

    A write can wait for seconds until other writes end. Reads have threads of their own, so they never wait
    for that.
    """

    def __init__(self, threads: int) -> None:
        self.reads, self.writes = ThreadPool(threads), ThreadPool(threads)

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
