"""Queries for terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from sqlalchemy import func, select

from blogapi.storage.database import bytewise, db
from blogapi.taxonomies.models import Term
from blogapi.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.web import json_fragments
from blogapi.web.errors import NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate
from blogapi.web.unique_slugs import is_similar, similar_slug_range

# A function that returns the public articles of a term, with the documented fields.
ListArticles = Callable[[UUID], JsonBody]

# The maximum number of values in one statement, because databases limit the number of parameters.
_MAX_VARIABLES = 500


def list_json(
    taxonomy: Taxonomy[TermType], names: Sequence[str] | None = None, page: PageRequest | None = None
) -> Page[JsonBody]:
    """Return a page of terms or all terms, sorted by name, with these fields (None: the documented ones)."""
    model: type[Term] = taxonomy.model
    terms = paginate(
        select(model.json_fragments).order_by(func.lower(bytewise(model.name)), model.uuid), page
    )
    fields = taxonomy.schema._declared_fields if names is None else names
    body = json_fragments.to_array(json_fragments.select_fields(model, row, fields) for row in terms.rows)
    return Page(JsonBody(body), terms.total, page)


def get_json(
    taxonomy: Taxonomy[TermType],
    uuid: UUID,
    list_articles: ListArticles,
    names: Sequence[str] | None = None,
) -> JsonBody:
    """Return the term with these fields (None: the documented ones, which include its articles).

    Raises NotFound if the term does not exist.
    """
    fragments = get_fragments(taxonomy, uuid)
    fields = taxonomy.single_schema._declared_fields if names is None else names
    term = json_fragments.select_fields(taxonomy.model, fragments, fields)
    if "articles" not in fields:
        return JsonBody(term.encode(), hidden_state=fragments)
    return json_fragments.add_member(term, "articles", list_articles(uuid), hidden_state=fragments)


def get_fragments(taxonomy: Taxonomy[TermType], uuid: UUID) -> str:
    """Return the stored JSON fragments of the term; raises NotFound if the term does not exist."""
    model: type[Term] = taxonomy.model
    fragments = db.session.scalar(select(model.json_fragments).where(model.uuid == uuid))
    if fragments is None:
        raise _not_found(taxonomy)
    return fragments


def get_by_uuid(taxonomy: Taxonomy[TermType], uuid: UUID) -> TermType:
    """Return the term; raises NotFound if it does not exist."""
    term = db.session.get(taxonomy.model, uuid)
    if term is None:
        raise _not_found(taxonomy)
    return term


def find_by_slug(taxonomy: Taxonomy[TermType], slug: str) -> TermType | None:
    """Return the term with this slug, or None."""
    return db.session.scalar(select(taxonomy.model).where(taxonomy.model.slug == slug))


def find_by_slugs(taxonomy: Taxonomy[TermType], slugs: Sequence[str]) -> dict[str, TermType]:
    """Return a dictionary of the terms with these slugs, with the slugs as keys."""
    model = taxonomy.model
    found: dict[str, TermType] = {}
    for start in range(0, len(slugs), _MAX_VARIABLES):
        some = slugs[start : start + _MAX_VARIABLES]
        found |= {term.slug: term for term in db.session.scalars(select(model).where(model.slug.in_(some)))}
    return found


def find_similar_slugs(taxonomy: Taxonomy[TermType], slug: str) -> set[str]:
    """Return the slugs in use that equal this slug or start with it and a hyphen."""
    column = taxonomy.model.slug
    return set(db.session.scalars(select(column).where(is_similar(column)), similar_slug_range(slug)))


def _not_found(taxonomy: Taxonomy[TermType]) -> NotFound:
    return NotFound(f"There is no such {taxonomy.singular}; GET /api/v1/blog/{taxonomy.plural}/ lists them.")
