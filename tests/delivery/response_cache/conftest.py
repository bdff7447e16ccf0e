"""Fixtures: a blog behind an empty response cache."""

from __future__ import annotations

import pytest

from blogapi.content.articles import service as article_service
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import service as taxonomies
from blogapi.storage.database import transaction
from tests.conftest import People
from tests.delivery.response_cache.cached_blog import add_cache

ME = "/api/v1/auth/me/"


@pytest.fixture
def cached_blog(app, monkeypatch):
    """The blog of the test behind an empty cache."""
    return add_cache(app, monkeypatch)


@pytest.fixture
def get_counted(record_statements):
    """Sends a request; returns the response and the number of SQL statements that were executed."""

    def send(client, path, method="GET", **options):
        with record_statements() as seen:
            response = client.open(path, method=method, **options)
            assert response.data is not None
        return response, len(seen)

    return send


@pytest.fixture
def make_long_list(make_app, monkeypatch):
    """Makes a blog whose article list is streamed in three chunks, and a cache for responses up to 128 kB."""

    def make(content_length):
        monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 4)
        app = make_app(CACHE_MEGABYTES=1)
        people = People(app)
        with app.app_context(), transaction():
            category = taxonomies.create_term(
                categories_definition.CATEGORIES, people.admin.uuid, {"name": "Shelf"}
            )
            for number in range(10):
                fields = {"title": f"Article {number}", "content": "x" * content_length}
                create_article(people, category.uuid, **fields)
        key = people.key(None)
        blog = add_cache(app, monkeypatch)
        blog.get(ME, key)
        blog.application.paths.clear()
        return blog, key

    return make


def create_article(people, category_uuid, **fields):
    defaults = {"status": "published", "published_at": "2026-01-01T00:00:00Z"}
    category = {"category": {"uuid": str(category_uuid)}}
    return article_service.create_article_in_transaction(
        people.admin.uuid, ArticleBodySchema().load(defaults | category | fields)
    )
