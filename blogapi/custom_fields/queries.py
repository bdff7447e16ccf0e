"""Queries for the definitions of custom fields."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import case, func, select

from blogapi.custom_fields.definitions import list_visible
from blogapi.custom_fields.models import CustomField, CustomValue
from blogapi.storage.database import db
from blogapi.web.access import current_caller
from blogapi.web.errors import NotFound
from blogapi.web.fields import WithAttributes


def list_fields() -> list[WithAttributes]:
    """Return the definitions that the caller may read, by position."""
    return describe(list_visible(current_caller()))


def describe(fields: Sequence[CustomField]) -> list[WithAttributes]:
    """Return the definitions with the numbers of articles that have a value, and one that does not fit."""
    unfit = func.sum(case((CustomValue.key == "", 1), else_=0))
    statement = select(CustomValue.name, func.count(CustomValue.article_id.distinct()), unfit)
    statement = statement.where(CustomValue.name.in_([field.name for field in fields]))
    numbers = {
        name: (used, unfit) for name, used, unfit in db.session.execute(statement.group_by(CustomValue.name))
    }
    return [
        WithAttributes(field, used_in=used, unfit_in=int(unfit))
        for field in fields
        for used, unfit in [numbers.get(field.name, (0, 0))]
    ]


def get_by_uuid(uuid: UUID) -> CustomField:
    """Return the definition; raises NotFound if there is none that the caller may read."""
    fields = [field for field in list_visible(current_caller()) if field.uuid == uuid]
    if not fields:
        raise NotFound("There is no such field; GET /api/v1/blog/fields/ lists the fields.")
    return fields[0]


def get_described(uuid: UUID) -> WithAttributes:
    """Return the definition as `describe` does; raises NotFound if there is none."""
    return describe([get_by_uuid(uuid)])[0]
