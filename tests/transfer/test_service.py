"""Storing records: once, again, changed, broken."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogapi.articles import queries as articles
from blogapi.articles import service as article_service
from blogapi.articles.models import Article
from blogapi.storage.database import db, transaction
from blogapi.transfer import service
from blogapi.transfer.article_record import ArticleRecord, NotAnArticle, RefusedFile
from blogapi.transfer.service import Result
from blogapi.web.errors import Conflict

RECORD = ArticleRecord(
    key="blog/bread.md",
    title="Bread",
    content="Flour, *water*, time.",
    content_type="markdown",
    status="published",
    published_at=datetime(2024, 5, 1, 8, 30, tzinfo=UTC),
    category="Kitchen",
    tags=("slow food", "Bread"),
)


@pytest.fixture
def store(app, people):
    """Stores a record of Ada's."""

    def store(record, **options):
        with app.app_context():
            return service.take(people.admin.uuid, record.key, lambda: record, **options)

    return store


@pytest.fixture
def stored(app):
    """Returns the articles of the blog."""

    def rows():
        with app.app_context():
            return list(db.session.scalars(articles._select_complete().order_by(Article.slug)).unique())

    return rows


def test_a_record_becomes_an_article(store, stored):
    assert store(RECORD).result is Result.CREATED
    (article,) = stored()
    assert (article.title, article.slug, article.content) == ("Bread", "bread", "Flour, *water*, time.")
    assert (article.status, article.content_type) == ("published", "markdown")
    assert article.published_at == RECORD.published_at
    assert article.category.name == "Kitchen"
    assert [tag.name for tag in article.tags] == ["slow food", "Bread"]


def test_the_same_record_changes_nothing(store, stored):
    store(RECORD)
    before = stored()[0].last_updated
    assert store(RECORD).result is Result.UNCHANGED
    assert [article.last_updated for article in stored()] == [before]


def test_an_undated_record_keeps_the_time_of_its_first_import(store, stored, at):
    undated = replace(RECORD, published_at=None)
    at(datetime(2026, 1, 1, tzinfo=UTC))
    store(undated)
    at(datetime(2026, 2, 2, tzinfo=UTC))
    assert store(undated).result is Result.UNCHANGED
    assert store(replace(undated, title="Rye bread")).result is Result.UPDATED
    assert stored()[0].published_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_changed_record_brings_its_article_up_to_date(store, stored):
    store(RECORD)
    assert store(replace(RECORD, title="Rye bread", tags=("rye",))).result is Result.UPDATED
    (article,) = stored()
    assert (article.title, article.slug) == ("Rye bread", "bread")
    assert [tag.name for tag in article.tags] == ["rye"]


def test_an_article_edited_here_is_left_alone(app, store, stored):
    store(RECORD)
    with app.app_context(), transaction():
        articles.get_by_uuid(stored()[0].uuid).title = "My own words"
    outcome = store(replace(RECORD, title="Rye bread"))
    assert outcome.result is Result.REFUSED
    assert "edited here" in outcome.notes[0]
    assert stored()[0].title == "My own words"


def test_the_wished_slug_is_kept_and_stays_when_the_title_changes(store, stored):
    record = replace(RECORD, slug="how-i-bake", status="draft")
    store(record)
    assert stored()[0].slug == "how-i-bake"
    store(replace(record, title="Rye bread"))
    assert [(article.title, article.slug) for article in stored()] == [("Rye bread", "how-i-bake")]


def test_two_records_that_wish_for_one_slug_both_go_in(store, stored):
    store(RECORD)
    outcome = store(replace(RECORD, key="blog/other/bread.md"))
    assert outcome.result is Result.CREATED
    assert "'bread-2'" in outcome.notes[-1]
    assert [article.slug for article in stored()] == ["bread", "bread-2"]


def test_a_record_without_category_gets_one(store, stored):
    store(replace(RECORD, category=""))
    assert stored()[0].category.name == service.NO_CATEGORY


def test_tags_with_one_slug_are_one_tag(store, stored):
    store(replace(RECORD, tags=("Slow food", "slow-food")))
    assert [tag.name for tag in stored()[0].tags] == ["Slow food"]


def test_a_dry_run_stores_nothing(store, stored):
    assert store(RECORD, dry_run=True).result is Result.CREATED
    assert stored() == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"title": "x" * 256}, "title"),
        ({"subtitle": "x" * 501}, "subtitle"),
        ({"category": "x" * 101}, "category: "),
        ({"title": "x" * 256, "tags": ("fine", "y" * 101)}, "tag 'yyy"),
        ({"title": "x" * 256, "tags": ("fine", "x" * 101)}, "title: "),
        ({"cover_image": "javascript:alert(1)"}, "cover_image"),
        ({"content": "x" * (2 * 1024 * 1024 + 1)}, "content"),
        ({"seo_title": "x" * 256}, "seo.title"),
    ],
)
def test_what_the_blog_cannot_hold_is_refused_whole(store, stored, wrong, told):
    outcome = store(replace(RECORD, **wrong))
    assert outcome.result is Result.REFUSED
    assert told in outcome.notes[0]
    assert stored() == []


@pytest.mark.parametrize(
    ("error", "result"),
    [(RefusedFile("Broken."), Result.REFUSED), (NotAnArticle("A picture."), Result.SKIPPED)],
)
def test_what_the_reader_says_is_told(app, people, error, result):
    def read():
        raise error

    with app.app_context():
        outcome = service.take(people.admin.uuid, "blog/x.md", read)
    assert (outcome.result, outcome.notes) == (result, (str(error),))


def test_a_refusal_of_the_store_is_told(store, monkeypatch):
    def refuse(*_, **__):
        raise Conflict("The shelf is full.")

    monkeypatch.setattr(article_service, "create", refuse)
    assert store(RECORD).notes == ("The shelf is full.",)
