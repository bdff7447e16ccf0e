"""The page Redirects, as an admin uses it."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

OWN = "blog/redirects/own/"


def list_paths(api):
    return [(row["path"], row["target"], row["status"]) for row in api.get(OWN)]


def test_an_admin_creates_changes_finds_and_deletes_redirects(api, open_admin):
    page = open_admin("/admin/redirects/")
    page.get_by_role("heading", name="No redirects yet").wait_for()

    def fill_in(title, **values):
        dialog = page.get_by_role("dialog", name=title)
        for name, value in values.items():
            dialog.get_by_role("textbox", name=name, exact=True).fill(value)
        dialog.get_by_role("button", name="Save").click()
        return dialog

    page.get_by_role("button", name="New redirect").click()
    dialog = fill_in("New redirect", From="https://other.example/old", To="/new/")
    dialog.get_by_text("Not a path such as /old:").wait_for()
    assert list_violations(page) == []
    fill_in("New redirect", From="/old/", To="/old")
    dialog.get_by_text("It leads to a loop").wait_for()
    fill_in("New redirect", To="/new/")
    page.get_by_role("row", name="/old/ /new/").wait_for()
    assert list_paths(api) == [("/old/", "/new/", 301)]

    page.get_by_role("button", name="/old/", exact=True).click()
    page.get_by_role("combobox", name="Status").select_option("410")
    fill_in("Edit redirect")
    page.get_by_role("cell", name="Gone").wait_for()
    assert list_paths(api) == [("/old/", "", 410)]

    api.post(OWN, {"path": "/shop/", "target": "https://shop.example/" + "long-" * 40})
    page.reload()
    page.get_by_role("searchbox", name="Search redirects").fill("zzz")
    page.get_by_role("status").filter(has_text="No redirect contains “zzz”.").wait_for()
    page.get_by_role("searchbox", name="Search redirects").fill("shop")
    page.get_by_role("button", name="/old/", exact=True).wait_for(state="detached")
    page.set_viewport_size({"width": 320, "height": 700})
    assert list_violations(page) == [] and not is_wider_than_the_window(page)

    # The page adds the first slash.
    page.get_by_role("button", name="New redirect").click()
    fill_in("New redirect", From="shop/page.html", To="/new/")
    page.get_by_role("button", name="Actions for /shop/page.html").click()
    page.get_by_role("menuitem", name="Delete redirect").click()
    page.get_by_text("The redirect from /shop/page.html is deleted.").wait_for()

    page.get_by_role("button", name="Actions for /shop/", exact=True).click()
    page.get_by_role("menuitem", name="Delete redirect").click()
    page.get_by_text("The redirect from /shop/ is deleted.", exact=True).wait_for()
    assert len(list_paths(api)) == 1
    page.get_by_role("button", name="Undo").click()
    wait_until(page, "document.querySelector('admin-page').total === 1")
    assert len(list_paths(api)) == 2
