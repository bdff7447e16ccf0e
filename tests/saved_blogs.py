"""Copies of the blogs that fixtures have filled, because copying a database is faster than filling one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from flask import Flask
from sqlalchemy import Table, delete, func, insert, select

from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.users.models import WebSession
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.storage.database import db, table_of
from tests.databases import Databases, close_connections

Value = TypeVar("Value")
Rows = dict[Table, list[dict[str, Any]]]

# The keys and the logins of a test, which its fixtures may have created before, are in no copy.
_OF_TEST = (table_of(ApiKey), table_of(WebSession))


@dataclass
class SavedBlogs:
    """The copies of this worker, and what the functions that have filled them have returned, by name."""

    copies: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def fill(
        self, app: Flask, databases: Databases, instance: Path, name: str, fill: Callable[[], Value]
    ) -> Value:
        """Fill the blog by the function, or by the copy after its first call; return what it returned.

        The blog must contain only the shared users, their keys and their logins.
        """
        rows = _read_rows(app)
        if name in self.copies:
            close_connections(app)
        else:
            value = fill()
            _delete_rows(app, rows)
            self.copies[name] = databases.save_copy(app), value
        copy, value = self.copies[name]
        databases.restore_copy(copy, instance)
        _insert_rows(app, rows)
        return value


def _read_rows(app: Flask) -> Rows:
    with app.app_context(), db.engine.connect() as connection:
        counts = [
            connection.scalar(select(func.count()).select_from(model)) for model in (Article, Category, Tag)
        ]
        assert counts == [0, 0, 0], "the blog must be filled before other items are created"
        return {
            table: [{**row} for row in connection.execute(select(table)).mappings()] for table in _OF_TEST
        }


def _delete_rows(app: Flask, rows: Rows) -> None:
    with app.app_context(), db.engine.begin() as connection:
        for table, found in rows.items():
            digests = [row["digest"] for row in found]
            connection.execute(delete(table).where(table.c.digest.in_(digests)))


def _insert_rows(app: Flask, rows: Rows) -> None:
    with app.app_context(), db.engine.begin() as connection:
        for table, found in rows.items():
            if found:
                connection.execute(insert(table), found)
