"""No paged list of a large blog reads all articles, with and without statistics of the database."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, insert

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.content.articles.lists.query_schemas import ORDERINGS
from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag, FormerSlug
from blogapi.content.taxonomies import authors
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.publication.visibility import API_STATUSES
from blogapi.storage.database import db, table_of, transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES, close_connections
from tests.databases import SERVER_URL, create_test_app, other_connection

NUMBER = 10_000
NEWEST = datetime(2026, 1, 1, tzinfo=UTC)
# A page may be read in the order of an index.
FULL_SCAN = re.compile(r"SCAN article$|Seq Scan on article\b")
# The index of the pages contains no articles.
ANY_SCAN = re.compile(r"SCAN article\b(?! USING INDEX ix_article_page)|Seq Scan on article\b")
UUIDS = "&".join(f"uuid={UUID(int=number)}" for number in range(1, 101))
QUERIES = (
    *(f"ordering={ordering}" for ordering in ORDERINGS),
    *(
        f"status={status}&ordering={ordering}"
        for status in ("any", *API_STATUSES)
        for ordering in ORDERINGS
        if (status, ordering) != ("any", "-featured")
    ),
    *(f"featured={value}&ordering={ordering}" for value in ("true", "false") for ordering in ORDERINGS[:2]),
    "status=published&featured=true",
    *(
        "category=category-0",
        "category=category-0&category=category-1",
        "tag=tag-0",
        "status=published&tag=tag-0",
        "author=ada",
        "category=category-0&tag=tag-0",
        "working_copy=true",
    ),
    *("tag=tag-0&ordering=published_at", "author=ada&tag=tag-0", "published_after=2025-12-31"),
    *(
        f"{filters}{rest}"
        for filters in (
            *("tags_all=tag-0&tags_all=tag-1", "not_tag=tag-0", "not_category=category-0"),
            *("not_category=category-0&not_tag=tag-0", "tag=tag-0&not_tag=tag-1", "tag=tag-0&tags_all=tag-1"),
            *("updated_after=2025-12-31", UUIDS, f"{UUIDS}&tag=tag-0", f"{UUIDS}&category=category-0"),
        )
        for rest in ("", "&status=any", "&ordering=title", "&ordering=-last_updated")
    ),
)
# In these lists, the articles of a status are sorted that has few of them, or those that a filter finds.
SORTED = {
    *(query for query in QUERIES if re.match("uuid|updated_after|tags_all|tag=tag-0&|not_", query)),
    "working_copy=true",
    *(f"status=scheduled&ordering={ordering}" for ordering in ORDERINGS),
    *(
        f"status={status}&ordering={sign}published_at"
        for status in ("draft", "unlisted", "archived")
        for sign in ("", "-")
    ),
}


def fill():
    """Create the articles and return a key of an admin."""
    ada = users.create_user("ada", None, role=Role.ADMIN).uuid
    profile = authors.get_or_create_profile(ada).uuid
    terms = [
        [taxonomies.create_term(taxonomy, ada, {"name": f"{name} {number}"}).uuid for number in range(5)]
        for name, taxonomy in (("Category", CATEGORIES), ("Tag", TAGS))
    ]
    rows = {model: [] for model in (Article, ArticleTag, ArticleAuthor, FormerSlug)}
    for number in range(NUMBER):
        uuid, date = UUID(int=number * 7919 % NUMBER + 1), NEWEST - timedelta(minutes=number)
        category, tag = (uuids[number // place % 5] for uuids, place in zip(terms, (1, 5), strict=True))
        status = {0: "draft", 1: "archived"}.get(number % 100, "published")
        times = {"published_at": date, "created": date, "last_updated": date}
        link = {"article_id": uuid, "position": 0, "listed_from": date if status == "published" else None}
        rows[Article].append(
            {"uuid": uuid, "author_id": ada, "editor_id": ada, "category_id": category, "status": status}
            | {"title": f"Title {number % 977}", "slug": f"slug-{number}", "content": "x" * 1_500, **times}
        )
        rows[ArticleTag].append({**link, "tag_id": tag, "category_id": category})
        rows[ArticleAuthor].append({**link, "author_id": profile})
        if number % 20 == 5:
            rows[FormerSlug].append({"slug": f"former-{number}", "article_id": uuid, "created": date})
    for model, values in rows.items():
        db.session.execute(insert(table_of(model)), values)
    return api_keys.issue_key(ada, "write").value


@pytest.fixture(scope="module")
def many(databases, tmp_path_factory):
    """A blog with many articles, as an application and a key of an admin."""
    app = create_test_app(databases.create_current(tmp_path_factory.mktemp("many")))
    with app.app_context(), transaction():
        key = fill()
    yield app, key
    close_connections(app)


WITHOUT = pytest.param(
    "without statistics",
    marks=(pytest.mark.slow, pytest.mark.sqlite("PostgreSQL collects statistics itself")),
)


@pytest.fixture(params=[WITHOUT, "with statistics"])
def explain_read(request, many):
    """Returns a function that reads a path; it returns the length of the list, and the plans by statement.

    With a body, it sends a POST.
    """
    app, key = many
    if request.param == "with statistics":
        with other_connection(app) as connection:
            connection.exec_driver_sql("VACUUM ANALYZE" if SERVER_URL else "ANALYZE")
        close_connections(app)
    client = FlaskClient(app, app.response_class)

    def explain(path, body=None):
        executed = []

        def note(connection, cursor, sql, parameters, *_):
            executed.append((sql, parameters))

        with app.app_context():
            engine = db.engine
            event.listen(engine, "before_cursor_execute", note)
            # A new ETag, because a response from the cache executes no statement.
            new = {} if body else {"If-None-Match": f'"{uuid4()}"'}
            answer = (client.post if body else client.get)(path, headers={"X-API-KEY": key} | new, json=body)
            event.remove(engine, "before_cursor_execute", note)
            assert answer.status_code in (200, 201, 401, 403, 404, 409), (path, answer.text)
            verb = "EXPLAIN" if SERVER_URL else "EXPLAIN QUERY PLAN"
            total = int(answer.headers.get("X-Total-Count", 0))
            with engine.connect() as connection:
                return total, [
                    (sql, [str(row[-1]) for row in connection.exec_driver_sql(f"{verb} {sql}", parameters)])
                    for sql, parameters in executed
                    if sql.startswith("SELECT")
                ]

    return explain


def check(path, plans):
    """Check that the statements read a part of the articles; those that count them may read an index."""
    for sql, plan in plans:
        if sql.startswith("SELECT count("):
            plan = [step for step in plan if "COVERING INDEX" not in step and "Index Only" not in step]
        scan = FULL_SCAN if " LIMIT " in sql else ANY_SCAN
        assert not [step for step in plan if scan.search(step)], (path, sql, plan)


@pytest.mark.sqlite("names an index of SQLite")
def test_the_rows_of_a_page_are_found_by_their_uuids(explain_read):
    _, plans = explain_read(f"{ARTICLES}?page=1&page_size=100&fields=title,html")
    found = [plan for sql, plan in plans if "article.uuid IN (" in sql]
    assert found and "ix_article_visible" not in str(found)


def test_no_page_of_articles_reads_all_articles(explain_read):
    for query in QUERIES:
        path = f"{ARTICLES}?{query}&page_size=5&fields=title"
        total, first = explain_read(f"{path}&page=1")
        _, last = explain_read(f"{path}&page={max(1, -(-total // 5))}")
        assert first
        for plans in (first, last):
            check(path, plans)
            # The rows of the page are sorted again, and the working copies, but not all articles.
            sorts = 99 if query in SORTED else 2 if "last_updated" in query else 1
            for sql, plan in plans:
                assert plan.count("USE TEMP B-TREE FOR ORDER BY") <= sorts, (path, sql, plan)
    path = f"{ARTICLES}author/me/?page=2"
    check(path, explain_read(path)[1])


@pytest.mark.sqlite("names indexes of SQLite")
def test_the_numbers_of_terms_read_the_indexes_of_the_terms(explain_read):
    for kind, index in (("categories", "category"), ("tags", "tag_listed"), ("authors", "author_listed")):
        _, plans = explain_read(f"/api/v1/blog/{kind}/?fields=slug,articles_count")
        found = [
            step for _, plan in plans for step in plan if f"USING COVERING INDEX ix_article_{index}" in step
        ]
        assert len(found) == 1 and "=? AND" in found[0] and "<?" in found[0], plans


def test_the_archive_reads_no_whole_table(explain_read):
    for query in ("", "?category=category-0", "?tag=tag-0&author=ada", "?author=ada&category=category-0"):
        path = f"/api/v1/blog/archive/{query}"
        check(path, explain_read(path)[1])


def test_no_other_paged_list_reads_all_articles(app, explain_read):
    document = app.test_client().get("/openapi.json").json
    parameters = document["components"].get("parameters", {})
    paged = []
    for path, operations in document["paths"].items():
        described = [*operations.get("get", {}).get("parameters", []), *operations.get("parameters", [])]
        names = {one.get("name") or parameters[one["$ref"].split("/")[-1]]["name"] for one in described}
        if "page_size" in names:
            paged.append(re.sub(r"\{\w+\}", str(UUID(int=1)), path))
    assert {ARTICLES, "/api/v1/blog/redirects/", "/api/v1/blog/media/"} < set(paged), paged
    for path in paged:
        check(path, explain_read(f"{path}?page=1&page_size=10")[1])


def test_a_create_looks_up_slugs_in_an_index(explain_read):
    for fields in ({"title": "Slug"}, {"title": "Other", "slug": str(uuid4()), "status": "published"}):
        # The tests check all derived data after the write, with statements that read whole tables.
        plans = [
            (sql, plan) for sql, plan in explain_read(ARTICLES, fields)[1] if "former_slug.slug IN" in sql
        ]
        assert plans
        check(ARTICLES, plans)
