"""What the reader of the commit version does without a connection; `response_cache` tests it with one."""

from __future__ import annotations

import math
from types import SimpleNamespace

from blogapi.serving.version_reader import VersionReader


class Channel:
    """Counts the requests that are passed on, and the errors; a broken one refuses the requests."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self.replayed, self.errors, self.is_broken = 0, 0, is_broken

    def replay(self, task: object) -> None:
        if self.is_broken:
            raise ConnectionError
        self.replayed += 1

    def handle_error(self) -> None:
        self.errors += 1


class Source:
    """A source of versions whose database cannot be reached."""

    staleness, errors = 0.0, (OSError,)

    def get_age(self) -> float:
        return math.inf

    def connect(self) -> None:
        raise OSError


def test_without_a_connection_threads_answer_the_requests():
    reader, channel = VersionReader(Source(), {}), Channel()
    reader.replay(SimpleNamespace(channel=channel), strict=True)
    assert channel.replayed == 1 and not reader.writable() and reader.readable()


def test_a_connection_that_ends_while_it_waits_does_not_affect_the_others():
    reader, broken, other = VersionReader(Source(), {}), Channel(is_broken=True), Channel()
    reader._arrived = [SimpleNamespace(channel=broken), SimpleNamespace(channel=other)]
    reader.handle_close()
    assert (broken.errors, other.replayed) == (1, 1)


def test_an_unexpected_error_is_logged_and_gives_up_the_connection(caplog):
    reader, channel = VersionReader(Source(), {}), Channel()
    reader._arrived = [SimpleNamespace(channel=channel)]
    try:
        raise RuntimeError
    except RuntimeError:
        reader.handle_error()
    assert channel.replayed == 1 and "cannot be read on the socket thread" in caplog.text
    reader.close()
