"""Fixtures: an article, a category and a tag to write."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS

TERM_PATHS = [CATEGORIES, TAGS]


@pytest.fixture(params=["articles", "categories", "tags"])
def resource(request, as_admin, make_category):
    """An article, a category or a tag: its path, body and ETag, a change, and the path of the list.

    `new` is a valid body of another item.
    """
    path = {"articles": ARTICLES, "categories": CATEGORIES, "tags": TAGS}[request.param]
    body = (
        {"title": "T", "category": {"uuid": str(make_category().uuid)}} if path == ARTICLES else {"name": "N"}
    )
    created = as_admin.post(path, json=body)
    assert created.status_code == 201, created.json
    change = {"subtitle": "changed"} if path == ARTICLES else {"name": "changed"}
    return {
        "list": path,
        "path": created.headers["Location"],
        "body": body,
        "new": body if path == ARTICLES else {"name": "Another"},
        "change": change,
        "etag": created.headers["ETag"],
    }
