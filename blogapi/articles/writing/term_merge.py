"""Merges terms: the articles of some categories, tags or authors get another one in their place.

As after a new name of a term, no article gets a new version. Versions and working copies keep the uuid of a
merged term, which `references.find_terms` resolves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, update

from blogapi.articles.lists import counts
from blogapi.articles.models import Article, ArticleAuthor, ArticleJson, ArticleTag
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.events import record
from blogapi.publication.visibility import is_article
from blogapi.storage.database import db, table_of, transaction
from blogapi.tags.models import Tag
from blogapi.taxonomies import queries, service
from blogapi.taxonomies.models import Term
from blogapi.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.web.errors import Conflict, Errors, Invalid, NotFound

# The number of articles that one transaction of `prepare` moves.
_BATCH_SIZE = 400

_article, _json = table_of(Article), table_of(ArticleJson)
_tag, _byline = table_of(ArticleTag), table_of(ArticleAuthor)
# The column with the term, in each table of links.
_LINKS: Mapping[type[Term], ColumnElement[UUID]] = {Tag: _tag.c.tag_id, Author: _byline.c.author_id}


def prepare(taxonomy: Taxonomy[Any], uuid: UUID, merged: Sequence[UUID]) -> None:
    """Move most articles of the merged terms, before `merge` moves the others.

    Each transaction moves a few articles, so that other writes wait only briefly. A merge that is not
    possible moves nothing, and `merge` refuses it.
    """
    is_complete = False
    while not is_complete:
        with transaction(visible=None):
            term, others = _find_terms(taxonomy, uuid, merged)
            found = [(other, _find_articles(taxonomy.model, other.uuid)) for other in others]
            is_complete = sum(len(articles) for _, articles in found) <= _BATCH_SIZE
            if not is_complete:
                other, articles = max(found, key=lambda of_term: len(of_term[1]))
                _move_articles(taxonomy.model, articles, other.uuid, uuid)
                _record_change(term, other)


def merge(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> TermType:
    """Give the articles of the merged terms this term in their place, and delete the merged terms.

    The slugs and uuids of the merged terms become former slugs of the term, which is returned. Raises
    NotFound if the term does not exist, Invalid if a merged term does not exist or is the term itself, and
    Conflict if two of the terms are authors with a user.
    """
    with transaction():
        term = queries.get_by_uuid(taxonomy, uuid)
        others = _get_others(taxonomy, uuid, merged)
        _check_users(term, *others)
        if taxonomy.model is Author:
            _move_user(term, others)
        for other in others:
            while articles := _find_articles(taxonomy.model, other.uuid):
                _move_articles(taxonomy.model, articles, other.uuid, uuid)
            service.replace_by(other, term)
        _record_change(term)
    return term


def _find_terms(
    taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]
) -> tuple[TermType, list[TermType]]:
    """Return the term and the merged terms; no merged terms if the merge is not possible."""
    term = queries.get_by_uuid(taxonomy, uuid)
    try:
        others = _get_others(taxonomy, uuid, merged)
        _check_users(term, *others)
    except (Conflict, Invalid):
        others = []
    return term, others


def _record_change(*terms: Term) -> None:
    for term in terms:
        state = service.get_state(term)
        record(term.kind, term.uuid, state, state)


def _get_others(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> list[TermType]:
    others, errors = list[TermType](), Errors()
    for index, other in enumerate(dict.fromkeys(merged)):
        try:
            others.append(queries.get_by_uuid(taxonomy, other))
        except NotFound:
            errors[f"uuids.{index}"] = [f"There is no such {taxonomy.singular}."]
        if other == uuid:
            errors[f"uuids.{index}"] = [f"Is the {taxonomy.singular} that stays; leave it out."]
    if errors:
        raise Invalid(f"The {taxonomy.plural} cannot be merged; `errors` names the reasons.", errors=errors)
    return others


def _check_users(*terms: Any) -> None:
    """Raise Conflict if two of the terms are authors with a user."""
    owned = [term for term in terms if term.kind == Author.kind and term.owner_id is not None]
    if len(owned) > 1:
        raise Conflict(
            "Two of these authors are the profiles of users, and each user has one; set the user of one of "
            "them to null first.",
            code="profile_exists",
        )


def _move_user(term: Any, others: Sequence[Any]) -> None:
    """Make the author that stays the profile of the user whose profile is merged."""
    for other in others:
        if other.owner_id is not None:
            user, other.owner_id = other.owner_id, None
            db.session.flush()
            term.owner_id = user
            service.store(term)


def _find_articles(model: type[Term], term: UUID) -> list[UUID]:
    """Return the uuids of some articles of the term; an empty list if it has none."""
    if model is Category:
        statement = select(_article.c.uuid).where(_article.c.category_id == term)
    else:
        column = _LINKS[model]
        statement = select(column.table.c.article_id).where(column == term)
    return list(db.session.connection().execute(statement.limit(_BATCH_SIZE + 1)).scalars())


def _move_articles(model: type[Term], articles: Sequence[UUID], former: UUID, new: UUID) -> None:
    connection = db.session.connection()
    before = _count_by_status(_article.c.uuid.in_(articles))
    both = Counter[str]()
    if model is Category:
        for table in (_json, _tag):
            connection.execute(update(table).where(table.c.article_id.in_(articles)).values(category_id=new))
        # `onupdate` would change the times of the articles.
        values = {"category_id": new, "last_updated": _article.c.last_updated}
        connection.execute(update(_article).where(_article.c.uuid.in_(articles)).values(values))
    else:
        column = _LINKS[model]
        article = column.table.c.article_id
        with_new = select(article).where(column == new, article.in_(articles))
        both = _count_by_status(_article.c.uuid.in_(with_new))
        moved = column == former, article.in_(articles)
        if both:
            connection.execute(delete(column.table).where(*moved, article.in_(with_new)))
        connection.execute(update(column.table).where(*moved).values({column: new}))
    counts.add_numbers(
        db.session(),
        {
            **{(former, status): -number for status, number in before.items()},
            # The articles with both terms were counted before.
            **{(new, status): number - both[status] for status, number in before.items()},
        },
    )


def _count_by_status(condition: ColumnElement[bool]) -> Counter[str]:
    statement = select(_article.c.status, func.count().label("number")).where(
        condition, is_article(_article.c)
    )
    rows = db.session.connection().execute(statement.group_by(_article.c.status))
    return Counter({row.status: row.number for row in rows})
