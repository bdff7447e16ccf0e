"""The importer handles new, unchanged, changed and invalid records."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import joinedload, selectinload

from blogapi import clock
from blogapi.content.articles import queries as articles
from blogapi.content.articles import service as article_service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article, ArticleTag, FormerSlug
from blogapi.content.taxonomies.categories import DEFAULT_CATEGORY
from blogapi.content.taxonomies.tags import Tag
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result, read_item
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.storing import batch as batches
from blogapi.importing.storing import service
from blogapi.importing.storing.article_input import ArticleInputFactory
from blogapi.rendering import renderer
from blogapi.storage.database import WRITE_TRANSACTION_KEY, db, transaction
from blogapi.storage.files import FolderLock
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
            return service.Importer(people.admin.uuid, **options).store_batch([record])[0]

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


def test_an_archived_article_is_published_if_its_file_is_public_again(store, stored):
    store(replace(RECORD, status="archived"))
    report = store(RECORD)
    assert (report.result, report.status) == (Result.UPDATED, "published")
    assert [article.status for article in stored()] == ["published"]


def test_an_archived_page_is_published_if_its_file_is_public_again(store, stored):
    time = datetime(2024, 5, 1, 8, 30, tzinfo=UTC)

    def make_record(status, title):
        body = {"title": title, "slug": "imprint", "status": status, "published_at": time.isoformat()}
        body |= {"type": "page", "parent": None, "position": 2}
        record = replace(RECORD, title=title, status=status, uuid=UUID(int=7), body=body)
        return replace(record, created=time, last_updated=time)

    store(make_record("archived", "Imprint"))
    assert store(make_record("published", "Legal notice")).result is Result.UPDATED
    (page,) = stored()
    assert (page.type, page.status, page.title, page.position) == ("page", "published", "Legal notice", 2)


def test_a_text_that_was_removed_from_the_file_is_removed_from_its_article(app, store, stored):
    seo = {"seo_title": "Loaf", "seo_description": "Of rye", "canonical_url": "https://example.org/bread"}
    store(replace(RECORD, subtitle="Sour", cover_image="/rye.png", **seo))
    store(RECORD)
    with app.app_context():
        (article,) = db.session.scalars(select(Article))
    assert (article.subtitle, article.cover_image) == ("", "")
    assert (article.seo_title, article.seo_description, article.seo_canonical_url) == ("Bread", "", "")


def test_the_excerpt_of_a_record_becomes_the_excerpt_of_its_article(app, store, stored):
    for excerpt, written in (("Mine", "Mine"), ("Flour, water, time.", ""), ("Mine", "Mine"), ("", "")):
        store(replace(RECORD, excerpt=excerpt))
        assert stored()[0].excerpt == written
    app.config["MAX_EXCERPT"] = 12
    store(replace(RECORD, excerpt="Much too long for it"))
    assert stored()[0].excerpt == "Much too…"


def test_an_edited_article_is_not_overwritten(app, store, stored):
    store(RECORD)
    with app.app_context(), transaction():
        articles.get_article(stored()[0].uuid).title = "My own words"
    report = store(replace(RECORD, title="Rye bread"))
    assert report.result is Result.REFUSED
    assert "edited in this blog" in report.notes[0]
    assert stored()[0].title == "My own words"


def test_a_slug_from_the_record_does_not_change_with_the_title(store, stored):
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
    assert stored()[0].category.name == DEFAULT_CATEGORY


def test_tags_with_the_same_slug_become_one_tag(store, stored):
    store(replace(RECORD, tags=("Slow food", "slow-food")))
    assert [tag.name for tag in stored()[0].tags] == ["Slow food"]


def test_tags_that_differ_in_a_symbol_are_different_tags(store, stored):
    store(replace(RECORD, tags=("C", "C#", "C++", "c#", ".NET")))
    tags = {tag.slug: tag.name for tag in stored()[0].tags}
    assert tags == {"c": "C", "c-sharp": "C#", "c-plus-plus": "C++", "net": ".NET"}


def delete(app, stored):
    """Delete the only article of the blog."""
    with app.app_context():
        article_service.delete_item(stored()[0].author_id, stored()[0].uuid)


def test_a_deleted_article_is_not_imported_again(app, store, stored):
    store(RECORD)
    delete(app, stored)
    other_key = replace(RECORD, key="site/blog/bread.md", former_key="blog/bread.md")
    for record in (RECORD, replace(RECORD, title="Rye bread"), other_key):
        report = store(record)
        assert report.result is Result.SKIPPED
        assert report.notes[-1] == "Its article was deleted in this blog; --restore-deleted imports it again."
    assert stored() == []


def test_restore_deleted_imports_a_deleted_article_under_its_former_uuid(app, store, stored):
    store(RECORD)
    uuid = stored()[0].uuid
    delete(app, stored)
    assert store(RECORD, restore_deleted=True).result is Result.CREATED
    assert [(article.uuid, article.slug, article.version) for article in stored()] == [(uuid, "bread", 2)]
    assert store(RECORD).result is Result.UNCHANGED


def test_a_record_with_a_former_key_keeps_its_article_and_gets_the_new_key(store, stored):
    store(RECORD)
    before = stored()[0]
    outer = replace(RECORD, key="site/blog/bread.md", former_key="blog/bread.md")
    unchanged = FileReport(outer.key, Result.UNCHANGED, "published", article=before.uuid)
    assert store(outer) == unchanged
    assert store(replace(outer, former_key="")) == unchanged
    assert [(article.uuid, article.last_updated) for article in stored()] == [
        (before.uuid, before.last_updated)
    ]


def test_a_record_with_a_former_key_that_has_changed_updates_its_article(store, stored):
    store(replace(RECORD, status="draft"))
    report = store(replace(RECORD, key="site/blog/bread.md", former_key="blog/bread.md"))
    assert (report.result, report.status, report.notes) == (Result.UPDATED, "published", ())
    assert [article.status for article in stored()] == ["published"]


def test_a_record_whose_key_another_file_has_keeps_its_former_key(store, stored):
    other = replace(RECORD, key="site/blog/bread.md", title="Rye")
    store(RECORD), store(other)
    for _ in range(2):
        assert store(replace(RECORD, key=other.key, former_key=RECORD.key)).result is Result.UNCHANGED
    assert [article.title for article in stored()] == ["Bread", "Rye"]


@pytest.mark.parametrize("is_changed", [False, True])
def test_an_undated_record_does_not_hide_a_public_article(store, stored, is_changed):
    undated = replace(RECORD, published_at=None, is_undated=True)
    store(undated)
    report = store(replace(undated, status="draft", content="New" if is_changed else undated.content))
    assert report.result is (Result.UPDATED if is_changed else Result.UNCHANGED)
    assert [article.status for article in stored()] == ["published"]


def test_an_undated_draft_that_was_published_in_the_blog_is_unchanged(app, store, stored):
    undated = replace(RECORD, published_at=None, is_undated=True, status="draft")
    store(undated)
    with app.app_context():
        article_service.change_article_in_transaction(
            stored()[0].author_id, stored()[0].uuid, ArticleInput(status="published")
        )
    assert (store(undated).result, stored()[0].status) == (Result.UNCHANGED, "published")


# Redirects


@pytest.fixture
def redirects(app):
    """Returns the former slugs with the slugs of their articles."""

    def rows():
        with app.app_context():
            statement = select(FormerSlug.slug, Article.slug).join(
                Article, Article.uuid == FormerSlug.article_id
            )
            return sorted(map(tuple, db.session.execute(statement)))

    return rows


def test_former_slugs_become_redirects(store, redirects):
    record = replace(RECORD, former_slugs=("rye", "bread", "loaf"))
    assert store(record).notes == ()
    assert redirects() == [("loaf", "bread"), ("rye", "bread")]
    assert store(record).result is Result.UNCHANGED
    assert store(replace(record, former_slugs=("rye", "bun"))).result is Result.UPDATED
    assert redirects() == [("bun", "bread"), ("loaf", "bread"), ("rye", "bread")]


def test_a_former_slug_that_is_taken_is_reported(store, redirects):
    store(replace(RECORD, former_slugs=("rye",)))
    report = store(replace(RECORD, key="blog/b.md", title="Buns", former_slugs=("rye", "bread", "roll")))
    assert report.notes == (
        "There is no redirect from “rye”, which is the slug of another article.",
        "There is no redirect from “bread”, which is the slug of another article.",
    )
    assert redirects() == [("roll", "buns"), ("rye", "bread")]


def test_a_draft_gets_no_redirects(store, redirects):
    report = store(replace(RECORD, status="draft", former_slugs=("rye",)))
    assert report.notes == ("Its former addresses were ignored, because a draft has no redirects.",)
    assert redirects() == []
    store(replace(RECORD, former_slugs=("rye",)))
    assert redirects() == [("rye", "bread")]


def test_a_redirect_is_removed_if_a_later_article_of_the_import_has_its_slug(importer, stored, redirects):
    first = replace(RECORD, former_slugs=("rye", "loaf"))
    second = replace(RECORD, key="blog/rye.md", title="Rye")
    reports = [*importer.store_batch([first]), *importer.store_batch([second])]
    assert "“rye” to another article was removed" in reports[1].notes[0]
    assert [article.slug for article in stored()] == ["bread", "rye"]
    assert redirects() == [("loaf", "bread")]


# Batches


@pytest.fixture
def importer(app, people):
    """An importer of Ada's articles."""
    with app.app_context():
        yield service.Importer(people.admin.uuid)


