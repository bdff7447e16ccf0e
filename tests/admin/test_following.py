"""After a publication, the popover says what the webhooks have answered, and nothing else."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from blogapi.accounts.users import service as users
from blogapi.delivery.webhooks import sender
from blogapi.web.access import Role
from tests.admin.blogs import PASSWORD
from tests.admin.browsing import list_violations, wait_for_copied
from tests.admin.demo import draw_picture
from tests.admin.hooks import add_hook
from tests.admin.writing import get_button, type_at_end
from tests.browser import is_wider_than_the_window, wait_until
from tests.delivery.webhooks.receiver import receive

pytestmark = pytest.mark.sqlite("the pages use the API alone")


@pytest.fixture
def receiver(blog):
    """A receiver that the webhooks of the blog may call."""
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as running:
        yield running


@pytest.fixture
def sending(blog):
    """The thread of `serve` that makes the calls."""
    end = sender.start_sender(blog.app)
    yield
    end()


@pytest.fixture(autouse=True)
def no_webhooks(api):
    """Delete the webhooks of the test."""
    yield
    for webhook in api.get("webhooks/"):
        api.delete(f"webhooks/{webhook['uuid']}/")


@pytest.fixture
def add_build_hook(api, receiver):
    """Return a function that creates a build hook of Netlify."""

    def add(**fields):
        times = {"quiet_seconds": 1, "interval_seconds": 0}
        body = {"name": "harbour site", "url": receiver.url, "preset": "netlify", **times} | fields
        return f"webhooks/{api.post('webhooks/', body)['uuid']}/"

    return add


def publish(page):
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    popover.get_by_role("button", name="Publish", exact=True).click()


def get_card(page):
    return page.get_by_role("dialog", name="On its way to readers")


def test_publishing_says_where_the_article_is(write, make, api):
    api.patch("blog/site/", {"url": ""})
    picture = draw_picture((400, 300), "#f2d5a9", "#5d7b87")
    cover = api.send("POST", "blog/media/?name=rope.jpg", data=picture)["url"]
    page = write(make("Nobody is told", cover_image=cover))
    publish(page)
    card = get_card(page)
    card.get_by_text(re.compile(r"^Published at \d\d:\d\d$")).wait_for()
    card.get_by_text("Readers can see it now", exact=True).wait_for()
    card.get_by_text("The blog has no address yet. Set it in Site").wait_for()
    assert card.locator("img").get_attribute("src") == urlsplit(cover).path
    assert card.get_by_role("listitem").count() == 1
    assert list_violations(page) == []
    assert page.locator(".toast").count() == 0
    # With an address, the focus is on the link to the article. The next key in the text closes the popover.
    api.patch("blog/site/", {"url": "https://rope.example"})
    page.reload()
    page.get_by_role("banner").get_by_role("button", name="Published", exact=True).click()
    wait_until(page, "document.activeElement.textContent.trim() === 'See it'")
    link = card.get_by_role("link", name="See it", exact=True)
    assert link.get_attribute("href") == "https://rope.example/nobody-is-told/"
    card.get_by_role("button", name="Copy", exact=True).click()
    wait_for_copied(page)
    assert page.evaluate("navigator.clipboard.readText()") == "https://rope.example/nobody-is-told/"
    assert card.get_by_role("button", name="Undo", exact=True).count() == 0
    page.evaluate("document.querySelector('.cm-content').focus()")
    page.keyboard.press("a")
    card.wait_for(state="detached")


@pytest.mark.parametrize(("public", "built_in"), [(False, False), (True, False), (False, True)])
def test_readers_may_wait_for_a_shared_cache(blog, write, make, api, monkeypatch, public, built_in):
    monkeypatch.setitem(blog.app.config, "PUBLIC_READS", public)
    api.patch("blog/site/", {"url": "https://rope.example", "built_in": built_in})
    page = write(make("Cached", status="published"))
    page.get_by_role("banner").get_by_role("button", name="Published", exact=True).click()
    words = "within 90 s" if public or built_in else "now"
    get_card(page).get_by_text(f"Readers can see it {words}", exact=True).wait_for()
    api.patch("blog/site/", {"built_in": False})


def test_a_scheduled_article_can_be_taken_back(blog, write, make, api):
    add_hook(blog, "harbour site")
    path = make("Later")
    page = write(path)
    get_button(page, "Publish").click()
    page.get_by_role("radio", name="Later", exact=True).check()
    page.get_by_label("Date", exact=True).fill("2099-11-29")
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    popover.get_by_role("button", name="Schedule", exact=True).click()
    card = get_card(page)
    card.get_by_text("Goes live on Sunday 29 November 2099 at 08:00", exact=True).wait_for()
    assert card.get_by_role("link", name="See it").count() == card.get_by_role("listitem").count() == 0
    assert card.get_by_role("button", name="Copy", exact=True).is_visible()
    card.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("As before").first.wait_for()
    assert api.get(f"{path}?fields=status") == {"status": "draft"}


def test_the_site_is_called_and_then_being_built(write, make, api, add_build_hook, receiver, sending):
    hook = add_build_hook(quiet_seconds=600)
    api.post("webhooks/", {"name": "search index", "url": receiver.url})
    page = write(make("The site is built"))
    publish(page)
    card = get_card(page)
    card.get_by_text(re.compile(r"^Your site is built again in [56]\d\d s \(Netlify\)$")).wait_for()
    # The popover follows the call until it is made.
    api.patch(hook, {"quiet_seconds": 1}, headers={"If-Match": "*"})
    card.get_by_text(re.compile(r"^Build asked for at \d\d:\d\d:\d\d \(Netlify answered 204\)$")).wait_for()
    card.get_by_text("search index: called").wait_for()
    assert list_violations(page) == []
    assert len(receiver.calls) == 2
    page.goto("/admin/webhooks/")
    page.get_by_text("1 of 1 arrived").first.wait_for()
    assert page.get_by_text("Calls wait until serve runs on the server").count() == 0


def test_a_failed_call_is_not_called_a_build(write, make, add_build_hook, receiver, sending):
    add_build_hook()
    receiver.answers.extend([(503, {"Retry-After": "3600"}, b"")] * 2)
    page = write(make("The site is not built"))
    publish(page)
    card = get_card(page)
    card.get_by_text(re.compile("harbour site: next try .* Last answer: 503.")).wait_for()
    card.get_by_role("link", name="See the calls").click()
    page.get_by_role("heading", name="Webhooks", exact=True).wait_for()


def test_an_update_says_that_nothing_is_sent(write, make, api, add_build_hook):
    add_build_hook()
    page = write(make("Not served", status="published"))
    type_at_end(page, " More.")
    get_button(page, "Update").click()
    popover = page.get_by_role("dialog", name="Update this article", exact=True)
    popover.get_by_role("button", name="Update", exact=True).click()
    card = get_card(page)
    card.get_by_text(re.compile(r"^Updated at \d\d:\d\d$")).wait_for()
    card.get_by_text("harbour site: calls wait until “serve” runs").wait_for()


def test_the_calls_of_webhooks_are_for_admins(blog, write, make, add_build_hook):
    add_build_hook()
    with blog.app.app_context():
        users.create_user("edith", PASSWORD, role=Role.EDITOR)
    page = write(make("Not for editors", status="published"), user="edith")
    page.get_by_role("banner").get_by_role("button", name="Published", exact=True).click()
    card = get_card(page)
    card.get_by_text(re.compile("^Readers can see it")).wait_for()
    assert card.get_by_role("listitem").count() == 1


def test_a_phone_has_the_same_popover(write, make):
    page = write(make("On a phone", status="published"), width=390, height=844)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="On its way to readers").click()
    page.get_by_text("Readers can see it now").wait_for()
    assert not is_wider_than_the_window(page)
