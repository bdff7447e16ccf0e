"""Lists the files of an export, with the paths and contents that a layout defines."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import unquote, urlsplit

from flask import current_app

from blogapi.content.media.stored_files import StoredFile, find_fault
from blogapi.delivery.redirects.custom.service import list_custom_redirects
from blogapi.delivery.redirects.formats import format_redirects
from blogapi.delivery.redirects.queries import CUSTOM_KIND, Redirect, list_redirects
from blogapi.exporting.article_files import ArticleFormatter
from blogapi.exporting.article_rows import Item
from blogapi.exporting.exported_addresses import MediaAddresses
from blogapi.exporting.file_names import ArticleFileNames, choose_media_names
from blogapi.exporting.layouts import DEFAULT_LAYOUT, Layout
from blogapi.exporting.results import CannotWrite
from blogapi.exporting.snapshot import Snapshot
from blogapi.exporting.term_pages import TermPages
from blogapi.publication.kinds import TERM_LISTS
from blogapi.rendering.yaml_text import to_yaml
from blogapi.site.theme_files import list_theme_files
from blogapi.storage.database import current_time, end_read
from blogapi.web.json import to_json

#: The file that describes the export.
DESCRIPTION_FILE = "blogapi.yaml"
#: The file that prevents git from changing line endings.
GIT_ATTRIBUTES_FILE = ".gitattributes"
#: The names of the data files; except for `redirects`, each is also the name of an attribute of Snapshot.
DATA_LISTS = (*TERM_LISTS, "media", "redirects", "site", "fields")

_PICTURE_FIELDS = ("cover_image", "og_image", "avatar", "logo", "icon")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of the export whose content is in memory; `path` has `/` as separator."""

    path: str
    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def size(self) -> int:
        return len(self.content)

    def open(self, media: Path) -> IO[bytes]:
        return io.BytesIO(self.content)


