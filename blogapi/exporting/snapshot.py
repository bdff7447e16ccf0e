"""Reads the data of an export, as plain mappings with the field names and values that the API shows.

All queries read the same state of the database. An article is a mapping with the fields `uuid`, `created`,
`last_updated`, `published_at`, `status`, `slug`, `former_slugs`, `former_paths`, all text fields, `category`
(slug), `tags`, `authors` (slugs), `seo`, `paths` (mappings with `path` and `media`), `custom` (the custom
fields, by name), `was_public` and `slug_derived`. Former slugs and paths are mappings with `slug` or `path`,
and `created`. Times are texts in UTC; uuids are texts. The guide lists the fields of the other items.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, func, not_, or_, select, true

from blogapi.content.articles.models import Article, ArticleAuthor, WorkingCopy
from blogapi.content.articles.responses import article_links
from blogapi.content.articles.snapshots import parse_content
from blogapi.content.custom_fields.definitions import list_definitions
from blogapi.content.custom_fields.models import CustomField
from blogapi.content.dependencies import TAXONOMIES
from blogapi.content.media.addresses import make_file_path
from blogapi.content.media.models import FormerHash, Media, MediaUse
from blogapi.content.media.uses import ARTICLE
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import can_have_parents
from blogapi.content.taxonomies.models import FormerTermSlug
from blogapi.content.taxonomies.tags import Tag
from blogapi.exporting import article_rows
from blogapi.exporting.article_rows import (
    Item,
    fetch_rows,
    format_time,
    list_former_values,
    make_identity_fields,
    read_page_fields,
)
from blogapi.parsing import parse_uuid
from blogapi.publication.kinds import KINDS, KINDS_WITH_PAGES, TERM_KINDS
from blogapi.publication.visibility import (
    ItemType,
    Status,
    match_listed_articles,
    match_listed_pages,
    match_scheduled_items,
)
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage import connections
from blogapi.storage.database import current_time, db, end_read, split_values, table_of

_ARTICLES_PER_BATCH = 200

_article = table_of(Article).c
_copy = table_of(WorkingCopy).c
_author_link = table_of(ArticleAuthor).c
_use, _media, _author, _category = (table_of(model).c for model in (MediaUse, Media, Author, Category))

#: The text fields of terms other than the name and the slug, by kind.
TERM_FIELDS = {
    taxonomy.model.kind: tuple(
        name
        for name in dict.fromkeys((*taxonomy.defaults, *taxonomy.body_schema._declared_fields))
        if name not in ("name", "slug", "user", "parent")
    )
    for taxonomy in TAXONOMIES
}
_MEDIA_FIELDS = ("name", "alt", "decorative", "caption", "type", "size", "hash", "upload_hash")
#: The text fields of the site.
SITE_FIELDS = (
    *("title", "description", "language", "time_zone", "url", "service_url", "logo", "icon"),
    *(f"{kind}_path" for kind in KINDS_WITH_PAGES),
    "preview_url",
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of the blog at the time of the export."""

    includes_drafts: bool
    site: Item
    categories: Sequence[Item]
    tags: Sequence[Item]
    authors: Sequence[Item]
    media: Sequence[Item]
    #: the uuids of files by former hash
    former_hashes: Mapping[str, str]
    #: the definitions of the custom fields, and whether fields that only admins can read are included
    fields: Sequence[Item]
    has_all_fields: bool
    uuids: Sequence[UUID]  #: the uuids of the articles, in the order of `created`
    public_count: int
    left_out: Mapping[str, int]  #: the number of items and of waiting edits that are not exported, by name

    @property
    def article_count(self) -> int:
        return len(self.uuids)

    @property
    def local_site(self) -> Site:
        """A copy of the site whose address has no path, because paths in files are relative to the site."""
        return cast(Site, SimpleNamespace(**{**self.site, "url": "http://localhost"}))

    def read_articles(self) -> Iterator[Item]:
        """Yield the articles in the order of `created` and `uuid`."""
        slugs = self._get_slugs_by_kind()
        media = frozenset(file["uuid"] for file in self.media)
        now = current_time()
        for uuids in split_values(self.uuids, _ARTICLES_PER_BATCH):
            for article in article_rows.read_articles(uuids, slugs, media, now):
                yield {**article, "custom": self._select_custom_fields(article["custom"])}

    def find_linked_articles(self, content: str) -> Iterator[Item]:
        """Yield the public articles and pages to which the content links, with the fields for their paths."""
        columns = (
            *(_article.uuid, _article.slug, _article.published_at, _category.slug.label("category")),
            *(_article.type, _article.parent_id, _article.position),
            _article.language,
        )
        statement = select(*columns).join_from(Article, Category, isouter=True)
        for batch in split_values(sorted(article_links.find_mentioned_articles(content))):
            is_public = and_(_article.uuid.in_(batch), _match_listed_items(current_time()))
            for row in fetch_rows(statement.where(is_public)):
                yield {
                    **{"uuid": str(row.uuid), "slug": row.slug, "category": row.category},
                    **read_page_fields(row),
                    "published_at": format_time(row.published_at),
                    "language": row.language,
                }

    def read_article_slugs(self) -> Iterator[str]:
        """Yield the slugs of the exported articles, in any order."""
        for uuids in split_values(self.uuids, _ARTICLES_PER_BATCH):
            yield from (slug for (slug,) in fetch_rows(select(_article.slug).where(_article.uuid.in_(uuids))))

    def read_working_copies(self) -> Iterator[Item]:
        """Yield the working copies in the order of their articles; none in an export without drafts."""
        slugs = self._get_slugs_by_kind()
        for uuids in split_values(self.uuids, _ARTICLES_PER_BATCH) if self.includes_drafts else ():
            for copy in article_rows.read_working_copies(uuids, slugs):
                yield {**copy, "custom": self._select_custom_fields(copy["custom"])}

    def _select_custom_fields(self, values: Item) -> Item:
        if self.has_all_fields:
            return values
        names = {field["name"] for field in self.fields}
        return {name: value for name, value in values.items() if name in names}

    def _get_slugs_by_kind(self) -> dict[str, dict[UUID, str]]:
        plurals = {name: KINDS[name].plural for name in TERM_KINDS}
        return {name: dict(_list_uuids_and_slugs(getattr(self, plural))) for name, plural in plurals.items()}


