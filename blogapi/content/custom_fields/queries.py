"""Queries for the definitions of custom fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.definitions import list_visible
from blogapi.content.custom_fields.models import NO_VALUES, CustomField
from blogapi.storage.database import Base, db
from blogapi.web.access import current_caller
from blogapi.web.errors import NotFound
from blogapi.web.fields import WithAttributes


def list_fields() -> list[WithAttributes]:
    """Return the definitions that the caller may read, by position."""
    return add_use_counts(list_visible(current_caller()))


def add_use_counts(fields: Sequence[CustomField]) -> list[WithAttributes]:
    """Return the definitions with `used_in` and `unfit_in`.

    They are the numbers of items with a value, and of items with a value that does not fit.
    """
    used, unfit = Counter[str](), Counter[str]()
    article = Base.metadata.tables["article"].c
    for stored in db.session.scalars(select(article.custom).where(article.custom != NO_VALUES)):
        values = custom_values.parse(stored)
        for field in fields:
            if field.name in values:
                used[field.name] += 1
                unfit[field.name] += not custom_values.fits(field, values[field.name])
    return [WithAttributes(field, used_in=used[field.name], unfit_in=unfit[field.name]) for field in fields]


def get_by_uuid(uuid: UUID) -> CustomField:
    """Return the definition; raises NotFound if there is none that the caller may read."""
    fields = [field for field in list_visible(current_caller()) if field.uuid == uuid]
    if not fields:
        raise NotFound("There is no such field; GET /api/v1/blog/fields/ lists the fields.")
    return fields[0]


def get_details(uuid: UUID) -> WithAttributes:
    """Return the definition as `add_use_counts` does; raises NotFound if there is none."""
    return add_use_counts([get_by_uuid(uuid)])[0]
