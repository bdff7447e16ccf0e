"""Categories below other categories: parents, the filter of article lists, and breadcrumbs."""

from __future__ import annotations

import threading
from uuid import UUID, uuid4

import pytest

from blogapi.content.articles import routes
from blogapi.content.taxonomies import hierarchy, service
from blogapi.content.taxonomies.categories import CATEGORIES as TAXONOMY
from blogapi.content.taxonomies.categories import Category
from blogapi.storage.database import db
from blogapi.web.errors import Invalid
from tests.conftest import ARTICLES
from tests.contracts.client import outcome

CATEGORIES = "/api/v1/blog/categories/"


@pytest.fixture
def make(as_admin):
    """Creates a category below another one and returns its uuid."""

    def create(name, parent=None):
        response = as_admin.post(CATEGORIES, json={"name": name, "parent": parent})
        assert response.status_code == 201, response.json
        return response.json["uuid"]

    return create


@pytest.fixture
def tree(request, fill_blog, make, make_articles):
    """The uuids of food > bread > rye, and of walks."""

    def fill():
        food = make("Food")
        bread = make("Bread", food)
        tree = {"food": food, "bread": bread, "rye": make("Rye", bread), "walks": make("Walks")}
        if has_articles:
            make_articles(tree)
        return tree

    has_articles = "articles" in request.fixturenames
    return fill_blog(f"tree of categories {has_articles}", fill)


@pytest.fixture
def make_articles(as_admin):
    """Creates two public articles and two drafts in each category."""

    def create(tree):
        for number in range(2):
            for name, category in tree.items():
                for status in ("published", "draft"):
                    title, time = f"{status} {name} {number}", f"2020-01-0{number + 1}T00:00:0{len(name)}Z"
                    body = {"title": title, "status": status, "category": {"uuid": category}}
                    response = as_admin.post(ARTICLES, json=body | {"published_at": time})
                    assert response.status_code == 201, response.json

    return create


@pytest.fixture
def articles(tree):
    """Two public articles and two drafts in each category of the tree."""


@pytest.fixture
def set_site(as_login):
    """Sets fields of the site."""
    return lambda **fields: as_login.patch("/api/v1/blog/site/", json=fields)


def get_parent(client, category):
    return client.get(f"{CATEGORIES}{category}/?fields=parent").json["parent"]


def test_a_category_shows_its_parent_on_request(as_reader, as_admin, tree):
    assert get_parent(as_reader, tree["rye"]) == tree["bread"]
    assert get_parent(as_reader, tree["food"]) is None
    assert "parent" not in as_reader.get(CATEGORIES).json[0]
    assert as_admin.patch(f"{CATEGORIES}{tree['rye']}/", json={"parent": None}).status_code == 200
    assert get_parent(as_reader, tree["rye"]) is None


@pytest.mark.parametrize(("name", "parent"), [("food", "food"), ("food", "bread"), ("food", "rye")])
@pytest.mark.parametrize("method", ["patch", "put"])
def test_a_cycle_is_refused(as_admin, tree, method, name, parent):
    body = {"name": name, "parent": tree[parent]}
    response = getattr(as_admin, method)(f"{CATEGORIES}{tree[name]}/", json=body)
    assert (response.status_code, list(response.json["errors"])) == (422, ["parent"])
    assert get_parent(as_admin, tree["food"]) is None


def test_a_new_category_is_not_its_own_parent(as_admin):
    uuid = str(uuid4())
    response = as_admin.put(f"{CATEGORIES}{uuid}/", json={"name": "Loop", "parent": uuid})
    assert (response.status_code, list(response.json["errors"])) == (422, ["parent"])


def test_a_bulk_write_that_would_make_a_cycle_changes_nothing(as_admin, tree):
    changes = [
        {"uuid": tree["walks"], "parent": tree["rye"]},
        {"uuid": tree["food"], "parent": tree["walks"]},
    ]
    response = as_admin.patch(CATEGORIES, json=changes)
    assert (response.status_code, list(response.json["errors"])) == (422, ["1.parent"])
    assert get_parent(as_admin, tree["walks"]) is None


