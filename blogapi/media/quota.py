"""The limit on the size of all files of the blog."""

from __future__ import annotations

from collections.abc import Collection

from flask import current_app

from blogapi.media import queries
from blogapi.web.errors import StorageFull

# A file takes at least one block of the disk, and a row, so that the number of small files is limited too.
MIN_COUNTED_SIZE = 4096


def check_quota(sizes: Collection[int], *, replaced: Collection[int] = ()) -> None:
    """Raise StorageFull if the library has no room for files of these sizes, in bytes.

    `replaced` has the sizes of stored files that they replace. Call this in the transaction that stores the
    files, before it changes rows.
    """
    gigabytes = current_app.config["MEDIA_GIGABYTES"]
    needed = _sum_counted(sizes) - _sum_counted(replaced)
    if needed > 0 and queries.sum_sizes(MIN_COUNTED_SIZE) + needed > gigabytes * 10**9:
        raise StorageFull(
            f"The media library has no room for this file: its limit is {gigabytes} GB. Delete files that "
            "nothing uses, or ask the owner of the blog to raise the setting MEDIA_GIGABYTES.",
            code="media_full",
        )


def _sum_counted(sizes: Collection[int]) -> int:
    return sum(max(size, MIN_COUNTED_SIZE) for size in sizes)
