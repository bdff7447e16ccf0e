"""Links to other articles and pages, `article:<uuid>`, whose addresses are found at each read.

The address of an article depends on its slug, its category, its time and the site; the address of a page
depends on the slugs of the pages above it. Only readable items have an address, and scheduled items become
readable without a write. Therefore the stored HTML contains references instead of addresses.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from uuid import UUID

from sqlalchemy import bindparam, exists, select

from blogapi.content.articles import page_tree
from blogapi.content.articles.models import Article, UnindexedColumns
from blogapi.content.taxonomies.categories import Category
from blogapi.publication import shared_caching
from blogapi.publication.visibility import LISTED_STATUSES, ItemType, Status, match_readable_items
from blogapi.rendering.article_references import ARTICLE_REFERENCE as REFERENCE
from blogapi.rendering.html_links import make_link_pattern
from blogapi.site import addresses, page_paths
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, execute_in_batches, table_of

_LINK = make_link_pattern(rf'{REFERENCE.pattern}(#[^"<>]*+)?')
_REFERENCE_SCHEME = "article:"

_article, _category = table_of(Article).c, table_of(Category).c
_SELECT_READABLE_ITEMS = (
    select(
        _article.uuid,
        _article.type,
        _article.slug,
        _category.slug.label("category_slug"),
        _article.published_at,
        _article.language,
        _article.status,
    )
    .outerjoin(Category.__table__, _category.uuid == _article.category_id)
    .where(_article.uuid.in_(bindparam("uuids", expanding=True)), match_readable_items(UnindexedColumns))
)
_SELECT_CONTENT = select(_article.content).where(
    _article.uuid == bindparam("uuid"), _article.content.contains(_REFERENCE_SCHEME)
)
_SELECT_LINKED_ITEMS = select(_article.type, _article.uuid, _article.category_id).where(
    _article.uuid.in_(bindparam("uuids", expanding=True))
)


def resolve_links(texts: Sequence[str]) -> list[str]:
    """Return the texts, which contain sanitized HTML, with addresses instead of references to articles.

    A link to an article or page that readers cannot see is replaced by its text. Without references, no
    statement is executed.
    """
    uuids = {UUID(match[2]) for text in texts if _REFERENCE_SCHEME in text for match in _LINK.finditer(text)}
    if not uuids:
        return list(texts)
    urls = find_item_urls(uuids)

    def replace_link(link: re.Match[str]) -> str:
        before, uuid, fragment, after, text = link.groups("")
        url = urls.get(UUID(uuid))
        return text if url is None else f'<a{before} href="{escape(url)}{fragment}"{after}>{text}</a>'

    return [_LINK.sub(replace_link, text) if _REFERENCE_SCHEME in text else text for text in texts]


def has_unlisted_items() -> bool:
    """Return whether there is an unlisted article or page, to which texts can link."""
    return bool(db.session.scalar(select(exists().where(_article.status == Status.UNLISTED))))


def find_mentioned_articles(text: str) -> set[UUID]:
    """Return the uuids of the articles to which a text refers anywhere, including in code."""
    return {UUID(uuid) for uuid in REFERENCE.findall(text)}


def find_linked_items(uuid: UUID) -> Mapping[str, set[UUID]]:
    """Return, by kind, the uuids of the items whose changes can change the HTML of an article.

    These are the linked articles with their categories, and the linked pages. If a linked page moves because
    a page above it changes, the linked page has an event of its own.
    """
    content = db.session.connection().scalar(_SELECT_CONTENT, {"uuid": uuid})
    shown = defaultdict[str, set[UUID]](set)
    for row in execute_in_batches(_SELECT_LINKED_ITEMS, "uuids", find_mentioned_articles(content or "")):
        shown[row.type].add(row.uuid)
        if row.category_id is not None:
            shown[Category.kind].add(row.category_id)
    return shown


def find_item_urls(uuids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the addresses of the articles and pages that readers can see."""
    site, now = get_site(), current_time()
    rows = list(execute_in_batches(_SELECT_READABLE_ITEMS, "uuids", sorted(uuids), now=now))
    for row in rows:
        if row.status not in LISTED_STATUSES:
            # A change of an unlisted item purges only the responses with the cache tag of this item.
            shared_caching.add_shown_item(row.type, row.uuid)
    has_pages = any(row.type == ItemType.PAGE for row in rows)
    pages = page_paths.make_all_paths(site, page_tree.read_tree()) if has_pages else {}
    paths = {
        row.uuid: pages.get(row.uuid)
        or addresses.make_article_path(site, **addresses.get_article_address_values(row))
        for row in rows
    }
    return {uuid: site.url + path for uuid, path in paths.items()}
