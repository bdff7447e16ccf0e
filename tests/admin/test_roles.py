"""Each role sees what it may do: no entry of the pages leads to what the API refuses."""

from __future__ import annotations

import pytest

from blogapi.accounts.users import service as users
from blogapi.web.access import Role
from tests.admin.browsing import list_violations, wait_for_page
from tests.admin.test_media import add_file, get_item
from tests.admin.writing import ARTICLES, get_stored, get_text, save, type_at_end, wait_for_state
from tests.browser import wait_until

pytestmark = [pytest.mark.once, pytest.mark.sqlite("the pages use the API alone")]

WRITING = ["Overview", "Articles", "Media"]
ENTRIES = {
    "lin": [*WRITING, "Settings", "lin"],
    "eda": [
        "Overview",
        "Articles",
        "Pages",
        "Media",
        "Categories",
        "Tags",
        "Authors",
        "Settings",
        "eda",
    ],
}


@pytest.fixture(scope="module")
def staff(blog):
    """Create Lin (an author who may not publish) and Eda (an editor)."""
    with blog.app.app_context():
        users.create_user("lin", None, role=Role.AUTHOR)
        users.create_user("eda", None, role=Role.EDITOR)


@pytest.fixture
def writers(staff, blog, api):
    """The articles of Lin and of Ida, by title: the only ones of the blog."""
    for article in api.get(f"{ARTICLES}?status=any&fields=uuid"):
        api.delete(f"{ARTICLES}{article['uuid']}/")
    made = {"Draft of Ida": api.post(ARTICLES, {"title": "Draft of Ida"})["uuid"]}
    lin = blog.client("lin")
    for title in ("Draft of Lin", "Published for Lin"):
        made[title] = lin.post(ARTICLES, {"title": title, "content": "Words."})["uuid"]
    api.patch(f"{ARTICLES}{made['Published for Lin']}/", {"status": "published"})
    return made


@pytest.fixture
def refusals(open_admin):
    """The addresses of the API that refused a request of a page."""
    found = []

    def follow(page):
        page.on("response", lambda one: found.append(one.url) if one.status == 403 else None)
        return page

    return found, follow


@pytest.mark.parametrize("user", ENTRIES)
def test_no_entry_leads_to_what_the_role_may_not_do(open_admin, writers, refusals, user):
    found, follow = refusals
    page = follow(open_admin("/admin/profile/", user=user))
    wait_for_page(page)
    menu = page.get_by_role("navigation", name="Pages of the blog", exact=True)
    assert menu.get_by_role("link").all_inner_texts() == ENTRIES[user]
    links = [link.get_attribute("href") for link in menu.get_by_role("link").all()]
    seen = set(links)
    while links:
        path = links.pop()
        page.goto(path)
        wait_for_page(page)
        assert page.url.endswith(path), path
        assert page.evaluate("document.querySelector('admin-page').state") == "ready", path
        # The pages of other articles are like those of the first one.
        shown = page.locator("main a[href^='/admin/']").all()
        more = {one.get_attribute("href") for one in shown if one.is_visible()} - seen
        seen |= more
        links += [one for one in more if "?" not in one and "#" not in one]
        assert list_violations(page) == [], path
    assert found == []
    page.goto("/admin/users/")
    page.wait_for_url("**/admin/profile/")


def test_an_author_writes_what_an_editor_publishes(open_admin, writers, refusals, api):
    found, follow = refusals
    page = follow(open_admin("/admin/articles/", user="lin"))
    wait_for_page(page)
    assert set(page.locator("tbody th.title").all_inner_texts()) == {"Draft of Lin", "Published for Lin"}
    assert page.get_by_role("link", name="All 2").count() == 1
    for title, offered in (("Draft of Lin", {"Archive", "Delete"}), ("Published for Lin", set())):
        page.get_by_role("button", name=f"Actions for {title}", exact=True).click()
        items = {item.strip() for item in page.get_by_role("menuitem").all_inner_texts()}
        assert items == {"Preview", "History", "Duplicate"} | offered
        page.keyboard.press("Escape")
    page.get_by_role("checkbox", name="Select Draft of Lin", exact=True).check()
    bulk = page.get_by_role("group", name="Selection", exact=True)
    assert bulk.get_by_role("button").all_inner_texts() == ["Tags", "Category", "Archive", "Delete", "Clear"]
    page.keyboard.press("Control+p")
    page.get_by_role("combobox", name="Page, action or article", exact=True).fill("of")
    page.get_by_role("option", name="Draft of Lin").wait_for()
    assert page.get_by_role("option", name="Draft of Ida").count() == 0

    page.goto("/admin/articles/new/")
    page.get_by_role("textbox", name="Title", exact=True).fill("Written by Lin")
    get_text(page).click()
    page.keyboard.type("Some words.")
    save(page)
    page.get_by_role("button", name="Details", exact=True).click()
    assert page.get_by_role("combobox", name="Authors", exact=True).count() == 0
    assert page.get_by_role("button", name="Publish", exact=True).count() == 0
    assert page.get_by_text("An editor publishes it").is_visible()
    assert list_violations(page) == []
    uuid = page.url.split("/")[-2]
    page.goto(f"/admin/articles/{uuid}/history/")
    wait_for_page(page)
    assert found == []

    page = follow(open_admin(f"/admin/articles/{uuid}/", user="eda"))
    get_text(page).wait_for()
    page.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True).click()
    wait_until(page, "document.querySelector('admin-page').article.status === 'published'")
    article = api.get(f"{ARTICLES}{uuid}/?fields=slug,authors")
    assert article["slug"] == "written-by-lin" and [one["name"] for one in article["authors"]] == ["lin"]
    assert found == []