def test_an_invalid_record_does_not_stop_the_other_records_of_its_batch(importer, stored):
    bad = replace(RECORD, key="blog/bad.md", title="x" * 256, tags=("new", "rye"), category="Other")
    good = replace(RECORD, key="blog/good.md", tags=("new",), category="Other")
    reports = importer.store_batch([RECORD, bad, good])
    assert [report.result for report in reports] == [Result.CREATED, Result.REFUSED, Result.CREATED]
    assert [(article.slug, [tag.name for tag in article.tags]) for article in stored()] == [
        ("bread", ["slow food", "Bread"]),
        ("bread-2", ["new"]),
    ]
    assert [tag.name for tag in db.session.scalars(select(Tag).order_by(Tag.name))] == [
        *("Bread", "new", "slow food")
    ]


def test_a_refused_article_leaves_no_terms_and_no_slug(importer, stored):
    bad = replace(RECORD, key="blog/bad.md", seo_title="x" * 256, tags=("gone",), slug="rye")
    importer.store_batch([bad, replace(RECORD, slug="rye")])
    assert [article.slug for article in stored()] == ["rye"]
    assert "gone" not in set(db.session.scalars(select(Tag.slug)))


def test_a_record_that_the_database_refuses_does_not_stop_the_other_records(importer, stored, monkeypatch):
    original = batches.create_article

    def create(loaded, author, given, **options):
        article = original(loaded, author, given, **options)
        if article.title == "Rye":
            db.session.flush()
            db.session.execute(update(Article).where(Article.uuid == article.uuid).values(status="x"))
        return article

    monkeypatch.setattr(batches, "create_article", create)
    reports = importer.store_batch([replace(RECORD, key="blog/rye.md", title="Rye"), RECORD])
    assert [report.result for report in reports] == [Result.REFUSED, Result.CREATED]
    assert reports[0].notes[0].startswith("The database refused it: ")
    assert [article.title for article in stored()] == ["Bread"]