def test_two_concurrent_writes_make_no_cycle(app, make):
    left, right = (UUID(make(name)) for name in ("Left", "Right"))
    barrier, refused = threading.Barrier(2), []

    def change(category, parent):
        with app.app_context():
            db.session.get(Category, category)
            db.session.remove()
            barrier.wait()
            try:
                service.change_term(TAXONOMY, category, {"parent_id": parent})
            except Invalid:
                refused.append(category)
            db.session.remove()

    threads = [threading.Thread(target=change, args=pair) for pair in ((left, right), (right, left))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1


def test_categories_are_not_nested_without_end(as_admin, make):
    parent = None
    for number in range(hierarchy.MAX_TERMS_ABOVE + 1):
        parent = make(f"Level {number}", parent)
    response = as_admin.post(CATEGORIES, json={"name": "Deeper", "parent": parent})
    assert (response.status_code, list(response.json["errors"])) == (422, ["parent"])
    other, first = make("Other"), as_admin.get(f"{CATEGORIES}level-0/?fields=uuid").json["uuid"]
    assert as_admin.patch(f"{CATEGORIES}{first}/", json={"parent": other}).status_code == 422


def test_an_unknown_parent_is_refused(as_admin):
    response = as_admin.post(CATEGORIES, json={"name": "Lost", "parent": str(uuid4())})
    assert (response.status_code, list(response.json["errors"])) == (422, ["parent"])


def list_titles(client, query):
    return [article["title"].removeprefix("published ") for article in client.get(f"{ARTICLES}?{query}").json]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("category=food", ["food", "bread", "rye"]),
        ("category=bread", ["bread", "rye"]),
        ("category=rye", ["rye"]),
        ("category=food&exact=true", ["food"]),
        ("category=rye&category=walks", ["walks", "rye"]),
        ("not_category=bread", ["walks", "food"]),
        ("not_category=bread&exact=true", ["walks", "food", "rye"]),
        ("category=food&not_category=rye", ["food", "bread"]),
        ("category=food&q=published", ["food", "bread", "rye"]),
    ],
)
def test_a_category_includes_those_below_it(as_reader, articles, query, names):
    expected = {f"{name} {number}" for name in names for number in range(2)}
    for ordering in ("-published_at", "published_at", "title"):
        titles = list_titles(as_reader, f"{query}&ordering={ordering}")
        assert set(titles) == expected and len(titles) == len(expected)
        pages = [
            list_titles(as_reader, f"{query}&ordering={ordering}&page={page}&page_size=2")
            for page in range(1, len(expected) // 2 + 1)
        ]
        assert [title for page in pages for title in page] == titles
    total = as_reader.get(f"{ARTICLES}?{query}&page=1").headers["X-Total-Count"]
    assert total == str(len(expected))


def test_a_filter_by_time_applies_to_all_categories(as_reader, articles):
    query = "category=food&published_after=2020-01-02T00:00:00Z&page=1"
    assert {title[-1] for title in list_titles(as_reader, query)} == {"1"}
    assert as_reader.get(f"{ARTICLES}?{query}").headers["X-Total-Count"] == "3"


@pytest.mark.parametrize(("category", "number"), [("food", 6), ("bread", 4), ("rye", 2)])
def test_the_archive_and_the_feed_of_a_category_include_the_children(
    as_reader, as_admin, articles, set_site, category, number
):
    set_site(url="https://blog.example")
    months = as_reader.get(f"/api/v1/blog/archive/?category={category}").json
    assert months == [{"year": 2020, "month": 1, "count": number}]
    entries = as_reader.get(f"/feeds/feed.json?category={category}").json["items"]
    assert len(entries) == number
    assert as_admin.post("/api/v1/blog/tags/", json={"name": "dark"}).status_code == 201
    assert as_reader.get(f"/api/v1/blog/archive/?category={category}&tag=dark").json == []


def test_scheduled_articles_of_a_child_are_not_counted(as_admin, as_reader, articles, tree):
    body = {"title": "later", "status": "published", "category": {"uuid": tree["rye"]}}
    as_admin.post(ARTICLES, json=body | {"published_at": "2999-01-01T00:00:00Z"})
    assert as_reader.get(f"{ARTICLES}?category=food&page=1").headers["X-Total-Count"] == "6"


def test_a_list_for_editors_includes_the_drafts_of_the_children(as_admin, articles):
    response = as_admin.get(f"{ARTICLES}own/?category=bread&fields=slug")
    assert len(response.json) == 8


def test_a_single_category_shows_its_own_articles(as_reader, articles, tree):
    shown = as_reader.get(f"{CATEGORIES}{tree['food']}/?fields=articles,articles_count").json
    assert (len(shown["articles"]), shown["articles_count"]) == (2, 2)


def test_the_children_of_a_deleted_category_get_its_parent(as_admin, tree):
    assert as_admin.delete(f"{CATEGORIES}{tree['bread']}/").status_code == 204
    assert get_parent(as_admin, tree["rye"]) == tree["food"]


def test_a_renamed_category_keeps_its_place(as_admin, as_reader, articles, tree):
    assert as_admin.patch(f"{CATEGORIES}{tree['bread']}/", json={"slug": "loaves"}).status_code == 200
    assert get_parent(as_admin, tree["rye"]) == tree["bread"]
    assert len(as_reader.get(f"{ARTICLES}?category=bread").json) == 4


@pytest.mark.parametrize(("into", "parents"), [("walks", ["walks", None]), ("rye", ["food", None])])
def test_the_children_of_a_merged_category_are_below_the_other_one(as_admin, tree, into, parents):
    response = as_admin.post(f"{CATEGORIES}{tree[into]}/merge/", json={"uuids": [tree["bread"]]})
    assert response.status_code == 200, response.json
    expected = [parent and tree[parent] for parent in parents]
    assert [get_parent(as_admin, tree[name]) for name in ("rye", "food")] == expected


def test_a_category_can_be_merged_into_its_child_with_everything_between(as_admin, tree):
    response = as_admin.post(
        f"{CATEGORIES}{tree['rye']}/merge/", json={"uuids": [tree["food"], tree["bread"]]}
    )
    assert response.status_code == 200, response.json
    assert get_parent(as_admin, tree["rye"]) is None


def test_a_merge_that_would_make_the_tree_too_deep_is_refused(as_admin, make):
    chain = [make("0")]
    for number in range(1, hierarchy.MAX_TERMS_ABOVE + 1):
        chain.append(make(str(number), chain[-1]))
    top = make("Top")
    child = make("Child", top)
    refused = as_admin.post(f"{CATEGORIES}{chain[-1]}/merge/", json={"uuids": [top]})
    assert outcome(refused) == (422, "invalid_fields")
    assert refused.json["detail"] == "At most 20 terms can be above a term; move the term up."
    assert get_parent(as_admin, child) == top
    for into in (chain[-2], chain[0]):
        merged = as_admin.post(f"{CATEGORIES}{into}/merge/", json={"uuids": [top]})
        assert merged.status_code == 200, merged.json
        assert get_parent(as_admin, child) == into
        top = into
    assert as_admin.patch(f"{CATEGORIES}{chain[-1]}/", json={"name": "Last"}).status_code == 200


def get_breadcrumbs(client, path):
    head = client.get(f"{path}?fields=head").json["head"]
    (found,) = [node for node in head["json_ld"]["@graph"] if node["@type"] == "BreadcrumbList"]
    return [(item["name"], item.get("item")) for item in found["itemListElement"]]


def test_heads_show_the_parents_as_breadcrumbs(as_admin, as_reader, articles, tree, set_site):
    set_site(url="https://blog.example", title="Crumbs")
    home = [("Crumbs", "https://blog.example/")]
    path = [(name, f"https://blog.example/category/{name.lower()}/") for name in ("Food", "Bread", "Rye")]
    assert get_breadcrumbs(as_reader, f"{CATEGORIES}{tree['rye']}/") == [*home, *path]
    shown = get_breadcrumbs(as_reader, f"{ARTICLES}published-rye-0/")
    assert shown[:-1] == [*home, *path]
    as_admin.patch(f"{CATEGORIES}{tree['food']}/", json={"name": "Meals"})
    assert get_breadcrumbs(as_reader, f"{ARTICLES}published-rye-0/")[1][0] == "Meals"


def test_shared_caches_know_that_a_head_shows_the_parents(app, as_reader, articles, tree):
    article = as_reader.get(f"{ARTICLES}published-rye-0/?fields=uuid").json["uuid"]
    with app.test_request_context():
        shown = routes.find_shown_content(UUID(article), ("head",)).items
        assert {str(uuid) for uuid in shown["category"]} == {tree[name] for name in ("food", "bread", "rye")}
        assert len(routes.find_shown_content(UUID(article), ("title",)).items["category"]) == 1
