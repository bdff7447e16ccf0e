"""Store the media files of an export in the library, under their uuids and with their texts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from uuid import UUID

import marshmallow as ma
from flask import Flask, current_app

from blogapi.media import service
from blogapi.media.schemas import MediaChangesSchema
from blogapi.storage.database import end_read
from blogapi.transfer import folder, queries
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.blogapi_export.blog_data import ExportedMedia
from blogapi.web.errors import Problem, flatten_messages
from blogapi.web.fields import Fields, join_messages

# The library prepares two files at a time.
_THREADS = 2
# How many files are looked up together, because databases limit the number of parameters.
_GROUP = 200
_TEXTS_SCHEMA = MediaChangesSchema()

# The uuid of the file in this library, and whether it is new; or why the file was not stored.
Stored = tuple[UUID, bool] | RefusedFile


def store_files(
    media: Sequence[ExportedMedia], user: UUID, *, dry_run: bool
) -> Iterator[tuple[ExportedMedia, Stored]]:
    """Store the files that the library does not have; yield what became of each file.

    The files are stored as uploads of the user. A file of the library stays as it is. In a dry run, the files
    are checked but not stored.
    """
    for start in range(0, len(media), _GROUP):
        group = media[start : start + _GROUP]
        known = queries.find_uploads([item.hash for item in group])
        taken = queries.get_media([item.uuid for item in group]).keys()
        end_read()
        new = [item for item in group if item.hash not in known]
        yield from ((item, (known[item.hash].uuid, False)) for item in group if item.hash in known)
        yield from zip(new, _store_all(new, user, taken, dry_run=dry_run), strict=True)


def _store_all(
    media: Sequence[ExportedMedia], user: UUID, taken: Collection[UUID], *, dry_run: bool
) -> Iterator[Stored]:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]

    def store(item: ExportedMedia) -> Stored:
        with app.app_context():
            return _store(item, user, keeps_uuid=item.uuid not in taken, dry_run=dry_run)

    with ThreadPoolExecutor(_THREADS) as executor:
        yield from executor.map(store, media)


def _store(item: ExportedMedia, user: UUID, *, keeps_uuid: bool, dry_run: bool) -> Stored:
    try:
        if item.path is None:
            raise RefusedFile("The export does not contain the file.")
        texts = _TEXTS_SCHEMA.load({"alt": item.alt, "caption": item.caption})
        _check_hash(item)
        with service.prepare(item.path, item.name) as prepared:
            if prepared.hash != item.hash:
                raise RefusedFile("The library would change it, so it was not exported from a library.")
            if dry_run:
                return item.uuid, True
            restored: Fields = {"created": item.created, "last_updated": item.last_updated}
            restored |= {"upload_hash": item.upload_hash} | ({"uuid": item.uuid} if keeps_uuid else {})
            stored, is_new = service.store(
                prepared, **texts, user=user, restored=restored, former_hashes=item.former_hashes
            )
            return stored.uuid, is_new
    except RefusedFile as refusal:
        return refusal
    except ma.ValidationError as error:
        return RefusedFile(join_messages(flatten_messages(error.messages)))
    except Problem as error:
        return RefusedFile(" ".join(chain.from_iterable((error.errors or {"": [error.detail]}).values())))
    except OSError as error:
        return RefusedFile(f"It cannot be read ({(error.strerror or type(error).__name__).lower()}).")


def _check_hash(item: ExportedMedia) -> None:
    assert item.path is not None
    if item.path.parent.is_symlink():
        raise RefusedFile(
            "The media folder is a link, and links are not followed; replace it with the folder."
        )
    if not item.path.is_file():
        raise RefusedFile("The file is missing; copy it from the blog that was exported.")
    data = folder.read_bytes(item.path, current_app.config["MAX_MEDIA_SIZE"])
    if hashlib.sha256(data).hexdigest() != item.hash:
        raise RefusedFile(
            "The file is damaged or was changed; copy it again from the blog that was exported."
        )
