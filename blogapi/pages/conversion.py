"""Makes pages of articles with a tag. Older versions imported the pages of other systems as such articles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from blogapi.articles.models import Article, ArticleTag
from blogapi.articles.writing.batch import open_batch
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db, end_read
from blogapi.tags.models import Tag

#: The slug of the tag that older imports gave to pages.
PAGE_TAG = "page"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that can become a page."""

    uuid: UUID
    title: str
    slug: str
    status: str


def list_candidates(tag: str = PAGE_TAG) -> list[Candidate]:
    """Return the articles with the tag (a slug), in the order of their slugs."""
    statement = (
        select(Article.uuid, Article.title, Article.slug, Article.status)
        .join(ArticleTag, ArticleTag.article_id == Article.uuid)
        .join(Tag, Tag.uuid == ArticleTag.tag_id)
        .where(Tag.slug == tag, Article.type == ItemType.ARTICLE)
        .order_by(Article.slug)
    )
    candidates = [Candidate(*row) for row in db.session.execute(statement)]
    end_read()
    return candidates


def convert(candidates: list[Candidate], editor: UUID | None, tag: str = PAGE_TAG) -> Iterator[Candidate]:
    """Make a page of each article, in a transaction of its own, and yield it.

    The page loses the category and the tag, and its former address redirects to it. `editor` is the user who
    does this; None is the author of each article. An article that was deleted in the meantime is left out.
    """
    for candidate in candidates:
        with open_batch([], candidate.uuid) as batch:
            is_converted = batch.make_page(candidate.uuid, editor, tag)
        if is_converted:
            yield candidate
