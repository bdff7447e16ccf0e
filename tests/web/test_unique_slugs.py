"""Existing slugs that are similar to a new slug are found through the index."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import select, text

from blogapi.articles import queries
from blogapi.articles.models import Article, FormerSlug
from blogapi.categories.models import Category
from blogapi.storage.database import db
from blogapi.tags.models import Tag
from blogapi.web.unique_slugs import is_similar, similar_slug_range


@pytest.fixture
def find(app, make_article):
    """Creates articles with the given slugs, and returns the slugs that are similar to the first argument."""

    def find(slug, *slugs):
        for other in slugs:
            make_article(slug=other)
        with app.app_context():
            return queries.find_similar_slugs(slug, exclude=uuid4())

    return find


def test_only_slugs_that_are_equal_or_continue_with_a_hyphen_are_similar(find):
    others = ("breads", "brea", "bread2", "bread面包", "old-bread")
    assert find("bread", "bread", "bread-2", "bread-of-rye", "bread-面包", *others) == {
        *("bread", "bread-2", "bread-of-rye", "bread-面包")
    }


def test_similar_slugs_in_other_scripts_are_found(find):
    assert find("面包", "面包", "面包-2", "面", "面包机") == {"面包", "面包-2"}


@pytest.mark.sqlite("PostgreSQL has an index in the order of its locale")
@pytest.mark.parametrize("model", [Article, FormerSlug, Category, Tag])
def test_the_search_for_similar_slugs_uses_the_index(app, model):
    with app.app_context():
        statement = select(model.slug).where(is_similar(model.slug)).params(similar_slug_range("bread"))
        sql = statement.compile(db.engine, compile_kwargs={"literal_binds": True})
        plan = [row.detail for row in db.session.execute(text(f"EXPLAIN QUERY PLAN {sql}"))]
    assert [line for line in plan if line.startswith("SCAN")] == []
