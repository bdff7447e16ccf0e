"""Fixtures for preview links."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES


@pytest.fixture
def make_link(as_admin, make_article):
    """Return a function that creates an article, a draft by default, and returns a new link to it."""

    def make(**fields):
        article = make_article(**({"status": "draft"} | fields))
        response = as_admin.post(f"{ARTICLES}{article.uuid}/preview/")
        assert response.status_code == 201
        return response.json | {"path": f"{ARTICLES}{article.uuid}/preview/{response.json['uuid']}/"}

    return make


@pytest.fixture
def set_site(as_login):
    """Return a function that changes the site."""

    def change(**fields):
        assert as_login.patch("/api/v1/blog/site/", json=fields).status_code == 200

    return change
