"""The first page of a new blog."""

from __future__ import annotations

import pytest

from tests.admin.browsing import AdminPages, list_violations
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def test_a_new_blog_is_named_once(make_blog, browser):
    blog = make_blog()
    api = blog.client("ida")
    pages = AdminPages(browser, blog)
    try:
        page = pages("/admin/")
        name = page.get_by_label("Name of the blog", exact=True)
        name.wait_for()
        assert page.url.endswith("/admin/welcome/")
        wait_until(page, "document.activeElement.name === 'title'")
        assert page.get_by_role("heading", level=1).inner_text().endswith(", ida")
        assert list_violations(page) == []
        page.get_by_role("button", name="Write the first article", exact=True).click()
        page.get_by_text("Name the blog.").wait_for()
        name.press_sequentially("Quay & <i>co</i>")
        page.locator(".welcome-name").get_by_text("Quay & <i>co</i>", exact=True).wait_for()
        page.get_by_label("Your name", exact=True).fill("Ida Vik")
        page.get_by_label("Language", exact=True).select_option("pt-PT")
        page.get_by_label("Time zone", exact=True).select_option("Europe/Lisbon")
        page.get_by_label("At this address", exact=True).check()
        page.get_by_label("Address of the site", exact=True).fill("quay.example")
        page.set_viewport_size({"width": 390, "height": 844})
        assert not is_wider_than_the_window(page)
        name.press("Enter")
        page.get_by_text("https:// is missing in front").wait_for()
        assert list_violations(page) == []
        page.get_by_label("Address of the site", exact=True).fill("https://quay.example")
        name.press("Enter")
        page.wait_for_url("**/admin/articles/new/")
        site = api.get("blog/site/")
        expected = ("Quay & <i>co</i>", "pt-PT", "Europe/Lisbon", "https://quay.example")
        assert tuple(site[name] for name in ("title", "language", "time_zone", "url")) == expected
        assert "Ida Vik" in [author["name"] for author in api.get("blog/authors/")]
        page.goto("/admin/")
        page.get_by_role("heading", name="Nothing waits", exact=True).wait_for()
        assert pages.faults == []
    finally:
        pages.close()


def test_looking_around_first_needs_no_name(make_blog, browser):
    pages = AdminPages(browser, make_blog())
    try:
        page = pages("/admin/")
        page.get_by_role("button", name="Look around first", exact=True).click()
        page.get_by_role("heading", name="A site for readers", exact=True).wait_for()
        assert page.url.endswith("/admin/")
        assert list_violations(page) == []
        link = page.get_by_role("link", name="Astro and Next.js", exact=True)
        assert page.request.get(link.get_attribute("href")).ok
        assert pages.faults == []
    finally:
        pages.close()
