"""Computes the states of articles in events: when readers can see an article, and at which address."""

from __future__ import annotations

from uuid import UUID

from blogapi.content.articles import page_tree
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.publication import events
from blogapi.publication.events import ItemAddress, ItemState
from blogapi.publication.models import ChangeType
from blogapi.publication.visibility import LISTED_STATUSES, ItemType, get_readable_from
from blogapi.site import addresses, page_paths
from blogapi.site.queries import get_site
from blogapi.storage.database import db
from blogapi.storage.database_clock import CachedValue

_categories = CachedValue[dict[UUID, Category]](lambda session: {})


def get_article_state(article: Article) -> ItemState:
    """Return the state of the article that readers see now or, if it is scheduled, will see later."""
    readable_from = get_readable_from(article)
    if readable_from is None:
        return ItemState(None, ItemAddress(article.slug))
    site, uuid, slug, language = get_site(), article.uuid, article.slug, article.language
    if article.category_id is None:
        tree = page_tree.get_tree()
        path = page_paths.make_path(site, uuid, slug, article.parent_id, tree, language)
    else:
        category_slug = _get_category(article.category_id).slug if "{category}" in site.article_path else ""
        path = addresses.make_article_path(
            site,
            uuid=uuid,
            slug=slug,
            category_slug=category_slug,
            published_at=readable_from,
            language=language,
        )
    return ItemState(
        readable_from,
        ItemAddress(slug, path),
        listed=article.status in LISTED_STATUSES,
        authors=frozenset(row.author_id for row in article.author_links if article.type == ItemType.ARTICLE),
    )


def _get_category(uuid: UUID) -> Category:
    """Return the category, which is read once per transaction; `article.category` can be out of date."""
    categories = _categories.get(db.session())
    if uuid not in categories:
        with db.session.no_autoflush:
            categories[uuid] = db.session.get_one(Category, uuid)
    return categories[uuid]


def record_rendering(article: Article, change: ChangeType) -> None:
    """Record that data derived from the article has changed, although its fields are the same."""
    state = get_article_state(article)
    events.note_change(article.type, article.uuid, state, state, change=change)
