"""PATCH of a working copy: the named fields change, in the copy or, without one, from the item."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from blogapi.web.access import Role
from tests.contracts.client import outcome

BLOG = "/api/v1/blog/"
ARTICLES = f"{BLOG}articles/"
DUE = datetime(2030, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def path(as_admin, make_category, make_tag):
    """The path of a published article with values in all fields."""
    make_category(name="Kitchen", slug="kitchen")
    make_tag("rye")
    body = {
        **{"title": "One", "subtitle": "s", "content": "*c*", "content_type": "markdown", "excerpt": "e"},
        **{"slug": "one", "cover_image": "https://pictures.example/a.jpg", "status": "published"},
        **{"category": {"slug": "kitchen"}, "tags": [{"slug": "rye"}]},
        "seo": {"title": "Written", "canonical_url": "https://blog.example/one/"},
    }
    return as_admin.post(ARTICLES, json=body).headers["Location"]


@pytest.fixture(params=["articles", "pages"])
def item(request, as_admin):
    """The path of an article or of a page."""
    body = {"title": "One", "content": "c", "status": "published", "seo": {"title": "Written"}}
    return as_admin.post(f"{BLOG}{request.param}/", json=body).headers["Location"]


def patch(client, path, body, etag=""):
    headers = {"If-Match": etag} if etag else {}
    return client.patch(f"{path}working-copy/", json=body, headers=headers)


def without(details, *names):
    times = ("created", "last_updated", "version")
    return {name: value for name, value in details.items() if name not in (*names, *times)}


def test_without_a_copy_the_other_fields_come_from_the_item(as_admin, as_reader, path):
    before = as_reader.get(f"{path}?fields=*,html").data
    whole = as_admin.put(f"{path}working-copy/", json=as_admin.get(f"{path}?fields=*,excerpt,authors").json)
    as_admin.delete(f"{path}working-copy/")
    created = patch(as_admin, path, {"title": "Two"})
    assert (created.status_code, created.headers["Location"]) == (201, f"{path}working-copy/")
    assert created.json["title"] == "Two"
    # A PUT states the slug and the authors; a PATCH leaves them to the article.
    assert without(created.json, "title", "slug") == without(whole.json, "title", "slug")
    assert (created.json["slug"], created.json["seo"]["title"]) == ("", "Written")
    shown = as_admin.get(f"{path}working-copy/")
    assert (shown.json, shown.headers["ETag"]) == (created.json, created.headers["ETag"])
    assert as_reader.get(f"{path}?fields=*,html").data == before


def test_with_a_copy_the_other_fields_come_from_the_copy(as_admin, path):
    edits = {"title": "Two", "slug": "two", "tags": [], "seo": {"title": "T"}, "excerpt": "f"}
    saved = as_admin.put(f"{path}working-copy/", json=edits).json
    changed = patch(as_admin, path, {"subtitle": "t", "seo": {"description": "d"}})
    assert changed.status_code == 200
    expected = saved | {"subtitle": "t", "seo": saved["seo"] | {"description": "d"}}
    assert without(changed.json) == without(expected)
    assert changed.json["version"] == saved["version"] + 1
    published = as_admin.post(f"{path}working-copy/publish/").json
    assert (published["slug"], published["subtitle"], published["tags"]) == ("two", "t", [])
    assert published["seo"]["title"] == "T"


def test_a_derived_text_follows_the_title_of_the_copy(as_admin, item):
    assert patch(as_admin, item, {"seo": {"title": ""}}).json["seo"]["title"] == ""
    patch(as_admin, item, {"title": "Two"})
    assert as_admin.post(f"{item}working-copy/publish/").json["seo"]["title"] == "Two"


def test_empty_values_stand_for_those_of_the_item(as_admin, path, make_guest, make_category):
    guest, category = str(make_guest(slug="guest").uuid), str(make_category().uuid)
    stored = as_admin.get(f"{path}?fields=authors,category").json
    edits = {"title": "Two", "slug": "two", "authors": [guest], "category": category}
    as_admin.put(f"{path}working-copy/", json=edits)
    kept = patch(as_admin, path, {"subtitle": "t"}).json
    assert (kept["slug"], kept["authors"], kept["category"]) == ("two", [guest], category)
    reset = patch(as_admin, path, {"slug": "", "authors": [], "category": None}).json
    assert (reset["slug"], reset["category"]) == ("", stored["category"]["uuid"])
    assert reset["authors"] == [row["uuid"] for row in stored["authors"]]
    assert reset["title"] == "Two"


@pytest.mark.parametrize("body", [None, {}, {"title": "One"}, {"slug": "", "authors": []}, {"seo": {}}])
def test_what_changes_nothing_makes_no_copy(as_admin, item, body):
    before = as_admin.get(f"{item}?fields=title,working_copy,editor").data
    shown = patch(as_admin, item, body)
    assert (shown.status_code, shown.json["title"], shown.json["not_live"]) == (200, "One", None)
    assert (shown.json["seo"]["title"], shown.json["slug"]) == ("Written", "one")
    assert shown.headers["ETag"] == as_admin.get(item).headers["ETag"]
    assert as_admin.get(f"{item}working-copy/").status_code == 404
    assert as_admin.get(f"{item}?fields=title,working_copy,editor").data == before


def test_an_empty_body_leaves_a_copy_as_it_is(as_admin, as_editor, item):
    saved = as_admin.put(f"{item}working-copy/", json={"title": "Two"})
    again = patch(as_editor, item, {})
    assert (again.status_code, again.json, again.headers["ETag"]) == (200, saved.json, saved.headers["ETag"])


def test_the_etag_of_the_copy_counts_otherwise_that_of_the_item(as_admin, item):
    read = as_admin.get(item).headers["ETag"]
    as_admin.patch(item, json={"subtitle": "Changed"})
    assert outcome(patch(as_admin, item, {"title": "Two"}, read)) == (412, "stale")
    read = as_admin.get(item).headers["ETag"]
    first = patch(as_admin, item, {"title": "Two"}, read)
    assert first.status_code == 201
    for stale in (read, '"none"'):
        assert outcome(patch(as_admin, item, {"title": "Three"}, stale)) == (412, "stale")
    assert patch(as_admin, item, {"title": "Three"}, first.headers["ETag"]).status_code == 200


def test_the_etags_of_both_base_the_copy_on_the_current_version(as_admin, path):
    copy = patch(as_admin, path, {"title": "Two"}).headers["ETag"]
    as_admin.patch(path, json={"title": "Hers"})
    changed = patch(as_admin, path, {"title": "Three"}, copy)
    assert changed.json["base_version"] == 1
    both = f"{changed.headers['ETag']}, {as_admin.get(path).headers['ETag']}"
    assert patch(as_admin, path, {}, both).json["base_version"] == 2


READ_ONLY = {
    **{"status": "draft", "published_at": "2031-01-01T00:00:00Z", "uuid": str(uuid4()), "html": "<p>x</p>"},
    **{
        "version": 99,
        "base_version": 99,
        "article": str(uuid4()),
        "not_live": ["x"],
        "created": "2020-01-01",
    },
}


@pytest.mark.parametrize("has_copy", [True, False])
@pytest.mark.parametrize("name", [*READ_ONLY, "parent", "position"])
def test_read_only_fields_are_refused_if_they_differ(as_admin, item, name, has_copy):
    others = {"parent": str(uuid4()), "position": 7}
    if has_copy:
        as_admin.put(f"{item}working-copy/", json={"title": "Two"})
    before = as_admin.get(f"{item}working-copy/").data
    refused = patch(as_admin, item, {"title": "Three", name: (READ_ONLY | others)[name]})
    assert outcome(refused) == (422, "invalid_fields")
    assert list(refused.json["errors"]) == [name]
    assert as_admin.get(f"{item}working-copy/").data == before


def test_what_the_item_and_the_copy_show_may_be_sent(as_admin, item):
    names = "*,status,published_at" + (",parent,position" if "/pages/" in item else "")
    read = as_admin.get(f"{item}?fields={names}").json
    created = patch(as_admin, item, read | {"title": "Two"})
    assert created.status_code == 201, created.json
    changed = patch(as_admin, item, created.json | {"title": "Three"})
    assert (changed.status_code, changed.json["title"]) == (200, "Three")


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"title": ""}, {"title"}),
        ({"title": None}, {"title"}),
        ({"slug": "Not a slug"}, {"slug"}),
        ({"colour": "red"}, {"colour"}),
        ({"tags": [{"slug": "nowhere"}], "authors": [str(uuid4())]}, {"tags.0", "authors.0"}),
        ({"custom": {"none": 1}}, {"custom.none"}),
        ([{"title": "T"}], {"body"}),
    ],
)
def test_an_invalid_field_is_refused(as_admin, item, body, errors):
    refused = patch(as_admin, item, body)
    assert outcome(refused)[0] == 422
    if "body" not in errors:
        assert set(refused.json["errors"]) == errors
    assert as_admin.get(f"{item}working-copy/").status_code == 404


@pytest.fixture
def fields(as_login):
    """A custom field for everyone, `rating`, and one for admins, `secret`."""
    for name, readers in (("rating", "everyone"), ("secret", "admins")):
        field = {"name": name, "label": name, "type": "number", "read_by": readers}
        assert as_login.post(f"{BLOG}fields/", json=field).status_code == 201


def test_hidden_custom_values_stay(as_admin, as_editor, path, fields):
    as_admin.patch(path, json={"custom": {"rating": 1, "secret": 2}})
    assert patch(as_editor, path, {"title": "Two"}).json["custom"] == {"rating": 1}
    assert patch(as_editor, path, {"custom": {"rating": 3}}).json["custom"] == {"rating": 3}
    assert outcome(patch(as_editor, path, {"custom": {"secret": 3}}))[0] == 422
    assert as_admin.get(f"{path}working-copy/").json["custom"] == {"rating": 3, "secret": 2}


@pytest.mark.parametrize("is_edited", [False, True])
def test_edits_on_a_newer_version_take_its_hidden_custom_values(as_admin, as_editor, path, fields, is_edited):
    as_admin.patch(path, json={"custom": {"rating": 1, "secret": 2}})
    if is_edited:
        patch(as_admin, path, {"custom": {"secret": 5}})
    patch(as_editor, path, {"custom": {"rating": 3}})
    as_admin.patch(path, json={"custom": {"secret": 4}})
    assert outcome(as_editor.post(f"{path}working-copy/publish/")) == (409, "article_changed")
    etags = (as_editor.get(one).headers["ETag"] for one in (path, f"{path}working-copy/"))
    saved = as_editor.put(
        f"{path}working-copy/", json={"title": "Two"}, headers={"If-Match": ", ".join(etags)}
    )
    assert saved.json["custom"] == {"rating": 3}
    assert as_editor.post(f"{path}working-copy/publish/").status_code == 200
    expected = {"rating": 3, "secret": 5 if is_edited else 4}
    assert as_admin.get(f"{path}?fields=custom").json["custom"] == expected


def test_a_put_keeps_the_custom_values_that_the_copy_has_or_lacks(as_admin, path, fields):
    as_admin.patch(path, json={"custom": {"rating": 1, "secret": 2}})
    patch(as_admin, path, {"custom": {"rating": None, "secret": 3}})
    shown = as_admin.get(f"{path}working-copy/").json
    assert shown["custom"] == {"secret": 3}
    for body in (shown, {"title": "Two"}):
        saved = as_admin.put(f"{path}working-copy/", json=body)
        assert saved.json["custom"] == {"secret": 3}


@pytest.mark.parametrize("kind", ["articles", "pages"])
def test_a_scheduled_item_takes_the_change_of_who_may_publish(as_admin, set_clock, kind):
    set_clock(DUE - timedelta(days=1))
    body = {"title": "One", "content": "c", "subtitle": "s", "status": "scheduled"}
    item = as_admin.post(f"{BLOG}{kind}/", json=body | {"published_at": DUE.isoformat()}).headers["Location"]
    changed = patch(as_admin, item, {"content": "d"})
    assert (changed.status_code, changed.json["not_live"]) == (200, [])
    shown = as_admin.get(item)
    assert (shown.json["content"], shown.json["subtitle"], shown.json["title"]) == ("d", "s", "One")
    assert changed.headers["ETag"] == shown.headers["ETag"]
    assert as_admin.get(f"{item}working-copy/").status_code == 404


def test_a_scheduled_article_takes_the_change_and_the_edits_that_waited(as_admin, set_clock, make_article):
    set_clock(DUE - timedelta(days=1))
    make_article(slug="taken")
    body = {"title": "One", "status": "scheduled", "published_at": DUE.isoformat()}
    path = as_admin.post(ARTICLES, json=body).headers["Location"]
    waiting = as_admin.put(f"{path}working-copy/", json={"title": "Two", "content": "d", "slug": "taken"})
    assert waiting.json["not_live"]
    changed = patch(as_admin, path, {"slug": "free"})
    assert (changed.status_code, changed.json["not_live"]) == (200, [])
    shown = as_admin.get(path).json
    assert (shown["title"], shown["content"], shown["slug"]) == ("Two", "d", "free")


def test_an_author_who_may_not_publish_leaves_a_scheduled_article_alone(as_role, as_admin, set_clock):
    set_clock(DUE - timedelta(days=1))
    as_author = as_role(Role.AUTHOR)
    path = as_author.post(ARTICLES, json={"title": "One"}).headers["Location"]
    as_admin.patch(path, json={"status": "scheduled", "published_at": DUE.isoformat()})
    assert patch(as_author, path, {"title": "Two", "authors": []}).status_code == 201
    set_clock(DUE)
    assert as_admin.get(path).json["title"] == "One"


def test_an_author_changes_only_the_copies_of_own_articles(as_role, as_admin, path):
    as_author = as_role(Role.AUTHOR)
    assert patch(as_author, path, {"title": "Two"}).status_code == 403
    draft = as_admin.post(ARTICLES, json={"title": "D"}).headers["Location"]
    assert patch(as_author, draft, {"title": "Two"}).status_code == 404
    own = as_author.post(ARTICLES, json={"title": "O"}).headers["Location"]
    authors = [row["uuid"] for row in as_admin.get(f"{path}?fields=authors").json["authors"]]
    assert outcome(patch(as_author, own, {"authors": authors})) == (403, "forbidden")
    assert patch(as_author, own, {"title": "Two"}).status_code == 201


def test_an_item_that_does_not_exist_has_no_copy_to_change(as_admin, item):
    kind = "pages" if "/pages/" in item else "articles"
    assert patch(as_admin, f"{BLOG}{kind}/{uuid4()}/", {"title": "T"}).status_code == 404
    other = item.replace("pages", "articles") if kind == "pages" else item.replace("articles", "pages")
    assert patch(as_admin, other, {"title": "T"}).status_code == 404
