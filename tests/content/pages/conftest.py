"""A fixture that makes pages."""

from __future__ import annotations

import pytest

PAGES = "/api/v1/blog/pages/"


@pytest.fixture
def make_page(as_admin):
    """Creates a published page and returns the JSON of the response."""

    def make(title, **fields):
        answer = as_admin.post(PAGES, json={"title": title, "status": "published", **fields})
        assert answer.status_code == 201, answer.json
        return answer.json

    return make
