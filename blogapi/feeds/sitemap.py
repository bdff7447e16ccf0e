"""The sitemap: the addresses of all pages that readers can see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape

from sqlalchemy import Row, literal, select

from blogapi.articles import page_tree
from blogapi.articles.author_visibility import author_is_public
from blogapi.articles.counts import select_public_number
from blogapi.articles.models import Article, ArticleTag
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.visibility import listed, listed_later, listed_pages
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.site.queries import get_public_site
from blogapi.storage.database import current_time, db, table_of
from blogapi.tags.models import Tag
from blogapi.taxonomies.models import ALL_ARTICLES
from blogapi.web.errors import NotFound

# The sitemap protocol limits the entries of one file.
MAX_ENTRIES = 50_000

# Anyone can ask for a sitemap, so each must be short enough for the response cache in its default size.
PART_ENTRIES, MAX_BYTES = 10_000, 8 * 2**20

_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'

_article, _category = table_of(Article).c, table_of(Category).c
_tag_link = table_of(ArticleTag).c
_tag, _author = table_of(Tag).c, table_of(Author).c

Entry = tuple[str, datetime | None]


def get_sitemap() -> bytes:
    """Return the sitemap, or an index of several sitemaps if one would be too long.

    Raises NotFound if the site has no URL.
    """
    site = get_public_site()
    terms = _list_first(site)
    count = len(terms) + _count_articles()
    if count <= MAX_ENTRIES:
        body = _to_sitemap(_list_entries(site, terms))
        if len(body) <= MAX_BYTES:
            return body
    files = range(1, -(-count // PART_ENTRIES) + 1)
    sitemaps = "".join(
        f"<sitemap><loc>{escape(site.url, quote=False)}/sitemap-{n}.xml</loc></sitemap>\n" for n in files
    )
    return f"{_HEAD}<sitemapindex {_NAMESPACE}>\n{sitemaps}</sitemapindex>\n".encode()


def get_part(number: int) -> bytes:
    """Return one of the sitemaps of the index, from 1; raises NotFound if there is no such sitemap."""
    site = get_public_site()
    terms, start = _list_first(site), (number - 1) * PART_ENTRIES
    # Anyone can ask for any number, and to skip articles takes much longer than to count them.
    if not 0 <= start < len(terms) + _count_articles():
        raise NotFound("There is no such sitemap; /sitemap.xml lists them.")
    return _to_sitemap(_list_entries(site, terms, start, PART_ENTRIES))


def _list_first(site: Site) -> list[Entry]:
    """Return the entries before the articles: the home page, the pages and the terms in use."""
    return [(f"{site.url}/", None), *_list_pages(site), *_list_terms(site)]


def _list_entries(
    site: Site, terms: list[Entry], start: int = 0, limit: int = MAX_ENTRIES
) -> Iterator[Entry]:
    """Yield the entries from `start`: those of `_list_first`, then the articles.

    Articles that search engines shall not show count towards `limit`, but have no entry.
    """
    first = terms[start : start + limit]
    yield from first
    for row in _list_articles(max(0, start - len(terms)), limit - len(first)):
        if row.robots:
            continue
        url = addresses.make_article_url(
            site,
            uuid=row.uuid,
            slug=row.slug,
            category_slug=row.category_slug,
            published_at=row.published_at,
        )
        if url is not None:
            yield url, row.last_updated


def _count_articles() -> int:
    number = select_public_number(literal(ALL_ARTICLES), listed_later(_article))
    return db.session.scalar(number, {"now": current_time()}) or 0


def _list_articles(start: int, limit: int) -> Iterable[Row[tuple[object, ...]]]:
    statement = (
        select(
            *(_article.uuid, _article.slug, _article.published_at, _article.last_updated, _article.robots),
            _category.slug.label("category_slug"),
        )
        .join(table_of(Category), _category.uuid == _article.category_id)
        .where(listed(Article, current_time()))
        .order_by(_article.published_at, _article.uuid)
        .offset(start)
        .limit(limit)
    )
    return db.session.execute(statement)


def _list_pages(site: Site) -> Iterator[Entry]:
    """Yield the public pages, without those that search engines shall not show."""
    columns = (_article.uuid, _article.slug, _article.parent_id, _article.last_updated)
    statement = select(*columns).where(listed_pages(_article, current_time()), _article.robots == "")
    rows = db.session.execute(statement.order_by(_article.position, _article.uuid)).all()
    tree = page_tree.read_tree() if rows else {}
    for row in rows:
        path = page_tree.make_path(site, row.uuid, row.slug, row.parent_id, tree)
        yield f"{site.url}{path}", row.last_updated


def _list_terms(site: Site) -> Iterator[Entry]:
    """Yield the pages of the categories, tags and authors that have public articles."""
    is_visible = listed(Article, current_time())
    tagged = select(_tag_link.article_id).where(
        _tag_link.tag_id == _tag.uuid, _tag_link.listed_from <= current_time()
    )
    in_category = select(_article.uuid).where(_article.category_id == _category.uuid, is_visible)
    used = (
        ("category", _category, in_category.exists()),
        ("tag", _tag, tagged.exists()),
        ("author", _author, author_is_public()),
    )
    for kind, term, has_articles in used:
        rows = db.session.execute(select(term.uuid, term.slug).where(has_articles).order_by(term.slug))
        for uuid, slug in rows:
            url = addresses.make_term_url(site, kind, uuid=uuid, slug=slug)
            if url is not None:
                yield url, None


def _to_sitemap(entries: Iterable[Entry]) -> bytes:
    urls = "".join(
        f"<url><loc>{escape(url, quote=False)}</loc>"
        + (f"<lastmod>{updated:%Y-%m-%dT%H:%M:%S}+00:00</lastmod>" if updated else "")
        + "</url>\n"
        for url, updated in entries
    )
    return f"{_HEAD}<urlset {_NAMESPACE}>\n{urls}</urlset>\n".encode()
