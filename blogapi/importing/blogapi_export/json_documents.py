"""Read the JSON document of an export, as a stream."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import ijson
from flask import current_app

from blogapi.exporting.layouts import LAYOUTS
from blogapi.importing import folder
from blogapi.importing.article_record import ArticleRecord, RefusedFile
from blogapi.importing.blogapi_export import blog_data, values
from blogapi.importing.blogapi_export.article_records import make_record
from blogapi.importing.blogapi_export.blog_data import BlogData, ExportedMedia
from blogapi.importing.markdown.text import to_line
from blogapi.importing.reports import FileReport, Item, Result, read_item

_FIELDS = {"site", "media", *blog_data.TERM_KINDS}
# The files of a folder in which the media files of a document are searched for.
_MAX_FILES = 100_000


def read_data(entry: folder.Entry, assets: Sequence[Path]) -> BlogData:
    """Return the terms, the media files and the site of a document.

    A document contains no media files; they are looked up by their size and hash beside the document, in
    `assets`, and in the media folders of exports in these places.
    """
    data = BlogData()
    fields = _read_fields(entry)
    if fields.get("version", 1) != 1:
        reason = "The document has an unknown version; import it with a newer version of blogapi."
        data.reports.append(FileReport(entry.key, Result.REFUSED, notes=(reason,)))
        return data
    for name, value in fields.items():
        for item in value if isinstance(value, list) else [value]:
            if name in _FIELDS:
                _add(name, item, data, entry)
    names = dict.fromkeys(("", *(layout.media for layout in LAYOUTS.values())))
    folders = [place / name for place in (entry.path.parent, *assets) for name in names]
    data.media = [*_find_files(data.media, folders)]
    return data


def read_articles(entry: folder.Entry, now: datetime) -> Iterator[Item]:
    """Yield the records of the articles of a document."""
    count = 0
    try:
        with entry.path.open("rb") as file:
            for count, given in enumerate(ijson.items(file, "articles.item"), 1):
                key = f"{entry.key}#{count}"
                yield read_item(key, partial(_read_article, given, entry.key, now))
    except (OSError, ijson.JSONError, UnicodeDecodeError) as error:
        problem = to_line(str(error))[:200]
        reason = f"The document cannot be read after {count:,} articles ({problem}); export it again."
        yield FileReport(entry.key, Result.REFUSED, notes=(reason,))


def _read_article(given: object, source: str, now: datetime) -> ArticleRecord:
    if not isinstance(given, dict):
        raise RefusedFile("It is not an object; correct it.")
    seo = values.get_mapping(given, "seo")
    kinds = ("category", "tags", "authors")
    paths = values.get_mappings(given, "paths")
    return make_record(
        given,
        source,
        now,
        terms={kind: [{"slug": slug} for slug in values.get_texts(given, kind)] for kind in kinds},
        seo={name: values.get_text(seo, name) for name in seo},
        media_paths={values.get_text(item, "path"): values.get_uuid(item, "media") for item in paths},
    )


def _add(name: str, value: Any, data: BlogData, entry: folder.Entry) -> None:
    """Add an item of a list, or the site, to the data."""
    try:
        if not isinstance(value, dict):
            raise RefusedFile("It is not an object; correct it.")
        if name == "site":
            data.site = blog_data.read_site(value, {})
        elif name == "media":
            data.media.append(blog_data.read_media(value))
        else:
            term = blog_data.read_term(blog_data.TERM_KINDS[name], value, {})
            data.terms[term.kind, term.slug] = term
    except RefusedFile as error:
        reason = f"An entry of `{name}` cannot be read: {error}"
        data.reports.append(FileReport(entry.key, Result.REFUSED, notes=(reason,)))


def _read_fields(entry: folder.Entry) -> dict[str, Any]:
    """Return the fields of a document that are known; articles come after them and are not read."""
    fields: dict[str, Any] = {}
    # Reading the articles reports a document that is broken.
    with suppress(OSError, ijson.JSONError, UnicodeDecodeError), entry.path.open("rb") as file:
        for name, value in ijson.kvitems(file, ""):
            fields[name] = value
            if fields.keys() >= _FIELDS:
                break
    return fields


def _find_files(media: Sequence[ExportedMedia], folders: Sequence[Path]) -> Iterator[ExportedMedia]:
    by_size: dict[int, list[Path]] = {}
    for path in _list_files(folders) if media else ():
        by_size.setdefault(path.stat().st_size, []).append(path)
    for item in media:
        paths = by_size.get(item.size, [])
        found = next((path for path in paths if _has_hash(path, item.hash)), None)
        yield replace(item, path=found)


def _list_files(folders: Sequence[Path]) -> Iterator[Path]:
    found = (path for one in folders if one.is_dir() for path in sorted(one.iterdir()))
    yield from islice((path for path in found if path.is_file() and not path.is_symlink()), _MAX_FILES)


def _has_hash(path: Path, hash: str) -> bool:
    try:
        return (
            hashlib.sha256(folder.read_bytes(path, current_app.config["MAX_MEDIA_SIZE"])).hexdigest() == hash
        )
    except RefusedFile:
        return False
