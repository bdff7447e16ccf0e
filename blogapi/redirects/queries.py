"""Queries for redirects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, literal, null, select, true, union_all

from blogapi.articles.author_visibility import author_is_public
from blogapi.articles.models import Article, FormerSlug
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import bytewise, current_time
from blogapi.tags.models import Tag
from blogapi.taxonomies.models import FormerTermSlug
from blogapi.web.pagination import Page, PageRequest, paginate_rows

KINDS = (Article.kind, Category.kind, Tag.kind, Author.kind)


@dataclass(frozen=True, slots=True)
class Redirect:
    """A former slug of an item, its current slug, and the addresses of the page with each of them.

    The addresses are None if they are unknown. `article` is the uuid of the item if it is an article.
    """

    kind: str
    old: str
    new: str
    item: UUID
    article: UUID | None
    created: datetime
    old_url: str | None
    new_url: str | None


def list_redirects(page: PageRequest | None, site: Site | None = None) -> Page[Sequence[Redirect]]:
    """Return the former slugs of all items that readers can see, in alphabetical order.

    The addresses are those of `site`, by default of the blog's site.
    """
    rows = union_all(
        _select_articles(),
        _select_terms(Category),
        _select_terms(Tag),
        _select_terms(Author, author_is_public()),
    ).subquery()
    found = paginate_rows(select(rows).order_by(bytewise(rows.c.old), rows.c.kind), page)
    site = site or get_site()
    return replace(found, rows=[_to_redirect(site, row) for row in found.rows])


def _select_articles() -> Select[*tuple[Any, ...]]:
    return (
        select(
            literal(Article.kind).label("kind"),
            FormerSlug.slug.label("old"),
            Article.slug.label("new"),
            Article.uuid.label("item"),
            FormerSlug.created.label("created"),
            Article.published_at.label("published_at"),
            Category.slug.label("category_slug"),
        )
        .join(Article, Article.uuid == FormerSlug.article_id)
        .join(Category, Category.uuid == Article.category_id)
        .where(Article.visible_at(current_time()))
    )


def _select_terms(model: type[Category | Tag | Author], condition: Any = None) -> Select[*tuple[Any, ...]]:
    return (
        select(
            literal(model.kind),
            FormerTermSlug.slug,
            model.slug,
            model.uuid,
            FormerTermSlug.created,
            null(),
            null(),
        )
        .join(model, model.uuid == FormerTermSlug.term_id)
        .where(FormerTermSlug.kind == model.kind, true() if condition is None else condition)
    )


def _to_redirect(site: Site, row: Row[Any]) -> Redirect:
    return Redirect(
        row.kind,
        row.old,
        row.new,
        row.item,
        row.item if row.kind == Article.kind else None,
        row.created,
        _make_url(site, row, row.old),
        _make_url(site, row, row.new),
    )


def _make_url(site: Site, row: Row[Any], slug: str) -> str | None:
    if row.kind != Article.kind:
        return addresses.make_term_url(site, row.kind, uuid=row.item, slug=slug)
    return addresses.make_article_url(
        site, uuid=row.item, slug=slug, category_slug=row.category_slug, published_at=row.published_at
    )
