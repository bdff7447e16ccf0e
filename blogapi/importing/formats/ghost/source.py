"""Read the exports of Ghost, from version 0.x to 6.x: JSON files with the tables of its database."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from blogapi.clock import convert_to_zone
from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord, TermRecord
from blogapi.importing.format_api.privacy import choose_status
from blogapi.importing.format_api.privacy_signs import GHOST_AUDIENCES
from blogapi.importing.format_api.report import Item, report_problem
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.ghost.bodies import read_body
from blogapi.importing.formats.ghost.tables import (
    GhostTables,
    GhostTag,
    read_author,
    read_redirects,
    read_rows,
    read_tag,
    read_url,
)
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts import dates, lines
from blogapi.importing.texts.dates import UTC_ZONES, Zones
from blogapi.importing.texts.languages import read_language
from blogapi.importing.texts.lines import drop_duplicates, to_bool, to_http_url, to_line, to_mapping
from blogapi.importing.texts.messages import PRIVATE_BLOG_NOTE, format_count, join_counts
from blogapi.importing.texts.titles import split_address
from blogapi.parsing import parse_timestamp, parse_uuid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Smaller numbers are seconds: as milliseconds, they would mean times before March 1973. Ghost began in 2013.
_MIN_MILLISECONDS = 100_000_000_000

PostRow = Mapping[str, object]
_LANGUAGE_TAG = re.compile(r"#(?:lang(?:uage)?-)?")
_STORAGE_HOST = re.compile(
    r"https://(storage\.ghost\.io/c/[0-9a-f]{1,9}/[0-9a-f]{1,9}/[0-9a-f-]{36})/content/"
)
UNTITLED_POST = "(Untitled)"
# Longer tags, which Ghost allows, are truncated, because blogapi would refuse articles with such tags.
MAX_TAG_LENGTH = 100
# Fields of Ghost that articles of blogapi do not have. The report counts the fields with a value.
_UNIMPORTED_FIELDS = lines.split_words("""codeinjection_head codeinjection_foot feature_image_caption
    custom_template locale og_title og_description twitter_title twitter_description twitter_image
    email_subject frontmatter""")
_REPEATED_FIELDS = {
    "og_title": ("title", "meta_title"),
    "twitter_title": ("title", "meta_title", "og_title"),
    "og_description": ("custom_excerpt", "meta_description"),
    "twitter_description": ("custom_excerpt", "meta_description", "og_description"),
    "twitter_image": ("feature_image", "og_image", "image"),
}
# The usual number of bytes of a post, which the export contains as lexical, HTML and plain text.
_BYTES_PER_POST = 16 * 1024
# Every export of Ghost itself begins with `db` or `meta`, which has the time of the export.
_DATABASE_START = re.compile(r'\{\s*+"db"\s*+:\s*+\[?+\s*+\{\s*+"(?:meta|data)"\s*+:')
# Some exports of 0.x and of migration tools; the first tables can be longer than the head of the file.
_DATA_START = re.compile(r'\{\s*+"data"\s*+:\s*+\{')
_TABLE = re.compile(r'"(?:posts|posts_(?:tags|authors|meta)|users|roles_users|tags|settings)"\s*+:\s*+\[')
_EXPORT_TIME = re.compile(r'"exported_on"\s*:')
# Exports of other tools, and responses of Ghost's API.
_POSTS_LIST = re.compile(r'"posts"\s*:\s*\[')
_BODY_FIELD = re.compile(r'"(?:mobiledoc|lexical|markdown|feature_image)"\s*:')
_SLUG_FIELD = re.compile(r'"slug"\s*:')


def decide_publication(
    post: Mapping[str, object], now: datetime, zones: Zones = UTC_ZONES, *, is_private: bool = False
) -> tuple[str, datetime | None, tuple[str, ...]]:
    """Return the status, date (aware, UTC) and notes of a post. With `is_private`, the blog was private."""
    status, date = to_line(post.get("status")).casefold(), read_date(post.get("published_at"), zones)
    notes: tuple[str, ...] = ()
    if status == "published" and date is None:
        date = read_date(post.get("created_at"), zones) or read_date(post.get("updated_at"), zones)
        notes = ("It has no date of publication; the date of its creation or last change is used.",)
    given = post.get("visibility")
    # Old versions have no visibility. A list or an object cannot be shown as a line of text, and its meaning
    # is unknown. Ghost ignores a paywall in a public post.
    visibility = to_line(given).casefold() or ("unknown" if isinstance(given, (list, Mapping)) else "public")
    audience = GHOST_AUDIENCES.get(visibility, f"readers with the visibility “{visibility[:50]}”")
    reason = f"Only {audience} could read it; the article became a draft." if visibility != "public" else ""
    reason = "The blog was private; the article became a draft." if is_private else reason
    if status == "sent":
        reason = "It was sent as a newsletter and never published; the article became a draft."
    elif to_bool(post.get("email_only")):
        reason = "It is for newsletters only; the article became a draft."
    # Ghost also shows published posts without any date.
    result, reasons = choose_status(status, date or (now if status == "published" else None), now, reason)
    return result, date, (*notes, *reasons)


def is_page(post: Mapping[str, object]) -> bool:
    """Return whether a row of posts is a page; versions before 3 have a field `page` with 0 or 1."""
    return to_line(post.get("type")).casefold() == "page" or to_bool(post.get("page")) is True


def read_date(value: object, zones: Zones = UTC_ZONES) -> datetime | None:
    """Return the time (aware, UTC) of an ISO 8601 text, or of a number of milliseconds since 1970."""
    if isinstance(value, (int, float)) or (isinstance(value, str) and value.strip().isdecimal()):
        with suppress(OverflowError, ValueError):
            number = float(value)
            seconds = number / 1000 if abs(number) >= _MIN_MILLISECONDS else number
            return _EPOCH + timedelta(seconds=seconds) if number else None
    text = to_line(value)
    is_date = parse_timestamp(text) and not dates.is_missing_date(text)
    return dates.parse_date(text, zones) if is_date else None


def make_key(post: PostRow) -> str:
    """Return the key of a post, by which a later import finds its article; "" without an id and a slug.

    An export does not contain the address of its blog. The uuid (all versions) and the id (since Ghost 1) of
    a post are unique in all blogs. Ids before Ghost 1 are 1, 2, 3, …; together with the slug, they rarely
    match a post of another blog.
    """
    id_, uuid, slug = (to_line(post.get(name)) for name in ("id", "uuid", "slug"))
    if parse_uuid(uuid):
        return f"ghost:{uuid.lower()}"
    if len(id_) == 24:
        return f"ghost:{quote(id_, safe='')}"
    return f"ghost:{quote(slug[:255], safe='')}:{quote(id_[:50], safe='')}" if id_ or slug else ""


@dataclass(slots=True)
class PostReader:
    """Makes the records of one export; `left_behind` counts the data that is not imported."""

    entry: Entry
    tables: GhostTables
    former_paths: dict[str, list[str]]  #: paths from the redirect files, by slug; removed when they are used
    options: ImportOptions
    left_behind: Counter[str]
    authors: dict[str, AuthorRecord] = field(default_factory=dict)  #: authors of the records so far, by name
    #: the hosts of files in the storage of Ghost(Pro), with the path of the blog
    hosts: set[str] = field(default_factory=set)
    posts_without_author: int = 0  #: the number of posts whose authors the export does not contain

    def read_post(self, row: object) -> ArticleRecord:
        """Return the record of a row of posts; raises RefusedFile if the row lacks what an article needs."""
        if not isinstance(row, Mapping):
            raise RefusedFile(
                "It is not a JSON object with the fields of a post; correct or remove it in the export."
            )
        meta = self.tables.post_meta.get(to_line(row.get("id")), {})
        post = {**row, **{name: value for name, value in meta.items() if not row.get(name)}}
        body, slug, title = read_body(post), to_line(post.get("slug")), to_line(post.get("title"))
        # Ghost gives the slug `untitled` to posts without a slug.
        slug = "" if slug == "untitled" else slug
        key = make_key(post)
        if not (title or slug or body.content):
            raise RefusedFile("It has neither a title nor a text; remove it from the export.")
        if not key:
            raise RefusedFile("It has neither an id nor a slug; add one in the export.")
        status, published_at, notes = decide_publication(
            post, self.options.now, Zones(self.options.time_zone), is_private=self.tables.is_private
        )
        self.left_behind.update(body.losses)
        if body.losses:
            notes = (*notes, f"Parts of its text were left out or changed: {join_counts(body.losses)}.")
        addresses, is_public = tuple(self._list_addresses(post, published_at)), status != "draft"
        self.hosts.update(_STORAGE_HOST.findall(body.content))
        tags = self._list_tags(post)
        # An internal tag such as `#fr` or `#lang-fr` names the language.
        marks = (_LANGUAGE_TAG.sub("", tag.name.casefold(), count=1) for tag in tags if tag.is_internal)
        record = ArticleRecord(
            key=key,
            source=self.entry.key,
            path=self.entry.path,
            title=title or UNTITLED_POST,
            excerpt=to_line(post.get("custom_excerpt")),
            slug=slug,
            content=body.content,
            content_type=body.content_type,
            status=status,
            published_at=published_at,
            tags=drop_duplicates(tag.name[:MAX_TAG_LENGTH].strip() for tag in tags if not tag.is_internal),
            is_page=is_page(post),
            authors=self._read_authors(post),
            cover_image=read_url(post.get("feature_image") or post.get("image")),
            cover_alt=to_line(post.get("feature_image_alt"))[:500],
            og_image=read_url(post.get("og_image")),
            seo_title=to_line(post.get("meta_title")),
            seo_description=to_line(post.get("meta_description")),
            canonical_url=to_http_url(read_url(post.get("canonical_url"))),
            language=next(filter(None, map(read_language, marks)), ""),
            featured=to_bool(post.get("featured")) is True,
            # The last address follows the URL pattern in the settings of the blog.
            former_paths=(*self.former_paths.pop(slug, ()), *(addresses[-1:] if is_public else ())),
            addresses=addresses,
            notes=notes,
        )
        if post.get("canonical_url") and not record.canonical_url:
            self.left_behind["canonical URLs inside the blog"] += 1
        for name in _UNIMPORTED_FIELDS:
            value = post.get(name)
            repeated = (post.get(other) for other in _REPEATED_FIELDS.get(name, ()))
            if value and to_line(value) not in ("0", "false") and value not in repeated:
                self.left_behind[name] += 1
        return record

    def _list_tags(self, post: PostRow) -> list[GhostTag]:
        joined = [self.tables.tags.get(id_) for id_ in self.tables.list_joined_ids("posts_tags", post)]
        tags = joined or [read_tag(row) for row in _list_mappings(post.get("tags"))]
        return [tag for tag in tags if isinstance(tag, GhostTag)]

    def _read_authors(self, post: PostRow) -> tuple[AuthorRecord, ...]:
        ids = self.tables.list_joined_ids("posts_authors", post)
        named = ids or [to_line(post.get("author_id") or post.get("author"))]
        listed = [self.tables.users.get(id_) for id_ in named]
        if not any(listed):
            embedded = _list_mappings(post.get("authors")) or _list_mappings([post.get("primary_author")])
            listed = [read_author(row) for row in embedded]
        authors = {author.name.casefold(): author for author in listed if author}
        self.posts_without_author += not authors
        return tuple(self.authors.setdefault(name, author) for name, author in authors.items())

    def _list_addresses(self, post: PostRow, published_at: datetime | None) -> Iterator[str]:
        slug = to_line(post.get("slug"))
        if not slug:
            return
        yield f"/{slug}/"
        permalinks = self.tables.permalinks
        if ":year" not in permalinks or published_at is None or is_page(post):
            return
        local = convert_to_zone(published_at, dates.find_zone(self.tables.timezone) or UTC)
        parts = {":year": f"{local:%Y}", ":month": f"{local:%m}", ":day": f"{local:%d}", ":slug": slug}
        for name, value in parts.items():
            permalinks = permalinks.replace(name, value)
        if ":" not in permalinks:
            yield f"/{permalinks.strip('/')}/"


def _list_mappings(value: object) -> list[PostRow]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


class GhostSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self.total = self.estimate_items(_BYTES_PER_POST)
        address = split_address(options.base_url)
        self.hosts = {f"{address.netloc}{address.path}".rstrip("/").lower()} if address.netloc else set()
        self.terms: list[TermRecord] = []
        self.assets = [*dict.fromkeys(path for entry in entries for path in _list_media_folders(entry.path))]

    def read_entry(self, entry: Entry) -> Iterator[Item]:
        (rows, has_invalid_bytes), tables = read_rows(entry.path), GhostTables()
        tables.add_rows(rows)
        if not tables.posts:
            raise RefusedFile("It contains no posts; choose “Export content” in the settings of Ghost.")
        former_paths, other_redirects = read_redirects(entry.path.parent)
        posts = PostReader(entry, tables, former_paths, self.options, self.left_behind)
        for number, row in enumerate(tables.posts, 1):
            try:
                yield posts.read_post(row)
            except RefusedFile as error:
                post = to_mapping(row)
                title = to_line(post.get("title")) or f"Post {number:,}"
                yield report_problem(make_key(post) or f"ghost:{number}", error, entry.key, title)
        # The paths that are still in `former_paths` redirect to no post of the export.
        tables.unimported["redirects"] += other_redirects + sum(map(len, former_paths.values()))
        names = {author.name.casefold() for author in tables.users.values()}
        tables.unimported["users without posts"] += len(names - posts.authors.keys())
        if has_invalid_bytes:
            self.notes.append(f"“{entry.key}” is not valid UTF-8; the invalid bytes became “\ufffd”.")
        if tables.is_private:
            self.notes.append(PRIVATE_BLOG_NOTE.format(entry.key))
        self.hosts |= posts.hosts
        self.left_behind.update(+tables.unimported)
        self.terms += [
            TermRecord(kind="tag", name=tag.name[:MAX_TAG_LENGTH], fields=tag.fields)
            for tag in tables.tags.values()
            if not tag.is_internal
        ]
        for author in posts.authors.values():
            fields = {"bio": author.bio, "url": author.url, "avatar": author.avatar}
            filled = {name: value for name, value in fields.items() if value}
            self.terms.append(TermRecord(kind="author", name=author.name, fields=filled))
        if posts.posts_without_author:
            count = format_count(posts.posts_without_author, "post")
            self.notes.append(
                f"“{entry.key}” has {count} whose author it does not contain; the user who imports is the "
                "author."
            )


def _list_media_folders(export: Path) -> list[Path]:
    """Return the folders in which pictures are looked up: those around an export in a copy of Ghost."""
    folder = export.parent.parent if export.parent.name == "data" else export.parent
    return [export.parent, folder, *([folder.parent] if folder.name == "content" else [])]


def is_ghost_export(entry: Entry, head: bytes) -> bool:
    text = head.decode(lines.find_codec(head), "replace").lstrip()
    if not text.startswith("{"):
        return False
    has_posts = _POSTS_LIST.search(text) and _BODY_FIELD.search(text) and _SLUG_FIELD.search(text)
    has_tables = _DATA_START.match(text) and _TABLE.search(text)
    return bool(_DATABASE_START.match(text) or _EXPORT_TIME.search(text) or has_posts or has_tables)


FORMAT = Format(name="ghost", contract=CONTRACT_VERSION, detect=is_ghost_export, open_source=GhostSource)
