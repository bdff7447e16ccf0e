"""The custom fields in responses: only fields that the caller may read, and only values that fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar
from uuid import UUID

from flask import g, has_request_context
from sqlalchemy import select

from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.custom_values import CustomValues
from blogapi.content.custom_fields.definitions import list_definitions, list_visible_fields
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.publication.visibility import is_readable
from blogapi.storage.database import Base, current_time, db
from blogapi.web.access import Caller, current_caller

_CUSTOM_PREFIX = "custom."


class FieldDifference(Protocol):
    """A difference between two versions of an article."""

    @property
    def field(self) -> str:
        """The name of the field; for a custom field, it begins with `custom.`."""


DifferenceType = TypeVar("DifferenceType", bound=FieldDifference)


def select_shown_values(articles: Sequence[CustomValues]) -> list[dict[str, Any]]:
    """Return, for each article, the values that fit and that the caller may read.

    Callers who see no drafts get no references to articles that are not public.
    """
    fields = list_visible_fields(current_caller()) if any(articles) else []
    shown = [
        {
            field.name: custom_values.make_picture_urls_absolute(field, values[field.name])
            for field in fields
            if field.name in values and custom_values.fits_definition(field, values[field.name])
        }
        for values in articles
    ]
    references = [field for field in fields if field.type == FieldType.ARTICLE]
    return _hide_references(shown, references) if references else shown


def _hide_references(shown: list[dict[str, Any]], fields: Sequence[CustomField]) -> list[dict[str, Any]]:
    if current_caller().sees_drafts:
        return shown
    named = {
        UUID(uuid)
        for values in shown
        for field in fields
        if field.name in values
        for uuid in custom_values.list_single_values(field, values[field.name])
    }
    article = Base.metadata.tables["article"].c
    rows = db.session.execute(
        select(article.uuid, article.status, article.published_at).where(article.uuid.in_(named))
    )
    known = {str(row.uuid) for row in rows if is_readable(row, current_time())}
    for values in shown:
        for field in fields:
            if field.name in values:
                kept = [
                    uuid
                    for uuid in custom_values.list_single_values(field, values[field.name])
                    if uuid in known
                ]
                values[field.name] = kept if field.is_list else next(iter(kept), None)
                if not kept:
                    del values[field.name]
    return shown


def list_unfit_values(values: CustomValues, *, is_own: bool = True) -> dict[str, Any] | None:
    """Return the values that are hidden because they do not fit; None if the caller cannot see drafts."""
    caller = current_caller()
    if not (caller.sees_drafts or (caller.restricted_to_author is not None and is_own)):
        return None
    fields = {field.name: field for field in list_visible_fields(caller)} if values else {}
    return {
        name: value
        for name, value in select_visible_values(values, caller).items()
        if name not in fields or not custom_values.fits_definition(fields[name], value)
    }


def select_visible_values(values: CustomValues, caller: Caller | None = None) -> dict[str, Any]:
    """Return the stored values that the caller may read, including values that do not fit.

    Only admins get values without a definition: the deleted definition may have been for admins only.
    Without a caller, as in a command, all values are returned.
    """
    if caller is None and has_request_context():
        caller = current_caller()
    if caller is None or caller.sees_admin_fields or not values:
        return dict(values)
    names = {field.name for field in list_visible_fields(caller)}
    return {name: value for name, value in values.items() if name in names}


def select_hidden_values(values: CustomValues) -> dict[str, Any]:
    """Return the stored values that the caller may not read; a write by the caller keeps these values.

    Without a caller, as in a command, no value is hidden.
    """
    if not values or "caller" not in g:
        return {}
    visible = select_visible_values(values)
    return {name: value for name, value in values.items() if name not in visible}


def omit_admin_values(values: CustomValues) -> CustomValues:
    """Return the values without those of fields for admins only; values without a definition stay."""
    hidden = {field.name for field in list_definitions() if field.is_admin_only}
    return {name: value for name, value in values.items() if name not in hidden}


def select_visible_differences(changes: Sequence[DifferenceType]) -> list[DifferenceType]:
    """Return the differences between two versions, without custom fields that the caller may not read."""
    names = [change.field for change in changes if change.field.startswith(_CUSTOM_PREFIX)]
    visible = select_visible_values({name.removeprefix(_CUSTOM_PREFIX): None for name in names})
    return [
        change
        for change in changes
        if not change.field.startswith(_CUSTOM_PREFIX) or change.field.removeprefix(_CUSTOM_PREFIX) in visible
    ]


def select_public_field_names(names: Iterable[str]) -> list[str]:
    """Return the names of changed fields for an event, without custom fields that only admins may read."""
    public = {f"{_CUSTOM_PREFIX}{field.name}" for field in list_definitions() if not field.is_admin_only}
    return [name for name in names if not name.startswith(_CUSTOM_PREFIX) or name in public]


def make_public_field_schemas() -> Mapping[str, dict[str, Any]]:
    """Return the JSON schemas of the custom fields that everyone reads, by name."""
    return {
        field.name: custom_values.make_json_schema(field)
        for field in list_definitions()
        if not field.is_admin_only
    }
