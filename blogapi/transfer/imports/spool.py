"""A temporary file for the records of an import, which need not fit into memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from types import TracebackType

from blogapi.transfer.article_record import ArticleRecord


class Spool:
    """Keeps records in the order in which they were added, until the end of the `with` block."""

    def __init__(self) -> None:
        self._file = TemporaryFile("w+b", prefix="blogapi-import-")  # noqa: SIM115 (closed by __exit__)
        self._offsets: dict[str, int] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, type_: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

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
