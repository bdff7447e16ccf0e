"""Writes of former versions: bringing one back, and letting old ones go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, func, select

from blogapi.articles import content
from blogapi.articles import queries as articles
from blogapi.articles import service as article_service
from blogapi.articles.content import ArticleContent, ArticleInput, TermReference
from blogapi.articles.models import Article, ArticleRevision
from blogapi.categories.models import Category
from blogapi.revisions import queries
from blogapi.storage.database import db, transaction
from blogapi.tags.models import Tag
from blogapi.users.models import Account
from blogapi.web.errors import Conflict


@dataclass(frozen=True, slots=True)
class Comparison:
    """The numbers of two versions and what differs between them."""

    before: int
    after: int
    changes: Sequence[content.Difference]


def restore(editor: UUID, article_id: UUID, number: int) -> Article:
    """Give the article what it was in that version, and keep what it is now; also after its deletion.

    Status and time of publication stay as they are now, so that nothing becomes public by the way; a
    deleted article comes back as a draft. Raises NotFound, or Conflict where its category is gone.
    """
    with transaction():
        revision = queries.get_revision(article_id, number)
        former = queries.load_content(revision)
        given = _to_input(former)
        if articles.find_by_uuid(article_id) is not None:
            return article_service.change(editor, article_id, given)
        author = db.session.get(Account, revision.author_id)
        return article_service.create(
            author.uuid if author else editor, given, uuid=article_id, editor=editor, slug_from=former.slug
        )


def compare(article_id: UUID, number: int, *, to: int | None = None) -> Comparison:
    """Return what changed from a version to a later one, or to the present; raises NotFound."""
    before = queries.load_content(queries.get_revision(article_id, number))
    present = articles.get_by_uuid(article_id) if to is None else articles.find_by_uuid(article_id)
    if present is not None and to in (None, present.version):
        to, after = present.version, article_service.get_content(present)
    else:
        after = queries.load_content(queries.get_revision(article_id, to or 0))
    return Comparison(number, to or 0, content.compare(before, after))


def prune(keep: int) -> int:
    """Delete all but the newest `keep` former versions of each article; return how many went."""
    place = (
        func.row_number()
        .over(partition_by=ArticleRevision.article_id, order_by=ArticleRevision.number.desc())
        .label("place")
    )
    ranked = select(ArticleRevision.article_id, ArticleRevision.number, place).subquery()
    with transaction():
        old = db.session.execute(
            select(ranked.c.article_id, ranked.c.number).where(ranked.c.place > keep)
        ).all()
        for article_id, number in old:
            db.session.execute(
                delete(ArticleRevision).where(
                    ArticleRevision.article_id == article_id, ArticleRevision.number == number
                )
            )
    return len(old)


def _to_input(content: ArticleContent) -> ArticleInput:
    if db.session.get(Category, content.category) is None:
        raise Conflict(
            "The category of that version was deleted; create it again under its uuid, then restore."
        )
    present = set(db.session.scalars(select(Tag.uuid).where(Tag.uuid.in_(content.tags))))
    return ArticleInput(
        texts=content.texts,
        category=TermReference(uuid=content.category),
        tags=tuple(TermReference(uuid=tag) for tag in content.tags if tag in present),
        seo=content.seo,
    )
