"""Reads of terms."""

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

# Returns the published articles of a term in the documented fields.
ListArticles = Callable[[UUID], JsonBody]


def list_json(
    taxonomy: Taxonomy[TermType], names: Sequence[str] | None = None, window: PageRequest | None = None
) -> Page[JsonBody]:
    """Return the terms by name, in the fields of these names (None: the documented ones)."""
    model: type[Term] = taxonomy.model
    page = paginate(select(model.pieces).order_by(func.lower(bytewise(model.name)), model.uuid), window)
    chosen = taxonomy.schema._declared_fields if names is None else names
    rows = json_fragments.to_array(json_fragments.select_fields(model, row, chosen) for row in page.rows)
    return Page(JsonBody(rows), page.total, window)


def get_json(
    taxonomy: Taxonomy[TermType],
    uuid: UUID,
    list_articles: ListArticles,
    names: Sequence[str] | None = None,
) -> JsonBody:
    """Return the term with its published articles, in the fields of these names; raises NotFound."""
    fragments = get_fragments(taxonomy, uuid)
    chosen = taxonomy.single_schema._declared_fields if names is None else names
    shown = json_fragments.select_fields(taxonomy.model, fragments, chosen)
    if "articles" not in chosen:
        return JsonBody(shown.encode(), beside=fragments)
    return json_fragments.add_member(shown, "articles", list_articles(uuid), beside=fragments)


def get_fragments(taxonomy: Taxonomy[TermType], uuid: UUID) -> str:
    """Return the stored JSON fragments of the term; raises NotFound."""
    model: type[Term] = taxonomy.model
    found = db.session.scalar(select(model.pieces).where(model.uuid == uuid))
    if found is None:
        raise _not_found(taxonomy)
    return found


def get_by_uuid(taxonomy: Taxonomy[TermType], uuid: UUID) -> TermType:
    """Return the term; raises NotFound."""
    term = db.session.get(taxonomy.model, uuid)
    if term is None:
        raise _not_found(taxonomy)
    return term


def find_by_slug(taxonomy: Taxonomy[TermType], slug: str) -> TermType | None:
    """Return the term, or None."""
    return db.session.scalar(select(taxonomy.model).where(taxonomy.model.slug == slug))


def find_similar_slugs(taxonomy: Taxonomy[TermType], slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    column = taxonomy.model.slug
    return set(
        db.session.scalars(
            select(column).where((column == slug) | column.startswith(f"{slug}-", autoescape=True))
        )
    )


def _not_found(taxonomy: Taxonomy[TermType]) -> NotFound:
    return NotFound(f"There is no such {taxonomy.singular}; GET /api/v1/blog/{taxonomy.plural}/ lists them.")
