"""Checks that the derived data of each article matches the article."""

from __future__ import annotations

from sqlalchemy import select, text

from blogapi import clock
from blogapi.content.articles import queries
from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import ArticleFieldsSchema, ArticleSchema
from blogapi.content.articles.writing import repeated_columns as links
from blogapi.content.articles.writing.derived_columns import make_search_text, render_articles
from blogapi.content.search import engines
from blogapi.content.search.models import SearchEntry
from blogapi.content.taxonomies.authors import Author
from blogapi.operations.doctor import event_checks
from blogapi.operations.doctor.findings import make_ok_finding
from blogapi.storage.database import db
from blogapi.web import json as web_json
from blogapi.web.fields import WithAttributes
from blogapi.web.pagination import PageRequest

SELECT_FROM = "SELECT {} FROM {}"
TABLES = (
    *("article", "article_stats", "article_tag", "article_author"),
    *("search_entry", "search_index"),
)


def expected_json(uuid, names=None):
    """Return the article as JSON, serialized by the schema."""
    db.session.remove()
    article = queries.get_article(uuid)
    if names is None:
        return web_json.to_json_bytes(ArticleSchema().dump(article))
    # The stored excerpt is that of the author.
    shown = ArticleFieldsSchema().dump(
        WithAttributes(article, excerpt=article.excerpt or article.generated_excerpt)
    )
    return web_json.to_json_bytes({name: value for name, value in shown.items() if name in names})


def rows(*tables):
    """Return all rows of each table."""
    found = {}
    for table in tables:
        # In SQLite, `*` does not include the row id of the search index, which is the article number.
        columns = f"{engines.get_engine(db.session()).number.name}, *" if table == "search_index" else "*"
        found[table] = sorted(map(repr, db.session.execute(text(SELECT_FROM.format(columns, table)))))
    db.session.rollback()
    return found


def check_index(articles):
    """Check that the search index contains the words of these articles, and no other words."""
    connection = db.session.connection()
    equal = engines.find_up_to_date_articles(
        connection, [make_search_text(one.article, one.plain_text) for one in render_articles(articles)]
    )
    assert equal == set(db.session.scalars(select(SearchEntry.article_id)))
    if connection.dialect.name == "sqlite":
        # FTS5 compares the index with the words that it contains.
        command = "INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)"
        connection.execute(text(command))


def check_stored_data():
    """Check that the derived columns, the search index and the links match the articles."""
    db.session.remove()
    articles = db.session.query(Article).all()
    assert not [one.article.slug for one in render_articles(articles) if one.differs_from_article()]
    known = db.session.scalars(select(SearchEntry.article_id)).all()
    assert sorted(known) == sorted(article.uuid for article in articles)
    numbers = db.session.scalars(select(SearchEntry.number)).all()
    assert sorted(numbers) == sorted(db.session.scalars(select(engines.get_engine(db.session()).number)))
    check_index(articles)
    assert links.count_differing_rows() == 0
    now = clock.now()
    visible = [one for one in articles if one.status == "published" and one.published_at <= now]
    assert article_bodies.list_published_items(page=PageRequest(1, 1)).total == len(visible)
    public_authors = {link.author_id for article in visible for link in article.author_links}
    assert public_authors == set(db.session.scalars(select(Author.uuid).where(match_public_authors())))
    for article in articles:
        assert article.author_links
        assert article_bodies.get_item_body(article.uuid).body == web_json.to_json_bytes(
            ArticleSchema().dump(article)
        )
    assert list(event_checks.run_checks()) == [
        make_ok_finding("events", "The events describe what readers can see.")
    ]
