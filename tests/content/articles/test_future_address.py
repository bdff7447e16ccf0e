"""The slug and the address that `render/` shows are those that the article gets."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from blogapi.web.access import Role
from tests.conftest import ARTICLES

RENDER = "/api/v1/blog/render/"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def predict(as_admin, as_login, set_clock):
    """Return a function that returns the slug and the url that the API shows for an article."""
    set_clock(NOW)
    site = {"url": "https://blog.example", "article_path": "/{year}/{month}/{category}/{slug}/"}
    assert as_login.patch("/api/v1/blog/site/", json=site).status_code == 200

    def ask(**fields):
        response = as_admin.post(RENDER, json={"content": ""} | fields)
        assert response.status_code == 200, response.json
        return response.json["slug"], response.json["url"]

    return ask


@pytest.mark.parametrize("other", [None, "draft", "published"])
@pytest.mark.parametrize("slug", ["", "own"])
@pytest.mark.parametrize("time", [None, "2027-01-31T23:00:00Z"])
def test_the_address_of_a_new_article(as_admin, make_article, predict, other, slug, time):
    if other:
        make_article(title="A knot", status=other)
    uuid = str(uuid4())
    given = {"title": "A knot", "slug": slug} if slug else {"title": "A knot"}
    predicted = predict(**{"article": uuid, "published_at": time, "slug": ""} | given)
    body = given | {"status": "published", "published_at": time}
    as_admin.put(f"{ARTICLES}{uuid}/", json=body)
    stored = as_admin.get(f"{ARTICLES}{uuid}/?fields=slug,url").json
    assert predicted == (stored["slug"], stored["url"])
    assert predicted[1].startswith(
        "https://blog.example/2027/01/" if time else "https://blog.example/2026/11/"
    )


@pytest.mark.parametrize("status", ["draft", "scheduled", "published"])
@pytest.mark.parametrize(
    "edits", [{}, {"title": "Other"}, {"slug": "given"}, {"title": "Other", "slug": "x"}]
)
@pytest.mark.parametrize("own", [{}, {"slug": "chosen"}])
def test_the_address_of_an_article_with_edits(
    as_admin, make_article, make_category, predict, status, edits, own
):
    time = {"published_at": "2027-03-01T00:00:00Z"} if status == "scheduled" else {}
    article = make_article(title="A knot", status=status, **own, **time)
    edits = {"title": "A knot", "category": str(make_category(name="Kitchen").uuid)} | edits
    predicted = predict(article=str(article.uuid), **edits)
    path = f"{ARTICLES}{article.uuid}/"
    saved = as_admin.put(f"{path}working-copy/", json=edits)
    assert saved.status_code == (200 if status == "scheduled" else 201)
    as_admin.post(f"{path}working-copy/publish/")
    stored = as_admin.get(f"{path}?fields=slug,url").json
    assert predicted == (stored["slug"], stored["url"])


@pytest.mark.parametrize("path", [ARTICLES, "/api/v1/blog/pages/"])
@pytest.mark.parametrize(("language", "start"), [("", "/knot"), ("fr", "/fr/knot"), ("de-AT", "/de-at/knot")])
def test_the_address_of_a_text_in_a_language(as_admin, as_login, predict, path, language, start):
    site = {"article_path": "{/language}/{local_slug}/", "page_path": "{/language}/{path}/"}
    answer = as_login.patch("/api/v1/blog/site/", json=site)
    assert answer.status_code == 200, answer.json
    fields = {"title": "A knot", "slug": "knot-fr"}
    uuid = as_admin.post(path, json=fields | {"language": language, "status": "published"}).json["uuid"]
    stored = as_admin.get(f"{path}{uuid}/?fields=slug,url").json
    assert predict(article=uuid, **fields) == (stored["slug"], stored["url"])
    assert stored["url"].startswith(f"https://blog.example{start}")


def test_without_a_title_or_a_site_there_is_no_address(as_admin, as_login, predict):
    assert predict() == predict(article=str(uuid4()), slug="x") == (None, None)
    assert as_login.patch("/api/v1/blog/site/", json={"url": ""}).status_code == 200
    assert predict(title="A knot") == ("a-knot", None)


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York"])
def test_the_first_and_the_last_time_have_an_address(as_login, predict, time, zone):
    assert as_login.patch("/api/v1/blog/site/", json={"time_zone": zone}).status_code == 200
    assert predict(title="A", published_at=time)[1].startswith(f"https://blog.example/{time[:4]}/")


@pytest.mark.parametrize("title", ["", " ", "\n"])
def test_without_words_there_is_no_address(predict, title):
    assert predict(title=title) == (None, None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": 1},
        {"title": "x" * 10_000},
        {"slug": ["x"]},
        {"category": "No slug"},
        {"published_at": "soon"},
        {"published_at": 1},
    ],
)
def test_a_wrong_field_is_refused(as_admin, wrong):
    response = as_admin.post(RENDER, json={"title": "A"} | wrong)
    assert (response.status_code, list(response.json["errors"])) == (422, list(wrong))


def test_a_deleted_category_and_a_wrong_slug_are_no_error(predict):
    slug, url = predict(title="A", category=str(uuid4()), slug="Not a/slug")
    assert (slug, url) == ("Not a/slug", "https://blog.example/2026/11/uncategorised/Not%20a%2Fslug/")


def test_a_taken_slug_comes_with_a_free_one_except_for_authors(as_admin, as_role, make_article):
    make_article(title="A knot", slug="knot", status="draft")
    own = make_article(title="Mine", slug="mine")
    body = {"title": "A knot", "article": str(own.uuid)}
    for slug, free in (("knot", "knot-2"), ("mine", "mine"), ("new", "new")):
        rendered = as_admin.post(RENDER, json=body | {"slug": slug}).json
        assert (rendered["slug"], rendered["free_slug"]) == (slug, free)
        assert as_role(Role.AUTHOR).post(RENDER, json=body | {"slug": slug}).json["free_slug"] is None
    assert as_admin.post(RENDER, json={"content": "x"}).json["free_slug"] is None


@pytest.mark.parametrize(
    ("content", "removed"),
    [
        ("One < two, `<script>` and <!-- <form> --> <b>bold</b>", []),
        ("https://youtu.be/dQw4w9WgXcQ", []),
        ("<script>alert(1)</script>\n\n<FORM><input></FORM>", ["script", "form"]),
        ('<iframe src="https://maps.example/"></iframe>', ["iframe"]),
        ("<!-- <form>", []),
    ],
)
def test_elements_that_readers_do_not_get_are_named(as_admin, content, removed):
    for content_type in ("markdown", "html"):
        body = {"content": content, "content_type": content_type}
        if content_type == "html" and "`" in content:
            removed = ["script"]
        assert as_admin.post(RENDER, json=body).json["removed"] == removed


def test_a_rendering_says_that_a_text_is_shown_with_its_markup(as_admin):
    for content, as_text in (("<div>" * 1_001, True), ("<div>" * 1_000, False), ("a", False), ("", False)):
        for content_type in ("markdown", "html"):
            body = {"content": content, "content_type": content_type}
            rendered = as_admin.post(RENDER, json=body).json
            assert (rendered["shown_as_text"], "&lt;div" in rendered["html"]) == (as_text, as_text)
