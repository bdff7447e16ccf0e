"""After a publication, the popover says what the webhooks have answered, and nothing else."""

from __future__ import annotations

import re

import pytest

from blogapi.delivery.webhooks import sender
from tests.admin.browsing import list_violations
from tests.admin.hooks import add_hook
from tests.admin.writing import get_button, type_at_end
from tests.delivery.webhooks.receiver import receive

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]


@pytest.fixture
def receiver(blog):
    """A receiver that the webhooks of the blog may call."""
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as running:
        yield running


@pytest.fixture
def sending(blog):
    """The thread of `serve` that makes the calls."""
    end = sender.start(blog.app)
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


def get_toast(page, text):
    return page.get_by_role("status").get_by_text(text)


def open_on_its_way(page):
    page.get_by_role("banner").get_by_role("button", name="Published", exact=True).click()
    return page.get_by_role("dialog", name="On its way to readers")


def test_without_webhooks_only_the_api_has_the_article(write, make):
    page = write(make("Nobody is told"))
    publish(page)
    get_toast(page, re.compile("^Published$")).wait_for()
    popover = open_on_its_way(page)
    popover.get_by_text("Everything that reads the API has it now.").wait_for()
    assert list_violations(page) == []
    assert not popover.get_by_role("link", name="Calls of the webhooks").count()


def test_the_site_is_called_and_then_being_built(write, make, api, add_build_hook, receiver, sending):
    hook = add_build_hook(quiet_seconds=600)
    api.post("webhooks/", {"name": "search index", "url": receiver.url})
    page = write(make("The site is built"))
    publish(page)
    get_toast(page, re.compile("^Published$")).wait_for()
    popover = open_on_its_way(page)
    popover.get_by_text(re.compile(r"harbour site: call at \d\d:\d\d:\d\d")).wait_for()
    # The popover follows the call until it is made.
    api.patch(hook, {"quiet_seconds": 1}, headers={"If-Match": "*"})
    popover.get_by_text(re.compile(r"harbour site: build asked for at \d\d:\d\d:\d\d")).wait_for()
    popover.get_by_text("Netlify answered 204. Netlify does not report whether the build succeeds").wait_for()
    popover.get_by_text("search index: called").wait_for()
    assert list_violations(page) == []
    assert len(receiver.calls) == 2
    page.goto("/admin/webhooks/")
    page.get_by_text("1 of 1 arrived").first.wait_for()
    assert page.get_by_text("Calls are sent by serve only").count() == 0


def test_a_failed_call_is_not_called_a_build(write, make, add_build_hook, receiver, sending):
    add_build_hook()
    receiver.answers.extend([(503, {"Retry-After": "3600"}, b"")] * 2)
    page = write(make("The site is not built"))
    publish(page)
    popover = open_on_its_way(page)
    popover.get_by_text(re.compile("harbour site: next try")).wait_for()
    popover.get_by_text("Last answer: 503").wait_for()
    popover.get_by_role("link", name="Calls of the webhooks").click()
    page.get_by_role("heading", name="Webhooks", exact=True).wait_for()


def test_an_update_says_that_nothing_is_sent(write, make, api, add_build_hook):
    add_build_hook()
    page = write(make("Not served", status="published"))
    type_at_end(page, " More.")
    get_button(page, "Update").click()
    popover = page.get_by_role("dialog", name="Update this article", exact=True)
    popover.get_by_role("button", name="Update", exact=True).click()
    get_toast(page, re.compile("^Updated$")).wait_for()
    open_on_its_way(page).get_by_text("Calls are sent by serve only.").wait_for()


def test_a_scheduled_article_is_not_told_yet(blog, write, make):
    add_hook(blog, "harbour site")
    page = write(make("Later"))
    get_button(page, "Publish").click()
    page.get_by_role("radio", name="Later", exact=True).check()
    page.get_by_label("Date", exact=True).fill("2099-11-29")
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    popover.get_by_role("button", name="Schedule", exact=True).click()
    get_toast(page, re.compile("^Scheduled$")).wait_for()


def test_a_phone_has_the_same_popover(write, make):
    page = write(make("On a phone", status="published"), width=390, height=844)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="On its way to readers").click()
    page.get_by_text("Everything that reads the API has it now.").wait_for()