@pytest.fixture
def server(app, importer, monkeypatch):
    """A lock that stands for another process that has the blog open."""
    # The folder of the database was made after the application.
    own, other = (FolderLock(Path(app.instance_path)) for _ in range(2))
    monkeypatch.setattr("blogapi.importing.storing.service.is_only_process", own.is_alone)
    return other


@pytest.fixture
def commits(importer):
    """The connections that have committed, one for each transaction."""
    found = []

    def note(connection):
        found.append(connection)

    event.listen(db.engine, "commit", note)
    yield found
    event.remove(db.engine, "commit", note)


@pytest.mark.sqlite("PostgreSQL grants locks in the order of the requests, so nothing pauses")
def test_without_a_server_transactions_are_longer_and_nothing_pauses(importer, commits, monkeypatch):
    # Where folders cannot be locked, an import never knows whether a server runs.
    monkeypatch.setattr("blogapi.importing.storing.service.is_only_process", lambda: True)
    now, pauses = [100.0], []
    original = ArticleInputFactory.make_input

    def make_slowly(inputs, record):
        now[0] += 0.2
        return original(inputs, record)

    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(ArticleInputFactory, "make_input", make_slowly)
    importer.store_batch([replace(RECORD, key=f"blog/{number}.md") for number in range(9)])
    assert (len(commits), pauses) == (2, [])


@pytest.mark.parametrize(("seconds", "transactions"), [(600, 1), (-1, 5)])
def test_a_batch_is_one_transaction_unless_it_exceeds_the_time_limit(
    importer, server, commits, monkeypatch, seconds, transactions
):
    monkeypatch.setattr(service, "MAX_BATCH_SECONDS", seconds)
    reports = importer.store_batch([replace(RECORD, key=f"blog/{number}.md") for number in range(5)])
    assert len(commits) == transactions
    assert [report.key for report in reports] == [f"blog/{number}.md" for number in range(5)]


def test_an_unchanged_batch_is_read_in_a_fixed_number_of_statements(
    importer, server, record_statements, monkeypatch
):
    monkeypatch.setattr(service, "MAX_BATCH_SECONDS", 600)
    records = [replace(RECORD, key=f"blog/{number}.md") for number in range(9)]
    importer.store_batch(records)
    with record_statements() as few:
        importer.store_batch(records[:2])
    with record_statements() as many:
        importer.store_batch(records)
    # The terms were found before.
    assert len(many) <= len(few) < 10


def test_a_new_record_executes_few_statements(importer, server, record_statements, monkeypatch):
    monkeypatch.setattr(service, "MAX_BATCH_SECONDS", 600)
    counts = []
    for start, end in ((0, 3), (3, 13)):
        records = [replace(RECORD, key=f"blog/{number}.md") for number in range(start, end)]
        with record_statements() as statements:
            importer.store_batch(records)
        counts.append(len(statements))
    assert counts[1] - counts[0] <= 2 * 7


