"""Merges terms: in all articles, one category, tag or author replaces other terms of the same kind.

As with a renamed term, no article gets a new version. Versions and working copies keep the uuid of a merged
term, which `references.find_terms` resolves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, select, update

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleJson, ArticleTag
from blogapi.content.taxonomies import queries, service
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.tags import Tag
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.publication.events import record
from blogapi.storage.database import db, table_of, transaction
from blogapi.web.errors import Conflict, Errors, Invalid, NotFound

_article, _json = table_of(Article), table_of(ArticleJson)
_tag, _byline = table_of(ArticleTag), table_of(ArticleAuthor)
# The column with the term, in each table of links.
_LINKS: Mapping[type[Term], ColumnElement[UUID]] = {Tag: _tag.c.tag_id, Author: _byline.c.author_id}


def merge(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> TermType:
    """Replace the merged terms by this term in all articles, and delete the merged terms.

    The slugs and uuids of the merged terms become former slugs of the term, which is returned. Raises
    NotFound if the term does not exist, Invalid if a merged term does not exist or is the term itself, and
    Conflict if two of the terms are authors with a user.
    """
    with transaction():
        term = queries.get_term(taxonomy, uuid)
        others = _get_others(taxonomy, uuid, merged)
        _check_users(term, *others)
        if taxonomy.model is Author:
            _move_user(term, others)
        for other in others:
            _move_articles(taxonomy.model, other.uuid, uuid)
            service.replace_by(other, term)
        state = service.get_term_state(term)
        record(term.kind, uuid, state, state)
    return term


def _get_others(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> list[TermType]:
    others, errors = list[TermType](), Errors()
    for index, other in enumerate(dict.fromkeys(merged)):
        try:
            others.append(queries.get_term(taxonomy, other))
        except NotFound:
            errors[f"uuids.{index}"] = [f"There is no such {taxonomy.singular}."]
        if other == uuid:
            errors[f"uuids.{index}"] = [
                f"Is the {taxonomy.singular} into which the others are merged; leave it out."
            ]
    if errors:
        raise Invalid(f"The {taxonomy.plural} cannot be merged; `errors` names the reasons.", errors=errors)
    return others


def _check_users(*terms: Any) -> None:
    """Raise Conflict if two of the terms are authors with a user."""
    owned = [term for term in terms if term.kind == Author.kind and term.owner_id is not None]
    if len(owned) > 1:
        raise Conflict(
            "Two of these authors are profiles of users, but the merged author can belong to only one user; "
            "set the user of one of the authors to null first.",
            code="profile_exists",
        )


def _move_user(term: Any, others: Sequence[Any]) -> None:
    """Make the remaining author the profile of the user whose profile is merged."""
    for other in others:
        if other.owner_id is not None:
            user, other.owner_id = other.owner_id, None
            db.session.flush()
            term.owner_id = user
            service.store(term)


def _move_articles(model: type[Term], former: UUID, new: UUID) -> None:
    connection = db.session.connection()
    if model is Category:
        moved = select(_article.c.uuid).where(_article.c.category_id == former)
        for table in (_json, _tag):
            connection.execute(update(table).where(table.c.article_id.in_(moved)).values(category_id=new))
        # `onupdate` would change the times of the articles.
        values = {"category_id": new, "last_updated": _article.c.last_updated}
        connection.execute(update(_article).where(_article.c.category_id == former).values(values))
        return
    column = _LINKS[model]
    article = column.table.c.article_id
    with_new = select(article).where(column == new)
    connection.execute(delete(column.table).where(column == former, article.in_(with_new)))
    connection.execute(update(column.table).where(column == former).values({column: new}))
