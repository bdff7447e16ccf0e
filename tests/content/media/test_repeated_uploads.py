"""Uploads of bytes that the library has or had: they change only files that the caller may change."""

from __future__ import annotations

import pytest

from blogapi.accounts.users import queries as users
from blogapi.web.access import Role
from tests.conftest import ARTICLES, AUTHORS
from tests.content.media.rows import MEDIA
from tests.contracts.client import outcome
from tests.pictures import make_picture

CHANGES = "/api/v1/blog/changes/"
OLD, NEW = make_picture("red"), make_picture("blue")
TEXTS = {"alt": "Words of the upload", "caption": "More words"}

# Each uploader, and the owner and the status of the article that shows the file that they have uploaded.
MAY_FILL = {
    # The library keeps all texts of its files if the uploader may not publish.
    ("author", None): False,
    ("author", ("own", "draft")): False,
    ("author", ("own", "published")): False,
    ("author", ("own", "unlisted")): False,
    ("author", ("foreign", "draft")): False,
    ("author", ("foreign", "published")): False,
    ("publisher", ("own", "published")): True,
    ("publisher", ("foreign", "draft")): False,
    ("publisher", ("foreign", "published")): False,
    ("editor", ("foreign", "published")): True,
    ("admin", ("foreign", "published")): True,
}


@pytest.fixture
def as_uploader(as_role):
    """Return a function that returns the client of an uploader, by a key of the scope or by `login`."""

    def as_uploader(name, scope="write"):
        is_publisher = name == "publisher"
        return as_role(Role.AUTHOR if is_publisher else Role(name), scope, can_publish=is_publisher)

    return as_uploader


@pytest.fixture
def show(app, people, make_article):
    """Return a function that makes an article that shows a file, and returns its path."""

    def show(file, uploader, owner="foreign", status="published"):
        with app.app_context():
            account = users.get_user_by_name(uploader) if owner == "own" else people.admin
        content = f'<img src="{file["url"]}">'
        return f"{ARTICLES}{make_article(author=account, status=status, content=content).uuid}/"

    return show


def upload(client, content=OLD, **texts):
    return client.post(MEDIA, query_string={"name": "cat.png", **texts}, data=content)


def replace(client, file, content):
    return client.put(f"{MEDIA}{file['uuid']}/content/", data=content)


def read(client, article):
    """Return the HTML of an article and the number of changes of the blog."""
    html = client.get(f"{article}?fields=html").json["html"]
    return html, len(client.get(f"{CHANGES}?limit=100").json["changes"])


@pytest.mark.parametrize(
    ("uploader", "article", "may_fill", "scope"),
    [
        *((*key, may, "write") for key, may in MAY_FILL.items()),
        ("author", ("foreign", "published"), False, "login"),
        ("editor", ("foreign", "published"), True, "login"),
    ],
)
def test_a_second_upload_fills_texts_of_files_that_the_caller_may_change(
    as_uploader, as_admin, show, uploader, article, may_fill, scope
):
    client = as_uploader(uploader, scope)
    file = upload(client).json
    path = show(file, uploader, *article) if article else None
    before = read(as_admin, path) if path else None
    again = upload(client, **TEXTS)
    texts = {name: again.json[name] for name in TEXTS}
    assert (again.status_code, texts) == (200, TEXTS if may_fill else dict.fromkeys(TEXTS, ""))
    if path:
        assert (read(as_admin, path) != before) == may_fill
        assert (TEXTS["alt"] in read(as_admin, path)[0]) == may_fill
    # The operation that changes the texts follows the same rule, except for files that nothing public shows.
    changed = client.patch(f"{MEDIA}{file['uuid']}/", json={"alt": "Changed"})
    is_hidden = article in (None, ("own", "draft"))
    assert changed.status_code == (200 if may_fill or is_hidden else 403)


@pytest.mark.parametrize("uploader", ["author", "publisher"])
def test_a_second_upload_fills_no_texts_of_a_file_of_another_user(as_uploader, as_admin, show, uploader):
    path, client = show(upload(as_admin).json, uploader), as_uploader(uploader)
    before = read(as_admin, path)
    again = upload(client, **TEXTS)
    assert (again.status_code, again.json["alt"], again.json["caption"]) == (200, "", "")
    assert read(as_admin, path) == before