@dataclass(frozen=True, slots=True)
class LargeTextFile:
    """A text file of the export that can be too large for the memory; its content is in a temporary file."""

    path: str
    digest: str
    size: int
    content: IO[bytes]

    def open(self, media: Path) -> IO[bytes]:
        self.content.seek(0)
        return self.content


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file of the export with the content of a file in the media folder."""

    path: str
    stored: StoredFile

    @property
    def digest(self) -> str:
        return self.stored.hash

    @property
    def size(self) -> int:
        return self.stored.size

    def open(self, media: Path) -> IO[bytes]:
        """Open the file in the media folder `media`; raises CannotWrite if it is not intact."""
        source = media / self.stored.path
        if fault := find_fault(source, self.stored):
            raise CannotWrite(f"It is {fault} in the media folder; `doctor` says what to do.")
        return source.open("rb")


ExportFile = TextFile | LargeTextFile | MediaFile


def list_files(snapshot: Snapshot, layout: Layout) -> Iterator[ExportFile]:
    """Yield the files in a fixed order: texts first, then media files.

    The snapshot of the database is released before the media files, because copying them can take long.
    """
    names = choose_media_names(snapshot.media)
    media = MediaAddresses(snapshot.media, names, snapshot.former_hashes)
    # The description comes first, so that even the manifest of an interrupted export lists it.
    description = layout.make_description(includes_drafts=snapshot.includes_drafts)
    yield TextFile(DESCRIPTION_FILE, to_yaml(description).encode())
    yield TextFile(GIT_ATTRIBUTES_FILE, b"* -text\n")
    now = current_time()
    rows = list_redirects(None, snapshot.local_site).rows
    redirects = list(_make_redirect_items(rows))
    for kind, value in _make_data_lists(snapshot, layout, media).items():
        yield TextFile(layout.get_data_path(kind), to_yaml(value).encode())
    yield TextFile(layout.get_data_path("redirects"), to_yaml(redirects).encode())
    custom = [row for row in rows if row.kind == CUSTOM_KIND]
    if custom and layout.host_redirects:
        text = format_redirects(custom, "netlify", snapshot.site["url"])
        yield TextFile(layout.host_redirects, text.encode())
    if snapshot.includes_drafts:
        yield from _list_working_copies(snapshot, layout)
    redirected = {unquote(item["from"]) for item in redirects if item["kind"] != CUSTOM_KIND}
    writer = ArticleFormatter(snapshot, layout, media, redirected, now)
    pages = TermPages(snapshot, layout, media, now)
    article_names = ArticleFileNames(snapshot.read_article_slugs())
    for article in snapshot.read_articles():
        name = article_names.choose_file_name(article["slug"])
        path = layout.get_article_path(article, name, snapshot.site["time_zone"], now)
        yield TextFile(path, writer.format_article(article))
        pages.add_terms(article)
    for path, text in pages.list_pages():
        yield TextFile(path, text.encode())
    end_read()
    if snapshot.has_all_fields and layout is DEFAULT_LAYOUT:
        for name, source in list_theme_files(Path(current_app.instance_path)):
            yield TextFile(name, source.read_bytes())
    for file in snapshot.media:
        name = names[file["uuid"]]
        stored = StoredFile(file["hash"], file["name"].rpartition(".")[2], file["size"], file["name"])
        yield MediaFile(f"{layout.media}/{name}", stored)


def _list_working_copies(snapshot: Snapshot, layout: Layout) -> Iterator[LargeTextFile]:
    """Yield the file with all working copies, if there are any."""
    with TemporaryFile(dir=current_app.instance_path) as content:
        for number, copy in enumerate(snapshot.read_working_copies()):
            content.write(f"{',' if number else '['}\n{to_json(copy)}".encode())
        if content.tell():
            size = content.tell() + content.write(b"\n]\n")
            content.seek(0)
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            yield LargeTextFile(layout.working_copies, digest, size, content)


def _make_data_lists(
    snapshot: Snapshot, layout: Layout, media: MediaAddresses
) -> Mapping[str, Item | Sequence[Item]]:
    files = [_make_media_item(file, media.names[file["uuid"]]) for file in snapshot.media]
    terms = {kind: getattr(snapshot, kind) for kind in TERM_LISTS}
    return {
        **{kind: [_make_data_item(term, layout, media) for term in items] for kind, items in terms.items()},
        **({"fields": [_drop_unset_fields(field) for field in snapshot.fields]} if snapshot.fields else {}),
        "media": files,
        "site": _make_data_item(snapshot.site, layout, media),
    }


def _make_media_item(file: Item, name: str) -> Item:
    optional = {"name": file["name"] if file["name"] != name else ""}
    optional["upload_hash"] = file["upload_hash"] if file["upload_hash"] != file["hash"] else ""
    identity = {key: file[key] for key in ("uuid", "created", "last_updated")}
    return _drop_unset_fields({**identity, "file": name, "name": "", **file, **optional})


def _make_data_item(item: Item, layout: Layout, media: MediaAddresses) -> Item:
    """Return the item as its data file contains it, with the addresses of the exported pictures."""
    exported, originals = dict(item), {}
    for name in _PICTURE_FIELDS:
        if name in item:
            exported[name], original = media.get_picture_addresses(item[name], layout.data_media)
            if original is not None:
                originals[name] = original
    return _drop_unset_fields({**exported, "originals": originals})


def _drop_unset_fields(item: Item) -> Item:
    """Return the fields that have a value; 0 and the empty description of a category count as values."""
    is_category = "parent" in item
    return {
        name: value
        for name, value in item.items()
        if value
        or (value == 0 and value is not False)
        or (name == "description" and is_category and value is not None)
    }


def _make_redirect_items(rows: Iterable[Redirect]) -> Iterator[Item]:
    """Yield the items of the data file: custom redirects, then redirects from former to current paths."""
    for row in list_custom_redirects(None).rows:
        yield {"kind": CUSTOM_KIND, "from": row.path, "to": row.target, "status": row.status}
    for redirect in rows:
        if redirect.kind == CUSTOM_KIND:
            continue
        old_url, current = (urlsplit(url or "") for url in (redirect.old_url, redirect.new_url))
        if old_url.path != current.path and not (old_url.query or old_url.fragment):
            yield {"kind": redirect.kind, "from": old_url.path, "to": current.path}
