"""The pages Backups and Site."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from PIL import Image

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until
from tests.delivery.webhooks.receiver import receive

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def test_a_backup_is_made_checked_fetched_and_deleted(api, open_admin, blog):
    for article in api.get("blog/articles/?status=any&fields=uuid"):
        api.delete(f"blog/articles/{article['uuid']}/")
    page = open_admin("/admin/backups/")
    page.get_by_role("heading", name="No backup yet").wait_for()
    page.get_by_role("button", name="Make a backup").click()
    actions = page.get_by_role("button", name="Actions for the backup")
    actions.click()
    page.get_by_role("menuitem", name="Check").click()
    page.get_by_text("The backup can be restored. 0 articles").wait_for()
    assert list_violations(page) == []
    actions.click()
    with page.expect_download() as fetched:
        page.get_by_role("menuitem", name="Download").click()
    (backup,) = api.get("backups/")
    assert fetched.value.suggested_filename == backup["name"]
    assert fetched.value.path().stat().st_size == backup["size"]
    actions.click()
    page.get_by_role("menuitem", name="Delete backup").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete backup").click()
    page.get_by_role("heading", name="No backup yet").wait_for()
    assert api.get("backups/") == []
    Path(blog.app.instance_path, "backups", "daily-2026-01-01.zip").write_bytes(b"Dear reader")
    page.reload()
    page.get_by_role("cell", name="Unreadable").wait_for()


def show_tab(page, name):
    page.get_by_role("navigation", name="Parts of this page").get_by_role(
        "link", name=name, exact=True
    ).click()


def test_the_blog_is_shown_here_by_one_switch(api, open_admin, blog):
    api.patch("blog/site/", {"url": "", "title": "Quay"})
    page = open_admin("/admin/")
    assert not page.locator(".side .see-site").is_visible()
    page.get_by_role("link", name="Show it here", exact=True).click()
    switch = page.get_by_label("Show the blog here", exact=True)
    wait_until(page, "document.activeElement.id === 'field-built_in'")
    assert "without a key; drafts stay yours" in page.locator("#built_in-help").inner_text()
    switch.check()
    show_tab(page, "Addresses")
    address = page.get_by_label("Address of the site")
    assert address.input_value() == blog.origin
    address.fill("")
    show_tab(page, "The blog")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The built-in site needs an address").wait_for()
    assert list_violations(page) == []
    show_tab(page, "Addresses")
    address.fill(blog.origin)
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    assert page.locator(".side .see-site").is_visible()
    assert (api.get("blog/site/")["built_in"], api.get("blog/site/")["url"]) == (True, blog.origin)
    show_tab(page, "The blog")
    switch.uncheck()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Not saved yet").wait_for(state="detached")
    assert api.get("blog/site/")["built_in"] is False
    api.patch("blog/site/", {"url": ""})


def test_the_fields_of_the_site_are_changed(api, open_admin):
    page = open_admin("/admin/site/")
    page.get_by_label("Title", exact=True).fill("Notes from the harbour")
    zone = page.get_by_label("Time zone", exact=True)
    assert zone.locator("option").all_inner_texts() == ["UTC"]
    zone.focus()
    zone.select_option("Europe/Lisbon")
    page.get_by_role("button", name="Add another address").click()
    page.get_by_label("Word", exact=True).fill("About")
    page.get_by_label("Leads to").fill("/about/")
    show_tab(page, "Addresses")
    page.get_by_label("Address of the site").fill("harbour")
    show_tab(page, "Languages")
    assert not page.get_by_role("complementary", name="As others see it").is_visible()
    page.get_by_role("button", name="Save").click()
    # The tab of the faulty field is shown, and nothing that was entered is lost.
    page.get_by_text("Must be an absolute http(s) URL").wait_for()
    assert page.url.endswith("/admin/site/addresses/")
    assert page.evaluate("document.activeElement.id") == "field-url"
    assert list_violations(page) == []
    page.get_by_label("Address of the site").fill("https://harbour.example/")
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    site = api.get("blog/site/")
    assert (site["title"], site["time_zone"]) == ("Notes from the harbour", "Europe/Lisbon")
    assert (site["url"], site["navigation"]) == (
        "https://harbour.example",
        [{"label": "About", "url": "/about/"}],
    )
    page.get_by_role("navigation").get_by_text("Notes from the harbour").wait_for()
    page.go_back()
    page.wait_for_url("**/admin/site/languages/")
    show_tab(page, "The blog")
    page.get_by_role("button", name="Remove About").click()
    wait_until(page, "document.activeElement.id === 'main'")
    page.get_by_text("Not saved yet").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    assert api.get("blog/site/")["navigation"] == []
    requests = []
    page.route("**/api/v1/blog/site/", lambda route: requests.append(route))
    title = page.get_by_label("Title", exact=True)
    title.fill("First")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saving…").wait_for()
    title.fill("Second")
    wait_for_first(page, requests).continue_()
    wait_until(page, "!document.querySelector('[aria-busy]')")
    assert (title.input_value(), api.get("blog/site/")["title"]) == ("Second", "First")
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.get_by_role("link", name="Media", exact=True).click()
    assert wait_for_first(page, questions) == "beforeunload"
    assert page.url == f"{open_admin.origin}/admin/site/"


@pytest.mark.parametrize("address", ["", "https://harbour.example/blog"])
def test_a_page_is_added_to_the_navigation(api, open_admin, address):
    above = api.post("blog/pages/", {"title": "Our boats", "status": "published"})
    below = api.post("blog/pages/", {"title": "Patience", "status": "published", "parent": above["uuid"]})
    api.patch("blog/site/", {"url": address, "navigation": []})
    page = open_admin("/admin/site/")
    picker = page.get_by_role("combobox", name="Add a page")
    picker.press_sequentially("pati")
    page.get_by_role("option").get_by_text("Patience").wait_for()
    assert list_violations(page) == []
    page.keyboard.press("Enter")
    page.get_by_label("Word", exact=True).wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    (entry,) = api.get("blog/site/")["navigation"]
    assert entry == {"label": "Patience", "url": f"/{above['slug']}/{below['slug']}/"}
    api.patch("blog/site/", {"url": "", "navigation": []})
    for uuid in (below["uuid"], above["uuid"]):
        api.delete(f"blog/pages/{uuid}/")


def test_a_site_that_somebody_else_changed_is_not_overwritten(api, open_admin):
    page = open_admin("/admin/site/", width=320, height=700)
    description = page.get_by_label("Description", exact=True)
    description.fill("Mine")
    api.patch("blog/site/", {"description": "Theirs", "language": "de"})
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Somebody else has saved “Theirs”. Save again to replace it.").wait_for()
    assert api.get("blog/site/")["description"] == "Theirs"
    assert description.input_value() == "Mine"
    assert page.get_by_label("Language", exact=True).input_value() == "de"
    assert not is_wider_than_the_window(page)
    names = "[...document.querySelectorAll('.site-picture .name')]"
    assert page.evaluate(f"{names}.filter((name) => name.scrollWidth <= name.clientWidth).length") == 2
    api.patch("blog/site/", {"language": "fr"})
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    site = api.get("blog/site/")
    assert (site["description"], site["language"]) == ("Mine", "fr")


def test_the_address_of_the_site_is_checked(blog, api, open_admin):
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as receiver:
        api.patch("blog/site/", {"title": "Harbour", "url": f"http://127.0.0.1:{receiver.port}"})
        page = open_admin("/admin/site/addresses/")
        page.get_by_role("button", name="Check the address", exact=True).click()
        page.get_by_text("The address answers with the status 204.").wait_for()
        link = b'<link rel="alternate" type="application/rss+xml" href="feed.xml">'
        receiver.answer(200, {}, link)
        receiver.answer(200, {}, b"<title>Harbour</title>")
        page.get_by_role("button", name="Check again", exact=True).click()
        page.get_by_text("The site answers, and its feed names this blog.").wait_for()
        assert list_violations(page) == []
        page.get_by_label("Address of the site", exact=True).fill("https://other.example")
        page.get_by_text("its feed names this blog").wait_for(state="detached")


def test_the_logo_is_chosen_from_more_than_one_page_of_pictures(api, open_admin):
    for number in range(30):
        content = io.BytesIO()
        Image.new("RGB", (64 + number, 48), (200, number * 8, 40)).save(content, "PNG")
        options = {"data": content.getvalue(), "content_type": "image/png"}
        api.post(f"blog/media/?name=picture-{number:02}.png", **options)
    cover = api.get("blog/media/?q=picture-07")[0]["url"]
    fields = {"title": "Newest", "status": "published", "cover_image": cover}
    api.post("blog/articles/", fields)
    api.patch("blog/site/", {"title": "Harbour", "url": "https://harbour.example", "logo": ""})
    page = open_admin("/admin/site/")
    page.get_by_label("Title", exact=True).fill("Quay")
    page.get_by_role("group", name="In a search").get_by_text("Quay", exact=True).wait_for()
    show_tab(page, "Addresses")
    page.get_by_label("Path of an article").fill("/{year}/{category}/{slug}/")
    page.get_by_text(re.compile(r"/\d{4}/uncategorised/newest/$")).wait_for()
    page.get_by_text("the blog keeps no redirects from the old ones").wait_for()
    show_tab(page, "The blog")
    page.get_by_role("button", name="Choose the logo").click()
    page.get_by_text("24 of 30 pictures", exact=True).wait_for()
    page.get_by_role("button", name="Show more", exact=True).click()
    page.get_by_text("30 pictures", exact=True).wait_for()
    assert list_violations(page) == []
    page.get_by_role("button", name="picture-00.png", exact=True).click()
    page.get_by_role("button", name="Use as logo", exact=True).click()
    page.get_by_role("group", name="Logo", exact=True).get_by_text("picture-00").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text(re.compile(r"^Saved \d\d:\d\d$")).wait_for()
    assert "picture-00" in api.get("blog/site/")["logo"]
    assert list_violations(page) == []
    page.get_by_role("button", name="Remove the logo").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("None. The title is shown instead.", exact=True).wait_for()
    wait_until(page, "document.querySelector('.page-head .soft').innerText.startsWith('Saved')")
    assert api.get("blog/site/")["logo"] == ""
