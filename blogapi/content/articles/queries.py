"""Queries for articles; each of them executes a fixed number of statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, func, inspect, select, union_all
from sqlalchemy.orm import joinedload, undefer
from sqlalchemy.orm.attributes import set_committed_value

from blogapi.content.articles.fields import TERM_LIST_FIELDS
from blogapi.content.articles.models import LINK_MODELS, Article, ArticleRevision, FormerSlug, WorkingCopy
from blogapi.publication.visibility import match_scheduled_items
from blogapi.storage.database import db, split_values, table_of
from blogapi.web.errors import NotFound, require_item
from blogapi.web.slug_lookup import SlugOwner, choose_slug_owner

_article, _former = table_of(Article).c, table_of(FormerSlug).c
_revision = table_of(ArticleRevision).c


# The statements are built once, because building a statement takes longer than executing it.
_SELECT_TYPE = select(_article.type).where(_article.uuid == bindparam("uuid"))
_SELECT_FORMER_SLUGS = select(_former.slug).where(_former.article_id == bindparam("uuid"))
_SLUGS: Any = bindparam("slugs", expanding=True)
_SELECT_TAKEN_SLUGS = union_all(
    select(_article.slug).where(_article.slug.in_(_SLUGS), _article.uuid != bindparam("exclude")),
    select(_former.slug).where(_former.slug.in_(_SLUGS), _former.article_id != bindparam("exclude")),
)
_SELECT_SLUG_OWNERS = union_all(
    select(_article.uuid, _article.slug).where(_article.slug == bindparam("slug")),
    select(_article.uuid, _article.slug)
    .join(table_of(FormerSlug), _former.article_id == _article.uuid)
    .where(_former.slug == bindparam("slug")),
)
_SELECT_ARTICLES = select(Article).where(Article.uuid.in_(bindparam("uuids", expanding=True)))
_SELECT_WITH_HTML = _SELECT_ARTICLES.options(undefer(Article.html), undefer(Article.toc))
# Most articles have one author, so joining the authors repeats few rows.
_SELECT_FOR_WRITE = _SELECT_ARTICLES.options(
    joinedload(Article.author_links), undefer(Article.key_name)
).add_columns(
    select(func.max(_revision.number)).where(_revision.article_id == Article.uuid).scalar_subquery(),
)
_SELECT_LINKS_BY_RELATION: dict[str, Select[Any]] = {
    field.relation: select(model := LINK_MODELS[field.name])
    .where(model.article_id.in_(bindparam("uuids", expanding=True)))
    .order_by(model.article_id, model.position)
    for field in TERM_LIST_FIELDS
}


def check_item_exists(uuid: UUID, type_: str | None = None) -> None:
    """Raise NotFound if there is no article (with `type_`: no item of this type) with this uuid."""
    found = db.session.connection().scalar(_SELECT_TYPE, {"uuid": uuid})
    if found is None or type_ not in (None, found):
        raise NotFound(f"There is no such {type_ or 'article'}.")


def get_article(uuid: UUID) -> Article:
    """Return the article in any status, with its tags and authors loaded.

    Raises NotFound if the article does not exist.
    """
    return require_item(find_article(uuid), "There is no such article.")


def find_article(uuid: UUID) -> Article | None:
    """Return the article in any status, with its tags and authors loaded, or None."""
    return find_articles([uuid]).get(uuid)


def find_articles(uuids: Sequence[UUID], *, with_html: bool = False) -> dict[UUID, Article]:
    """Return the existing articles with these uuids, with their tags and authors loaded.

    With `with_html`, their HTML and their tables of contents are also loaded.
    """
    complete = _SELECT_WITH_HTML if with_html else _SELECT_ARTICLES
    articles_by_uuid: dict[UUID, Article] = {}
    for batch in split_values(uuids):
        articles = db.session.scalars(complete, {"uuids": batch}).all()
        for name, statement in _SELECT_LINKS_BY_RELATION.items():
            _load_term_links(name, statement, articles)
        articles_by_uuid |= {article.uuid: article for article in articles}
    return articles_by_uuid


class ArticleForWrite(NamedTuple):
    """An article, and the highest number of its former versions (0 without former versions)."""

    article: Article
    last_number: int


def find_articles_for_write(uuids: Sequence[UUID]) -> dict[UUID, ArticleForWrite]:
    """Return the existing articles with these uuids, with all rows and columns that a write needs."""
    found: dict[UUID, ArticleForWrite] = {}
    for batch in split_values(uuids):
        rows = db.session.execute(_SELECT_FOR_WRITE, {"uuids": batch}).unique().all()
        _load_term_links("tag_links", _SELECT_LINKS_BY_RELATION["tag_links"], [row[0] for row in rows])
        found |= {article.uuid: ArticleForWrite(article, number or 0) for article, number in rows}
    return found


def _load_term_links(name: str, statement: Select[Any], articles: Sequence[Article]) -> None:
    """Load the tag links or author links of the articles that do not have them loaded yet."""
    # `selectinload` would build its statement again for every execution.
    unloaded = [article for article in articles if name in inspect(article).unloaded]
    if not unloaded:
        return
    links: defaultdict[UUID, list[Any]] = defaultdict(list)
    for link in db.session.scalars(statement, {"uuids": [article.uuid for article in unloaded]}):
        links[link.article_id].append(link)
    for article in unloaded:
        set_committed_value(article, name, links[article.uuid])


def find_former_slugs(uuid: UUID) -> set[str]:
    """Return the former slugs of the article."""
    return set(db.session.connection().scalars(_SELECT_FORMER_SLUGS, {"uuid": uuid}))


def find_slug_owner(slug: str) -> SlugOwner | None:
    """Return the article, in any status, that has or had this slug, or None."""
    return choose_slug_owner(db.session.connection().execute(_SELECT_SLUG_OWNERS, {"slug": slug}), slug)


def is_blog_empty() -> bool:
    """Return whether the blog has no articles and no pages, in any status."""
    return db.session.scalar(select(Article.uuid).limit(1)) is None


def get_next_publication_time(now: datetime) -> datetime | None:
    """Return the time at which the next scheduled article becomes public, or None if there is none.

    The query reads the articles and not the events, because another machine with a faster clock may
    already have written the event.
    """
    return db.session.scalar(
        select(func.min(Article.published_at)).where(match_scheduled_items(Article, now))
    )


def find_taken_slugs(slugs: Sequence[str], *, exclude: UUID) -> set[str]:
    """Return which of the slugs belong or belonged to an article other than `exclude`."""
    values = {"slugs": slugs, "exclude": exclude}
    return set(db.session.connection().scalars(_SELECT_TAKEN_SLUGS, values))


def get_last_revision_numbers(uuids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the highest revision number of each article that has revisions, by uuid."""
    numbers: dict[UUID, int] = {}
    for batch in split_values(uuids):
        newest = select(_revision.article_id, func.max(_revision.number)).group_by(_revision.article_id)
        rows = db.session.connection().execute(newest.where(_revision.article_id.in_(batch)))
        numbers.update((uuid, number) for uuid, number in rows)
    return numbers


def find_working_copies(uuids: Sequence[UUID]) -> dict[UUID, WorkingCopy]:
    """Return the working copies of these articles, by the uuid of the article."""
    copies: list[WorkingCopy] = []
    for batch in split_values(uuids):
        copies += db.session.scalars(select(WorkingCopy).where(WorkingCopy.article_id.in_(batch)))
    return {copy.article_id: copy for copy in copies}
