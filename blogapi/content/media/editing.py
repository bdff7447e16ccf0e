"""Adds uploads to the library, replaces files, and changes their texts."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from blogapi.content.media import affected_items, permissions, queries, service, uses
from blogapi.content.media.models import Media
from blogapi.content.media.service import PreparedFile
from blogapi.rendering.media_types import MediaType
from blogapi.storage.database import db, transaction
from blogapi.web.access import current_caller
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import Fields


def add_file(
    file: PreparedFile, *, alt: str = "", caption: str = "", user: UUID | None = None
) -> tuple[Media, bool]:
    """Store a prepared file that the user has uploaded; return it, and whether it is new.

    If the library already has the file, only its empty texts are filled in, and only if the caller may change
    the file and what readers see. Raises Forbidden if the file is a former version of a file that the caller
    may not change, and StorageFull if the library has no room for the file.
    """
    texts = {"alt": alt, "caption": caption}
    stored = queries.find_file_by_hash(file.hash)
    if stored is None:
        prerender_affected_articles(file)
    elif _find_missing_texts(stored, texts):
        affected_items.prerender_articles([stored.uuid])
    with transaction():
        permissions.check_former_hashes(file.hashes)
        media, created = service.store_file(file, alt=alt, caption=caption, user=user)
        may_change = current_caller().may_change_public and not permissions.find_change_objection(media.uuid)
        if not created and may_change:
            _change_columns(media, _find_missing_texts(media, texts))
    return media, created


def _find_missing_texts(media: Media, texts: Mapping[str, str]) -> Fields:
    has = {"alt": media.alt or media.decorative, "caption": media.caption}
    return {name: text for name, text in texts.items() if text and not has[name]}


def prerender_affected_articles(file: PreparedFile, *replaced: UUID) -> None:
    """Before the transaction, render the articles that show the replaced files or their former addresses.

    If the new file has a former hash of another file, it takes over the addresses with this hash.
    """
    affected_items.prerender_articles({*replaced, *queries.find_files_by_former_hashes(file.hashes)})


def replace_file(uuid: UUID, file: PreparedFile, *, name: str = "") -> Media:
    """Store a prepared file in place of the file `uuid`, and under another name if `name` is given.

    All items that refer to the file, also by its old addresses, show the new file. Raises NotFound if there
    is no such file, Forbidden if the new file is a former version of a file that the caller may not change,
    Conflict if the library already has the new file under another uuid, and StorageFull if the library has no
    room for the file.
    """
    with transaction():
        media = queries.get_media(uuid)
        stored = queries.find_file_by_hash(file.hash)
        if stored is not None and stored.uuid != uuid:
            raise Conflict(
                f"The library already has this file as {stored.uuid}; use that file, or delete it first.",
                code="media_exists",
                errors={"file": [f"Already exists as {stored.uuid} ({stored.name})."]},
            )
        # A stored file is found by the extension of its name, so the name gets the extension of the new type.
        stem = name or f"{media.name.rpartition('.')[0]}.{file.type.extension}"
        new_name = service.make_file_name(stem, file.type)
        if stored is None:
            permissions.check_former_hashes(file.hashes)
            service.replace_stored_file(media, file)
            _change_columns(media, {"name": new_name}, is_replaced=True)
        else:
            service.place_file(file)
            _change_columns(media, {"name": new_name} if name else {})
    return media


def change_file(uuid: UUID, changes: Fields) -> Media:
    """Change the name, the texts or `decorative` of a file.

    A decorative file has no alt text: setting `decorative` empties the alt text, and setting an alt text
    resets `decorative`. Old addresses stay valid, because files are found only by the hash in an address.
    Raises NotFound if there is no such file, and Invalid if the name is invalid.
    """
    with transaction():
        media = queries.get_media(uuid)
        if "name" in changes:
            _check_file_name(changes["name"], media)
        implied: Fields = {}
        if changes.get("decorative"):
            implied = {"alt": ""}
        elif changes.get("alt"):
            implied = {"decorative": False}
        _change_columns(media, changes | implied)
    return media


def _change_columns(media: Media, values: Fields, *, is_replaced: bool = False) -> None:
    changed = {name: value for name, value in values.items() if getattr(media, name) != value}
    for name, value in changed.items():
        setattr(media, name, value)
    if changed or is_replaced:
        db.session.flush()
        if is_replaced:
            uses.replace_picture_paths(db.session(), media.uuid)
        affected_items.rerender_articles(db.session(), [media.uuid])


def _check_file_name(name: str, media: Media) -> None:
    type = MediaType(media.type, media.name.rpartition(".")[2])
    valid_name = service.make_file_name(name, type)
    if name not in (valid_name, media.name):
        raise Invalid(
            "The file is unchanged.",
            errors={"name": [f"Not a valid name for this file; send {valid_name!r}, for example."]},
        )
