"""The list of the media files that the database of a backup refers to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from blogapi.backups.manifest import InvalidBackup, MediaPlace, MediaSummary

_MAX_NAMED = 20


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A media file that is not in a backup: its path in the media folder, its name and the reason."""

    path: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class MediaList:
    """The sizes of the saved files by path, and the files that could not be saved."""

    saved: dict[str, int]
    missing: tuple[MissingFile, ...] = ()

    def to_json(self) -> bytes:
        """Return the list as JSON."""
        return json.dumps(asdict(self), indent=0).encode("utf-8")

    def summarize(self, place: MediaPlace) -> MediaSummary:
        """Return the numbers for the manifest."""
        return MediaSummary(place.value, len(self.saved), sum(self.saved.values()), len(self.missing))

    def paths(self) -> set[str]:
        """Return the paths of all files, whether they were saved or not."""
        return {*self.saved, *(file.path for file in self.missing)}


def parse(content: bytes) -> MediaList:
    """Return the list; raises InvalidBackup if it cannot be read."""
    try:
        fields = json.loads(content)
        missing = tuple(MissingFile(**file) for file in fields["missing"])
        return MediaList({str(path): int(size) for path, size in fields["saved"].items()}, missing)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidBackup("its list of media files cannot be read") from error


def describe(missing: Sequence[MissingFile]) -> Iterable[str]:
    """Yield a line for each of the first missing files, and one for the number of the others."""
    for file in missing[:_MAX_NAMED]:
        yield f"  {file.path} ({file.name}): {file.reason}"
    if len(missing) > _MAX_NAMED:
        yield f"  … and {len(missing) - _MAX_NAMED} more"
