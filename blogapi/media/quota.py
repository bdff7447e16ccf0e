"""The limit on the size of all files of the blog."""

from __future__ import annotations

from collections.abc import Collection

from flask import current_app

from blogapi.media import queries
from blogapi.web.errors import StorageFull


def check_quota(sizes: Collection[int]) -> None:
    """Raise StorageFull if the library has no room for files of these sizes, in bytes.

    Call this in the transaction that stores the files.
    """
    gigabytes = current_app.config["MEDIA_GIGABYTES"]
    if queries.sum_sizes() + sum(sizes) > gigabytes * 10**9:
        raise StorageFull(
            f"The media library has no room for this file: its limit is {gigabytes} GB. Delete files that "
            "nothing uses, or ask the owner of the blog to raise the setting MEDIA_GIGABYTES.",
            code="media_full",
        )
