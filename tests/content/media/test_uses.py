"""What uses a file of the library, after every kind of write."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from blogapi.content.media.models import FormerHash
from blogapi.content.revisions import service as revisions
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES
from tests.content.media.pictures import add_picture, change_picture, delete_picture, is_unused, list_uses
from tests.stored_pictures import add_paths

SITE = "/api/v1/blog/site/"


@pytest.fixture(autouse=True)
def no_bin(app):
    """Deleted articles leave only their versions; `content/deleted_items` tests uses of deleted items."""
    app.config["BIN_DAYS"] = 0


@pytest.fixture
def picture(app, people):
    """A picture that nothing uses, and that has replaced another one."""
    picture = add_picture(app)
    with app.app_context(), transaction():
        db.session.add(FormerHash(hash=picture.former_hash, media_id=picture.uuid, width=None))
    return picture


def image(picture):
    return f'<img src="{picture.reference}">'


def prune(app, keep=0):
    with app.app_context():
        revisions.prune_revisions(keep)


@pytest.mark.parametrize(
    "fields",
    [
        {"content": '<img src="{0.reference}">'},
        {"content": '<img src="{0.capitals}">'},
        {"content": "![]({0.path})", "content_type": "markdown"},
        {"content": '<a href="{0.renditions[0]}">a</a>'},
        {"content": '<img src="{0.former_path}">'},
        {"cover_image": "{0.reference}"},
        {"seo": {"og_image": "{0.path}"}},
        {"seo": {"og_image": "{0.capitals}"}},
    ],
)
def test_an_article_uses_a_file_until_no_version_refers_to_it(app, as_admin, make_article, picture, fields):
    def fill(value):
        return (
            {key: fill(one) for key, one in value.items()}
            if isinstance(value, dict)
            else value.format(picture)
        )

    article = make_article()
    path, uuid = f"{ARTICLES}{article.uuid}/", article.uuid
    assert is_unused(app, picture)
    before = as_admin.get(path).json
    assert as_admin.patch(path, json=fill(fields)).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("article", uuid, True)}, False)
    assert as_admin.put(path, json=before).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("article", uuid, False)}, False)
    assert as_admin.post(f"{path}revisions/2/restore/").status_code == 200
    assert list_uses(app, picture) == {("article", uuid, True)}
    assert as_admin.delete(path).status_code == 204
    assert list_uses(app, picture) == {("article", uuid, False)}
    prune(app, keep=1)
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("article", uuid, False)}, False)
    number = as_admin.get(f"{path}revisions/").json[0]["number"]
    assert as_admin.post(f"{path}revisions/{number}/restore/").status_code == 200
    assert list_uses(app, picture) == {("article", uuid, True)}
    assert as_admin.delete(path).status_code == 204
    prune(app)
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)


def test_a_new_article_uses_its_files(app, as_admin, make_category, picture):
    body = {"title": "A", "category": {"uuid": str(make_category().uuid)}, "content": image(picture)}
    created = UUID(as_admin.post(ARTICLES, json=body).json["uuid"])
    put, bulk = uuid4(), uuid4()
    assert as_admin.put(f"{ARTICLES}{put}/", json=body | {"content": "", "cover_image": picture.path}).json
    items = [body | {"uuid": str(one), "title": str(one)} for one in (bulk, created)]
    assert as_admin.put(ARTICLES, json=items).status_code == 200
    assert list_uses(app, picture) == {("article", uuid, True) for uuid in (created, put, bulk)}
    items = [{"uuid": str(uuid), "content": "", "cover_image": ""} for uuid in (created, put)]
    assert as_admin.patch(ARTICLES, json=items).status_code == 200
    assert as_admin.delete(f"{ARTICLES}?uuid={bulk}").status_code == 204
    assert list_uses(app, picture) == {("article", uuid, False) for uuid in (created, put, bulk)}


def test_a_picture_in_the_content_is_still_used_when_the_cover_changes(app, as_admin, make_article, picture):
    other = add_picture(app)
    article = make_article(content=image(picture), cover_image=picture.path)
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"cover_image": other.path}).status_code == 200
    assert list_uses(app, picture) == list_uses(app, other) == {("article", article.uuid, True)}
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"content": ""}).status_code == 200
    assert list_uses(app, picture) == {("article", article.uuid, False)}
    assert list_uses(app, other) == {("article", article.uuid, True)}


def test_a_refused_write_stores_no_use(app, as_admin, make_article, picture):
    items = [
        {"uuid": str(make_article().uuid), "content": image(picture)},
        {"uuid": str(make_article().uuid), "slug": "no slug"},
    ]
    assert as_admin.patch(ARTICLES, json=items).status_code == 422
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)


def test_an_author_uses_the_avatar(app, as_admin, make_guest, picture):
    author, other = make_guest(), add_picture(app)
    path = f"{AUTHORS}{author.uuid}/"
    assert as_admin.patch(path, json={"avatar": picture.capitals}).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("author", author.uuid, True)}, False)
    assert as_admin.patch(path, json={"bio": "b"}).status_code == 200
    assert as_admin.patch(path, json={"avatar": other.path}).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)
    assert as_admin.delete(path).status_code == 204
    assert (list_uses(app, other), is_unused(app, other)) == (set(), True)
    created = as_admin.post(AUTHORS, json={"name": "Z", "avatar": picture.path}).json["uuid"]
    assert list_uses(app, picture) == {("author", UUID(created), True)}


def test_a_category_uses_its_cover(app, as_admin, as_login, as_reader, make_article, make_category, picture):
    category = make_category()
    make_article(category=category)
    path = f"{CATEGORIES}{category.uuid}/"
    as_login.patch(SITE, json={"service_url": "https://api.blog.example"})
    shown = as_admin.patch(path, json={"cover_image": picture.capitals}).json["cover_image"]
    assert shown == f"https://api.blog.example{picture.path}"
    assert as_reader.get(path).json["articles"][0]["category"]["cover_image"] == shown
    assert [one["cover_image"] for one in as_reader.get(CATEGORIES).json] == [shown]
    assert list_uses(app, picture) == {("category", category.uuid, True)}
    uses = as_admin.get(f"/api/v1/blog/media/{picture.uuid}/uses/").json
    assert [(use["kind"], use["title"]) for use in uses] == [("category", category.name)]
    assert as_admin.patch(path, json={"cover_image": ""}).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)


def test_the_site_uses_logo_and_icon(app, as_login, picture):
    uuid = UUID(as_login.patch(SITE, json={"logo": picture.path, "icon": picture.capitals}).json["uuid"])
    assert list_uses(app, picture) == {("site", uuid, True)}
    assert as_login.patch(SITE, json={"logo": ""}).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("site", uuid, True)}, False)
    assert as_login.patch(SITE, json={"icon": ""}).status_code == 200
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)


def test_a_path_of_an_article_is_a_use(app, as_admin, make_article, picture):
    article = make_article(content='<img src="a.png">')
    with app.app_context():
        add_paths(article.uuid, {"a.png": picture.uuid})
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("article", article.uuid, True)}, False)
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"content": ""}).status_code == 200
    assert list_uses(app, picture) == {("article", article.uuid, False)}
    prune(app)
    # The path itself is a use, until no version of the article exists.
    assert not is_unused(app, picture)
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    prune(app, keep=1)
    assert not is_unused(app, picture)
    prune(app)
    assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)


def test_a_file_with_a_path_stays_in_use_when_its_other_uses_end(
    app, as_admin, make_article, make_category, picture
):
    article, category = make_article(content=""), make_category()
    with app.app_context():
        add_paths(article.uuid, {"a.png": picture.uuid})
    path = f"{CATEGORIES}{category.uuid}/"
    for cover, uses in ((picture.path, {("category", category.uuid, True)}), ("", set())):
        assert as_admin.patch(path, json={"cover_image": cover}).status_code == 200
        assert (list_uses(app, picture), is_unused(app, picture)) == (uses, False)


def test_a_change_of_a_file_changes_no_use(app, make_article, picture):
    article = make_article(content=image(picture))
    change_picture(app, picture, alt="a")
    assert list_uses(app, picture) == {("article", article.uuid, True)}
    delete_picture(app, picture)
    assert list_uses(app, picture) == set()


@pytest.mark.parametrize("fields", [{"content": "![]({0.capitals})"}, {"cover_image": "{0.path}"}])
@pytest.mark.parametrize("end", ["publish", "discard", "delete", "add"])
def test_a_working_copy_uses_its_files(app, as_admin, make_article, picture, fields, end):
    article = make_article(content_type="markdown")
    path, uuid = f"{ARTICLES}{article.uuid}/", article.uuid
    copy = f"{path}working-copy/"
    body = {
        "title": "T",
        "content_type": "markdown",
        **{name: text.format(picture) for name, text in fields.items()},
    }
    assert as_admin.put(copy, json=body).status_code == 201
    assert (list_uses(app, picture), is_unused(app, picture)) == ({("working_copy", uuid, True)}, False)
    assert as_admin.delete(f"/api/v1/blog/media/{picture.uuid}/").json["code"] == "media_in_use"
    if end == "publish":
        as_admin.post(f"{copy}publish/")
        assert list_uses(app, picture) == {("article", uuid, True)}
    elif end == "discard":
        as_admin.delete(copy)
        # The history contains the discarded edits.
        assert list_uses(app, picture) == {("article", uuid, False)}
    elif end == "delete":
        as_admin.delete(path)
        assert list_uses(app, picture) == {("article", uuid, False)}
    else:
        number = as_admin.post(f"{path}revisions/", json={"name": "Added"}).json["number"]
        as_admin.delete(copy)
        prune(app)
        assert list_uses(app, picture) == {("article", uuid, False)}
        assert as_admin.patch(f"{path}revisions/{number}/", json={"name": ""}).status_code == 200
        prune(app)
        assert (list_uses(app, picture), is_unused(app, picture)) == (set(), True)
