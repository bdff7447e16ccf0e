"""The parents and children of terms, in a taxonomy whose model has the column `parent_id`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, literal, select

from blogapi.storage.database import db, execute_in_batches, table_of
from blogapi.web.errors import Invalid
from blogapi.web.fields import Fields

# The maximum number of terms above a term; the page of the term shows all of them as breadcrumbs.
MAX_TERMS_ABOVE = 20


def find_terms_and_descendants(model: Any, uuids: Collection[UUID]) -> list[UUID]:
    """Return these uuids, and the uuids of all terms below these terms."""
    descendants = db.session.execute(_select_descendants(model), {"uuids": list(uuids)}).scalars()
    return list(dict.fromkeys([*uuids, *descendants]))


def find_ancestors(model: Any, uuids: Collection[UUID]) -> Mapping[UUID, Sequence[Fields]]:
    """Return, for each of these terms, the uuid, name and slug of all terms above it, the outermost first."""
    parents = defaultdict[UUID, list[Fields]](list)
    if can_have_parents(model):
        for row in execute_in_batches(_select_ancestors(model), "uuids", set(uuids)):
            parents[row.start].append({"uuid": str(row.uuid), "name": row.name, "slug": row.slug})
    return parents


def can_have_parents(model: type[Any]) -> bool:
    """Return whether the terms of the model can have parents."""
    return "parent_id" in table_of(model).c


def check_and_resolve_parent(model: type[Any], uuid: UUID | None, fields: Fields) -> None:
    """Check the parent in the fields of a term, and replace its slug in the fields by its uuid.

    Raises Invalid if the parent does not exist, or is the term or a term below it. `uuid` is None for a new
    term. The write lock prevents other writes from changing the parents before the end of this transaction.
    """
    parent = fields.get("parent_id")
    if parent is None:
        return
    term = table_of(model).c
    column = term.slug if isinstance(parent, str) else term.uuid
    parent = fields["parent_id"] = db.session.scalar(select(term.uuid).where(column == parent))
    if parent is None:
        raise _make_parent_error("There is no such parent; send the uuid or the slug of an existing term.")
    below = find_terms_and_descendants(model, [uuid]) if uuid else []
    if parent in below or parent == uuid:
        raise _make_parent_error("A term cannot be below itself; choose a parent that is not below it.")
    parents = find_ancestors(model, [parent, *below])
    depth = len(parents.get(uuid, ())) if uuid else 0
    height = max((len(parents.get(descendant, ())) - depth for descendant in below), default=0)
    if len(parents.get(parent, ())) + 1 + height > MAX_TERMS_ABOVE:
        raise _make_parent_error(f"At most {MAX_TERMS_ABOVE} terms can be above a term; move the term up.")


def _make_parent_error(reason: str) -> Invalid:
    return Invalid(reason, errors={"parent": [reason]})


@cache
def _select_descendants(model: Any) -> Select[UUID]:
    term = table_of(model).c
    is_child = term.parent_id.in_(bindparam("uuids", expanding=True))
    below = select(term.uuid).where(is_child).cte("below", recursive=True)
    # UNION leaves out terms that were already found, so the recursion ends even in a cycle.
    below = below.union(select(term.uuid).where(term.parent_id == below.c.uuid))
    return select(below.c.uuid)


@cache
def _select_ancestors(model: Any) -> Select[*tuple[Any, ...]]:
    term = table_of(model).c
    is_start = term.uuid.in_(bindparam("uuids", expanding=True))
    columns = term.uuid.label("start"), term.parent_id.label("uuid"), literal(1).label("height")
    above = select(*columns).where(is_start, term.parent_id.is_not(None)).cte("above", recursive=True)
    above = above.union_all(
        select(above.c.start, term.parent_id, above.c.height + 1).where(
            term.uuid == above.c.uuid, term.parent_id.is_not(None), above.c.height <= MAX_TERMS_ABOVE
        )
    )
    return (
        select(above.c.start, term.uuid, term.name, term.slug)
        .where(term.uuid == above.c.uuid)
        .order_by(above.c.start, above.c.height.desc())
    )
