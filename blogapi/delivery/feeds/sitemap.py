"""The sitemap: the addresses of all pages that readers can see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from typing import Any, NamedTuple

from sqlalchemy import Row, func, select

from blogapi.content.articles import page_tree
from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.models import Article, ArticleTag
from blogapi.content.articles.responses.translations import Translation, choose_alternates, find_translations
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.visibility import ItemType, match_listed_articles, match_listed_pages
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.site.paths import is_same_address
from blogapi.site.queries import get_public_site
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.errors import NotFound

# The sitemap protocol allows at most this number of entries in a file.
MAX_ENTRIES = 50_000

# Each sitemap must fit into the response cache of the default size, because anyone can request a sitemap.
ENTRIES_PER_PART, MAX_SITEMAP_BYTES = 10_000, 8 * 2**20

_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_LINK_NAMESPACE = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
_XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

_article, _category = table_of(Article).c, table_of(Category).c
_tag_link = table_of(ArticleTag).c
_tag, _author = table_of(Tag).c, table_of(Author).c


class SitemapEntry(NamedTuple):
    """The address of a page, the time of its last change, and its translations."""

    url: str
    updated: datetime | None = None
    alternates: Sequence[Translation] = ()


def get_sitemap() -> bytes:
    """Return the sitemap, or an index of several sitemaps if a single one would be too long.

    Raises NotFound if the site has no URL.
    """
    site = get_public_site()
    leading_entries = _list_leading_entries(site)
    count = len(leading_entries) + _count_articles()
    if count <= MAX_ENTRIES:
        body = _format_sitemap(_list_entries(site, leading_entries))
        if len(body) <= MAX_SITEMAP_BYTES:
            return body
    files = range(1, -(-count // ENTRIES_PER_PART) + 1)
    sitemaps = "".join(
        f"<sitemap><loc>{escape(site.url, quote=False)}/sitemap-{n}.xml</loc></sitemap>\n" for n in files
    )
    return f"{_XML_DECLARATION}<sitemapindex {_NAMESPACE}>\n{sitemaps}</sitemapindex>\n".encode()


def get_sitemap_part(number: int) -> bytes:
    """Return the sitemap with this number in the index (1 is the first); raises NotFound if it is missing."""
    site = get_public_site()
    leading_entries, start = _list_leading_entries(site), (number - 1) * ENTRIES_PER_PART
    # Anyone can request any number, so check it first: counting articles is faster than skipping them.
    if not 0 <= start < len(leading_entries) + _count_articles():
        raise NotFound("There is no such sitemap; /sitemap.xml lists them.")
    return _format_sitemap(_list_entries(site, leading_entries, start, ENTRIES_PER_PART))


def _list_leading_entries(site: Site) -> list[SitemapEntry]:
    """Return the entries that precede the articles: the home pages, the pages and the terms in use."""
    homes = dict.fromkeys(f"{site.url}{path}" for path in addresses.make_home_paths(site).values())
    return [*map(SitemapEntry, homes), *_list_page_entries(site), *_list_term_entries(site)]


def _list_entries(
    site: Site, leading_entries: list[SitemapEntry], start: int = 0, limit: int = MAX_ENTRIES
) -> Iterator[SitemapEntry]:
    """Yield the entries of the sitemap from position `start`: first `leading_entries`, then the articles.

    Articles with `noindex` or another canonical address count towards `limit`, but have no entry.
    """
    first = leading_entries[start : start + limit]
    yield from first
    rows = list(_read_article_rows(max(0, start - len(leading_entries)), limit - len(first)))
    translations = find_translations(site, (row.translation_key for row in rows))
    for row in rows:
        if row.robots:
            continue
        url = addresses.make_row_url(site, row)
        if url is not None and _is_canonical(site, url, row.canonical_url):
            yield SitemapEntry(
                url, row.last_updated, choose_alternates(row.uuid, translations.get(row.translation_key, ()))
            )


def _is_canonical(site: Site, url: str, canonical_url: str | None) -> bool:
    """Return whether this address is the canonical address of the page."""
    canonical = addresses.make_absolute_address(canonical_url or "", site.url)
    return canonical is None or is_same_address(canonical, url)


def _count_articles() -> int:
    is_listed = match_listed_articles(Article, current_time())
    return db.session.scalar(select(func.count()).select_from(Article).where(is_listed)) or 0


def _read_article_rows(start: int, limit: int) -> Iterable[Row[Any]]:
    statement = (
        select(
            *(_article.uuid, _article.slug, _article.published_at, _article.last_updated, _article.robots),
            *(_article.language, _article.translation_key),
            *(_category.slug.label("category_slug"), _article.seo_canonical_url.label("canonical_url")),
        )
        .join(table_of(Category), _category.uuid == _article.category_id)
        .where(match_listed_articles(Article, current_time()))
        .order_by(_article.published_at, _article.uuid)
        .offset(start)
        .limit(limit)
    )
    return db.session.execute(statement)


def _list_page_entries(site: Site) -> Iterator[SitemapEntry]:
    """Yield an entry for each public page that has neither `noindex` nor another canonical address."""
    columns = (
        *(_article.uuid, _article.slug, _article.parent_id, _article.last_updated, _article.language),
        *(_article.translation_key, _article.seo_canonical_url.label("canonical_url")),
    )
    statement = select(*columns).where(match_listed_pages(_article, current_time()), _article.robots == "")
    rows = db.session.execute(statement.order_by(_article.position, _article.uuid)).all()
    tree = page_tree.read_tree() if rows else {}
    translations = find_translations(site, (row.translation_key for row in rows), ItemType.PAGE.value)
    for row in rows:
        url = site.url + page_paths.make_path(site, row.uuid, row.slug, row.parent_id, tree, row.language)
        if _is_canonical(site, url, row.canonical_url):
            yield SitemapEntry(
                url, row.last_updated, choose_alternates(row.uuid, translations.get(row.translation_key, ()))
            )


def _list_term_entries(site: Site) -> Iterator[SitemapEntry]:
    """Yield the entries of the categories, tags and authors that have public articles."""
    is_visible = match_listed_articles(Article, current_time())
    tagged = select(_tag_link.article_id).where(
        _tag_link.tag_id == _tag.uuid, _tag_link.listed_from <= current_time()
    )
    in_category = select(_article.uuid).where(_article.category_id == _category.uuid, is_visible)
    terms_in_use = (
        ("category", _category, in_category.exists()),
        ("tag", _tag, tagged.exists()),
        ("author", _author, match_public_authors()),
    )
    for kind, term, has_articles in terms_in_use:
        statement = select(term.uuid, term.slug, term.canonical_url).where(has_articles).order_by(term.slug)
        for uuid, slug, canonical_url in db.session.execute(statement):
            url = addresses.make_term_url(site, kind, uuid=uuid, slug=slug)
            if url is not None and _is_canonical(site, url, canonical_url):
                yield SitemapEntry(url)


def _format_sitemap(entries: Iterable[SitemapEntry]) -> bytes:
    urls, bytes_left = list[str](), MAX_SITEMAP_BYTES
    for entry in entries:
        updated = f"<lastmod>{entry.updated:%Y-%m-%dT%H:%M:%S}+00:00</lastmod>" if entry.updated else ""
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{page.language}" href="{escape(page.url or "")}"/>'
            for page in entry.alternates
        )
        bytes_left -= len(links)
        # After MAX_SITEMAP_BYTES, links to translations are left out; the pages contain the same links.
        links = links if bytes_left >= 0 else ""
        urls.append(f"<url><loc>{escape(entry.url, quote=False)}</loc>{updated}{links}</url>\n")
    namespaces = (
        f"{_NAMESPACE} {_LINK_NAMESPACE}" if any("<xhtml:link" in url for url in urls) else _NAMESPACE
    )
    return f"{_XML_DECLARATION}<urlset {namespaces}>\n{''.join(urls)}</urlset>\n".encode()
