"""The lists keep their titles at every width of the window."""

from __future__ import annotations

import pytest

from tests.admin.browsing import wait_for_page
from tests.admin.demo import fill_blog
from tests.admin.hooks import add_demo_hooks
from tests.browser import is_wider_than_the_window

pytestmark = pytest.mark.sqlite("the pages use the API alone")

WIDTHS = (800, 1024, 1180, 1440)
MEASURE = "[...document.querySelectorAll('main .table tbody th')].map((cell) => cell.clientWidth)"


@pytest.fixture(scope="module")
def filled(blog, api):
    """A blog with content in each list."""
    fill_blog(blog, scale=8, pictures=3)
    add_demo_hooks(blog)
    api.post(
        "blog/pages/", {"title": "About the harbour and the people who work there", "status": "published"}
    )
    api.post("blog/redirects/own/", {"path": "/old/", "target": "https://shop.example/" + "long-" * 20})


@pytest.mark.parametrize(
    "path", ["articles", "pages", "categories", "tags", "authors", "redirects", "webhooks"]
)
def test_titles_have_room_at_every_width(filled, open_admin, path):
    page = open_admin(f"/admin/{path}/")
    wait_for_page(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found = page.evaluate(MEASURE)
        assert found and min(found) >= 160, (width, found)
        assert not is_wider_than_the_window(page)


@pytest.mark.parametrize("width", [390, *WIDTHS])
def test_a_selection_moves_no_column(filled, open_admin, width):
    page = open_admin("/admin/articles/", width=width)
    wait_for_page(page)
    select = page.get_by_role("button", name="Select", exact=True)
    if select.is_visible():
        select.click()
    where = "document.querySelector('tbody th').getBoundingClientRect().toJSON()"
    before = page.evaluate(where)
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_text("1 selected", exact=True).wait_for()
    assert page.evaluate(where) == before
    assert not is_wider_than_the_window(page)
