"""The stored JSON of articles equals what the schemas serialize, after every write and after an update."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, select, text

from blogapi import clock
from blogapi.articles import json_writer, queries, service
from blogapi.articles import queries as article_queries
from blogapi.articles.content import ArticleInput, TermReference
from blogapi.articles.filters import ArticleFilters
from blogapi.articles.fingerprint import compute_fingerprint
from blogapi.articles.lifecycle import ContentType
from blogapi.articles.models import Article, ArticleJson
from blogapi.articles.schemas import ArticleBodySchema, ArticleFieldsSchema, ArticleSchema
from blogapi.categories import taxonomy as categories_definition
from blogapi.revisions import service as revisions
from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.storage import upgrades
from blogapi.storage.database import db, transaction
from blogapi.tags import taxonomy as tags_definition
from blogapi.taxonomies import queries as term_queries
from blogapi.web import json as web_json
from blogapi.web.errors import Conflict, Problem
from blogapi.web.pagination import PageRequest
from tests.conftest import close_connections
from tests.databases import other_connection
from tests.migrations.alembic_runner import migrate_to
from tests.texts import texts

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
UNKNOWN_UUID = "11111111-1111-4111-8111-111111111111"
SELECT_FROM = "SELECT {} FROM {}"
DELETE_FROM = "DELETE FROM main.{}"
COPY_ROWS = "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}"
TABLES = ("article", "article_pieces", "article_tally", "article_tag", "seo", "search_entry", "search_index")

few_examples = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
ALL_FIELDS = list(ArticleFieldsSchema().fields)


def expected_json(uuid, names=None):
    """Return the article as its schema serializes it."""
    db.session.remove()
    article = queries.get_by_uuid(uuid)
    if names is None:
        return web_json.to_json_bytes(ArticleSchema().dump(article))
    shown = ArticleFieldsSchema().dump(json_writer.RenderedArticle(article))
    return web_json.to_json_bytes({name: value for name, value in shown.items() if name in names})


def rows(*tables):
    """Return all rows of each table."""
    found = {}
    for table in tables:
        # The number of an entry of SQLite's index is not one of its columns.
        columns = f"{engines.get_engine(db.session()).number.name}, *" if table == "search_index" else "*"
        found[table] = sorted(map(repr, db.session.execute(text(SELECT_FROM.format(columns, table)))))
    db.session.rollback()
    return found


def check_stored_data():
    """Compare the stored JSON, the search index and the stored number with the articles."""
    db.session.remove()
    articles = db.session.query(Article).all()
    for model in (ArticleJson, SearchEntry):
        known = db.session.scalars(select(model.article_id)).all()
        assert sorted(known) == sorted(article.uuid for article in articles)
    numbers = db.session.scalars(select(SearchEntry.number)).all()
    assert sorted(numbers) == sorted(db.session.scalars(select(engines.get_engine(db.session()).number)))
    published = db.session.scalar(text("SELECT published FROM article_tally"))
    assert published == sum(article.status == "published" for article in articles)
    now = clock.now()
    visible = [one for one in articles if one.status == "published" and one.published_at <= now]
    assert queries.list_published(page=PageRequest(1, 1)).total == len(visible)
    for article in articles:
        assert queries.get_json(article.uuid).body == web_json.to_json_bytes(ArticleSchema().dump(article))


@few_examples
@given(
    title=texts.map(lambda some: f"t{some}"),
    subtitle=texts,
    content=texts,
    content_type=st.sampled_from(list(ContentType)),
    names=st.lists(st.sampled_from(ALL_FIELDS), min_size=1),
)
@example(title="t", subtitle="", content="", content_type="html", names=["content"])
@example(title='"},{"', subtitle="\\n", content="a\nb", content_type="text", names=["html", "tags"])
def test_stored_json_equals_what_the_schemas_serialize(
    app, people, make_article, make_tag, title, subtitle, content, content_type, names
):
    with app.app_context():
        uuid = db.session.query(Article.uuid).limit(1).scalar()
        uuid = uuid or make_article(tags=(make_tag('a"},{"b'), make_tag("c\nd"))).uuid
        given_ = {"title": title, "subtitle": subtitle, "content": content, "content_type": content_type}
        service.change(
            people.admin.uuid, uuid, ArticleBodySchema(partial=True).load(given_ | {"seo": {"title": title}})
        )
        assert queries.get_json(uuid).body == expected_json(uuid)
        assert queries.get_json(uuid, names).body == expected_json(uuid, names)
        listed, category = queries.list_published().rows.body, queries.get_by_uuid(uuid).category_id
        assert listed == b"[" + expected_json(uuid) + b"]"
        assert (
            queries.list_published(names, PageRequest(1, 5)).rows.body
            == b"[" + expected_json(uuid, names) + b"]"
        )
        assert term_queries.get_json(
            categories_definition.CATEGORIES, category, article_queries.list_published_in_category
        ).body.endswith(b',"articles":' + listed + b"}")
        tag = queries.get_by_uuid(uuid).tags[0].uuid
        assert term_queries.get_json(
            tags_definition.TAGS, tag, article_queries.list_published_with_tag
        ).body.endswith(b',"articles":' + listed + b"}")


def test_every_pair_of_fields_equals_what_the_schema_serializes(app, make_article, make_tag):
    uuid = make_article(tags=(make_tag(),), content="# One\n\ntwo", content_type="markdown").uuid
    with app.app_context():
        complete = json.loads(expected_json(uuid, ALL_FIELDS))
        assert list(complete) == ALL_FIELDS
        for names in chain(combinations(ALL_FIELDS, 1), combinations(ALL_FIELDS, 2)):
            shown = queries.get_json(uuid, names[::-1]).body
            assert shown == web_json.to_json_bytes({name: complete[name] for name in names})


@pytest.mark.parametrize("more", [[], ["title", "created"]])
def test_every_combination_of_joined_fields_equals_what_the_schema_serializes(
    app, make_article, make_tag, more
):
    uuid = make_article(tags=(make_tag(), make_tag())).uuid
    joined = ["tags", "category", "status", "content", "html"]
    with app.app_context():
        complete = json.loads(expected_json(uuid, ALL_FIELDS))
        for size in range(not more, len(joined) + 1):
            for names in combinations(joined, size):
                wished = [name for name in complete if name in (*names, *more)]
                shown = queries.list_published(wished).rows.body
                assert shown == web_json.to_json_bytes([{name: complete[name] for name in wished}])


@pytest.mark.parametrize("query", ["?fields=title,title", "?fields=title, title"])
def test_a_field_that_is_requested_twice_is_shown_once(as_reader, make_article, query):
    article = make_article(title="T")
    assert as_reader.get(f"{ARTICLES}{article.uuid}/{query}").data == b'{"title":"T"}'


@pytest.mark.parametrize("kind", ["category", "tag"])
def test_a_renamed_term_shows_in_every_article_without_rewriting_any(
    app, as_admin, make_article, make_category, make_tag, kind
):
    category, tag = make_category(name="Old"), make_tag("old")
    created = [make_article(category=category, tags=(make_tag(), tag)).uuid for _ in range(3)]
    path = {"category": f"{CATEGORIES}{category.uuid}/", "tag": f"{TAGS}{tag.uuid}/"}[kind]
    with app.app_context():
        before = rows("article", "article_pieces", "search_entry", "search_index")
    assert as_admin.patch(path, json={"name": "New", "slug": "new"}).status_code == 200
    with app.app_context():
        assert rows(*before) == before
        for uuid in created:
            assert queries.get_json(uuid).body == expected_json(uuid)
    for read in (
        ARTICLES,
        f"{CATEGORIES}{category.uuid}/?fields=articles",
        f"{TAGS}{tag.uuid}/?fields=articles",
    ):
        shown = as_admin.get(read).json
        for article in shown if isinstance(shown, list) else shown["articles"]:
            named = {"category": article["category"], "tag": article["tags"][1]}[kind]
            assert (named["name"], named["slug"]) == ("New", "new")


@pytest.mark.parametrize(
    "body",
    [
        {"seo": {"title": "For others", "canonical_url": "https://example.org/a"}},
        {"slug": "another"},
        {"cover_image": "/a.jpg"},
        {"published_at": "2024-02-03T04:05:06.789012Z"},
        {"published_at": "2024-02-03T04:05:06+02:00"},
        {"content": "*x*", "content_type": "markdown"},
        {"tags": []},
        {"status": "draft"},
        {"status": "draft", "published_at": None},
        {"status": "archived"},
        {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_a_change_shows_in_the_next_read(app, as_admin, make_article, make_tag, body):
    article = make_article(tags=(make_tag(),))
    path = f"{ARTICLES}{article.uuid}/"
    before = as_admin.get(path)
    response = as_admin.patch(path, json=body)
    after = as_admin.get(path)
    assert (response.json, response.headers["ETag"]) == (after.json, after.headers["ETag"])
    assert after.headers["ETag"] != before.headers["ETag"]
    with app.app_context():
        assert after.data == expected_json(article.uuid)
        check_stored_data()


def test_a_change_of_the_seo_record_alone_shows_in_the_next_read(app, make_article):
    uuid = make_article().uuid
    with app.app_context():
        with transaction():
            queries.get_by_uuid(uuid).seo.description = "Alone"
        assert json.loads(queries.get_json(uuid).body)["seo"]["description"] == "Alone"
        check_stored_data()


def test_tags_keep_the_given_order_and_disappear_when_they_are_deleted(app, as_admin, make_article, make_tag):
    a, b, c = (make_tag(name) for name in "abc")
    path = f"{ARTICLES}{make_article(tags=(a, b, c)).uuid}/"

    def shown():
        return "".join(tag["name"] for tag in as_admin.get(path).json["tags"])

    assert shown() == "abc"
    as_admin.patch(path, json={"tags": [{"uuid": str(tag.uuid)} for tag in (c, a, b)]})
    assert shown() == "cab"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.delete(f"{TAGS}{a.uuid}/")
    assert shown() == "cb" and as_admin.get(path).headers["ETag"] != etag
    as_admin.patch(path, json={"tags": [{"slug": "b"}, {"slug": "b"}, {"slug": "c"}]})
    assert shown() == "bc"
    as_admin.delete(f"{TAGS}?uuid={b.uuid}&uuid={c.uuid}")
    assert shown() == ""


def test_a_scheduled_article_shows_as_published_from_its_publication_time_on(
    app, as_admin, make_article, set_clock
):
    due = datetime(2027, 1, 1, tzinfo=UTC)
    uuid = make_article(published_at=due.isoformat()).uuid
    path, own = f"{ARTICLES}{uuid}/", f"{ARTICLES}author/me/"
    with app.app_context():
        before = rows("article", "article_pieces")
    for time, status in ((due - timedelta(microseconds=1), "scheduled"), (due, "published")):
        set_clock(time)
        assert as_admin.get(path).json["status"] == status
        assert as_admin.get(own + "?fields=status").json == [{"status": status}]
        assert as_admin.get(own + "?q=words&fields=status").json == [{"status": status}]
        with app.app_context():
            assert queries.get_json(uuid).body == expected_json(uuid)
    with app.app_context():
        assert rows(*before) == before


def test_the_etag_changes_at_the_publication_time(as_admin, make_article, set_clock):
    due = datetime(2027, 1, 1, tzinfo=UTC)
    path = f"{ARTICLES}{make_article(published_at=due.isoformat()).uuid}/"
    set_clock(due - timedelta(microseconds=1))
    etag = as_admin.get(path).headers["ETag"]
    set_clock(due)
    response = as_admin.get(path, headers={"If-None-Match": etag})
    assert response.json["status"] == "published" and response.headers["ETag"] != etag


KINDS = [
    "create",
    "change",
    "change",
    "replace",
    "delete",
    "restore",
    "write_several",
    "roll_back",
    "roll_back_inner",
]


class RandomWrites:
    """Makes random writes of every kind."""

    def __init__(self, seed, editor, category, set_clock):
        self.random = random.Random(seed)  # noqa: S311 (not a secret, but the same each time)
        self.editor, self.category, self.set_clock = editor, category, set_clock
        self.now, self.deleted = datetime(2026, 1, 1, tzinfo=UTC), []
        self.tick()

    def tick(self):
        self.now += timedelta(hours=self.random.choice([0, 1, 30]))
        self.set_clock(self.now)

    def body(self, **fields):
        status = self.random.choice(["draft", "published", "scheduled", "archived"])
        ahead = self.now + timedelta(hours=self.random.randint(1, 48))
        when = {"published_at": ahead.isoformat()} if status == "scheduled" else {}
        return fields | when | {"title": f"T {self.random.random()}", "status": status}

    def load(self, **options):
        return ArticleBodySchema(**options).load(self.body(category={"uuid": str(self.category)}))

    def one(self):
        uuids = db.session.scalars(text("SELECT uuid FROM article ORDER BY title")).all()
        return db.session.query(Article.uuid).offset(self.random.randrange(len(uuids))).limit(1).scalar()

    def create(self):
        service.create(self.editor, self.load())

    def change(self):
        service.change(self.editor, self.one(), self.load(partial=True))

    def replace(self):
        service.replace(self.editor, self.one(), self.load())

    def delete(self):
        uuid = self.one()
        service.delete(uuid)
        self.deleted.append(uuid)

    def restore(self):
        revisions.restore(self.editor, self.deleted.pop(), 1)

    def write_several(self):
        """Make several writes in one transaction."""
        with transaction():
            for _ in range(3):
                self.random.choice([self.create, self.change])()

    def roll_back(self):
        """Make several writes in a transaction that is rolled back."""
        with transaction():
            self.create()
            self.change()
            self.delete()
            self.deleted.pop()
            raise Conflict("No.")

    def roll_back_inner(self):
        """Make a write whose inner transaction is rolled back."""
        with transaction():
            self.create()
            with suppress(Conflict), transaction():
                self.create()
                self.delete()
                self.deleted.pop()
                raise Conflict("No.")
            self.create()


@pytest.mark.parametrize("seed", range(4))
def test_stored_data_matches_the_articles_after_any_sequence_of_writes(
    app, people, make_category, set_clock, seed
):
    category = make_category()
    with app.app_context():
        writes = RandomWrites(seed, people.admin.uuid, category.uuid, set_clock)
        for _ in range(25):
            if queries.is_empty():
                writes.create()
            with suppress(Problem, IndexError):
                getattr(writes, writes.random.choice(KINDS))()
            writes.tick()
            check_stored_data()


@pytest.mark.parametrize(
    ("method", "sent", "total"),
    [
        ("patch", [{"status": "draft"}, {"status": "archived"}, {"title": "Still"}], 1),
        ("patch", [{"published_at": "2999-01-01T00:00:00Z"}, {"title": "a"}, {"title": "b"}], 2),
        ("put", [{"title": "A", "status": "published"}, {"title": "B"}, {"title": "C"}], 1),
    ],
)
def test_a_bulk_write_updates_the_number_of_published_articles(
    app, as_admin, make_article, method, sent, total
):
    created = [make_article() for _ in range(3)]
    items = [
        {"uuid": str(one.uuid), "category": {"uuid": str(one.category_id)}} | body
        for one, body in zip(created, sent, strict=True)
    ]
    response = getattr(as_admin, method)(ARTICLES, json=items)
    # A PUT without a status makes a published article a draft.
    assert response.status_code == 200, response.json
    assert as_admin.get(ARTICLES + "?page=1").headers["X-Total-Count"] == str(total)
    with app.app_context():
        check_stored_data()


@pytest.mark.parametrize(
    ("method", "second"),
    [
        ("patch", {"uuid": UNKNOWN_UUID, "title": "No"}),
        ("patch", {"slug": "taken"}),
        ("put", {"title": "No", "category": {"uuid": UNKNOWN_UUID}}),
        ("put", {"title": "No", "category": {"slug": "shelf"}, "slug": "taken"}),
        ("delete", {"uuid": UNKNOWN_UUID}),
    ],
)
def test_a_bulk_write_that_fails_stores_nothing(app, as_admin, make_article, method, second):
    first, other = make_article(content="before"), make_article()
    make_article(slug="taken")
    good = {"uuid": str(first.uuid), "title": "Changed", "category": {"uuid": str(first.category_id)}}
    bad = {"uuid": str(other.uuid)} | second
    with app.app_context():
        before = rows(*TABLES)
    if method == "delete":
        response = as_admin.delete(f"{ARTICLES}?uuid={good['uuid']}&uuid={bad['uuid']}")
    else:
        response = getattr(as_admin, method)(ARTICLES, json=[good, bad])
    assert response.status_code in (404, 409, 422)
    with app.app_context():
        assert rows(*TABLES) == before


def test_a_failed_create_stores_nothing(app, people, make_article):
    article = make_article()
    with app.app_context():
        before = rows(*TABLES)
        given = ArticleInput(
            texts={"title": "No"}, category=TermReference(uuid=article.category_id), status="published"
        )
        with pytest.raises(Conflict):
            service.create(people.admin.uuid, replace(given, slug=article.slug))
        with pytest.raises(ZeroDivisionError), transaction():
            service.create(people.admin.uuid, given)
            service.delete(article.uuid)
            raise ZeroDivisionError
        assert rows(*TABLES) == before


@pytest.mark.parametrize("status", ["draft", "published", "archived"])
def test_a_deleted_article_leaves_only_its_revisions(app, as_admin, make_article, make_tag, status):
    with app.app_context():
        before = rows(*TABLES)
    article = make_article(tags=(make_tag(),), status=status)
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    with app.app_context():
        assert rows(*TABLES) == before
    assert as_admin.post(f"{ARTICLES}{article.uuid}/revisions/1/restore/").status_code == 200
    with app.app_context():
        assert queries.get_json(article.uuid).body == expected_json(article.uuid)
        check_stored_data()


DAMAGE = """
UPDATE article_pieces SET fields = '"uuid":"broken"', content = '"content":"broken"', html = '', version = 99;
DELETE FROM article_pieces WHERE article_id = (SELECT uuid FROM article ORDER BY uuid DESC LIMIT 1);
UPDATE category SET pieces = '';
UPDATE tag SET pieces = 'broken';
UPDATE article_tally SET published = 99;
DELETE FROM search_entry;
"""


@pytest.fixture
def damaged(app, make_article, make_tag):
    """A blog of three articles whose stored JSON, number and search index are wrong."""
    tag = make_tag("kept")
    for status in ("published", "draft", "published"):
        make_article(title="Kept", tags=(tag,), status=status)
    close_connections(app)
    with other_connection(app) as other:
        for statement in DAMAGE.strip().split("\n"):
            other.exec_driver_sql(statement)
    return app


def invalidate_fingerprint(blog):
    """Store the fingerprint of other code."""
    with other_connection(blog) as other:
        other.exec_driver_sql("UPDATE article_tally SET renderer = 'another'")


def check_blog(app):
    """Check that reads and searches show the articles, as this version renders them."""
    with app.app_context():
        check_stored_data()
        assert queries.list_published(filters=ArticleFilters(q="kept"), page=PageRequest(1, 1)).total == 2
        assert db.session.scalar(text("SELECT renderer FROM article_tally")) == compute_fingerprint()
        assert [json.loads(one)["name"] for one in _stored_objects("tag")] == ["kept"]
        assert [json.loads(one)["name"] for one in _stored_objects("category")] == ["Shelf"]


def _stored_objects(table):
    fragments = db.session.scalars(text(SELECT_FROM.format("pieces", table)))
    return ["{" + one.replace("\n", ",") + "}" for one in fragments]


def test_a_start_after_an_update_renders_everything_again(damaged, make_app):
    invalidate_fingerprint(damaged)
    check_blog(make_app())


def test_a_start_of_the_same_version_renders_nothing(damaged, make_app):
    app = make_app()
    with app.app_context():
        assert db.session.scalar(text("SELECT published FROM article_tally")) == 99


def test_rendering_again_changes_no_dates_and_records_no_changes(damaged, make_app):
    invalidate_fingerprint(damaged)
    before = stored_dates_and_changes(damaged)
    make_app()
    assert stored_dates_and_changes(damaged) == before


def stored_dates_and_changes(blog):
    """Return the rows that rendering again must not touch, and the dates of the others."""
    complete = [SELECT_FROM.format("*", table) for table in ("article", "seo", "article_revision")]
    complete += [SELECT_FROM.format("*", table) for table in ("change", "change_counter")]
    stamps = [SELECT_FROM.format("uuid, created, last_updated", table) for table in ("category", "tag")]
    with other_connection(blog) as other:
        return [sorted(map(repr, other.exec_driver_sql(one))) for one in (*complete, *stamps)]


def test_more_articles_than_one_batch_are_all_rendered_again(damaged, make_app, monkeypatch):
    monkeypatch.setattr(json_writer, "_BATCH_SIZE", 1)
    invalidate_fingerprint(damaged)
    check_blog(make_app())


def test_processes_that_start_at_the_same_time_render_everything_again(damaged, make_app):
    invalidate_fingerprint(damaged)
    code = "from blogapi import create_app; create_app(); print('up')"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=60) for process in started]
    assert [out.strip() for out, _ in outputs] == [b"up"] * 3, outputs
    check_blog(make_app())


@pytest.fixture
def first_migration(tmp_path):
    """The file of an empty blog at the first migration."""
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    migrate_to(engine, upgrades.list_migrations()[0])
    engine.dispose()
    return path


@pytest.mark.sqlite("attaches a file of an older version")
def test_a_blog_of_the_first_migration_can_be_read_and_searched_after_its_upgrade(
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
    before = [(client.get(path).data, client.get(path).headers["ETag"]) for path in paths]
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    copy_rows(instance / "blog.db", first_migration)
    for leftover in instance.glob("blog.db*"):
        leftover.unlink()
    first_migration.replace(instance / "blog.db")
    upgraded = make_app()
    with upgraded.app_context():
        assert (
            db.session.scalar(text("SELECT version_num FROM alembic_version"))
            == upgrades.list_migrations()[-1]
        )
        check_stored_data()
    client = make_client(upgraded, key)
    assert [(client.get(path).data, client.get(path).headers["ETag"]) for path in paths] == before
    found = client.get(f"{ARTICLES}?q=kept&fields=title,snippet").json
    assert found == [{"title": "Kept bread", "snippet": "<mark>Kept</mark> bread"}]
    assert len(client.get(f"{ARTICLES}author/me/?q=kept").json) == 3
    assert client.patch(f"{ARTICLES}{UNKNOWN_UUID}/", json={}).status_code == 403


def copy_rows(new, old):
    """Copy the rows of a blog into a file with an older schema, without the columns that it lacks."""
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("ATTACH ? AS new", (str(new),))
        tables = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table == "alembic_version":
                continue
            names = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            columns = ", ".join(f'"{name}"' for name in names)
            connection.execute(DELETE_FROM.format(table))
            connection.execute(COPY_ROWS.format(table=table, columns=columns))
