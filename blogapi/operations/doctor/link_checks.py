"""A quick check of the links between articles and pages."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import datetime
from html import unescape
from urllib.parse import urldefrag, urljoin, urlsplit
from uuid import UUID

from sqlalchemy import func, select

from blogapi.content.articles.models import Article
from blogapi.content.articles.page_tree import read_tree
from blogapi.content.taxonomies.categories import Category
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import Advice, Level
from blogapi.publication.models import Event
from blogapi.publication.visibility import match_listed_articles, match_listed_pages, match_readable_items
from blogapi.rendering.article_references import ARTICLE_REFERENCE
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db

# The maximum number of the newest articles, and of the newest pages, whose links are checked.
_MAX_ARTICLES = 500

# Matches a link in the rendered HTML of an article.
_LINK_PATTERN = re.compile(r'<a [^<>]*?href="([^"]+)"')


def run_checks() -> Iterator[Advice]:
    """Yield advice about links to articles, pages and terms that readers cannot see.

    Other addresses of the site are unknown, so links to them are not checked. Without a URL of the site, the
    addresses of articles are unknown, and nothing is yielded.
    """
    site = get_site()
    if not site.url:
        return
    # A scheduled article can become public during the check.
    now = current_time()
    public, hidden = _list_addresses(site, now)
    links, broken_links = 0, {}
    columns = select(Article.uuid, Article.type, Article.title, Article.html)
    newest = columns.order_by(Article.published_at.desc()).limit(_MAX_ARTICLES)
    conditions = match_listed_articles(Article, now), match_listed_pages(Article, now)
    rows = (row for condition in conditions for row in db.session.execute(newest.where(condition)))
    for uuid, type_, title, stored in rows:
        targets = list(_find_link_targets(site, public[uuid], stored))
        links += len(targets)
        if broken := [target for target in targets if _is_hidden_target(target, hidden, public)]:
            broken_links[uuid] = (title, len(broken), type_)
    if broken_links:
        number = sum(count for _, count, _ in broken_links.values())
        verb = "leads" if number == 1 else "lead"
        yield Advice(
            "links",
            Level.HINT,
            f"{findings.format_count(number, 'link')} {verb} to pages that readers cannot see",
            f"In {findings.join_examples([f'“{title}”' for title, *_ in broken_links.values()])}.",
            next(
                (f"/admin/articles/{uuid}/" for uuid, row in broken_links.items() if row[-1] == Article.kind),
                None,
            ),
        )
    elif links:
        text = f"{findings.format_count(links, 'internal link')} checked."
        yield Advice("links", Level.OK, "No link leads to a hidden article", text)


def _list_addresses(site: Site, now: datetime) -> tuple[dict[UUID, str], set[str]]:
    """Return the addresses of public items by uuid, and all addresses of hidden, deleted or renamed items."""
    public: dict[UUID, str] = {}
    hidden = set()
    paths = page_paths.make_all_paths(site, read_tree())
    is_public = match_readable_items(Article, now).label("is_public")
    statement = select(
        *(Article.uuid, Article.slug, Article.language, Category.slug.label("category_slug"), is_public),
        func.coalesce(Article.published_at, Article.created).label("published_at"),
    ).outerjoin(Category, Category.uuid == Article.category_id)
    for row in db.session.execute(statement):
        path = paths.get(row.uuid)
        address = _normalize_url((f"{site.url}{path}" if path else addresses.make_row_url(site, row)) or "")
        if row.is_public:
            public[row.uuid] = address
        else:
            hidden.add(address)
    former_paths = select(Event.path_before).where(Event.path_before.is_not(None))
    hidden |= {_normalize_url(f"{site.url}{path}") for path in db.session.scalars(former_paths)}
    return public, hidden - set(public.values())


def _find_link_targets(site: Site, address: str, html: str) -> Iterator[str]:
    """Yield the addresses within the site to which an article links, and its references to articles."""
    for link in _LINK_PATTERN.findall(html):
        if link.startswith("article:"):
            yield urldefrag(link).url
            continue
        try:
            target = urljoin(f"{address}/", unescape(link))
            is_page = urlsplit(target).scheme in ("http", "https")
        except ValueError:
            continue
        if is_page and target.startswith(f"{site.url}/"):
            yield _normalize_url(target)


def _is_hidden_target(target: str, hidden: Container[str], public: Container[UUID]) -> bool:
    """Return whether the target is an article or a page that readers cannot see."""
    reference = ARTICLE_REFERENCE.fullmatch(target)
    return UUID(reference[1]) not in public if reference else target in hidden


def _normalize_url(address: str) -> str:
    """Return the address without its fragment and without a trailing slash."""
    return urldefrag(address).url.rstrip("/")
