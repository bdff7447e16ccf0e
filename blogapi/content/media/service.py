"""Checks and processes uploaded files, and stores them in the library."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from flask import current_app
from sqlalchemy import delete

from blogapi.content.media import affected_items, images, queries, removal, types
from blogapi.content.media.addresses import RENDITION_WIDTHS
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import FormerHash, Media
from blogapi.rendering import media_types
from blogapi.rendering.media_types import MediaType
from blogapi.rendering.slugs import make_slug
from blogapi.storage import files
from blogapi.storage.database import call_after_commit, call_after_rollback, db, end_read, transaction
from blogapi.web.errors import Invalid, StorageFull, Unavailable
from blogapi.web.fields import Fields

MAX_STEM_LENGTH = 80
_DEFAULT_STEM = "file"

# Windows reserves these names with any extension.
_DEVICE_NAMES = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]")
_COPY_STEM = re.compile(r"w[0-9]{3,4}", re.ASCII)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
# Only this number of characters of a name is used, because making a slug of a long text is slow.
_MAX_READ_NAME_LENGTH = 200


def make_file_name(client_name: str, type: MediaType) -> str:
    """Return a safe file name: the slug of the given name, and the extension of the type.

    The name has no folder, no second extension, and no character that a shell or a browser could interpret.
    """
    base = re.split(r"[/\\]", client_name)[-1]
    # A name from a header can contain lone surrogates, which later code cannot encode.
    base = base.encode("utf-8", "replace").decode()
    stem = make_slug(
        _EXTENSION.sub("", base)[:_MAX_READ_NAME_LENGTH], max_length=MAX_STEM_LENGTH, default=_DEFAULT_STEM
    )
    # A file must not have the address of a resized copy; see `resized_copies`.
    if _DEVICE_NAMES.fullmatch(stem) or _COPY_STEM.fullmatch(stem):
        stem = f"{stem}-{_DEFAULT_STEM}"
    return f"{stem}.{type.extension}"


# Maps each former hash to the width of the rendition that had it, or to None for the file itself.
FormerHashes = Mapping[str, int | None]

# Each file counts as at least one block of the disk, so that the number of small files is limited too.
MIN_COUNTED_SIZE = 4096

DELETED_MEANWHILE_MESSAGE = "The file was deleted meanwhile; send the same request again."


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file that was checked but not stored yet. `path` is None if the library already has the file."""

    name: str
    type: MediaType
    path: Path | None
    size: int
    hash: str
    upload_hash: str
    width: int | None = None
    height: int | None = None
    is_scalable: bool = False
    note: str = ""  #: a sentence if text was removed from the picture

    @property
    def hashes(self) -> list[str]:
        return [self.hash, self.upload_hash]


@contextmanager
def prepare_file(source: Path, name: str) -> Iterator[PreparedFile]:
    """Check a file, and process it if it is an image, outside any transaction; the source is not changed.

    The temporary files are deleted at the end, unless `store_file` placed them. Raises Invalid if the file is
    not accepted, StorageFull if the disk is full, and Unavailable if too many images are being processed.
    """
    upload_hash, head = _read_hash_and_head(source)
    stored_upload = queries.find_file_by_upload_hash(upload_hash)
    prepared = None if stored_upload is None else _reuse_earlier_upload(stored_upload, upload_hash)
    # Image processing is slow, and a snapshot that is kept for a long time makes SQLite's log grow.
    end_read()
    if prepared is not None:
        yield prepared
        return
    type = types.detect_type(head, name)
    if type is None:
        raise _make_file_error(types.describe_refusal(head))
    folder = get_folder()
    with folder.create_temporary_folder() as temporary:
        if type.is_image:
            yield _prepare_image(source, name, type, upload_hash, temporary)
        else:
            yield _prepare_copy(source, name, type, upload_hash, temporary)


def _read_hash_and_head(source: Path) -> tuple[str, bytes]:
    """Return the hash and the first bytes of a file; raise Invalid if its size is not accepted."""
    size, limit = source.stat().st_size, current_app.config["MAX_MEDIA_SIZE"]
    if not size:
        raise _make_file_error("The file is empty. Choose another file.")
    if size > limit:
        raise _make_file_error(f"The file has more than {limit} bytes. Upload a smaller file.")
    with source.open("rb") as file:
        head = file.read(types.HEAD_BYTES)
    return _compute_hash(source), head


def _reuse_earlier_upload(media: Media, upload_hash: str) -> PreparedFile | None:
    """Return the file that an equal upload has stored, or None if the media folder no longer has it."""
    folder = get_folder()
    extension = media.name.rpartition(".")[2]
    if not folder.contains_file(media.hash, extension, media.size):
        return None
    type = media_types.TYPES_BY_NAME.get(media.type) or MediaType(media.type, extension)
    return PreparedFile(
        *(media.name, type, None, media.size, media.hash, upload_hash),
        *(media.width, media.height, media.is_scalable),
    )


def _prepare_image(source: Path, name: str, type: MediaType, upload_hash: str, folder: Path) -> PreparedFile:
    image = images.process_image(source, type, folder)
    size, hash = _measure_and_sync_file(image.path)
    if size > current_app.config["MAX_MEDIA_SIZE"]:
        raise _make_file_error("The processed image is too large. Upload a smaller version of it.")
    is_scalable = image.is_still and image.width > RENDITION_WIDTHS[0]
    return PreparedFile(
        *(make_file_name(name, type), type, image.path, size, hash, upload_hash),
        *(image.width, image.height, is_scalable, image.note),
    )


