"""`previous`, `next` and `related` of a single article show public articles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi.content.articles.responses import neighbours
from tests.conftest import ARTICLES

FIELDS = "?fields=previous,next,related"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)
HIDDEN = [
    {"status": "draft", "published_at": "2026-01-02T00:00:00Z"},
    {"status": "draft"},
    {"status": "archived", "published_at": "2026-01-02T00:00:00Z"},
    {"published_at": "2999-01-01T00:00:00Z"},
]


def day(number):
    return f"2026-01-{number:02}T00:00:00.000000+00:00"


def path_of(article):
    return f"{ARTICLES}{article.uuid}/"


def link(article):
    return {
        "uuid": str(article.uuid),
        "title": article.title,
        "slug": article.slug,
        "published_at": article.published_at.isoformat(timespec="microseconds"),
        "cover_image": article.cover_image,
        "cover": None,
    }


@pytest.fixture
def titles(as_reader):
    """Returns the titles in these fields of an article."""

    def read(article, client=as_reader):
        shown = client.get(path_of(article) + FIELDS).json
        neighbours = (shown[name] and shown[name]["title"] for name in ("previous", "next"))
        return (*neighbours, [other["title"] for other in shown["related"]])

    return read


def test_neighbours_are_links_in_the_order_of_publication(as_reader, make_article):
    first, second, third = (
        make_article(title=title, published_at=day(number), cover_image=f"/{number}.png")
        for number, title in enumerate("ABC", 1)
    )
    shown = [as_reader.get(f"{path_of(one)}?fields=next,previous").json for one in (first, second, third)]
    assert shown == [
        {"previous": None, "next": link(second)},
        {"previous": link(first), "next": link(third)},
        {"previous": link(second), "next": None},
    ]
    assert as_reader.get(f"{path_of(second)}?fields=next").json == {"next": link(third)}


def test_neighbours_follow_the_order_of_the_list_if_times_are_equal(as_reader, make_article):
    for number in (1, 1, 1, 2, 2):
        make_article(published_at=day(number))
    newest_first = [article["uuid"] for article in as_reader.get(f"{ARTICLES}?fields=uuid").json]
    for index, uuid in enumerate(newest_first):
        shown = as_reader.get(f"{ARTICLES}{uuid}/{FIELDS}").json
        assert (shown["next"] or {}).get("uuid") == (newest_first[index - 1] if index else None)
        assert (shown["previous"] or {}).get("uuid") == next(iter(newest_first[index + 1 :]), None)


def test_related_articles_have_common_tags_or_the_same_category(
    make_article, make_category, make_tag, titles
):
    a, b, c = (make_tag(name) for name in "abc")
    here, there = make_category(), make_category()
    article = make_article(here, (a, b, c), title="Own", published_at=day(20))
    make_article(there, (a, b), title="two", published_at=day(1))
    make_article(there, (a,), title="one old", published_at=day(2))
    make_article(there, (c,), title="one new", published_at=day(3))
    make_article(here, (b,), title="one and category", published_at=day(1))
    make_article(here, title="category", published_at=day(4))
    make_article(there, title="unrelated", published_at=day(30))
    assert titles(article)[2] == ["two", "one and category", "one new", "one old", "category"]


def test_at_most_five_related_articles_are_shown_the_newest_first(make_article, make_tag, titles):
    tag = make_tag()
    for number in range(1, 9):
        make_article(tags=(tag,), title=str(number), published_at=day(number))
    own = make_article(tags=(tag,), published_at=day(1))
    assert titles(own)[2] == list("87654")


def test_an_article_without_tags_and_alone_in_its_category_has_no_related_ones(
    make_article, make_category, titles
):
    make_article(title="Other", published_at=day(1))
    own = make_article(make_category(), published_at=day(2))
    assert titles(own) == ("Other", None, [])


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("caller", ["as_reader", "as_member", "as_published_admin", "as_admin", "as_login"])
def test_articles_that_are_not_public_are_never_shown(
    request, make_article, make_tag, titles, hidden, caller
):
    tag = make_tag()
    article = make_article(tags=(tag,), title="Own", published_at=day(1))
    path, client = path_of(article) + FIELDS, request.getfixturevalue(caller)
    before = client.get(path)
    other = make_article(tags=(tag,), **hidden)
    after = client.get(path)
    assert (after.data, after.headers["ETag"]) == (before.data, before.headers["ETag"])
    assert after.json == {"previous": None, "next": None, "related": []}
    if caller in ("as_reader", "as_member", "as_published_admin"):
        assert client.get(path_of(other) + FIELDS).status_code == 404


@pytest.mark.parametrize(
    ("hidden", "expected"),
    [*zip(HIDDEN, [("A", "B"), (None, None), ("A", "B"), ("B", None)], strict=True)],
)
def test_an_admin_sees_the_public_neighbours_of_an_article_that_is_not_public(
    as_admin, as_stranger, make_article, titles, hidden, expected
):
    make_article(title="A", published_at=day(1))
    make_article(title="B", published_at=day(3))
    article = make_article(title="Own", **hidden)
    assert titles(article, as_admin) == (*expected, ["B", "A"])
    preview = as_admin.post(f"{path_of(article)}preview/").json["api_url"]
    assert as_stranger.get(preview + FIELDS).json == as_admin.get(path_of(article) + FIELDS).json


def test_a_scheduled_article_appears_when_it_is_due(as_reader, make_article, make_tag, titles, set_clock):
    tag = make_tag()
    article = make_article(tags=(tag,), title="Own")
    make_article(tags=(tag,), title="Later", published_at=(NOW + DAY).isoformat())
    etags = []
    for time, expected in (
        (NOW + DAY - timedelta(microseconds=1), (None, None, [])),
        (NOW + DAY, (None, "Later", ["Later"])),
    ):
        set_clock(time)
        assert titles(article) == expected
        etags.append(as_reader.get(path_of(article) + FIELDS).headers["ETag"])
    assert etags[0] != etags[1]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "New"},
        {"slug": "new"},
        {"cover_image": "/new.png"},
        {"status": "draft"},
        {"status": "archived"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["previous", "next", "related"])
def test_the_etag_changes_with_an_article_that_is_shown(as_reader, as_admin, make_article, change, name):
    article = make_article(published_at=day(2))
    other = make_article(published_at=day(3 if name == "next" else 1))
    path = f"{path_of(article)}?fields={name}"
    before = as_reader.get(path)
    assert before.json[name]
    assert as_reader.get(path, headers={"If-None-Match": before.headers["ETag"]}).status_code == 304
    assert as_admin.patch(path_of(other), json=change).status_code == 200
    after = as_reader.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200 and after.json != before.json


def test_a_change_of_tags_changes_the_related_articles(
    as_reader, as_admin, make_article, make_category, make_tag
):
    tag = make_tag()
    article = make_article(make_category(), (tag,), title="Own", published_at=day(1))
    other = make_article(make_category(), published_at=day(2))
    path = f"{path_of(article)}?fields=related"
    before = as_reader.get(path)
    as_admin.patch(path_of(other), json={"tags": [{"uuid": str(tag.uuid)}]})
    after = as_reader.get(path)
    assert (before.json["related"], len(after.json["related"])) == ([], 1)
    assert before.headers["ETag"] != after.headers["ETag"]
    as_admin.delete(f"/api/v1/blog/tags/{tag.uuid}/")
    assert as_reader.get(path).data == before.data


@pytest.mark.parametrize("name", neighbours.NEIGHBOUR_FIELDS)
@pytest.mark.parametrize("path", [ARTICLES, f"{ARTICLES}author/me/"])
def test_a_list_refuses_these_fields_with_a_hint(as_admin, path, name):
    response = as_admin.get(f"{path}?fields=title,{name}")
    assert response.status_code == 400
    assert "is not a field of a list" in response.json["errors"]["fields"][0]


@pytest.mark.parametrize("number", [1, 40])
def test_the_number_of_statements_is_fixed(as_reader, make_article, make_tag, record_statements, number):
    tags = tuple(make_tag() for _ in range(5))
    for _ in range(number):
        article = make_article(tags=tags)
    as_reader.get(path_of(article))
    counts = []
    for names in ("title", "previous,next", "related", "previous,related"):
        with record_statements() as statements:
            assert as_reader.get(f"{path_of(article)}?fields={names}").status_code == 200
        counts.append(len(statements))
    assert all(count - counts[0] <= 6 for count in counts)