def test_records_of_one_batch_share_slugs_and_redirects_whether_or_not_one_of_them_is_refused(
    app, people, stored
):
    old = replace(RECORD, key="blog/old.md", title="Rye", former_slugs=("dough", "rye-2", "spelt"))
    records = [old, replace(old, key="blog/again.md"), replace(RECORD, key="blog/dough.md", title="Dough")]
    refused = replace(RECORD, key="blog/refused.md", title="x" * 256)
    found = []
    for batch in (records, [*records, refused]):
        with app.app_context():
            reports = service.Importer(people.admin.uuid, restore_deleted=True).store_batch(batch)
            redirects = db.session.execute(select(FormerSlug.slug, Article.slug).join(Article)).all()
            found.append(
                ([report.notes for report in reports[:3]], sorted(redirects), [one.slug for one in stored()])
            )
            for article in stored():
                article_service.delete_item(article.author_id, article.uuid)
    assert found[0] == found[1]
    assert found[0][1:] == (
        [("rye-2", "rye"), ("spelt", "rye")],
        ["dough", "rye", "rye-3"],
    )


def test_a_batch_without_records_takes_no_write_lock(importer, record_statements):
    with record_statements() as found:
        importer.store_batch([])
    assert found == []


def test_the_number_and_the_total_length_of_the_records_of_a_batch_are_limited():
    records = [replace(RECORD, key=f"blog/{number}.md", content="x") for number in range(120)]
    assert [len(batch) for batch in service.make_batches(records)] == [50, 50, 20]
    long = [replace(RECORD, content="x" * length) for length in (900_000, 300_000, 200_000, 1)]
    assert [len(batch) for batch in service.make_batches(long)] == [1, 2, 1]
    assert list(service.make_batches([])) == []


def test_a_transaction_ends_after_the_article_that_exceeds_the_time_limit(importer, server, monkeypatch):
    now, calls, at_commit = [100.0], [], []
    original = ArticleInputFactory.make_input

    def make_slowly(inputs, record):
        now[0] += service.MAX_BATCH_SECONDS * 0.4
        calls.append(record.key)
        return original(inputs, record)

    def note(connection):
        at_commit.append(len(calls))

    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(ArticleInputFactory, "make_input", make_slowly)
    event.listen(db.engine, "commit", note)
    try:
        reports = importer.store_batch([replace(RECORD, key=f"blog/{number}.md") for number in range(9)])
    finally:
        event.remove(db.engine, "commit", note)
    assert at_commit[0] == 3
    assert {report.result for report in reports} == {Result.CREATED}


@pytest.mark.parametrize(
    ("duration", "between", "pause"), [(0.05, 0, 0), (1, 0, 0.12), (1, 0.1, 0.02), (1, 1, 0)]
)
def test_other_programs_can_write_after_a_long_transaction(
    importer, server, monkeypatch, duration, between, pause
):
    now, pauses = [100.0], []
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", pauses.append)
    with importer.open_transaction():
        now[0] += duration
    now[0] += between
    with importer.open_transaction():
        pass
    assert sum(pauses) == pytest.approx(pause if db.engine.dialect.name == "sqlite" else 0)


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
def test_an_invalid_record_is_refused_and_nothing_is_stored(store, stored, invalid, message):
    report = store(replace(RECORD, **invalid))
    assert report.result is Result.REFUSED
    assert message in report.notes[0]
    assert stored() == []


@pytest.mark.parametrize(
    ("error", "result"),
    [(RefusedFile("Broken."), Result.REFUSED), (NotAnArticle("A picture."), Result.SKIPPED)],
)
def test_an_error_of_the_reader_is_reported(error, result):
    def read():
        raise error

    report = read_item("blog/x.md", read)
    assert (report.result, report.notes) == (result, (str(error),))


def test_an_error_of_the_article_service_is_reported(store, monkeypatch):
    def refuse(*_, **__):
        raise Conflict("The blog is full.")

    monkeypatch.setattr(batches, "create_article", refuse)
    assert store(RECORD).notes == ("The blog is full.",)


def test_contents_are_rendered_before_the_write_lock_is_taken(importer, monkeypatch):
    rendered = []
    render = renderer.render_text

    def record(content, content_type):
        rendered.append((content, WRITE_TRANSACTION_KEY in db.session().info))
        return render(content, content_type)

    monkeypatch.setattr(renderer, "render_text", record)
    changed = replace(RECORD, content="Changed.")
    for each in (RECORD, RECORD, changed):
        importer.store_batch([each])
    assert {content for content, _ in rendered} == {RECORD.content, changed.content}
    assert not any(in_write for _, in_write in rendered)
