"""Readers see an article in each status at the places where the rule of the status says so."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.publication.visibility import VISIBILITY_RULES, Status
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.contracts.client import outcome
from tests.exported_blogs import Blogs, create_article, create_term
from tests.site.conftest import set_site

__all__ = ["set_site"]

SLUG = "quince"
LISTS = (
    *(
        ARTICLES,
        f"{ARTICLES}?q=quince&page=1",
        f"{ARTICLES}?slug=quince",
        f"{ARTICLES}?category=own-category",
    ),
    *(f"{ARTICLES}?tag=own-tag", f"{ARTICLES}?author=own-author", f"{ARTICLES}before/?fields=next,related"),
    *("/api/v1/blog/categories/own-category/", "/api/v1/blog/tags/own-tag/", "/api/v1/blog/authors/"),
    *("/api/v1/blog/redirects/", "/feeds/rss.xml", "/sitemap.xml"),
)


@pytest.fixture(params=Status)
def status(request):
    """A status."""
    return request.param


@pytest.fixture
def article(fill_blog, as_admin, set_site, make_article, make_category, make_tag, make_guest, status):
    """The uuid of an article in the status, after a public article, with terms of its own."""

    def fill():
        set_site(url="https://blog.example", article_path="/{slug}/")
        fields = {"category": make_category(name="Kitchen"), "tags": (make_tag("own-tag"),)}
        make_article(**fields, title="Before", slug="before", published_at="2026-01-01T00:00:00Z")
        made = make_article(
            **fields | {"category": make_category(name="Own category")},
            **{"title": "Quince", "slug": "former-quince", "published_at": "2026-01-02T00:00:00Z"},
            authors=[{"uuid": str(make_guest(name="Own author").uuid)}],
        )
        path = f"{ARTICLES}{made.uuid}/"
        assert outcome(as_admin.patch(path, json={"slug": SLUG, "status": status.value})) == (200, None)
        return made.uuid

    return fill_blog(f"an article with the status {status.value}", fill)


def test_an_article_can_be_read_by_everyone_if_its_status_is_readable(as_reader, article, status):
    expected = 200 if VISIBILITY_RULES[status].readable else 404
    answers = [
        as_reader.get(f"{ARTICLES}{article}/"),
        as_reader.get(f"{ARTICLES}{SLUG}/"),
        as_reader.get(f"{ARTICLES}{SLUG}/?fields=head"),
    ]
    assert [answer.status_code for answer in answers] == [expected] * 3
    redirect = as_reader.get("/api/v1/blog/redirects/?path=/former-quince/")
    assert bool(redirect.json) == VISIBILITY_RULES[status].readable


@pytest.mark.parametrize("path", LISTS)
def test_an_article_is_in_the_lists_if_its_status_is_listed(as_reader, article, status, path):
    answer = as_reader.get(path)
    assert answer.status_code == 200, answer.json
    assert (("own-author" if path.endswith("authors/") else SLUG) in answer.text) == VISIBILITY_RULES[
        status
    ].listed


def test_the_feed_of_changes_shows_an_article_if_its_status_is_listed(as_reader, article, status):
    changes = as_reader.get("/api/v1/blog/changes/?since=0").json["changes"]
    (change,) = (change for change in changes if change["uuid"] == str(article))
    assert (change["action"] == "fetch") == VISIBILITY_RULES[status].listed


@pytest.mark.parametrize("kind", ["categories", "tags"])
def test_a_term_counts_the_articles_whose_status_is_listed(as_reader, article, status, kind):
    counts = as_reader.get(f"/api/v1/blog/{kind}/?fields=slug,articles_count").json
    others = sum(term["articles_count"] for term in counts) - VISIBILITY_RULES[status].listed
    assert others == 1


def test_the_counts_have_each_status(as_admin, article, status):
    counts = as_admin.get("/api/v1/blog/article-counts/").json
    assert counts[status.value] == (2 if status == Status.PUBLISHED else 1)
    assert as_admin.get(f"{ARTICLES}?status={status}&slug={SLUG}").json[0]["status"] == status.value


def test_the_database_requires_the_time_of_an_article_if_its_status_is_readable(app, article, status):
    refuses = pytest.raises(IntegrityError) if VISIBILITY_RULES[status].readable else nullcontext()
    with app.app_context(), refuses, transaction():
        db.session.execute(update(Article).where(Article.uuid == article).values(published_at=None))


@pytest.mark.parametrize("layout", ["default", "hugo", "jekyll"])
def test_an_exported_article_comes_back_in_its_status(app, instance, databases, status, layout, tmp_path):
    blogs = Blogs(app, instance, databases)
    fields = {"title": "Quince", "status": status.value, "published_at": "2026-01-02T00:00:00Z"}
    with app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        create_article(blogs.owner, **fields)
    blogs.export(tmp_path / "export", layout)
    blogs.empty()
    blogs.restore(tmp_path / "export")
    assert [row["status"] for row in blogs.read_rows()["article"]] == [status.value]
