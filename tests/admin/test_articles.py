"""The list of articles: search, tabs, actions on one and on several articles, and the phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.admin.blogs import Blog, Client
from tests.admin.browsing import AdminPages, list_violations
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

PATH = "/admin/articles/"
COPY = {"content": "Louder.", "content_type": "markdown"}


@pytest.fixture(autouse=True)
def articles(api: Client) -> dict[str, str]:
    """The uuids of the only articles of the blog, by title; `Ebb` was changed last."""
    stored = [f"uuid={article['uuid']}" for article in api.get("blog/articles/?status=any&fields=uuid")]
    if stored:
        api.delete(f"blog/articles/?{'&'.join(stored)}")
    found = {}
    for title, status in (
        ("Foghorn", "published"),
        ("Dinghy", "archived"),
        ("Tide", "draft"),
        ("Ebb", "draft"),
    ):
        found[title] = api.post("blog/articles/", {"title": title, "status": status, "content": "words"})[
            "uuid"
        ]
    return found


def titles(page: Any) -> list[str]:
    """Return the titles of the rows."""
    return [str(title) for title in page.locator("tbody .title").all_inner_texts()]


def status(api: Client, uuid: str) -> str:
    """Return the status of an article."""
    return str(api.get(f"blog/articles/{uuid}/?fields=status")["status"])


def choose(page: Any, title: str, action: str) -> None:
    """Choose from the menu of an article."""
    page.get_by_role("button", name=f"Actions for {title}", exact=True).click()
    page.get_by_role("menuitem", name=action, exact=True).click()


def select(page: Any, *names: str) -> None:
    """Select articles."""
    for name in names:
        page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()


@pytest.fixture
def open_list(open_admin: AdminPages) -> Callable[..., Any]:
    """A function that opens the list and waits for it."""

    def open_page(query: str = "", **options: Any) -> Any:
        page = open_admin(f"{PATH}{query}", **options)
        page.get_by_role("heading", name="Articles", exact=True).wait_for()
        page.get_by_role("link", name="New article", exact=True).first.wait_for()
        return page

    return open_page


def test_publishing_a_scheduled_article_is_undone(open_list, api):
    time = "2999-01-01T09:00:00.000000+00:00"
    fields = {"title": "Later", "status": "scheduled", "published_at": time}
    path = f"blog/articles/{api.post('blog/articles/', fields)['uuid']}/?fields=status,published_at"
    page = open_list()
    choose(page, "Later", "Publish now")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("“Later” as before").wait_for()
    assert api.get(path) == {"status": "scheduled", "published_at": time}


def test_tabs_order_and_search_have_addresses(open_list, articles):
    page = open_list()
    assert titles(page) == ["Ebb", "Tide", "Dinghy", "Foghorn"]
    for head, direction, query, expected in (
        ("Title", "ascending", "?ordering=title", ["Dinghy", "Ebb", "Foghorn", "Tide"]),
        ("Title", "descending", "?ordering=-title", ["Tide", "Foghorn", "Ebb", "Dinghy"]),
        ("Changed", "descending", "", ["Ebb", "Tide", "Dinghy", "Foghorn"]),
    ):
        link = page.get_by_role("columnheader", name=head).get_by_role("link")
        link.press("Enter")
        wait_until(page, f"document.querySelector('tbody .title').innerText === '{expected[0]}'")
        assert titles(page) == expected
        assert page.url.endswith(f"{PATH}{query}")
        assert page.locator("th[aria-sort]").get_attribute("aria-sort") == direction
        assert link.evaluate("(link) => link === document.activeElement")
    page.get_by_role("link", name="Drafts 2", exact=True).click()
    wait_until(page, "document.querySelectorAll('tbody tr').length === 2")
    search = page.get_by_role("searchbox", name="Search title and text", exact=True)
    search.press_sequentially("fog")
    page.get_by_role("status").filter(has_text="No article contains “fog”.").wait_for()
    assert page.url.endswith(f"{PATH}?status=draft&q=fog")
    page.get_by_role("link", name="Search all statuses", exact=True).click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()
    assert page.get_by_text("1 of 4 articles", exact=True).is_visible()
    assert page.get_by_role("link", name="Published 1", exact=True).is_visible()
    assert page.get_by_role("searchbox").input_value() == "fog"
    page.go_back()
    page.get_by_role("status").filter(has_text="No article contains “fog”.").wait_for()
    page.get_by_role("searchbox").fill("")
    wait_until(page, "document.querySelectorAll('tbody tr').length === 2")
    assert list_violations(page) == []


def test_one_article_is_published_with_its_edits_and_moved_back(open_list, api, articles):
    path = f"blog/articles/{articles['Tide']}/"
    api.put(f"{path}working-copy/", {"title": "High tide", **COPY})
    page = open_list()
    assert titles(page)[0] == "High tide"
    choose(page, "High tide", "Publish now")
    page.get_by_text("“High tide” published").wait_for()
    published = api.get(f"{path}?fields=title,content,status,working_copy")
    assert published == {
        "title": "High tide",
        "content": "Louder.",
        "status": "published",
        "working_copy": None,
    }
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("“High tide” as before").wait_for()
    assert api.get(f"{path}?fields=status,title,content") == {
        "status": "draft",
        "title": "Tide",
        "content": "words",
    }
    assert api.get(f"{path}working-copy/")["content"] == "Louder."


def test_a_deleted_article_comes_back_as_it_was(open_list, api, articles):
    path = f"blog/articles/{articles['Foghorn']}/"
    api.put(f"{path}working-copy/", {"title": "Foghorn", **COPY})
    page = open_list()
    page.get_by_text(re.compile(r"^Published, edits since \d\d:\d\d$")).wait_for()
    choose(page, "Foghorn", "Delete")
    page.get_by_text("“Foghorn” deleted").wait_for()
    assert "Foghorn" not in titles(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()
    assert api.get(f"{path}?fields=content,status") == {"content": "words", "status": "published"}


def test_several_articles_get_a_category_a_tag_and_an_author(open_list, api, articles):
    kitchen = api.post("blog/categories/", {"name": "Kitchen"})
    api.post("blog/tags/", {"name": "boats"})
    api.post("blog/authors/", {"name": "Anselm"})
    page = open_list()
    page.get_by_role("checkbox", name="Select all on this page", exact=True).check()
    select(page, "Ebb")
    page.get_by_text("4 selected", exact=True).wait_for()
    assert list_violations(page) == []
    bulk = page.get_by_role("group", name="Selection", exact=True)
    button = bulk.get_by_role("button", name="Category", exact=True)
    for state in ("visible", "detached", "visible"):
        button.click()
        page.locator(".popover").wait_for(state=state)  # type: ignore[arg-type]
    page.get_by_role("option", name="Kitchen").wait_for()
    assert page.get_by_role("option").count() == len(api.get("blog/categories/"))
    assert list_violations(page) == []
    page.keyboard.type("kit")
    page.get_by_role("option", name="Create the category “kit”").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("4 articles moved to Kitchen").wait_for()
    assert len(api.get(f"blog/articles/?status=any&category={kitchen['uuid']}")) == 4
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("4 articles as before").wait_for()
    assert api.get(f"blog/articles/?status=any&category={kitchen['uuid']}") == []
    for name, label, choice, found in (
        ("Tags", "Tags", "boats", "2 articles with the tag boats"),
        ("Tags", "Tags", "tides", "2 articles with the tag tides"),
        ("Authors", "Authors", "Anselm", "2 articles with the author Anselm"),
    ):
        select(page, "Ebb", "Foghorn")
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_role("combobox", name=label, exact=True).fill(choice)
        page.get_by_role("option", name=choice).click()
        page.get_by_text(found).wait_for()
    assert [tag["name"] for tag in api.get(f"blog/articles/{articles['Ebb']}/")["tags"]] == ["boats", "tides"]
    assert len(api.get("blog/articles/?status=any&author=anselm")) == 2
    select(page, "Ebb", "Foghorn")
    page.keyboard.press("Escape")
    page.get_by_role("columnheader", name="Category", exact=True).wait_for()


def test_a_term_for_several_articles_keeps_the_changes_of_others(open_list, api, articles):
    path = f"blog/articles/{articles['Ebb']}/"
    tags = {
        name: {"uuid": api.post("blog/tags/", {"name": name})["uuid"]} for name in ("kelp", "sand", "rope")
    }

    def name_tags() -> list[str]:
        return sorted(tag["name"] for tag in api.get(f"{path}?fields=tags")["tags"])

    page = open_list()
    api.patch(path, {"tags": [tags["sand"]]})
    select(page, "Ebb", "Tide")
    page.get_by_role("button", name="Tags", exact=True).click()
    page.get_by_role("combobox", name="Tags", exact=True).fill("kelp")
    page.get_by_role("option", name="kelp").click()
    page.get_by_text("2 articles with the tag kelp").wait_for()
    assert name_tags() == ["kelp", "sand"]
    api.patch(path, {"tags": list(tags.values()), "status": "published"})
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("2 articles as before").wait_for()
    assert name_tags() == ["rope", "sand"]
    assert status(api, articles["Ebb"]) == "published"


def test_undo_of_a_category_keeps_the_status(open_list, api, articles):
    path = f"blog/articles/{articles['Ebb']}/"
    before = api.get(f"{path}?fields=category")
    api.post("blog/categories/", {"name": "Pantry"})
    page = open_list()
    select(page, "Ebb")
    page.get_by_role("button", name="Category", exact=True).last.click()
    page.get_by_role("combobox", name="Category", exact=True).fill("Pantry")
    page.get_by_role("option", name="Pantry").click()
    page.get_by_text("“Ebb” moved to Pantry").wait_for()
    api.patch(path, {"status": "published"})
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("“Ebb” as before").wait_for()
    assert api.get(f"{path}?fields=category") == before
    assert status(api, articles["Ebb"]) == "published"


def test_filters_are_in_the_address_and_tabs_keep_whole_counts(open_list, api, articles):
    harbour = api.post("blog/categories/", {"name": "Harbour Walks"})
    api.patch(f"blog/articles/{articles['Ebb']}/", {"category": {"uuid": harbour["uuid"]}})
    page = open_list()
    page.get_by_role("button", name="Category", exact=True).first.click()
    page.get_by_role("combobox", name="Category", exact=True).fill("walks")
    assert list_violations(page) == []
    page.get_by_role("option", name="Harbour Walks").click()
    page.get_by_text("1 of 4 articles", exact=True).wait_for()
    assert page.url.endswith(f"{PATH}?category=harbour-walks")
    assert page.get_by_role("link", name="All 4", exact=True).is_visible()
    assert list_violations(page) == []
    page.reload()
    page.get_by_role("link", name="Category: Harbour Walks. Remove the filter", exact=True).click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()
    page.goto(f"{PATH}?author=ida&category=nowhere")
    page.get_by_text("No articles", exact=True).wait_for()
    page.get_by_role("link", name="Clear filter", exact=True).click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()
    assert page.url.endswith(PATH)
    # The filter by language appears with the first article in a second language.
    assert page.get_by_role("button", name="Language").count() == 0
    twin = api.post("blog/articles/", {"title": "Foghorn", "language": "de"})["uuid"]
    page.reload()
    rows = page.locator("tbody th.title")
    page.get_by_text("Foghorn German", exact=True).wait_for()
    assert set(rows.all_inner_texts()) > {"Foghorn German", "Foghorn English"}
    # No article of the page has a cover.
    assert page.get_by_role("columnheader", name="Cover").count() == page.locator(".thumbnail").count() == 0
    api.delete(f"blog/articles/{twin}/")
    api.patch(f"blog/articles/{articles['Ebb']}/", {"featured": True, "language": "fr"})
    page.get_by_role("link", name="Featured", exact=True).click()
    page.get_by_text("1 of 4 articles", exact=True).wait_for()
    assert page.url.endswith(f"{PATH}?featured=true")
    page.get_by_role("button", name="Language").wait_for()
    assert list_violations(page) == []
    page.get_by_role("link", name="Featured. Remove the filter").click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()


def test_found_articles_are_deleted_and_come_back(open_list, api: Client, articles):
    api.put(
        "blog/articles/",
        [{"uuid": str(uuid4()), "title": f"Note {number}", "status": "published"} for number in range(60)],
    )
    page = open_list("?q=note")
    page.get_by_role("checkbox", name="Select all on this page", exact=True).check()
    page.get_by_role("button", name="Select all 60", exact=True).click()
    page.get_by_text("60 selected", exact=True).wait_for()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete 60 articles?", exact=True)
    assert list_violations(page) == []
    dialog.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Clear selection", exact=True).click()
    select(page, *titles(page)[:2])
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("2 articles deleted").first.wait_for()
    assert len(api.get("blog/articles/?status=any&fields=uuid")) == 62
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("2 articles as before").first.wait_for()
    assert len(api.get("blog/articles/?status=published&fields=uuid")) == 61


def test_a_deleted_article_comes_back_with_its_edits(open_list, api, articles):
    path = f"blog/articles/{articles['Foghorn']}/"
    before = api.get(f"{path}?fields=*,last_updated")
    copy = api.put(f"{path}working-copy/", {"title": "Foghorn, edited"})
    page = open_list()
    page.get_by_role("button", name="Actions for Foghorn, edited", exact=True).click()
    page.get_by_role("menuitem", name="Delete", exact=True).click()
    page.get_by_text("“Foghorn, edited” deleted").first.wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("“Foghorn, edited” as before").first.wait_for()
    assert api.get(f"{path}?fields=*,last_updated") == before
    assert api.get(f"{path}working-copy/")["title"] == copy["title"]


def test_without_bin_days_the_page_asks_and_offers_no_undo(blog, open_list, articles, monkeypatch):
    monkeypatch.setitem(blog.app.config, "BIN_DAYS", 0)
    page = open_list()
    for name in ("Cancel", "Delete 1 article"):
        page.get_by_role("button", name="Actions for Foghorn", exact=True).click()
        page.get_by_role("menuitem", name="Delete", exact=True).click()
        page.get_by_role("dialog", name="Delete 1 article?").get_by_role(
            "button", name=name, exact=True
        ).click()
    page.get_by_text("“Foghorn” deleted").first.wait_for()
    assert page.get_by_role("button", name="Undo", exact=True).count() == 0


def test_the_list_says_since_when_readers_see_an_article(open_list, api, articles):
    for title, status, time in (
        ("Foghorn", "published", "2020-02-03T10:00:00Z"),
        ("Ebb", "scheduled", "2999-01-01T00:00:00Z"),
    ):
        api.patch(f"blog/articles/{articles[title]}/", {"status": status, "published_at": time})
    page = open_list()
    cells = page.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => ['.title a', '.status', '.since'].map((name) =>"
        " row.querySelector(name).textContent.trim()))"
    )
    assert sorted(cells) == [
        ["Dinghy", "Archived", ""],
        ["Ebb", "Scheduled for 1 Jan 2999", "1 Jan 2999"],
        ["Foghorn", "Published", "3 Feb 2020"],
        ["Tide", "Draft", ""],
    ]
    page.get_by_role("link", name="Readers since", exact=True).click()
    wait_until(page, "location.search === '?ordering=-published_at'")
    assert list_violations(page) == []


def test_several_articles_are_archived_and_published(open_list, api, articles):
    page = open_list()
    select(page, "Foghorn", "Tide")
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_text("2 articles archived").wait_for()
    assert page.get_by_role("link", name="Archived 3", exact=True).is_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("2 articles as before").wait_for()
    assert [status(api, articles[title]) for title in ("Foghorn", "Tide")] == ["published", "draft"]
    select(page, "Ebb", "Tide", "Foghorn")
    page.get_by_role("button", name="Publish…", exact=True).click()
    popover = page.get_by_role("dialog", name="Publish", exact=True)
    popover.get_by_text("2 of 3 go live.").wait_for()
    popover.get_by_role("radio", name="Later", exact=True).check(force=True)
    popover.get_by_label("Date", exact=True).fill("2999-01-01")
    assert list_violations(page) == []
    popover.get_by_role("button", name="Schedule", exact=True).click()
    page.get_by_text("2 articles scheduled").wait_for()
    assert {status(api, articles[title]) for title in ("Ebb", "Tide")} == {"scheduled"}
    select(page, "Ebb", "Tide")
    page.get_by_role("button", name="Publish…", exact=True).click()
    popover.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_text("2 articles published").wait_for()
    assert {status(api, articles[title]) for title in ("Ebb", "Tide")} == {"published"}


def test_a_refused_action_is_reported_and_the_list_shows_what_is_stored(open_list, api, articles):
    path = f"blog/articles/{articles['Foghorn']}/"
    api.put(f"{path}working-copy/", {"title": "Foghorn", **COPY})
    page = open_list()
    api.patch(path, {"title": "Whistle"})
    select(page, "Foghorn", "Tide", "Ebb")
    page.get_by_role("button", name="Publish…", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True).click()
    alert = page.get_by_role("dialog").get_by_role("alert").filter(has_text="“Foghorn” is not published: ")
    assert "changed" in alert.inner_text()
    page.get_by_role("link", name="Published 3", exact=True).wait_for()
    assert {status(api, articles[title]) for title in ("Tide", "Ebb")} == {"published"}
    assert api.get(f"{path}?fields=title") == {"title": "Whistle"}


def test_the_list_works_on_a_phone(open_list, api, articles):
    page = open_list(width=320)
    assert not is_wider_than_the_window(page)
    assert page.get_by_role("checkbox").count() == 0
    page.get_by_role("button", name="Select", exact=True).click()
    select(page, "Ebb")
    assert not is_wider_than_the_window(page)
    assert list_violations(page) == []
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_text("“Ebb” archived").wait_for()


def test_a_long_list_has_pages(open_list, api: Client, blog: Blog):
    api.put("blog/articles/", [{"uuid": str(uuid4()), "title": f"Note {number}"} for number in range(48)])
    page = open_list()
    assert "1 to 50 of 52 articles" in page.locator(".list-end").inner_text()
    page.get_by_role("link", name="Next", exact=True).click()
    page.get_by_role("link", name="Foghorn", exact=True).wait_for()
    assert len(titles(page)) == 2
    for title in ("Foghorn", "Dinghy"):
        choose(page, title, "Delete")
        page.get_by_text(f"“{title}” deleted").wait_for()
    page.get_by_text("50 articles", exact=True).wait_for()
    assert len(titles(page)) == 50
    assert page.url.endswith(PATH)


def test_an_empty_blog_shows_how_to_start(open_list, api, articles):
    for uuid in articles.values():
        api.delete(f"blog/articles/{uuid}/")
    page = open_list()
    page.get_by_role("heading", name="Nothing written yet", exact=True).wait_for()
    assert page.get_by_role("link", name="Import texts", exact=True).get_attribute("href") == "/admin/import/"
    assert page.get_by_role("searchbox").count() == 0
