"""The progress of the upgrade that this process runs; a process runs one upgrade at a time."""

from __future__ import annotations

import logging
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UpgradeProgress:
    """The number of finished parts of an upgrade step (`copy`, `migrations` or `articles`)."""

    step: str
    done: int
    total: int

    def to_text(self) -> str:
        """Return the progress in words, such as `migrations: 3 of 36`."""
        return f"{self.step}: {self.done} of {self.total}"


class UpgradeState:
    """The upgrade that this process runs; `progress` is the last reported progress, or None."""

    progress: UpgradeProgress | None = None


UPGRADE_STATE = UpgradeState()


def report_progress(step: str, done: int, total: int) -> None:
    """Store the progress, and log one line for each tenth of a step."""
    former, progress = UPGRADE_STATE.progress, UpgradeProgress(step, done, total)
    UPGRADE_STATE.progress = progress
    if former is None or _get_finished_tenths(former) != _get_finished_tenths(progress):
        logger.info("upgrade: %s", progress.to_text())


def _get_finished_tenths(progress: UpgradeProgress) -> tuple[str, int]:
    return progress.step, 10 * progress.done // max(1, progress.total)
