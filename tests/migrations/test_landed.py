"""Migrations that have landed are frozen, and a blog of each comes through to the present one."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import MetaData, Uuid, create_engine, insert, select

from blogapi.storage import upgrades
from blogapi.storage.database import db
from tests.conftest import ARTICLES, release
from tests.engines import SERVER
from tests.migrations.alembic_runs import migrate_to
from tests.migrations.fill import LATER, PASSWORD

BLOGS = Path(__file__).parent / "blogs"

# Of the text with line feeds, as the repository keeps it.
DIGESTS = {
    "0001": "e6d4872f4684c611ce717743f2554b43fa034ef09e5292be614f93724b970b6d",
    "0002": "c60356399e0fdcc065ce575e5a8e31fcd9c062fd139d84d8ac14ad41bb659166",
    "0003": "bb0c7c5774c8f87a86db0ae46608a34a8c970762641de6a90ebdd41ee38f3323",
    "0004": "afee9252fba6d117176d638f0c7d135757b64fc24c221d45679437befb025b76",
}

# Made anew from the other tables where this version renders otherwise, or counted by each engine itself.
INDEX = {"search_index", "search_entry"}
DERIVED = INDEX | {"article_pieces", "article_tally", "revision", "alembic_version"}


def kept(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what of a row no migration and no start changes, with UUIDs as SQLite keeps them."""
    left_out = {"pieces"}
    if row.get("owner_id") is None:
        # What a key of nobody may do is decided by later versions.
        left_out.add("scope")
    written = {name: one.hex if isinstance(one, UUID) else one for name, one in row.items()}
    return sorted((name, one) for name, one in written.items() if name not in left_out)


@pytest.mark.parametrize("migration", upgrades.list_migrations())
def test_a_migration_that_has_landed_is_not_edited(migration):
    (path,) = (upgrades.SCRIPTS / "versions").glob(f"{migration}_*.py")
    digest = hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    if migration not in DIGESTS:
        pytest.fail(
            f"{path.name} is new. When it is ready to land, add its digest to DIGESTS ({digest}) and make "
            "its blog with: PYTHONPATH=. python tests/migrations/fill.py. From then on it is not edited."
        )
    assert digest == DIGESTS[migration], (
        f"{path.name} has landed: blogs have taken it and take it no second time. Restore it, and write what "
        "it should have done into a new migration."
    )


@pytest.mark.parametrize("migration", upgrades.list_migrations())
def test_a_migration_has_its_blog(migration):
    assert (BLOGS / f"{migration}.sql").is_file() and (BLOGS / f"{migration}.json").is_file()
    assert f"INSERT INTO \"alembic_version\" VALUES('{migration}');" in read(f"{migration}.sql")


def read(name: str) -> str:
    return (BLOGS / name).read_text(encoding="utf-8")


