"""What `test_new_text_field` tests on a copy of the package whose articles have the field `standfirst`."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from blogapi.content.articles import queries
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.articles.schemas import ArticleSchema
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.working_copies import service as working_copies
from blogapi.content.working_copies.queries import get_copy_details
from blogapi.content.working_copies.schemas import WorkingCopyBodySchema
from blogapi.exporting import layouts
from tests.conftest import ARTICLES, close_connections
from tests.databases import open_sqlite
from tests.exported_blogs import Blogs, create_article, create_term
from tests.migrations import upgraded_blogs
from tests.migrations.record_blog import LATER

STANDFIRST = {"standfirst": "Baked on Fridays."}
CHANGED = {"standfirst": "Baked by lantern."}
RECORDED = sorted(path.stem for path in upgraded_blogs.BLOGS.glob("*.sql"))


@pytest.fixture
def path(as_admin):
    """The path of a public article with a standfirst."""
    path = f"{ARTICLES}{uuid4()}/"
    article = {"title": "Bread", "content": "Flour", "content_type": "text", "status": "published"}
    assert as_admin.put(path, json=article | STANDFIRST).status_code == 201
    return path


def read(client, path):
    return client.get(f"{path}?fields=standfirst").json


def test_a_response_contains_the_field_if_it_is_selected(as_admin, as_reader, path):
    assert list(as_reader.get(path).json) == list(ArticleSchema().fields)
    assert as_reader.get(f"{path}?fields=title,standfirst").json == {"title": "Bread"} | STANDFIRST
    assert as_reader.get(f"{ARTICLES}?fields=standfirst").json == [STANDFIRST]
    assert as_admin.get(f"{ARTICLES}author/me/?fields=standfirst").json == [STANDFIRST]


def test_an_article_without_the_field_has_an_empty_one(as_admin):
    created = as_admin.post(ARTICLES, json={"title": "Oats"})
    assert read(as_admin, created.headers["Location"]) == {"standfirst": ""}


def test_the_field_is_validated(as_admin, path):
    problem = as_admin.patch(path, json={"standfirst": "x" * 1001})
    assert (problem.status_code, list(problem.json["errors"])) == (422, ["standfirst"])


def test_put_takes_back_what_get_returned_and_keeps_an_omitted_field(as_admin, path):
    shown = as_admin.get(f"{path}?fields=*,standfirst").json
    assert as_admin.put(path, json=shown).status_code == 200
    assert as_admin.get(f"{path}revisions/").json == []
    assert as_admin.put(path, json=as_admin.get(path).json | {"title": "Other"}).status_code == 200
    assert read(as_admin, path) == STANDFIRST


def test_former_versions_keep_the_field_and_bring_it_back(as_admin, path):
    as_admin.patch(path, json=CHANGED)
    assert as_admin.get(f"{path}revisions/1/").json["standfirst"] == STANDFIRST["standfirst"]
    assert read(as_admin, f"{path}revisions/1/") == STANDFIRST
    change = {"field": "standfirst", "before": "Baked on Fridays.", "after": "Baked by lantern."}
    assert as_admin.get(f"{path}revisions/1/compare/").json["changes"] == [change]
    assert as_admin.post(f"{path}revisions/1/restore/").status_code == 200
    assert read(as_admin, path) == STANDFIRST


def test_a_deleted_article_comes_back_with_the_field(as_admin, path):
    as_admin.delete(path)
    assert as_admin.post(f"{path}revisions/1/restore/").status_code == 200
    assert read(as_admin, path) == STANDFIRST


def test_searches_find_the_words_of_the_field(as_admin, as_reader, path):
    found = as_reader.get(f"{ARTICLES}?q=fridays&fields=standfirst,snippet").json
    assert found == [STANDFIRST | {"snippet": "Baked on <mark>Fridays</mark>."}]
    as_admin.patch(path, json=CHANGED)
    assert as_reader.get(f"{ARTICLES}?q=fridays").json == []
    assert as_reader.get(f"{ARTICLES}?q=lantern&fields=standfirst").json == [CHANGED]


def test_a_working_copy_keeps_the_field_until_it_is_published(as_admin, as_stranger, path):
    body = {"title": "Bread", "content": "Flour", "content_type": "text"} | CHANGED
    assert as_admin.put(f"{path}working-copy/", json=body).json["standfirst"] == CHANGED["standfirst"]
    preview = as_admin.post(f"{path}preview/").json
    assert read(as_stranger, preview["api_url"]) == CHANGED
    page = as_stranger.get(preview["url"], headers={"Accept": "text/html"})
    assert CHANGED["standfirst"] in page.get_data(as_text=True)
    assert read(as_admin, path) == STANDFIRST
    assert as_admin.post(f"{path}working-copy/publish/").status_code == 200
    assert read(as_admin, path) == CHANGED


def test_the_openapi_document_describes_the_field(contract):
    for name, schema in contract.document["components"]["schemas"].items():
        properties = schema.get("properties", {})
        assert ("standfirst" in properties) == ("subtitle" in properties), name


@pytest.mark.parametrize("form", layouts.LAYOUTS)
def test_an_export_restores_the_field_in_another_blog(app, instance, databases, tmp_path, form):
    blogs, body = Blogs(app, instance, databases), {"title": "Bread", "content": "Flour"}
    with app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        uuid = create_article(blogs.owner, **body, **STANDFIRST, status="published").uuid
        working_copies.save_working_copy(blogs.owner, uuid, WorkingCopyBodySchema().load(body | CHANGED))
    blogs.export(tmp_path, form)
    blogs.empty()
    blogs.restore(tmp_path)
    with app.app_context():
        assert queries.get_article(uuid).standfirst == STANDFIRST["standfirst"]
        assert get_copy_details(uuid).standfirst == CHANGED["standfirst"]


@pytest.mark.sqlite("the recorded blogs are files")
@pytest.mark.parametrize("migration", [RECORDED[0], RECORDED[-1]])
def test_an_upgraded_blog_shows_the_field_at_once(migration, instance, make_app, make_client, set_clock):
    recorded = upgraded_blogs.install(migration, instance / "blog.db")
    if migration == RECORDED[-1]:
        # The upgrade does not render the articles again.
        with open_sqlite(instance / "blog.db") as connection, connection:
            connection.execute("UPDATE article_stats SET renderer = ?", [RENDERER_VERSION])
    set_clock(LATER + timedelta(minutes=1))
    app = make_app()
    writer, visitor = make_client(app, recorded["keys"]["write"]), make_client(app)
    for article in recorded["anonymous"][ARTICLES]:
        for value in ("", STANDFIRST["standfirst"]):
            if value:
                path = f"{ARTICLES}{article['uuid']}/"
                assert writer.patch(path, json=STANDFIRST).status_code == 200
            answers = upgraded_blogs.read_answers(writer, visitor, article["uuid"], "standfirst")
            assert ("standfirst" in answers["export"]) == bool(value) and value in answers.pop("export")
            assert [*answers] == ["list", "detail", "working copy", "preview"]
            assert all(shown == {"standfirst": value} for shown in answers.values())
    close_connections(app)
