"""Records are stored as articles: new, unchanged, changed and invalid ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from blogapi.articles import queries as articles
from blogapi.articles import service as article_service
from blogapi.articles.models import Article, ArticleTag
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
    """Imports a record as an article of Ada."""

    def store(record, **options):
        with app.app_context():
            return service.import_record(people.admin.uuid, record.key, lambda: record, **options)

    return store


@pytest.fixture
def stored(app):
    """Returns the articles of the blog."""

    def rows():
        with app.app_context():
            links = selectinload(Article.tag_links).joinedload(ArticleTag.tag)
            complete = select(Article).options(joinedload(Article.category), links)
            return list(db.session.scalars(complete.order_by(Article.slug)).unique())

    return rows


def test_a_record_becomes_an_article(store, stored):
    assert store(RECORD).result is Result.CREATED
    (article,) = stored()
    assert (article.title, article.slug, article.content) == ("Bread", "bread", "Flour, *water*, time.")
    assert (article.status, article.content_type) == ("published", "markdown")
    assert article.published_at == RECORD.published_at
    assert article.category.name == "Kitchen"
    assert [tag.name for tag in article.tags] == ["slow food", "Bread"]


def test_an_unchanged_record_changes_nothing(store, stored):
    store(RECORD)
    before = stored()[0].last_updated
    assert store(RECORD).result is Result.UNCHANGED
    assert [article.last_updated for article in stored()] == [before]


def test_an_undated_record_keeps_the_time_of_its_first_import(store, stored, set_clock):
    undated = replace(RECORD, published_at=None)
    set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    store(undated)
    set_clock(datetime(2026, 2, 2, tzinfo=UTC))
    assert store(undated).result is Result.UNCHANGED
    assert store(replace(undated, title="Rye bread")).result is Result.UPDATED
    assert stored()[0].published_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_changed_record_updates_its_article(store, stored):
    store(RECORD)
    assert store(replace(RECORD, title="Rye bread", tags=("rye",))).result is Result.UPDATED
    (article,) = stored()
    assert (article.title, article.slug) == ("Rye bread", "bread")
    assert [tag.name for tag in article.tags] == ["rye"]


def test_an_edited_article_is_not_overwritten(app, store, stored):
    store(RECORD)
    with app.app_context(), transaction():
        articles.get_by_uuid(stored()[0].uuid).title = "My own words"
    report = store(replace(RECORD, title="Rye bread"))
    assert report.result is Result.REFUSED
    assert "edited in this blog" in report.notes[0]
    assert stored()[0].title == "My own words"


def test_the_slug_of_the_record_stays_when_the_title_changes(store, stored):
    record = replace(RECORD, slug="how-i-bake", status="draft")
    store(record)
    assert stored()[0].slug == "how-i-bake"
    store(replace(record, title="Rye bread"))
    assert [(article.title, article.slug) for article in stored()] == [("Rye bread", "how-i-bake")]


def test_two_records_with_the_same_slug_are_both_imported(store, stored):
    store(RECORD)
    report = store(replace(RECORD, key="blog/other/bread.md"))
    assert report.result is Result.CREATED
    assert "“bread-2”" in report.notes[-1]
    assert [article.slug for article in stored()] == ["bread", "bread-2"]


def test_a_random_slug_is_not_reported_as_taken(store):
    assert store(replace(RECORD, title="🥖")).notes == ()


def test_a_record_without_a_category_gets_the_default_category(store, stored):
    store(replace(RECORD, category=""))
    assert stored()[0].category.name == service.DEFAULT_CATEGORY


def test_tags_with_the_same_slug_become_one_tag(store, stored):
    store(replace(RECORD, tags=("Slow food", "slow-food")))
    assert [tag.name for tag in stored()[0].tags] == ["Slow food"]


def test_a_dry_run_stores_nothing(store, stored):
    assert store(RECORD, dry_run=True).result is Result.CREATED
    assert stored() == []


@pytest.mark.parametrize(
    ("invalid", "message"),
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
def test_an_invalid_record_is_refused_and_nothing_of_it_is_stored(store, stored, invalid, message):
    report = store(replace(RECORD, **invalid))
    assert report.result is Result.REFUSED
    assert message in report.notes[0]
    assert stored() == []


@pytest.mark.parametrize(
    ("error", "result"),
    [(RefusedFile("Broken."), Result.REFUSED), (NotAnArticle("A picture."), Result.SKIPPED)],
)
def test_an_error_of_the_reader_is_reported(app, people, error, result):
    def read():
        raise error

    with app.app_context():
        report = service.import_record(people.admin.uuid, "blog/x.md", read)
    assert (report.result, report.notes) == (result, (str(error),))


def test_an_error_of_the_article_service_is_reported(store, monkeypatch):
    def refuse(*_, **__):
        raise Conflict("The blog is full.")

    monkeypatch.setattr(article_service, "create", refuse)
    assert store(RECORD).notes == ("The blog is full.",)
