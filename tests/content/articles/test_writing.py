"""Writes of single articles: creating, changing, replacing and deleting."""

from __future__ import annotations

from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ARTICLES
from tests.content.articles.conftest import FUTURE
from tests.contracts.client import outcome


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
    assert outcome(as_admin.get(path)) == (404, "deleted")
    assert outcome(as_admin.delete(path)) == (404, "deleted")


TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=40)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
def test_a_put_with_the_response_of_a_get_changes_nothing(
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


def test_each_seo_field_equals_a_field_of_the_article_until_the_seo_field_is_set(as_admin, write):
    path = f"{ARTICLES}{write()['uuid']}/"
    change = {"title": "T", "subtitle": "S", "cover_image": "/c.jpg"}
    seo = as_admin.patch(path, json=change).json["seo"]
    names = ("title", "description", "og_image", "canonical_url")
    assert [seo[name] for name in names] == ["T", "S", "/c.jpg", ""]
    as_admin.patch(path, json={"seo": {name: f"/{name}" for name in names}})
    seo = as_admin.patch(path, json={"title": "U", "subtitle": "U", "cover_image": "/u.jpg"}).json["seo"]
    assert [seo[name] for name in names] == [f"/{name}" for name in names]


def test_setting_one_seo_field_does_not_stop_other_seo_fields_from_following_the_article(as_admin, write):
    path = f"{ARTICLES}{write(seo={'description': 'Mine'})['uuid']}/"
    seo = as_admin.patch(path, json={"title": "New", "subtitle": "Sub"}).json["seo"]
    assert (seo["title"], seo["description"]) == ("New", "Mine")


def test_two_references_to_the_same_tag_count_as_one(write):
    assert len(write(tags=[{"slug": "bread"}, {"slug": "bread"}])["tags"]) == 1


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


def test_a_put_without_seo_fields_resets_them_to_the_values_of_the_article(as_admin, body, write):
    path = f"{ARTICLES}{write(seo={'title': 'Mine', 'canonical_url': '/mine'})['uuid']}/"
    seo = as_admin.put(path, json=body(title="Other")).json["seo"]
    assert (seo["title"], seo["canonical_url"]) == ("Other", "")


def test_put_accepts_every_field_that_a_read_can_show(as_admin, write):
    path = f"{ARTICLES}{write(status='published', content='<p>Words.</p>')['uuid']}/"
    shown = [*as_admin.get(path).json, "created", "last_updated", "published_at", "excerpt", "html"]
    everything = f"{path}?fields={','.join([*shown, 'reading_minutes'])}"
    read = as_admin.get(everything)
    assert as_admin.put(path, json=read.json).status_code == 200
    assert as_admin.get(everything).data == read.data
