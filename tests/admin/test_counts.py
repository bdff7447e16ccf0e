"""How many keys it takes to write and publish a text, and how many clicks to begin a blog."""

from __future__ import annotations

import pytest

from blogapi.accounts.users import links
from tests.admin.blogs import PASSWORD, open_app, serve_blog
from tests.admin.browsing import AdminPages, wait_for_page
from tests.admin.writing import ARTICLES, get_button
from tests.browser import wait_until
from tests.pictures import make_picture

pytestmark = pytest.mark.sqlite("the pages use the API alone")

# Text that is inserted at once presses no keys. A key with Shift is one key. A click on a label causes a
# second event `click`, but no second `pointerdown`.
COUNT = """for (const name of ["keydown", "pointerdown"]) {
  addEventListener(name, ({ isTrusted, key }) => {
    const isAlone = !["Control", "Shift", "Alt", "Meta"].includes(key);
    if (isTrusted && isAlone) sessionStorage[name] = Number(sessionStorage[name] ?? 0) + 1;
  }, { capture: true });
}"""
MAX_KEYS = 12
MAX_CLICKS = 13


def count_events(page, name):
    return int(page.evaluate("(name) => sessionStorage[name] ?? 0", name))


def write_article(page, text):
    """Write the title and the text, from the field of the title on."""
    wait_until(page, "document.activeElement.name === 'title'")
    page.keyboard.insert_text("Low water")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    wait_until(page, "document.activeElement.matches('.cm-content')")
    page.keyboard.insert_text(text)


def test_a_text_is_written_and_published_with_twelve_keys(open_admin, api):
    page = open_admin("about:blank")
    page.add_init_script(COUNT)
    page.goto("/admin/articles/new/")
    write_article(page, "The quay is dry at *six*.")
    wait_until(page, "document.activeElement.matches('.cm-content')")
    while not page.evaluate("document.activeElement.matches('.split > .main:not(.icon-only)')"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Publish this article", exact=True).wait_for()
    while not page.evaluate("document.activeElement.matches('.popover .main')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="On its way to readers", exact=True).wait_for()
    assert 6 < count_events(page, "keydown") <= MAX_KEYS
    assert count_events(page, "pointerdown") == 0
    (article,) = api.get(f"{ARTICLES}?fields=title,status,content")
    assert article == {"title": "Low water", "status": "published", "content": "The quay is dry at *six*."}


def test_a_new_blog_has_its_first_article_with_thirteen_clicks(browser, tmp_path):
    with open_app(tmp_path / "instance") as app, app.app_context():
        link = links.create_setup_link().path
    picture = {
        "name": "quay.jpg",
        "mimeType": "image/jpeg",
        "buffer": make_picture("#5d7b87", "JPEG", (800, 600)),
    }
    with serve_blog(tmp_path / "instance") as blog:
        pages = AdminPages(browser, blog)
        page = pages(link, user="")
        page.add_init_script(COUNT)
        page.reload()
        wait_for_page(page, "document.activeElement.name === 'username'")
        page.keyboard.insert_text("ida")
        page.keyboard.press("Tab")
        page.keyboard.insert_text(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/admin/welcome/")
        wait_until(page, "document.activeElement.name === 'title'")
        page.keyboard.insert_text("Notes from the harbour")
        get_button(page, "Write the first article").click()
        page.wait_for_url("**/admin/articles/new/")
        write_article(page, "The quay is dry at six.\n\n")
        get_button(page, "Picture").click()
        dialog = page.get_by_role("dialog", name="Add a picture", exact=True)
        with page.expect_file_chooser() as chooser:
            dialog.get_by_text("Upload from this device").click()
        chooser.value.set_files(picture)
        wait_until(page, "document.activeElement.id === 'alt-0'")
        page.keyboard.insert_text("The quay")
        dialog.get_by_role("button", name="Insert", exact=True).click()
        dialog.wait_for(state="hidden")
        get_button(page, "Details").click()
        get_button(page, "Take the first picture of the text").click()
        tags = page.get_by_role("combobox", name="Tags")
        tags.click()
        for tag in ("harbour", "tides"):
            page.keyboard.insert_text(tag)
            page.get_by_role("option", name=f"Create the tag “{tag}”").wait_for()
            page.keyboard.press("Enter")
            page.locator("term-picker").get_by_text(tag, exact=True).wait_for()
        get_button(page, "Publish").click()
        popover = page.get_by_role("dialog", name="Publish this article", exact=True)
        popover.get_by_role("radio", name="Later", exact=True).click()
        popover.get_by_role("button", name="Schedule", exact=True).click()
        page.get_by_role("dialog", name="On its way to readers", exact=True).wait_for()
        assert 8 < count_events(page, "pointerdown") <= MAX_CLICKS
        fields = "title,status,content,cover_image,tags"
        (article,) = blog.client("ida").get(f"{ARTICLES}?status=any&fields={fields}")
        assert (article["title"], article["status"]) == ("Low water", "scheduled")
        assert article["content"].startswith("The quay is dry at six.\n\n![The quay](media:")
        assert article["cover_image"].endswith("/quay.jpg")
        assert sorted(tag["name"] for tag in article["tags"]) == ["harbour", "tides"]
        assert pages.faults == []
        pages.close()
