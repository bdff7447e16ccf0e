"""Slugs that are in use are found, whatever their script; a new slug gets the first free number."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.content.articles import queries
from blogapi.web.unique_slugs import find_free_slug
from tests.conftest import ARTICLES


@pytest.fixture
def find(app, make_article):
    """Creates articles with the given slugs, and returns those of the wanted slugs that are taken."""

    def find(wanted, *slugs):
        for other in slugs:
            make_article(slug=other)
        with app.app_context():
            return queries.find_taken_slugs(wanted, exclude=uuid4())

    return find


def test_only_equal_slugs_are_taken(find):
    others = ("breads", "brea", "bread2", "bread-of-rye", "bread面包", "old-bread", "面", "面包机")
    wanted = ["bread", "bread-2", "bread-3", "面包", "面包-2"]
    assert find(wanted, "bread", "bread-2", "面包-2", *others) == {"bread", "bread-2", "面包-2"}


def test_the_slugs_that_an_article_has_and_had_are_free_for_this_article(app, as_admin, make_article):
    article = make_article(slug="old", status="published")
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "new"}).status_code == 200
    with app.app_context():
        assert queries.find_taken_slugs(["old", "new"], exclude=uuid4()) == {"old", "new"}
        assert queries.find_taken_slugs(["old", "new"], exclude=article.uuid) == set()


def test_a_free_slug_is_kept_and_a_taken_slug_gets_the_first_free_number():
    for taken, free in (((), "a"), (("a",), "a-2"), (("a", "a-2", "a-4"), "a-3")):
        assert find_free_slug("a", set(taken).intersection, {"x"}.__contains__) == free


def test_a_reserved_slug_gets_a_number_too():
    assert find_free_slug("a", {"a-2"}.intersection, {"a", "a-3"}.__contains__) == "a-4"


@settings(deadline=None)
@given(st.sets(st.integers(1, 20)))
def test_the_first_free_slug_is_never_a_taken_one(numbers):
    taken = {"a" if number == 1 else f"a-{number}" for number in numbers}
    assert find_free_slug("a", taken.intersection, {"x"}.__contains__) not in taken


def test_a_free_number_is_found_among_many_taken_ones_in_few_lookups():
    taken, lookups = {"a", *(f"a-{number}" for number in range(2, 10_000))}, []

    def find_taken(slugs):
        lookups.append(slugs)
        return taken.intersection(slugs)

    assert find_free_slug("a", find_taken, {"x"}.__contains__) == "a-10000"
    assert len(lookups) < 30
