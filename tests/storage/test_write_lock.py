"""Tests of the write lock with real threads."""

from __future__ import annotations

import threading
import time

import pytest
from sqlalchemy.exc import TimeoutError

from blogapi.storage import write_lock
from blogapi.storage.write_lock import STUCK_SECONDS, WriteLock

TIMEOUT = 60
LONG_STUCK_SECONDS = 2.0
TOO_LONG = "another write takes too long"


class Writers:
    """Threads that acquire a lock, and the outcome of each."""

    def __init__(self, lock: WriteLock) -> None:
        self.lock = lock
        self.outcomes: dict[int, str] = {}
        self.holding: list[int] = []
        self.most_holding = 0
        self.threads: list[threading.Thread] = []
        self.may_finish = threading.Event()

    def start_in_order(self, number: int) -> None:
        """Start threads one after the other; each thread holds the lock until `may_finish` is set."""
        for _ in range(number):
            before = len(self.lock._queue)
            self.start()
            # On a busy machine, the thread can already have given up.
            name = len(self.threads) - 1
            wait_until(
                lambda before=before, name=name: len(self.lock._queue) > before or name in self.outcomes
            )

    def start(self) -> None:
        """Start one thread."""
        self.threads.append(threading.Thread(target=self._write, args=(len(self.threads),)))
        self.threads[-1].start()

    def _write(self, name: int) -> None:
        try:
            with self.lock.acquire(wait=True):
                self.holding.append(name)
                self.most_holding = max(self.most_holding, len(self.holding))
                self.may_finish.wait(TIMEOUT)
                self.outcomes[name] = "written"
                self.holding.remove(name)
        except TimeoutError as error:
            self.outcomes[name] = str(error)

    def finish(self) -> None:
        """Wait for all threads; check that they held the lock one at a time and released it."""
        self.may_finish.set()
        for thread in self.threads:
            thread.join(TIMEOUT)
            assert not thread.is_alive()
        assert self.most_holding <= 1
        with self.lock.acquire(wait=False):
            pass


def wait_until(condition) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.fixture
def writers():
    """Threads that acquire a lock for which only two threads may wait while a write is stuck."""
    writers = Writers(WriteLock(2, TIMEOUT))
    yield writers
    writers.finish()


def test_threads_write_one_at_a_time_in_the_order_of_their_arrival(writers):
    writers.start_in_order(2)
    writers.finish()
    assert list(writers.outcomes.items()) == [(0, "written"), (1, "written")]


def test_threads_over_the_maximum_give_up_when_a_write_is_stuck(writers):
    writers.start_in_order(4)
    wait_until(lambda: len(writers.outcomes) == 2)
    assert writers.outcomes == dict.fromkeys((2, 3), TOO_LONG)
    writers.finish()
    assert writers.outcomes[0] == writers.outcomes[1] == "written"


def test_a_stuck_write_is_detected_while_more_threads_arrive(writers):
    writers.start_in_order(2)
    for _ in range(12):
        writers.start()
        time.sleep(STUCK_SECONDS / 3)
    assert len(writers.outcomes) > 3 and set(writers.outcomes.values()) == {TOO_LONG}


def test_any_number_of_threads_wait_while_no_write_is_stuck(monkeypatch):
    # On a busy machine, a write can take much longer than it sleeps.
    monkeypatch.setattr(write_lock, "STUCK_SECONDS", LONG_STUCK_SECONDS)
    lock, written = WriteLock(2, TIMEOUT), []

    def write() -> None:
        with lock.acquire(wait=True):
            time.sleep(LONG_STUCK_SECONDS / 10)
            written.append(1)

    threads = [threading.Thread(target=write) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert len(written) == 12


def test_no_thread_waits_longer_than_the_timeout():
    writers = Writers(WriteLock(2, 2 * STUCK_SECONDS))
    writers.start_in_order(2)
    wait_until(lambda: writers.outcomes)
    assert writers.outcomes == {1: TOO_LONG}
    writers.finish()


def test_a_thread_that_does_not_wait_is_refused_immediately(writers):
    with writers.lock.acquire(wait=False):
        pass
    writers.start_in_order(1)
    with pytest.raises(TimeoutError, match="in progress"), writers.lock.acquire(wait=False):
        pytest.fail("never entered")


def test_a_write_that_fails_releases_the_lock(writers):
    with pytest.raises(RuntimeError), writers.lock.acquire(wait=True):
        raise RuntimeError
    with writers.lock.acquire(wait=False):
        pass
