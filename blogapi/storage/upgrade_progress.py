"""The progress of the upgrade that this process runs; a process runs one upgrade at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of finished parts of an upgrade step (`copy`, `migrations` or `articles`)."""

    step: str
    done: int
    total: int

    def to_text(self) -> str:
        """Return the progress in words, such as `migrations: 3 of 36`."""
        return f"{self.step}: {self.done} of {self.total}"


class _ProgressLog:
    """Writes a line for each tenth of a step into the log."""

    _logged: tuple[str, int] | None = None

    def __call__(self, progress: Progress) -> None:
        tenth = progress.step, 10 * progress.done // max(1, progress.total)
        if tenth != self._logged:
            self._logged = tenth
            logger.info("upgrade: %s", progress.to_text())


_listeners: list[Callable[[Progress], None]] = [_ProgressLog()]


def report_progress(step: str, done: int, total: int) -> None:
    """Pass the progress to the listeners."""
    for listener in _listeners:
        listener(Progress(step, done, total))


@contextmanager
def listen_for_progress(listener: Callable[[Progress], None]) -> Iterator[None]:
    """Call the function at each report of progress in the `with` block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
