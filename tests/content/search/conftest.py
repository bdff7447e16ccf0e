"""Fixtures: searches, and their snippets."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES

OWN = ARTICLES + "author/me/"


@pytest.fixture
def find(as_reader):
    """Searches as a reader and returns the titles of the matching articles."""

    def ask(words, client=as_reader, path=ARTICLES, **more):
        response = client.get(path, query_string={"q": words, "fields": "title"} | more)
        assert response.status_code == 200, response.json
        return [hit["title"] for hit in response.json]

    return ask


@pytest.fixture
def snippet(as_reader):
    """Searches as a reader, expects a single match and returns the snippet of this match."""

    def ask(words, **more):
        response = as_reader.get(ARTICLES, query_string={"q": words, "fields": "snippet"} | more)
        (hit,) = response.json
        return hit["snippet"]

    return ask


def day(number):
    return f"2026-01-{number:02}T00:00:00Z"
