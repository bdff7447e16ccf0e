"""Queries for terms."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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
from blogapi.web import json_fragments
from blogapi.web.errors import NotFound
from blogapi.web.fields import parse_uuid
from blogapi.web.json import JsonBody
from blogapi.web.media_addresses import complete_body
from blogapi.web.pagination import Page, PageRequest, paginate
from blogapi.web.slug_lookup import NIL_UUID, SlugOwner, choose_owner
from blogapi.web.unique_slugs import is_similar, similar_slug_range

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
    statement = select(model.json_fragments)
    if condition is not None:
        statement = statement.where(condition)
    if slug:
        had_slug = select(_former.term_id).where(_former.kind == model.kind, _former.slug == slug)
        statement = statement.where(or_(model.slug == slug, model.uuid.in_(had_slug)))
    terms = paginate(statement.order_by(func.lower(bytewise(model.name)), model.uuid), page)
    fields = taxonomy.schema._declared_fields if names is None else names
    counts = count_articles(None) if count_articles and "articles_count" in fields else None
    body = json_fragments.to_array(_to_objects(taxonomy, terms.rows, fields, counts))
    return Page(JsonBody(complete_body(body)), terms.total, page)


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
    fragments = get_fragments(taxonomy, uuid, condition)
    fields = taxonomy.single_schema._declared_fields if names is None else names
    counts = count_articles(uuid) if count_articles and "articles_count" in fields else None
    (term,) = _to_objects(taxonomy, [fragments], fields, counts)
    term = complete_body(term.encode()).decode()
    if "articles" not in fields:
        return JsonBody(term.encode(), item_state=fragments)
    return json_fragments.add_member(term, "articles", list_articles(uuid), item_state=fragments)


def _to_objects(
    taxonomy: Taxonomy[TermType],
    rows: Sequence[str],
    names: Container[str],
    counts: Mapping[UUID, int] | None,
) -> Iterable[str]:
    """Return the JSON objects of terms; fields that depend on other rows are computed now and not stored."""
    objects = [json_fragments.select_fields(taxonomy.model, row, names) for row in rows]
    if counts is None and taxonomy.address_field not in names:
        return objects
    terms = [json_fragments.parse_fragments(row) for row in rows]
    if counts is not None:
        numbers = (str(counts.get(UUID(term["uuid"]), 0)) for term in terms)
        objects = [
            json_fragments.append_member(shown, "articles_count", number)
            for shown, number in zip(objects, numbers, strict=True)
        ]
    if taxonomy.address_field not in names:
        return objects
    site, kind = get_site(), taxonomy.model.kind
    urls = (make_term_url(site, kind, uuid=term["uuid"], slug=term["slug"]) for term in terms)
    return [
        json_fragments.append_member(shown, taxonomy.address_field, web_json.to_json(url)) if url else shown
        for shown, url in zip(objects, urls, strict=True)
    ]


def get_fragments(
    taxonomy: Taxonomy[TermType], uuid: UUID, condition: ColumnElement[bool] | None = None
) -> str:
    """Return the stored JSON fragments of the term.

    Raises NotFound if the term does not exist or the condition is false for it.
    """
    model: type[Term] = taxonomy.model
    statement = select(model.json_fragments).where(model.uuid == uuid)
    fragments = db.session.scalar(statement if condition is None else statement.where(condition))
    if fragments is None:
        raise _not_found(taxonomy)
    return fragments


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
        found = db.session.scalar(statement if condition is None else statement.where(condition))
        if found is not None:
            return found
    return None


def find_by_slugs(taxonomy: Taxonomy[TermType], slugs: Sequence[str]) -> dict[str, TermType]:
    """Return a dictionary of the terms with these slugs, with the slugs as keys."""
    model = taxonomy.model
    found: dict[str, TermType] = {}
    for start in range(0, len(slugs), _MAX_VARIABLES):
        some = slugs[start : start + _MAX_VARIABLES]
        found |= {term.slug: term for term in db.session.scalars(select(model).where(model.slug.in_(some)))}
    return found


def find_similar_slugs(taxonomy: Taxonomy[TermType], slug: str, *, exclude: UUID = NIL_UUID) -> set[str]:
    """Return the current and former slugs that equal this slug or start with it and a hyphen.

    The slugs of the term `exclude` are left out.
    """
    model: type[Term] = taxonomy.model
    statement = union_all(
        select(model.slug).where(is_similar(model.slug), model.uuid != exclude),
        select(_former.slug).where(
            _former.kind == model.kind, is_similar(_former.slug), _former.term_id != exclude
        ),
    )
    return set(db.session.scalars(statement, similar_slug_range(slug)))


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
