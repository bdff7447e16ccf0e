"""The migration that gives a page whose uuid is zeros a new uuid, with all that refers to it."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from importlib import import_module
from uuid import UUID

import pytest
from sqlalchemy import LargeBinary, MetaData, String, Uuid, create_engine, func, select

from blogapi.storage import integrity
from blogapi.storage.database import Base, db
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, close_connections
from tests.databases import SERVER_URL
from tests.migrations.alembic_runner import migrate_to
from tests.migrations.record_blog import LATER
from tests.migrations.test_landed import BLOGS, copy_to_server

pytestmark = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")

migration = import_module("blogapi.migrations.versions.0029_page_of_zeros")

ZEROS = UUID(int=0)
PAGES, MEDIA = "/api/v1/blog/pages/", "/api/v1/blog/media/"
FILE = b"%PDF-1.4 a file of the test %%EOF"
HASH = hashlib.sha256(FILE).hexdigest()
TIME = "2026-01-01 06:00:00.000000"

OF_ACCOUNTS = "the uuid of a user"
LATER_TABLE = "a later migration creates the table"
OWN = "the uuid of the row itself, which no request chooses, or only as a valid uuid"
# The other columns with uuids, each with the reason why it contains none of an article or a page.
OTHER_UUIDS = {
    **{
        f"{table}.uuid": OWN
        for table in (
            *("account", "api_key", "author", "category", "custom_field", "import_job", "media", "preview"),
            *("redirect", "site", "tag", "webhook", "webhook_delivery"),
        )
    },
    **dict.fromkeys(
        ("article_revision.author_id", "article_revision.user_id", "idempotent_answer.user_id"), OF_ACCOUNTS
    ),
    **dict.fromkeys(("import_job.user_id", "working_copy.user_id"), OF_ACCOUNTS),
    **dict.fromkeys(("deleted_item.author_id", "deleted_item.user_id"), OF_ACCOUNTS),
    "deleted_item.uuid": LATER_TABLE,
    "former_term_slug.term_id": "the uuid of a term",
    "category.parent_id": "the uuid of a category",
    "article_tag.category_id": "the uuid of a category",
    "article.seo_uuid": "the uuid of the SEO record, which nothing refers to",
}
# The tables whose texts refer to no article by its uuid, or need no change, each with the reason.
DERIVED = "rendered again, because the migration empties `article_stats.renderer`"
NO_LINKS = "its texts contain no links to articles"
OTHER_TEXTS = {
    **dict.fromkeys(("author", "category", "tag", "site", "media", "custom_field"), NO_LINKS),
    **dict.fromkeys(("account", "api_key", "one_time_link", "recovery_code", "web_session"), NO_LINKS),
    **dict.fromkeys(("former_slug", "former_term_slug", "article_tag", "article_author"), NO_LINKS),
    **dict.fromkeys(("preview", "media_former_hash", "media_use", "webhook"), NO_LINKS),
    "article_stats": DERIVED,
    "deleted_item": LATER_TABLE,
    "release": LATER_TABLE,
    "lifted_guess": LATER_TABLE,
    "former_path": "the paths of other systems",
    "media_path": "the paths of other systems",
    "redirect": "addresses of the site, which have no uuids of zeros",
    "imported": "the keys of files; an import refuses a uuid of zeros",
    "import_job": "the options and the result of an import, which refuses a uuid of zeros",
    "event": "the addresses before and after a change, as they were",
    "commit_counter": "random texts",
    "webhook_delivery": "what was sent, as it was sent",
    "idempotent_answer": "what was answered, for a day",
}


def test_each_column_that_can_contain_the_uuid_of_a_page_is_followed():
    columns = [column for table in Base.metadata.sorted_tables for column in table.c]
    uuids = [column for column in columns if isinstance(column.type, Uuid)]
    targets = {
        f"{column.table.name}.{column.name}": {key.column.table.name for key in column.foreign_keys}
        for column in uuids
    }
    followed = {f"{table}.{column}" for table, column in migration.COLUMNS} | {"article.uuid"}
    assert {name for name, tables in targets.items() if "article" in tables} <= followed
    undecided = {name for name, tables in targets.items() if not tables}
    assert undecided == (followed & undecided) | OTHER_UUIDS.keys()
    # 0035 and 0038 drop these tables.
    dropped = {f"{table}.article_id" for table in ("custom_value", "article_json", "seo")}
    assert followed - dropped <= targets.keys()


def test_each_table_with_texts_is_changed_or_exempt():
    texts = {
        column.table.name
        for table in Base.metadata.sorted_tables
        for column in table.c
        if isinstance(column.type, (String, LargeBinary)) and not isinstance(column.type, Uuid)
    }
    changed = {table for table, _ in migration.TEXTS}
    assert texts == changed | (OTHER_TEXTS.keys() & texts)
    assert not changed & OTHER_TEXTS.keys()


# Blogs


def record_old(folder, change=None):
    """Return the path of the blog that was recorded before the migration, changed by a function."""
    path = folder / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        integrity.define_sqlar_uncompress(connection)
        connection.executescript((BLOGS / "0028.sql").read_text(encoding="utf-8"))
        if change is not None:
            change(connection)
        connection.commit()
    return path


@pytest.fixture
def upgrade(tmp_path, instance, databases, make_app):
    """Return a function that changes the blog recorded before the migration, and starts it."""

    def upgrade(change):
        path = record_old(tmp_path, change)
        instance.mkdir(exist_ok=True)
        if SERVER_URL:
            engine = create_engine(f"sqlite:///{path}")
            with engine.connect() as connection:
                copy_to_server(connection, databases, tmp_path, "0028", instance)
            engine.dispose()
        else:
            with allow_opening():
                shutil.copy(path, instance / "blog.db")
            (instance / "blog.db").chmod(0o600)
        stored = instance / "media" / HASH[:2] / f"{HASH}.pdf"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(FILE)
        return make_app()

    return upgrade


def add_page(connection):
    """Make a page of an article, with a row in each table that can refer to it, and a page below it."""

    def insert(table, *values):
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608

    def change_versions(where, **fields):
        rows = connection.execute(
            f"SELECT article_id, number, content FROM article_revision WHERE {where}"  # noqa: S608
        ).fetchall()
        assert rows
        for article, number, content in rows:
            text = json.dumps(json.loads(content) | fields, ensure_ascii=False)
            key = (text, article, number)
            connection.execute(
                "UPDATE article_revision SET content = ? WHERE article_id = ? AND number = ?", key
            )

    def make_page(uuid, slug):
        connection.execute(
            "UPDATE article SET type = 'page', category_id = NULL, slug = ? WHERE uuid = ?", (slug, uuid)
        )
        for table in ("article_json", "article_tag"):
            connection.execute(f"UPDATE {table} SET category_id = NULL WHERE article_id = ?", (uuid,))  # noqa: S608
        connection.execute("UPDATE event SET kind = 'page', slug = ? WHERE uuid = ?", (slug, uuid))

    find = "SELECT uuid FROM article WHERE slug = ?"
    ((page,),) = connection.execute(find, ("html-again",)).fetchall()
    ((below,),) = connection.execute(find, ("taken-in",)).fetchall()
    ((other,),) = connection.execute(find, ("markdown",)).fetchall()
    ((user,),) = connection.execute("SELECT uuid FROM account WHERE username = 'ada'").fetchall()
    ((tag,),) = connection.execute("SELECT uuid FROM tag WHERE slug = 'rye'").fetchall()
    link, media = f"[Imprint](article:{UUID(page)})", UUID(HASH[:32]).hex
    make_page(page, "imprint")
    make_page(below, "below")
    change_versions(f"article_id = '{page}'", type="page")
    text = f"{link} and `ARTICLE:{ZEROS}`, but not {ZEROS}"
    connection.execute("UPDATE article SET content = ? WHERE uuid = ?", (text, other))
    change_versions(f"article_id = '{other}'", content=text)
    connection.execute("UPDATE article SET parent_id = ?, version = 2 WHERE uuid = ?", (page, below))
    version = connection.execute(
        "SELECT content FROM article_revision WHERE article_id = ? ORDER BY number DESC", (page,)
    ).fetchone()[0]
    edits = json.loads(version) | {
        "title": "Edited",
        "type": "page",
        "content": f"Edits of {link} ![](media:{UUID(media)})",
    }
    insert("working_copy", page, user, TIME, TIME, 1, 4, json.dumps(edits))
    below_page = json.loads(version) | {"slug": "below", "type": "page", "parent": str(UUID(page))}
    insert("article_revision", below, 1, user, user, TIME, json.dumps(below_page), "")
    insert("open_article", page, user, TIME)
    insert("preview", UUID(int=7).hex, "1" * 64, page, user, TIME, "2999-01-01 00:00:00.000000")
    insert("former_path", "/old/imprint", page, TIME)
    insert("imported", "site/imprint.md", page, "1" * 64, TIME, None)
    insert("article_tag", page, tag, 0, TIME, None)
    insert("custom_value", page, "rating", "5", TIME)
    values = (media, TIME, TIME, "terms.pdf", "application/pdf", len(FILE), HASH, HASH, None, None, "", "")
    insert("media", *values, None, user, b"")
    insert("media_use", media, "article", page, 1)
    insert("media_use", media, "working_copy", page, 1)
    insert("media_path", page, "terms.pdf", media)
    # The page refers to the file, so that its use is right.
    connection.execute(
        "UPDATE article SET cover_image = ? WHERE uuid = ?", (f"/media/{HASH}/terms.pdf", page)
    )
    rename(connection, page)


def rename(connection, uuid):
    """Replace the uuid by zeros in the whole database, as a `PUT` to a malformed id has made it."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table.startswith(("sqlite_", "search_index")):
            continue
        for column in connection.execute(f"PRAGMA table_info({table})").fetchall():
            name, type_ = column[1], column[2]
            if type_ == "CHAR(32)":
                update = f"UPDATE {table} SET {name} = ? WHERE {name} = ?"  # noqa: S608
                connection.execute(update, (ZEROS.hex, uuid))
            elif name in ("content", "uuid_json"):
                form = "BLOB" if type_ == "BLOB" else "TEXT"
                update = f"UPDATE {table} SET {name} = CAST(replace({name}, ?, ?) AS {form})"  # noqa: S608
                connection.execute(update, (str(UUID(uuid)), str(ZEROS)))


