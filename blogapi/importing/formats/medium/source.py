"""Read the HTML archive of Medium: one page for each story, draft and response."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import SplitResult, quote

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord
from blogapi.importing.format_api.files import Entry, read_bytes
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.format_api.source import FileSource, ImportOptions
from blogapi.importing.formats.medium.page import MediumPage, parse_page
from blogapi.importing.formats.medium.publication import decide_status, is_named_draft
from blogapi.importing.refusals import NotAnArticle
from blogapi.importing.texts import dates, titles
from blogapi.importing.texts.addresses import split_address
from blogapi.importing.texts.lines import decode, list_distinct, to_http_url
from blogapi.rendering.slugs import make_slug

# The hosts of Medium's pictures. The file names are unique, so copies on the disk are found by these names.
PICTURE_HOSTS = {"cdn-images-1.medium.com", "cdn-images-2.medium.com", "miro.medium.com"}
_RESPONSES = "responses to other stories"
# The number of characters of a summary that are compared with the beginning of the text.
_MAX_COMPARED = 80
# A text without a title counts as a response if it has at most this number of characters. A longer text can
# be a story, so it becomes a draft.
_MAX_RESPONSE_LENGTH = 1_000

# `2019-05-06_My-Title-0123456789ab.html` and `draft_My-Title-0123456789ab.html`
_FILE_NAME = re.compile(r"(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})_|draft_)?(?P<name>.*)", re.DOTALL)
_HASH = re.compile(r"(?:^|-)-{0,20}([0-9a-f]{8,16})$")
_MIN_DECIMAL_ID_LENGTH = 10
_STARTS = (b'class="h-entry"', b'data-field="body"')


class MediumSource(FileSource):
    """Reads the stories of archives."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self.hosts = {"medium.com", *PICTURE_HOSTS}
        #: Archives contain no pictures, but people put them beside the folder `posts`.
        folders = dict.fromkeys(entry.path.parent.parent / "images" for entry in entries)
        # A link could lead to pictures that are not part of the archive.
        self.assets = tuple(path for path in folders if path.is_dir() and not path.is_symlink())

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        html, notes = decode(read_bytes(entry.path))
        page = parse_page(html)
        published_at = dates.parse_date(page.published, self.options.zones) if page.published else None
        is_draft = is_named_draft(entry.path.name)
        # Medium uses the beginning of a response as its title.
        may_be_response = not page.has_title and page.text.startswith(page.title.rstrip("…."))
        if published_at is None and not is_draft and _is_beside_posts(entry.path):
            raise NotAnArticle("It is not a story: the stories of an archive are in its folder `posts`.")
        is_short = len(page.text) <= _MAX_RESPONSE_LENGTH and not page.has_figures
        if published_at and not is_draft and may_be_response and is_short:
            self.left_behind[_RESPONSES] += 1
            raise NotAnArticle("It is a response to another story: it has no title of its own.")
        status, reasons = decide_status(entry.path.name, published_at, may_be_response=may_be_response)
        return (_make_record(entry, page, published_at, (*notes, *reasons, *page.notes), status),)


def _is_beside_posts(path: Path) -> bool:
    """Return whether a file is in another folder of an archive: its profile, a list of stories."""
    folders = (path.parent, path.parent.parent)
    return path.parent.name != "posts" and any((parent / "posts").is_dir() for parent in folders)


def _make_record(
    entry: Entry, page: MediumPage, published_at: datetime | None, notes: tuple[str, ...], status: str
) -> ArticleRecord:
    name, file_hash = _split_name(_FILE_NAME.sub(r"\g<name>", entry.path.stem, count=1))
    address = split_address(page.canonical)
    slug, address_hash = _split_name(address.path.rpartition("/")[2])
    title = page.title or titles.choose_title(page.text, name)
    is_summary = page.text.startswith(page.summary.rstrip("….")[:_MAX_COMPARED])
    is_moved = bool(address.hostname) and not (address_hash or _is_medium(address.hostname))
    return ArticleRecord(
        key=f"medium:{quote(file_hash or entry.path.stem, safe='')}",
        source=entry.key,
        path=entry.path,
        title=title,
        subtitle=page.subtitle or ("" if is_summary else page.summary),
        seo_title=page.seo_title,
        slug=make_slug(slug or name, default=" ").strip(),
        content=page.html,
        content_type="html",
        status=status,
        published_at=published_at,
        tags=list_distinct(page.tags),
        authors=(AuthorRecord(name=page.author, url=to_http_url(page.author_url)),) if page.author else (),
        og_image=to_http_url(page.featured),
        canonical_url=to_http_url(page.canonical) if is_moved else "",
        # The host of a publication can be pointed to this blog, so its paths must be redirected.
        former_paths=(address.path,) if address_hash and not _is_medium(address.hostname) else (),
        addresses=_list_addresses(address, address_hash or file_hash),
        notes=notes,
    )


def _split_name(name: str) -> tuple[str, str]:
    """Return the name of a story and its id; each can be empty: `My-Title-0123456789ab`."""
    match = _HASH.search(name)
    # Digits alone are the title of a story about a number.
    if not match or (match[1].isdigit() and len(match[1]) < _MIN_DECIMAL_ID_LENGTH):
        return name, ""
    return name[: match.start()], match[1]


def _is_medium(host: str | None) -> bool:
    return host is not None and (host == "medium.com" or host.endswith(".medium.com"))


def _list_addresses(address: SplitResult, story: str) -> tuple[str, ...]:
    """Return the paths under which stories link to each other: by author, by host, and by id."""
    last = address.path.rpartition("/")[2]
    addresses = (address.path, f"/{last}" if last else "", f"/p/{story}" if story else "")
    return tuple(dict.fromkeys(path for path in addresses if path))


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is the page of a story."""
    return all(start in head for start in _STARTS)


FORMAT = Format(name="medium", contract=CONTRACT_VERSION, detect=detect, open_source=MediumSource)
