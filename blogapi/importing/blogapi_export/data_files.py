"""Read the data files of an exported folder: terms, media files and the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid5

from blogapi.content.media.addresses import MEDIA_REFERENCE, make_file_path
from blogapi.exporting.snapshot import SITE_FIELDS, TERM_FIELDS
from blogapi.importing.blogapi_export import values
from blogapi.importing.blogapi_export.layout import ExportFolder
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api.report import FileReport, report_problem
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.media.imported_media import hash_file
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.exported_terms import ExportedTerm
from blogapi.importing.texts.parsers import parse_yaml
from blogapi.publication import kinds
from blogapi.rendering.slugs import make_term_slug
from blogapi.storage.database import current_time

#: The kinds of terms by the names of their lists in an export: `categories` contains the kind `category`.
KINDS_BY_LIST_NAME = {kinds.KINDS[name].plural: name for name in kinds.TERM_KINDS}
PICTURE_FIELDS = frozenset(("cover_image", "og_image", "avatar", "logo", "icon"))
# Longer names are refused before their slugs are computed, which would take long.
MAX_NAME_LENGTH = 5_000

_MAX_DATA_FILE_BYTES = 64 * 1024 * 1024
# Lists are parsed in groups of items up to this length, because the fast parser does not accept longer texts.
_MAX_GROUP_LENGTH = 8_000
_ITEM_START = re.compile(r"^(?=- )", re.MULTILINE)
DataItem = TypeVar("DataItem")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMedia:
    """A file of the media library in an export. All times are aware, UTC."""

    uuid: UUID
    name: str  #: the name of the file in the library
    hash: str  #: SHA-256 of the file
    upload_hash: str  #: SHA-256 of the file as it was uploaded
    alt: str
    decorative: bool = False
    caption: str
    created: datetime
    last_updated: datetime
    file: str = ""  #: the name of the file in the folder of the export
    former_hashes: Mapping[str, int | None] = field(default_factory=dict)  #: widths of renditions by hash
    path: Path  #: the path of the file to import
    is_exact: bool  #: whether the library must store the file unchanged, because the export has its hash

    @property
    def address(self) -> str:
        """The address under which the fields of the API refer to the file."""
        if not self.is_exact:
            raise RefusedFile(f"The entry of “{self.file}” in `media` needs its `hash`; add the SHA-256.")
        return make_file_path(self.hash, self.name)


@dataclass(slots=True)
class BlogData:
    """The data of an export besides its articles; `reports` has a report for each unreadable item.

    `had_built_in_site` is whether the former blog showed its own pages to readers (the setting `built_in`).
    """

    terms: dict[tuple[str, str], ExportedTerm] = field(default_factory=dict)
    media: list[ExportedMedia] = field(default_factory=list)
    site: dict[str, Any] | None = None
    had_built_in_site: bool = False
    fields: list[Values] = field(default_factory=list)
    redirects: list[Values] = field(default_factory=list)
    reports: list[FileReport] = field(default_factory=list)


def _read_term(
    export: ExportFolder, kind: str, by_file: Mapping[str, ExportedMedia], given: Values
) -> ExportedTerm:
    """Return the term in the entry `given`; `by_file` has the media files of the export by their names."""
    pictures = _read_picture_addresses(export, given, by_file)
    values.refuse_surrogates(given)
    fields: dict[str, Any] = {
        name: given[name]
        for name in ("name", "slug", *TERM_FIELDS[kind])
        if given.get(name) is not None or (name == "description" and name in given)
    }
    name = values.get_required_text(given, "name", "Bread")
    slug = fields["slug"] = values.get_text(given, "slug").strip() or make_term_slug(name)
    created, updated = _get_times(given)
    return ExportedTerm(
        kind=kind,
        uuid=export.get_or_derive_uuid(given, f"{kind}/{slug}"),
        fields=fields | {name: pictures[name] for name in pictures if name in TERM_FIELDS[kind]},
        created=created,
        last_updated=updated,
        parent=values.get_text(given, "parent"),
        former_slugs=values.get_former_slugs_or_paths(given, "former_slugs", updated),
    )


def _read_media_file(export: ExportFolder, fields: Values) -> ExportedMedia:
    """Return the media file in an entry; if the entry has no `hash`, the library may change the file."""
    values.refuse_surrogates(fields)
    created, updated = _get_times(fields)
    file = values.get_text(fields, "file")
    path = export.get_media_path(file)
    digest = values.get_text(fields, "hash") or hash_file(path)
    _check_digest(digest)
    former_hashes: dict[str, int | None] = {}
    for item in values.get_mappings(fields, "former_hashes"):
        former, width = values.get_text(item, "hash"), str(item.get("width") or "")
        _check_digest(former)
        former_hashes[former] = int(width) if re.fullmatch("[0-9]{1,6}", width) else None
    return ExportedMedia(
        uuid=export.get_or_derive_uuid(fields, f"media/{file}"),
        file=file,
        name=values.get_text(fields, "name") or file,
        hash=digest,
        upload_hash=values.get_text(fields, "upload_hash") or digest,
        alt=values.get_text(fields, "alt"),
        decorative=values.get_flag(fields, "decorative"),
        caption=values.get_text(fields, "caption"),
        created=created,
        last_updated=updated,
        former_hashes=former_hashes,
        path=path,
        is_exact=bool(fields.get("hash")),
    )


def _check_digest(digest: str) -> None:
    if len(digest) != 64 or digest.strip("0123456789abcdef"):
        raise RefusedFile("`hash` is not a SHA-256 of 64 hexadecimal digits; correct it.")


def _read_site(fields: Values, pictures: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of the site in the form that the API accepts."""
    values.refuse_surrogates(fields)
    site: dict[str, Any] = {name: fields[name] for name in SITE_FIELDS if fields.get(name) is not None}
    site |= {name: pictures[name] for name in pictures if name in SITE_FIELDS}
    names = {"navigation": ("label", "url"), "languages": ("language", "title", "description")}
    for key, inner in names.items():
        items = values.get_mappings(fields, key)
        site[key] = [{name: values.get_text(item, name) for name in inner} for item in items]
    # If an export has no languages, this blog keeps its languages.
    return {key: value for key, value in site.items() if value or key != "languages"}


