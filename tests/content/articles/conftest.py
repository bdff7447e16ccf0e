"""Fixtures: request bodies for articles, and a blog with many articles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.content.articles import service
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.rendering import renderer
from blogapi.storage.database import WRITE_TRANSACTION_KEY, db, transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES, close_connections
from tests.databases import create_test_app

OWN = ARTICLES + "author/me/"
FUTURE = "2999-01-01T00:00:00Z"

# The large blog has this number of published articles, and one article that is scheduled for DUE.
NUMBER = article_bodies.CHUNK_SIZE + 3
DUE = datetime(2027, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def body(make_category, make_tag):
    """Makes request bodies for articles with one category and two tags."""
    category, tags = make_category(name="Kitchen"), (make_tag("bread"), make_tag("rye"))

    def make(**fields):
        return {
            "title": "Hello",
            "category": {"uuid": str(category.uuid)},
            "tags": [{"slug": tag.slug} for tag in tags],
        } | fields

    return make


@pytest.fixture
def write(as_admin, body):
    """Creates an article and returns the JSON of the response."""

    def write(**fields):
        response = as_admin.post(ARTICLES, json=body(**fields))
        assert response.status_code == 201, response.json
        return response.json

    return write


@dataclass(frozen=True)
class LargeBlog:
    """A blog with many published articles, a scheduled article and a draft, all with one category and tag."""

    copy: Any
    admin: str
    reader: str
    author: Any
    category: Any
    tag: Any
    ahead: Any


@pytest.fixture(scope="session")
def stored_blog(databases, tmp_path_factory):
    """The large blog, which is created only once per test session."""
    app = create_test_app(databases.create_current(tmp_path_factory.mktemp("large")))
    with app.app_context():
        with transaction():
            ada = users.create_user("ada", None, role=Role.ADMIN).uuid
            category = taxonomies.create_term(categories_definition.CATEGORIES, ada, {"name": "Shelf"}).uuid
            tag = taxonomies.create_term(tags_definition.TAGS, ada, {"name": "bread"}).uuid
            fields = {"category": {"slug": "shelf"}, "tags": [{"slug": "bread"}], "status": "published"}
            for number in range(NUMBER):
                # Groups of three articles have the same publication time.
                date = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=number // 3)
                body = fields | {"title": f'N {number} "}},{{" 面包', "published_at": date.isoformat()}
                service.create_article_in_transaction(ada, ArticleBodySchema().load(body))
            ahead = fields | {"title": "Ahead", "published_at": DUE.isoformat()}
            scheduled = service.create_article_in_transaction(ada, ArticleBodySchema().load(ahead)).uuid
            service.create_article_in_transaction(
                ada, ArticleBodySchema().load(fields | {"title": "Draft", "status": "draft"})
            )
        admin = api_keys.issue_key(ada, "write").value
        reader = api_keys.issue_key(None).value
    return LargeBlog(databases.save_copy(app), admin, reader, ada, category, tag, f"{ARTICLES}{scheduled}/")


@pytest.fixture
def large(app, databases, stored_blog, instance, set_clock):
    """Replaces the blog of the test with the large blog."""
    close_connections(app)
    databases.restore_copy(stored_blog.copy, instance)
    set_clock(NOW)
    return stored_blog


@pytest.fixture
def read(app, large):
    """Sends requests as a reader. To save time, responses are not checked against the OpenAPI document."""
    client = FlaskClient(app, app.response_class)

    def send(path, key=large.reader, method="GET", **headers):
        return client.open(path, method=method, headers={"X-API-KEY": key} | headers, buffered=True)

    return send


@pytest.fixture
def admin(app, large, make_client):
    """A client with a write key of Ada, the admin of the large blog."""
    return make_client(app, large.admin)


@pytest.fixture
def contents_rendered(monkeypatch):
    """The contents that are rendered."""
    found = []
    render = renderer.render_text

    def record(content, content_type):
        found.append(content)
        return render(content, content_type)

    monkeypatch.setattr(renderer, "render_text", record)
    return found


@pytest.fixture
def contents_rendered_in_writes(monkeypatch):
    """The contents that are rendered while the write lock is held."""
    found = []
    render = renderer.render_text

    def record(content, content_type):
        if WRITE_TRANSACTION_KEY in db.session().info:
            found.append(content)
        return render(content, content_type)

    monkeypatch.setattr(renderer, "render_text", record)
    return found
