"""Writing articles: bodies, states, slugs, validation; nothing half done."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
OWN = ARTICLES + "author/me/"
FAR = "2999-01-01T00:00:00Z"


@pytest.fixture
def body(make_category, make_tag):
    """Makes bodies of articles in a category of their own, with two tags."""
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
    """Writes an article and returns what came back."""

    def write(**fields):
        answer = as_admin.post(ARTICLES, json=body(**fields))
        assert answer.status_code == 201, answer.json
        return answer.json

    return write


def test_a_new_article_is_a_draft_with_all_defaults(as_admin, body, people):
    answer = as_admin.post(ARTICLES, json=body(subtitle="Sub", cover_image="/cover.jpg"))
    made = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{ARTICLES}{made['uuid']}/"
    assert (made["status"], made["slug"], made["content_type"]) == ("draft", "hello", "html")
    assert made["author"] == str(people.admin.uuid)
    assert [tag["name"] for tag in made["tags"]] == ["bread", "rye"]
    seo = made["seo"]
    assert (seo["title"], seo["description"], seo["og_image"]) == ("Hello", "Sub", "/cover.jpg")
    assert as_admin.get(answer.headers["Location"]).json == made
    assert as_admin.get(answer.headers["Location"]).headers["ETag"] == answer.headers["ETag"]


def test_put_creates_under_the_uuid_and_then_replaces(as_admin, body):
    path = f"{ARTICLES}{uuid4()}/"
    made = as_admin.put(path, json=body(content="one"))
    again = as_admin.put(path, json=body(title="Other"))
    assert (made.status_code, made.headers["Location"]) == (201, path)
    assert (again.status_code, again.json["title"], again.json["content"]) == (200, "Other", "")


def test_patch_changes_what_is_named_only(as_admin, write):
    made = write(content="text", subtitle="sub")
    changed = as_admin.patch(f"{ARTICLES}{made['uuid']}/", json={"subtitle": "new", "tags": []}).json
    assert (changed["subtitle"], changed["tags"], changed["content"]) == ("new", [], "text")


def test_delete_takes_the_article(as_admin, write):
    made = write()
    path = f"{ARTICLES}{made['uuid']}/"
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
            {"published_at": FAR, "status": "scheduled"},
        ]
    ),
    seo=st.fixed_dictionaries({}, optional={"title": TEXTS, "description": TEXTS}),
    tags=st.integers(0, 2),
)
def test_what_was_read_can_be_sent_back_and_changes_nothing(
    as_admin, body, title, subtitle, content, kind, state, seo, tags
):
    sent = body(title=title, subtitle=subtitle, content=content, content_type=kind, seo=seo, **state)
    sent["tags"] = sent["tags"][:tags]
    made = as_admin.post(ARTICLES, json=sent)
    assert made.status_code == 201, made.json
    path = made.headers["Location"]
    read = as_admin.get(path)
    before = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    back = as_admin.put(path, json=read.json, headers={"If-Match": read.headers["ETag"]})
    assert (back.status_code, back.json) == (200, read.json)
    assert as_admin.get(path).data == read.data
    assert as_admin.get(f"{path}revisions/").json == []
    assert as_admin.get("/api/v1/blog/changes/").json["cursor"] == before


MOVES = [
    ("draft", {"status": "published"}, "published"),
    ("draft", {"status": "published", "published_at": FAR}, "scheduled"),
    ("draft", {"status": "scheduled", "published_at": FAR}, "scheduled"),
    ("draft", {"status": "scheduled"}, 422),
    ("draft", {"status": "scheduled", "published_at": "2020-01-01T00:00:00Z"}, 422),
    ("draft", {"status": "published", "published_at": None}, "published"),
    ("draft", {"status": "archived"}, "archived"),
    ("draft", {"status": "burnt"}, 422),
    ("published", {"status": "draft"}, "draft"),
    ("published", {"status": "archived"}, "archived"),
    ("published", {"published_at": FAR}, "scheduled"),
    ("published", {"status": "scheduled"}, "published"),
    ("dated draft", {"status": "published"}, "published"),
    ("dated draft", {"status": "scheduled"}, "scheduled"),
    ("dated draft", {"status": "scheduled", "published_at": None}, "scheduled"),
    ("scheduled", {"status": "published"}, "published"),
    ("scheduled", {"status": "draft"}, "draft"),
    ("scheduled", {"status": "archived"}, "archived"),
    ("archived", {"status": "draft"}, "draft"),
    ("archived", {"status": "published"}, 409),
    ("archived", {"status": "scheduled", "published_at": FAR}, 409),
]


@pytest.mark.parametrize(("state", "change", "expected"), MOVES)
def test_an_article_moves_between_its_states(as_admin, write, state, change, expected):
    dated = {"published_at": FAR} if state in ("scheduled", "dated draft") else {}
    made = write(status=state.removeprefix("dated "), **dated)
    answer = as_admin.patch(f"{ARTICLES}{made['uuid']}/", json=change)
    if isinstance(expected, int):
        assert answer.status_code == expected
        assert as_admin.get(f"{ARTICLES}{made['uuid']}/").json == made
    else:
        assert answer.json["status"] == expected


def test_published_again_an_article_keeps_its_day(as_admin, write, at):
    at(datetime(2026, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(status='published')['uuid']}/"
    at(datetime(2026, 2, 2, tzinfo=UTC))
    as_admin.patch(path, json={"status": "draft"})
    as_admin.patch(path, json={"status": "published"})
    assert as_admin.get(f"{path}?fields=published_at").json["published_at"].startswith("2026-01-01")


def test_a_schedule_lies_ahead_by_a_microsecond_at_least(as_admin, write, body, at):
    now = datetime(2030, 1, 1, tzinfo=UTC)
    at(now)
    refused = as_admin.post(ARTICLES, json=body(status="scheduled", published_at=now.isoformat()))
    assert (refused.status_code, list(refused.json["errors"])) == (422, ["published_at"])
    soon = (now + timedelta.resolution).isoformat()
    assert write(status="scheduled", published_at=soon)["status"] == "scheduled"
    assert write(status="published", published_at=now.isoformat())["status"] == "published"


def test_an_article_is_public_from_the_very_moment_of_its_publication(as_admin, as_reader, write, at):
    at(datetime(2030, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    assert as_reader.get(path).json["status"] == "published"
    # All of this within the same microsecond: what the world may have seen keeps its slug.
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    assert as_admin.patch(path, json={"slug": "new"}).json["slug"] == "new"
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]
    for status, expected in (("published", ["New"]), ("scheduled", []), ("draft", [])):
        listed = as_admin.get(f"{OWN}?status={status}").json
        assert [article["title"] for article in listed] == expected


def test_what_was_public_keeps_its_slug_though_the_clock_is_set_back(as_admin, write, at):
    at(datetime(2031, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    at(datetime(2030, 1, 1, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"


def test_a_date_stays_with_what_is_withdrawn_and_goes_where_it_is_taken_away(as_admin, write):
    day = "2020-01-01T00:00:00"
    path = f"{ARTICLES}{write(status='published', published_at=day)['uuid']}/"
    for change, left in (
        ({"status": "archived"}, f"{day}.000000"),
        ({"status": "draft"}, f"{day}.000000"),
        ({"published_at": None}, None),
    ):
        as_admin.patch(path, json=change)
        assert as_admin.get(f"{path}?fields=published_at").json == {"published_at": left}


def test_a_schedule_appears_to_the_microsecond_in_every_count(as_admin, as_reader, write, at):
    write(status="scheduled", published_at=FAR, title="Ahead")
    for moment, number in (
        (datetime(2998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), 0),
        (datetime(2999, 1, 1, tzinfo=UTC), 1),
    ):
        at(moment)
        assert as_reader.get(ARTICLES).headers["X-Total-Count"] == str(number)
        assert len(as_reader.get("/api/v1/blog/changes/").json["changes"]) == 3 + number
        (tag,) = [tag for tag in as_reader.get("/api/v1/blog/tags/").json if tag["name"] == "rye"]
        assert len(as_reader.get(f"/api/v1/blog/tags/{tag['uuid']}/").json["articles"]) == number


def test_slugs_come_from_the_title_are_numbered_and_may_be_given(as_admin, write, body):
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


@pytest.mark.parametrize("day", ["2020-01-01T00:00:00Z", None, FAR])
def test_a_slug_that_is_given_later_does_not_follow_the_title_either(as_admin, write, day):
    path = f"{ARTICLES}{write(title='One', published_at=day)['uuid']}/"
    # Sent back as it was read, it is not given.
    as_admin.put(path, json=as_admin.get(path).json)
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "two"
    assert as_admin.patch(path, json={"slug": "mine", "title": "Three"}).json["slug"] == "mine"
    assert as_admin.patch(path, json={"title": "Four"}).json["slug"] == "mine"


def test_a_put_without_a_slug_keeps_that_of_a_public_article(as_admin, write, body):
    path = f"{ARTICLES}{write(title='One', status='published')['uuid']}/"
    replaced = as_admin.put(path, json=body(title="Two", status="published")).json
    assert (replaced["slug"], replaced["title"]) == ("one", "Two")


def test_the_uuid_counts_where_a_reference_names_a_slug_too(as_admin, write, make_category, make_tag):
    category, tag = make_category(name="Right"), make_tag("right")
    made = write(
        category={"uuid": str(category.uuid), "slug": "kitchen"},
        tags=[{"uuid": str(tag.uuid), "slug": "nowhere"}, {"slug": "rye"}],
    )
    assert (made["category"]["slug"], [tag["slug"] for tag in made["tags"]]) == ("right", ["right", "rye"])


def test_every_unwritten_seo_text_follows_its_field(as_admin, write):
    path = f"{ARTICLES}{write()['uuid']}/"
    change = {"title": "T", "subtitle": "S", "cover_image": "/c.jpg"}
    seo = as_admin.patch(path, json=change).json["seo"]
    names = ("title", "description", "og_image", "canonical_url")
    assert [seo[name] for name in names] == ["T", "S", "/c.jpg", ""]
    as_admin.patch(path, json={"seo": {name: f"/{name}" for name in names}})
    seo = as_admin.patch(path, json={"title": "U", "subtitle": "U", "cover_image": "/u.jpg"}).json["seo"]
    assert [seo[name] for name in names] == [f"/{name}" for name in names]


def test_unwritten_seo_texts_follow_the_article(as_admin, write):
    path = f"{ARTICLES}{write(seo={'description': 'Mine'})['uuid']}/"
    seo = as_admin.patch(path, json={"title": "New", "subtitle": "Sub"}).json["seo"]
    assert (seo["title"], seo["description"]) == ("New", "Mine")


def test_two_references_to_one_tag_are_one_tag(write):
    assert len(write(tags=[{"slug": "bread"}, {"slug": "bread"}])["tags"]) == 1


def test_every_wrong_field_is_named_at_once_with_its_path(as_admin, body):
    answer = as_admin.post(
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
    assert answer.status_code == 422
    assert sorted(answer.json["errors"]) == sorted(
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


WRONG = [
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


@pytest.mark.parametrize(("fields", "path"), WRONG, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("method", ["post", "put", "patch", "put_all", "patch_all"])
def test_a_wrong_field_is_refused_and_nothing_is_stored(as_admin, body, write, fields, path, method):
    other, made = write(title="Other")["uuid"], write(title="Before")
    uuid, before = made["uuid"], as_admin.get(OWN).json
    answer = {
        "post": lambda: as_admin.post(ARTICLES, json=body(**fields)),
        "put": lambda: as_admin.put(f"{ARTICLES}{uuid}/", json=body(**fields)),
        "patch": lambda: as_admin.patch(f"{ARTICLES}{uuid}/", json=fields),
        "put_all": lambda: as_admin.put(ARTICLES, json=[body(uuid=str(uuid4())), body(uuid=uuid, **fields)]),
        "patch_all": lambda: as_admin.patch(
            ARTICLES, json=[{"uuid": other, "title": "x"}, {"uuid": uuid, **fields}]
        ),
    }[method]()
    assert answer.status_code == 422, answer.json
    expected = f"1.{path}" if method.endswith("all") else path
    assert [name for name in answer.json["errors"] if name.startswith(expected)], answer.json
    assert as_admin.get(OWN).json == before


def test_limits_are_settings(make_app, make_client, people, body):
    app = make_app(MAX_TITLE=5, MAX_TAGS=1, MAX_BULK=1)
    client = make_client(app, people.key(people.admin, "write"))
    errors = client.post(ARTICLES, json=body(title="123456")).json["errors"]
    assert sorted(errors) == ["tags", "title"]
    assert client.patch(ARTICLES, json=[{}, {}]).status_code == 422


def test_several_are_written_in_one_request(as_admin, body, write):
    first, new = write(), str(uuid4())
    answer = as_admin.put(
        ARTICLES, json=[body(uuid=new, title="New"), body(uuid=first["uuid"], title="Changed")]
    )
    assert [article["title"] for article in answer.json] == ["New", "Changed"]
    answer = as_admin.patch(
        ARTICLES, json=[{"uuid": new, "subtitle": "s"}, {"uuid": first["uuid"], "subtitle": "t"}]
    )
    assert [article["subtitle"] for article in answer.json] == ["s", "t"]
    answer = as_admin.delete(f"{ARTICLES}?uuid={new}&uuid={first['uuid']}")
    assert answer.status_code == 204
    assert as_admin.get(OWN).json == []


def test_several_are_all_or_none(as_admin, write, body):
    made = write(slug="one")
    missing = str(uuid4())
    conflict = as_admin.put(
        ARTICLES, json=[body(uuid=missing, title="New"), body(uuid=str(uuid4()), slug="one")]
    )
    assert (conflict.status_code, list(conflict.json["errors"])) == (409, ["1.slug"])
    gone = as_admin.patch(
        ARTICLES, json=[{"uuid": made["uuid"], "title": "x"}, {"uuid": missing, "title": "y"}]
    )
    assert (gone.status_code, list(gone.json["errors"])) == (404, ["1"])
    deleted = as_admin.delete(f"{ARTICLES}?uuid={made['uuid']}&uuid={missing}")
    assert (deleted.status_code, list(deleted.json["errors"])) == (404, ["1"])
    assert as_admin.get(OWN).json == [made]


def test_nothing_is_deleted_by_accident(as_admin, write):
    made = write()
    assert as_admin.delete(ARTICLES).status_code == 400
    assert as_admin.delete(f"{ARTICLES}?uuid=nonsense").status_code == 400
    assert as_admin.get(OWN).json == [made]


def test_a_body_of_several_must_be_an_array(as_admin):
    assert as_admin.put(ARTICLES, json={"title": "x"}).status_code == 422
    assert as_admin.patch(ARTICLES, json=[7]).status_code == 422
    assert as_admin.patch(ARTICLES, json=[{}]).json["errors"] == {
        "0.uuid": ["Missing data for required field."]
    }


@pytest.mark.parametrize("id", ["nonsense", "00000000-0000-0000-0000-000000000000", "{x}"])
def test_nothing_is_made_under_a_malformed_id(as_admin, body, id):
    assert outcome(as_admin.put(f"{ARTICLES}{id}/", json=body())) == (404, "not_found")


def test_another_users_article_keeps_its_author(as_admin, people, make_article):
    article = make_article(author=people.other_admin)
    changed = as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "Edited"}).json
    assert changed["author"] == str(people.other_admin.uuid)


def test_under_the_uuid_of_a_deleted_article_its_versions_go_on(as_admin, write, body):
    path = f"{ARTICLES}{write(title='One')['uuid']}/"
    as_admin.patch(path, json={"title": "Two"})
    as_admin.delete(path)
    assert as_admin.put(path, json=body(title="Three")).status_code == 201
    assert as_admin.patch(path, json={"title": "Four"}).status_code == 200
    assert as_admin.delete(path).status_code == 204
    assert [row["title"] for row in as_admin.get(f"{path}revisions/").json] == ["Four", "Three", "Two", "One"]


def test_nothing_stands_under_the_nil_uuid(as_admin, body):
    nil = "00000000-0000-0000-0000-000000000000"
    answer = as_admin.put(ARTICLES, json=[body(uuid=nil)])
    assert (answer.status_code, list(answer.json["errors"])) == (422, ["0.uuid"])


def test_one_item_does_not_stand_twice(as_admin, body, write):
    uuid = write()["uuid"]
    for method in ("PUT", "PATCH"):
        answer = as_admin.open(ARTICLES, method=method, json=[body(uuid=uuid), body(uuid=uuid)])
        assert (answer.status_code, list(answer.json["errors"])) == (422, ["1.uuid"])
    assert as_admin.delete(f"{ARTICLES}?uuid={uuid}&uuid={uuid}").status_code == 422


def test_a_put_without_seo_texts_takes_those_of_the_article(as_admin, body, write):
    path = f"{ARTICLES}{write(seo={'title': 'Mine', 'canonical_url': '/mine'})['uuid']}/"
    seo = as_admin.put(path, json=body(title="Other")).json["seo"]
    assert (seo["title"], seo["canonical_url"]) == ("Other", "")


@pytest.mark.parametrize("state", [{"status": "published"}, {"status": "scheduled", "published_at": FAR}])
def test_what_is_published_keeps_a_time(as_admin, write, state):
    answer = as_admin.patch(f"{ARTICLES}{write(**state)['uuid']}/", json={"published_at": None})
    assert (answer.status_code, list(answer.json["errors"])) == (422, ["published_at"])


def test_an_unknown_category_and_an_impossible_schedule_are_named_together(as_admin, body):
    answer = as_admin.post(ARTICLES, json=body(category={"slug": "nowhere"}, status="scheduled"))
    assert sorted(answer.json["errors"]) == ["category.slug", "published_at"]


@pytest.mark.parametrize("slug", ["a" * 255, "a" * 240 + "-2", "report-2024"])
def test_a_given_slug_stays_as_it_is_given(as_admin, write, slug):
    made = write(title="Report", slug=slug)
    path = f"{ARTICLES}{made['uuid']}/"
    assert as_admin.patch(path, json={"title": "Annual"}).json["slug"] == slug
    read = as_admin.get(path).json
    as_admin.delete(path)
    assert as_admin.put(path, json=read).json["slug"] == slug


def test_a_dated_draft_is_still_a_draft(as_admin, as_reader, write):
    path = f"{ARTICLES}{write(title='Secret codename', published_at=FAR)['uuid']}/"
    assert as_admin.patch(path, json={"title": "Launch"}).json["slug"] == "launch"
    as_admin.patch(path, json={"status": "published", "published_at": "2020-01-01T00:00:00Z"})
    assert as_reader.get("/api/v1/blog/redirects/").json == []


def test_a_slug_that_was_public_stays_through_everything(as_admin, as_reader, write):
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    as_admin.patch(path, json={"status": "draft", "published_at": None})
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new", "status": "published"})
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=old").json] == ["new"]


def test_a_bulk_body_is_guarded_for_drafts_too(as_admin, write):
    uuid = write(title="Draft")["uuid"]
    etag = as_admin.get(ARTICLES).headers["ETag"]
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"title": "Other"})
    answer = as_admin.patch(ARTICLES, json=[{"uuid": uuid, "title": "Mine"}], headers={"If-Match": etag})
    assert outcome(answer) == (412, "stale")


def test_a_new_time_of_publication_is_a_change(as_admin, write):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FAR)['uuid']}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"published_at": "2998-01-01T00:00:00Z"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


def test_all_that_can_be_read_can_be_sent_back(as_admin, write):
    path = f"{ARTICLES}{write(status='published', content='<p>Words.</p>')['uuid']}/"
    shown = [*as_admin.get(path).json, "created", "last_updated", "published_at", "excerpt", "html"]
    everything = f"{path}?fields={','.join([*shown, 'reading_minutes'])}"
    read = as_admin.get(everything)
    assert as_admin.put(path, json=read.json).status_code == 200
    assert as_admin.get(everything).data == read.data


def test_what_became_public_by_itself_can_be_sent_back_unchanged(as_admin, write, at):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FAR)['uuid']}/"
    at(datetime(2999, 1, 2, tzinfo=UTC))
    before = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    read = as_admin.get(path).json
    stamp = as_admin.get(f"{path}?fields=last_updated").json
    at(datetime(2999, 1, 3, tzinfo=UTC))
    assert as_admin.put(path, json=read).json == read
    assert as_admin.get(f"{path}?fields=last_updated").json == stamp
    assert as_admin.get("/api/v1/blog/changes/").json["cursor"] == before


def test_what_became_public_by_itself_keeps_its_slug(as_admin, as_reader, write, at):
    path = f"{ARTICLES}{write(title='Old', status='scheduled', published_at=FAR)['uuid']}/"
    at(datetime(2999, 1, 2, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new"})
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]


def test_the_answer_to_a_bulk_write_is_no_state_of_the_list(as_admin, write):
    answer = as_admin.patch(ARTICLES, json=[{"uuid": write()["uuid"], "title": "x"}])
    assert "ETag" not in answer.headers
