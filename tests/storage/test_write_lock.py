"""Tests of the write lock with real threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import TimeoutError

from blogapi.storage import checkpoint
from blogapi.storage.checkpoint import WriteLock

TIMEOUT = 60


def test_threads_write_one_at_a_time():
    lock, writing, counts = WriteLock(), threading.Semaphore(1), []

    def write(_: int) -> None:
        with lock.acquire(TIMEOUT):
            assert writing.acquire(blocking=False)
            counts.append(1)
            writing.release()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(200)))
    assert len(counts) == 200


@pytest.mark.parametrize("seconds", [0, 0.05])
def test_a_thread_waits_a_limited_time(seconds):
    lock = WriteLock()
    with lock.acquire(0), ThreadPoolExecutor(1) as pool:
        error = pool.submit(lambda: lock.acquire(seconds).__enter__()).exception(TIMEOUT)
    assert isinstance(error, TimeoutError)


def test_the_lock_returns_the_time_that_is_left(monkeypatch):
    lock, now, asked, left = WriteLock(), [100.0], threading.Event(), []

    def monotonic() -> float:
        time = now[0]
        asked.set()
        return time

    def write() -> None:
        with lock.acquire(TIMEOUT) as seconds:
            left.append(seconds)

    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(monotonic=monotonic))
    thread = threading.Thread(target=write)
    with lock.acquire(1.0) as seconds:
        assert seconds == 1
        asked.clear()
        thread.start()
        assert asked.wait(TIMEOUT)
        now[0] += 10
    thread.join(TIMEOUT)
    assert left == [TIMEOUT - 10]


def test_a_write_that_fails_releases_the_lock():
    lock = WriteLock()
    with pytest.raises(RuntimeError), lock.acquire(0):
        raise RuntimeError
    with lock.acquire(0):
        pass
