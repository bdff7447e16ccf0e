"""Categories and tags keep their former slugs: reads redirect them, and no other term can take them."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from blogapi.content.taxonomies import service
from blogapi.content.taxonomies.categories import CATEGORIES as CATEGORY_TAXONOMY
from blogapi.content.taxonomies.models import FormerTermSlug
from blogapi.content.taxonomies.tags import TAGS as TAG_TAXONOMY
from blogapi.storage.database import db
from tests.conftest import CATEGORIES, TAGS
from tests.contracts.client import get_stable_headers, outcome
from tests.delivery.response_cache.cached_blog import warm

BOTH = pytest.mark.parametrize("path", [CATEGORIES, TAGS])


@pytest.fixture
def rename(as_admin):
    """Creates a term with the slug `first` and renames it to each of the slugs; returns its path."""

    def create(path, *slugs):
        term = as_admin.post(path, json={"name": "First"}).headers["Location"]
        for slug in slugs:
            assert as_admin.patch(term, json={"slug": slug}).status_code == 200
        return term

    return create


@BOTH
@pytest.mark.parametrize(
    "caller", ["as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin"]
)
def test_a_former_slug_is_redirected_for_every_reader(request, rename, path, caller):
    rename(path, "second", "third")
    client = request.getfixturevalue(caller)
    for slug in ("first", "second"):
        for method in ("GET", "HEAD"):
            response = client.open(f"{path}{slug}/?fields=slug", method=method)
            assert (response.status_code, response.data) == (308, b"")
            assert response.headers["Location"] == f"{path}third/?fields=slug"
    assert client.get(f"{path}third/?fields=slug").json == {"slug": "third"}


@BOTH
def test_a_former_slug_needs_credentials(as_stranger, rename, path):
    rename(path, "second")
    for target in (f"{path}first/", f"{path}?slug=first"):
        assert outcome(as_stranger.get(target)) == (401, "key_missing")


@BOTH
def test_a_term_can_take_back_its_former_slug(as_reader, rename, path):
    rename(path, "second", "first")
    assert as_reader.get(f"{path}first/").status_code == 200
    assert as_reader.get(f"{path}second/").headers["Location"] == f"{path}first/"


@BOTH
@pytest.mark.parametrize(
    ("slugs", "former"),
    [
        (("second", "first"), ["second"]),
        (("second", "first", "second"), ["first"]),
        (("second", "first", "third", "second"), ["first", "third"]),
    ],
)
def test_no_redirect_leads_from_a_slug_that_was_taken_back(as_reader, rename, path, slugs, former):
    rename(path, *slugs)
    listed = as_reader.get("/api/v1/blog/redirects/").json
    assert [(row["old"], row["new"]) for row in listed] == [(slug, slugs[-1]) for slug in former]


@BOTH
def test_another_term_cannot_take_a_former_slug(as_admin, as_reader, rename, path):
    rename(path, "second")
    other = as_admin.post(path, json={"name": "Other"}).headers["Location"]
    for response in (
        as_admin.post(path, json={"name": "x", "slug": "first"}),
        as_admin.patch(other, json={"slug": "first"}),
        as_admin.put(other, json={"name": "x", "slug": "first"}),
    ):
        assert outcome(response) == (409, "slug_taken")
    derived = as_admin.post(path, json={"name": "First!"}).headers["Location"]
    assert as_admin.get(f"{derived}?fields=slug").json == {"slug": "first-2"}
    assert as_reader.get(f"{path}first/").headers["Location"] == f"{path}second/"


def test_the_former_slugs_of_categories_and_tags_are_independent(as_admin, as_reader, rename):
    rename(CATEGORIES, "second")
    assert as_admin.post(TAGS, json={"name": "First"}).status_code == 201
    assert as_reader.get(f"{TAGS}first/").status_code == 200
    assert as_reader.get(f"{TAGS}second/").status_code == 404


@BOTH
def test_the_former_slugs_of_a_deleted_term_can_be_used_again(app, as_admin, as_reader, rename, path):
    term = rename(path, "second", "third")
    assert as_admin.delete(term).status_code == 204
    assert {as_reader.get(f"{path}{slug}/").status_code for slug in ("first", "second", "third")} == {404}
    with app.app_context():
        assert db.session.scalars(select(FormerTermSlug)).all() == []
    assert as_admin.post(path, json={"name": "x", "slug": "first"}).status_code == 201


def test_a_category_that_cannot_be_deleted_keeps_its_former_slugs(
    as_admin, as_reader, make_category, make_article
):
    category = make_category(name="First")
    as_admin.patch(f"{CATEGORIES}{category.uuid}/", json={"slug": "second"})
    make_article(category=category)
    assert outcome(as_admin.delete(f"{CATEGORIES}{category.uuid}/")) == (409, "category_in_use")
    assert as_reader.get(f"{CATEGORIES}first/").status_code == 308


@BOTH
def test_a_new_name_or_a_refused_slug_adds_no_former_slug(app, as_admin, rename, path):
    term = rename(path)
    as_admin.post(path, json={"name": "Other"})
    as_admin.patch(term, json={"name": "New", "slug": "first"})
    assert as_admin.patch(term, json={"slug": "other"}).status_code == 409
    with app.app_context():
        assert db.session.scalars(select(FormerTermSlug)).all() == []


@BOTH
def test_bulk_writes_keep_former_slugs(as_admin, as_reader, path):
    terms = [as_admin.post(path, json={"name": name}).json["uuid"] for name in ("a", "b")]
    items = [{"uuid": uuid, "slug": slug} for uuid, slug in zip(terms, ("c", "d"), strict=True)]
    assert as_admin.patch(path, json=items).status_code == 200
    assert [as_reader.get(f"{path}{slug}/").headers["Location"] for slug in "ab"] == [
        f"{path}c/",
        f"{path}d/",
    ]


@BOTH
def test_the_list_finds_a_term_by_its_current_or_former_slug(as_admin, as_reader, rename, path):
    term = rename(path, "second")
    as_admin.post(path, json={"name": "Other"})
    for slug in ("first", "second"):
        assert [f"{path}{row['uuid']}/" for row in as_reader.get(f"{path}?slug={slug}").json] == [term]
    page = as_reader.get(f"{path}?slug=first&page=1&fields=slug")
    assert (page.json, page.headers["X-Total-Count"]) == ([{"slug": "second"}], "1")
    assert as_reader.get(f"{path}?slug=unknown").json == []
    for query in ("slug=", "slug=%00", f"slug={'a' * 256}", "slug=a&slug=b"):
        assert outcome(as_reader.get(f"{path}?{query}")) == (400, "invalid_query")


@BOTH
def test_a_redirect_is_replayed_and_never_stale(as_admin, as_reader, rename, record_statements, path):
    term = rename(path, "second")
    first = warm(as_reader, f"{path}first/")
    with record_statements() as executed:
        again = as_reader.get(f"{path}first/")
    assert (get_stable_headers(again), executed) == (get_stable_headers(first), [])
    as_admin.patch(term, json={"slug": "third"})
    assert as_reader.get(f"{path}first/").headers["Location"] == f"{path}third/"
    assert warm(as_reader, f"{path}?slug=first").json[0]["slug"] == "third"
    as_admin.delete(term)
    assert as_reader.get(f"{path}first/").status_code == 404
    assert as_reader.get(f"{path}?slug=first").json == []


@pytest.mark.parametrize("taxonomy", [CATEGORY_TAXONOMY, TAG_TAXONOMY], ids=["categories", "tags"])
def test_an_import_finds_a_renamed_term_by_its_former_slug(app, people, taxonomy):
    with app.app_context():
        created = service.get_or_create_term(taxonomy, people.admin.uuid, "Slow Food")
        service.change_term(taxonomy, created.uuid, {"slug": "cooking"})
        for _ in range(2):
            assert service.get_or_create_term(taxonomy, people.admin.uuid, "Slow Food").uuid == created.uuid
