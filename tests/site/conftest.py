"""Fixtures: a site with addresses, and an article with authors."""

from __future__ import annotations

import pytest

from blogapi.content.articles.models import ArticleAuthor
from blogapi.content.articles.writing import repeated_columns as links
from blogapi.content.taxonomies.authors import Author
from blogapi.site import queries
from blogapi.storage.database import db, transaction


@pytest.fixture
def set_site(app):
    """Sets fields of the site."""

    def set_fields(**fields):
        with app.app_context(), transaction():
            site = queries.get_site()
            for name, value in fields.items():
                setattr(site, name, value)

    return set_fields


@pytest.fixture
def add_author(app):
    """Adds a guest author to an article."""

    def add(article, name, position=0, **fields):
        with app.app_context(), transaction():
            author = Author(name=name, slug=name.lower().replace(" ", "-"), **fields)
            db.session.add(author)
            db.session.flush()
            link = ArticleAuthor(article_id=article.uuid, author_id=author.uuid, position=position)
            db.session.add(link)
            db.session.flush()
            links.repair_differing_rows()
            return author.uuid

    return add


@pytest.fixture
def without_authors(app):
    """Removes the authors of an article."""

    def remove(article):
        with app.app_context(), transaction():
            db.session.query(ArticleAuthor).where(ArticleAuthor.article_id == article.uuid).delete()

    return remove


@pytest.fixture
def rye(make_article, make_category, make_tag, without_authors):
    """An article with a category and two tags, and without authors."""
    article = make_article(
        title="Rye",
        subtitle="A dark loaf",
        cover_image="/rye.jpg",
        content="<p>Flour and water.</p>",
        category=make_category(name="Kitchen"),
        tags=(make_tag("slow food"), make_tag("bread")),
    )
    without_authors(article)
    return article
