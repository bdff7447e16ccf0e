"""Resized copies of pictures, also in other formats, by address: `/media/<hash>/w640.webp`.

A copy is made when it is first requested, and kept in the folder `.widths` of the media folder. Copies are
derived from the originals: backups omit them, and the folder can be deleted at any time. Anonymous requests
can cause only little work: copies exist only in the widths of ALLOWED_WIDTHS, a process makes one copy at a
time, the setting PICTURE_LIMIT bounds the new copies per client address, and the setting
PICTURE_CACHE_MEGABYTES bounds the size of all copies; the least recently requested copies are deleted first.
Requests with a login do not count towards PICTURE_LIMIT.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from flask import Flask, current_app, request, session
from sqlalchemy import select

from blogapi.accounts.users.queries import find_login_by_token
from blogapi.config import AppState
from blogapi.content.media import images
from blogapi.content.media.addresses import (
    ALLOWED_WIDTHS,
    COMMON_COPY_EXTENSIONS,
    CopyFormat,
    make_file_path,
    parse_copy_format,
)
from blogapi.content.media.folder import COPIES_FOLDER_NAME, MediaFolder, get_folder, report_full_disk
from blogapi.content.media.models import FormerHash, Media
from blogapi.storage import files
from blogapi.storage.database import db, end_read
from blogapi.web.errors import Problem
from blogapi.web.rate_limits import limiter

# The modification time of a file is the time of its last request, updated at most once in this many seconds.
_TOUCH_SECONDS = 3600
# If the folder is full, copies are deleted until the others use only this share of the quota.
_KEPT_QUOTA_SHARE = 0.9


def make_etag(hash: str, copy_format: CopyFormat) -> str:
    return f'"{hash}-{copy_format.name}"'


class ResizedCopyCache:
    """The folder with the resized copies of all pictures."""

    def __init__(self, folder: MediaFolder, quota: int) -> None:
        """Set the media folder, and the maximum size of all copies, in bytes."""
        self._folder, self._quota = folder, quota
        self._lock = threading.Lock()
        # The number of bytes that can be added before the folder is measured again.
        self._allowance = 0

    def get_path(self, hash: str, copy_format: CopyFormat) -> Path:
        """Return the path of a resized copy, even if the copy is missing."""
        return self._folder.get_copies_folder(hash) / copy_format.name

    def place_copy(self, source: Path, hash: str, copy_format: CopyFormat) -> Path:
        """Move a file into the folder, and delete the oldest copies if the quota is reached; return the path.

        Raises FileNotFoundError if the folder of the picture is deleted meanwhile.
        """
        with self._lock:
            self._allowance -= source.stat().st_size
            if self._allowance < 0:
                self._delete_oldest_copies(source.stat().st_size)
        target = self.get_path(hash, copy_format)
        with report_full_disk():
            files.sync_file(source)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.replace_file(source, target, is_synced=True)
        return target

    def _delete_oldest_copies(self, size: int) -> None:
        """Delete the least recently requested copies if the folder has no room for a file of this size.

        Several servers can fill the folder, so each server measures it again after it has added a hundredth
        of the quota.
        """
        stored = sorted(_list_copies(self._folder.root / COPIES_FOLDER_NAME))
        total = size + sum(size for _, size, _ in stored)
        limit = self._quota if total <= self._quota else int(self._quota * _KEPT_QUOTA_SHARE)
        for _, old_size, path in stored:
            if total <= limit:
                break
            with suppress(OSError):
                path.unlink()
                total -= old_size
                path.parent.rmdir()
        self._allowance = max(0, min(self._quota - total, self._quota // 100))


COPY_CACHE = AppState[ResizedCopyCache]("picture-widths")


def _list_copies(root: Path) -> Iterator[tuple[float, int, Path]]:
    for path in root.glob("*/*/*"):
        with suppress(OSError):
            status = path.stat()
            yield status.st_mtime, status.st_size, path


def init_app(app: Flask) -> None:
    """Create the cache of resized copies for the application."""
    quota = app.config["PICTURE_CACHE_MEGABYTES"] * 2**20
    COPY_CACHE.set(app, ResizedCopyCache(get_folder(app), quota))


def record_request(path: Path, status: os.stat_result) -> None:
    """Store in the file's modification time that the file is requested now, at most once an hour."""
    if time.time() - status.st_mtime > _TOUCH_SECONDS:
        with suppress(OSError):
            os.utime(path)


