"""Creates, changes and deletes terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, bindparam, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.exc import IntegrityError

from blogapi.content.search.tokenizer import make_sort_key
from blogapi.content.taxonomies import queries
from blogapi.content.taxonomies.hierarchy import can_have_parents, find_terms_and_descendants
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.content.taxonomies.similar_names import make_name_key
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.publication.events import AUTHOR, EPOCH, ItemAddress, ItemState, note_change
from blogapi.rendering.slugs import make_term_slug
from blogapi.site.addresses import make_term_path
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import db, table_of, transaction
from blogapi.web import media_addresses
from blogapi.web.errors import Conflict, NotFound
from blogapi.web.fields import Fields, list_changed_fields
from blogapi.web.unique_slugs import choose_slug


def create_term(
    taxonomy: Taxonomy[TermType], owner: UUID, fields: Fields, *, uuid: UUID | None = None
) -> TermType:
    """Create a term from the fields of the taxonomy's body schema and return it.

    If `fields` has no slug, the slug is derived from the name, with a number if it is taken. Raises Conflict
    if the given slug is taken, or if the name is taken and `fields` has no slug.
    """
    with transaction():
        if taxonomy.check_fields is not None:
            taxonomy.check_fields(None, fields)
        _check_name_is_free(taxonomy, fields)
        find_taken = partial(queries.find_taken_slugs, taxonomy)
        is_reserved = partial(is_reserved_slug, get_site(), taxonomy.model.kind)
        slug = choose_slug(fields.get("slug"), fields["name"], find_taken, is_reserved, make_term_slug)
        columns = {**taxonomy.defaults, **fields, "slug": slug, "uuid": uuid or uuid4()}
        if taxonomy.creator_owns:
            columns["owner_id"] = owner
        term = taxonomy.model(**columns)
        db.session.add(term)
        store_term(term)
        note_change(term.kind, term.uuid, None, get_term_state(term))
    return term


def replace_term(
    taxonomy: Taxonomy[TermType], owner: UUID, uuid: UUID, fields: Fields
) -> tuple[TermType, bool]:
    """Create or replace the term with this uuid; return it and whether it was created."""
    with transaction():
        try:
            queries.get_term(taxonomy, uuid)
        except NotFound:
            return create_term(taxonomy, owner, fields, uuid=uuid), True
        return change_term(taxonomy, uuid, {**taxonomy.defaults, **fields}), False


def change_term(taxonomy: Taxonomy[TermType], uuid: UUID, fields: Fields) -> TermType:
    """Change the given fields of the term; a new name does not change the slug.

    If the slug changes, the former slug is kept. Raises NotFound if the term does not exist, and
    Conflict in the same cases as `create_term`.
    """
    with transaction():
        term = queries.get_term(taxonomy, uuid)
        if taxonomy.check_fields is not None:
            taxonomy.check_fields(uuid, fields)
        if make_name_key(fields.get("name", term.name)) != term.name_key:
            _check_name_is_free(taxonomy, fields)
        if "slug" in fields and fields["slug"] != term.slug:
            find_taken = partial(queries.find_taken_slugs, taxonomy, exclude=uuid)
            choose_slug(fields["slug"], "", find_taken, partial(is_reserved_slug, get_site(), term.kind))
            _record_slug_change(term, fields["slug"])
        before, pictures = get_term_state(term), term.list_pictures()
        changed = list_changed_fields(taxonomy.body_schema, term, fields)
        for name, value in fields.items():
            setattr(term, name, value)
        if changed:
            store_term(term, pictures)
            note_change(term.kind, uuid, before, get_term_state(term), fields=changed)
    return term


def store_term(term: Term, former_pictures: Sequence[str] = ()) -> None:
    """Write a new or changed term to the database, and store which files it uses."""
    db.session.flush()
    media_addresses.store_file_uses(term, former_pictures, term.list_pictures())


def delete_term(taxonomy: Taxonomy[TermType], uuid: UUID) -> None:
    """Delete the term and its former slugs.

    Raises NotFound if the term does not exist, and Conflict if it is a category or an author that has
    articles.
    """
    try:
        with transaction():
            delete_term_row(queries.get_term(taxonomy, uuid))
    except IntegrityError as error:
        raise Conflict(
            f"This {taxonomy.singular} has articles; move or delete them first.",
            code="author_in_use" if taxonomy.singular == "author" else "category_in_use",
        ) from error


def delete_term_row(term: Term) -> None:
    """Delete the row of the term, its uses of files and its former slugs."""
    _move_children(term, getattr(term, "parent_id", None))
    note_change(term.kind, term.uuid, get_term_state(term), None)
    db.session.delete(term)
    db.session.flush()
    media_addresses.store_file_uses(term, term.list_pictures(), ())
    _delete_former_slugs(term.kind, FormerTermSlug.term_id == term.uuid)


def _move_children(term: Term, parent: UUID | None) -> None:
    """Move the children of the term below `parent`, or to the top (None)."""
    model: Any = type(term)
    if can_have_parents(model):
        for child in db.session.scalars(select(model).where(model.parent_id == term.uuid)).all():
            _set_parent(child, parent)


def _set_parent(term: Any, parent: UUID | None) -> None:
    term.parent_id = parent
    store_term(term)
    note_change(term.kind, term.uuid, get_term_state(term), get_term_state(term), fields=["parent"])


def replace_merged_term(former: Term, term: Term) -> None:
    """Delete the merged term `former`; its slug, uuid and former slugs become former slugs of `term`.

    The children of the merged term become children of the other term.
    """
    if can_have_parents(type(term)):
        if term.uuid in find_terms_and_descendants(type(term), [former.uuid]):
            _set_parent(term, getattr(former, "parent_id", None))
        _move_children(former, term.uuid)
    moved = update(FormerTermSlug).where(FormerTermSlug.kind == term.kind)
    db.session.execute(moved.where(FormerTermSlug.term_id == former.uuid).values(term_id=term.uuid))
    delete_term_row(former)
    slugs = {former.slug, str(former.uuid)}
    # An earlier merge can have stored these slugs, if the merged term was created again since then.
    _delete_former_slugs(term.kind, FormerTermSlug.slug.in_(slugs))
    db.session.add_all(FormerTermSlug(kind=term.kind, slug=slug, term_id=term.uuid) for slug in slugs)


def get_or_create_term(taxonomy: Taxonomy[TermType], owner: UUID, name: str, **fields: str) -> TermType:
    """Return the term with the name, or create it with these fields.

    If the fields contain a slug, the term is found by this current or former slug, unless the address of such
    a term is the address of another page of the site.
    """
    with transaction(visible=None):
        remove_reserved_slug(taxonomy, fields)
        if "slug" in fields:
            owner_of_slug = queries.find_slug_owner(taxonomy, fields["slug"])
            term = owner_of_slug and queries.get_term(taxonomy, owner_of_slug.uuid)
        else:
            term = queries.find_terms_by_names(taxonomy, [name]).get(name)
        return term or create_term(taxonomy, owner, taxonomy.body_schema().load({"name": name, **fields}))


def remove_reserved_slug(taxonomy: Taxonomy[Any], fields: Fields) -> None:
    """Remove the slug from the fields of an imported term if its address is taken by another page."""
    if is_reserved_slug(get_site(), taxonomy.model.kind, fields.get("slug", "")):
        del fields["slug"]


def _check_name_is_free(taxonomy: Taxonomy[Any], fields: Fields) -> None:
    """Raise Conflict if another term has the name and the fields contain no slug to distinguish the terms."""
    if "slug" in fields or not taxonomy.names_are_unique:
        return
    for other in chain(*queries.find_namesakes(taxonomy, [fields["name"]]).values()):
        raise Conflict(
            f"The {taxonomy.singular} {other.slug!r} has this name; use it, or send a `slug` as well.",
            code="name_taken",
            errors={"name": ["Is taken."]},
            uuid=other.uuid,
        )


def get_term_state(term: Term) -> ItemState:
    """Return the public state of a term; an author becomes readable only through an article."""
    readable_from = None if term.kind == AUTHOR else EPOCH
    return ItemState(readable_from, make_term_address(term.kind, term.uuid, term.slug))


def make_term_address(kind: str, uuid: UUID, slug: str) -> ItemAddress:
    """Return the address of the page of a term; `kind` is `category`, `tag` or `author`."""
    return ItemAddress(slug, make_term_path(get_site(), kind, uuid=uuid, slug=slug))


def _record_slug_change(term: Term, new: str) -> None:
    """Store the current slug of the term as a former slug; the slug `new` stops being a former slug."""
    _delete_former_slugs(term.kind, FormerTermSlug.slug.in_((new, term.slug)))
    db.session.add(FormerTermSlug(kind=term.kind, slug=term.slug, term_id=term.uuid))


def _delete_former_slugs(kind: str, condition: ColumnElement[bool]) -> None:
    db.session.execute(delete_rows(FormerTermSlug).where(FormerTermSlug.kind == kind, condition))


def repair_sort_keys(model: type[Any]) -> None:
    """Replace the sort keys that differ from the sort keys of the names."""
    term = table_of(model)
    # Without an explicit value, `onupdate` would change `last_updated`.
    values = {"sort_key": bindparam("new_key"), "last_updated": term.c.last_updated}
    keys = [{"id": id, "new_key": make_sort_key(name)} for id, name in queries.find_outdated_sort_keys(model)]
    if keys:
        statement = update(term).where(term.c.uuid == bindparam("id")).values(values)
        db.session.connection().execute(statement, keys)
