"""Finds terms by their uuids, slugs and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain, takewhile
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, CompoundSelect, bindparam, select, union_all

from blogapi.content.search.tokenizer import make_sort_key
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.content.taxonomies.similar_names import make_name_key, make_spelling_key
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.parsing import parse_uuid
from blogapi.rendering.slugs import make_slug, make_term_slug
from blogapi.storage.database import db, split_values, table_of
from blogapi.web.errors import require_item
from blogapi.web.slug_lookup import SlugOwner, choose_slug_owner
from blogapi.web.unique_slugs import make_numbered_slugs

_former = table_of(FormerTermSlug).c


def get_term(taxonomy: Taxonomy[TermType], uuid: UUID) -> TermType:
    """Return the term; raises NotFound if it does not exist."""
    return require_item(db.session.get(taxonomy.model, uuid), make_not_found_message(taxonomy))


def find_slug_owner(taxonomy: Taxonomy[TermType], slug: str) -> SlugOwner | None:
    """Return the uuid and the current slug of the term that has or had this slug, or None."""
    model: Any = taxonomy.model
    rows = db.session.connection().execute(_select_slug_owners(model), {"slug": slug})
    return choose_slug_owner(rows, slug)


def find_term(
    model: type[TermType], reference: str, condition: ColumnElement[bool] | None = None
) -> TermType | None:
    """Return the term with this uuid, slug or former slug, in this order of precedence, or None.

    With a condition, only a term that meets the condition is returned.
    """
    uuid = parse_uuid(reference)
    had_slug = select(_former.term_id).where(_former.kind == model.kind, _former.slug == reference)
    is_owner = model.uuid == had_slug.scalar_subquery()
    for is_wanted in (*([model.uuid == uuid] if uuid else []), model.slug == reference, is_owner):
        statement = select(model).where(is_wanted)
        term = db.session.scalar(statement if condition is None else statement.where(condition))
        if term is not None:
            return term
    return None


def find_terms_by_slugs(taxonomy: Taxonomy[TermType], slugs: Sequence[str]) -> dict[str, TermType]:
    """Return the terms with these slugs, by slug."""
    model = taxonomy.model
    return {
        term.slug: term
        for batch in split_values(slugs)
        for term in db.session.scalars(select(model).where(model.slug.in_(batch)))
    }


def find_terms_by_former_slugs(taxonomy: Taxonomy[TermType], slugs: Collection[str]) -> dict[str, TermType]:
    """Return the terms that had these slugs, by former slug."""
    model = taxonomy.model
    statement = select(FormerTermSlug.slug, model).join(model, model.uuid == FormerTermSlug.term_id)
    return {
        row[0]: row[1]
        for batch in split_values(slugs)
        for row in db.session.execute(statement.where(_former.kind == model.kind, _former.slug.in_(batch)))
    }


def find_namesakes(taxonomy: Taxonomy[TermType], names: Collection[str]) -> dict[str, list[TermType]]:
    """Return the terms with these names by `name_key`, the oldest first."""
    model, found = taxonomy.model, defaultdict[str, list[TermType]](list)
    for batch in split_values({make_name_key(name) for name in names}):
        statement = select(model).where(model.name_key.in_(batch)).order_by(model.created, model.uuid)
        for term in db.session.scalars(statement):
            found[term.name_key].append(term)
    return found


def find_terms_by_names(taxonomy: Taxonomy[TermType], names: Collection[str]) -> dict[str, TermType]:
    """Return the term for each of these names, by name; names without a term are left out.

    The order of precedence is: a term with the name and the slug made from the name; the oldest term with the
    name; a term that has or had the slug that version 1.0 made from the name; a term with the present slug
    whose name differs only in its apostrophes. Authors are found only by slug, which can have a number,
    because several authors can have the same name.
    """
    slugs = {
        name: [make_term_slug(name, former=True), *make_numbered_slugs(make_term_slug(name))]
        for name in names
    }
    namesakes = find_namesakes(taxonomy, names) if taxonomy.names_are_unique else {}
    wanted = [*{*chain(*slugs.values())}]
    by_slug = find_terms_by_former_slugs(taxonomy, wanted) | find_terms_by_slugs(taxonomy, wanted)
    found: dict[str, TermType] = {}
    for name, (former, *numbered) in slugs.items():
        present, key = numbered[0], make_spelling_key(name)
        terms = sorted(
            namesakes.get(make_name_key(name), []), key=lambda term: term.slug not in (former, present)
        )
        if former in by_slug and _matches_former_slug(by_slug[former], former):
            terms.append(by_slug[former])
        # If another term had the slug made from the name, the term with the name got a slug with a number.
        others = (by_slug[slug] for slug in takewhile(by_slug.__contains__, numbered))
        terms += (other for other in others if make_spelling_key(other.name) == key)
        if terms:
            found[name] = terms[0]
    return found


def _matches_former_slug(term: Term, slug: str) -> bool:
    """Return whether version 1.0 can have made this slug from the name of the term.

    Version 1.0 made another slug from a name with an apostrophe, such as `Kid's Corner`. Earlier versions
    gave the term `C#` the slug `c`, so the term with the slug `c` can be `C#` instead of `C`.
    """
    if make_term_slug(term.name) == slug != make_term_slug(term.name, former=True):
        return False
    return not make_slug(term.name, former=True) == slug != make_term_slug(term.name, former=True)


def find_uuids_by_former_slugs(model: type[Any], slugs: Collection[str]) -> dict[str, UUID]:
    """Return the uuids of the terms that had these slugs, by slug."""
    statement = select(_former.slug, _former.term_id).where(_former.kind == model.kind)
    return {
        row.slug: row.term_id
        for batch in split_values(slugs)
        for row in db.session.execute(statement.where(_former.slug.in_(batch)))
    }


def find_merged_terms(model: type[Any], uuids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return the uuids of the terms into which the terms with these uuids were merged, by former uuid."""
    term = table_of(model).c
    statement = (
        select(_former.slug, term.uuid)
        .join_from(table_of(FormerTermSlug), table_of(model), _former.term_id == term.uuid)
        .where(_former.kind == model.kind)
    )
    return {
        UUID(row.slug): row.uuid
        for batch in split_values(uuids)
        for row in db.session.connection().execute(statement.where(_former.slug.in_(list(map(str, batch)))))
    }


def find_outdated_sort_keys(model: type[Any]) -> list[tuple[UUID, str]]:
    """Return uuid and name of the terms whose sort key differs from the sort key of the name.

    Another program can have changed the name, or a former version of blogapi can have made another key.
    """
    term = table_of(model).c
    rows = db.session.execute(select(term.uuid, term.name, term.sort_key).order_by(term.uuid))
    return [(row.uuid, row.name) for row in rows if row.sort_key != make_sort_key(row.name)]


def find_taken_slugs(
    taxonomy: Taxonomy[TermType], slugs: Sequence[str], *, exclude: UUID | None = None
) -> set[str]:
    """Return the slugs among these that a term other than `exclude` has or had."""
    model: type[Term] = taxonomy.model
    statement = union_all(
        select(model.slug).where(model.slug.in_(slugs), model.uuid.is_distinct_from(exclude)),
        select(_former.slug).where(
            _former.kind == model.kind, _former.slug.in_(slugs), _former.term_id.is_distinct_from(exclude)
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


def make_not_found_message(taxonomy: Taxonomy[TermType]) -> str:
    return f"There is no such {taxonomy.singular}; GET /api/v1/blog/{taxonomy.plural}/ lists them."
