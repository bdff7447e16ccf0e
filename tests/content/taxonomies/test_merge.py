"""Terms are merged into another one: articles, working copies, versions, counts and addresses follow."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from blogapi.content.articles.writing import repeated_columns as links
from blogapi.content.taxonomies.models import FormerTermSlug
from blogapi.storage.database import db
from tests.contracts.client import outcome

BLOG = "/api/v1/blog/"
ARTICLES, CATEGORIES, TAGS, AUTHORS = (
    f"{BLOG}{name}/" for name in ("articles", "categories", "tags", "authors")
)
EACH = pytest.mark.parametrize("path", [CATEGORIES, TAGS, AUTHORS])


@pytest.fixture
def make(as_admin):
    """Creates a term or an article and returns its JSON."""

    def create(path, name, **fields):
        key = "title" if path == ARTICLES else "name"
        response = as_admin.post(path, json={key: name, **fields})
        assert response.status_code == 201, response.json
        return response.json

    return create


def write(make, path, title, *terms, status="published"):
    """Create an article with these terms."""
    references = [{"uuid": term["uuid"]} for term in terms]
    name = {CATEGORIES: "category", TAGS: "tags", AUTHORS: "authors"}[path]
    value = references[0] if path == CATEGORIES else references
    return make(ARTICLES, title, status=status, **{name: value})


def merge(client, path, term, *others, **options):
    uuids = [other["uuid"] for other in others]
    return client.post(f"{path}{term['uuid']}/merge/", json={"uuids": uuids}, **options)


def list_terms(client, path, article):
    name = {CATEGORIES: "category", TAGS: "tags", AUTHORS: "authors"}[path]
    value = client.get(f"{ARTICLES}{article['uuid']}/?fields={name}").json[name]
    return [term["slug"] for term in (value if isinstance(value, list) else [value])]


@EACH
def test_the_articles_of_merged_terms_have_the_other_one(app, as_admin, as_reader, make, path):
    sea, side, quay = (make(path, name) for name in ("Sea", "Side", "Quay"))
    articles = [write(make, path, "a", side), write(make, path, "b", quay, status="draft")]
    articles.append(write(make, path, "c", sea))
    versions = [as_admin.get(f"{ARTICLES}{one['uuid']}/?fields=last_updated").json for one in articles]
    response = merge(as_admin, path, sea, side, quay)
    assert (response.status_code, response.json["slug"]) == (200, "sea")
    assert [list_terms(as_admin, path, article) for article in articles] == [["sea"]] * 3
    assert [
        as_admin.get(f"{ARTICLES}{one['uuid']}/?fields=last_updated").json for one in articles
    ] == versions
    single = as_reader.get(f"{path}sea/?fields=articles,articles_count").json
    assert (len(single["articles"]), single["articles_count"]) == (2, 2)
    assert not {"side", "quay"} & {row["slug"] for row in as_admin.get(path).json}
    with app.app_context():
        assert links.count_differing_rows() == 0


@pytest.mark.parametrize("path", [TAGS, AUTHORS])
def test_an_article_with_both_terms_keeps_the_place_of_the_one_that_stays(as_admin, make, path):
    sea, side, quay = (make(path, name) for name in ("Sea", "Side", "Quay"))
    article = write(make, path, "a", side, quay, sea)
    assert merge(as_admin, path, sea, side).status_code == 200
    assert list_terms(as_admin, path, article) == ["quay", "sea"]
    assert as_admin.get(f"{path}sea/?fields=articles_count").json == {"articles_count": 1}


@EACH
def test_former_addresses_lead_to_the_other_term(as_admin, as_reader, make, path):
    sea, side = make(path, "Sea"), make(path, "Side")
    write(make, path, "a", sea)
    as_admin.patch(f"{path}{side['uuid']}/", json={"slug": "coast"})
    merge(as_admin, path, sea, side)
    for former in ("side", "coast", side["uuid"]):
        assert as_reader.get(f"{path}{former}/").headers["Location"] == f"{path}sea/"
        assert [row["slug"] for row in as_reader.get(f"{path}?slug={former}").json] == ["sea"]
    rows = as_reader.get(f"{BLOG}redirects/").json
    assert {(row["old"], row["new"]) for row in rows} == {
        (former, "sea") for former in ("side", "coast", side["uuid"])
    }
    merge(as_admin, path, make(path, "Shore"), sea)
    assert as_admin.get(f"{path}coast/").headers["Location"] == f"{path}shore/"


@EACH
def test_a_term_that_was_created_again_after_its_merge_can_be_merged_again(as_admin, make, path):
    sea, side = make(path, "Sea"), make(path, "Side")
    for _ in range(2):
        assert merge(as_admin, path, sea, side).status_code == 200
        assert as_admin.get(f"{path}side/").headers["Location"] == f"{path}sea/"
        assert as_admin.put(f"{path}{side['uuid']}/", json={"name": "Side"}).status_code == 201


def test_an_address_with_the_uuid_of_a_merged_term_is_redirected(as_admin, as_reader, as_login, make):
    site = as_login.patch(f"{BLOG}site/", json={"url": "https://example.org", "tag_path": "/t/{uuid}/"})
    assert site.status_code == 200, site.json
    sea, side = make(TAGS, "Sea"), make(TAGS, "Side")
    merge(as_admin, TAGS, sea, side)
    (row,) = as_reader.get(f"{BLOG}redirects/?path=/t/{side['uuid']}/").json
    assert row["new_url"] == f"https://example.org/t/{sea['uuid']}/"
    assert row["old_url"] == f"https://example.org/t/{side['uuid']}/"


def test_waiting_edits_and_former_versions_follow(as_admin, make):
    sea, side = make(TAGS, "Sea"), make(TAGS, "Side")
    food, kitchen = make(CATEGORIES, "Food"), make(CATEGORIES, "Kitchen")
    ada, bob = make(AUTHORS, "Ada"), make(AUTHORS, "Bob")
    article = make(ARTICLES, "a", tags=[{"uuid": side["uuid"]}], category={"uuid": kitchen["uuid"]})
    where = f"{ARTICLES}{article['uuid']}/"
    edits = {
        "title": "b",
        "tags": [side["uuid"], sea["uuid"]],
        "category": kitchen["uuid"],
        "authors": [bob["uuid"]],
    }
    assert as_admin.put(f"{where}working-copy/", json=edits).status_code == 201
    as_admin.patch(where, json={"tags": []})
    for path, term, other in ((TAGS, sea, side), (CATEGORIES, food, kitchen), (AUTHORS, ada, bob)):
        assert merge(as_admin, path, term, other).status_code == 200
    copy = as_admin.get(f"{where}working-copy/").json
    assert (copy["tags"], copy["category"], copy["authors"]) == (
        [sea["uuid"]],
        food["uuid"],
        [ada["uuid"]],
    )
    # An editor that was opened before still sends the uuids that it knows.
    etag = as_admin.get(f"{where}working-copy/").headers["ETag"]
    state = f"{etag}, {as_admin.get(where).headers['ETag']}"
    assert as_admin.put(f"{where}working-copy/", json=edits, headers={"If-Match": state}).status_code == 200
    published = as_admin.post(f"{where}working-copy/publish/").json
    assert [tag["slug"] for tag in published["tags"]] == ["sea"]
    assert published["category"]["slug"] == "food"
    restored = as_admin.post(f"{where}revisions/1/restore/").json
    assert [tag["slug"] for tag in restored["tags"]] == ["sea"]


@EACH
def test_the_feed_of_changes_names_both_terms(as_admin, as_reader, make, path):
    sea, side = make(path, "Sea"), make(path, "Side")
    write(make, path, "a", side)
    cursor = as_reader.get(f"{BLOG}changes/").json["cursor"]
    merge(as_admin, path, sea, side)
    changes = as_reader.get(f"{BLOG}changes/?since={cursor}").json["changes"]
    assert {(row["uuid"], row["action"]) for row in changes} == {
        (sea["uuid"], "fetch"),
        (side["uuid"], "drop"),
    }


def test_the_author_that_stays_becomes_the_profile_of_the_user(app, as_admin, make):
    profile = next(row for row in as_admin.get(AUTHORS).json if row["user"])
    guest = make(AUTHORS, "Guest")
    assert merge(as_admin, AUTHORS, guest, profile).json["user"] == profile["user"]
    app.test_cli_runner().invoke(args=["user", "create", "zoe", "--password-stdin"], input=f"{uuid4()}\n")
    zoe = next(row for row in as_admin.get(AUTHORS).json if row["name"] == "zoe")
    assert outcome(merge(as_admin, AUTHORS, guest, zoe)) == (409, "profile_exists")


@EACH
def test_a_wrong_merge_changes_nothing(app, as_admin, make, path):
    sea, side, unknown = make(path, "Sea"), make(path, "Side"), {"uuid": str(uuid4())}
    for others, wrong in (((side, unknown), "uuids.1"), ((side, sea), "uuids.1")):
        response = merge(as_admin, path, sea, *others)
        assert (response.status_code, list(response.json["errors"])) == (422, [wrong])
    assert outcome(merge(as_admin, path, sea)) == (422, "invalid_fields")
    assert outcome(merge(as_admin, path, unknown, side)) == (404, "not_found")
    stale = merge(as_admin, path, sea, side, headers={"If-Match": '"stale"'})
    assert stale.status_code == 412
    assert as_admin.get(f"{path}{side['uuid']}/?fields=slug").json == {"slug": "side"}
    with app.app_context():
        assert db.session.scalars(select(FormerTermSlug)).all() == []


def test_a_new_article_of_a_client_that_knows_the_merged_uuid(as_admin, make):
    sea, side = make(TAGS, "Sea"), make(TAGS, "Side")
    merge(as_admin, TAGS, sea, side)
    article = make(ARTICLES, "a", tags=[{"uuid": side["uuid"]}, {"uuid": sea["uuid"]}])
    assert [UUID(tag["uuid"]) for tag in article["tags"]] == [UUID(sea["uuid"])]


@EACH
def test_filters_and_feeds_follow_former_slugs_and_merged_uuids(as_admin, as_login, as_reader, make, path):
    as_login.patch(f"{BLOG}site/", json={"url": "https://example.org"})
    sea, side = make(path, "Sea"), make(path, "Side")
    write(make, path, "a", side)
    merge(as_admin, path, sea, side)
    name = {CATEGORIES: "category", TAGS: "tag", AUTHORS: "author"}[path]
    for reference in ("side", side["uuid"], "sea"):
        found = as_reader.get(f"{ARTICLES}?{name}={reference}&fields=title").json
        assert found == [{"title": "a"}], reference
        assert as_reader.get(f"/feeds/feed.json?{name}={reference}").json["items"][0]["title"] == "a"
        assert as_reader.get(f"{BLOG}archive/?{name}={reference}").json != []
    assert as_reader.get(f"{ARTICLES}?{name}=unknown").json == []
    assert as_reader.get(f"{ARTICLES}?{name}={uuid4()}").json == []
