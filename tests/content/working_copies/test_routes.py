"""Working copies: save, read, publish and discard edits that readers do not see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.accounts.users import service as users
from tests.contracts.client import outcome

PAGES = "/api/v1/blog/pages/"
ARTICLES = "/api/v1/blog/articles/"


@pytest.fixture
def article(make_article):
    """A published article."""
    return make_article(title="One", content="first", slug="one", seo={"description": "Written"})


@pytest.fixture
def path(article):
    """The path of the article."""
    return f"{ARTICLES}{article.uuid}/"


@pytest.fixture
def as_grace(app, people, make_client):
    """Another admin."""
    return make_client(app, people.key(people.other_admin, "write"))


def save(client, path, **fields):
    """Save a working copy, and return the response."""
    headers = fields.pop("headers", {})
    return client.put(
        f"{path}working-copy/", json={"title": "Two", "content": "second"} | fields, headers=headers
    )


def numbers(client, path):
    return [row["number"] for row in client.get(f"{path}revisions/").json]


def test_a_save_changes_nothing_that_readers_see_and_makes_no_version(as_admin, as_reader, path):
    before = [as_reader.get(one) for one in (path, ARTICLES, f"{path}?fields=*,html,working_copy")]
    changes = as_admin.get("/api/v1/blog/changes/?since=0").json
    assert save(as_admin, path).status_code == 201
    assert save(as_admin, path, title="Three").status_code == 200
    after = [as_reader.get(one) for one in (path, ARTICLES, f"{path}?fields=*,html,working_copy")]
    assert [(one.data, one.headers["ETag"]) for one in after] == [
        (one.data, one.headers["ETag"]) for one in before
    ]
    assert after[2].json["working_copy"] is None
    assert as_admin.get("/api/v1/blog/changes/?since=0").json == changes
    assert numbers(as_admin, path) == []


def test_a_working_copy_is_the_body_of_a_save(as_admin, people, article, path, make_tag, make_category):
    tag, category = str(make_tag().uuid), str(make_category().uuid)
    body = {
        "title": "Two",
        "subtitle": "s",
        "content": "*c*",
        "content_type": "markdown",
        "excerpt": "e",
        "slug": "two",
        "cover_image": "https://pictures.example/a.jpg",
        "category": category,
        "tags": [tag],
        "authors": [row["uuid"] for row in as_admin.get(f"{path}?fields=authors").json["authors"]],
        "seo": {"title": "t", "description": "d", "og_image": "", "canonical_url": ""},
    }
    created = save(as_admin, path, **body)
    assert created.headers["Location"] == f"{path}working-copy/"
    shown = as_admin.get(f"{path}working-copy/")
    assert (shown.json, shown.headers["ETag"]) == (created.json, created.headers["ETag"])
    assert {name: shown.json[name] for name in body} == body
    assert shown.json["article"] == str(article.uuid)
    assert shown.json["user"] == {"uuid": str(people.admin.uuid), "username": "ada"}
    assert (shown.json["version"], shown.json["base_version"]) == (1, 1)
    again = as_admin.put(f"{path}working-copy/", json=shown.json)
    assert (again.status_code, again.json) == (200, shown.json)


def test_derived_fields_stay_derived(as_admin, path):
    shown = save(as_admin, path, subtitle="s", seo={"title": "Two", "description": ""}).json
    assert (shown["slug"], shown["excerpt"], set(shown["seo"].values())) == ("", "", {""})
    published = as_admin.post(f"{path}working-copy/publish/").json
    assert (published["slug"], published["seo"]["title"], published["seo"]["description"]) == (
        "one",
        "Two",
        "s",
    )


def test_the_slug_of_a_draft_follows_the_title_of_its_working_copy(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='First words', status='draft').uuid}/"
    save(as_admin, path, title="Other words")
    assert as_admin.post(f"{path}working-copy/publish/").json["slug"] == "other-words"


def test_omitted_lists_of_a_body(as_admin, make_article, make_tag):
    path = f"{ARTICLES}{make_article(tags=(make_tag(),)).uuid}/"
    stored = as_admin.get(f"{path}?fields=authors,category").json
    shown = save(as_admin, path).json
    assert (shown["tags"], shown["category"]) == ([], stored["category"]["uuid"])
    assert shown["authors"] == [row["uuid"] for row in stored["authors"]]


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"title": ""}, {"title"}),
        ({"slug": "Not a slug"}, {"slug"}),
        ({"state": "published"}, {"state"}),
        ({"content_type": "word", "colour": "red"}, {"content_type", "colour"}),
        (
            {
                "category": "00000000-0000-4000-8000-000000000000",
                "tags": ["00000000-0000-4000-8000-000000000001"],
            },
            {"category", "tags.0"},
        ),
        ({"cover_image": "javascript:alert(1)"}, {"cover_image"}),
    ],
)
def test_an_invalid_field_is_refused(as_admin, path, fields, errors):
    response = save(as_admin, path, **fields)
    assert outcome(response) == (422, "invalid_fields")
    assert set(response.json["errors"]) == errors
    assert as_admin.get(f"{path}working-copy/").status_code == 404


def test_an_article_that_does_not_exist_has_no_working_copy(as_admin):
    path = f"{ARTICLES}00000000-0000-4000-8000-000000000000/"
    assert save(as_admin, path).status_code == 404
    assert as_admin.get(f"{path}working-copy/").status_code == 404
    assert as_admin.delete(f"{path}working-copy/").status_code == 404


# Preconditions


def test_the_first_save_can_require_that_the_article_has_not_changed(as_admin, path):
    read = as_admin.get(f"{path}?fields=title").headers["ETag"]
    as_admin.patch(path, json={"title": "Changed"})
    refused = save(as_admin, path, headers={"If-Match": read})
    assert outcome(refused) == (412, "stale")
    assert refused.headers["ETag"] == as_admin.get(path).headers["ETag"]
    saved = save(as_admin, path, headers={"If-Match": refused.headers["ETag"]})
    assert (saved.status_code, saved.json["base_version"]) == (201, 2)


def test_two_editors_cannot_overwrite_each_other(as_admin, as_grace, path):
    first = save(as_admin, path, headers={"If-None-Match": "*"}).headers["ETag"]
    refused = save(as_grace, path, headers={"If-None-Match": "*"})
    assert (outcome(refused), refused.headers["ETag"]) == ((412, "stale"), first)
    assert save(as_grace, path, title="Hers", headers={"If-Match": first}).json["user"]["username"] == "grace"
    assert outcome(save(as_admin, path, headers={"If-Match": first})) == (412, "stale")
    for method, end in (("DELETE", ""), ("POST", "publish/")):
        stale = as_admin.open(f"{path}working-copy/{end}", method=method, headers={"If-Match": first})
        assert outcome(stale) == (412, "stale")


def test_a_save_of_what_is_stored_changes_nothing(as_admin, as_grace, path):
    etag = save(as_admin, path).headers["ETag"]
    assert save(as_grace, path).headers["ETag"] == etag


# Publish


def test_publishing_writes_one_version_and_deletes_the_copy(as_admin, as_reader, path):
    etag = save(as_admin, path).headers["ETag"]
    published = as_admin.post(f"{path}working-copy/publish/", headers={"If-Match": etag})
    assert published.headers["ETag"] == as_admin.get(path).headers["ETag"]
    assert (published.json["title"], published.json["status"]) == ("Two", "published")
    assert as_reader.get(path).json["title"] == "Two"
    assert as_admin.get(f"{path}working-copy/").status_code == 404
    assert numbers(as_admin, path) == [1]


@pytest.mark.parametrize(
    ("former", "body", "status"),
    [
        ("draft", None, "published"),
        ("draft", {"status": "draft"}, "draft"),
        ("draft", {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"}, "scheduled"),
        ("draft", {"published_at": "2999-01-01T00:00:00Z"}, "scheduled"),
        ("published", None, "published"),
        ("published", {"status": "draft"}, "draft"),
        ("archived", None, "archived"),
    ],
)
@pytest.mark.parametrize("with_copy", [True, False])
def test_the_status_after_publishing(as_admin, make_article, former, body, status, with_copy):
    path = f"{ARTICLES}{make_article(title='One', status=former).uuid}/"
    if with_copy:
        save(as_admin, path)
    published = as_admin.post(f"{path}working-copy/publish/", json=body)
    assert (published.status_code, published.json["status"]) == (200, status)
    assert published.json["title"] == ("Two" if with_copy else "One")


def test_without_a_working_copy_the_etag_of_the_article_counts(as_admin, make_article):
    path = f"{ARTICLES}{make_article(status='draft').uuid}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"title": "Changed"})
    refused = as_admin.post(f"{path}working-copy/publish/", headers={"If-Match": etag})
    assert outcome(refused) == (412, "stale")
    headers = {"If-Match": refused.headers["ETag"]}
    assert as_admin.post(f"{path}working-copy/publish/", headers=headers).json["status"] == "published"


def test_a_taken_slug_is_refused_when_the_copy_is_published(as_admin, path, make_article):
    make_article(slug="taken")
    assert save(as_admin, path, slug="taken").status_code == 201
    assert outcome(as_admin.post(f"{path}working-copy/publish/")) == (409, "slug_taken")
    assert as_admin.get(f"{path}working-copy/").status_code == 200


def test_a_change_of_the_article_is_not_overwritten_silently(as_admin, as_grace, path):
    copy = save(as_admin, path).headers["ETag"]
    as_grace.patch(path, json={"title": "Hers"})
    publish = f"{path}working-copy/publish/"
    assert outcome(as_admin.post(publish, headers={"If-Match": copy})) == (409, "article_changed")
    # A save that names only the copy keeps the base, so that the change is not overlooked.
    copy = save(as_admin, path, title="Mine", headers={"If-Match": copy}).headers["ETag"]
    assert outcome(as_admin.post(publish)) == (409, "article_changed")
    both = f"{copy}, {as_grace.get(path).headers['ETag']}"
    assert save(as_admin, path, title="Mine", headers={"If-Match": both}).json["base_version"] == 2
    assert as_admin.post(publish).json["title"] == "Mine"
    assert as_admin.get(f"{path}revisions/2/").json["title"] == "Hers"


def test_a_change_of_the_status_alone_is_no_conflict(as_admin, as_grace, path):
    save(as_admin, path)
    as_grace.patch(path, json={"status": "archived"})
    assert as_admin.post(f"{path}working-copy/publish/").json["status"] == "archived"


def test_a_move_of_the_page_is_no_conflict(as_admin):
    above, path = (
        as_admin.post(PAGES, json={"title": title, "status": "published"}).headers["Location"]
        for title in ("Above", "Below")
    )
    as_admin.patch(path, json={"parent": above.split("/")[-2]})
    for change in (
        lambda: as_admin.patch(path, json={"position": 3}),
        lambda: as_admin.delete(above),
    ):
        save(as_admin, path)
        assert change().status_code in (200, 204)
        place = as_admin.get(path).json
        published = as_admin.post(f"{path}working-copy/publish/").json
        assert (published["title"], published["position"]) == ("Two", 3)
        assert published["parent"] == place["parent"]
        as_admin.patch(path, json={"title": "Below"})
    save(as_admin, path)
    as_admin.patch(path, json={"position": 4, "title": "Hers"})
    assert outcome(as_admin.post(f"{path}working-copy/publish/")) == (409, "article_changed")


def test_a_merged_category_is_no_conflict(as_admin, path, make_category):
    old, new = (str(make_category(name=name).uuid) for name in ("Old", "New"))
    as_admin.patch(path, json={"category": old})
    save(as_admin, path, category=old)
    as_admin.patch(path, json={"status": "archived"})
    merged = as_admin.post(f"/api/v1/blog/categories/{new}/merge/", json={"uuids": [old]})
    assert merged.status_code == 200, merged.json
    published = as_admin.post(f"{path}working-copy/publish/").json
    assert (published["title"], published["category"]["uuid"]) == ("Two", new)


def test_a_draft_that_was_published_elsewhere_stays_published(as_admin, as_grace, make_article):
    path = f"{ARTICLES}{make_article(status='draft').uuid}/"
    copy = save(as_admin, path).headers["ETag"]
    as_grace.patch(path, json={"status": "published"})
    # An editor that is left stores its copy as a version of the draft.
    body = {"status": "draft"}
    left = as_admin.post(f"{path}working-copy/publish/", json=body, headers={"If-Match": copy})
    assert outcome(left) == (409, "article_changed")
    assert as_admin.get(path).json["status"] == "published"
    assert as_admin.post(f"{path}working-copy/publish/").json["title"] == "Two"
    assert as_admin.post(f"{path}working-copy/publish/", json=body).json["status"] == "draft"


def test_deleted_tags_and_categories_do_not_stop_publishing(as_admin, path, make_tag, make_category):
    tag, kept, category = (str(one.uuid) for one in (make_tag(), make_tag(), make_category()))
    save(as_admin, path, tags=[tag, kept], category=category)
    as_admin.delete(f"/api/v1/blog/tags/{tag}/")
    as_admin.delete(f"/api/v1/blog/categories/{category}/")
    shown = as_admin.get(f"{path}working-copy/").json
    assert (shown["tags"], shown["category"]) == ([kept], None)
    published = as_admin.post(f"{path}working-copy/publish/").json
    assert [one["uuid"] for one in published["tags"]] == [kept]
    assert published["category"]["slug"] == "shelf"


def test_an_empty_text_that_the_author_wrote_stays_empty(as_admin, make_article):
    path = f"{ARTICLES}{make_article(subtitle='s', seo={'description': ''}).uuid}/"
    save(as_admin, path, subtitle="t")
    assert as_admin.post(f"{path}working-copy/publish/").json["seo"]["description"] == ""


# Where else a working copy shows


def test_an_article_shows_its_working_copy_to_admins(as_admin, as_member, make_article, path, set_clock):
    set_clock(datetime(2030, 1, 1, 12, tzinfo=UTC))
    query = "?fields=title,working_copy&slug=one"
    assert as_admin.get(f"{ARTICLES}{query}").json == [{"title": "One", "working_copy": None}]
    before = as_admin.get(f"{ARTICLES}{query}").headers["ETag"]
    user = save(as_admin, path).json["user"]
    saved = {"last_updated": "2030-01-01T12:00:00.000000+00:00", "key_name": ""}
    expected = {**saved, "user": user, "title": "Two"}
    for address in (f"{ARTICLES}{query}", f"{ARTICLES}author/me/{query}"):
        shown = as_admin.get(address)
        assert shown.json == [{"title": "One", "working_copy": expected}]
    assert as_admin.get(f"{ARTICLES}{query}").headers["ETag"] != before
    assert as_member.get(f"{ARTICLES}{query}").json == [{"title": "One", "working_copy": None}]


def test_a_preview_link_shows_no_users(as_admin, as_stranger, path):
    save(as_admin, path)
    link = as_admin.post(f"{path}preview/").json["api_url"]
    shown = as_stranger.get(f"{link}?fields=title,editor,working_copy").json
    assert shown == {"title": "Two", "editor": None, "working_copy": None}


def test_an_article_shows_admins_who_changed_it_last(as_admin, as_grace, as_member, path):
    assert as_admin.get(f"{path}?fields=editor").json["editor"]["username"] == "ada"
    as_grace.patch(path, json={"subtitle": "Hers"})
    assert as_admin.get(f"{path}?fields=editor").json["editor"]["username"] == "grace"
    assert as_member.get(f"{path}?fields=editor").json == {"editor": None}


def test_the_etag_of_a_long_list_depends_on_the_working_copies(as_admin, make_article, monkeypatch):
    monkeypatch.setattr("blogapi.content.articles.responses.article_bodies.CHUNK_SIZE", 2)
    paths = [f"{ARTICLES}{make_article().uuid}/" for _ in range(3)]
    save(as_admin, paths[0])
    address = f"{ARTICLES}?fields=title,working_copy"
    before = as_admin.get(address).headers["ETag"]
    save(as_admin, paths[0], content="third")
    assert as_admin.get(address).headers["ETag"] != before


def test_the_user_of_a_working_copy_can_be_deleted(app, as_admin, as_grace, path):
    save(as_grace, path)
    with app.app_context():
        users.delete_user_by_name("grace")
    assert as_admin.get(f"{path}working-copy/").json["user"]["username"] == ""
    assert as_admin.get(f"{path}?fields=working_copy").json["working_copy"]["user"]["username"] == ""
    assert as_admin.post(f"{path}working-copy/publish/").json["title"] == "Two"


@pytest.mark.parametrize("many", [True, False])
def test_without_bin_days_the_edits_of_a_deleted_article_are_in_its_history(
    app, as_admin, as_grace, path, article, many
):
    app.config["BIN_DAYS"] = 0
    save(as_grace, path)
    as_admin.delete(f"{ARTICLES}?uuid={article.uuid}" if many else path)
    assert [row["title"] for row in as_admin.get(f"{path}revisions/").json] == ["Two", "One"]
    restored = as_admin.post(f"{path}revisions/2/restore/").json
    assert (restored["title"], restored["slug"]) == ("Two", "one")
    assert as_admin.get(f"{path}working-copy/").status_code == 404


# Discard


@pytest.mark.parametrize("status", ["draft", "published", "archived"])
def test_discarded_edits_are_in_the_history(as_admin, as_grace, as_reader, make_article, status):
    path = f"{ARTICLES}{make_article(title='One', content='first', slug='one', status=status).uuid}/"
    save(as_admin, path)
    saved = save(as_grace, path, content="third").json
    before, seen = as_admin.get(f"{path}?fields=*,last_updated"), as_reader.get(path)
    assert as_admin.delete(f"{path}working-copy/").status_code == 204
    assert as_admin.get(f"{path}working-copy/").status_code == 404
    after = as_admin.get(f"{path}?fields=*,last_updated")
    assert (after.data, after.headers["ETag"]) == (before.data, before.headers["ETag"])
    assert as_reader.get(path).data == seen.data
    [kept] = as_admin.get(f"{path}revisions/?fields=number,title,content,status,user,created,name").json
    expected = {"title": "Two", "content": "third", "status": status, "user": saved["user"]["uuid"]}
    assert kept == expected | {"number": 2, "created": saved["last_updated"], "name": ""}
    assert as_admin.post(f"{path}revisions/2/restore/").json["content"] == "third"


def test_discarding_what_equals_the_article_adds_no_version(as_admin, path):
    save(as_admin, path, title="One", content="first", content_type="html", seo={"description": "Written"})
    assert as_admin.delete(f"{path}working-copy/").status_code == 204
    assert numbers(as_admin, path) == []
