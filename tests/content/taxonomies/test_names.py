"""Two categories, or two tags, have one name only if somebody gives a slug; authors may share names."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from blogapi.content.taxonomies.tags import Tag
from blogapi.storage.database import db
from tests.conftest import AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import outcome

BOTH = pytest.mark.parametrize("path", [CATEGORIES, TAGS])
SPELLINGS = ["Straße", "STRASSE", "strasse", "\uff33\uff54\uff52\uff41\uff53\uff53\uff45"]


def create(client, path, name, **fields):
    response = client.post(path, json={"name": name} | fields)
    assert response.status_code == 201, response.json
    return response.headers["Location"]


def get_uuid(location):
    return location.rstrip("/").rpartition("/")[2]


@BOTH
@pytest.mark.parametrize(("name", "slug"), [("C#", "c-sharp"), ("C++", "c-plus-plus"), ("C", "c")])
def test_the_slug_tells_signs_apart(as_admin, path, name, slug):
    assert as_admin.get(f"{create(as_admin, path, name)}?fields=slug").json == {"slug": slug}


@BOTH
@pytest.mark.parametrize("name", SPELLINGS)
def test_a_taken_name_is_refused_with_the_uuid_of_the_other_term(as_admin, path, name):
    taken, other = create(as_admin, path, "Straße"), create(as_admin, path, "Other")
    new = f"{path}{uuid4()}/"
    for response, field in (
        (as_admin.post(path, json={"name": name}), "name"),
        (as_admin.put(new, json={"name": name}), "name"),
        (as_admin.put(other, json={"name": name}), "name"),
        (as_admin.patch(other, json={"name": name}), "name"),
        (as_admin.put(path, json=[{"uuid": str(uuid4()), "name": name}]), "0.name"),
        (as_admin.patch(path, json=[{"uuid": get_uuid(other), "name": name}]), "0.name"),
    ):
        assert outcome(response) == (409, "name_taken")
        assert response.json["uuid"] == get_uuid(taken)
        assert list(response.json["errors"]) == [field]
    assert {term["name"] for term in as_admin.get(path).json} == {"Straße", "Other"}


@BOTH
def test_with_a_slug_a_name_can_be_that_of_another_term(as_admin, path):
    first = create(as_admin, path, "Rye")
    second = create(as_admin, path, "Rye", slug="rye-2")
    assert as_admin.put(f"{path}{uuid4()}/", json={"name": "rye", "slug": "rye-3"}).status_code == 201
    # A pair that exists stays as it is in each write that does not rename a term.
    for body in ({"name": "Rye"}, {"name": "RYE"}, {"language": "de"}):
        assert as_admin.patch(second, json=body).status_code == 200
    assert as_admin.put(first, json={"name": "Rye"}).status_code == 200
    shown = as_admin.get(second).json | {"slug": "rye-2"}
    shown.pop("articles")
    assert as_admin.put(second, json=shown).status_code == 200
    # The oldest is named.
    assert as_admin.post(path, json={"name": "rye"}).json["uuid"] == get_uuid(first)


@BOTH
def test_two_new_terms_of_a_bulk_write_cannot_have_one_name(as_admin, path):
    items = [{"uuid": str(uuid4()), "name": name} for name in ("Rye", "rye")]
    response = as_admin.put(path, json=items)
    assert outcome(response) == (409, "name_taken") and response.json["uuid"] == items[0]["uuid"]
    assert as_admin.get(path).json == []


def test_the_kinds_have_names_of_their_own_and_authors_share_names(as_admin):
    for path in (CATEGORIES, TAGS, AUTHORS, AUTHORS):
        create(as_admin, path, "Jo Guest")


def test_a_name_that_is_free_again_can_be_taken(as_admin):
    where = create(as_admin, TAGS, "Rye")
    assert as_admin.patch(where, json={"name": "Oat"}).status_code == 200
    create(as_admin, TAGS, "Rye", slug="rye-again")
    assert as_admin.post(TAGS, json={"name": "Oat"}).json["uuid"] == get_uuid(where)


def test_the_stored_key_follows_the_name(app, as_admin):
    where = create(as_admin, TAGS, "Oat")
    assert as_admin.patch(where, json={"name": "ﬁne Straße"}).status_code == 200
    with app.app_context():
        tag = db.session.get(Tag, UUID(get_uuid(where)))
        assert (tag.name_key, tag.sort_key) == ("fine strasse", "fine strasse")


# Names in the order of lists: by their folded words, or by the name if it contains no words.
ORDERED = [
    "?!",
    "Ábel",
    "ähnlich",
    "alaska",
    "Apple",
    "apple pie",
    "«Apples»",
    "Öl",
    "Straße 2",
    "Zoe",
    "日本",
]


@pytest.mark.parametrize("path", [CATEGORIES, TAGS, AUTHORS])
def test_lists_are_ordered_by_the_words_of_the_names(as_admin, path):
    for name in sorted(ORDERED, key=str.swapcase):
        create(as_admin, path, name)
    shown = [term["name"] for term in as_admin.get(path).json if term["name"] in ORDERED]
    assert shown == ORDERED
    pages = [as_admin.get(f"{path}?page={page}&page_size=5&fields=name").json for page in (1, 2, 3)]
    assert [term["name"] for page in pages for term in page if term["name"] in ORDERED] == ORDERED


@pytest.mark.parametrize("path", [CATEGORIES, TAGS, AUTHORS])
def test_a_renamed_term_has_another_place_and_equal_words_are_ordered_by_uuid(as_admin, path):
    first = create(as_admin, path, "Rye")
    for uuid in sorted((str(uuid4()) for _ in range(4)), reverse=True):
        assert as_admin.put(f"{path}{uuid}/", json={"name": "Öats", "slug": f"s-{uuid}"}).status_code == 201
    assert as_admin.patch(first, json={"name": "àbc"}).status_code == 200
    shown = [term for term in as_admin.get(path).json if term["name"] in ("àbc", "Öats")]
    assert [term["name"] for term in shown] == ["àbc", *["Öats"] * 4]
    assert shown[1:] == sorted(shown[1:], key=lambda term: term["uuid"])
