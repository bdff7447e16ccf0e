"""The command `db copy` makes an exact copy of the whole blog, or leaves nothing behind."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, create_engine, delete, event, insert, update

from blogapi.__main__ import main
from blogapi.accounts.users import links
from blogapi.accounts.users import service as users
from blogapi.accounts.users.models import RecoveryCode
from blogapi.content.articles.models import Article, FormerPath
from blogapi.content.custom_fields.models import CustomField
from blogapi.content.media.models import FormerHash, MediaPath, MediaUse
from blogapi.content.presence import OpenArticle
from blogapi.content.search import engines
from blogapi.content.taxonomies.models import FormerTermSlug
from blogapi.delivery.redirects.custom.service import CustomRedirect
from blogapi.delivery.webhooks import queries as webhooks
from blogapi.importing.models import ImportedFile, ImportJob, LiftedGuess
from blogapi.operations.db_copy import service
from blogapi.operations.doctor import derived_data_checks as doctor
from blogapi.operations.doctor.findings import Level
from blogapi.storage.database import Base, db, table_of, transaction
from blogapi.storage.releases import Release
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS, close_connections
from tests.content.articles.stored_data import check_index
from tests.databases import SERVER_URL, open_sqlite
from tests.delivery.webhooks.rows import add_webhook
from tests.stored_pictures import store_picture

ODD_TEXT = "emoji 🥖👩‍🍳, 面包と東京, \u2028, e\u0301, \\ ' \" %s {x}"
PAGES = "/api/v1/blog/pages/"
FIELDS = (
    "?fields=uuid,title,subtitle,content,html,tags,category,seo,created,last_updated,published_at,authors"
)
PATHS = (
    ARTICLES + FIELDS,
    CATEGORIES,
    TAGS,
    AUTHORS,
    "/api/v1/blog/changes/?since=0",
    "/api/v1/blog/redirects/",
    f"{PAGES}?fields=*,parent,translations",
    "/api/v1/blog/site/",
)


def run_copy(*words):
    return CliRunner().invoke(main, ["db", "copy", *(str(word) for word in words)])


def get_url(app) -> str:
    """Close the database connections of the application and return the URL of the database."""
    with app.app_context():
        url = db.engine.url.render_as_string(hide_password=False)
    close_connections(app)
    return url


def test_references_of_a_table_to_itself_are_checked_at_the_commit():
    # Rows are copied in the order of their keys, so a row can precede the row to which it refers.
    references = (key for table in Base.metadata.sorted_tables for key in table.foreign_keys)
    inner = [key for key in references if key.column.table is key.parent.table]
    assert [str(key.parent) for key in inner if key.initially != "DEFERRED"] == []


@pytest.fixture
def full_blog(app, as_admin, people, make_article, make_tag, make_category):
    """A blog with all kinds of rows."""
    make_category(name="Empty", description=None)
    rye, wheat = make_tag(f"rye {ODD_TEXT[:20]}"), make_tag("wheat")
    first = make_article(
        title="Year 1",
        content=ODD_TEXT,
        subtitle=ODD_TEXT,
        tags=(wheat, rye),
        published_at="0001-01-01T00:00:00Z",
    )
    make_article(title="Year 9999", published_at="9999-12-31T23:59:59.999999Z")
    make_article(title="Draft", status="draft")
    make_article(title="Archived", status="archived", published_at="2020-02-29T12:34:56.000001Z")
    # The row of the page below the others comes first.
    above, page = (
        f"f{'0' * 7}-0000-4000-8000-{'0' * 12}",
        {"status": "published", "translation_key": ODD_TEXT},
    )
    for title, uuid, place in (("Above", above, {}), ("Below", above.replace("f", "1"), {"parent": above})):
        body = {"title": title, **page, **place, "language": "de" if place else ""}
        assert as_admin.put(f"{PAGES}{uuid}/", json=body).status_code == 201
    as_admin.patch(f"{PAGES}{above}/", json={"slug": "moved"})
    where = f"{ARTICLES}{first.uuid}/"
    as_admin.patch(where, json={"title": "Renamed", "slug": "renamed"})
    as_admin.patch(where, json={"content": f"# {ODD_TEXT} 面包", "content_type": "markdown"})
    as_admin.post(f"{where}preview/")
    as_admin.put(f"{where}working-copy/", json={"title": ODD_TEXT})
    as_admin.post(TAGS, json={"name": "once"}, headers={"Idempotency-Key": "k"})
    gone = as_admin.post(TAGS, json={"name": "gone"}).json["uuid"]
    as_admin.delete(f"{TAGS}{gone}/")
    deleted = make_article(title=ODD_TEXT)
    assert as_admin.delete(f"{ARTICLES}{deleted.uuid}/").status_code == 204
    people.key(None)
    picture = store_picture(app, "blue")
    with app.app_context():
        users.start_login(people.admin, lifetime=timedelta(days=3))
        links.create_reset_link(people.admin.uuid)
        row = {"key": "blog/a.md", "article_id": first.uuid, "digest": "d", "imported_at": datetime.now(UTC)}
        with transaction():
            db.session.execute(insert(ImportedFile).values(row))
            db.session.execute(insert(LiftedGuess).values(source=ODD_TEXT, name=ODD_TEXT))
            job = {"user_id": people.admin.uuid, "name": "blog.zip", "size": 2**40, "status": "finished"}
            db.session.execute(insert(ImportJob).values(job))
            former = {"kind": "tag", "slug": "former", "term_id": rye.uuid, "created": datetime.now(UTC)}
            db.session.execute(insert(FormerTermSlug).values(former))
            db.session.execute(insert(FormerPath).values(path=f"/2012/{ODD_TEXT}", article_id=first.uuid))
            use = {"media_id": picture.uuid, "kind": "article", "item_id": first.uuid, "current": False}
            db.session.execute(insert(MediaUse).values(use))
            path = {"media_id": picture.uuid, "article_id": first.uuid, "path": f"../{ODD_TEXT}.png"}
            db.session.execute(insert(MediaPath).values(path))
            code = {"account_id": people.admin.uuid, "digest": "0" * 64}
            db.session.execute(insert(RecoveryCode).values(code))
            seen = {"article_id": first.uuid, "user_id": people.admin.uuid, "seen": datetime.now(UTC)}
            db.session.execute(insert(OpenArticle).values(seen))
            db.session.add(CustomField(name="rating", label="Rating", type="number", minimum=0.5))
            db.session.add(CustomRedirect(path="/old/", target="/new/", status=301))
            db.session.merge(Release(version="0.9.0", rights="{}", started=datetime.now(UTC)))
            old = {"media_id": picture.uuid, "hash": "0" * 64, "width": 400}
            db.session.execute(insert(FormerHash).values(old))
        as_admin.patch(where, json={"custom": {"rating": 4.5}})
        add_webhook(app, paused="admin", paused_at=datetime.now(UTC))
        tables = Base.metadata.sorted_tables
        empty_tables = [one.name for one in tables if not db.session.execute(one.select()).first()]
    assert empty_tables == []
    return as_admin


def read_contents(url: str) -> dict[str, list[str]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {
            one.name: sorted(str(tuple(row)) for row in connection.execute(one.select()))
            for one in Base.metadata.sorted_tables
            if one.name != "revision"
        }
    engine.dispose()
    return found


def read_paths(client) -> dict[str, bytes]:
    """Return the responses without the epoch in cursors, because each copy of a blog has another epoch."""
    return {path: re.sub(rb'(?<="cursor":")[0-9a-f]{8}-', b"", client.get(path).data) for path in PATHS}


@pytest.mark.parametrize("through", ["a file", "the engine of the suite"])
def test_a_blog_copied_to_another_database_and_back_is_unchanged(
    app, full_blog, databases, tmp_path, make_app, make_client, through
):
    before = read_paths(full_blog)
    found = full_blog.get(ARTICLES + "?q=面包&fields=title,snippet").json
    assert len(found) == 1
    source = get_url(app)
    there = f"sqlite:///{tmp_path / 'there.db'}" if through == "a file" else databases.create_empty(tmp_path)
    back = databases.create_empty(tmp_path)
    for given, taken in ((source, there), (there, back)):
        result = run_copy(given, taken, "--json")
        assert result.exit_code == 0, result.output
    assert read_contents(source) == read_contents(there) == read_contents(back)
    for url in (there, back):
        moved = make_app(SQLALCHEMY_DATABASE_URI=url)
        client = make_client(moved, full_blog.key)
        assert read_paths(client) == before
        assert client.get(ARTICLES + "?q=面包&fields=title,snippet").json == found
        # The copy accepts writes.
        assert client.post(TAGS, json={"name": "new"}).status_code == 201
        with moved.app_context():
            assert [finding for finding in doctor.run_checks() if finding.level is not Level.OK] == []


def test_the_webhooks_of_a_copy_are_paused(app, databases, tmp_path, make_app):
    uuid, _ = add_webhook(app)
    target = databases.create_empty(tmp_path)
    assert run_copy(get_url(app), target).exit_code == 0
    with app.app_context():
        assert webhooks.get_webhook(uuid).paused is None
    with make_app(SQLALCHEMY_DATABASE_URI=target).app_context():
        assert webhooks.get_webhook(uuid).paused == "copied"


def test_rows_and_digests_are_printed(app, full_blog, tmp_path, instance):
    source, target = get_url(app), tmp_path / "copy.db"
    result = run_copy(source, target)
    assert result.exit_code == 0, result.output
    *lines, about_media = result.stdout.splitlines()
    folder = instance / "media"
    assert about_media.startswith(f"The 1 media files stay in {folder}. If the copied blog uses another ")
    assert any(line.split()[:2] == ["6", "article"] for line in lines)
    assert any(line.split()[:2] == ["6", "search_index"] for line in lines)
    assert lines[-1].startswith("Copied ") and lines[-1].endswith("; both databases are equal.")
    # The command accepts both a path and a URL, and the digests do not depend on the engine.
    again = json.loads(run_copy(target, f"sqlite:///{tmp_path / 'again.db'}", "--json").stdout)
    assert again["media"] == {"files": 1, "folder": str(folder)}
    sums = {name: one["sha256"][:16] for name, one in again["tables"].items()}
    assert all(line.split()[2] == sums[line.split()[1]] for line in lines[:-1])


@pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")
def test_a_password_is_not_printed(app, full_blog, databases, tmp_path):
    source = get_url(app)
    for words in ((), ("--json",)):
        target = databases.create_empty(tmp_path).replace("postgres@", "postgres:secret@")
        target += "?sslpassword=secret"
        result = run_copy(source, target, *words)
        assert (result.exit_code, "secret" in result.output) == (0, False), result.output


def test_a_target_with_content_is_refused_and_not_changed(app, full_blog, tmp_path):
    source, target = get_url(app), tmp_path / "copy.db"
    assert run_copy(source, target).exit_code == 0
    before = read_contents(f"sqlite:///{target}")
    result = run_copy(source, target)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "The target is not empty (account, " in result.stderr
    assert read_contents(f"sqlite:///{target}") == before


def test_a_blog_cannot_be_copied_into_itself(app, full_blog):
    source = get_url(app)
    assert "The target is not empty" in run_copy(source, source).stderr


def test_a_missing_source_is_refused_and_not_created(tmp_path):
    result = run_copy(tmp_path / "no.db", tmp_path / "copy.db")
    assert (result.exit_code, result.stderr) == (1, f"Error: The file {tmp_path / 'no.db'} does not exist.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE TABLE theirs (x)", "tables of another program"),
        ("PRAGMA user_version = 1", "contains no blog"),
        (
            "CREATE TABLE alembic_version AS SELECT '0001' AS version_num",
            "is a blog of another version (migration 0001); start this version of blogapi once",
        ),
    ],
)
def test_a_source_database_of_another_version_or_program_is_refused(tmp_path, statement, says):
    with open_sqlite(tmp_path / "other.db") as connection, connection:
        connection.execute(statement)
    result = run_copy(tmp_path / "other.db", tmp_path / "copy.db")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert says in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize(
    "url", ["nonsense://x", "sqlite://", "sqlite:///:memory:", "mysql+nothing://u:secret@h/d"]
)
def test_an_unusable_database_url_is_refused(app, tmp_path, url):
    result = run_copy(get_url(app), url)
    assert result.exit_code == 1 and "secret" not in result.output and result.stderr.count("\n") == 1


@pytest.fixture
def interrupt_copy():
    """Interrupts the copy after the search index of the target was filled."""

    def interrupt(connection, cursor, sql, *_):
        if sql.startswith("INSERT INTO search_index"):
            raise KeyboardInterrupt

    event.listen(Engine, "after_cursor_execute", interrupt)
    yield
    event.remove(Engine, "after_cursor_execute", interrupt)


def test_an_interrupted_copy_leaves_nothing_behind(app, full_blog, databases, tmp_path, interrupt_copy):
    source, target = get_url(app), databases.create_empty(tmp_path)
    assert run_copy(source, target).exit_code == 1
    assert run_copy(source, tmp_path / "copy.db").exit_code == 1
    assert [path for path in tmp_path.iterdir() if path.name.startswith("copy")] == []
    if SERVER_URL:
        assert not any(read_contents(target)[name] for name in ("account", "article", "search_entry"))


def test_a_row_that_differs_in_the_copy_is_detected(app, full_blog, tmp_path):
    source = get_url(app)

    def alter_row(connection, cursor, sql, *_):
        if sql.startswith("INSERT INTO imported"):
            connection.exec_driver_sql("UPDATE imported SET digest = 'x'")

    event.listen(Engine, "after_cursor_execute", alter_row)
    try:
        result = run_copy(source, tmp_path / "copy.db")
    finally:
        event.remove(Engine, "after_cursor_execute", alter_row)
    assert result.exit_code == 1
    assert "The copy of imported differs from the source" in result.stderr
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.sqlite("stores characters that no text contains")
def test_a_source_with_a_damaged_article_is_refused(app, full_blog, tmp_path):
    with app.app_context(), transaction():
        db.session.execute(update(table_of(Article)).values(html="\0" * 9))
    result = run_copy(get_url(app), tmp_path / "copy.db")
    assert result.exit_code == 1 and "doctor --repair" in result.stderr
    assert not Path(tmp_path / "copy.db").exists()


def test_the_index_of_the_copy_is_complete_if_that_of_the_source_lacks_rows(
    app, full_blog, tmp_path, make_app
):
    with app.app_context(), transaction():
        db.session.execute(delete(engines.get_engine(db.session()).word_table))
    assert run_copy(get_url(app), tmp_path / "copy.db").exit_code == 0
    with make_app(SQLALCHEMY_DATABASE_URI=f"sqlite:///{tmp_path / 'copy.db'}").app_context():
        check_index(db.session.query(Article).all())


def test_the_progress_bar_ends_at_its_total(app, full_blog, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    counted = []
    plain = service.copy_blog

    def copy_with_progress(*engines, progress, **more):
        def note(items, *, total, label):
            for number, item in enumerate(items, 1):
                counted[:] = [number, total, label]
                yield item

        return plain(*engines, progress=note, **more)

    monkeypatch.setattr(service, "copy_blog", copy_with_progress)
    assert run_copy(get_url(app), tmp_path / "copy.db").exit_code == 0
    done, total, label = counted
    assert done == total > 40 and label == "Copying"
