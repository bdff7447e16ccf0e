"""Writes of articles: bodies, status, slugs, validation, bulk writes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
OWN = ARTICLES + "author/me/"
FUTURE = "2999-01-01T00:00:00Z"


@pytest.fixture
def body(make_category, make_tag):
    """Makes bodies of articles in one category, with two tags."""
    category, tags = make_category(name="Kitchen"), (make_tag("bread"), make_tag("rye"))

    def make(**fields):
        return {
            "title": "Hello",
            "category": {"uuid": str(category.uuid)},
            "tags": [{"slug": tag.slug} for tag in tags],
        } | fields

    return make


@pytest.fixture
def write(as_admin, body):
    """Creates an article and returns the JSON of the response."""

    def write(**fields):
        response = as_admin.post(ARTICLES, json=body(**fields))
        assert response.status_code == 201, response.json
        return response.json

    return write


def test_a_new_article_is_a_draft_with_all_defaults(as_admin, body, people):
    response = as_admin.post(ARTICLES, json=body(subtitle="Sub", cover_image="/cover.jpg"))
    created = response.json
    assert response.status_code == 201
    assert response.headers["Location"] == f"{ARTICLES}{created['uuid']}/"
    assert (created["status"], created["slug"], created["content_type"]) == ("draft", "hello", "html")
    assert created["author"] == str(people.admin.uuid)
    assert [tag["name"] for tag in created["tags"]] == ["bread", "rye"]
    seo = created["seo"]
    assert (seo["title"], seo["description"], seo["og_image"]) == ("Hello", "Sub", "/cover.jpg")
    assert as_admin.get(response.headers["Location"]).json == created
    assert as_admin.get(response.headers["Location"]).headers["ETag"] == response.headers["ETag"]


def test_put_creates_an_article_and_then_replaces_it(as_admin, body):
    path = f"{ARTICLES}{uuid4()}/"
    created = as_admin.put(path, json=body(content="one"))
    again = as_admin.put(path, json=body(title="Other"))
    assert (created.status_code, created.headers["Location"]) == (201, path)
    assert (again.status_code, again.json["title"], again.json["content"]) == (200, "Other", "")


def test_patch_changes_only_the_given_fields(as_admin, write):
    created = write(content="text", subtitle="sub")
    changed = as_admin.patch(f"{ARTICLES}{created['uuid']}/", json={"subtitle": "new", "tags": []}).json
    assert (changed["subtitle"], changed["tags"], changed["content"]) == ("new", [], "text")


def test_a_deleted_article_is_not_found(as_admin, write):
    created = write()
    path = f"{ARTICLES}{created['uuid']}/"
    assert as_admin.delete(path).status_code == 204
    assert outcome(as_admin.get(path)) == (404, "not_found")
    assert outcome(as_admin.delete(path)) == (404, "not_found")


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    title=TEXTS.filter(str.strip),
    subtitle=TEXTS,
    content=TEXTS,
    kind=st.sampled_from(["html", "markdown", "text"]),
    state=st.sampled_from(
        [
            {"status": "draft"},
            {"status": "published"},
            {"status": "archived"},
            {"published_at": FUTURE, "status": "scheduled"},
        ]
    ),
    seo=st.fixed_dictionaries({}, optional={"title": TEXTS, "description": TEXTS}),
    tags=st.integers(0, 2),
)
def test_putting_back_what_was_read_changes_nothing(
    as_admin, body, title, subtitle, content, kind, state, seo, tags
):
    sent = body(title=title, subtitle=subtitle, content=content, content_type=kind, seo=seo, **state)
    sent["tags"] = sent["tags"][:tags]
    created = as_admin.post(ARTICLES, json=sent)
    assert created.status_code == 201, created.json
    path = created.headers["Location"]
    read = as_admin.get(path)
    before = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    back = as_admin.put(path, json=read.json, headers={"If-Match": read.headers["ETag"]})
    assert (back.status_code, back.json) == (200, read.json)
    assert as_admin.get(path).data == read.data
    assert as_admin.get(f"{path}revisions/").json == []
    assert as_admin.get("/api/v1/blog/changes/").json["cursor"] == before


TRANSITIONS = [
    ("draft", {"status": "published"}, "published"),
    ("draft", {"status": "published", "published_at": FUTURE}, "scheduled"),
    ("draft", {"status": "scheduled", "published_at": FUTURE}, "scheduled"),
    ("draft", {"status": "scheduled"}, 422),
    ("draft", {"status": "scheduled", "published_at": "2020-01-01T00:00:00Z"}, 422),
    ("draft", {"status": "published", "published_at": None}, "published"),
    ("draft", {"status": "archived"}, "archived"),
    ("draft", {"status": "burnt"}, 422),
    ("published", {"status": "draft"}, "draft"),
    ("published", {"status": "archived"}, "archived"),
    ("published", {"published_at": FUTURE}, "scheduled"),
    ("published", {"status": "scheduled"}, "published"),
    ("dated draft", {"status": "published"}, "published"),
    ("dated draft", {"status": "scheduled"}, "scheduled"),
    ("dated draft", {"status": "scheduled", "published_at": None}, "scheduled"),
    ("scheduled", {"status": "published"}, "published"),
    ("scheduled", {"status": "draft"}, "draft"),
    ("scheduled", {"status": "archived"}, "archived"),
    ("archived", {"status": "draft"}, "draft"),
    ("archived", {"status": "published"}, 409),
    ("archived", {"status": "scheduled", "published_at": FUTURE}, 409),
]


@pytest.mark.parametrize(("state", "change", "expected"), TRANSITIONS)
def test_a_change_of_status_is_made_or_refused(as_admin, write, state, change, expected):
    dated = {"published_at": FUTURE} if state in ("scheduled", "dated draft") else {}
    created = write(status=state.removeprefix("dated "), **dated)
    response = as_admin.patch(f"{ARTICLES}{created['uuid']}/", json=change)
    if isinstance(expected, int):
        assert response.status_code == expected
        assert as_admin.get(f"{ARTICLES}{created['uuid']}/").json == created
    else:
        assert response.json["status"] == expected


def test_an_article_that_is_published_again_keeps_its_date(as_admin, write, set_clock):
    set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(status='published')['uuid']}/"
    set_clock(datetime(2026, 2, 2, tzinfo=UTC))
    as_admin.patch(path, json={"status": "draft"})
    as_admin.patch(path, json={"status": "published"})
    assert as_admin.get(f"{path}?fields=published_at").json["published_at"].startswith("2026-01-01")


def test_a_scheduled_article_needs_a_future_time(as_admin, write, body, set_clock):
    now = datetime(2030, 1, 1, tzinfo=UTC)
    set_clock(now)
    refused = as_admin.post(ARTICLES, json=body(status="scheduled", published_at=now.isoformat()))
    assert (refused.status_code, list(refused.json["errors"])) == (422, ["published_at"])
    soon = (now + timedelta.resolution).isoformat()
    assert write(status="scheduled", published_at=soon)["status"] == "scheduled"
    assert write(status="published", published_at=now.isoformat())["status"] == "published"


def test_an_article_is_public_from_the_microsecond_of_its_publication(as_admin, as_reader, write, set_clock):
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    assert as_reader.get(path).json["status"] == "published"
    # All of this happens within one microsecond, and readers may already have seen the slug.
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    assert as_admin.patch(path, json={"slug": "new"}).json["slug"] == "new"
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]
    for status, expected in (("published", ["New"]), ("scheduled", []), ("draft", [])):
        listed = as_admin.get(f"{OWN}?status={status}").json
        assert [article["title"] for article in listed] == expected


def test_a_public_article_keeps_its_slug_when_the_clock_is_set_back(as_admin, write, set_clock):
    set_clock(datetime(2031, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"


def test_a_withdrawn_article_keeps_its_date_until_it_is_set_to_null(as_admin, write):
    day = "2020-01-01T00:00:00"
    path = f"{ARTICLES}{write(status='published', published_at=day)['uuid']}/"
    for change, left in (
        ({"status": "archived"}, f"{day}.000000"),
        ({"status": "draft"}, f"{day}.000000"),
        ({"published_at": None}, None),
    ):
        as_admin.patch(path, json=change)
        assert as_admin.get(f"{path}?fields=published_at").json == {"published_at": left}


def test_every_count_includes_a_scheduled_article_from_its_publication_time_on(
    as_admin, as_reader, write, set_clock
):
    write(status="scheduled", published_at=FUTURE, title="Ahead")
    for time, number in (
        (datetime(2998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), 0),
        (datetime(2999, 1, 1, tzinfo=UTC), 1),
    ):
        set_clock(time)
        assert as_reader.get(ARTICLES).headers["X-Total-Count"] == str(number)
        assert len(as_reader.get("/api/v1/blog/changes/").json["changes"]) == 3 + number
        (tag,) = [tag for tag in as_reader.get("/api/v1/blog/tags/").json if tag["name"] == "rye"]
        assert len(as_reader.get(f"/api/v1/blog/tags/{tag['uuid']}/").json["articles"]) == number


def test_a_slug_is_derived_from_the_title_or_given(as_admin, write, body):
    assert [write(title="Été à Łódź")["slug"] for _ in range(3)] == [
        f"ete-a-lodz{end}" for end in ("", "-2", "-3")
    ]
    assert write(title="日本語の題")["slug"] == "日本語の題"
    assert write(title="🎉")["slug"]
    assert write(slug="my-own")["slug"] == "my-own"
    taken = as_admin.post(ARTICLES, json=body(slug="my-own"))
    assert (taken.status_code, taken.json["code"]) == (409, "slug_taken")
    wrong = as_admin.post(ARTICLES, json=body(slug="Not a Slug"))
    assert (wrong.status_code, list(wrong.json["errors"])) == (422, ["slug"])


def test_a_drafts_slug_follows_its_title_until_it_is_published(as_admin, write):
    path = f"{ARTICLES}{write(title='One')['uuid']}/"
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "two"
    as_admin.patch(path, json={"status": "published"})
    assert as_admin.patch(path, json={"title": "Three"}).json["slug"] == "two"
    as_admin.patch(path, json={"status": "draft"})
    assert as_admin.patch(path, json={"title": "Four"}).json["slug"] == "two"


def test_a_given_slug_does_not_follow_the_title(as_admin, write):
    path = f"{ARTICLES}{write(title='One', slug='mine')['uuid']}/"
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "mine"


@pytest.mark.parametrize("day", ["2020-01-01T00:00:00Z", None, FUTURE])
def test_a_slug_given_in_a_later_change_does_not_follow_the_title(as_admin, write, day):
    path = f"{ARTICLES}{write(title='One', published_at=day)['uuid']}/"
    # A slug that is put back as it was read does not count as given.
    as_admin.put(path, json=as_admin.get(path).json)
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "two"
    assert as_admin.patch(path, json={"slug": "mine", "title": "Three"}).json["slug"] == "mine"
    assert as_admin.patch(path, json={"title": "Four"}).json["slug"] == "mine"


def test_a_put_without_a_slug_keeps_the_slug_of_a_public_article(as_admin, write, body):
    path = f"{ARTICLES}{write(title='One', status='published')['uuid']}/"
    replaced = as_admin.put(path, json=body(title="Two", status="published")).json
    assert (replaced["slug"], replaced["title"]) == ("one", "Two")


def test_the_uuid_of_a_reference_takes_precedence_over_its_slug(as_admin, write, make_category, make_tag):
    category, tag = make_category(name="Right"), make_tag("right")
    created = write(
        category={"uuid": str(category.uuid), "slug": "kitchen"},
        tags=[{"uuid": str(tag.uuid), "slug": "nowhere"}, {"slug": "rye"}],
    )
    assert (created["category"]["slug"], [tag["slug"] for tag in created["tags"]]) == (
        "right",
        ["right", "rye"],
    )


def test_each_seo_field_follows_its_source_until_it_is_written(as_admin, write):
    path = f"{ARTICLES}{write()['uuid']}/"
    change = {"title": "T", "subtitle": "S", "cover_image": "/c.jpg"}
    seo = as_admin.patch(path, json=change).json["seo"]
    names = ("title", "description", "og_image", "canonical_url")
    assert [seo[name] for name in names] == ["T", "S", "/c.jpg", ""]
    as_admin.patch(path, json={"seo": {name: f"/{name}" for name in names}})
    seo = as_admin.patch(path, json={"title": "U", "subtitle": "U", "cover_image": "/u.jpg"}).json["seo"]
    assert [seo[name] for name in names] == [f"/{name}" for name in names]


def test_a_written_seo_field_stays_while_the_others_follow_the_article(as_admin, write):
    path = f"{ARTICLES}{write(seo={'description': 'Mine'})['uuid']}/"
    seo = as_admin.patch(path, json={"title": "New", "subtitle": "Sub"}).json["seo"]
    assert (seo["title"], seo["description"]) == ("New", "Mine")


def test_two_references_to_the_same_tag_count_as_one(write):
    assert len(write(tags=[{"slug": "bread"}, {"slug": "bread"}])["tags"]) == 1


def test_all_invalid_fields_are_reported_at_once_with_their_paths(as_admin, body):
    response = as_admin.post(
        ARTICLES,
        json={
            "title": "",
            "subtitle": "x" * 501,
            "content": 5,
            "content_type": "pdf",
            "cover_image": "javascript:alert(1)",
            "published_at": "soon",
            "category": {"nonsense": 1},
            "tags": [{"slug": "bread"}, {"uuid": "no"}, 7],
            "seo": {"title": "x" * 256, "og_image": "ftp://example.org/"},
            "unknown": 1,
        },
    )
    assert response.status_code == 422
    assert sorted(response.json["errors"]) == sorted(
        [
            *(
                "title",
                "subtitle",
                "content",
                "content_type",
                "cover_image",
                "published_at",
                "category.nonsense",
            ),
            *("tags.1.uuid", "tags.2", "seo.title", "seo.og_image", "unknown"),
        ]
    )


INVALID = [
    ({"title": "x" * 256}, "title"),
    ({"title": None}, "title"),
    ({"title": "a\u0000b"}, "title"),
    ({"content": "x" * (2 * 1024 * 1024 + 1)}, "content"),
    ({"cover_image": "//evil.example/x"}, "cover_image"),
    ({"cover_image": "https://user:password@example.org/"}, "cover_image"),
    ({"cover_image": "https://example.org/" + "x" * 2048}, "cover_image"),
    ({"cover_image": "data:text/html,x"}, "cover_image"),
    ({"category": None}, "category"),
    ({"category": {}}, "category"),
    ({"category": {"uuid": "00000000-0000-4000-8000-000000000000"}}, "category.uuid"),
    ({"category": {"slug": "nowhere"}}, "category.slug"),
    ({"tags": [{"slug": "bread"}, {"slug": "nowhere"}]}, "tags.1.slug"),
    ({"tags": [{"slug": "bread"}] * 51}, "tags"),
    ({"tags": {}}, "tags"),
    ({"status": "scheduled"}, "published_at"),
    ({"seo": []}, "seo"),
]


@pytest.mark.parametrize(("fields", "path"), INVALID, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("method", ["post", "put", "patch", "put_all", "patch_all"])
def test_an_invalid_field_is_refused_and_nothing_is_stored(as_admin, body, write, fields, path, method):
    other, created = write(title="Other")["uuid"], write(title="Before")
    uuid, before = created["uuid"], as_admin.get(OWN).json
    response = {
        "post": lambda: as_admin.post(ARTICLES, json=body(**fields)),
        "put": lambda: as_admin.put(f"{ARTICLES}{uuid}/", json=body(**fields)),
        "patch": lambda: as_admin.patch(f"{ARTICLES}{uuid}/", json=fields),
        "put_all": lambda: as_admin.put(ARTICLES, json=[body(uuid=str(uuid4())), body(uuid=uuid, **fields)]),
        "patch_all": lambda: as_admin.patch(
            ARTICLES, json=[{"uuid": other, "title": "x"}, {"uuid": uuid, **fields}]
        ),
    }[method]()
    assert response.status_code == 422, response.json
    expected = f"1.{path}" if method.endswith("all") else path
    assert [name for name in response.json["errors"] if name.startswith(expected)], response.json
    assert as_admin.get(OWN).json == before


def test_the_limits_can_be_configured(make_app, make_client, people, body):
    app = make_app(MAX_TITLE=5, MAX_TAGS=1, MAX_BULK=1)
    client = make_client(app, people.key(people.admin, "write"))
    errors = client.post(ARTICLES, json=body(title="123456")).json["errors"]
    assert sorted(errors) == ["tags", "title"]
    assert client.patch(ARTICLES, json=[{}, {}]).status_code == 422


def test_a_bulk_write_writes_several_articles(as_admin, body, write):
    first, new = write(), str(uuid4())
    response = as_admin.put(
        ARTICLES, json=[body(uuid=new, title="New"), body(uuid=first["uuid"], title="Changed")]
    )
    assert [article["title"] for article in response.json] == ["New", "Changed"]
    response = as_admin.patch(
        ARTICLES, json=[{"uuid": new, "subtitle": "s"}, {"uuid": first["uuid"], "subtitle": "t"}]
    )
    assert [article["subtitle"] for article in response.json] == ["s", "t"]
    response = as_admin.delete(f"{ARTICLES}?uuid={new}&uuid={first['uuid']}")
    assert response.status_code == 204
    assert as_admin.get(OWN).json == []


def test_a_bulk_write_is_all_or_nothing(as_admin, write, body):
    created = write(slug="one")
    missing = str(uuid4())
    conflict = as_admin.put(
        ARTICLES, json=[body(uuid=missing, title="New"), body(uuid=str(uuid4()), slug="one")]
    )
    assert (conflict.status_code, list(conflict.json["errors"])) == (409, ["1.slug"])
    unknown = as_admin.patch(
        ARTICLES, json=[{"uuid": created["uuid"], "title": "x"}, {"uuid": missing, "title": "y"}]
    )
    assert (unknown.status_code, list(unknown.json["errors"])) == (404, ["1"])
    deleted = as_admin.delete(f"{ARTICLES}?uuid={created['uuid']}&uuid={missing}")
    assert (deleted.status_code, list(deleted.json["errors"])) == (404, ["1"])
    assert as_admin.get(OWN).json == [created]


def test_a_bulk_delete_without_valid_uuids_is_refused(as_admin, write):
    created = write()
    assert as_admin.delete(ARTICLES).status_code == 400
    assert as_admin.delete(f"{ARTICLES}?uuid=nonsense").status_code == 400
    assert as_admin.get(OWN).json == [created]


def test_the_body_of_a_bulk_write_must_be_an_array_of_objects(as_admin):
    assert as_admin.put(ARTICLES, json={"title": "x"}).status_code == 422
    assert as_admin.patch(ARTICLES, json=[7]).status_code == 422
    assert as_admin.patch(ARTICLES, json=[{}]).json["errors"] == {
        "0.uuid": ["Missing data for required field."]
    }


@pytest.mark.parametrize("id", ["nonsense", "00000000-0000-0000-0000-000000000000", "{x}"])
def test_put_with_a_malformed_id_is_a_404(as_admin, body, id):
    assert outcome(as_admin.put(f"{ARTICLES}{id}/", json=body())) == (404, "not_found")


def test_an_edited_article_keeps_its_author(as_admin, people, make_article):
    article = make_article(author=people.other_admin)
    changed = as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "Edited"}).json
    assert changed["author"] == str(people.other_admin.uuid)


def test_reusing_the_uuid_of_a_deleted_article_continues_its_version_numbers(as_admin, write, body):
    path = f"{ARTICLES}{write(title='One')['uuid']}/"
    as_admin.patch(path, json={"title": "Two"})
    as_admin.delete(path)
    assert as_admin.put(path, json=body(title="Three")).status_code == 201
    assert as_admin.patch(path, json={"title": "Four"}).status_code == 200
    assert as_admin.delete(path).status_code == 204
    assert [row["title"] for row in as_admin.get(f"{path}revisions/").json] == ["Four", "Three", "Two", "One"]


def test_the_nil_uuid_is_refused(as_admin, body):
    nil = "00000000-0000-0000-0000-000000000000"
    response = as_admin.put(ARTICLES, json=[body(uuid=nil)])
    assert (response.status_code, list(response.json["errors"])) == (422, ["0.uuid"])


def test_a_bulk_write_refuses_the_same_uuid_twice(as_admin, body, write):
    uuid = write()["uuid"]
    for method in ("PUT", "PATCH"):
        response = as_admin.open(ARTICLES, method=method, json=[body(uuid=uuid), body(uuid=uuid)])
        assert (response.status_code, list(response.json["errors"])) == (422, ["1.uuid"])
    assert as_admin.delete(f"{ARTICLES}?uuid={uuid}&uuid={uuid}").status_code == 422


def test_a_put_without_seo_fields_resets_them_to_the_article(as_admin, body, write):
    path = f"{ARTICLES}{write(seo={'title': 'Mine', 'canonical_url': '/mine'})['uuid']}/"
    seo = as_admin.put(path, json=body(title="Other")).json["seo"]
    assert (seo["title"], seo["canonical_url"]) == ("Other", "")


@pytest.mark.parametrize("state", [{"status": "published"}, {"status": "scheduled", "published_at": FUTURE}])
def test_the_publication_time_of_a_published_article_cannot_be_removed(as_admin, write, state):
    response = as_admin.patch(f"{ARTICLES}{write(**state)['uuid']}/", json={"published_at": None})
    assert (response.status_code, list(response.json["errors"])) == (422, ["published_at"])


def test_an_unknown_category_and_a_missing_publication_time_are_reported_together(as_admin, body):
    response = as_admin.post(ARTICLES, json=body(category={"slug": "nowhere"}, status="scheduled"))
    assert sorted(response.json["errors"]) == ["category.slug", "published_at"]


@pytest.mark.parametrize("slug", ["a" * 255, "a" * 240 + "-2", "report-2024"])
def test_a_given_slug_is_never_changed(as_admin, write, slug):
    created = write(title="Report", slug=slug)
    path = f"{ARTICLES}{created['uuid']}/"
    assert as_admin.patch(path, json={"title": "Annual"}).json["slug"] == slug
    read = as_admin.get(path).json
    as_admin.delete(path)
    assert as_admin.put(path, json=read).json["slug"] == slug


def test_the_slug_of_a_dated_draft_follows_its_title_and_leaves_no_redirect(as_admin, as_reader, write):
    path = f"{ARTICLES}{write(title='Secret codename', published_at=FUTURE)['uuid']}/"
    assert as_admin.patch(path, json={"title": "Launch"}).json["slug"] == "launch"
    as_admin.patch(path, json={"status": "published", "published_at": "2020-01-01T00:00:00Z"})
    assert as_reader.get("/api/v1/blog/redirects/").json == []


def test_a_slug_that_was_public_still_finds_the_article_after_a_rename(as_admin, as_reader, write):
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    as_admin.patch(path, json={"status": "draft", "published_at": None})
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new", "status": "published"})
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=old").json] == ["new"]


def test_if_match_of_a_bulk_write_notices_a_changed_draft(as_admin, write):
    uuid = write(title="Draft")["uuid"]
    etag = as_admin.get(ARTICLES).headers["ETag"]
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"title": "Other"})
    response = as_admin.patch(ARTICLES, json=[{"uuid": uuid, "title": "Mine"}], headers={"If-Match": etag})
    assert outcome(response) == (412, "stale")


def test_a_new_publication_time_changes_the_etag(as_admin, write):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FUTURE)['uuid']}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"published_at": "2998-01-01T00:00:00Z"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


def test_put_accepts_every_field_that_a_read_can_show(as_admin, write):
    path = f"{ARTICLES}{write(status='published', content='<p>Words.</p>')['uuid']}/"
    shown = [*as_admin.get(path).json, "created", "last_updated", "published_at", "excerpt", "html"]
    everything = f"{path}?fields={','.join([*shown, 'reading_minutes'])}"
    read = as_admin.get(everything)
    assert as_admin.put(path, json=read.json).status_code == 200
    assert as_admin.get(everything).data == read.data


def test_putting_back_an_article_that_became_public_by_schedule_changes_nothing(as_admin, write, set_clock):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FUTURE)['uuid']}/"
    set_clock(datetime(2999, 1, 2, tzinfo=UTC))
    before = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    read = as_admin.get(path).json
    stamp = as_admin.get(f"{path}?fields=last_updated").json
    set_clock(datetime(2999, 1, 3, tzinfo=UTC))
    assert as_admin.put(path, json=read).json == read
    assert as_admin.get(f"{path}?fields=last_updated").json == stamp
    assert as_admin.get("/api/v1/blog/changes/").json["cursor"] == before


def test_an_article_that_became_public_by_schedule_keeps_its_slug(as_admin, as_reader, write, set_clock):
    path = f"{ARTICLES}{write(title='Old', status='scheduled', published_at=FUTURE)['uuid']}/"
    set_clock(datetime(2999, 1, 2, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new"})
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]


def test_the_response_to_a_bulk_write_has_no_etag(as_admin, write):
    response = as_admin.patch(ARTICLES, json=[{"uuid": write()["uuid"], "title": "x"}])
    assert "ETag" not in response.headers
