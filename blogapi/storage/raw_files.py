"""A program that reads the bytes of SQLite's files; `integrity` runs this program in its own process.

When a process closes any descriptor of a file, POSIX drops all locks of the process on that file, including
SQLite's locks; another process could then delete the log as if no other connection existed. Therefore these
reads take place in a process that opens nothing through SQLite. The program imports only modules that are
quick to import.
"""

from __future__ import annotations

import os
import struct
import sys

# The write-ahead log (https://sqlite.org/walformat.html) has a header and frames; each frame has a header and
# a page. Only the last frame of a transaction contains the size of the database. The salts, random numbers in
# the headers, change whenever the log is reset.
LOG_HEADER_SIZE = 32
_FRAME_HEADER = struct.Struct(">II8s8x")
_INDEX_HEADER = struct.Struct("=14xHI12x8s")


def count_commits_after_valid_frames(database: str) -> int:
    """Return the number of committed transactions in the log that follow the valid frames.

    The index of the log contains the number of valid frames. Returns 0 if the index changes during the
    count, because an active writer has then already recovered the log.
    """
    header = _read_first_bytes(f"{database}-shm", _INDEX_HEADER.size)
    count = _count_commits(f"{database}-wal", _read_page_size(database), *_INDEX_HEADER.unpack(header))
    return count if _read_first_bytes(f"{database}-shm", _INDEX_HEADER.size) == header else 0


def _count_commits(log: str, page_size: int, index_page_size: int, frames: int, salts: bytes) -> int:
    counts: dict[bytes, int] = {}
    frame_size = _FRAME_HEADER.size + page_size
    with open(log, "rb", buffering=0) as file:  # noqa: PTH123, pathlib is slow to import
        start, size = LOG_HEADER_SIZE + frames * frame_size, os.fstat(file.fileno()).st_size
        for offset in range(start, size - frame_size + 1, frame_size):
            file.seek(offset)
            _, database_size, frame_salts = _FRAME_HEADER.unpack(file.read(_FRAME_HEADER.size))
            counts[frame_salts] = counts.get(frame_salts, 0) + bool(database_size)
    # Frames with other salts were written before the last reset. If the header of the log is damaged, the
    # index is empty and the current salts are unknown.
    return counts.get(salts, 0) if index_page_size else max(counts.values(), default=0)


def _read_page_size(database: str) -> int:
    size = int.from_bytes(_read_first_bytes(database, 18)[16:], "big")
    return 65536 if size == 1 else max(size, 512)


def _read_first_bytes(path: str, size: int) -> bytes:
    # A buffered read would also read the bytes after the index header. SQLite locks these bytes, and Windows
    # does not allow reading locked bytes.
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123, pathlib is slow to import
        return file.read(size)


def _main(command: str, *paths: str) -> None:
    if command == "count":
        sys.stdout.write(str(count_commits_after_valid_frames(*paths)))
    else:
        import shutil

        shutil.copyfile(*paths)


if __name__ == "__main__":
    _main(*sys.argv[1:])
