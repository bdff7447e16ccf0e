"""The gate that every write goes through, with threads that really wait."""

from __future__ import annotations

import threading
import time

import pytest
from sqlalchemy.exc import TimeoutError

from blogapi.storage.write_lock import STUCK_SECONDS, WriteLock

PATIENCE = 20


class Writers:
    """Threads that want to pass a gate, and what became of each."""

    def __init__(self, gate: WriteLock) -> None:
        self.gate = gate
        self.ended: dict[int, str] = {}
        self.inside: list[int] = []
        self.together = 0
        self.threads: list[threading.Thread] = []
        self.goes = threading.Event()

    def come(self, number: int) -> None:
        """Let so many come, one after the other; each waits for `goes` inside."""
        for _ in range(number):
            before = len(self.gate._queue)
            self.start()
            until(lambda before=before: len(self.gate._queue) > before)

    def start(self) -> None:
        """Let one come, at some time."""
        self.threads.append(threading.Thread(target=self._pass, args=(len(self.threads),)))
        self.threads[-1].start()

    def _pass(self, name: int) -> None:
        try:
            with self.gate.passed(patient=True):
                self.inside.append(name)
                self.together = max(self.together, len(self.inside))
                self.goes.wait(PATIENCE)
                self.ended[name] = "passed"
                self.inside.remove(name)
        except TimeoutError as error:
            self.ended[name] = str(error)

    def end(self) -> None:
        """Let all go and wait for them; they went one at a time, and whoever comes now need not wait."""
        self.goes.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert self.together <= 1
        with self.gate.passed(patient=False):
            pass


def until(holds) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def writers():
    """Writers at a gate where two may wait for long."""
    made = Writers(WriteLock(2, PATIENCE))
    yield made
    made.end()


def test_all_pass_one_at_a_time_in_the_order_of_their_coming(writers):
    writers.come(2)
    writers.end()
    assert list(writers.ended.items()) == [(0, "passed"), (1, "passed")]


def test_one_too_many_waits_no_longer_than_a_write_may_take(writers):
    writers.come(4)
    until(lambda: len(writers.ended) == 2)
    assert writers.ended == dict.fromkeys((2, 3), "another write takes long")
    writers.end()
    assert writers.ended[0] == writers.ended[1] == "passed"


def test_that_others_come_hides_no_write_that_does_not_end(writers):
    writers.come(2)
    for _ in range(12):
        writers.start()
        time.sleep(STUCK_SECONDS / 3)
    assert len(writers.ended) > 3 and set(writers.ended.values()) == {"another write takes long"}


def test_many_wait_as_long_as_the_writes_go_on():
    gate, passed = WriteLock(2, PATIENCE), []

    def write() -> None:
        with gate.passed(patient=True):
            time.sleep(STUCK_SECONDS / 5)
            passed.append(1)

    threads = [threading.Thread(target=write) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(passed) == 12


def test_nobody_waits_longer_than_he_is_let():
    writers = Writers(WriteLock(2, 2 * STUCK_SECONDS))
    writers.come(2)
    until(lambda: writers.ended)
    assert writers.ended == {1: "another write takes long"}
    writers.end()


def test_who_is_in_a_hurry_waits_for_nobody(writers):
    with writers.gate.passed(patient=False):
        pass
    writers.come(1)
    with pytest.raises(TimeoutError, match="going on"), writers.gate.passed(patient=False):
        pytest.fail("never entered")


def test_a_write_that_fails_lets_the_next_one_in(writers):
    with pytest.raises(RuntimeError), writers.gate.passed(patient=True):
        raise RuntimeError
    with writers.gate.passed(patient=False):
        pass
