"""The results of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class FileResult(StrEnum):
    """The result for a file: written, unchanged, deleted, or refused (it could not be written or deleted)."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that could not be written or deleted, and a sentence that says why and what to do."""

    path: str
    reason: str


class CannotWrite(Exception):
    """Raised if a file cannot be written or deleted; the message is a sentence with the reason."""


@dataclass(slots=True)
class ExportReport:
    """The number of articles and media files in an export, and the number of files with each result."""

    public: int = 0
    drafts: int = 0
    media: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    files: Counter[FileResult] = field(default_factory=Counter)
    refused: list[RefusedFile] = field(default_factory=list)

    def add_refused_file(self, path: str, reason: str) -> None:
        """Add a file that could not be written or deleted."""
        self.files[FileResult.REFUSED] += 1
        self.refused.append(RefusedFile(path, reason))

    def count_files(self) -> dict[str, int]:
        """Return the number of files by the name of their result."""
        return {result.value: self.files[result] for result in FileResult}