def _list_uuids_and_slugs(terms: Sequence[Item]) -> Iterator[tuple[UUID, str]]:
    """Yield the uuid and the slug of each term, and the uuid of each merged term with its new term's slug."""
    for term in terms:
        former_slugs = (former["slug"] for former in term["former_slugs"])
        for uuid in filter(None, map(parse_uuid, (term["uuid"], *former_slugs))):
            yield uuid, term["slug"]


@contextmanager
def open_snapshot(
    *, drafts: bool, admin_fields: bool = True, since: datetime | None = None
) -> Iterator[Snapshot]:
    """Yield the snapshot; articles are read while the `with` block runs.

    Without `drafts`, it contains the public articles, their authors, and the media files that public items
    show. All categories and tags are always exported, because the API shows them to everyone. Custom
    fields that only admins can read are exported if both `drafts` and `admin_fields` are true. With `drafts`
    and `since`, only articles and media files that were written since then are exported.
    """
    end_read()
    try:
        connections.disable_timeouts(db.session.connection())
        yield _read_snapshot(drafts, has_all_fields=drafts and admin_fields, since=since)
    finally:
        end_read()


def _read_snapshot(drafts: bool, *, has_all_fields: bool, since: datetime | None) -> Snapshot:
    now = current_time()
    is_exported = true() if drafts else _match_listed_items(now)
    is_recent = true() if since is None else _match_pages_and_changed_items(since)
    articles = select(_article.uuid, _match_listed_items(now)).where(is_exported, is_recent)
    rows = fetch_rows(articles.order_by(_article.created, _article.uuid))
    author_ids = select(_author_link.author_id).join(Article).where(is_exported)
    is_exported_author: ColumnElement[bool] = _author.uuid.in_(author_ids)
    if drafts:
        is_exported_author |= _match_working_copy_authors() | ~_match_empty_profiles()
    media = _read_media(_match_exported_media(drafts, since, now))
    former_hashes = {former["hash"]: file["uuid"] for file in media for former in file["former_hashes"]}
    return Snapshot(
        drafts,
        _read_site(get_site(), has_all_fields=has_all_fields),
        _read_terms(Category),
        _read_terms(Tag),
        _read_terms(Author, is_exported_author),
        media,
        former_hashes,
        [
            _make_field_item(field)
            for field in list_definitions()
            if has_all_fields or not field.is_admin_only
        ],
        has_all_fields,
        [uuid for uuid, _ in rows],
        sum(bool(is_public) for _, is_public in rows),
        {} if drafts else _count_left_out_articles(now),
    )


def _count_left_out_articles(now: datetime) -> dict[str, int]:
    state = case((match_scheduled_items(_article, now), "scheduled"), else_=_article.status).label("state")
    counts = select(state, func.count()).where(not_(_match_listed_items(now))).group_by("state")
    numbers: dict[str, int] = dict(fetch_rows(counts))
    edits = db.session.scalar(select(func.count()).select_from(WorkingCopy)) or 0
    names = (Status.DRAFT.value, "scheduled", Status.UNLISTED.value, Status.ARCHIVED.value)
    return {name: numbers.get(name, 0) for name in names} | {"waiting_edits": edits}


def _match_pages_and_changed_items(since: datetime) -> ColumnElement[bool]:
    """Return the condition that the item is a page, or that its text or edits have changed since then."""
    edited = select(_copy.article_id).where(_copy.last_updated >= since)
    # All pages are exported, because a page refers to the pages above it.
    return or_(_article.last_updated >= since, _article.uuid.in_(edited), _article.type == ItemType.PAGE)


