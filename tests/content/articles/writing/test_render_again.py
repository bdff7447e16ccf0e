"""The first start after an update renders all articles again, even if the stored data is wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sqlalchemy import create_engine, text

from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.models import DERIVED_COLUMNS, Article
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.writing import rerendering
from blogapi.operations.doctor import event_checks
from blogapi.operations.doctor.findings import Level
from blogapi.storage import migration_names
from blogapi.storage.database import db, table_of
from blogapi.storage.files import get_side_files
from blogapi.web.pagination import PageRequest
from tests.conftest import ARTICLES, CATEGORIES, TAGS, close_connections
from tests.content.articles.stored_data import SELECT_FROM, check_stored_data
from tests.databases import open_sqlite, other_connection
from tests.delivery.changes.test_routes import CHANGES
from tests.migrations.alembic_runner import migrate_to

UNKNOWN_UUID = "11111111-1111-4111-8111-111111111111"
OTHER_HTML = "UPDATE article SET html = '' WHERE slug = '{}'"
DELETE_FROM = "DELETE FROM main.{}"
COPY_ROWS = "INSERT INTO main.{} ({}) SELECT {} FROM new.{}"
DAMAGE = """
UPDATE article SET sort_key = 'broken', word_count = 99, toc = '["broken"]', html = '';
UPDATE category SET sort_key = '';
UPDATE tag SET sort_key = 'broken';
UPDATE article_tag SET listed_from = NULL;
DELETE FROM search_entry;
"""


@pytest.fixture
def damaged(app, make_article, make_tag):
    """A blog of three articles with wrong derived columns, wrong links and no search entries."""
    tag = make_tag("kept")
    for status in ("published", "draft", "published"):
        make_article(title="Kept", tags=(tag,), status=status)
    close_connections(app)
    with other_connection(app) as other:
        for statement in DAMAGE.strip().split("\n"):
            other.exec_driver_sql(statement)
    return app


def invalidate_fingerprint(blog):
    """Replace the stored version with one that does not match the current code."""
    with other_connection(blog) as other:
        other.exec_driver_sql("UPDATE article_stats SET renderer = 'another'")


def check_blog(app):
    """Check that reads and searches show the articles as the current code renders them."""
    with app.app_context():
        check_stored_data()
        assert (
            article_bodies.list_published_items(
                filters=ArticleFilters(q="kept"), page=PageRequest(1, 1)
            ).total
            == 2
        )
        assert db.session.scalar(text("SELECT renderer FROM article_stats")) == RENDERER_VERSION
        for name in ("tag", "category"):
            keys = db.session.scalars(text(SELECT_FROM.format("sort_key", name))).all()
            assert keys == {"tag": ["kept"], "category": ["shelf"]}[name]


def test_a_start_after_an_update_renders_everything_again(damaged, make_app):
    invalidate_fingerprint(damaged)
    check_blog(make_app())


def test_a_start_without_an_update_renders_nothing(damaged, make_app):
    app = make_app()
    with app.app_context():
        keys = db.session.scalars(text("SELECT sort_key FROM category")).all()
    assert keys == [""]


def test_rendering_again_changes_no_dates(damaged, make_app):
    invalidate_fingerprint(damaged)
    before = stored_dates(damaged)
    make_app()
    assert stored_dates(damaged) == before


@pytest.fixture
def make_follower(app, make_client, people):
    """Returns a function that returns a client of the changes feed with the present cursor.

    The client returns the changes after this cursor, as lists of kind, uuid and action.
    """

    def make(scope):
        client = make_client(app, people.key(people.admin if scope == "read" else None, scope))
        cursor = client.get(f"{CHANGES}?since=now").json["cursor"]

        def follow(blog):
            changes = make_client(blog, client.key).get(f"{CHANGES}?since={cursor}").json["changes"]
            return sorted((one["kind"], one["uuid"], one["action"]) for one in changes)

        return follow

    return make


def test_articles_with_other_html_appear_in_the_changes_feed(make_article, make_follower, app, make_app):
    public, _, draft, _ = (make_article(status=one) for one in ("published", "published", "draft", "draft"))
    make_article(published_at="2999-01-01T00:00:00Z")
    reader, admin = make_follower("published"), make_follower("read")
    with other_connection(app) as other:
        for article in (public, draft):
            other.exec_driver_sql(OTHER_HTML.format(article.slug))
    invalidate_fingerprint(app)
    upgraded = make_app()
    assert reader(upgraded) == [("article", str(public.uuid), "fetch")]
    assert admin(upgraded) == sorted(("article", str(one.uuid), "fetch") for one in (public, draft))
    check_blog_data(upgraded)


def test_articles_with_equal_html_do_not_appear_in_the_changes_feed(
    make_article, make_follower, app, make_app
):
    for status in ("published", "draft"):
        make_article(status=status)
    followers = make_follower("published"), make_follower("read")
    invalidate_fingerprint(app)
    upgraded = make_app()
    assert [follow(upgraded) for follow in followers] == [[], []]


def check_blog_data(app):
    """Check that the stored data matches the articles."""
    with app.app_context():
        check_stored_data()


def stored_dates(blog):
    """Return the rows that rendering must not change, and the dates of all categories and tags."""
    kept = [name for name in table_of(Article).c.keys() if name not in DERIVED_COLUMNS]  # noqa: SIM118
    complete = [SELECT_FROM.format(", ".join(kept), "article"), SELECT_FROM.format("*", "article_revision")]
    stamps = [SELECT_FROM.format("uuid, created, last_updated", table) for table in ("category", "tag")]
    with other_connection(blog) as other:
        return [sorted(map(repr, other.exec_driver_sql(one))) for one in (*complete, *stamps)]


def test_all_articles_are_rendered_again_if_there_are_several_batches(damaged, make_app, monkeypatch):
    monkeypatch.setattr(rerendering, "_ARTICLES_PER_TRANSACTION", 1)
    invalidate_fingerprint(damaged)
    check_blog(make_app())


@pytest.mark.slow
def test_processes_that_start_at_the_same_time_render_everything_again(damaged, make_app):
    invalidate_fingerprint(damaged)
    code = "from blogapi import create_app; create_app(); print('up')"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [out.strip() for out, _ in outputs] == [b"up"] * 3, outputs
    check_blog(make_app())


@pytest.fixture
def first_migration(tmp_path):
    """The file of an empty database with the schema of the first migration."""
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    migrate_to(engine, migration_names.list_migrations()[0])
    engine.dispose()
    return path


@pytest.mark.sqlite("attaches a file of an older version")
def test_a_blog_with_the_schema_of_the_first_migration_can_be_read_and_searched_after_its_upgrade(
    app, people, make_article, make_tag, make_category, instance, first_migration, make_app, make_client
):
    category = make_category(name="Kitchen", description=None)
    make_article(
        title="Kept bread", content="<p>rye</p>", category=category, tags=(make_tag("a"), make_tag())
    )
    make_article(title="Kept draft", status="draft")
    make_article(title="Kept ahead", published_at="2999-01-01T00:00:00Z")
    key = people.key(people.admin)
    client = make_client(app, key)
    paths = (ARTICLES, CATEGORIES, TAGS, f"{ARTICLES}author/me/", f"{CATEGORIES}{category.uuid}/")
    before = [(client.get(path).data, get_etag(client, path)) for path in paths]
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    database = instance / "blog.db"
    copy_rows(database, first_migration)
    for leftover in (database, *get_side_files(database)):
        leftover.unlink(missing_ok=True)
    first_migration.replace(database)
    upgraded = make_app()
    with upgraded.app_context():
        assert (
            db.session.scalar(text("SELECT version_num FROM alembic_version"))
            == migration_names.list_migrations()[-1]
        )
        assert [finding.level for finding in event_checks.run_checks(repair=True)] == [Level.REPAIRED]
        check_stored_data()
    client = make_client(upgraded, key)
    assert [(client.get(path).data, get_etag(client, path)) for path in paths] == before
    found = client.get(f"{ARTICLES}?q=kept&fields=title,snippet").json
    assert found == [{"title": "Kept bread", "snippet": "<mark>Kept</mark> bread"}]
    assert len(client.get(f"{ARTICLES}author/me/?q=kept").json) == 3
    assert client.patch(f"{ARTICLES}{UNKNOWN_UUID}/", json={}).status_code == 403


def get_etag(client, path):
    """Return the ETag of the response, or None for the list whose ETag depends on the events."""
    return None if path == ARTICLES else client.get(path).headers["ETag"]


def copy_rows(new, old):
    """Copy the rows of a blog into a file with an older schema, and omit columns that are new."""
    with open_sqlite(old, isolation_level=None) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        # The old schema has other roles.
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("ATTACH ? AS new", (str(new),))
        # The change log is not a part of the new schema.
        tables = connection.execute(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE '%change%'"
        ).fetchall()
        for (table,) in tables:
            if table == "alembic_version":
                continue
            names = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            # The SEO record of an article is a part of its row now.
            source = "article" if table == "seo" else table
            own = [("uuid" if name == "article_id" else f"seo_{name}") for name in names]
            targets, values = (
                ", ".join(f'"{name}"' for name in some) for some in (names, own if table == "seo" else names)
            )
            connection.execute(DELETE_FROM.format(table))
            connection.execute(COPY_ROWS.format(table, targets, values, source))