def read_rows(connection):
    """Return the rows of all tables as texts, by table."""
    metadata = MetaData()
    metadata.reflect(connection, only=lambda name, _: not name.startswith("search_index"))
    return {
        table.name: [
            {
                name: value.decode("latin-1") if isinstance(value, bytes) else str(value)
                for name, value in row.items()
            }
            for row in connection.execute(select(table)).mappings()
        ]
        for table in metadata.sorted_tables
    }


def count_rows(connection, uuid):
    """Return the number of rows with the uuid by column; its type is that of the models."""
    tables = Base.metadata.tables
    return {
        f"{table}.{column}": connection.scalar(
            select(func.count()).select_from(tables[table]).where(tables[table].c[column] == uuid)
        )
        for table, column in (("article", "uuid"), *migration.COLUMNS)
        if table in tables
    }


def test_a_page_of_zeros_gets_a_new_uuid_with_all_that_refers_to_it(
    upgrade, tmp_path, make_client, set_clock
):
    set_clock(LATER + timedelta(minutes=1))
    app = upgrade(add_page)
    recorded = json.loads((BLOGS / "0028.json").read_text(encoding="utf-8"))["keys"]
    as_admin, as_reader = (make_client(app, recorded[name]) for name in ("write", "anonymous"))
    page = as_reader.get(f"{PAGES}imprint/").json
    assert page["title"] == "html" and UUID(page["uuid"]) != ZEROS

    before = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    with before.connect() as connection:
        counts = count_rows(connection, ZEROS)
    before.dispose()
    assert all(counts.values()), counts
    with app.app_context(), db.engine.connect() as connection:
        found, rows = count_rows(connection, UUID(page["uuid"])), read_rows(connection)
    # The start records that the page was rendered.
    counts |= {"event.uuid": counts["event.uuid"] + 1}
    assert found == counts
    forms = (str(ZEROS), ZEROS.hex)
    left = {
        f"{table}.{name}"
        for table, held in rows.items()
        for row in held
        for name, value in row.items()
        if any(form in value.replace(f"but not {ZEROS}", "") for form in forms)
    }
    assert not left

    path = f"{PAGES}{page['uuid']}/"
    assert len(as_admin.get(f"{path}revisions/").json) == counts["article_revision.article_id"]
    assert as_admin.get(f"{path}revisions/1/").json["title"] == "html"
    assert as_admin.get(f"{path}working-copy/").json["title"] == "Edited"
    assert f"(article:{page['uuid']})" in as_admin.get(f"{path}working-copy/").json["content"]
    assert len(as_admin.get(f"{path}preview/").json) == 1
    (file,) = as_admin.get(MEDIA).json
    assert {use["uuid"] for use in as_admin.get(f"{MEDIA}{file['uuid']}/uses/").json} == {page["uuid"]}
    below = as_reader.get(f"{PAGES}below/").json
    assert below["parent"] == page["uuid"]
    assert as_admin.get(f"{PAGES}{below['uuid']}/revisions/1/").json["parent"] == page["uuid"]
    assert as_reader.get(f"{PAGES}html/", follow_redirects=True).json == page
    linking = as_admin.get(f"{ARTICLES}markdown/?fields=content").json["content"]
    new = page["uuid"]
    assert linking == f"[Imprint](article:{new}) and `ARTICLE:{new}`, but not {ZEROS}"
    changes = as_reader.get("/api/v1/blog/changes/").json["changes"]
    assert [one["kind"] for one in changes if one["uuid"] == page["uuid"]] == ["page"]
    result = app.test_cli_runner().invoke(args=["doctor", "--full"])
    lines = result.stdout.splitlines()
    assert any(line.startswith("ok") for line in lines), result.output
    assert [line for line in lines if line.startswith("wrong") and " clock: " not in line] == [], lines
    close_connections(app)


@pytest.mark.sqlite("the tests of recorded blogs run the migration on PostgreSQL too")
def test_without_such_a_page_the_migration_changes_nothing(tmp_path):
    engine = create_engine(f"sqlite:///{record_old(tmp_path)}")
    states = []
    for last in ("0028", "0029"):
        migrate_to(engine, last)
        with engine.connect() as connection:
            states.append(read_rows(connection))
    engine.dispose()
    assert len(states[0]["article"]) == 8 and states[0]["article_stats"][0]["renderer"]
    assert [state.pop("alembic_version")[0]["version_num"] for state in states] == ["0028", "0029"]
    assert states[0] == states[1]
