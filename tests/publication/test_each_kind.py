"""Each kind of terms is at the places that show terms, and comes back from an export."""

from __future__ import annotations

import pytest

from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.dependencies import TAXONOMIES
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.publication.kinds import KINDS, TERM_KINDS, get_model_of_kind
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.content.media.pictures import add_picture
from tests.exported_blogs import Blogs, create_term
from tests.site.conftest import set_site

__all__ = ["set_site"]


@pytest.mark.parametrize("kind", TERM_KINDS)
def test_a_term_is_in_the_sitemap_and_its_former_slug_redirects(as_admin, as_reader, set_site, kind):
    set_site(url="https://blog.example", **{f"{kind}_path": "/terms/{slug}/"})
    path = f"/api/v1/blog/{KINDS[kind].plural}/"
    term = as_admin.post(path, json={"name": "Term", "slug": "former"}).json
    reference = {"uuid": term["uuid"]}
    given = {kind: reference, KINDS[kind].plural: [reference]}
    fields = {name: value for name, value in given.items() if name in ArticleBodySchema().fields}
    article = as_admin.post(ARTICLES, json={"title": "Quince", "status": "published"} | fields)
    renamed = as_admin.patch(f"{path}{term['uuid']}/", json={"slug": "new"})
    assert (article.status_code, renamed.status_code) == (201, 200)
    assert "https://blog.example/terms/new/" in as_reader.get("/sitemap.xml").text
    (redirect,) = as_reader.get("/api/v1/blog/redirects/?path=/terms/former/").json
    assert redirect["new_url"] == "https://blog.example/terms/new/"


@pytest.mark.parametrize("kind", TERM_KINDS)
def test_the_picture_of_a_term_is_in_use_under_its_name(app, as_admin, kind):
    path, picture = f"/api/v1/blog/{KINDS[kind].plural}/", add_picture(app)
    as_admin.post(path, json={"name": "Term", get_model_of_kind(kind).picture_fields[0]: picture.path})
    (use,) = as_admin.get(f"/api/v1/blog/media/{picture.uuid}/uses/").json
    assert (use["kind"], use["title"]) == (kind, "Term")


@pytest.mark.parametrize("taxonomy", TAXONOMIES, ids=lambda one: one.singular)
def test_an_exported_term_comes_back(app, instance, databases, taxonomy, tmp_path):
    blogs = Blogs(app, instance, databases)
    with app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        create_term(blogs.owner, taxonomy, name="Term", seo_title="Own title")
    blogs.export(tmp_path / "export", "default")
    blogs.empty()
    blogs.restore(tmp_path / "export")
    with app.app_context():
        term = db.session.query(taxonomy.model).filter_by(name="Term").one()
        assert term.seo_title == "Own title"
