"""Every admin page: axe finds nothing, and nothing is wider than the window."""

from __future__ import annotations

import pytest

from blogapi.admin import routes
from tests.admin.browsing import list_violations, wait_for_page
from tests.admin.demo import SPLICE, fill_blog
from tests.admin.hooks import add_demo_hooks
from tests.browser import is_wider_than_the_window

pytestmark = pytest.mark.sqlite("the pages use the API alone")

PATHS = [page.path for page in routes.PAGES]


@pytest.fixture(scope="module")
def article(blog):
    """The uuid of a draft in a blog with content."""
    return fill_blog(blog, scale=8, pictures=3)[SPLICE]


@pytest.fixture(scope="module")
def webhook(blog):
    """The uuid of a webhook with calls."""
    return add_demo_hooks(blog)["harbour site"]


@pytest.fixture(scope="module")
def item(article, api):
    """The uuid of a page below another one."""
    api.post(
        "blog/fields/", {"name": "reviewed_on", "label": "Reviewed on", "type": "date", "kinds": ["page"]}
    )
    api.post("blog/redirects/own/", {"path": "/old/", "target": "https://shop.example/" + "long-" * 20})
    above = api.post("blog/pages/", {"title": "About", "status": "published"})["uuid"]
    return api.post("blog/pages/", {"title": "Imprint", "content": "Words.", "parent": above})["uuid"]


@pytest.fixture
def open_loaded(article, item, webhook, open_admin):
    """Return a function that opens a page and waits for its data."""

    def open_it(path, **options):
        uuid = {"webhooks": webhook, "pages": item}.get(path.split("/")[1], article)
        page = open_admin(f"/admin{path.replace('<id:id>', uuid)}", **options)
        wait_for_page(page)
        return page

    return open_it


@pytest.mark.parametrize("path", PATHS)
def test_everybody_can_use_a_page(open_loaded, path):
    """axe finds nothing in the light and in the dark page, and nothing is wider than a phone."""
    page = open_loaded(path)
    assert page.evaluate("document.querySelector('admin-page')?.state ?? 'ready'") == "ready"
    assert list_violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    assert list_violations(page, "target-size") == []
