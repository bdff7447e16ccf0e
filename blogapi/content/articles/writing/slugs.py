"""The slugs of articles: chosen for new articles, kept or replaced when an article changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from flask import has_request_context
from sqlalchemy import delete

from blogapi.content.articles import queries
from blogapi.content.articles.content import ArticleContent, ArticleInput
from blogapi.content.articles.models import Article, FormerSlug
from blogapi.content.articles.writing.loaded import Loaded, store_written
from blogapi.publication.visibility import READABLE_STATUSES
from blogapi.rendering.slugs import make_slug
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import db, table_of
from blogapi.web import unique_slugs
from blogapi.web.access import current_caller
from blogapi.web.unique_slugs import first_free_slug, get_base, make_provisional


def choose_first_slug(
    loaded: Loaded, uuid: UUID, content: ArticleContent, fields: ArticleInput, words: str
) -> str:
    """Return the slug of a new article: the given slug, or one derived from the words.

    Raises Conflict if the given slug is taken.
    """
    if is_provisional(content):
        return make_provisional(fields.slug or make_slug(words), uuid)
    return _choose_slug(loaded, uuid, content.type, fields.slug, words)


def choose_restored_slug(loaded: Loaded, article: Article, content: ArticleContent) -> str:
    """Return the slug of a deleted article that is restored; another one if its slug is taken."""
    if is_provisional(content):
        slug = make_provisional(article.slug, article.uuid)
    else:
        slug = first_free_slug(
            article.slug,
            lambda slugs: _find_taken(loaded, slugs, exclude=article.uuid),
            partial(is_reserved_slug, get_site(), article.type),
        )
    loaded.assigned_slugs.add(slug)
    return slug


def revise_slug(
    loaded: Loaded,
    article: Article,
    old_content: ArticleContent,
    content: ArticleContent,
    slug: str | None,
    *,
    was_public: bool,
) -> str:
    """Return the slug after a change to `content`.

    If the request contains a slug, this slug is used. A derived slug changes with the title until the article
    is public, and the publication replaces a provisional slug. Otherwise, the slug does not change.
    """
    title, base = content.texts["title"], get_base(old_content.slug, article.uuid)
    if base and slug == base and is_provisional(content):
        slug = old_content.slug
    if slug in (None, old_content.slug):
        follows_title = slug is None and article.slug_derived and not was_public
        if not (follows_title and title != old_content.texts["title"]):
            ends = base is not None and content.status in READABLE_STATUSES
            return (
                _choose_slug(loaded, article.uuid, article.type, None, base or "")
                if ends
                else old_content.slug
            )
    article.slug_derived = slug is None
    if is_provisional(content):
        return make_provisional(slug or make_slug(title), article.uuid)
    return _choose_slug(loaded, article.uuid, article.type, slug, title)


def record_rename(loaded: Loaded, article: Article, *, new: str, keep_old: bool) -> None:
    """Remove the new slug from the former slugs; with `keep_old`, add the old slug.

    The old slug of an article that was never public is not kept, because no reader knows it.
    """
    old = article.slug
    if new in queries.find_former_slugs(article.uuid):
        former_slug = table_of(FormerSlug)
        db.session.connection().execute(delete(former_slug).where(former_slug.c.slug == new))
    if keep_old:
        db.session.add(FormerSlug(slug=old, article_id=article.uuid))
    else:
        loaded.released_slugs.add(old)
        loaded.assigned_slugs.discard(old)


def is_provisional(content: ArticleContent) -> bool:
    """Return whether the article gets a provisional slug: authors do not learn which slugs are taken."""
    # Imports and commands have no caller.
    is_author = has_request_context() and current_caller().is_author
    return is_author and content.status not in READABLE_STATUSES


def _choose_slug(loaded: Loaded, uuid: UUID, type_: str, requested_slug: str | None, words: str) -> str:
    slug = unique_slugs.choose_slug(
        requested_slug,
        words,
        lambda slugs: _find_taken(loaded, slugs, exclude=uuid),
        partial(is_reserved_slug, get_site(), type_),
    )
    if slug in loaded.released_slugs:
        # The database refuses the slug until the article that had it is stored with another slug.
        store_written(loaded)
    loaded.assigned_slugs.add(slug)
    return slug


def _find_taken(loaded: Loaded, slugs: Sequence[str], *, exclude: UUID) -> set[str]:
    known = loaded.terms.slugs
    if known.keys() >= set(slugs):
        stored = {slug for slug in slugs if known[slug] not in (None, exclude)}
    else:
        stored = queries.find_taken_slugs(slugs, exclude=exclude)
    return (stored - loaded.released_slugs) | loaded.assigned_slugs.intersection(slugs)