def find_or_make_copy(hash: str, copy_format: CopyFormat, *, is_limited: bool = True) -> Path | str | None:
    """Return the file of a resized copy; make the copy if it is missing.

    Returns the URL path (a text) of the original if the original cannot be scaled or is not wider than the
    copy. If the copy cannot be made now, returns the URL path of the next larger copy, or else of the
    original. Returns None if there is no such picture, or if its copies cannot have this format. With
    `is_limited`, a new copy counts towards PICTURE_LIMIT, unless the caller has a login.
    """
    media = db.session.scalars(select(Media).where(Media.hash == hash)).one_or_none()
    own_extension = media.name.rpartition(".")[2] if media is not None else ""
    if (
        media is None
        or media.width is None
        or copy_format.extension not in (*COMMON_COPY_EXTENSIONS, own_extension)
    ):
        return None
    original, original_path = get_folder().get_path(hash, own_extension), _make_original_path(media)
    can_scale = media.is_scalable and copy_format.extension != "gif" and media.width > copy_format.width
    is_counted = can_scale and is_limited and not _has_login()
    rendition = _find_former_rendition(media.uuid, copy_format) if can_scale else None
    # Image processing is slow, and a snapshot that is kept for a long time makes SQLite's log grow.
    end_read()
    if not original.is_file():
        return None
    if not can_scale:
        return original_path
    try:
        if rendition is not None and rendition.is_file():
            return _copy_rendition(rendition, hash, copy_format)
        return _make_copy(original, hash, copy_format, is_counted=is_counted)
    except FileNotFoundError:
        # The picture was deleted meanwhile, or another thread has made room in the folder.
        if not original.is_file():
            return None
    except Problem:
        pass
    return _find_larger_copy(hash, copy_format) or original_path


def _has_login() -> bool:
    # Reading the session adds `Vary: Cookie` to the response, so it is read only if its cookie was sent.
    cookie = current_app.session_interface.get_cookie_name(current_app)
    return cookie in request.cookies and find_login_by_token(session.get("token", "")) is not None


def _find_former_rendition(uuid: UUID, copy_format: CopyFormat) -> Path | None:
    """Return the path of the picture in this width if a former version of blogapi stored it, or None.

    Returns None for a picture that was replaced since then: one of its former hashes has no width.
    """
    columns = FormerHash.width, FormerHash.hash
    hashes = {row.width: row.hash for row in db.session.execute(select(*columns).filter_by(media_id=uuid))}
    if copy_format.extension != "webp" or None in hashes or copy_format.width not in hashes:
        return None
    return get_folder().get_path(hashes[copy_format.width], "webp")


def _copy_rendition(rendition: Path, hash: str, copy_format: CopyFormat) -> Path:
    """Copy a rendition into the cache; the rendition stays, because an upload of the same file can use it."""
    with get_folder().create_temporary_folder() as temporary:
        shutil.copyfile(rendition, temporary / "picture")
        return COPY_CACHE.get().place_copy(temporary / "picture", hash, copy_format)


def _find_larger_copy(hash: str, copy_format: CopyFormat) -> str | None:
    """Return the path of the next larger copy that exists in the same format, or None."""
    cache = COPY_CACHE.get()
    larger = (copy_format._replace(width=width) for width in ALLOWED_WIDTHS if width > copy_format.width)
    found = next((candidate for candidate in larger if cache.get_path(hash, candidate).is_file()), None)
    return found and make_file_path(hash, found.name)


def _make_original_path(media: Media) -> str:
    name = (
        media.name if parse_copy_format(media.name) is None else f"original.{media.name.rpartition('.')[2]}"
    )
    return make_file_path(media.hash, name)


def _make_copy(original: Path, hash: str, copy_format: CopyFormat, *, is_counted: bool) -> Path | None:
    cache = COPY_CACHE.get()
    path = cache.get_path(hash, copy_format)
    with images.wait_for_scaling_turn():
        # Another thread can have made the copy in the meantime.
        if path.is_file():
            return path
        if is_counted:
            limiter.count_attempts(("PICTURE_LIMIT", limiter.get_client_address_key()))
        with get_folder().create_temporary_folder() as temporary:
            images.scale_picture(original, temporary / "picture", copy_format.width, copy_format.extension)
            cache.place_copy(temporary / "picture", hash, copy_format)
    if not original.is_file():
        # The picture was deleted meanwhile, perhaps before this copy was placed.
        shutil.rmtree(path.parent, ignore_errors=True)
        return None
    return path
