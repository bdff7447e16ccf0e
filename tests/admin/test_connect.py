"""The tab *Connect*: lines to copy, keys that are made there, and the door for assistants."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def test_a_person_connects_an_assistant(api, open_admin):
    page = open_admin("/admin/keys/")
    page.get_by_role("link", name="Connect", exact=True).click()
    page.get_by_text("The blog answers no assistants yet.").wait_for()
    line = page.locator(".code", has_text="claude mcp add")
    assert f'{open_admin.origin}/mcp --header "Authorization: Bearer YOUR_KEY"' in line.inner_text()
    page.get_by_role("button", name="Make a key: Drafts").click()
    page.get_by_text("Key “Assistant” is made, and in the lines below").wait_for()
    assert page.get_by_text("May drafts as ida. Never ends.", exact=True).is_visible()
    assert re.search(r"Bearer blogapi_[0-9A-Za-z]{38}", line.inner_text())
    (key,) = [key for key in api.get("auth/api-key/") if key["name"] == "Assistant"]
    assert key["scopes"][-1] == "drafts" and key["expires"] is None
    page.get_by_role("button", name="Open to assistants").click()
    page.get_by_text("The blog answers assistants that have a key.").wait_for()
    assert api.get("blog/site/")["mcp"] is True
    page.get_by_role("button", name="Close to assistants").click()
    page.get_by_role("button", name="Open to assistants").wait_for()
    assert api.get("blog/site/")["mcp"] is False
    assert list_violations(page) == []


def test_a_person_makes_a_key_for_a_site(api, open_admin):
    page = open_admin("/admin/keys/connect/", width=390)
    page.get_by_role("button", name="Make a key: Read published").click()
    page.locator(".code", has_text=re.compile("BLOG_KEY=blogapi_")).wait_for()
    assert not is_wider_than_the_window(page)
    page.get_by_role("link", name="New webhook").click()
    page.wait_for_url("**/admin/webhooks/new/")
