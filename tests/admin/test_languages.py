"""Languages in the editor: the language of an article, its translations, and a new one."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]

ARTICLES = "blog/articles/"


@pytest.mark.parametrize("status", ["draft", "published"])
def test_an_editor_adds_a_translation(api, open_admin, status):
    body = {"title": f"Rye, {status}", "content": "Flour.", "status": status}
    made = api.post(ARTICLES, body)
    page = open_admin(f"/admin/articles/{made['uuid']}/")
    page.get_by_role("button", name="Details", exact=True).click()
    page.get_by_role("combobox", name="Category").wait_for()
    # A blog with one language shows nothing of languages.
    assert page.get_by_label("Language", exact=True).count() == 0
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a translation").click()
    page.get_by_label("Add a translation").select_option("French")
    assert list_violations(page) == []
    page.get_by_role("button", name="Create the draft").click()
    page.wait_for_url(lambda url: made["uuid"] not in url)
    page.get_by_role("button", name="Details", exact=True).click()
    page.get_by_label("Language", exact=True).wait_for()
    assert page.get_by_label("Language", exact=True).evaluate("({ value }) => value") == "fr"
    page.get_by_role("link", name=body["title"]).wait_for()
    assert page.get_by_text("older than this text").count() == 1
    assert page.locator(".writing .sheet").get_attribute("lang") == "fr"
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    uuid = page.url.split("/")[-2]
    fields = "?fields=title,status,language,translation_key,content"
    original, copy = (api.get(f"{ARTICLES}{one}/{fields}") for one in (made["uuid"], uuid))
    assert original["translation_key"] and copy == original | {"language": "fr", "status": "draft"}
    assert original["status"] == status


def test_an_admin_names_the_languages_of_the_blog(api, open_admin):
    page = open_admin("/admin/site/")
    page.get_by_role("button", name="Add a language").click()
    for label, text in (("Language", "fr"), ("Title in it", "Le pain"), ("Description in it", "Du pain.")):
        page.locator(".languages").get_by_label(label, exact=True).fill(text)
    assert list_violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text(re.compile(r"^Saved \d")).wait_for()
    found = [{"language": "fr", "title": "Le pain", "description": "Du pain."}]
    assert api.get("blog/site/")["languages"] == found
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    # The list of articles then has a filter.
    api.post(ARTICLES, {"title": "Le seigle", "language": "fr"})
    page = open_admin("/admin/articles/")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="French").click()
    page.wait_for_url("**language=fr")
    page.get_by_role("link", name="Le seigle").wait_for()
    assert page.get_by_role("link", name="Language: French. Remove the filter").count() == 1
    assert list_violations(page) == []
    api.patch("blog/site/", {"languages": []})
