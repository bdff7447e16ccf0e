"""The names of operations."""

from __future__ import annotations

import pytest

from blogapi.web.operation_ids import make_operation_id


@pytest.mark.parametrize(
    ("resource", "view", "name"),
    [
        ("categories", "listed", "listCategories"),
        ("api_keys", "create", "createApiKey"),
        ("tags", "change_all", "updateTags"),
        ("articles", "own", "listOwnArticles"),
        ("", "login", "login"),
        ("", "me", "getMe"),
        ("site", "change", "updateSite"),
        ("feeds", "rss", "getRssFeed"),
    ],
)
def test_an_operation_is_named_after_its_verb_and_its_resource(resource, view, name):
    assert make_operation_id(resource, view) == name
