"""The overview: what to go on with, what comes next, and the health of the blog."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.admin.blogs import Client
from tests.admin.browsing import list_violations
from tests.admin.hooks import add_hook
from tests.browser import is_wider_than_the_window, wait_for_first
from tests.delivery.webhooks.receiver import receive

pytestmark = pytest.mark.sqlite("the pages use the API alone")


@pytest.fixture(scope="module", autouse=True)
def name_blog(api: Client) -> None:
    """Name the blog: for a new one, the page *Welcome* opens."""
    api.patch("blog/site/", {"title": "Harbour"})


def rows(page: Any, heading: str) -> list[str]:
    """Return the texts of the rows below a heading."""
    section = page.locator("section").filter(has=page.get_by_role("heading", name=heading, exact=True))
    return [str(text).replace("\n\n", "\n") for text in section.get_by_role("listitem").all_inner_texts()]


def test_the_overview_names_what_waits_and_what_comes(api, open_admin):
    now = {"published_at": "2026-05-01T00:00:00Z"}
    for title, fields in (
        ("Foghorn", {"status": "published", **now}),
        ("Later", {"status": "scheduled", "published_at": "2099-01-01T00:00:00Z"}),
        ("Tide", {"content": "one two"}),
    ):
        path = f"blog/articles/{api.post('blog/articles/', {'title': title, **fields})['uuid']}/"
        if title != "Later":
            api.put(f"{path}working-copy/", {"title": f"{title} again", "content": "three"})
    page = open_admin("/admin/")
    page.get_by_role("link", name="Tide again", exact=True).wait_for()
    writing = rows(page, "Go on writing")
    assert [text.split("\n")[:2] for text in writing] == [
        ["Tide again", "Draft in Uncategorised, 2 words"],
        ["Foghorn again", "Published, with edits that readers cannot see yet"],
    ]
    assert rows(page, "Scheduled next")[0].startswith("Later\nUncategorised, in 72 years")
    assert rows(page, "Published last") == ["Foghorn again\nUncategorised\n1 May 2026"]
    all_drafts = page.get_by_role("link", name="All drafts", exact=True)
    assert all_drafts.get_attribute("href") == "/admin/articles/?status=draft"
    assert list_violations(page) == []
    # On a phone, a whole row is the target.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("Draft in Uncategorised, 2 words").click(force=True)
    page.wait_for_url("**/admin/articles/*/")


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_an_article_of_this_minute_has_its_distance(api, open_admin, zone):
    api.patch("blog/site/", {"time_zone": zone})
    path = f"blog/articles/{api.post('blog/articles/', {'title': 'New', 'status': 'published'})['uuid']}/"
    page = open_admin("/admin/")
    page.get_by_role("heading", name="Health").wait_for()
    (row,) = [text for text in rows(page, "Published last") if text.startswith("New\n")]
    assert re.fullmatch(r"New\nUncategorised\n(Just now|\d min ago)", row)
    api.delete(path)
    api.patch("blog/site/", {"time_zone": "UTC"})


def hold(route, held):
    held.append(route) if route.request.method == "POST" else route.continue_()


def test_the_site_is_built_now(blog, api, open_admin):
    page = open_admin("/admin/")
    page.get_by_role("heading", name="Health").wait_for()
    assert page.get_by_role("heading", name="The site", exact=True).count() == 0
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as receiver:
        body = {"name": "harbour site", "url": receiver.url, "preset": "netlify"}
        path = f"webhooks/{api.post('webhooks/', body)['uuid']}/"
        # The checks of the blog, which can take seconds, do not delay the build.
        checks = []
        page.route("**/api/v1/doctor/", lambda route: hold(route, checks))
        page.reload()
        page.get_by_text("No build asked for yet").wait_for()
        receiver.answer(503)
        build = page.get_by_role("button", name="Build the site now")
        build.click()
        page.get_by_text("Netlify answered 503").wait_for()
        page.get_by_text("Checking…").wait_for()
        wait_for_first(page, checks).continue_()
        page.unroute("**/api/v1/doctor/")
        page.get_by_text("Check again").wait_for()
        build.click()
        page.get_by_text("Build asked for at").wait_for()
        page.get_by_text("Netlify answered 204. No change waits.").wait_for()
        assert [call.path for call in receiver.calls] == ["/secret/hook?trigger_title=Build"] * 2
    api.post(
        "blog/articles/", {"title": "Later", "status": "scheduled", "published_at": "2099-01-01T00:00:00Z"}
    )
    page.reload()
    page.get_by_text("in 72 years. The build hooks are called then").first.wait_for()
    assert list_violations(page) == []
    api.delete(path)


def test_a_failing_webhook_is_shown_with_its_cure(blog, api, open_admin):
    uuid = add_hook(blog, "newsletter", preset="standard", mode="each", paused="failures", position=0)
    page = open_admin("/admin/")
    cure = page.get_by_role("link", name="“newsletter” is paused")
    cure.wait_for()
    assert cure.get_attribute("href") == "/admin/webhooks/"
    page.get_by_text(re.compile(r"No answer for 3 days\. \d+ changes? waits? for it\.")).wait_for()
    api.delete(f"webhooks/{uuid}/")


def test_the_health_of_the_blog_can_be_checked_again(api, open_admin):
    page = open_admin("/admin/", width=320)
    page.get_by_role("link", name="There is no backup yet", exact=True).wait_for()
    before = api.get("doctor/")["checked"]
    page.get_by_role("button", name="Check again", exact=True).click()
    page.get_by_role("button", name="Check again", exact=True).wait_for()
    assert not is_wider_than_the_window(page)
    with page.expect_response("**/doctor/") as response:
        page.get_by_role("button", name="Check again", exact=True).click()
    assert response.value.json()["checked"] > before
    # Another page of the overview runs the checks.
    problem = {"status": 409, "json": {"code": "checks_running", "detail": "The checks are running already."}}
    page.route(
        "**/api/v1/doctor/",
        lambda route: route.fulfill(**problem) if route.request.method == "POST" else route.continue_(),
    )
    with page.expect_response(lambda response: response.status == 409):
        page.get_by_role("button", name="Check again", exact=True).click()
    page.get_by_role("button", name="Check again", exact=True).wait_for()
    assert page.get_by_role("alert").inner_text() == ""
    page.get_by_role("link", name="New article", exact=True).wait_for()
