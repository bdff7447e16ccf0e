"""Finds what the site shows at a path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from posixpath import splitext
from typing import Any
from urllib.parse import unquote
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Select, cast, literal, null, or_, select, union_all
from sqlalchemy import String as SqlString

from blogapi.content.articles import page_tree
from blogapi.content.articles.author_visibility import author_is_public
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.parsing import parse_uuid
from blogapi.publication.kinds import TERM_KINDS, get_model
from blogapi.publication.visibility import ItemType, is_article, is_readable, readable
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.site.paths import without_slash
from blogapi.site.served_paths import find_fixed_page
from blogapi.storage.database import UtcDateTime, current_time, db

# The kinds of items with a page. If several items have the same path, the first kind is shown.
_KINDS = (ItemType.PAGE.value, Article.kind, *TERM_KINDS)

_PAGE_PATH = re.compile(r"(.*)/page/([1-9][0-9]{0,8})/?")
# The columns of a term's row that only articles have a value for.
_NO_ARTICLE = (
    cast(null(), UtcDateTime()).label("published_at"),
    cast(null(), SqlString()).label("category_slug"),
    literal("").label("language"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """What the site shows at `path`, which is decoded.

    `kind` is `home`, `search`, `archive`, `month`, `page`, `article`, `category`, `tag` or `author`; the last
    five have a `uuid`. `number` is the number of the page of a list, and `language` the language of a home
    page. `path` is the path of the first page of a list.
    """

    kind: str
    path: str
    uuid: UUID | None = None
    number: int = 1
    language: str = ""
    year: int = 0
    month: int = 0

    @property
    def own_path(self) -> str:
        """The path of this page of the list."""
        return addresses.make_numbered_url(self.path, self.number)


def find_target(site: Site, path: str) -> Target | None:
    """Return the target at a decoded path, with or without a slash at its end, or None.

    If several targets could have the path, the first in this order has it: fixed pages, home pages, pages,
    articles, categories, tags and authors.
    """
    if "//" in path:
        return None
    match = _PAGE_PATH.fullmatch(path)
    if match and (number := int(match[2])) > 1:
        extensions = dict.fromkeys(splitext(getattr(site, f"{kind}_path"))[1] for kind in TERM_KINDS)
        bases = (f"{match[1]}{extension or '/'}" for extension in ("", *extensions))
        found = next(filter(None, (_find_list(site, base) for base in dict.fromkeys(bases))), None)
        if found:
            return replace(found, number=number)
    return _find_fixed(site, path) or _find_item(site, path, _KINDS)


def _find_list(site: Site, path: str) -> Target | None:
    """Return the list of articles that begins at the path, or None."""
    fixed = _find_fixed(site, path)
    return fixed if fixed and fixed.kind in ("home", "month") else _find_item(site, path, TERM_KINDS)


def _find_fixed(site: Site, path: str) -> Target | None:
    page = find_fixed_page(site, path)
    if page is None:
        return None
    return Target(page.kind, page.path, language=page.language, year=page.year, month=page.month)


def _find_item(site: Site, path: str, kinds: Sequence[str]) -> Target | None:
    """Return the item of the first of these kinds that has the path; at most two statements."""
    if ItemType.PAGE.value in kinds and addresses.parse_path(site, "page", path) is not None:
        tree, now = page_tree.get_tree(), current_time()
        for uuid, place in tree.items():
            if is_readable(place, now):
                own = unquote(page_paths.make_path_in_tree(site, uuid, tree))
                if without_slash(own) == without_slash(path):
                    return Target(ItemType.PAGE.value, own, uuid)
    statements = list(_select_items(site, path, kinds))
    rows = db.session.execute(union_all(*statements)).all() if statements else []
    for row in sorted(rows, key=lambda row: kinds.index(row.kind)):
        own = unquote(_make_path(site, row))
        if without_slash(own) == without_slash(path):
            return Target(row.kind, own, row.uuid)
    return None


def list_paths(site: Site) -> Iterator[tuple[str, UUID, str]]:
    """Yield the kind, the uuid and the decoded path of each item that readers can see."""
    tree, now = page_tree.get_tree(), current_time()
    for uuid, place in tree.items():
        if is_readable(place, now):
            yield ItemType.PAGE.value, uuid, unquote(page_paths.make_path_in_tree(site, uuid, tree))
    for kind in _KINDS:
        if kind != ItemType.PAGE:
            for row in db.session.execute(_select_kind(kind)):
                yield kind, row.uuid, unquote(_make_path(site, row))


def _select_items(site: Site, path: str, kinds: Sequence[str]) -> Iterator[Select[*tuple[Any, ...]]]:
    for kind in kinds:
        if kind == ItemType.PAGE:
            continue
        references = addresses.list_slugs(addresses.parse_path(site, kind, path) or {})
        if not references:
            continue
        model: Any = get_model(kind)
        uuids = [uuid for reference in references if (uuid := parse_uuid(reference))]
        yield _select_kind(kind).where(or_(model.slug.in_(references), model.uuid.in_(uuids)))


def _select_kind(kind: str) -> Select[*tuple[Any, ...]]:
    """Return a statement for the items of a kind other than pages that readers can see."""
    model: Any = get_model(kind)
    if kind == Article.kind:
        columns = (Article.published_at, Category.slug.label("category_slug"), Article.language)
        return (
            select(literal(kind).label("kind"), Article.uuid, Article.slug, *columns)
            .outerjoin(Category, Category.uuid == Article.category_id)
            .where(is_article(Article), readable(Article, current_time()))
        )
    statement = select(literal(kind).label("kind"), model.uuid, model.slug, *_NO_ARTICLE)
    return statement.where(author_is_public()) if kind == "author" else statement


def _make_path(site: Site, row: Any) -> str:
    if row.kind == Article.kind:
        return addresses.make_article_path(site, **addresses.get_address_values(row))
    return addresses.make_term_path(site, row.kind, uuid=row.uuid, slug=row.slug)


def get_month_range(site: Site, year: int, month: int) -> tuple[datetime, datetime] | None:
    """Return the first moments of a month and of the next one, in the time zone of the site.

    Returns None for a month at the limits of what Python can represent.
    """
    zone = ZoneInfo(site.time_zone)
    try:
        start = datetime(year, month, 1, tzinfo=zone)
        end = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)
        return start.astimezone(UTC), end.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