def _prepare_copy(source: Path, name: str, type: MediaType, upload_hash: str, folder: Path) -> PreparedFile:
    if type.extension == "pdf" and not _has_pdf_end(source):
        raise _make_file_error(
            "The PDF file is incomplete. Upload it again, or save it again before the upload."
        )
    path = folder / "file"
    shutil.copyfile(source, path)
    size, hash = _measure_and_sync_file(path)
    return PreparedFile(make_file_name(name, type), type, path, size, hash, upload_hash)


def _has_pdf_end(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, types.HEAD_BYTES), 2)
        return b"%%EOF" in file.read()


def _measure_and_sync_file(path: Path) -> tuple[int, str]:
    """Return the size and the hash of a file, and wait until the disk has stored it."""
    files.sync_file(path)
    return path.stat().st_size, _compute_hash(path)


def _compute_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _make_file_error(sentence: str) -> Invalid:
    return Invalid(sentence, errors={"file": [sentence]})


def store_file(
    file: PreparedFile,
    *,
    alt: str = "",
    caption: str = "",
    user: UUID | None = None,
    restored: Fields | None = None,
    former_hashes: FormerHashes | None = None,
) -> tuple[Media, bool]:
    """Store a prepared file that the user has uploaded; return its row, and whether it is new.

    If the library already has the file, its row does not change. For a new file, `restored` contains columns
    that are restored from an export, such as its uuid and its times, and `former_hashes` contains its former
    hashes with the widths of renditions. If the stored file is missing in the media folder, or has the wrong
    size, it is replaced. Raises StorageFull if the library has no room for the file.
    """
    with transaction(visible=False):
        media = queries.find_file_by_hash(file.hash)
        if media is None and file.path is None:
            raise Unavailable(DELETED_MEANWHILE_MESSAGE)
        is_new = media is None
        if media is None:
            _check_quota(file.size)
            texts = {"alt": alt, "caption": caption, "account_id": user}
            media = Media(**_make_column_values(file) | texts | (restored or {}))
            db.session.add(media)
            db.session.flush()
            _store_former_hashes(media, file.hashes, former_hashes or {})
        place_file(file)
        return media, is_new


def replace_stored_file(media: Media, file: PreparedFile) -> None:
    """Store a prepared file, which the library does not have, in place of the file of `media`.

    The old stored files are deleted after the commit, and their hashes are remembered. Raises StorageFull if
    the library has no room for the file.
    """
    with transaction():
        if file.path is None:
            raise Unavailable(DELETED_MEANWHILE_MESSAGE)
        _check_quota(file.size, replaced=media.size)
        former_hashes: dict[str, int | None] = {media.hash: None, media.upload_hash: None}
        for stored_file in queries.list_stored_files([media.uuid]):
            call_after_commit(removal.try_delete_unreferenced_files, stored_file)
        for name, value in _make_column_values(file).items():
            setattr(media, name, value)
        db.session.flush()
        _store_former_hashes(media, file.hashes, former_hashes)
        place_file(file)


def _store_former_hashes(media: Media, current_hashes: Collection[str], former_hashes: FormerHashes) -> None:
    """Store the former hashes of a file; remove its current hashes from the former hashes of other files."""
    is_lost = FormerHash.hash.in_([*current_hashes, *former_hashes])
    owners = set(db.session.scalars(delete(FormerHash).where(is_lost).returning(FormerHash.media_id)))
    lost = former_hashes.keys() - set(current_hashes)
    db.session.add_all(
        FormerHash(hash=hash, media_id=media.uuid, width=former_hashes[hash]) for hash in sorted(lost)
    )
    db.session.flush()
    affected_items.rerender_articles(db.session(), owners - {media.uuid})


def _make_column_values(file: PreparedFile) -> Fields:
    return {
        "name": file.name,
        "type": file.type.name,
        "size": file.size,
        "hash": file.hash,
        "upload_hash": file.upload_hash,
        "width": file.width,
        "height": file.height,
        "is_scalable": file.is_scalable,
    }


def place_file(file: PreparedFile) -> None:
    """Move the file into the media folder; it is deleted again if the transaction is rolled back.

    A file that is already there is kept, unless its size is wrong.
    """
    if file.path is None:
        return
    folder = get_folder()
    call_after_rollback(removal.try_delete_unreferenced_files, (file.hash, file.type.extension))
    folder.place_file(file.path, file.hash, file.type.extension, is_synced=True)


def _check_quota(size: int, *, replaced: int = 0) -> None:
    """Raise StorageFull if the library has no room for a file of this size, in bytes.

    `replaced` is the size of the stored file that the new file replaces, or 0. Call this in the transaction
    that stores the file, before the transaction changes rows.
    """
    gigabytes = current_app.config["MEDIA_GIGABYTES"]
    needed = max(size, MIN_COUNTED_SIZE) - (max(replaced, MIN_COUNTED_SIZE) if replaced else 0)
    if needed > 0 and queries.sum_file_sizes(MIN_COUNTED_SIZE) + needed > gigabytes * 10**9:
        raise StorageFull(
            f"The media library has no room for this file: its limit is {gigabytes} GB. Delete files that "
            "nothing uses, or ask the owner of the blog to raise the setting MEDIA_GIGABYTES.",
            code="media_full",
        )
