"""Adds uploads to the library and changes the texts of files."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from blogapi.media import hooks, names, queries, service
from blogapi.media.models import Media
from blogapi.media.service import PreparedFile
from blogapi.media.types import MediaType
from blogapi.storage.database import db, transaction
from blogapi.web.errors import Invalid
from blogapi.web.fields import Fields


def add(
    prepared: PreparedFile, *, alt: str = "", caption: str = "", user: UUID | None = None
) -> tuple[Media, bool]:
    """Store a prepared file that the user has uploaded; return it, and whether it is new.

    If the library already has the file, its empty texts are filled in, and its other texts stay as they are.
    Raises StorageFull if the library has no room for the file.
    """
    texts = {"alt": alt, "caption": caption}
    stored = queries.find_stored(prepared.hash)
    if stored is not None and _find_missing(stored, texts):
        hooks.prepare([stored.uuid])
    with transaction():
        media, created = service.store(prepared, alt=alt, caption=caption, user=user)
        if not created:
            _change(media, _find_missing(media, texts))
    return media, created


def _find_missing(media: Media, texts: Mapping[str, str]) -> Fields:
    """Return those of the texts that the file lacks."""
    return {name: text for name, text in texts.items() if text and not getattr(media, name)}


def change(uuid: UUID, changes: Fields) -> Media:
    """Change the name, the alt text or the caption of a file.

    Raises NotFound if there is no such file, and Invalid if the name is invalid. The old address stays valid,
    because its name is not significant.
    """
    with transaction():
        media = queries.get_media(uuid)
        if "name" in changes:
            _check_name(changes["name"], media)
        _change(media, changes)
    return media


def _change(media: Media, values: Fields) -> None:
    changed = {name: value for name, value in values.items() if getattr(media, name) != value}
    for name, value in changed.items():
        setattr(media, name, value)
    if changed:
        db.session.flush()
        hooks.notify(db.session(), [media.uuid])


def _check_name(name: str, media: Media) -> None:
    type = MediaType(media.type, media.name.rpartition(".")[2])
    valid_name = names.make_name(name, type)
    if name not in (valid_name, media.name):
        raise Invalid(
            "The file is unchanged.",
            errors={"name": [f"Not a valid name for this file; send {valid_name!r}, for example."]},
        )