def _get_times(fields: Values) -> tuple[datetime, datetime]:
    created, updated = values.get_time(fields, "created"), values.get_time(fields, "last_updated")
    created = created or updated or current_time()
    return created, updated or created


def replace_media_uuids(content: str, uuids: Mapping[UUID, UUID]) -> str:
    """Return the content with the uuids of media files in the export replaced by those in this blog."""
    if not uuids:
        return content
    return MEDIA_REFERENCE.sub(lambda found: f"{found[0][:6]}{uuids.get(UUID(found[1]), found[1])}", content)


def read_blog_data(export: ExportFolder) -> BlogData:
    """Return the data of the export; each item and each file that cannot be read becomes a report."""
    data = BlogData()
    media: dict[UUID, ExportedMedia] = {}
    for item in _read_list(export, "media", data, partial(_read_media_file, export)):
        # A copied entry gets a uuid of its own, which is the same in each import.
        uuid = uuid5(item.uuid, item.file) if item.uuid in media else item.uuid
        media[uuid] = replace(item, uuid=uuid)
    data.media = [*media.values()]
    by_file = {item.file: item for item in data.media}
    for name, kind in KINDS_BY_LIST_NAME.items():
        for term in _read_list(export, name, data, partial(_read_term, export, kind, by_file)):
            data.terms[kind, term.slug] = term
    data.redirects = [*_read_list(export, "redirects", data, lambda given: given)]
    data.fields = [*_read_list(export, "fields", data, lambda given: given)]
    try:
        text = _read_data_file(export, "site")
        if text is not None:
            given, _ = parse_yaml(text, 1)
            data.site = _read_site(given, _read_picture_addresses(export, given, by_file))
            data.had_built_in_site = values.get_flag(given, "built_in")
    except RefusedFile as error:
        _report_refusal(export, "site", data, error)
    return data


def _read_list(
    export: ExportFolder, kind: str, data: BlogData, read_item: Callable[[Values], DataItem]
) -> Iterator[DataItem]:
    """Yield the items of a data file; each item that cannot be read becomes a report."""
    report = partial(_report_refusal, export, kind, data)
    try:
        text = (_read_data_file(export, kind) or "").removeprefix("\ufeff").removeprefix("---")
        for item in _parse_items(kind, text, 1, _MAX_GROUP_LENGTH, report):
            try:
                yield read_item(item)
            except RefusedFile as error:
                label = next((item[name] for name in ("file", "slug", "name") if item.get(name)), "")
                report(RefusedFile(f"“{str(label)[:100]}”: {error}"))
    except RefusedFile as error:
        report(error)


def _parse_items(
    kind: str, text: str, line: int, max_length: int, report: Callable[[RefusedFile], None]
) -> Iterator[Values]:
    """Yield the items of a list that begins in the given line; report those that cannot be parsed."""
    for group in _split_list(text, max_length):
        start = f"{kind}:\n" if group.startswith("- ") else f"{kind}: "
        try:
            yield from [*values.get_mappings(parse_yaml(start + group, line - start.count("\n"))[0], kind)]
        except RefusedFile as error:
            if max_length:
                # Parse the items one by one, because the others can be valid.
                yield from _parse_items(kind, group, line, 0, report)
            else:
                report(error)
        line += group.count("\n")


def _split_list(text: str, max_length: int) -> Iterator[str]:
    """Yield the text of a list in groups of items; a text that is not a list in block style is one group."""
    items = _ITEM_START.split(text)
    if items[0].strip():
        items = [text]
    group = ""
    for item in items:
        if group and len(group) + len(item) > max_length:
            yield group
            group = ""
        group += item
    yield group


def _read_data_file(export: ExportFolder, kind: str) -> str | None:
    path = export.get_data_path(kind)
    return values.decode_text(read_bytes(path, _MAX_DATA_FILE_BYTES)) if path.is_file() else None


def _read_picture_addresses(
    export: ExportFolder, fields: Values, by_file: Mapping[str, ExportedMedia]
) -> dict[str, str]:
    originals, folder = values.get_mapping(fields, "originals"), export.layout.data_media
    addresses = {name: values.get_text(originals, name) for name in PICTURE_FIELDS & originals.keys()}
    for name in PICTURE_FIELDS & fields.keys() - addresses.keys():
        address = values.get_text(fields, name)
        file = by_file.get(address.removeprefix(folder)) if address.startswith(folder) else None
        addresses[name] = file.address if file else address
    return addresses


def _report_refusal(export: ExportFolder, kind: str, data: BlogData, error: RefusedFile) -> None:
    path = export.get_data_path(kind).relative_to(export.root)
    data.reports.append(report_problem("/".join((export.root.name, *path.parts)), error))
