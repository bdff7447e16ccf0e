"""A temporary file for the records of an import, which need not fit into memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from blogapi.importing.format_api.article_record import ArticleRecord


@contextmanager
def open_spool() -> Iterator[Spool]:
    """Yield an empty spool, whose file is deleted at the end."""
    with TemporaryFile("w+b", prefix="blogapi-import-") as file:
        yield Spool(file)


class Spool:
    """Keeps records in the order in which they were added."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._offsets: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def __contains__(self, key: str) -> bool:
        return key in self._offsets

    def add(self, record: ArticleRecord) -> None:
        """Add a record; its key must be new."""
        self._offsets[record.key] = self._file.seek(0, 2)
        pickle.dump(record, self._file, pickle.HIGHEST_PROTOCOL)

    def read(self, keys: Iterable[str] | None = None) -> Iterator[ArticleRecord]:
        """Yield the records with these keys in the order of the file (None: all)."""
        wanted = None if keys is None else set(keys)
        for key, offset in self._offsets.items():
            if wanted is None or key in wanted:
                self._file.seek(offset)
                # The file has no name and contains only what `add` has written.
                record: ArticleRecord = pickle.load(self._file)  # noqa: S301
                yield record
