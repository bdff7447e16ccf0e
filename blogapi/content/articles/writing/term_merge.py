"""Merges terms: in all articles, one category, tag or author replaces other terms of the same kind.

As with a renamed term, no article gets a new version. Versions and working copies keep the uuid of a merged
term, which `find_referenced_terms` resolves to the uuid of the remaining term.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update

from blogapi.content.articles.models import Article, ArticleTag
from blogapi.content.taxonomies import queries, service
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import check_and_resolve_parent
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.publication.events import note_change
from blogapi.storage.database import db, table_of, transaction
from blogapi.web.errors import Conflict, Errors, Invalid, NotFound

_article, _tag = table_of(Article), table_of(ArticleTag)


def merge_terms(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> TermType:
    """Replace the merged terms by this term in all articles, and delete the merged terms.

    The slugs and uuids of the merged terms become former slugs of the term, which is returned. Raises
    NotFound if the term does not exist, Invalid if a merged term does not exist or is the term itself, or if
    the tree of terms would be too deep, and Conflict if two of the terms are authors with a user.
    """
    with transaction():
        term = queries.get_term(taxonomy, uuid)
        others = _get_merged_terms(taxonomy, uuid, merged)
        _check_single_user(term, *others)
        if taxonomy.model is Author:
            _move_user(term, others)
        for other in others:
            _replace_term_in_articles(taxonomy, other.uuid, uuid)
            service.replace_merged_term(other, term)
        # The children of the merged terms are below the term now.
        check_and_resolve_parent(taxonomy.model, uuid, {"parent_id": getattr(term, "parent_id", None)})
        state = service.get_term_state(term)
        note_change(term.kind, uuid, state, state)
    return term


def _get_merged_terms(taxonomy: Taxonomy[TermType], uuid: UUID, merged: Sequence[UUID]) -> list[TermType]:
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


def _check_single_user(*terms: Any) -> None:
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
            service.store_term(term)


def _replace_term_in_articles(taxonomy: Taxonomy[Any], former: UUID, new: UUID) -> None:
    connection, link = db.session.connection(), taxonomy.get_link_column()
    if taxonomy.model is Category:
        moved = select(_article.c.uuid).where(link == former)
        connection.execute(update(_tag).where(_tag.c.article_id.in_(moved)).values(category_id=new))
    values: dict[Any, Any] = {link: new}
    if link.table is _article:
        # `onupdate` would change the times of the articles.
        values[_article.c.last_updated] = _article.c.last_updated
    else:
        article = link.table.c.article_id
        with_new = select(article).where(link == new)
        connection.execute(delete(link.table).where(link == former, article.in_(with_new)))
    connection.execute(update(link.table).where(link == former).values(values))
