"""After any reads and writes, a cached response equals the response that the application would compute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import update
from werkzeug.test import create_environ

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.content.articles import queries as article_queries
from blogapi.content.articles import service as article_service
from blogapi.content.articles.models import Article
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.taxonomies import authors
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies.authors import AUTHORS as AUTHORS_DEFINITION
from blogapi.storage.database import table_of
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS, People
from tests.databases import SERVER_URL, other_connection, write_from_other_process
from tests.delivery.response_cache.cached_blog import add_cache, call, create_deleted_key
from tests.delivery.response_cache.conftest import ME, create_article

pytestmark = pytest.mark.slow

FRONT, EVIL = "https://front.example", "https://evil.example"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

# A header with this value gets the ETag of the last response instead.
LAST_ETAG = "the last"

CALLERS = [
    *("stranger", "wrong key", "anonymous key", "member", "reading admin", "writing admin", "other admin"),
    *("replaced key", "login"),
]
QUERIES = [
    *("page=1&page_size=2", "page_size=2&page=1", "fields=title", "fields=uuid,status", "q=article"),
    *("author=grace", "fields=title,authors"),
    *("fields=uuid,articles_count", "fields=previous,next,related"),
    *("page=0", "x=1", "status=draft", "ordering=title", "page=2"),
]
HEADERS = [
    *({}, {"Origin": FRONT}, {"Origin": EVIL}, {"If-None-Match": LAST_ETAG}, {"If-None-Match": "*"}),
    *({"If-None-Match": '"x"', "Origin": FRONT}, {"If-Match": '"x"'}, {"Accept": "text/html"}),
    *({"If-Modified-Since": "Tue, 01 Jan 2030 12:00:00 GMT"}, {"Range": "bytes=0-1"}, {"Cookie": "a=b"}),
    *({"Host": "other.example"}, {"Idempotency-Key": "a"}),
]
WRITES = [
    *("publish", "schedule", "unpublish", "retitle", "delete", "tag", "category", "role", "key", "wait"),
    *("draft", "reschedule", "author", "byline"),
    # On PostgreSQL, the caches do not notice the writes of other programs; the guide says so.
    *(() if SERVER_URL else ("foreign", "draft and foreign")),
]
READ = st.tuples(
    st.lists(st.sampled_from(CALLERS), min_size=1, max_size=3, unique=True),
    st.integers(0, 16),
    st.sampled_from(["GET", "GET", "GET", "HEAD"]),
    st.just("") | st.sampled_from(QUERIES),
    st.lists(st.sampled_from(HEADERS), min_size=1, max_size=3),
    st.sampled_from([None] * 9 + [b"{}"]),
)
WRITE = st.tuples(st.sampled_from(WRITES), st.integers(0, 40))


class Blog:
    """A blog and its callers. Each request is sent through the cache and directly to the application."""

    def __init__(self, app, set_clock, monkeypatch):
        self.app, self.set_clock, self.now = app, set_clock, NOON
        set_clock(NOON)
        self.people = people = People(app)
        self.cached, self.uncached = add_cache(app, monkeypatch), partial(Flask.wsgi_app, app)
        self.reads = self.number = 0
        with app.app_context():
            admin = people.admin.uuid
            self.category = taxonomies.create_term(
                categories_definition.CATEGORIES, admin, {"name": "Shelf"}
            ).uuid
            self.author = authors.find_profile(people.other_admin.uuid).uuid
            self.tag = taxonomies.create_term(tags_definition.TAGS, admin, {"name": "tag"}).uuid
        self.cookie = self.log_in()
        self.keys = {
            "wrong key": create_deleted_key(app),
            "anonymous key": people.key(None),
            "member": people.key(people.member, "write"),
            "reading admin": people.key(people.admin),
            "writing admin": people.key(people.admin, "write"),
            "other admin": people.key(people.other_admin, "write"),
            "replaced key": people.key(people.admin, "write"),
        }
        self.replaced_key_uuid = UUID(people.uuid(self.keys["replaced key"]))
        self.articles, self.last_read = [], None
        with app.app_context():
            self.draft = create_article(people, self.category, title="Draft", status="draft").uuid
        self.etag = '"none"'
        for _ in range(3):
            self.write("publish", 0)

    def log_in(self):
        with self.app.app_context():
            token = users.start_login(self.people.admin, lifetime=timedelta(days=3650))
        client = self.app.test_client()
        with client.session_transaction() as session:
            session["token"] = token
        return client.get_cookie("blogapi_session").value

    @property
    def hits(self):
        return self.reads - len(self.cached.application.paths)

    def list_paths(self):
        articles = [f"{ARTICLES}{uuid}/" for uuid in self.articles[-3:]]
        return [
            *(ARTICLES, f"{ARTICLES}author/me/", CATEGORIES, TAGS, f"{CATEGORIES}{self.category}/"),
            *(f"{TAGS}{self.tag}/", KEYS, ME, "/api/v1/blog/changes/", "/nowhere", TAGS[:-1], *articles),
            *(f"{ARTICLES}{self.draft}/", AUTHORS, f"{AUTHORS}{self.author}/"),
        ]

    def read(self, callers, path_index, method, query, variants, body=None):
        """Send the request as each caller three times; the cache must not change any response."""
        self.last_read = (callers, path_index, method, query, variants)
        paths, etag = self.list_paths(), self.etag
        for caller, variant in [*product(callers, variants)] * 3:
            headers = {name: etag if value == LAST_ETAG else value for name, value in variant.items()}
            if caller == "login":
                headers["Cookie"] = f"blogapi_session={self.cookie}"
            elif caller in self.keys:
                headers["X-API-KEY"] = self.keys[caller]
            environ = create_environ(
                paths[path_index % len(paths)], query_string=query, method=method, headers=headers, data=body
            )
            self.reads += 1
            cached, computed = call(self.cached.middleware, environ), call(self.uncached, environ)
            assert cached == computed
            assert not computed[0].startswith("5")
            self.etag = dict(computed[1]).get("ETag", self.etag)

    def write(self, kind, number):
        with self.app.app_context():
            self._write(kind, number)
        if self.last_read:
            self.read(*self.last_read)

    def _write(self, kind, number):
        article = self.articles[number % len(self.articles)] if self.articles else None
        self.number += 1
        if kind == "publish":
            self._publish()
        elif kind == "schedule":
            self._publish(minutes_ahead=1 + number)
        elif kind == "unpublish":
            if article_queries.get_article(article).status == "published":
                self._change(article, status="draft")
        elif kind == "retitle":
            self._change(article, title=f"Title {self.number}")
        elif kind == "delete":
            if len(self.articles) > 3:
                article_service.delete_item(self.people.admin.uuid, article)
                self.articles.remove(article)
        elif kind == "tag":
            taxonomies.change_term(tags_definition.TAGS, self.tag, {"name": f"tag {self.number}"})
        elif kind == "author":
            taxonomies.change_term(AUTHORS_DEFINITION, self.author, {"name": f"author {self.number}"})
        elif kind == "byline":
            slugs = [["ada"], ["grace"], ["mel", "grace"]][number % 3]
            self._change(article, authors=[{"slug": slug} for slug in slugs])
        elif kind == "category":
            name = f"category {self.number}"
            taxonomies.change_term(categories_definition.CATEGORIES, self.category, {"name": name})
        elif kind == "role":
            role = ["reader", "admin"][number % 2]
            write_from_other_process(
                self.app, "UPDATE account SET role = :role WHERE username = 'mel'", role=role
            )
        elif kind == "key":
            self._replace_key(number)
        elif kind == "reschedule":
            if article_queries.get_article(article).status == "published":
                published_at = (self.now + (number - 20) * MINUTE).isoformat()
                self._change(article, published_at=published_at, status="published")
        elif kind in ("draft", "foreign", "draft and foreign"):
            if kind != "foreign":
                self._change(self.draft, title=f"Draft {self.number}")
            if kind != "draft":
                self._write_from_other_program(article)
        else:
            self.now += number * MINUTE
            self.set_clock(self.now)

    def _publish(self, *, minutes_ahead=0):
        fields = {
            "title": f"Article {self.number}",
            "status": "scheduled" if minutes_ahead else "published",
            "published_at": (self.now + minutes_ahead * MINUTE).isoformat(),
            "tags": [{"uuid": str(self.tag)}],
            "authors": [{"slug": "grace" if self.number % 3 == 2 else "ada"}],
        }
        self.articles.append(create_article(self.people, self.category, **fields).uuid)

    def _change(self, article, **fields):
        article_service.change_article_in_transaction(
            self.people.admin.uuid, article, ArticleBodySchema(partial=True).load(fields)
        )

    def _write_from_other_program(self, article):
        """Change the ETag of the article, if it is published, but not the commit counter."""
        row = (Article.uuid == article) & (Article.status == "published")
        with other_connection(self.app) as connection:
            connection.execute(update(table_of(Article)).where(row).values(version=10_000 + self.number))

    def _replace_key(self, number):
        api_keys.delete_key_unchecked(self.replaced_key_uuid)
        owner = [self.people.admin.uuid, None][number % 2]
        scope = ["read", "published"][number % 2]
        expires = self.now + number * MINUTE if number % 3 else None
        key = api_keys.issue_key(owner, scope, expires=expires)
        self.keys["replaced key"], self.replaced_key_uuid = key.value, key.uuid


def test_a_cached_response_equals_a_computed_one(make_app, set_clock, monkeypatch):
    blog = Blog(make_app(CORS_ORIGINS=[FRONT, "https://second.example"]), set_clock, monkeypatch)

    # The result of an example depends on the earlier examples, so examples cannot be shrunk.
    @settings(max_examples=3, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.lists(READ | WRITE, min_size=10, max_size=20))
    def try_random_reads_and_writes(steps):
        for step in steps:
            (blog.write if len(step) == 2 else blog.read)(*step)

    # These requests and writes are tried in every run.
    for path_index in (0, 1, 4, 13):
        blog.read(CALLERS, path_index, "GET", "", [{}, {"Origin": FRONT}, {"Origin": EVIL}])
    for kind in WRITES:
        blog.write(kind, 1)
    blog.read(CALLERS[2:6], 0, "GET", "", [{}, {"If-None-Match": LAST_ETAG}, {"Host": "other.example"}])
    blog.read(CALLERS[2:6], 0, "GET", "page=1&page_size=1", [{}])
    try_random_reads_and_writes()
    assert blog.hits > blog.reads / 10
