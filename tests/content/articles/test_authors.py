"""The authors of an article: an ordered byline, which can name guests and several people."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import ArticleRevision
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES, AUTHORS

EMBEDDED = ["uuid", "name", "slug", "bio", "url", "avatar", "user", "created", "last_updated"]


@pytest.fixture
def guests(make_guest):
    """Two guests: Jo and Kim."""
    return make_guest("Jo"), make_guest("Kim")


@pytest.fixture
def path(make_article, guests):
    """The path of an article by Jo and Kim."""
    return f"{ARTICLES}{make_article(title='By two', authors=refer(*guests)).uuid}/"


def refer(*authors):
    return [{"uuid": str(author.uuid)} for author in authors]


def read_byline(client, path):
    return [author["name"] for author in client.get(f"{path}?fields=authors").json["authors"]]


def list_titles(client, author):
    return sorted(article["title"] for article in client.get(f"{ARTICLES}?author={author}").json)


# Reading


def test_the_default_author_is_the_profile_of_the_writer(as_admin, people, make_article):
    path = f"{ARTICLES}{make_article(author=people.other_admin).uuid}/"
    assert read_byline(as_admin, path) == ["grace"]
    category = as_admin.get(f"{path}?fields=category").json["category"]
    for created in (
        as_admin.post(ARTICLES, json={"title": "T", "category": category}),
        as_admin.put(f"{ARTICLES}{uuid4()}/", json={"title": "T", "category": category}),
        as_admin.put(ARTICLES, json=[{"uuid": str(uuid4()), "title": "T", "category": category}]),
    ):
        article = created.json[0] if isinstance(created.json, list) else created.json
        assert read_byline(as_admin, f"{ARTICLES}{article['uuid']}/") == ["ada"]


def test_authors_are_shown_on_request_in_their_order_with_all_fields(as_reader, path, guests):
    shown = as_reader.get(f"{path}?fields=title,authors").json
    assert [author["slug"] for author in shown["authors"]] == ["jo", "kim"]
    assert [list(author) for author in shown["authors"]] == [EMBEDDED] * 2
    assert as_reader.get(f"{ARTICLES}?fields=title,authors").json == [shown]
    answer = as_reader.get(path)
    assert (answer.status_code, "authors" in answer.json) == (200, False)


def test_the_author_of_an_article_stays_the_user(as_admin, path, people):
    assert as_admin.get(path).json["author"] == str(people.admin.uuid)


def test_a_changed_profile_is_shown_in_its_articles(as_admin, as_reader, path, guests):
    as_admin.patch(f"{AUTHORS}{guests[1].uuid}/", json={"name": "Kim Q."})
    assert read_byline(as_reader, path) == ["Jo", "Kim Q."]


# Writing


def test_authors_are_named_by_uuid_or_slug_and_repeated_authors_count_once(as_admin, path, guests):
    body = {"authors": [{"slug": "grace"}, *refer(guests[1]), {"slug": "kim"}, {"slug": "ada"}]}
    assert as_admin.patch(path, json=body).status_code == 200
    assert read_byline(as_admin, path) == ["grace", "Kim", "ada"]
    as_admin.patch(path, json={"authors": [{"slug": "kim"}, {"slug": "grace"}]})
    assert read_byline(as_admin, path) == ["Kim", "grace"]


@pytest.mark.parametrize(
    ("authors", "errors"),
    [
        ([], ["authors"]),
        ([{"slug": "ada"}, {"slug": "nobody"}], ["authors.1.slug"]),
        ([{"uuid": str(uuid4())}], ["authors.0.uuid"]),
        ([{}], ["authors.0"]),
        (["Ada!"], ["authors.0"]),
        ([{"slug": "ada"}] * 51, ["authors"]),
        (None, ["authors"]),
    ],
)
def test_invalid_authors_are_refused(as_admin, path, authors, errors):
    response = as_admin.patch(path, json={"authors": authors})
    assert (response.status_code, list(response.json["errors"])) == (422, errors)
    assert read_byline(as_admin, path) == ["Jo", "Kim"]


def test_a_read_with_authors_is_a_valid_put_body(as_admin, path):
    fields = f"{path}?fields=uuid,author,title,subtitle,tags,category,slug,content,status,seo,authors"
    before = as_admin.get(fields).json
    assert as_admin.put(path, json=before).status_code == 200
    assert as_admin.get(fields).json == before
    assert as_admin.get(f"{path}revisions/").json == []


def test_put_without_authors_keeps_them(as_admin, path):
    assert as_admin.put(path, json=as_admin.get(path).json | {"title": "Other"}).status_code == 200
    assert as_admin.get(f"{path}?fields=title").json == {"title": "Other"}
    assert read_byline(as_admin, path) == ["Jo", "Kim"]


def test_a_bulk_write_changes_authors(as_admin, path, make_article):
    paths = [path, f"{ARTICLES}{make_article().uuid}/"]
    items = [{"uuid": one.split("/")[-2], "authors": [{"slug": "kim"}]} for one in paths]
    assert as_admin.patch(ARTICLES, json=items).status_code == 200
    assert [read_byline(as_admin, one) for one in paths] == [["Kim"], ["Kim"]]
    items[1]["authors"] = [{"slug": "nobody"}]
    assert list(as_admin.patch(ARTICLES, json=items).json["errors"]) == ["1.authors.0.slug"]


def test_a_change_of_only_the_authors_changes_the_etag(as_admin, path):
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"authors": [{"slug": "kim"}]})
    assert as_admin.get(path).headers["ETag"] != etag
    assert as_admin.patch(path, json={"title": "T"}, headers={"If-Match": etag}).status_code == 412


# Former versions


def test_a_former_version_has_its_authors_and_restoring_it_restores_them(as_admin, path, guests):
    as_admin.patch(path, json={"authors": [{"slug": "ada"}]})
    uuids = [str(guest.uuid) for guest in guests]
    assert as_admin.get(f"{path}revisions/1/").json["authors"] == uuids
    ada = as_admin.get(f"{path}?fields=authors").json["authors"][0]["uuid"]
    assert as_admin.get(f"{path}revisions/1/compare/").json["changes"] == [
        {"field": "authors", "before": uuids, "after": [ada]}
    ]
    as_admin.post(f"{path}revisions/1/restore/")
    assert read_byline(as_admin, path) == ["Jo", "Kim"]


def test_a_deleted_article_is_restored_with_the_authors_that_still_exist(as_admin, path, guests):
    as_admin.delete(path)
    assert as_admin.delete(f"{AUTHORS}{guests[0].uuid}/").status_code == 204
    as_admin.post(f"{path}revisions/1/restore/")
    assert read_byline(as_admin, path) == ["Kim"]
    as_admin.delete(path)
    as_admin.delete(f"{AUTHORS}{guests[1].uuid}/")
    as_admin.post(f"{path}revisions/1/restore/")
    assert read_byline(as_admin, path) == ["ada"]


def test_a_version_from_before_there_were_authors_changes_no_authors(app, as_admin, path):
    as_admin.patch(path, json={"title": "New"})
    with app.app_context(), transaction():
        revision = db.session.scalar(select(ArticleRevision))
        content = json.loads(revision.content)
        del content["authors"]
        revision.content = json.dumps(content)
    assert as_admin.get(f"{path}revisions/1/").json["authors"] == []
    changes = as_admin.get(f"{path}revisions/1/compare/").json["changes"]
    assert [change["field"] for change in changes] == ["seo.title", "title"]
    as_admin.post(f"{path}revisions/1/restore/")
    assert read_byline(as_admin, path) == ["Jo", "Kim"]


# Filter


def test_the_filter_takes_the_slug_or_uuid_of_an_author_or_the_uuid_of_a_user(
    as_reader, as_admin, people, make_article, path, guests
):
    make_article(title="By Grace", author=people.other_admin)
    make_article(title="By both", author=people.admin, authors=[{"slug": "grace"}, {"slug": "ada"}])
    grace = next(author["uuid"] for author in as_admin.get(AUTHORS).json if author["slug"] == "grace")
    for reference in ("grace", grace, people.other_admin.uuid):
        assert list_titles(as_reader, reference) == ["By Grace", "By both"]
    # Ada wrote the article for two guests, who are its authors.
    assert list_titles(as_reader, people.admin.uuid) == ["By both", "By two"]
    assert list_titles(as_reader, "ada") == ["By both"]
    for reference in ("jo", guests[0].uuid, "kim"):
        assert list_titles(as_reader, reference) == ["By two"]
    for reference in ("nobody", uuid4(), people.member.uuid, "GRACE"):
        assert list_titles(as_reader, reference) == []


def test_the_filter_of_a_user_without_a_profile_finds_their_articles(as_admin, people, make_article):
    make_article(title="T")
    ada = next(author["uuid"] for author in as_admin.get(AUTHORS).json if author["slug"] == "ada")
    as_admin.patch(f"{AUTHORS}{ada}/", json={"user": None})
    assert list_titles(as_admin, people.admin.uuid) == list_titles(as_admin, "ada") == ["T"]


def test_the_filter_works_in_a_search_and_in_the_list_of_own_articles(as_admin, path, make_article):
    make_article(title="By me")
    found = as_admin.get(f"{ARTICLES}?q=by&author=jo&fields=title").json
    own = as_admin.get(f"{ARTICLES}author/me/?author=jo&fields=title&page=1")
    assert found == own.json == [{"title": "By two"}]
    assert own.headers["X-Total-Count"] == "1"


@pytest.mark.parametrize("value", ["", "x" * 256])
def test_an_invalid_filter_is_refused(as_reader, value):
    assert as_reader.get(f"{ARTICLES}?author={value}").status_code == 400
