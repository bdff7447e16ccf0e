"""The pages of webhooks: the list with the calls, and the form."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations, wait_for_announcement, wait_for_page
from tests.admin.hooks import add_demo_hooks, add_hook
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until
from tests.delivery.webhooks.receiver import receive

pytestmark = pytest.mark.sqlite("the pages use the API alone")


@pytest.fixture
def receiver(blog):
    """A receiver that the webhooks of the blog may call."""
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as running:
        yield running


@pytest.fixture(autouse=True)
def no_webhooks(api):
    """Delete the webhooks of the test."""
    yield
    for webhook in api.get("webhooks/"):
        api.delete(f"webhooks/{webhook['uuid']}/")


def act(page, name, action):
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.get_by_role("menuitem", name=action, exact=True).click()


def get_row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader").filter(has_text=name))


def get_calls(page, name):
    """Return the calls of a webhook, in the row below its own."""
    return get_row(page, name).locator("+ tr > td > details")


def test_an_empty_list_says_what_a_webhook_does(open_admin):
    page = open_admin("/admin/webhooks/")
    page.get_by_role("heading", name="There are no webhooks yet").wait_for()
    page.get_by_role("link", name="New webhook").wait_for()


def test_the_list_says_how_the_calls_go(blog, open_admin):
    add_demo_hooks(blog)
    page = open_admin("/admin/webhooks/")
    wait_for_page(page)
    page.get_by_text("Calls wait until serve runs on the server").wait_for()
    text = {
        name: get_row(page, name).inner_text() + get_row(page, name).locator("+ tr").inner_text()
        for name in ("harbour site", "search index", "old preview")
    }
    assert "Netlify, build hook" in text["harbour site"]
    assert "20 of 20 arrived, one at the second try" in text["harbour site"]
    assert re.search(r"Trying again (tomorrow )?at \d\d:\d\d", text["search index"])
    assert "17 of 20 arrived" in text["search index"]
    assert "No answer in 10 s" in text["search index"]
    assert "Paused by you" in text["old preview"] and "No call yet" in text["old preview"]
    page.get_by_text("“newsletter” has not answered since").wait_for()
    page.get_by_role("button", name="Resume newsletter").click()
    page.get_by_text("“newsletter” is called again").wait_for()
    assert "Paused" not in get_row(page, "newsletter").inner_text()


def test_a_paused_copy_and_lost_changes_are_explained(blog, open_admin):
    add_hook(blog, "copied", paused="copied")
    page = open_admin("/admin/webhooks/")
    page.get_by_text("Paused after the restore. Resume what this copy may call").wait_for()


def test_a_webhook_is_created_and_its_secret_is_shown_once(api, open_admin, receiver):
    page = open_admin("/admin/webhooks/new/")
    page.get_by_role("radio", name="Another service", exact=True).check()
    page.get_by_label("Name", exact=True).fill("search index")
    page.get_by_label("Address", exact=True).fill("https://10.0.0.7/")
    page.get_by_role("button", name="Create webhook").click()
    page.get_by_text("10.0.0.7 is in a private network. The setting WEBHOOK_HOSTS can allow it.").wait_for()
    page.get_by_label("Address", exact=True).fill(receiver.url)
    page.get_by_role("button", name="Add a header").click()
    page.get_by_label("Header", exact=True).fill("X-Key")
    page.get_by_label("Value", exact=True).fill("k3y")
    page.get_by_role("checkbox", name="Tags").uncheck()
    page.get_by_role("checkbox", name="Unlisted articles and pages").check()
    page.get_by_role("checkbox", name="Failed backups").check()
    page.get_by_text("x-key: •••").wait_for()
    page.get_by_role("button", name="Create webhook").click()
    secret = page.get_by_role("textbox", name="Secret of “search index”. Copy it now").input_value()
    assert secret.startswith("whsec_")
    assert list_violations(page) == []
    (webhook,) = api.get("webhooks/")
    unlisted = ["article.unlisted", "page.unlisted"]
    listed = ["article.*", "page.*", "category.*", "author.*", "site.*"]
    assert webhook["events"] == [*listed, *unlisted, "backup.*"]
    assert page.url.endswith(f"/admin/webhooks/{webhook['uuid']}/change/")
    page.get_by_role("button", name="Send a test call").click()
    page.get_by_text("204 No Content").wait_for()
    assert receiver.calls[0].headers["x-key"] == "k3y"
    page.get_by_text("Sent now: X-Key.").wait_for()
    page.get_by_label("Name", exact=True).fill("index")
    page.get_by_role("button", name="Save webhook").click()
    page.wait_for_url("**/admin/webhooks/")
    (changed,) = api.get("webhooks/")
    assert (changed["name"], changed["header_names"]) == ("index", ["X-Key"])
    assert changed["events"] == webhook["events"]


def test_leaving_a_changed_form_asks(open_admin):
    page = open_admin("/admin/webhooks/new/")
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.get_by_role("link", name="Media", exact=True).click()
    page.wait_for_url("**/admin/media/")
    assert questions == []
    page.go_back()
    page.get_by_label("Name", exact=True).fill("index")
    page.get_by_role("link", name="Media", exact=True).click()
    assert wait_for_first(page, questions) == "beforeunload"
    assert page.url == f"{open_admin.origin}/admin/webhooks/new/"


def test_a_build_hook_is_tried_before_it_is_created(api, open_admin, receiver):
    page = open_admin("/admin/webhooks/new/")
    page.get_by_label("Name", exact=True).fill("harbour site")
    address = page.get_by_label("Address of the build hook", exact=True)
    address.fill(receiver.url)
    assert address.get_attribute("type") == "password"
    page.get_by_label("Not more often than every").fill("120")
    page.get_by_text("and the next goes out at 14:34:10").wait_for()
    receiver.answer(503, body=b"<b>busy</b>")
    page.get_by_role("button", name="Send a test call").click()
    page.get_by_text("503 Service Unavailable").wait_for()
    page.get_by_text("<b>busy</b>", exact=True).wait_for()
    wait_for_announcement(page, "The call has failed")
    page.get_by_role("button", name="Send a test call").click()
    page.get_by_text("Netlify took the call. Only Netlify knows whether the build succeeds.").wait_for()
    wait_for_announcement(page, "The call has arrived")
    assert list_violations(page) == []
    page.get_by_role("button", name="Create webhook").click()
    page.wait_for_url("**/admin/webhooks/")
    (webhook,) = api.get("webhooks/")
    assert (webhook["preset"], webhook["mode"], webhook["interval_seconds"]) == ("netlify", "combined", 120)


def test_the_token_of_github_is_not_sent_to_another_receiver(api, open_admin, receiver):
    page = open_admin("/admin/webhooks/new/")
    page.get_by_role("radio", name="GitHub").check()
    page.get_by_label("Name", exact=True).fill("pages")
    page.get_by_label("Address of the build hook", exact=True).fill(receiver.url)
    page.get_by_label("Token", exact=True).fill("t0ken")
    page.get_by_role("button", name="Create webhook").click()
    page.wait_for_url("**/admin/webhooks/")
    (webhook,) = api.get("webhooks/")
    api.post(f"webhooks/{webhook['uuid']}/test/")
    assert receiver.calls[0].headers["authorization"] == "Bearer t0ken"
    page.goto(f"/admin/webhooks/{webhook['uuid']}/change/")
    page.get_by_text("Empty: the token stays.").wait_for()
    # The example of what is sent does not come, but the user saves.
    page.route("**/webhooks/sample/", lambda route: None)
    page.get_by_role("radio", name="Vercel").check()
    page.get_by_role("button", name="Save webhook").click()
    page.wait_for_url("**/admin/webhooks/")
    assert api.get("webhooks/")[0]["header_names"] == []


def test_the_messages_about_one_receiver_are_not_shown_for_another(open_admin):
    page = open_admin("/admin/webhooks/new/")
    wait_for_page(page)
    page.get_by_role("button", name="Create webhook").click()
    wrong = page.get_by_label("Address of the build hook", exact=True).and_(
        page.locator("[aria-invalid=true]")
    )
    wrong.wait_for()
    # The example for this receiver cannot be loaded.
    page.route("**/webhooks/sample/", lambda route: route.abort(), times=1)
    page.get_by_role("radio", name="Vercel").check()
    page.get_by_text("The blog does not answer.", exact=True).wait_for()
    assert wrong.count() == 0
    page.get_by_role("radio", name="GitHub").check()
    page.get_by_label("Token", exact=True).wait_for()
    page.get_by_text("The blog does not answer.", exact=True).wait_for(state="detached")


def test_the_menu_of_a_webhook(api, open_admin, receiver):
    body = {"name": "index", "url": receiver.url}
    path = f"webhooks/{api.post('webhooks/', body)['uuid']}/"
    page = open_admin("/admin/webhooks/")
    act(page, "index", "Test call")
    page.get_by_text("“index”: 204, after").wait_for()
    act(page, "index", "Pause")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("“index” is called again").wait_for()
    # The former secret is replaced, so no other request may prevent that the new one is shown.
    page.route(f"**/{path}", lambda route: route.abort())
    act(page, "index", "New secret")
    page.get_by_role("textbox", name="New secret of “index”. Copy it now").wait_for()
    page.get_by_text(re.compile("The former secret signs too until (Tomorrow|Today), ")).wait_for()
    assert api.get(path)["rotation_ends"]
    page.unroute(f"**/{path}")
    act(page, "index", "Delete")
    page.get_by_role("button", name="Delete webhook").click()
    page.get_by_role("heading", name="There are no webhooks yet").wait_for()
    wait_until(page, "document.activeElement !== document.body")


def test_the_calls_are_below_the_row_of_their_webhook(blog, open_admin):
    uuid = add_demo_hooks(blog)["harbour site"]
    page = open_admin(f"/admin/webhooks/{uuid}/")
    calls = get_calls(page, "harbour site").locator("details")
    calls.nth(19).wait_for()
    assert calls.count() == 20
    assert get_calls(page, "search index").locator("summary").count() == 1
    failed = calls.nth(11)
    failed.locator("summary").click()
    failed.get_by_text(
        re.compile(r"503 Service Unavailable, after 0.4 s.\s+It was tried again and arrived")
    ).wait_for()
    failed.get_by_text("POST https://api.netlify.com/•••").wait_for()
    failed.get_by_text("<html><body><h1>Service Unavailable</h1>").wait_for()
    assert failed.get_by_role("listitem").inner_text().split() == [
        "Updated",
        "fish-soup",
        "title,",
        "content",
    ]
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    # Several are opened at once.
    page.evaluate("for (const calls of document.querySelectorAll('.calls td > details')) calls.open = true")
    get_calls(page, "search index").get_by_text("No answer: fish-soup, try 3").wait_for()
    get_calls(page, "page cache").locator("details").nth(19).wait_for()


def test_a_webhook_with_open_calls_is_deleted(blog, open_admin):
    hooks = add_demo_hooks(blog)
    page = open_admin(f"/admin/webhooks/{hooks['harbour site']}/")
    get_calls(page, "harbour site").locator("details").nth(19).wait_for()
    act(page, "harbour site", "Delete")
    page.get_by_role("button", name="Delete webhook").click()
    get_row(page, "harbour site").first.wait_for(state="detached")
    get_row(page, "page cache").first.wait_for()


def test_a_call_is_sent_again(api, open_admin, receiver):
    webhook = api.post("webhooks/", {"name": "index", "url": receiver.url})
    api.post("blog/tags/", {"name": "Boats"})
    receiver.answer(503)
    api.post(f"webhooks/{webhook['uuid']}/test/")
    page = open_admin("/admin/webhooks/")
    calls = get_calls(page, "index")
    calls.locator("summary").click()
    calls.locator("details summary").click()
    calls.get_by_text("a receiver that checks ids takes it once").wait_for()
    calls.get_by_role("button", name="Send again", exact=True).click()
    page.locator(".toast").get_by_text(re.compile("^204, after")).wait_for()
    first, second = receiver.calls
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    # The new call is above the one that is still open.
    calls.get_by_text(re.compile(r"^204, \d.\d s: Test call")).wait_for()
    assert calls.locator("details").nth(1).get_attribute("open") is not None
    calls.get_by_text("It was tried again and arrived").wait_for()
    act(page, "index", "Send again from a time…")
    page.get_by_role("dialog").get_by_role("button", name="Send again").click()
    page.get_by_text(re.compile("changes? (is|are) sent again")).wait_for()


def test_a_webhook_without_calls_says_so(blog, open_admin):
    page = open_admin(f"/admin/webhooks/{add_hook(blog, 'new')}/")
    get_row(page, "new").locator("+ tr").get_by_text("No call yet").wait_for()