def _match_exported_media(drafts: bool, since: datetime | None, now: datetime) -> ColumnElement[bool]:
    """Return the condition that a media file is exported."""
    if not drafts:
        return _media.uuid.in_(_select_public_media_ids(now))
    if since is None:
        return true()
    articles = select(_article.uuid).where(_match_pages_and_changed_items(since))
    used = select(_use.media_id).where(_use.kind == ARTICLE, _use.item_id.in_(articles))
    return or_(_media.last_updated >= since, _media.uuid.in_(used))


def _match_listed_items(now: datetime) -> ColumnElement[bool]:
    """Return the condition that an article or a page is in the public lists."""
    return or_(match_listed_articles(_article, now), match_listed_pages(_article, now))


def _make_field_item(field: CustomField) -> Item:
    item: Item = {name: getattr(field, name) for name in ("name", "label", "help", "type")}
    item |= {"list": field.is_list, "choices": field.options}
    item |= {"minimum": field.minimum, "maximum": field.maximum, "required": field.is_required}
    item |= {"read_by": "admins" if field.is_admin_only else "everyone", "searched": field.is_searched}
    return {"uuid": str(field.uuid), **item, "kinds": field.kinds, "position": field.position}


def _match_working_copy_authors() -> ColumnElement[bool]:
    """Return the condition that a working copy names the author."""
    statement = select(_copy.content)
    contents = db.session.connection().execute(statement, execution_options={"yield_per": 10}).scalars()
    return _author.uuid.in_({author for content in contents for author in parse_content(content).authors})


def _match_empty_profiles() -> ColumnElement[bool]:
    """Return the condition that a profile contains nothing but the name of its user."""
    is_empty = and_(_author.bio == "", _author.url == "", _author.avatar == "")
    return and_(_author.owner_id.is_not(None), is_empty, _author.created == _author.last_updated)


def _select_public_media_ids(now: datetime) -> Select[UUID]:
    articles = select(_article.uuid).where(_match_listed_items(now))
    authors = select(_author_link.author_id).join(Article).where(_match_listed_items(now))
    is_public = or_(
        and_(_use.kind == ARTICLE, _use.item_id.in_(articles)),
        and_(_use.kind == Author.kind, _use.item_id.in_(authors)),
        _use.kind.in_((Category.kind, Tag.kind, Site.kind)),
    )
    return select(_use.media_id).where(_use.current, is_public)


def _read_site(site: Site, *, has_all_fields: bool) -> Item:
    navigation = [{"label": item["label"], "url": item["url"]} for item in site.navigation_items]
    languages = {"languages": list(site.other_languages)} if site.other_languages else {}
    fields = {name: getattr(site, name) for name in SITE_FIELDS}
    return fields | {"built_in": site.built_in and has_all_fields, "navigation": navigation} | languages


def _read_terms(model: type[Any], condition: ColumnElement[bool] | None = None) -> list[Item]:
    former_slugs = defaultdict[UUID, list[tuple[str, datetime]]](list)
    columns = (FormerTermSlug.term_id, FormerTermSlug.slug, FormerTermSlug.created)
    for term_id, *values in fetch_rows(select(*columns).where(FormerTermSlug.kind == model.kind)):
        former_slugs[term_id].append((values[0], values[1]))
    names = ("name", "slug", *TERM_FIELDS[model.kind])
    term = table_of(model).c
    slugs = dict(fetch_rows(select(term.uuid, term.slug))) if can_have_parents(model) else {}
    return [
        make_identity_fields(row)
        | {name: getattr(row, name) for name in names}
        | ({"parent": slugs.get(row.parent_id)} if slugs else {})
        | {"former_slugs": list_former_values(former_slugs[row.uuid])}
        for row in _read_rows(model, (*names, *(["parent_id"] if slugs else [])), condition)
    ]


def _read_media(condition: ColumnElement[bool]) -> list[Item]:
    former_hashes = defaultdict[UUID, list[Item]](list)
    columns = (FormerHash.media_id, FormerHash.hash, FormerHash.width)
    for media_id, hash, width in fetch_rows(select(*columns).order_by(FormerHash.hash)):
        former_hashes[media_id].append({"hash": hash} | ({"width": width} if width else {}))
    return [
        make_identity_fields(row)
        | {name: getattr(row, name) for name in _MEDIA_FIELDS}
        | {"former_hashes": former_hashes[row.uuid]}
        for row in _read_rows(Media, _MEDIA_FIELDS, condition)
    ]


def _read_rows(model: type[Any], names: Sequence[str], condition: ColumnElement[bool] | None) -> list[Any]:
    columns = table_of(model).c
    selected = (columns[name] for name in ("uuid", "created", "last_updated", *names))
    statement = select(*selected).where(true() if condition is None else condition)
    return sorted(fetch_rows(statement), key=lambda row: (row.created, row.uuid))


def get_media_path(file: Item) -> str:
    """Return the address under which articles refer to a media file."""
    return make_file_path(file["hash"], file["name"])
