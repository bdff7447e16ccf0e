"""A search finds only articles that the caller may see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES
from tests.content.search.conftest import OWN, day

HIDDEN = [
    {"status": "draft"},
    {"status": "archived", "published_at": "2020-01-01T00:00:00Z"},
    {"status": "draft", "published_at": "2020-01-01T00:00:00Z"},
    {"published_at": "2999-01-01T00:00:00Z"},
]

# Periods that contain the time of the scheduled article, and one that begins and one that ends at that time.
PERIODS = [
    *("&published_before=3000-01-01", "&published_after=2000-01-01", "&published_after=2999-01-01"),
    *(
        "&published_before=2999-01-01T00:00:00.000001Z",
        "&published_after=2000-01-01&published_before=3000-01-01",
    ),
]


@pytest.mark.parametrize("caller", ["as_reader", "as_member", "as_admin"])
def test_a_search_of_the_public_list_never_finds_hidden_articles(request, make_article, caller):
    client = request.getfixturevalue(caller)
    for fields in HIDDEN:
        make_article(title="Secret", content="secret", **fields)
    filters = ("", *PERIODS, "&slug=secret", "&category=shelf", f"&tag=x{PERIODS[-1]}")
    for more in (a + b for a in filters for b in ("", "&ordering=title", "&page=1", "&fields=title,snippet")):
        response = client.get(f"{ARTICLES}?q=secret{more}")
        assert (response.json, response.headers["X-Total-Count"]) == ([], "0")


def test_hidden_articles_do_not_change_the_results_of_a_reader(as_reader, make_article):
    for number in range(1, 9):
        make_article(
            title=f"{'bread ' * (number % 3)}{number}", content="bread rye", published_at=day(number)
        )
    paths = [
        f"{ARTICLES}?q={words}&fields=uuid,snippet{more}"
        for words in ("bread", "rye", "bread rye", "br")
        for more in ("", "&page=2&page_size=3", "&ordering=title", "&category=shelf")
    ]

    def shown():
        responses = [as_reader.get(path) for path in paths]
        return [(one.data, one.headers["X-Total-Count"], one.headers["ETag"]) for one in responses]

    before = shown()
    for fields in HIDDEN * 3:
        make_article(title="bread rye", subtitle="bread", content="rye " * 50, **fields)
    assert shown() == before


def test_a_scheduled_article_is_found_from_its_publication_time_on(find, snippet, make_article, set_clock):
    time = datetime(2027, 1, 1, tzinfo=UTC)
    make_article(title="Ahead", published_at=time.isoformat())
    set_clock(time - timedelta(microseconds=1))
    assert find("ahead") == find("ahead", ordering="title") == []
    set_clock(time)
    assert find("ahead") == find("ahead", ordering="title") == ["Ahead"]
    assert snippet("ahead") == "<mark>Ahead</mark>"


def test_an_unpublished_article_is_no_longer_found(find, as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='Bread').uuid}/"
    for status, found in (("draft", []), ("published", ["Bread"]), ("archived", [])):
        assert as_admin.patch(path, json={"status": status}).status_code == 200
        assert find("bread") == found


def test_own_articles_are_found_in_any_status(find, as_admin, people, make_article):
    make_article(title="Now bread", published_at=day(1))
    make_article(title="Draft bread", status="draft")
    make_article(title="Ahead bread", published_at="2999-01-01T00:00:00Z")
    make_article(title="Old bread", status="archived", published_at=day(2))
    make_article(title="Grace's bread", author=people.other_admin, status="draft")

    def own(**more):
        return find("bread", as_admin, OWN, **more)

    assert own()[:2] == ["Ahead bread", "Now bread"]
    assert (
        sorted(own())
        == sorted(own(ordering="title"))
        == ["Ahead bread", "Draft bread", "Now bread", "Old bread"]
    )
    assert own(status="draft") == own(status="draft", ordering="title") == ["Draft bread"]
    assert own(status="scheduled") == ["Ahead bread"]
    assert own(status="published") == ["Now bread"]
    assert [own(page=page, page_size=2) for page in (1, 2, 3)] == [own()[:2], own()[2:], []]


def test_many_articles_published_now_are_all_found(find, make_article, set_clock):
    time = datetime(2027, 1, 1, tzinfo=UTC)
    set_clock(time)
    for number in range(40):
        make_article(title=f"Bread {number}", published_at=time.isoformat())
    assert len(find("bread")) == 40


def test_many_articles_scheduled_for_the_same_time_are_not_found_before_that_time(
    find, as_reader, make_article, set_clock
):
    time = datetime(2027, 1, 1, tzinfo=UTC)
    for number in range(40):
        make_article(title=f"Bread {number}", published_at=time.isoformat())
    for before in (1, 2, 5, 100):
        set_clock(time - timedelta(microseconds=before))
        response = as_reader.get(ARTICLES + "?q=bread")
        assert (response.json, response.headers["X-Total-Count"]) == ([], "0")
    set_clock(time + timedelta(milliseconds=1))
    assert len(find("bread")) == 40