def rows(connection: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table that is not derived."""
    metadata = MetaData()
    metadata.reflect(connection, only=lambda name, _: not name.startswith("search_index"))
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table))]
        for table in metadata.sorted_tables
        if table.name not in DERIVED
    }


MIGRATIONS = sorted(path.stem for path in BLOGS.glob("*.sql"))
OLDER = MIGRATIONS[:-1]


@pytest.fixture(params=MIGRATIONS)
def landed(request, tmp_path, instance, blogs):
    """A blog as the version of a migration left it, in the place of the test's own; its rows and answers."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(read(f"{request.param}.sql"))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        before = rows(connection)
        if SERVER:
            into_server(connection, blogs, tmp_path, request.param, instance)
    engine.dispose()
    if not SERVER:
        instance.mkdir()
        shutil.copy(path, instance / "blog.db")
        (instance / "blog.db").chmod(0o600)
    return before, json.loads(read(f"{request.param}.json"))


def into_server(source, blogs, tmp_path, migration, instance):
    """Put the rows into a database of PostgreSQL at the migration, and that in the place of the test's."""
    url = blogs.nothing(tmp_path)
    target = create_engine(url)
    migrate_to(target, migration)
    given, taken = MetaData(), MetaData()
    given.reflect(source)
    with target.begin() as connection:
        taken.reflect(connection)
        for table in reversed(taken.sorted_tables):
            connection.execute(table.delete())
        # The index is made anew, as the rendering of the copy is unknown.
        for table in taken.sorted_tables:
            found = (
                source.execute(select(given.tables[table.name])).mappings() if table.name not in INDEX else ()
            )
            if values := [{name: typed(table.c[name], row[name]) for name in row} for row in found]:
                connection.execute(insert(table), values)
        if "article_tally" in taken.tables:
            connection.execute(taken.tables["article_tally"].update().values(renderer=""))
    target.dispose()
    blogs.lay(url.rsplit("/", 1)[1], instance)


def typed(column: Any, value: Any) -> Any:
    return UUID(value) if isinstance(column.type, Uuid) and value is not None else value


def comparable(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[Any]]:
    """Return the rows in one order."""
    return {table: sorted((kept(row) for row in held), key=repr) for table, held in found.items()}


def test_a_landed_blog_comes_through_the_upgrade(landed, make_app, make_client, at):
    before, seen = landed
    at(LATER + timedelta(minutes=1))
    app = make_app()
    with app.app_context(), db.engine.connect() as connection:
        after = comparable(rows(connection))
    for table, there in comparable(before).items():
        assert after[table] == there, table

    keys = seen["keys"]
    for name in ("anonymous", "read"):
        client = make_client(app, keys[name])
        assert {path: client.get(path).json for path in seen[name]} == seen[name]
    client = make_client(app, keys["anonymous"])
    found = client.get(f"{ARTICLES}?q=bread&fields=title").json
    assert {one["title"] for one in found} == {"html", "Markdown, later", "text"}
    assert client.get(f"{ARTICLES}?q=unseen").json == []
    own = make_client(app, keys["read"]).get(f"{ARTICLES}author/me/?fields=title,status").json
    assert len(own) == 8 and {one["status"] for one in own} == {"draft", "archived", "scheduled", "published"}
    statuses = {name: make_client(app, key).get(ARTICLES).status_code for name, key in keys.items()}
    assert statuses == dict.fromkeys(keys, 200) | {"expired": 401}
    path = next(iter(seen["read"]))
    assert make_client(app, keys["member"]).patch(path, json={"title": "x"}).status_code == 403
    assert make_client(app, keys["write"]).patch(path, json={"subtitle": "new"}).status_code == 200
    told = make_client(app).post("/api/v1/auth/login/", json={"username": "mel", "password": PASSWORD})
    assert told.status_code == 200
    if not SERVER:
        told = app.test_cli_runner().invoke(args=["doctor"]).stdout.splitlines()
        # The file was written just now, the blog in the past.
        assert [line for line in told if line.startswith("wrong") and " clock: " not in line] == []
    release(app)


@pytest.mark.sqlite("its file is copied first")
@pytest.mark.parametrize("landed", OLDER, indirect=True)
def test_the_copy_set_aside_brings_a_landed_blog_back(landed, make_app, make_client, at, instance):
    _, seen = landed
    at(LATER + timedelta(minutes=1))
    app = make_app()
    copies = list((instance / "backups").glob("before-upgrade-from-*.db"))
    path = next(iter(seen["read"]))
    writer = make_client(app, seen["keys"]["write"])
    assert writer.patch(path, json={"title": "Changed"}).status_code == 200
    content = copies[0].read_bytes()
    verified = app.test_cli_runner().invoke(args=["backup", "--verify", str(copies[0])])
    assert verified.exit_code == 0, verified.output
    told = app.test_cli_runner().invoke(args=["restore", str(copies[0])])
    assert told.exit_code == 0 and "8 articles" in told.stdout, told.output
    assert copies[0].read_bytes() == content
    assert writer.get(path).json == seen["read"][path]
    release(app)
