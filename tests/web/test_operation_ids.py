"""The names of operations."""

from __future__ import annotations

import pytest

from blogapi.web.operation import make_operation_id


@pytest.mark.parametrize(
    ("resource", "view", "name"),
    [
        ("categories", "listed", "listCategories"),
        ("api_keys", "create", "createApiKey"),
        ("tags", "change_all", "updateTags"),
        ("webhooks", "list_deliveries", "listWebhookDeliveries"),
        ("page_working_copies", "publish", "publishPageWorkingCopy"),
        ("", "login", "login"),
        ("", "get_me", "getMe"),
        ("site", "change", "updateSite"),
    ],
)
def test_an_operation_is_named_after_its_verb_and_its_resource(resource, view, name):
    assert make_operation_id(resource, view) == name


def test_a_view_without_a_verb_is_refused():
    with pytest.raises(ValueError, match=r"deliveries.*verb"):
        make_operation_id("webhooks", "deliveries")
