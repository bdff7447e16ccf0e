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
        page.get_by_label("Time zone", exact=True).focus()
        page.get_by_label("Time zone", exact=True).select_option("Europe/Lisbon")
        here = page.get_by_label("Here", exact=True)
        assert here.is_checked() and not page.get_by_label("Address of the site", exact=True).is_visible()
        line = "Readers cannot reach this address; change it under Site when the blog has its own."
        assert page.get_by_text(line).is_visible()
        page.get_by_label("In a site of my own", exact=True).check()
        page.get_by_label("Address of the site", exact=True).fill("quay.example")
        page.set_viewport_size({"width": 390, "height": 844})
        assert not is_wider_than_the_window(page)
        name.press("Enter")
        page.get_by_text("https:// is missing in front").wait_for()
        assert list_violations(page) == []
        page.get_by_label("Address of the site", exact=True).fill("https://quay.example")
        page.route("**/blog/authors/*/", lambda route: route.abort(), times=1)
        name.press("Enter")
        page.get_by_role("alert").get_by_text("The blog does not answer.").wait_for()
        name.press("Enter")
        page.wait_for_url("**/admin/articles/new/")
        site = api.get("blog/site/")
        expected = ("Quay & <i>co</i>", "pt-PT", "Europe/Lisbon", "https://quay.example")
        assert tuple(site[name] for name in ("title", "language", "time_zone", "url")) == expected
        assert site["built_in"] is False
        assert "Ida Vik" in [author["name"] for author in api.get("blog/authors/")]
        page.goto("/admin/")
        page.get_by_role("heading", name="Nothing here yet", exact=True).wait_for()
        assert pages.faults == []
    finally:
        pages.close()


def test_looking_around_first_needs_no_name(make_blog, browser):
    pages = AdminPages(browser, make_blog())
    try:
        page = pages("/admin/")
        page.get_by_label("In a site of my own", exact=True).check()
        page.get_by_role("button", name="Look around first", exact=True).click()
        page.get_by_role("heading", name="A site for readers", exact=True).wait_for()
        assert page.url.endswith("/admin/")
        assert list_violations(page) == []
        link = page.get_by_role("link", name="Astro and Next.js", exact=True)
        assert page.request.get(link.get_attribute("href")).ok
        assert pages.faults == []
    finally:
        pages.close()


def test_a_new_blog_is_shown_here(make_blog, browser):
    blog = make_blog()
    api = blog.client("ida")
    pages = AdminPages(browser, blog)
    try:
        page = pages("/admin/")
        page.get_by_role("button", name="Look around first", exact=True).click()
        links = page.locator(".side .see-site")
        links.wait_for()
        assert page.url.endswith("/admin/") and links.get_attribute("href") == "/"
        site = api.get("blog/site/")
        assert (site["built_in"], site["url"]) == (True, blog.origin)
        assert page.get_by_role("heading", name="A site for readers", exact=True).count() == 0
        # The overview repeats that readers cannot reach the address.
        page.get_by_role("link", name="Readers cannot reach this address", exact=True).click()
        page.get_by_label("Address of the site", exact=True).wait_for()
        page.get_by_role("link", name="The blog", exact=True).click()
        switch = page.get_by_label("Show the blog here", exact=True)
        switch.wait_for()
        assert switch.is_checked()
        page.goto("/admin/welcome/")
        page.get_by_label("Here", exact=True).wait_for()
        assert page.get_by_label("Here", exact=True).is_checked()
        assert pages.faults == []
    finally:
        pages.close()


@pytest.mark.parametrize("use", ["an article", "a key", "an address"])
def test_a_blog_that_is_in_use_stays_as_it_is(make_blog, browser, use):
    blog = make_blog()
    api = blog.client("ida")
    if use == "an article":
        api.post("blog/articles/", {"title": "Bread", "content": "Flour"})
    elif use == "a key":
        api.post("auth/api-key/")
    else:
        api.patch("blog/site/", {"url": "https://quay.example"})
    pages = AdminPages(browser, blog)
    try:
        page = pages("/admin/welcome/")
        own = page.get_by_label("In a site of my own", exact=True)
        own.wait_for()
        address = page.get_by_label("Address of the site", exact=True)
        assert own.is_checked()
        assert address.input_value() == ("https://quay.example" if use == "an address" else "")
        page.get_by_role("button", name="Look around first", exact=True).click()
        page.wait_for_url("**/admin/")
        assert api.get("blog/site/")["built_in"] is False
        assert pages.faults == []
    finally:
        pages.close()
