"""Stored data matches the articles after any sequence of writes, bulk writes and failures."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from blogapi.content.articles import queries, service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.revisions import service as revisions
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db, savepoint, transaction
from blogapi.web.errors import Conflict, Problem
from tests.conftest import ARTICLES
from tests.content.articles.stored_data import TABLES, check_stored_data, expected_json, rows

UNKNOWN_UUID = "11111111-1111-4111-8111-111111111111"
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
        self.random = random.Random(seed)  # noqa: S311 (not a secret; the same sequence in every run)
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
        if authors := self.random.sample(["ada", "grace", "mel"], self.random.choice([0, 0, 1, 2])):
            when["authors"] = [{"slug": slug} for slug in authors]
        return fields | when | {"title": f"T {self.random.random()}", "status": status}

    def load(self, **options):
        return ArticleBodySchema(**options).load(self.body(category={"uuid": str(self.category)}))

    def one(self):
        uuids = db.session.scalars(text("SELECT uuid FROM article ORDER BY title")).all()
        return db.session.query(Article.uuid).offset(self.random.randrange(len(uuids))).limit(1).scalar()

    def create(self):
        service.create_article_in_transaction(self.editor, self.load())

    def change(self):
        service.change_article_in_transaction(self.editor, self.one(), self.load(partial=True))

    def replace(self):
        service.replace_article_in_transaction(self.editor, self.one(), self.load())

    def delete(self):
        uuid = self.one()
        service.delete_item(self.editor, uuid)
        self.deleted.append(uuid)

    def restore(self):
        revisions.restore_revision(self.editor, self.deleted.pop(), 1, ItemType.ARTICLE)

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
        """Make several writes in a transaction in which one savepoint is rolled back."""
        with transaction():
            self.create()
            with suppress(Conflict), savepoint():
                self.create()
                self.delete()
                self.deleted.pop()
                raise Conflict("No.")
            self.create()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_stored_data_matches_the_articles_after_any_sequence_of_writes(
    app, people, make_category, set_clock, seed
):
    category = make_category()
    with app.app_context():
        writes = RandomWrites(seed, people.admin.uuid, category.uuid, set_clock)
        for _ in range(25):
            if queries.is_blog_empty():
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
        given = ArticleInput(texts={"title": "No"}, category=article.category_id, status="published")
        with pytest.raises(Conflict):
            service.create_article_in_transaction(people.admin.uuid, replace(given, slug=article.slug))
        with pytest.raises(ZeroDivisionError), transaction():
            service.create_article_in_transaction(people.admin.uuid, given)
            service.delete_item(article.author_id, article.uuid)
            raise ZeroDivisionError
        assert rows(*TABLES) == before


@pytest.mark.parametrize("status", ["draft", "published", "archived"])
def test_only_the_revisions_of_a_deleted_article_remain(app, as_admin, make_article, make_tag, status):
    with app.app_context():
        before = rows(*TABLES)
    article = make_article(tags=(make_tag(),), status=status)
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    with app.app_context():
        assert rows(*TABLES) == before
    assert as_admin.post(f"{ARTICLES}{article.uuid}/revisions/1/restore/").status_code == 200
    with app.app_context():
        assert article_bodies.get_item_body(article.uuid).body == expected_json(article.uuid)
        check_stored_data()