def test_an_author_reads_where_links_lead(open_admin, writers, refusals, api, blog):
    found, follow = refusals
    uuid = api.post(ARTICLES, {"title": "The long way", "status": "published", "content": "Words."})["uuid"]
    content = f"[One](article:{uuid}), [two](article:{writers['Draft of Lin']})"
    path = blog.client("lin").post(
        ARTICLES, {"title": "Links", "content_type": "markdown", "content": content}
    )["uuid"]
    page = follow(open_admin(f"/admin/articles/{path}/", user="lin"))
    page.get_by_role("button", name="How the text looks", exact=True).click()
    page.get_by_role("checkbox", name="Fold addresses away", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.locator(".link-chip").get_by_text("Draft: Draft of Lin", exact=True).wait_for()
    page.locator(".link-chip").get_by_text("/the-long-way/", exact=True).wait_for()
    assert found == []


def test_a_text_that_one_may_not_change_any_more_is_not_called_deleted(open_admin, writers, api, blog):
    path = f"{ARTICLES}{writers['Draft of Ida']}/"
    eda = next(user["uuid"] for user in api.get("users/") if user["username"] == "eda")
    page = open_admin(f"/admin/articles/{writers['Draft of Ida']}/", user="eda")
    # The role is lowered after the page has read the article.
    get_text(page).wait_for()
    for role, mark in (("author", " One."), ("reader", " Two.")):
        api.patch(f"users/{eda}/", {"role": role})
        type_at_end(page, mark)
        page.keyboard.press("Control+s")
        wait_for_state(page, "Not saved: your role has changed")
        page.get_by_text("Your role has changed: you may not change this article now.", exact=True).wait_for()
        new = page.get_by_role("button", name="Save as a new article", exact=True)
        assert new.is_visible() == (role == "author")
    assert list_violations(page) == []
    api.patch(f"users/{eda}/", {"role": "editor"})
    save(page)
    assert get_stored(api, path) == " One. Two."

    uuid = writers["Draft of Lin"]
    page = open_admin(f"/admin/articles/{uuid}/", user="lin")
    get_text(page).wait_for()
    result = blog.app.test_cli_runner().invoke(args=["user", "reassign", "lin", "ida"])
    assert result.exit_code == 0, result.output
    type_at_end(page, "Mine.")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Not saved: the article is not yours now")
    page.get_by_text("This article was deleted, or is not yours any more.", exact=True).wait_for()


def test_authors_change_the_files_that_they_have_uploaded(blog, open_admin, writers):
    lin = blog.client("lin")
    used = add_file(blog.client("ida"), "of-ida.png", "teal")
    add_file(lin, "of-lin.png", "plum")
    # An author sees the files of others that their own articles use.
    quay = {"title": "Quay", "content": f"![](media:{used['uuid']})", "content_type": "markdown"}
    lin.post(ARTICLES, quay)
    for user, may_change in (("lin", ["lin"]), ("eda", ["ida", "lin"])):
        page = open_admin("/admin/media/", user=user)
        for owner in ("ida", "lin"):
            get_item(page, f"of-{owner}.png").click()
            panel = page.get_by_role("complementary", name=f"of-{owner}.png")
            panel.get_by_role("button", name="Copy Markdown").wait_for()
            number = int(owner in may_change)
            assert panel.get_by_role("button", name="Delete file").count() == number, (user, owner)
            assert panel.get_by_label("Alternative text", exact=True).count() == number, (user, owner)
