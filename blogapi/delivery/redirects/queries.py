"""Finds the custom redirects, and the redirects from former slugs and former paths of items."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Integer,
    Row,
    Select,
    String,
    bindparam,
    cast,
    literal,
    null,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute

from blogapi.content.articles import page_tree
from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.models import Article, FormerPath, FormerSlug, UnindexedColumns
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.delivery.redirects.custom.service import CustomRedirect
from blogapi.parsing import parse_uuid
from blogapi.publication.kinds import SLUG_KINDS, TERM_KINDS, get_model_of_kind
from blogapi.publication.visibility import (
    NOW,
    ItemType,
    is_readable,
    match_articles,
    match_listed_articles,
    match_listed_pages,
    match_readable_items,
)
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.site.paths import extract_path, strip_slash
from blogapi.site.queries import get_site
from blogapi.storage.database import UtcDateTime, bytewise, current_time, db, split_values
from blogapi.storage.expressions import unindexed
from blogapi.web.fields import WithAttributes
from blogapi.web.pagination import Page, PageRequest, fetch_row_page

PAGE_KIND = ItemType.PAGE.value
# The kind of custom redirects.
CUSTOM_KIND = "redirect"
REDIRECT_KINDS = (*SLUG_KINDS, PAGE_KIND, CUSTOM_KIND)
# The empty columns `published_at`, `category_slug` and `language` of a redirect that leads to no article.
_EMPTY_ARTICLE_COLUMNS = (cast(null(), UtcDateTime()), cast(null(), String()), literal(""))
_EMPTY_STATUS = cast(null(), Integer())


@dataclass(frozen=True, slots=True)
class Redirect:
    """A former slug or path of an item, its current slug, and its former and current addresses.

    The addresses are None if they are unknown. `article` is the uuid of the item if it is an article. For
    pages, only former paths are redirected, because an address can contain several slugs. A custom redirect
    has a `status`; its `old` is a path, and its `new` is the target.
    """

    kind: str
    old: str
    new: str
    item: UUID
    article: UUID | None
    created: datetime
    old_url: str | None
    new_url: str | None
    status: int | None = None


def list_redirects(
    page: PageRequest | None, site: Site | None = None, *, unlisted: bool = False
) -> Page[Sequence[Redirect]]:
    """Return all redirects: custom redirects, and former slugs and paths of items that readers can see.

    Redirects to unlisted items are left out unless `unlisted` is set. The redirects are sorted by old slug
    or path. The addresses belong to `site`, by default the blog's site. A redirect from the path of a public
    article or page is left out, so a page of the list can have fewer rows than requested.
    """
    site = site or get_site()
    visible = match_readable_items(UnindexedColumns, current_time())
    if not unlisted:
        visible = match_listed_articles(UnindexedColumns, current_time()) | match_listed_pages(
            UnindexedColumns, current_time()
        )
    merged = union_all(*_select_redirects(visible, match_public_authors())).subquery()
    result = fetch_row_page(select(merged).order_by(bytewise(merged.c.old), merged.c.kind), page)
    return replace(result, rows=_hide_placeholder_addresses(site, _to_redirects(site, result.rows)))


def find_redirects(address: str) -> Page[Sequence[Redirect]]:
    """Return a list with the redirect from the path of this address, or an empty list."""
    path, site = extract_path(address), get_site()
    if path is None:
        return Page([], 0, None)
    values = {
        kind: addresses.parse_path(add_placeholder_address(site), kind, path) or {} for kind in SLUG_KINDS
    }
    slugs = {kind: addresses.list_possible_slugs(parsed) for kind, parsed in values.items()}
    paths = [strip_slash(path), f"{strip_slash(path)}/"]
    parameters: dict[str, Any] = {**slugs, "paths": paths, "now": current_time()}
    rows = db.session.execute(_build_lookup_statement(), parameters).all()
    redirects = _to_redirects(site, rows)
    matches = [row for row in redirects if _decode_path(row.old_url) == strip_slash(path)]
    # A former path takes precedence over a former slug: the former address of a slug is only derived from the
    # current pattern of addresses.
    matches.sort(
        key=lambda redirect: (redirect.kind != CUSTOM_KIND, redirect.old != path, not _is_path(redirect.old))
    )
    return Page(_hide_placeholder_addresses(site, matches[:1]), len(matches[:1]), None)


def add_placeholder_address(site: Site) -> Site:
    """Return the site; a site without an address gets a placeholder address, so that its pages have paths."""
    return site if site.url else typing.cast(Site, WithAttributes(site, url="http://localhost"))


def _hide_placeholder_addresses(site: Site, redirects: Sequence[Redirect]) -> Sequence[Redirect]:
    return redirects if site.url else [replace(item, old_url=None, new_url=None) for item in redirects]


@cache
def _build_lookup_statement() -> CompoundSelect[*tuple[Any, ...]]:
    """Return the statement of `find_redirects`; it is built once, because building it takes milliseconds.

    The parameters of the statement are `now`, `paths`, and the slugs of each kind under the name of the kind.
    """
    slugs: dict[str, BindParameter[Any]] = {kind: bindparam(kind, expanding=True) for kind in SLUG_KINDS}
    paths: BindParameter[Any] = bindparam("paths", expanding=True)
    return union_all(
        *_select_redirects(match_readable_items(UnindexedColumns), match_public_authors(NOW), paths, slugs)
    )


def _select_redirects(
    visible: ColumnElement[bool],
    public_author: ColumnElement[bool],
    paths: BindParameter[Any] | None = None,
    slugs: Mapping[str, BindParameter[Any]] | None = None,
) -> Iterator[Select[*tuple[Any, ...]]]:
    """Yield a statement for each kind of redirect; `paths` or `slugs` select only redirects from them.

    The redirects lead to articles and pages for which the condition `visible` is true. This condition uses
    the columns of `UnindexedColumns`, so that SQLite starts with the few former addresses, not with all
    articles.
    """
    is_path = true() if paths is None else FormerPath.path.in_(paths)
    yield _select_article_redirects(FormerPath.path, visible & is_path)
    is_slug = _make_slug_condition(FormerSlug.slug, Article.kind, slugs) & match_articles(UnindexedColumns)
    yield _select_article_redirects(FormerSlug.slug, visible & is_slug)
    for model in map(get_model_of_kind, TERM_KINDS):
        condition = _make_slug_condition(FormerTermSlug.slug, model.kind, slugs)
        yield _select_term_redirects(model, condition & public_author if model is Author else condition)
    yield _select_custom_redirects(true() if paths is None else CustomRedirect.path.in_(paths))


def _make_slug_condition(
    column: InstrumentedAttribute[str], kind: str, slugs: Mapping[str, BindParameter[Any]] | None
) -> ColumnElement[bool]:
    return true() if slugs is None else column.in_(slugs[kind])


def _select_article_redirects(
    old: InstrumentedAttribute[str], condition: ColumnElement[bool]
) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Article.type.label("kind"),
            bytewise(old).label("old"),
            Article.slug.label("new"),
            Article.uuid.label("item"),
            old.class_.created,
            Article.published_at,
            Category.slug.label("category_slug"),
            Article.language,
            _EMPTY_STATUS.label("status"),
        )
        .join(Article, Article.uuid == unindexed(old.class_.article_id))
        .outerjoin(Category, Category.uuid == Article.category_id)
        .where(condition)
    )


def _select_term_redirects(model: type[Term], condition: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    columns = (bytewise(FormerTermSlug.slug), model.slug, model.uuid, FormerTermSlug.created)
    return (
        select(literal(model.kind), *columns, *_EMPTY_ARTICLE_COLUMNS, _EMPTY_STATUS)
        .join(model, model.uuid == FormerTermSlug.term_id)
        .where(FormerTermSlug.kind == model.kind, condition)
    )


def _select_custom_redirects(condition: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    redirect = CustomRedirect
    columns = (bytewise(redirect.path), redirect.target, redirect.uuid, redirect.created)
    return select(literal(CUSTOM_KIND), *columns, *_EMPTY_ARTICLE_COLUMNS, redirect.status).where(condition)


def _to_redirects(site: Site, rows: Sequence[Row[Any]]) -> list[Redirect]:
    """Return the redirects, except those whose path is the address of a public article or page."""
    site = add_placeholder_address(site)
    tree = page_tree.get_tree()
    page_urls = {uuid: site.url + path for uuid, path in page_paths.make_all_paths(site, tree).items()}
    redirects = [_to_redirect(site, row, page_urls) for row in rows]
    pages = _find_article_paths(site, [item for item in redirects if _is_path(item.old)])
    now = current_time()
    pages |= {_decode_path(page_urls[uuid]) for uuid, node in tree.items() if is_readable(node, now)}
    return [item for item in redirects if not _is_path(item.old) or _decode_path(item.old_url) not in pages]


def _to_redirect(site: Site, row: Row[Any], page_urls: Mapping[UUID, str]) -> Redirect:
    return Redirect(
        row.kind,
        row.old,
        row.new,
        row.item,
        row.item if row.kind == Article.kind else None,
        row.created,
        urljoin(site.url, quote(row.old)) if _is_path(row.old) else _make_redirect_url(site, row, row.old),
        page_urls.get(row.item) if row.kind == PAGE_KIND else _make_redirect_url(site, row, row.new),
        row.status,
    )


def _make_redirect_url(site: Site, row: Row[Any], slug: str) -> str | None:
    if row.kind == CUSTOM_KIND:
        return urljoin(site.url, slug) if slug else None
    if row.kind != Article.kind:
        # A former slug that is a uuid belongs to a merged term.
        return addresses.make_term_url(site, row.kind, uuid=parse_uuid(slug) or row.item, slug=slug)
    return addresses.make_article_url(
        site,
        uuid=row.item,
        slug=slug,
        category_slug=row.category_slug,
        published_at=row.published_at,
        language=row.language,
    )


def _is_path(old: str) -> bool:
    return old.startswith("/")


def _decode_path(url: str | None) -> str:
    """Return the decoded path of a URL, without a slash at its end."""
    return strip_slash(unquote(urlsplit(url or "").path))


def _find_article_paths(site: Site, redirects: Sequence[Redirect]) -> set[str]:
    """Return the paths of all public articles that can be equal to the former paths of these redirects."""
    pages = {_decode_path(item.new_url) for item in redirects if item.kind != CUSTOM_KIND}
    column = Article.slug if "slug}" in site.article_path else Article.uuid
    references = set[str]()
    for redirect in redirects:
        values = addresses.parse_path(site, Article.kind, redirect.old)
        slugs = addresses.list_possible_slugs(values or {})
        references |= {*slugs}
        if values is not None and not slugs:
            # The addresses of all articles have this path, and differ from each other only in their query.
            pages.add(strip_slash(redirect.old))
    remaining = sorted(references - {item.new for item in redirects})
    for batch in split_values(remaining):
        keys = batch if column is Article.slug else filter(None, map(parse_uuid, batch))
        rows = db.session.execute(_select_article_addresses().where(column.in_(list(keys))))
        pages |= {_decode_path(_make_redirect_url(site, row, row.new)) for row in rows}
    return pages


def _select_article_addresses() -> Select[*tuple[Any, ...]]:
    columns = (Article.slug.label("new"), Article.uuid.label("item"), Article.published_at, Article.language)
    return (
        select(literal(Article.kind).label("kind"), *columns, Category.slug.label("category_slug"))
        .join(Category, Category.uuid == Article.category_id)
        .where(match_readable_items(UnindexedColumns, current_time()))
    )
