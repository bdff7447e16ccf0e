"""References to files of the library in texts.

A reference is `media:<uuid>`, the path of a file or of a rendition, or such a path below any address. The
hash in the path identifies the file, so a reference stays valid if the address of the service changes. The
HTML of an imported article can also refer to a file by a path in the table of MediaPath.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, select, union_all

from blogapi.content.media.addresses import (
    COMMON_COPY_EXTENSIONS,
    MEDIA_REFERENCE,
    CopyFormat,
    list_renditions,
    make_file_path,
    parse_copy_format,
)
from blogapi.content.media.models import FormerHash, Media, MediaPath
from blogapi.rendering.plain_text import decode_entities
from blogapi.site.queries import get_service_url
from blogapi.storage.database import db, execute_in_batches, split_values, table_of
from blogapi.web.fields import Fields
from blogapi.web.media_addresses import FILE_PATH, FILE_PREFIX, MEDIA_PREFIX

# The attributes that contain a single address, by element.
ADDRESS_ATTRIBUTES = {
    "img": ("src",),
    "a": ("href",),
    "video": ("src", "poster"),
    **dict.fromkeys(("audio", "source", "track"), ("src",)),
}

# These patterns are applied to sanitized HTML, which quotes each attribute value and escapes `<`, `>` and `"`
# in it.
ELEMENT_WITH_ADDRESS = re.compile(rf"<({'|'.join(ADDRESS_ATTRIBUTES)}) ([^<>]*)>")
_ADDRESS_ATTRIBUTE = re.compile(r'\b(src|href|poster|srcset)="([^"]*)"')

# Each pattern begins with a literal text, because `re` finds literal texts quickly.
_RELATIVE_ADDRESSES = tuple(
    re.compile(rf'{name}="(?!https?://|//|#|media:|{FILE_PREFIX}){rest}')
    for name, rest in (
        *((name, '[^"]') for name in ("src", "poster", "srcset")),
        # A link with the extension of a web page refers to no file of the library. MEDIA_TYPES can add any
        # other extension.
        ("href", r'(?i:[^":]*\.(?!(?:html?|md|php)\b)[a-z0-9]{1,8}\b)'),
    )
)

# Matches the path of a file, alone or below an address, with or without a query or a fragment. An address
# that contains another address, as in a web archive, is not matched.
_FILE_ADDRESS = re.compile(rf"(https?://(?:(?!//)[^?#])*?)?({FILE_PATH.pattern})([?#].*)?", re.DOTALL)

_MENTIONED_HASH = re.compile(FILE_PREFIX)

_media, _path = table_of(Media).c, table_of(MediaPath).c
_former = table_of(FormerHash).c
_UUIDS: Any = bindparam("uuids", expanding=True)
_HASHES: Any = bindparam("hashes", expanding=True)
_SELECT_FILES = select(
    *(_media.uuid, _media.name, _media.hash, _media.width, _media.height, _media.alt, _media.caption),
    *(_media.unused_since, _media.is_scalable),
).where(
    _media.uuid.in_(
        union_all(
            select(_media.uuid).where(_media.uuid.in_(_UUIDS)),
            select(_media.uuid).where(_media.hash.in_(_HASHES)),
        )
    )
)
_SELECT_FORMER_HASHES = select(_former.hash, _former.media_id, _former.width).where(_former.hash.in_(_HASHES))
_SELECT_PATHS = select(_path.article_id, _path.path, _path.media_id).where(
    _path.article_id.in_(bindparam("articles", expanding=True))
)
# Values for an `IN` that must find nothing: for an empty `IN`, SQLite reads a whole index.
_NO_UUIDS, _NO_HASHES = (None,), ("",)


@dataclass(frozen=True, slots=True)
class ReferencedFile:
    """A file of the library to which a text refers; `is_unused` means that its row has `unused_since`."""

    uuid: UUID
    path: str
    width: int | None
    height: int | None
    alt: str
    caption: str
    is_unused: bool
    is_scalable: bool = False
    #: the former hashes of the file that occur in the texts, with the width of the rendition that has the
    #: hash, or None for the file itself
    former: dict[str, int | None] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return self.path.split("/")[2]

    @property
    def renditions(self) -> list[Fields]:
        """The smaller versions of the picture; see `list_renditions`."""
        return list_renditions(self.path, self.width or 0, self.height or 0) if self.is_scalable else []

    def find_new_path(self, path: str) -> str | None:
        """Return the path that replaces a path with a former hash; None if the hash is not a former hash.

        The path of a resized copy becomes the path of a copy of the new file in the same width, if there is
        one, otherwise the path of the new file.
        """
        _, _, hash, name = path.split("/")
        if hash not in self.former:
            return None
        if (stored := self.former[hash]) is not None:
            name = CopyFormat(stored, "webp").name
        copy_format = parse_copy_format(name)
        extensions = (*COMMON_COPY_EXTENSIONS, self.path.rpartition(".")[2])
        if copy_format is None or copy_format.extension not in extensions or not self.is_scalable:
            return self.path
        is_smaller = copy_format.width < (self.width or 0)
        return make_file_path(self.hash, copy_format.name) if is_smaller else self.path


@dataclass(frozen=True, slots=True)
class ArticleHtml:
    """The sanitized HTML of an article, and the addresses in its picture fields."""

    article_id: UUID
    html: str
    addresses: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReferencedFiles:
    """The files to which some texts refer, by uuid, by hash, and by article and path.

    The hashes include the former hashes of the files and of their renditions.
    """

    by_uuid: Mapping[UUID, ReferencedFile]
    by_hash: Mapping[str, ReferencedFile]
    by_path: Mapping[tuple[UUID, str], ReferencedFile]

    def find_file(self, article_id: UUID, address: str) -> ReferencedFile | None:
        """Return the file to which an address in an article refers, or None."""
        key = parse_reference(address)
        if isinstance(key, UUID):
            return self.by_uuid.get(key)
        file = None if key is None else self.by_hash.get(key.hash)
        return file or self.by_path.get((article_id, address))

    def find_new_path(self, path: str) -> str | None:
        """Return the path that replaces the path of a replaced file; None for any other path."""
        match = FILE_PATH.fullmatch(path)
        file = self.by_hash.get(match[1]) if match else None
        return file.find_new_path(path) if match and file else None

    def is_empty(self) -> bool:
        """Return whether the texts refer to no file."""
        return not self.by_uuid


@dataclass(frozen=True, slots=True)
class FileAddress:
    """An address that contains the path of a file; `base` is None if the address is only the path."""

    base: str | None
    path: str
    hash: str
    rest: str


def normalize_address(address: str) -> str | None:
    """Return the path of the file if the address refers to a file, otherwise the address itself.

    Returns None for an unknown `media:<uuid>`.
    """
    key = parse_reference(address)
    if isinstance(key, UUID):
        file = _find_files([key], []).get(key)
        return None if file is None else file.path
    if key is None:
        return None if address[:6].lower() == "media:" else address
    if not key.base or key.rest:
        return address
    files = _find_files([], [key.hash])
    # The address of a deleted file of this service is stored as a path, too.
    is_file = files or key.base == get_service_url()
    return _find_new_path(files, key.path) or (key.path if is_file else address)


def find_new_path(path: str) -> str | None:
    """Return the path that replaces a path with a former hash; None if the hash is not a former hash."""
    return _find_new_path(_find_files([], [path.split("/")[2]]), path)


def _find_new_path(files: Mapping[UUID, ReferencedFile], path: str) -> str | None:
    return next((new for file in files.values() if (new := file.find_new_path(path))), None)


def find_referenced_files(texts: Iterable[ArticleHtml]) -> ReferencedFiles:
    """Return the files to which the texts refer.

    Without references, no statement is executed. Otherwise one statement finds the files, unless there are
    many references, and another statement finds the files of relative addresses.
    """
    keys: dict[UUID | FileAddress, None] = {}
    with_paths: dict[UUID, None] = {}
    for text in texts:
        addresses = [address for address in text.addresses if address]
        if "media:" in text.html or MEDIA_PREFIX in text.html:
            addresses += _list_addresses(text.html)
        keys |= dict.fromkeys(key for address in addresses if (key := parse_reference(address)) is not None)
        if any(pattern.search(text.html) for pattern in _RELATIVE_ADDRESSES):
            with_paths[text.article_id] = None
    if not keys and not with_paths:
        return NO_FILES
    rows = execute_in_batches(_SELECT_PATHS, "articles", with_paths)
    paths = {(article_id, path): media_id for article_id, path, media_id in rows}
    uuids = {key for key in keys if isinstance(key, UUID)} | set(paths.values())
    hashes = {key.hash for key in keys if isinstance(key, FileAddress)}
    files = _find_files(sorted(uuids), sorted(hashes))
    return ReferencedFiles(
        files,
        _index_files_by_hash(files),
        {key: files[uuid] for key, uuid in paths.items() if uuid in files},
    )


NO_FILES = ReferencedFiles({}, {}, {})


def find_files_by_path(paths: Iterable[str]) -> Mapping[str, ReferencedFile]:
    """Return the files that have, or whose renditions have, one of these paths, by path."""
    hashes = {path: match[1] for path in paths if (match := FILE_PATH.fullmatch(path))}
    files = _index_files_by_hash(_find_files([], sorted(set(hashes.values())))) if hashes else {}
    return {path: files[hash] for path, hash in hashes.items() if hash in files}


def find_files_at(paths: Iterable[str]) -> Mapping[UUID, ReferencedFile]:
    """Return the files that have, or whose renditions have, one of these paths, by uuid."""
    return {file.uuid: file for file in find_files_by_path(paths).values()}


def find_mentioned_files(text: str) -> Mapping[UUID, ReferencedFile]:
    """Return the files to which a text refers anywhere, including in code, by uuid."""
    uuids = {UUID(uuid) for uuid in MEDIA_REFERENCE.findall(text)}
    hashes = set(_MENTIONED_HASH.findall(text))
    return _find_files(sorted(uuids), sorted(hashes)) if uuids or hashes else {}


def parse_reference(address: str) -> UUID | FileAddress | None:
    """Return the uuid or the path in a reference; None if the address is not a reference."""
    if match := MEDIA_REFERENCE.fullmatch(address):
        return UUID(match[1])
    if MEDIA_PREFIX in address and (match := _FILE_ADDRESS.fullmatch(address)):
        return FileAddress(match[1], match[2], match[3], match[5] or "")
    return None


def _list_addresses(html: str) -> Iterator[str]:
    for element in ELEMENT_WITH_ADDRESS.finditer(html):
        for name, value in _ADDRESS_ATTRIBUTE.findall(element[2]):
            address = decode_entities(value)
            if name == "srcset":
                yield from (candidate.split()[0] for candidate in address.split(",") if candidate.strip())
            else:
                yield address


def _index_files_by_hash(files: Mapping[UUID, ReferencedFile]) -> dict[str, ReferencedFile]:
    by_former_hash = {hash: file for file in files.values() for hash in file.former}
    return by_former_hash | {file.hash: file for file in files.values()}


def _find_files(uuids: Sequence[UUID], hashes: Sequence[str]) -> dict[UUID, ReferencedFile]:
    """Return the files with these uuids or hashes; a hash that no file has now can be a former hash."""
    files = _read_files(uuids, hashes)
    known_hashes = {file.hash for file in files.values()}
    other_hashes = [hash for hash in hashes if hash not in known_hashes]
    former_rows = list(execute_in_batches(_SELECT_FORMER_HASHES, "hashes", other_hashes))
    if missing_uuids := {media_id for _, media_id, _ in former_rows} - files.keys():
        files |= _read_files(sorted(missing_uuids), [])
    for hash, media_id, width in former_rows:
        # The file can be deleted between the two reads.
        if media_id in files:
            files[media_id].former[hash] = width
    return files


def _read_files(uuids: Sequence[UUID], hashes: Sequence[str]) -> dict[UUID, ReferencedFile]:
    files: dict[UUID, ReferencedFile] = {}
    keys: Sequence[UUID | str] = (*uuids, *hashes)
    for batch in split_values(keys):
        values = {
            "uuids": [key for key in batch if isinstance(key, UUID)] or _NO_UUIDS,
            "hashes": [key for key in batch if isinstance(key, str)] or _NO_HASHES,
        }
        for row in db.session.connection().execute(_SELECT_FILES, values):
            files[row.uuid] = ReferencedFile(
                uuid=row.uuid,
                path=make_file_path(row.hash, row.name),
                width=row.width,
                height=row.height,
                alt=row.alt,
                caption=row.caption,
                is_unused=row.unused_since is not None,
                is_scalable=row.is_scalable,
            )
    return files
