"""The bin in the lists of articles and of pages, and the pages of deleted items."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations
from tests.admin.test_media import add_file
from tests.admin.writing import get_button, get_text, type_at_end

pytestmark = pytest.mark.sqlite("the pages use the API alone")
ARTICLES = "blog/articles/"
BIN = "/admin/articles/bin/"


@pytest.fixture(autouse=True)
def _empty_bin(api):
    yield
    for item in api.get("blog/deleted/"):
        api.delete(f"blog/deleted/{item['uuid']}/")
    for kind in ("articles", "pages"):
        for item in api.get(f"blog/{kind}/?status=any&fields=uuid"):
            api.delete(f"blog/{kind}/{item['uuid']}/")
    for item in api.get("blog/deleted/"):
        api.delete(f"blog/deleted/{item['uuid']}/")


@pytest.fixture
def throw_away(api):
    """Creates and deletes an article or page, and returns its uuid."""

    def throw_away(title, kind="articles", edits=None, **fields):
        uuid = api.post(f"blog/{kind}/", {"title": title, "content": "A *word*", **fields})["uuid"]
        if edits:
            api.put(f"blog/{kind}/{uuid}/working-copy/", edits)
        api.delete(f"blog/{kind}/{uuid}/")
        return uuid

    return throw_away


def row_of(page, title):
    """Return the row of a deleted item."""
    return page.get_by_role("row").filter(has=page.get_by_role("button", name=title, exact=True))


def test_a_deleted_article_is_looked_at_and_restored(api, open_admin, throw_away):
    api.post(ARTICLES, {"title": "Stays", "content": "x"})
    edits = {"title": "Ferries, edited", "content": "Two *boats*", "content_type": "markdown"}
    uuid = throw_away("Ferries", edits=edits)
    throw_away("Trains", status="published")
    page = open_admin("/admin/articles/")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="Bin 2", exact=True).click()
    page.wait_for_url(f"**{BIN}")
    row = row_of(page, "Ferries")
    row.get_by_text("Draft").first.wait_for()
    row.get_by_text("in 30 days", exact=True).wait_for()
    assert row.get_by_text(re.compile("^ida$", re.IGNORECASE)).is_visible()
    assert page.get_by_text("Deleted articles stay here for 30 days.").is_visible()
    assert page.get_by_role("link", name="Bin 2", exact=True).get_attribute("aria-current") == "page"
    assert page.get_by_role("link", name="All 1", exact=True).is_visible()
    assert list_violations(page) == []
    row.get_by_role("button", name="Ferries", exact=True).click()
    dialog = page.get_by_role("dialog", name="Ferries, edited", exact=True)
    dialog.get_by_text("boats", exact=True).wait_for()
    assert dialog.locator("em").inner_text() == "boats"
    assert list_violations(page) == []
    dialog.get_by_role("button", name="Close", exact=True).click()
    row.get_by_role("button", name="Restore Ferries", exact=True).click()
    page.get_by_text("“Ferries” restored.").first.wait_for()
    row.wait_for(state="hidden")
    assert api.get(f"{ARTICLES}{uuid}/working-copy/")["title"] == "Ferries, edited"
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url(f"**/admin/articles/{uuid}/")


def test_items_are_deleted_for_good_after_a_question(api, open_admin, throw_away):
    uuids = [throw_away(title) for title in ("One", "Two", "Three")]
    page = open_admin(BIN)
    row_of(page, "One").get_by_role("button", name="Actions for One", exact=True).click()
    page.get_by_role("menuitem", name="Delete for good", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete “One” for good?", exact=True)
    assert list_violations(page) == []
    dialog.get_by_role("button", name="Cancel", exact=True).click()
    assert len(api.get("blog/deleted/")) == 3
    for title in ("One", "Two"):
        page.get_by_role("checkbox", name=f"Select {title}", exact=True).check()
    page.get_by_role("button", name="Delete for good", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete for good", exact=True).click()
    page.get_by_text("2 articles deleted for good").first.wait_for()
    assert [item["uuid"] for item in api.get("blog/deleted/")] == [uuids[2]]
    page.get_by_role("checkbox", name="Select Three", exact=True).check()
    page.get_by_role("group", name="Selection").get_by_role("button", name="Restore", exact=True).click()
    page.get_by_text("The bin is empty.", exact=True).wait_for()
    assert api.get(f"{ARTICLES}{uuids[2]}/")["title"] == "Three"


def test_the_bin_is_searched(open_admin, throw_away):
    throw_away("Ábel")
    throw_away("Zoe")
    page = open_admin(BIN)
    page.get_by_role("searchbox", name="Search the bin", exact=True).fill("abel")
    row_of(page, "Zoe").wait_for(state="hidden")
    assert row_of(page, "Ábel").is_visible()
    page.get_by_role("searchbox", name="Search the bin", exact=True).fill("nothing")
    page.get_by_text("No article contains “nothing”.", exact=True).wait_for()


def test_pages_have_a_bin(api, open_admin, throw_away):
    uuid = throw_away("Imprint", kind="pages")
    throw_away("An article")
    page = open_admin("/admin/pages/")
    page.get_by_role("link", name="1 page in the bin", exact=True).click()
    row = row_of(page, "Imprint")
    row.get_by_role("button", name="Restore Imprint", exact=True).click()
    page.get_by_text("The bin is empty.", exact=True).wait_for()
    assert api.get(f"blog/pages/{uuid}/")["title"] == "Imprint"
    page.get_by_role("link", name="All 1", exact=True).click()
    page.get_by_role("link", name="Imprint", exact=True).wait_for()


@pytest.mark.parametrize(("kind", "part"), [("articles", ""), ("pages", ""), ("articles", "preview/")])
def test_the_page_of_a_deleted_item_offers_to_restore_it(api, open_admin, throw_away, kind, part):
    uuid = throw_away("Ferries", kind=kind)
    page = open_admin(f"/admin/{kind}/{uuid}/{part}")
    page.get_by_role("heading", name="“Ferries” is in the bin", exact=True).wait_for()
    page.get_by_text(
        re.compile("^It was deleted by ida today, .+, and leaves the bin in 30 days.$")
    ).wait_for()
    assert not page.get_by_text("There is nothing here").is_visible()
    assert list_violations(page) == []
    page.get_by_role("button", name="Restore", exact=True).click()
    page.get_by_text("Ferries").first.wait_for()
    page.get_by_role("heading", name="“Ferries” is in the bin", exact=True).wait_for(state="hidden")
    # The restored item has its own page without the menu.
    page.get_by_role("navigation", name="Pages of the blog", exact=True).wait_for(state="hidden")
    assert page.locator("main").count() == 1
    assert api.get(f"blog/{kind}/{uuid}/")["title"] == "Ferries"


def test_the_address_of_an_article_leads_to_a_deleted_page(api, open_admin, throw_away):
    uuid = throw_away("Imprint", kind="pages")
    page = open_admin(f"/admin/articles/{uuid}/")
    page.get_by_role("button", name="Restore", exact=True).click()
    page.wait_for_url(f"**/admin/pages/{uuid}/")


def test_without_a_bin_there_is_no_tab(blog, open_admin, api, monkeypatch):
    api.post(ARTICLES, {"title": "Stays"})
    monkeypatch.setitem(blog.app.config, "BIN_DAYS", 0)
    page = open_admin("/admin/articles/")
    page.get_by_role("link", name=re.compile("^All")).wait_for()
    assert page.get_by_role("link", name=re.compile("^Bin")).count() == 0


@pytest.mark.parametrize("width", [320, 390, 800, 1024, 1180, 1280, 1440])
def test_titles_have_room_at_each_width(api, open_admin, throw_away, width):
    cover = add_file(api, f"cover-{width}.png", "teal")["url"]
    throw_away("A long title of a deleted article", cover_image=cover)
    page = open_admin(BIN)
    page.set_viewport_size({"width": width, "height": 800})
    title = page.locator("tbody .title")
    title.wait_for()
    assert title.bounding_box()["width"] >= (160 if width > 320 else 128)
    assert page.locator("tbody tr").bounding_box()["height"] < 160
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.get_by_role("button", name=re.compile("^Restore")).is_visible()
    assert page.get_by_text("Draft", exact=True).last.is_visible()
    assert "in 30 days" in page.locator("td.goes").inner_text().lower()
    assert list_violations(page) == []


@pytest.mark.parametrize("kind", ["articles", "pages"])
def test_the_editor_deletes_and_restores(api, open_admin, kind):
    uuid = api.post(f"blog/{kind}/", {"title": "Ferries", "content": "A word."})["uuid"]
    page = open_admin(f"/admin/{kind}/{uuid}/")
    get_text(page).wait_for()
    type_at_end(page, " Typed before.")
    get_button(page, "More actions").click()
    page.get_by_role("menuitem", name="Delete", exact=True).click()
    restore = get_button(page, "Restore")
    restore.wait_for()
    assert [item["uuid"] for item in api.get("blog/deleted/")] == [uuid]
    restore.click()
    get_text(page).wait_for()
    assert api.get(f"blog/{kind}/{uuid}/working-copy/")["content"] == "A word. Typed before."
