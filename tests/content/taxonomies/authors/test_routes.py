"""The endpoints of authors: representation, writes, users, visibility and deletion."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from blogapi.accounts.users import service as user_service
from blogapi.content.taxonomies import authors
from tests.conftest import ARTICLES, AUTHORS
from tests.contracts.client import outcome

DOCUMENTED = ["uuid", "name", "slug", "bio", "url", "avatar", "user"]
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HIDDEN = [
    {"status": "draft"},
    {"status": "archived"},
    {"status": "published", "published_at": "2999-01-01T00:00:00Z"},
]


def refer(*authors):
    return [{"uuid": str(author.uuid)} for author in authors]


def list_names(client):
    return [author["name"] for author in client.get(AUTHORS).json]


@pytest.fixture
def profile(app, people):
    """The profile of Ada."""
    with app.app_context():
        return authors.find_profile(people.admin.uuid)


# Representation


def test_each_user_gets_a_profile(as_admin, people):
    listed = as_admin.get(AUTHORS).json
    assert [(author["name"], author["slug"], author["user"]) for author in listed] == [
        ("ada", "ada", str(people.admin.uuid)),
        ("grace", "grace", str(people.other_admin.uuid)),
        ("mel", "mel", str(people.member.uuid)),
    ]


def test_an_author_has_the_documented_fields(as_admin, make_guest, make_article):
    guest = make_guest("Jo Guest", bio="Bakes.", url="https://jo.example", avatar="/jo.png")
    article = make_article(authors=refer(guest))
    shown = as_admin.get(f"{AUTHORS}{guest.uuid}/").json
    assert list(shown) == [*DOCUMENTED, "articles"]
    assert [shown[name] for name in DOCUMENTED] == [
        *(str(guest.uuid), "Jo Guest", "jo-guest", "Bakes.", "https://jo.example", "/jo.png", None)
    ]
    assert [row["uuid"] for row in shown["articles"]] == [str(article.uuid)]
    assert [list(author) for author in as_admin.get(AUTHORS).json] == [DOCUMENTED] * 4


def test_fields_selects_fields_and_times_have_an_offset(as_admin, profile):
    shown = as_admin.get(f"{AUTHORS}{profile.uuid}/?fields=name,created,last_updated").json
    assert list(shown) == ["name", "created", "last_updated"]
    assert all(shown[name].endswith("+00:00") for name in ("created", "last_updated"))
    assert as_admin.get(f"{AUTHORS}?fields=slug").json == [{"slug": slug} for slug in ("ada", "grace", "mel")]


def test_an_author_has_its_public_articles_newest_first(as_reader, make_article, make_guest):
    guest, other = make_guest(), make_guest()
    dates = {"old": "2020-01-01T00:00:00Z", "new": "2024-01-01T00:00:00Z", "ahead": "2999-01-01T00:00:00Z"}
    for title, date in dates.items():
        make_article(title=title, published_at=date, authors=refer(other, guest))
    make_article(title="draft", status="draft", authors=refer(guest))
    make_article(title="other", authors=refer(other))
    shown = as_reader.get(f"{AUTHORS}{guest.uuid}/").json
    assert [article["title"] for article in shown["articles"]] == ["new", "old"]


# Writes


def test_post_creates_a_guest_unless_a_user_is_given(app, as_admin):
    created = as_admin.post(AUTHORS, json={"name": "Jo Guest"})
    assert created.status_code == 201
    assert created.json | {"uuid": ""} == {
        **dict.fromkeys(DOCUMENTED, ""),
        "name": "Jo Guest",
        "slug": "jo-guest",
        "user": None,
    }
    assert as_admin.get(created.headers["Location"]).status_code == 200


def test_put_accepts_every_field_that_a_read_can_show(as_admin, profile, make_article):
    make_article()
    path = f"{AUTHORS}{profile.uuid}/"
    fields = f"{path}?fields={','.join(DOCUMENTED)},created,last_updated,articles"
    read = as_admin.get(fields).json
    assert as_admin.put(path, json=read).status_code == 200
    assert as_admin.put(AUTHORS, json=as_admin.get(AUTHORS).json).status_code == 200
    assert as_admin.get(fields).json == read


def test_put_resets_the_omitted_texts_but_keeps_slug_and_user(as_admin, profile, people):
    path = f"{AUTHORS}{profile.uuid}/"
    as_admin.patch(path, json={"bio": "Counts.", "url": "https://ada.example", "avatar": "/a.png"})
    replaced = as_admin.put(path, json={"name": "Ada Lovelace"}).json
    assert [replaced[name] for name in DOCUMENTED[1:]] == [
        *("Ada Lovelace", "ada", "", "", "", str(people.admin.uuid))
    ]


def test_the_user_of_a_profile_can_be_changed(as_admin, people, profile, make_guest):
    guest, path = make_guest(), f"{AUTHORS}{profile.uuid}/"
    user = {"user": str(people.admin.uuid)}
    for change in (
        as_admin.patch(f"{AUTHORS}{guest.uuid}/", json=user),
        as_admin.post(AUTHORS, json={"name": "n"} | user),
        as_admin.put(f"{AUTHORS}{uuid4()}/", json={"name": "n"} | user),
    ):
        assert outcome(change) == (409, "profile_exists")
    assert as_admin.patch(path, json=user).status_code == 200
    assert as_admin.patch(path, json={"user": None}).json["user"] is None
    changed = as_admin.patch(f"{AUTHORS}{guest.uuid}/", json=user)
    assert (changed.status_code, changed.json["user"]) == (200, str(people.admin.uuid))
    assert as_admin.get(f"{AUTHORS}{guest.uuid}/?fields=user").json == user


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user", "5b0bb6e6-3c2f-4a37-9a53-6a0b0c2ff6a1"),
        ("user", "ada"),
        ("name", " "),
        ("bio", "x" * 10_001),
        ("url", "javascript:alert(1)"),
        ("avatar", "https://user:password@example.org/"),
        ("articles_count", 3),
    ],
)
def test_an_invalid_field_is_refused(as_admin, profile, field, value):
    response = as_admin.patch(f"{AUTHORS}{profile.uuid}/", json={field: value})
    assert (response.status_code, list(response.json["errors"])) == (422, [field])


def test_a_bulk_write_names_the_index_of_an_unknown_user(as_admin, make_guest):
    guests, users = (make_guest(), make_guest()), (None, str(uuid4()))
    items = [{"uuid": str(guest.uuid), "user": user} for guest, user in zip(guests, users, strict=True)]
    response = as_admin.patch(AUTHORS, json=items)
    assert (response.status_code, list(response.json["errors"])) == (422, ["1.user"])


def test_a_stale_if_match_is_refused(as_admin, profile):
    path = f"{AUTHORS}{profile.uuid}/"
    etag = as_admin.get(path).headers["ETag"]
    assert as_admin.patch(path, json={"bio": "New."}, headers={"If-Match": etag}).status_code == 200
    assert as_admin.patch(path, json={"bio": "Old."}, headers={"If-Match": etag}).status_code == 412


@pytest.mark.parametrize("fields", [{}, *HIDDEN])
def test_an_author_with_articles_cannot_be_deleted(as_admin, make_article, make_guest, fields):
    guest = make_guest()
    article = make_article(authors=refer(guest), **fields)
    path = f"{AUTHORS}{guest.uuid}/"
    assert outcome(as_admin.delete(path)) == (409, "author_in_use")
    assert outcome(as_admin.delete(f"{AUTHORS}?uuid={guest.uuid}")) == (409, "author_in_use")
    as_admin.delete(f"{ARTICLES}{article.uuid}/")
    assert as_admin.delete(path).status_code == 204
    assert as_admin.get(path).status_code == 404


# Users


def test_a_new_user_whose_slug_is_taken_gets_another_slug(app, as_admin, make_guest):
    make_guest("Jo")
    with app.app_context():
        user_service.create_user("jo", None, role="reader")
    slugs = {author["slug"]: author["name"] for author in as_admin.get(AUTHORS).json}
    assert (slugs["jo"], slugs["jo-2"]) == ("Jo", "jo")


def test_a_new_user_does_not_get_a_slug_that_another_author_had(app, as_admin, make_guest):
    old = make_guest("Jo")
    assert as_admin.patch(f"{AUTHORS}{old.uuid}/", json={"slug": "jo-doe"}).status_code == 200
    with app.app_context():
        user_service.create_user("jo", None, role="reader")
    assert as_admin.get(f"{AUTHORS}jo/").headers["Location"] == f"{AUTHORS}jo-doe/"
    assert as_admin.get(f"{AUTHORS}jo-2/").json["name"] == "jo"


def test_the_profile_of_a_deleted_user_without_articles_is_deleted(app, as_admin):
    with app.app_context():
        user_service.delete_user_by_name("mel")
    assert list_names(as_admin) == ["ada", "grace"]
    assert as_admin.get("/api/v1/blog/changes/").json["changes"][-1]["action"] == "drop"


def test_the_former_slugs_of_a_deleted_profile_are_free_again(app, as_admin, people):
    with app.app_context():
        uuid = authors.find_profile(people.member.uuid).uuid
        assert as_admin.patch(f"{AUTHORS}{uuid}/", json={"slug": "renamed"}).status_code == 200
        user_service.delete_user_by_name(people.member.username)
    body = {"name": "Another", "slug": people.member.username}
    assert as_admin.post(AUTHORS, json=body).status_code == 201


def test_the_profile_of_a_deleted_user_with_articles_becomes_a_guest(app, as_admin, people, make_article):
    with app.app_context():
        profile = authors.find_profile(people.member.uuid)
    make_article(authors=refer(profile))
    etag = as_admin.get(f"{AUTHORS}{profile.uuid}/").headers["ETag"]
    with app.app_context():
        user_service.delete_user_by_name("mel")
    shown = as_admin.get(f"{AUTHORS}{profile.uuid}/")
    assert (shown.json["name"], shown.json["user"]) == ("mel", None)
    assert shown.headers["ETag"] != etag


def test_a_writer_without_a_profile_gets_one_with_their_next_article(as_admin, profile, make_article, people):
    as_admin.patch(f"{AUTHORS}{profile.uuid}/", json={"user": None, "slug": "former"})
    article = make_article()
    (author,) = as_admin.get(f"{ARTICLES}{article.uuid}/?fields=authors").json["authors"]
    # The former slug still leads to the former profile.
    assert (author["user"], author["slug"]) == (str(people.admin.uuid), "ada-2")
    assert author["uuid"] != str(profile.uuid)
    assert as_admin.get(f"{AUTHORS}ada/").headers["Location"] == f"{AUTHORS}former/"


# Visibility

READERS = ["as_reader", "as_published_member", "as_published_admin", "as_reading_member", "as_member"]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("fields", HIDDEN, ids=lambda fields: fields["status"])
def test_an_author_without_public_articles_is_invisible(
    request, as_admin, make_article, make_guest, reader, fields
):
    client, shown, hidden = request.getfixturevalue(reader), make_guest("Shown"), make_guest("Hidden")
    make_article(title="public", authors=refer(shown))
    paths = (
        AUTHORS,
        f"{AUTHORS}?page=1&page_size=1",
        f"{ARTICLES}?author=hidden",
        f"{ARTICLES}?fields=authors",
    )
    before = [client.get(path) for path in paths]
    article = make_article(title="hidden", authors=refer(hidden, shown), **fields)
    as_admin.patch(f"{AUTHORS}{hidden.uuid}/", json={"bio": "Changed."})
    after = [client.get(path) for path in paths]
    for former, current in zip(before, after, strict=True):
        assert current.data == former.data
        for header in ("ETag", "X-Total-Count", "Link"):
            assert current.headers.get(header) == former.headers.get(header)
    assert list_names(client) == ["Shown"]
    unknown = client.get(f"{AUTHORS}{uuid4()}/")
    refused = client.get(f"{AUTHORS}{hidden.uuid}/")
    assert outcome(refused) == outcome(unknown) == (404, "not_found")
    assert refused.json["detail"] == unknown.json["detail"]
    assert client.get(f"{ARTICLES}?author={hidden.uuid}").json == []
    assert set(list_names(as_admin)) >= {"Shown", "Hidden"}
    assert as_admin.get(f"{AUTHORS}{hidden.uuid}/").json["articles"] == []
    assert as_admin.get(f"{ARTICLES}{article.uuid}/?fields=authors").json["authors"][0]["name"] == "Hidden"


def test_an_author_becomes_visible_when_a_scheduled_article_is_due(
    as_reader, make_article, make_guest, set_clock
):
    set_clock(NOON)
    guest = make_guest("Jo")
    make_article(authors=refer(guest), published_at=(NOON + timedelta(hours=1)).isoformat())
    for _ in range(3):
        assert list_names(as_reader) == []
        assert as_reader.get(f"{AUTHORS}{guest.uuid}/").status_code == 404
    set_clock(NOON + timedelta(hours=1))
    assert list_names(as_reader) == ["Jo"]
    assert as_reader.get(f"{AUTHORS}{guest.uuid}/").status_code == 200


def test_an_author_disappears_with_the_last_public_article(as_admin, as_reader, make_article, make_guest):
    guest = make_guest("Jo")
    path = f"{ARTICLES}{make_article(authors=refer(guest)).uuid}/"
    assert list_names(as_reader) == ["Jo"]
    as_admin.patch(path, json={"status": "draft"})
    assert list_names(as_reader) == []
    as_admin.patch(path, json={"status": "published"})
    assert list_names(as_reader) == ["Jo"]
    as_admin.patch(path, json={"authors": [{"slug": "ada"}]})
    assert list_names(as_reader) == ["ada"]
