"""Creates, changes and deletes the definitions of custom fields; the values of articles are never changed."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

from sqlalchemy import func, select

from blogapi.content.custom_fields import queries
from blogapi.content.custom_fields.articles import ARTICLES
from blogapi.content.custom_fields.definitions import forget_definitions
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.site.service import record_change
from blogapi.storage.database import current_time, db, transaction
from blogapi.web.errors import Conflict, Errors, Invalid
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.representation import UpsertResult

MAX_FIELDS = 100

# These fields decide which values fit, and which values searches cover.
_DERIVED_FROM = ("type", "is_list", "choices", "minimum", "maximum", "is_searched", "is_admin_only")
_DEFAULTS: Fields = {
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


def create(fields: Fields, *, uuid: UUID | None = None) -> WithAttributes:
    """Define a field and return it; see `define`."""
    return queries.get_details(define(fields, uuid=uuid).uuid)


def define(fields: Fields, *, uuid: UUID | None = None) -> CustomField:
    """Define a field; values that articles already have under its name are shown again.

    Raises Conflict if the name is taken, and Invalid if its properties contradict each other.
    """
    with transaction(visible=False):
        names = set(db.session.scalars(select(CustomField.name)))
        if fields["name"] in names:
            raise Conflict(f"There is a field {fields['name']!r} already; choose another name.")
        if len(names) >= MAX_FIELDS:
            raise Conflict(f"There are {MAX_FIELDS} fields already; delete one first.")
        last = db.session.scalar(select(func.max(CustomField.position))) or 0
        field = CustomField(uuid=uuid or uuid4(), created=current_time(), position=last + 1)
        _set_fields(field, {**_DEFAULTS, **fields})
        db.session.add(field)
        _store(field, was_admin_only=True, is_derived_again=True)
    return field


def replace(uuid: UUID, fields: Fields) -> UpsertResult:
    """Create or replace the definition with this uuid."""
    if db.session.get(CustomField, uuid) is None:
        return UpsertResult(create(fields, uuid=uuid), created=True)
    return UpsertResult(change(uuid, {**_DEFAULTS, **fields}), created=False)


def change(uuid: UUID, fields: Fields) -> WithAttributes:
    """Change the given fields of a definition; values that no longer fit are kept."""
    with transaction(visible=False):
        field = queries.get_by_uuid(uuid)
        if fields.get("name", field.name) != field.name:
            raise Invalid(
                "The name of a field cannot change: front ends and imports use it.",
                errors={"name": ["Cannot change."]},
            )
        was_admin_only = field.is_admin_only
        before = [getattr(field, name) for name in _DERIVED_FROM]
        _set_fields(field, fields)
        changed = before != [getattr(field, name) for name in _DERIVED_FROM]
        _store(field, was_admin_only=was_admin_only, is_derived_again=changed)
    return queries.get_details(uuid)


def delete(uuid: UUID) -> None:
    """Delete a definition; the values stay in the articles, hidden, until a field has the name again."""
    with transaction(visible=False):
        field = queries.get_by_uuid(uuid)
        db.session.delete(field)
        _store(field, was_admin_only=field.is_admin_only, is_derived_again=True)


def _set_fields(field: CustomField, fields: Fields) -> None:
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


def _store(field: CustomField, *, was_admin_only: bool, is_derived_again: bool) -> None:
    """Store the definition, update derived data, and record the change if readers can notice it."""
    db.session.flush()
    forget_definitions()
    if is_derived_again:
        ARTICLES.get().update_derived_data(field.name)
    if not (was_admin_only and field.is_admin_only):
        record_change(["fields"])