def test_readers_and_keys_that_only_read_upload_nothing(as_role, as_admin):
    file = upload(as_admin).json
    narrow = [(role, scope) for role in Role for scope in ("published", "read")]
    for role, scope in (*narrow, (Role.READER, "write"), (Role.READER, "login")):
        assert upload(as_role(role, scope), **TEXTS).status_code == 403, (role, scope)
    assert as_admin.get(MEDIA).json == [file]


@pytest.mark.parametrize("uploader", ["author", "publisher", "editor", "admin"])
def test_bytes_that_were_replaced_are_uploaded_by_those_who_may_change_the_file(
    as_uploader, as_admin, show, uploader
):
    """The upload takes over the old address, and so changes the articles that contain it."""
    file = upload(as_admin).json
    path = show(file, uploader)
    assert replace(as_admin, file, NEW).status_code == 200
    client = as_uploader(uploader)
    before = read(as_admin, path)
    may_change = uploader in ("editor", "admin")
    answer = upload(client, OLD, **TEXTS)
    assert outcome(answer) == ((201, None) if may_change else (403, "forbidden"))
    assert (read(as_admin, path) != before) == may_change


@pytest.mark.parametrize("uploader", ["author", "publisher", "editor", "admin"])
def test_bytes_that_were_replaced_replace_another_file_only_for_those_who_may_change_theirs(
    as_uploader, as_admin, show, uploader
):
    file, client = upload(as_admin).json, as_uploader(uploader)
    path = show(file, uploader)
    assert replace(as_admin, file, NEW).status_code == 200
    other = upload(client, make_picture("green"), **TEXTS).json
    before = read(as_admin, path)
    may_change = uploader in ("editor", "admin")
    assert outcome(replace(client, other, OLD)) == ((200, None) if may_change else (403, "forbidden"))
    assert (read(as_admin, path) != before) == may_change


@pytest.mark.parametrize(
    ("uploader", "scope", "code"),
    [
        ("author", "write", "forbidden"),
        ("publisher", "write", None),
        ("publisher", "drafts", "scope_missing"),
        ("editor", "drafts", "scope_missing"),
        ("editor", "write", None),
    ],
)
def test_the_replaced_bytes_of_the_picture_of_an_own_profile(as_uploader, as_admin, uploader, scope, code):
    client = as_uploader(uploader)
    file = upload(client).json
    profile = as_admin.get(AUTHORS, query_string={"fields": "uuid,slug"}).json
    (uuid,) = (row["uuid"] for row in profile if row["slug"] == uploader)
    assert as_admin.patch(f"{AUTHORS}{uuid}/", json={"avatar": file["url"]}).status_code == 200
    assert replace(client, file, NEW).status_code == 200
    before = as_admin.get(f"{AUTHORS}{uuid}/").data
    answer = upload(as_uploader(uploader, scope), OLD, **TEXTS)
    assert outcome(answer) == ((403, code) if code else (201, None))
    if code:
        assert as_admin.get(f"{AUTHORS}{uuid}/").data == before


@pytest.mark.parametrize(
    ("uploader", "scope", "code"),
    [
        ("author", "write", "forbidden"),
        ("author", "drafts", "forbidden"),
        ("publisher", "write", None),
        ("publisher", "drafts", "scope_missing"),
    ],
)
def test_the_replaced_bytes_of_a_picture_in_an_own_public_article(
    as_uploader, as_admin, show, uploader, scope, code
):
    client = as_uploader(uploader)
    file = upload(client).json
    path = show(file, uploader, "own")
    assert replace(as_admin, file, NEW).status_code == 200
    before = read(as_admin, path)
    answer = upload(as_uploader(uploader, scope), OLD, **TEXTS)
    assert outcome(answer) == ((403, code) if code else (201, None))
    assert (read(as_admin, path) == before) == bool(code)


def test_an_author_uploads_the_replaced_bytes_of_an_own_file(as_author):
    file = upload(as_author).json
    assert replace(as_author, file, NEW).status_code == 200
    assert upload(as_author, OLD).status_code == 201
