"""The queries of imports work for any number of values."""

from __future__ import annotations

import sqlite3
from uuid import uuid4

import pytest

from blogapi.content.taxonomies.tags import TAGS
from blogapi.importing import queries
from blogapi.importing.storing.exported_terms import ExportedTerm, match_terms
from blogapi.storage.database import current_time, db

# SQLite allows 32,766 parameters unless it was built with another limit, and PostgreSQL 65,535.
SQLITE_LIMIT, COUNT = 32_766, 70_000


@pytest.fixture
def context(app):
    """The context of the application, with the usual limit of SQLite."""
    with app.app_context():
        connection = db.session.connection().connection.driver_connection
        if isinstance(connection, sqlite3.Connection):
            former = connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_LIMIT)
        yield
        if isinstance(connection, sqlite3.Connection):
            connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, former)


def test_many_media_files_are_looked_up(context):
    assert queries.find_media_by_digests([f"{number:064}" for number in range(COUNT)]) == {}
    assert queries.find_media_by_uuids([uuid4() for _ in range(COUNT)]) == {}


def test_many_terms_of_an_export_are_looked_up(context):
    now, slugs = current_time(), [f"t-{number}" for number in range(COUNT)]
    exported = {
        ("tag", slug): ExportedTerm(
            kind=TAGS.singular, uuid=uuid4(), fields={"slug": slug}, created=now, last_updated=now
        )
        for slug in slugs
    }
    assert match_terms(TAGS.singular, slugs, exported) == {}
