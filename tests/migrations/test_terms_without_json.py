"""The migration that drops the stored JSON of terms and files: lists show the same rows, in the new order."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, inspect

from blogapi.storage.database import db
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import AUTHORS, CATEGORIES, TAGS, close_connections
from tests.databases import SERVER_URL
from tests.migrations.record_blog import LATER
from tests.migrations.test_landed import BLOGS, copy_to_server

pytestmark = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")

BEFORE = "0037"
NAMES = ["?!", "Ábel", "ähnlich", "alaska", "Öl", "Zoe", "long " + "ß" * 300]
ORDERED = ["?!", "Ábel", "ähnlich", "alaska", NAMES[-1], "Öl", "Zoe"]


def rename_terms(connection):
    """Give copies of a term of each kind these names."""
    for table in ("category", "tag", "author"):
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for number, name in enumerate(sorted(NAMES)):
            own = {"uuid": f"'{number:032}'", "name": "?", "slug": f"'s-{number}'", "json": "x''"}
            own |= {"owner_id": "NULL"} if table == "author" else {}
            values = ", ".join(own.get(column, column) for column in names)
            connection.execute(f"INSERT INTO {table} SELECT {values} FROM {table} LIMIT 1", (name,))  # noqa: S608
    # The new version renders all articles.
    connection.execute("UPDATE article_stats SET renderer = ''")


@pytest.fixture
def app(tmp_path, instance, databases, make_app, set_clock):
    """The upgraded blog."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript((BLOGS / f"{BEFORE}.sql").read_text(encoding="utf-8"))
        rename_terms(connection)
    if SERVER_URL:
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            copy_to_server(connection, databases, tmp_path, BEFORE, instance)
        engine.dispose()
    else:
        instance.mkdir()
        with allow_opening():
            shutil.copy(path, instance / "blog.db")
        (instance / "blog.db").chmod(0o600)
    set_clock(LATER + timedelta(minutes=1))
    app = make_app()
    yield app
    close_connections(app)


def test_terms_are_ordered_by_the_words_of_their_names(app, make_client):
    key = json.loads((BLOGS / f"{BEFORE}.json").read_text(encoding="utf-8"))["keys"]["read"]
    for path in (CATEGORIES, TAGS, AUTHORS):
        shown = make_client(app, key).get(f"{path}?fields=name").json
        assert [term["name"] for term in shown if term["name"] in NAMES] == ORDERED, path


def test_no_table_stores_json(app):
    with app.app_context():
        columns = {
            name: {column["name"] for column in inspect(db.engine).get_columns(name)}
            for name in ("category", "tag", "author", "media")
        }
    assert [name for name, found in columns.items() if "json" in found] == []
    assert [name for name, found in columns.items() if "sort_key" in found] == ["category", "tag", "author"]
