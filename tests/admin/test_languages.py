"""Languages in the editor: the language of an article, its translations, and a new one."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import unfold
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

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
    popover = page.get_by_role("dialog", name="Add a translation")
    # The languages of the browser come first; the one of the blog is taken.
    assert popover.get_by_label("Language").input_value() == "en-US"
    assert {"Catalan", "Persian", "Bulgarian", "Serbian", "Welsh"} <= set(
        popover.get_by_label("Language").get_by_role("option").all_inner_texts()
    )
    popover.get_by_label("Language").select_option("French")
    assert list_violations(page) == []
    popover.get_by_role("button", name="Create the draft").click()
    page.wait_for_url(lambda url: made["uuid"] not in url)
    page.get_by_role("button", name="Details", exact=True).click()
    unfold(page, "Language")
    unfold(page, "Translations")
    assert page.get_by_label("Language", exact=True).evaluate("({ value }) => value") == "fr"
    page.get_by_role("link", name=body["title"]).wait_for()
    # The draft was copied from the other text a moment ago.
    assert page.get_by_text("older than this text").count() == 0
    assert page.locator(".writing .sheet").get_attribute("lang") == "fr"
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    uuid = page.url.split("/")[-2]
    fields = "?fields=title,status,language,translation_key,content"
    original, copy = (api.get(f"{ARTICLES}{one}/{fields}") for one in (made["uuid"], uuid))
    assert original["translation_key"] and copy == original | {"language": "fr", "status": "draft"}
    assert original["status"] == status


def test_an_editor_links_a_text_that_exists_and_starts_an_empty_one(api, open_admin):
    walk = api.post(ARTICLES, {"title": "A walk by the harbour", "content": "Gulls.", "status": "published"})
    stored = api.post(ARTICLES, {"title": "Ein Hafengang", "content": "Möwen.", "status": "published"})
    api.put(f"{ARTICLES}{stored['uuid']}/working-copy/", {"title": "Ein Gang am Hafen"})
    page = open_admin(f"/admin/articles/{walk['uuid']}/")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a translation").click()
    popover = page.get_by_role("dialog", name="Add a translation")
    popover.get_by_label("Language").select_option("de")
    popover.get_by_label("Link an article that exists…").check()
    popover.get_by_role("button", name="Choose").click()
    # The list shows other articles before the search, and moves when their options go.
    page.get_by_role("combobox", name="Title of an article").fill("Hafengang")
    wait_until(page, "document.querySelectorAll('#link-list [role=option]').length === 1")
    page.get_by_role("option", name="Ein Hafengang").click()
    translations = page.get_by_role("group", name="Translations")
    translations.get_by_role("link", name="Ein Hafengang").wait_for()
    assert list_violations(page) == []
    fields = "?fields=language,translation_key"
    german, english = (api.get(f"{ARTICLES}{one['uuid']}/{fields}") for one in (stored, walk))
    assert english["translation_key"] and german == english | {"language": "de"}
    # The edits of the other article that are not published keep the link.
    copy = api.get(f"{ARTICLES}{stored['uuid']}/working-copy/")
    assert (copy["title"], copy["translation_key"]) == ("Ein Gang am Hafen", german["translation_key"])
    translations.get_by_role("button", name="Add a translation").click()
    assert popover.get_by_role("option", name="German", exact=True).count() == 0
    popover.get_by_label("Language").select_option("French")
    popover.get_by_label("Start with an empty text").check()
    popover.get_by_role("button", name="Create the draft").click()
    page.wait_for_url(lambda url: walk["uuid"] not in url)
    draft = api.get(
        f"{ARTICLES}{page.url.split('/')[-2]}/?fields=title,content,language,status,translation_key"
    )
    assert draft == {
        **{"title": "Untitled", "content": "", "language": "fr", "status": "draft"},
        "translation_key": german["translation_key"],
    }


def test_an_admin_names_the_languages_of_the_blog(api, open_admin):
    page = open_admin("/admin/site/languages/")
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


def test_a_linked_text_keeps_what_is_saved_meanwhile(api, open_admin):
    walk = api.post(ARTICLES, {"title": "A stroll", "content": "Gulls.", "status": "published"})
    stored = api.post(ARTICLES, {"title": "Ein Bummel", "content": "Text.", "status": "published"})
    copy_path = f"{ARTICLES}{stored['uuid']}/working-copy/"
    api.put(copy_path, {"title": "Ein Bummel", "content": "Edits."})
    page = open_admin(f"/admin/articles/{walk['uuid']}/")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a translation").click()
    popover = page.get_by_role("dialog", name="Add a translation")
    popover.get_by_label("Language").select_option("de")
    popover.get_by_label("Link an article that exists…").check()
    popover.get_by_role("button", name="Choose").click()

    def save_first(route):
        if route.request.method == "PUT":
            api.put(copy_path, {"title": "Ein Bummel", "content": "Saved meanwhile."})
        route.continue_()

    page.route(f"**/{copy_path}", save_first)
    page.get_by_role("combobox", name="Title of an article").fill("Bummel")
    wait_until(page, "document.querySelectorAll('#link-list [role=option]').length === 1")
    page.get_by_role("option", name="Ein Bummel").click()
    page.locator(".toast").wait_for()
    assert api.get(copy_path)["content"] == "Saved meanwhile."


def test_what_is_typed_while_a_translation_is_linked_stays(api, write, make):
    path = make("Typed meanwhile", status="published")
    page, held = write(path), []
    page.route(
        f"**/{path}?*",
        lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_(),
    )
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a translation").click()
    page.get_by_role("dialog", name="Add a translation").get_by_role("button", name="Create").click()
    patch = wait_for_first(page, held)
    page.evaluate("document.querySelector('admin-page').changeEdits({ content: 'Typed meanwhile.' })")
    # The page goes on to the new draft.
    page.route("**/blog/articles/*/?fields=*", lambda route: route.abort())
    patch.continue_()
    page.get_by_role("alert").first.wait_for()
    assert page.evaluate("document.querySelector('admin-page').edits.content") == "Typed meanwhile."
