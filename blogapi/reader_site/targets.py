"""Finds what the site shows at a path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from posixpath import splitext
from typing import Any
from urllib.parse import unquote

from sqlalchemy import Select, cast, literal, null, or_, select, union_all
from sqlalchemy import String as SqlString

from blogapi.content.articles import page_tree
from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.parsing import parse_uuid
from blogapi.publication.kinds import TERM_KINDS, get_model_of_kind
from blogapi.publication.visibility import ItemType, is_readable, match_articles, match_readable_items
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.site.paths import strip_slash
from blogapi.site.served_paths import SitePage, find_fixed_page
from blogapi.storage.database import UtcDateTime, current_time, db

# The kinds of items with a page. If several items have the same path, the first kind is shown.
_ITEM_KINDS = (ItemType.PAGE.value, Article.kind, *TERM_KINDS)

_NUMBERED_PAGE_PATH = re.compile(r"(.*)/page/([1-9][0-9]{0,8})/?")
# The columns that only articles have; in the rows of terms, their values are empty.
_EMPTY_ARTICLE_COLUMNS = (
    cast(null(), UtcDateTime()).label("published_at"),
    cast(null(), SqlString()).label("category_slug"),
    literal("").label("language"),
)


def find_target(site: Site, path: str) -> SitePage | None:
    """Return the target at a decoded path, with or without a slash at its end, or None.

    If several targets match the path, the first in this order is returned: fixed pages, home pages, pages,
    articles, categories, tags and authors.
    """
    # PostgreSQL cannot compare a text that contains a NUL character.
    if "//" in path or "\0" in path:
        return None
    match = _NUMBERED_PAGE_PATH.fullmatch(path)
    if match and (number := int(match[2])) > 1:
        extensions = dict.fromkeys(splitext(getattr(site, f"{kind}_path"))[1] for kind in TERM_KINDS)
        for base in dict.fromkeys(f"{match[1]}{extension or '/'}" for extension in ("", *extensions)):
            if found := _find_list_target(site, base):
                return replace(found, number=number)
    return find_fixed_page(site, path) or _find_item_target(site, path, _ITEM_KINDS)


def _find_list_target(site: Site, path: str) -> SitePage | None:
    """Return the target of the list of articles whose first page has this path, or None."""
    fixed = find_fixed_page(site, path)
    return fixed if fixed and fixed.kind in ("home", "month") else _find_item_target(site, path, TERM_KINDS)


def _find_item_target(site: Site, path: str, kinds: Sequence[str]) -> SitePage | None:
    """Return the item of the first of these kinds that has the path; this runs at most two statements."""
    items = list_targets(site, path, kinds)
    return next((item for item in items if strip_slash(item.path) == strip_slash(path)), None)


def list_targets(
    site: Site, path: str | None = None, kinds: Sequence[str] = _ITEM_KINDS
) -> Iterator[SitePage]:
    """Yield the items of these kinds that readers can see; with a path, all items that can have the path."""
    statements = []
    for kind in kinds:
        values = {} if path is None else addresses.parse_path(site, kind, path)
        if values is None:
            continue
        if kind == ItemType.PAGE:
            tree, now = page_tree.get_tree(), current_time()
            for uuid, node in tree.items():
                if is_readable(node, now):
                    yield SitePage(kind, unquote(page_paths.make_path_in_tree(site, uuid, tree)), uuid)
            continue
        model: Any = get_model_of_kind(kind)
        statement, slugs = _select_items(kind), addresses.list_possible_slugs(values)
        if path is not None:
            uuids = list(filter(None, map(parse_uuid, slugs)))
            statement = statement.where(or_(model.slug.in_(slugs), model.uuid.in_(uuids)))
        if slugs or path is None:
            statements.append(statement)
    rows = db.session.execute(union_all(*statements)).all() if statements else []
    for row in sorted(rows, key=lambda row: kinds.index(row.kind)):
        if row.kind == Article.kind:
            own = addresses.make_article_path(site, **addresses.get_article_address_values(row))
        else:
            own = addresses.make_term_path(site, row.kind, uuid=row.uuid, slug=row.slug)
        yield SitePage(row.kind, unquote(own), row.uuid)


def _select_items(kind: str) -> Select[*tuple[Any, ...]]:
    """Return a statement for the items of a kind other than pages that readers can see."""
    model: Any = get_model_of_kind(kind)
    if kind == Article.kind:
        columns = (Article.published_at, Category.slug.label("category_slug"), Article.language)
        return (
            select(literal(kind).label("kind"), Article.uuid, Article.slug, *columns)
            .outerjoin(Category, Category.uuid == Article.category_id)
            .where(match_articles(Article), match_readable_items(Article, current_time()))
        )
    statement = select(literal(kind).label("kind"), model.uuid, model.slug, *_EMPTY_ARTICLE_COLUMNS)
    return statement.where(match_public_authors()) if kind == "author" else statement
