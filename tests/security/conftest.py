"""A blog with secrets of each kind, and the callers that must not reach them."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from blogapi import blueprints
from blogapi.accounts.api_keys import service as api_keys
from blogapi.docs import document
from blogapi.storage.database import Base, CommitCounter, db
from blogapi.storage.releases import Release
from tests.conftest import ARTICLES, KEYS
from tests.databases import SERVER_URL, other_connection
from tests.delivery.webhooks.rows import add_webhook

LOGIN = "/api/v1/auth/login/"
# No item has this uuid.
OTHER_UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"

# Everything that only admins may see contains this text.
SECRET = "xyzzysecret"
CALLERS = {
    "stranger": "as_stranger",
    "anonymous key": "as_reader",
    "admin's published key": "as_published_admin",
    "member": "as_member",
    "admin's read key": "as_reading_admin",
}


# The columns that the mere use of a key or a login changes.
_LAST_USES = ("last_used", "last_seen")


@pytest.fixture
def record_attempt(request):
    """Records caller, action and result for the report; returns the response."""

    def record(caller, action, response):
        code = (
            response.json["code"] if response.mimetype == "application/problem+json" and response.data else ""
        )
        row = (caller, action, f"{response.status_code} {code}".strip())
        request.node.user_properties.append(("attempt", row))
        return response

    return record


@pytest.fixture
def blog(fill_blog, fill_with_secrets):
    """The ids of the blog's items, by their placeholder names in paths. Grace owns the secret items."""
    return fill_blog("secrets", fill_with_secrets)


@pytest.fixture
def fill_with_secrets(app, people, make_category, make_tag, make_article):
    """Return a function that creates the items."""

    def fill():
        tag, category = make_tag("shared"), make_category(name="Shared")
        secret = {
            "title": f"{SECRET} title",
            "subtitle": SECRET,
            "content": f"<p>{SECRET} text</p>",
            "cover_image": f"https://example.org/{SECRET}.png",
            "author": people.other_admin,
        }
        terms = {"category": category, "tags": (tag,)}
        public = make_article(title="Public", **terms)
        hidden = {
            "draft": make_article(status="draft", **secret, **terms),
            "scheduled": make_article(published_at="2999-01-01T00:00:00Z", **secret, **terms),
            "archived": make_article(status="archived", **secret, **terms),
        }
        client = FlaskClient(app, app.response_class)
        header = {"X-API-KEY": people.key(people.other_admin, "write")}
        path = f"{ARTICLES}{hidden['draft'].uuid}/"
        client.patch(path, json={"subtitle": f"{SECRET} again", "slug": f"{SECRET}-renamed"}, headers=header)
        preview = client.post(f"{path}preview/", headers=header).json
        with app.app_context():
            key = api_keys.issue_key(people.other_admin.uuid, "write", name=SECRET)
        names = {name: str(article.uuid) for name, article in hidden.items()}
        return names | {
            "public": str(public.uuid),
            "tag": str(tag.uuid),
            "category": str(category.uuid),
            "key": str(key.uuid),
            "preview": preview["uuid"],
            "etag": client.get(path, headers=header).headers["ETag"],
        }

    return fill


@pytest.fixture
def read_tables(app):
    """Returns the rows of all tables, or of some, without the last uses and the commit counter."""
    tables = [table for table in Base.metadata.sorted_tables if table is not CommitCounter.__table__]

    def read(*names):
        with app.app_context(), db.engine.connect() as connection:
            return {
                table.name: [
                    dict(row) | dict.fromkeys(_LAST_USES)
                    for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()
                ]
                for table in tables
                if not names or table.name in names
            }

    return read


# As text, so that the driver returns the stored values. The start of an application stores its release.
_STORED_ROWS = {
    table.name: str(select(*(column for column in table.columns if column.name not in _LAST_USES)))
    for table in Base.metadata.sorted_tables
    if table not in (CommitCounter.__table__, Release.__table__)
}


@pytest.fixture
def read_stored(app):
    """Returns the same rows as the database stores them, which takes a fraction of the time."""
    with ExitStack() as stack:
        connections, found = [], {}

        def read():
            # Opened late, because an open database cannot be replaced by a copy.
            if not connections:
                connections.append(stack.enter_context(other_connection(app)))
            (connection,) = connections
            # The number changes when another connection writes. A server has no such number.
            version = None if SERVER_URL else connection.exec_driver_sql("PRAGMA data_version").scalar()
            if version is None or version not in found:
                found[version] = {
                    name: sorted(connection.exec_driver_sql(statement).all(), key=repr)
                    for name, statement in _STORED_ROWS.items()
                }
            return found[version]

        yield read


@pytest.fixture
def operations(app, blog):
    """All operations as (endpoint, method, path, body). Where possible, the path names a secret item."""
    documented_paths = document.get_document(app)["paths"]
    webhook, delivery = add_webhook(app)

    def fill_path(path, endpoint):
        values = {
            "id": blog["key" if endpoint.startswith("api_keys") else "draft"],
            "preview": blog["preview"],
            "delivery": str(delivery),
            "number": "1",
            "token": "guessed",
            "hash": "0" * 64,
            "digest": "0" * 16,
            "name": "reading" if endpoint == "docs.show_guide_page" else "api.js",
            "path": "zzz",
        }
        if endpoint.startswith("webhooks"):
            values["id"] = str(webhook)
        for resource in ("tag", "category"):
            if endpoint.startswith({"tag": "tags", "category": "categories"}[resource]):
                values["id"] = blog[resource]
        return re.sub(r"<(?:[^:<>]+:)?(\w+)>", lambda match: values[match[1]], path)

    def get_example(path, method):
        plain = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path)
        operation = documented_paths.get(plain, {}).get(method.lower(), {})
        content = operation.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("example")

    return [
        (endpoint, method, fill_path(path, endpoint), get_example(path, method))
        for path, method, endpoint, _ in blueprints.list_operations(app)
    ]


def full_text(response):
    """Return the headers and the body of a response as one text."""
    return f"{response.headers}\n{response.data.decode('utf-8', 'replace')}"


def key_path(uuid):
    return f"{KEYS}{uuid}/"


@pytest.fixture
def assert_unchanged(request, read_stored):
    """Asserts that the test has not changed the database."""
    for name in ("as_stranger", "as_admin"):
        if name in request.fixturenames:
            request.getfixturevalue(name)
    before = read_stored()
    yield
    assert read_stored() == before


def assert_refused(response, *statuses: int) -> None:
    assert response.status_code in (statuses or (400, 404, 405, 413, 414, 415, 422)), response.text
    # The client checks the body against the OpenAPI document, which allows empty texts.
    assert response.json["detail"] and response.json["code"] and response.json["title"]
