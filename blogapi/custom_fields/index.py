"""What is derived from the values of custom fields: their rows in the index, and the words for searches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import bindparam, delete, insert
from sqlalchemy.orm import Session

from blogapi.custom_fields import values as custom_values
from blogapi.custom_fields.definitions import list_definitions
from blogapi.custom_fields.models import NO_VALUES, CustomField, CustomValue
from blogapi.publication.visibility import Item, get_listed_from
from blogapi.storage.database import chunk, table_of

_value = table_of(CustomValue)
_DELETE = delete(_value).where(_value.c.article_id.in_(bindparam("uuids", expanding=True)))
_INSERT = insert(_value)


class HasValues(Item, Protocol):
    """An article, a page, or a former version of one; `custom` is a JSON object."""

    @property
    def custom(self) -> str:
        """The values by name."""


class StoredItem(HasValues, Protocol):
    """An article or a page."""

    @property
    def uuid(self) -> UUID:
        """Its uuid."""


def has_changed(article: HasValues, former: HasValues | None) -> bool:
    """Return whether the write of an article changes its rows in the index."""
    if former is None:
        return article.custom != NO_VALUES
    if article.custom == former.custom == NO_VALUES:
        return False
    return article.custom != former.custom or get_listed_from(article) != get_listed_from(former)


def store(session: Session, articles: Collection[StoredItem], *, new: bool = False) -> None:
    """Store the rows of these articles."""
    if not articles:
        return
    connection = session.connection()
    if not new:
        for some in chunk([article.uuid for article in articles]):
            connection.execute(_DELETE, {"uuids": some})
    if rows := [row for article in articles for row in _list_rows(article)]:
        connection.execute(_INSERT, rows)


def list_words(stored: str, fields: Sequence[CustomField] | None = None) -> list[str]:
    """Return the texts among the values of an article in which searches find words.

    `fields` are the definitions; None = read them from the database of the application.
    """
    if stored == NO_VALUES:
        return []
    return custom_values.join_words(list_definitions() if fields is None else fields, stored)


def _list_rows(article: StoredItem) -> list[dict[str, Any]]:
    if article.custom == NO_VALUES:
        return []
    definitions = {field.name: field for field in list_definitions()}
    listed_from = get_listed_from(article)
    return [
        {"article_id": article.uuid, "name": name, "key": key, "listed_from": listed_from}
        for name, value in custom_values.parse(article.custom).items()
        for key in sorted(custom_values.make_keys(definitions.get(name), value))
    ]
