"""Reads, creates, changes and deletes the definitions of custom fields."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy import func, select

from blogapi.content.article_hooks import ARTICLE_HOOKS
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.definitions import discard_definitions, list_visible_fields
from blogapi.content.custom_fields.models import NO_VALUES, CustomField, FieldType
from blogapi.site.service import record_site_change
from blogapi.storage.database import Base, current_time, db, transaction
from blogapi.web.access import current_caller
from blogapi.web.errors import Conflict, Errors, Invalid, NotFound
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.representation import UpsertResult


def list_fields() -> list[WithAttributes]:
    """Return the definitions that the caller may read with their use counts, ordered by position."""
    return add_use_counts(list_visible_fields(current_caller()))


def add_use_counts(fields: Sequence[CustomField]) -> list[WithAttributes]:
    """Return the definitions with `used_in` and `unfit_in`.

    `used_in` is the number of items with a value, `unfit_in` the number of items whose value does not fit.
    """
    used, unfit = Counter[str](), Counter[str]()
    by_name, article = {field.name: field for field in fields}, Base.metadata.tables["article"].c
    for stored in db.session.scalars(select(article.custom).where(article.custom != NO_VALUES)):
        for name, value in custom_values.parse_stored_values(stored).items():
            if field := by_name.get(name):
                used[name] += 1
                unfit[name] += not custom_values.fits_definition(field, value)
    return [WithAttributes(field, used_in=used[field.name], unfit_in=unfit[field.name]) for field in fields]


def get_field(uuid: UUID) -> CustomField:
    """Return the definition; raises NotFound if it does not exist or the caller may not read it."""
    fields = [field for field in list_visible_fields(current_caller()) if field.uuid == uuid]
    if not fields:
        raise NotFound("There is no such field; GET /api/v1/blog/fields/ lists the fields.")
    return fields[0]


def get_field_details(uuid: UUID) -> WithAttributes:
    """Return the definition with the counts of `add_use_counts`; raises NotFound if it does not exist."""
    return add_use_counts([get_field(uuid)])[0]


MAX_FIELDS = 100

# The properties that decide which values fit, and which values searches cover.
_SEARCH_PROPERTIES = ("type", "is_list", "choices", "minimum", "maximum", "is_searched", "is_admin_only")
_DEFAULT_PROPERTIES: Fields = {
    "help": "",
    "is_list": False,
    "choices": "[]",
    "minimum": None,
    "maximum": None,
    "is_required": False,
    "is_admin_only": False,
    "is_searched": False,
    "for_articles": True,
    "for_pages": False,
}


def define_field(fields: Fields, *, uuid: UUID | None = None) -> CustomField:
    """Define a field; values that articles already have under its name are shown again.

    Raises Conflict if the name is taken, and Invalid if the properties of the field contradict each other.
    """
    with transaction(visible=False):
        names = set(db.session.scalars(select(CustomField.name)))
        if fields["name"] in names:
            raise Conflict(f"There is a field {fields['name']!r} already; choose another name.")
        if len(names) >= MAX_FIELDS:
            raise Conflict(f"There are {MAX_FIELDS} fields already; delete one first.")
        last = db.session.scalar(select(func.max(CustomField.position))) or 0
        field = CustomField(uuid=uuid or uuid4(), created=current_time(), position=last + 1)
        _set_properties(field, {**_DEFAULT_PROPERTIES, **fields})
        db.session.add(field)
        _store_definition(field, was_admin_only=True, updates_search_words=True)
    return field


def replace_field(uuid: UUID, fields: Fields) -> UpsertResult:
    """Create or replace the definition with this uuid."""
    if db.session.get(CustomField, uuid) is None:
        return UpsertResult(define_field(fields, uuid=uuid), created=True)
    return UpsertResult(change_field(uuid, {**_DEFAULT_PROPERTIES, **fields}), created=False)


def change_field(uuid: UUID, fields: Fields) -> CustomField:
    """Change the given fields of a definition; values that no longer fit are kept."""
    with transaction(visible=False):
        field = get_field(uuid)
        if fields.get("name", field.name) != field.name:
            raise Invalid(
                "The name of a field cannot change: front ends and imports use it.",
                errors={"name": ["Cannot change."]},
            )
        was_admin_only = field.is_admin_only
        before = [getattr(field, name) for name in _SEARCH_PROPERTIES]
        _set_properties(field, fields)
        changed = before != [getattr(field, name) for name in _SEARCH_PROPERTIES]
        _store_definition(field, was_admin_only=was_admin_only, updates_search_words=changed)
    return field


def delete_field(uuid: UUID) -> None:
    """Delete a definition; the values stay in the articles, hidden, until a field has the name again."""
    with transaction(visible=False):
        field = get_field(uuid)
        db.session.delete(field)
        _store_definition(field, was_admin_only=field.is_admin_only, updates_search_words=True)


def _set_properties(field: CustomField, fields: Fields) -> None:
    for name, value in fields.items():
        setattr(field, name, value)
    errors: Errors = {}
    if field.type == FieldType.CHOICE and not json.loads(field.choices):
        errors["choices"] = ["Name at least one choice."]
    if None not in (field.minimum, field.maximum) and (field.minimum or 0) > (field.maximum or 0):
        errors["maximum"] = ["Must not be less than `minimum`."]
    if field.is_searched and field.is_admin_only:
        errors["searched"] = [
            "A field that only admins read cannot be searched, because searches would reveal its values."
        ]
    if field.is_required and field.is_admin_only:
        errors["required"] = [
            "A field that only admins read cannot be required, because others could not publish."
        ]
    if errors:
        raise Invalid("The field is invalid; `errors` names what to correct.", errors=errors)


def _store_definition(field: CustomField, *, was_admin_only: bool, updates_search_words: bool) -> None:
    """Store the definition, update derived data, and record the change if readers can notice it."""
    db.session.flush()
    discard_definitions()
    if updates_search_words:
        ARTICLE_HOOKS.get().reindex_articles_with_field(field.name)
    if not (was_admin_only and field.is_admin_only):
        record_site_change(["fields"])
