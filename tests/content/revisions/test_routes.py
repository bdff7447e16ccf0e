"""Former versions of articles: list, compare, restore and prune."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogapi.content.articles.fields import TERM_LIST_FIELDS
from blogapi.content.articles.models import ArticleRevision
from blogapi.storage.database import db, transaction
from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"


@pytest.fixture
def article_path(fill_blog, as_admin, make_article, make_category):
    """The path of an article in its third version."""

    def fill():
        fields = {"title": "One", "content": "first", "seo": {"description": "d"}}
        path = f"{ARTICLES}{make_article(make_category(name='Versions'), **fields).uuid}/"
        as_admin.patch(path, json={"title": "Two"})
        as_admin.patch(path, json={"content": "third", "seo": {"description": "e"}, "tags": []})
        return path

    return fill_blog("an article with versions", fill)


def test_every_write_keeps_the_former_version(as_admin, people, article_path):
    listed = as_admin.get(f"{article_path}revisions/").json
    assert [(row["number"], row["title"], row["user"]) for row in listed] == [
        (2, "Two", str(people.admin.uuid)),
        (1, "One", str(people.admin.uuid)),
    ]
    one = as_admin.get(f"{article_path}revisions/1/").json
    assert (one["title"], one["content"], one["seo"]["description"]) == ("One", "first", "d")


def test_a_version_shows_its_writer_and_its_time(app, as_admin, people, make_client, make_article, set_clock):
    as_grace = make_client(app, people.key(people.other_admin, "write"))
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{make_article(title='One').uuid}/"
    # Ada wrote the first version. One year passes before each change. None means a restore of version 1.
    for year, client, change in (
        (2031, as_grace, {"title": "Two"}),
        (2032, as_admin, {"tags": [], "seo": {"description": "d"}}),
        (2033, as_grace, None),
        (2034, as_admin, {"title": "Five"}),
        (2035, as_grace, {"title": "Six"}),
    ):
        set_clock(datetime(year, 1, 1, tzinfo=UTC))
        if change is None:
            assert client.post(f"{path}revisions/1/restore/").status_code == 200
        else:
            assert client.patch(path, json=change).status_code == 200
    ada, grace = str(people.admin.uuid), str(people.other_admin.uuid)
    listed = as_admin.get(f"{path}revisions/?fields=number,user,created").json
    assert [(row["number"], row["user"], row["created"][:4]) for row in listed] == [
        *((5, ada, "2034"), (4, grace, "2033"), (3, ada, "2032"), (2, grace, "2031"), (1, ada, "2030")),
    ]
    assert as_admin.get(path).json["author"] == ada


def test_the_list_of_versions_is_paged_newest_first(as_admin, article_path):
    for number, shown in ((1, [2]), (2, [1]), (3, [])):
        page = as_admin.get(f"{article_path}revisions/?page={number}&page_size=1")
        assert ([row["number"] for row in page.json], page.headers["X-Total-Count"]) == (shown, "2")


def test_restoring_a_version_keeps_the_current_status_slug_and_publication_time(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='One', slug='one').uuid}/"
    later = {"title": "Two", "slug": "two", "published_at": "2026-02-02T00:00:00Z"}
    as_admin.patch(path, json=later)
    restored = as_admin.post(f"{path}revisions/1/restore/").json
    assert (restored["title"], restored["slug"], restored["status"]) == ("One", "two", "published")
    day = as_admin.get(f"{path}?fields=published_at").json["published_at"]
    assert day.startswith("2026-02-02")


def test_a_comparison_can_name_the_current_version_by_its_number(as_admin, article_path):
    assert (
        as_admin.get(f"{article_path}revisions/1/compare/?to=3").json
        == as_admin.get(f"{article_path}revisions/1/compare/").json
    )
    assert as_admin.get(f"{article_path}revisions/2/compare/?to=2").json == {
        "before": 2,
        "after": 2,
        "changes": [],
    }
    as_admin.delete(article_path)
    assert as_admin.get(f"{article_path}revisions/1/compare/?to=3").status_code == 200
    assert as_admin.get(f"{article_path}revisions/1/compare/").status_code == 404


def test_a_write_that_changes_nothing_makes_no_version(as_admin, article_path):
    as_admin.patch(article_path, json={"title": "Two"})
    assert len(as_admin.get(f"{article_path}revisions/").json) == 2


def test_versions_are_compared_field_by_field(as_admin, article_path):
    response = as_admin.get(f"{article_path}revisions/1/compare/?to=2").json
    assert response == {
        "before": 1,
        "after": 2,
        "changes": [
            {"field": "seo.title", "before": "One", "after": "Two"},
            {"field": "title", "before": "One", "after": "Two"},
        ],
    }
    now = as_admin.get(f"{article_path}revisions/1/compare/").json
    assert now["after"] == 3
    assert [change["field"] for change in now["changes"]] == [
        "content",
        "seo.description",
        "seo.title",
        "title",
    ]


def test_a_comparison_covers_every_kind_of_field(as_admin, make_article, make_tag, make_category):
    tag, category = make_tag(), make_category()
    article = make_article(status="draft")
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(
        path,
        json={
            "status": "published",
            "published_at": "2026-01-01T00:00:00Z",
            "tags": [{"uuid": str(tag.uuid)}],
            "category": {"uuid": str(category.uuid)},
        },
    )
    for query in ("", "?to=2"):
        changes = as_admin.get(f"{path}revisions/1/compare/{query}").json["changes"]
        after = {change["field"]: change["after"] for change in changes}
        assert after == {
            "status": "published",
            "published_at": "2026-01-01T00:00:00.000000+00:00",
            "tags": [str(tag.uuid)],
            "category": str(category.uuid),
        }


def test_a_restored_article_keeps_its_author(as_admin, people, make_article):
    path = f"{ARTICLES}{make_article(author=people.other_admin).uuid}/"
    as_admin.delete(path)
    assert as_admin.post(f"{path}revisions/1/restore/").json["author"] == str(people.other_admin.uuid)


def test_the_user_who_restores_a_deleted_article_is_the_writer_of_the_new_version(
    as_admin, people, make_article
):
    path = f"{ARTICLES}{make_article(author=people.other_admin).uuid}/"
    as_admin.delete(path)
    as_admin.post(f"{path}revisions/1/restore/")
    as_admin.patch(path, json={"title": "New"})
    users = [row["user"] for row in as_admin.get(f"{path}revisions/").json]
    assert users == [str(people.admin.uuid), str(people.other_admin.uuid)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"{broken", (400, "malformed")),
        (b'{"x": 1}', (422, "invalid_fields")),
        (b"[]", (422, "invalid_fields")),
    ],
)
def test_restoring_refuses_an_invalid_body(as_admin, article_path, body, expected):
    before = as_admin.get(article_path).json
    response = as_admin.post(
        f"{article_path}revisions/1/restore/", data=body, content_type="application/json"
    )
    assert outcome(response) == expected
    assert as_admin.get(article_path).json == before


@pytest.mark.parametrize("field", TERM_LIST_FIELDS, ids=lambda field: field.name)
def test_restoring_brings_back_the_terms_of_each_field(as_admin, make_article, field):
    first, second = (
        as_admin.post(f"/api/v1/blog/{field.name}/", json={"name": name}).json["uuid"]
        for name in ("First", "Second")
    )
    path = f"{ARTICLES}{make_article().uuid}/"
    for term in (first, second):
        assert as_admin.patch(path, json={field.name: [{"uuid": term}]}).status_code == 200
    assert as_admin.post(f"{path}revisions/2/restore/").status_code == 200
    shown = as_admin.get(f"{path}?fields={field.name}").json[field.name]
    assert [term["uuid"] for term in shown] == [first]


def test_restoring_keeps_the_current_content_as_a_version(as_admin, article_path):
    before = as_admin.get(article_path).json
    restored = as_admin.post(f"{article_path}revisions/1/restore/")
    assert (restored.status_code, restored.json["title"], restored.json["content"]) == (200, "One", "first")
    assert restored.headers["ETag"] == as_admin.get(article_path).headers["ETag"]
    third = as_admin.get(f"{article_path}revisions/3/").json
    assert (third["title"], third["content"]) == (before["title"], before["content"])


def test_restoring_does_not_publish_the_article(as_admin, as_reader, article_path):
    as_admin.patch(article_path, json={"status": "archived"})
    as_admin.post(f"{article_path}revisions/1/restore/")
    assert as_reader.get(article_path).status_code == 404
    assert as_admin.get(article_path).json["status"] == "archived"


def test_a_deleted_article_is_restored_as_a_draft(as_admin, article_path):
    before = as_admin.get(article_path).json
    as_admin.delete(article_path)
    assert [row["number"] for row in as_admin.get(f"{article_path}revisions/").json] == [3, 2, 1]
    back = as_admin.post(f"{article_path}revisions/3/restore/").json
    assert (back["uuid"], back["content"], back["status"]) == (before["uuid"], "third", "draft")
    as_admin.patch(article_path, json={"title": "Again"})
    assert [row["number"] for row in as_admin.get(f"{article_path}revisions/").json] == [4, 3, 2, 1]


def test_a_deleted_article_is_restored_with_its_slug(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='One', slug='another-slug').uuid}/"
    as_admin.delete(path)
    assert as_admin.post(f"{path}revisions/1/restore/").json["slug"] == "another-slug"
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "another-slug"


def test_restoring_a_version_omits_deleted_tags_and_fails_if_its_category_was_deleted(
    as_admin, make_article, make_tag, make_category
):
    tag, category = make_tag(), make_category()
    article = make_article(tags=(tag,), category=category)
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(path, json={"tags": [], "category": {"uuid": str(make_category().uuid)}})
    as_admin.delete(f"/api/v1/blog/tags/{tag.uuid}/")
    assert as_admin.post(f"{path}revisions/1/restore/").json["tags"] == []
    as_admin.patch(path, json={"category": {"uuid": str(make_category().uuid)}})
    as_admin.delete(f"/api/v1/blog/categories/{category.uuid}/")
    assert as_admin.post(f"{path}revisions/1/restore/").status_code == 409


def test_a_restored_article_keeps_its_slug_when_its_title_changes(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='Title', slug='permalink').uuid}/"
    as_admin.delete(path)
    assert as_admin.post(f"{path}revisions/1/restore/").json["slug"] == "permalink"
    assert as_admin.patch(path, json={"title": "Other"}).json["slug"] == "permalink"


def test_a_deleted_article_is_restored_with_its_remaining_tags_in_the_same_order(
    as_admin, make_article, make_tag
):
    tags = [make_tag(name) for name in ("c", "a", "b")]
    path = f"{ARTICLES}{make_article(title='T', slug='given', tags=tuple(tags)).uuid}/"
    as_admin.delete(path)
    as_admin.delete(f"/api/v1/blog/tags/{tags[1].uuid}/")
    back = as_admin.post(f"{path}revisions/1/restore/").json
    assert [tag["name"] for tag in back["tags"]] == ["c", "b"]
    assert [row["title"] for row in as_admin.get(f"{ARTICLES}author/me/?status=draft").json] == ["T"]


def test_restoring_honours_if_match(as_admin, article_path):
    response = as_admin.post(f"{article_path}revisions/1/restore/", headers={"If-Match": '"stale"'})
    assert outcome(response) == (412, "stale")


@pytest.mark.parametrize(
    "tail", ["revisions/9/", "revisions/9/compare/", "revisions/1/compare/?to=9", "revisions/0/"]
)
def test_an_unknown_version_gets_a_404(as_admin, article_path, tail):
    assert outcome(as_admin.get(article_path + tail)) == (404, "not_found")


def test_a_version_stored_before_a_field_existed_shows_the_default_of_the_field(app, as_admin, article_path):
    with app.app_context(), transaction():
        for revision in db.session.query(ArticleRevision):
            content = json.loads(revision.content)
            del content["cover_image"]
            revision.content = json.dumps(content)
    assert as_admin.get(f"{article_path}revisions/1/").json["cover_image"] == ""
    assert as_admin.post(f"{article_path}revisions/1/restore/").json["cover_image"] == ""


def test_requests_for_the_versions_of_an_unknown_article_return_404(as_admin):
    nowhere = f"{ARTICLES}00000000-0000-4000-8000-000000000000/revisions/"
    assert outcome(as_admin.get(nowhere)) == (404, "not_found")
    assert outcome(as_admin.post(f"{nowhere}1/restore/")) == (404, "not_found")


def test_prune_deletes_all_but_the_newest_versions(app, as_admin, article_path):
    result = app.test_cli_runner().invoke(args=["revisions", "prune", "--keep", "1"])
    assert (result.exit_code, "Deleted 1 " in result.stdout) == (0, True)
    assert [row["number"] for row in as_admin.get(f"{article_path}revisions/").json] == [2]
    as_admin.patch(article_path, json={"title": "Four"})
    assert [row["number"] for row in as_admin.get(f"{article_path}revisions/").json] == [3, 2]


# Named and added versions


def test_prune_keeps_versions_with_a_name(app, as_admin, article_path):
    revisions = f"{article_path}revisions/"
    numbers = [row["number"] for row in as_admin.get(revisions).json]
    assert as_admin.patch(f"{revisions}{numbers[-1]}/", json={"name": "First"}).status_code == 200
    result = app.test_cli_runner().invoke(args=["revisions", "prune", "--keep", "0"])
    assert f"Deleted {len(numbers) - 1} " in result.stdout
    assert [row["name"] for row in as_admin.get(revisions).json] == ["First"]


@pytest.mark.parametrize(
    ("keep", "kept"), [(0, [4, 3, 1]), (1, [5, 4, 3, 1]), (2, [5, 4, 3, 2, 1]), (3, [5, 4, 3, 2, 1])]
)
def test_versions_with_a_name_do_not_count_among_those_that_prune_keeps(
    app, as_admin, article_path, make_article, keep, kept
):
    other = f"{ARTICLES}{make_article(title='Other').uuid}/"
    for number in (3, 4, 5):
        as_admin.patch(article_path, json={"title": f"Title {number}"})
        as_admin.patch(other, json={"title": f"Title {number}"})
    for number in (1, 3, 4):
        as_admin.patch(f"{article_path}revisions/{number}/", json={"name": f"Version {number}"})
    app.test_cli_runner().invoke(args=["revisions", "prune", "--keep", str(keep)])
    assert [row["number"] for row in as_admin.get(f"{article_path}revisions/").json] == kept
    assert [row["number"] for row in as_admin.get(f"{other}revisions/").json] == [3, 2, 1][:keep]


def test_a_version_is_added_without_changing_the_article(as_admin, as_reader, people, make_article):
    article = make_article(title="One", content="first")
    path = f"{ARTICLES}{article.uuid}/"
    before = as_reader.get(path).headers["ETag"]
    added = as_admin.post(f"{path}revisions/", json={"name": "Ida, 14:33", "title": "Mine"})
    assert added.status_code == 201
    assert {name: added.json[name] for name in ("number", "name", "title", "user")} == {
        **{"number": 2, "name": "Ida, 14:33", "title": "Mine"},
        "user": str(people.admin.uuid),
    }
    assert as_reader.get(path).headers["ETag"] == before
    # The next write keeps the former version under its own number, and skips the number of the added one.
    as_admin.patch(path, json={"title": "Three"})
    listed = as_admin.get(f"{path}revisions/").json
    assert [(row["number"], row["title"], row["name"]) for row in listed] == [
        (2, "Mine", "Ida, 14:33"),
        (1, "One", ""),
    ]
    assert as_admin.get(f"{path}revisions/2/compare/").json["after"] == 3
    assert as_admin.get(f"{path}revisions/2/").json["content"] == "first"
    assert as_admin.post(f"{path}revisions/2/restore/").json["title"] == "Mine"


def test_the_working_copy_is_added_with_the_user_who_saved_it(
    app, as_admin, people, make_client, make_article
):
    as_grace = make_client(app, people.key(people.other_admin, "write"))
    path = f"{ARTICLES}{make_article(title='One', seo={'title': 'S'}).uuid}/"
    as_grace.put(f"{path}working-copy/", json={"title": "Hers"})
    added = as_admin.post(f"{path}revisions/", json={"name": "Grace, 14:31"}).json
    assert (added["user"], added["title"]) == (str(people.other_admin.uuid), "Hers")
    seo = as_admin.get(f"{path}revisions/2/").json["seo"]
    assert seo["title"] == "Hers"
    assert as_admin.get(f"{path}working-copy/").status_code == 200


def test_the_present_version_gets_a_name_that_it_keeps(as_admin, article_path):
    named = as_admin.post(f"{article_path}revisions/", json={"name": "Good"}).json
    assert (named["number"], named["name"]) == (3, "Good")
    assert as_admin.patch(f"{article_path}revisions/3/", json={"name": "Better"}).json["name"] == "Better"
    as_admin.patch(article_path, json={"title": "Four"})
    as_admin.patch(article_path, json={"title": "Five"})
    listed = as_admin.get(f"{article_path}revisions/?fields=number,name").json
    assert [(row["number"], row["name"]) for row in listed] == [(4, ""), (3, "Better"), (2, ""), (1, "")]


def test_the_name_of_a_publication_stays_with_its_version(as_admin, article_path):
    as_admin.put(f"{article_path}working-copy/", json={"title": "Four"})
    as_admin.post(f"{article_path}working-copy/publish/", json={"name": "Spring"})
    as_admin.delete(article_path)
    listed = as_admin.get(f"{article_path}revisions/?fields=number,title,name").json
    assert [(row["title"], row["name"]) for row in listed[:2]] == [("Four", "Spring"), ("Two", "")]


def test_the_list_has_the_contents_of_versions_on_request(as_admin, article_path):
    single = as_admin.get(f"{article_path}revisions/1/").json
    fields = ",".join(single)
    listed = as_admin.get(f"{article_path}revisions/?fields={fields}&page=2&page_size=1").json
    assert listed == [single]
    assert "content" not in as_admin.get(f"{article_path}revisions/").json[0]


def test_a_former_version_is_renamed(as_admin, article_path):
    assert as_admin.patch(f"{article_path}revisions/1/", json={"name": "Start"}).json["name"] == "Start"
    assert as_admin.patch(f"{article_path}revisions/1/", json={"name": ""}).json["name"] == ""
    assert as_admin.patch(f"{article_path}revisions/9/", json={"name": "x"}).status_code == 404


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 101}, {"name": "x", "state": "draft"}])
def test_an_added_version_needs_a_name_and_valid_fields(as_admin, article_path, body):
    assert outcome(as_admin.post(f"{article_path}revisions/", json=body)) == (422, "invalid_fields")


@pytest.mark.parametrize("is_new", [True, False])
def test_a_published_version_was_written_at_its_time_of_publication(as_admin, is_new):
    body = {"title": "One", "content": "first", "status": "published" if is_new else "draft"}
    uuid = as_admin.post(ARTICLES, json=body).json["uuid"]
    path = f"{ARTICLES}{uuid}/"
    if not is_new:
        assert as_admin.patch(path, json={"status": "published"}).status_code == 200
    assert as_admin.patch(path, json={"title": "Two"}).status_code == 200
    version = as_admin.get(f"{path}revisions/?fields=created,published_at&page=1&page_size=1").json[0]
    assert version["created"] == version["published_at"]


@pytest.mark.parametrize("is_deleted", [False, True], ids=["exists", "deleted"])
@pytest.mark.parametrize("current", [{"paid_to": "TOP2"}, {"paid_to": None}], ids=["changed", "removed"])
def test_an_editor_who_restores_a_version_keeps_the_values_that_only_admins_read(
    as_admin, as_editor, as_login, is_deleted, current
):
    for name, reader in (("paid_to", "admins"), ("mood", "everyone")):
        body = {"name": name, "label": name, "type": "text", "read_by": reader, "kinds": ["article"]}
        assert as_login.post("/api/v1/blog/fields/", json=body).status_code == 201
    values = {"paid_to": "TOPSECRET", "mood": "good"}
    path = f"{ARTICLES}{as_admin.post(ARTICLES, json={'title': 'One', 'custom': values}).json['uuid']}/"
    as_admin.patch(path, json={"title": "Two", "custom": current | {"mood": "bad"}})
    if is_deleted:
        as_admin.delete(path)
    restored = as_editor.post(f"{path}revisions/1/restore/")
    assert (restored.status_code, restored.json["title"]) == (200, "One")
    expected = {name: value for name, value in current.items() if value} | {"mood": "good"}
    assert as_admin.get(f"{path}?fields=custom").json["custom"] == expected
