"""Queries for terms."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, CompoundSelect, bindparam, func, or_, select, union_all

from blogapi.site.addresses import make_term_url
from blogapi.site.queries import get_site
from blogapi.storage.database import bytewise, db, table_of
from blogapi.taxonomies.models import FormerTermSlug, Term
from blogapi.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.web import json as web_json
from blogapi.web.errors import NotFound
from blogapi.web.fields import Fields, parse_uuid
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate
from blogapi.web.slug_lookup import NIL_UUID, SlugOwner, choose_owner
from blogapi.web.stored_json import stored_fields

# A function that returns the public articles of a term, with the documented fields.
ListArticles = Callable[[UUID], JsonBody]

# A function that returns the condition under which readers see a term.
IsPublic = Callable[[], ColumnElement[bool]]

# A function that returns the number of public articles of one term, or of all terms (None), by uuid. Terms
# without public articles may be missing.
CountArticles = Callable[[UUID | None], Mapping[UUID, int]]

# The maximum number of values in one statement, because databases limit the number of parameters.
_MAX_VARIABLES = 500

_former = table_of(FormerTermSlug).c


def list_json(
    taxonomy: Taxonomy[TermType],
    names: Sequence[str] | None = None,
    page: PageRequest | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    slug: str = "",
    count_articles: CountArticles | None = None,
) -> Page[JsonBody]:
    """Return a page of terms or all terms, sorted by name, with these fields (None: the documented ones).

    With a condition, only the terms for which it is true are listed. With `slug`, only the terms that have
    or had this slug are listed.
    """
    model: type[Term] = taxonomy.model
    statement = select(model.json)
    if condition is not None:
        statement = statement.where(condition)
    if slug:
        had_slug = select(_former.term_id).where(_former.kind == model.kind, _former.slug == slug)
        statement = statement.where(or_(model.slug == slug, model.uuid.in_(had_slug)))
    terms = paginate(statement.order_by(func.lower(bytewise(model.name)), model.uuid), page)
    fields = taxonomy.schema._declared_fields if names is None else names
    counts = count_articles(None) if count_articles and "articles_count" in fields else None
    if set(fields) == set(stored_fields(model)):
        body = b"[%b]" % b",".join(terms.rows)
    else:
        body = web_json.to_json_bytes(_select_fields(taxonomy, terms.rows, fields, counts))
    return Page(JsonBody(body), terms.total, page)


def get_json(
    taxonomy: Taxonomy[TermType],
    uuid: UUID,
    list_articles: ListArticles,
    names: Sequence[str] | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    count_articles: CountArticles | None = None,
) -> JsonBody:
    """Return the term with these fields (None: the documented ones, which include its articles).

    Raises NotFound if the term does not exist or the condition is false for it.
    """
    stored = get_stored_json(taxonomy, uuid, condition)
    fields = taxonomy.single_schema._declared_fields if names is None else names
    counts = count_articles(uuid) if count_articles and "articles_count" in fields else None
    (term,) = _select_fields(taxonomy, [stored], fields, counts)
    if "articles" not in fields:
        return JsonBody(web_json.to_json_bytes(term), item_state=stored.decode())
    return web_json.add_member(term, "articles", list_articles(uuid), item_state=stored.decode())


def _select_fields(
    taxonomy: Taxonomy[TermType],
    rows: Sequence[bytes],
    names: Container[str],
    counts: Mapping[UUID, int] | None,
) -> list[Fields]:
    """Return these fields of the stored terms; those that depend on other rows are computed now."""
    terms = json.loads(b"[%b]" % b",".join(rows))
    shown = [{name: value for name, value in term.items() if name in names} for term in terms]
    if counts is not None:
        for term, fields in zip(terms, shown, strict=True):
            fields["articles_count"] = counts.get(UUID(term["uuid"]), 0)
    if taxonomy.address_field in names:
        site, kind = get_site(), taxonomy.model.kind
        for term, fields in zip(terms, shown, strict=True):
            url = make_term_url(site, kind, uuid=term["uuid"], slug=term["slug"])
            fields |= {taxonomy.address_field: url} if url else {}
    return shown


def get_stored_json(
    taxonomy: Taxonomy[TermType], uuid: UUID, condition: ColumnElement[bool] | None = None
) -> bytes:
    """Return the stored JSON of the term.

    Raises NotFound if the term does not exist or the condition is false for it.
    """
    model: type[Term] = taxonomy.model
    statement = select(model.json).where(model.uuid == uuid)
    stored = db.session.scalar(statement if condition is None else statement.where(condition))
    if stored is None:
        raise _not_found(taxonomy)
    return stored


def get_by_uuid(taxonomy: Taxonomy[TermType], uuid: UUID) -> TermType:
    """Return the term; raises NotFound if it does not exist."""
    term = db.session.get(taxonomy.model, uuid)
    if term is None:
        raise _not_found(taxonomy)
    return term


def find_slug_owner(taxonomy: Taxonomy[TermType], slug: str) -> SlugOwner | None:
    """Return the uuid and the current slug of the term that has or had this slug, or None."""
    model: Any = taxonomy.model
    rows = db.session.connection().execute(_select_slug_owners(model), {"slug": slug})
    return choose_owner(rows, slug)


def find_by_reference(
    model: type[TermType], reference: str, condition: ColumnElement[bool] | None = None
) -> TermType | None:
    """Return the term with this uuid or slug, or None; a uuid takes precedence.

    With a condition, only a term for which it is true is returned.
    """
    uuid = parse_uuid(reference)
    for is_wanted in (*([model.uuid == uuid] if uuid else []), model.slug == reference):
        statement = select(model).where(is_wanted)
        term = db.session.scalar(statement if condition is None else statement.where(condition))
        if term is not None:
            return term
    return None


def find_by_slugs(taxonomy: Taxonomy[TermType], slugs: Sequence[str]) -> dict[str, TermType]:
    """Return a dictionary of the terms with these slugs, with the slugs as keys."""
    model = taxonomy.model
    terms: dict[str, TermType] = {}
    for start in range(0, len(slugs), _MAX_VARIABLES):
        batch = slugs[start : start + _MAX_VARIABLES]
        terms |= {term.slug: term for term in db.session.scalars(select(model).where(model.slug.in_(batch)))}
    return terms


def find_taken_slugs(
    taxonomy: Taxonomy[TermType], slugs: Sequence[str], *, exclude: UUID = NIL_UUID
) -> set[str]:
    """Return those of the slugs that a term other than `exclude` has or had."""
    model: type[Term] = taxonomy.model
    statement = union_all(
        select(model.slug).where(model.slug.in_(slugs), model.uuid != exclude),
        select(_former.slug).where(
            _former.kind == model.kind, _former.slug.in_(slugs), _former.term_id != exclude
        ),
    )
    return set(db.session.scalars(statement))


@cache
def _select_slug_owners(model: Any) -> CompoundSelect[UUID, str]:
    term = model.__table__.c
    return union_all(
        select(term.uuid, term.slug).where(term.slug == bindparam("slug")),
        select(term.uuid, term.slug)
        .join(table_of(FormerTermSlug), _former.term_id == term.uuid)
        .where(_former.kind == model.kind, _former.slug == bindparam("slug")),
    )


def _not_found(taxonomy: Taxonomy[TermType]) -> NotFound:
    return NotFound(f"There is no such {taxonomy.singular}; GET /api/v1/blog/{taxonomy.plural}/ lists them.")
