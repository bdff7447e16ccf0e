"""What the editor does around publishing: questions, undo, copies, and a server that is down."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from blogapi.accounts.api_keys import service as api_keys
from tests.admin.blogs import serve_modules
from tests.admin.test_editor import PIXEL
from tests.admin.writing import TEXT, get_button, get_stored, get_text, save, type_at_end, wait_for_state
from tests.browser import wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")


@pytest.fixture(scope="module", autouse=True)
def modules():
    """Serve the modules that a test imports."""
    with serve_modules():
        yield


def get_menu_item(page, name):
    get_button(page, "More actions").click()
    return page.get_by_role("menuitem", name=name, exact=True)


def test_publishing_asks_for_a_title_and_says_what_happens(write, make, api):
    path = make("Untitled soon", content="Rope.")
    page = write(path)
    page.get_by_role("textbox", name="Title", exact=True).fill("")
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    assert "excerpt is set" not in popover.inner_text()
    popover.get_by_text("No tag is set.", exact=True).wait_for()
    # A date in the past is no schedule.
    popover.get_by_role("radio", name="Later", exact=True).check()
    popover.get_by_role("button", name="Schedule", exact=True).wait_for()
    popover.get_by_label("Date", exact=True).fill("2020-02-03")
    popover.get_by_text("Goes live now, dated").wait_for()
    popover.get_by_role("button", name="Publish", exact=True).click()
    question = page.get_by_role("dialog", name="Publish without a title?", exact=True)
    question.get_by_role("button", name="Cancel", exact=True).click()
    assert api.get(path)["status"] == "draft"
    page.get_by_role("textbox", name="Title", exact=True).fill("A title")
    save(page)
    assert api.get(path)["status"] == "draft"


def test_unpublishing_can_be_undone_and_an_article_be_duplicated(write, make, api):
    path = make("Public rope", status="published")
    api.patch("blog/site/", {"url": "https://rope.example"})
    before = api.get(f"{path}?fields=published_at")["published_at"]
    page = write(path)
    item = get_menu_item(page, "See the article")
    assert item.get_attribute("href") == "https://rope.example/public-rope/"
    page.keyboard.press("Escape")
    get_menu_item(page, "Unpublish").click()
    get_button(page, "Publish").wait_for()
    assert api.get(path)["status"] == "draft"
    get_button(page, "Undo").press("Enter")
    get_button(page, "Update").wait_for()
    assert page.evaluate("document.activeElement.id") == "main"
    stored = api.get(f"{path}?fields=published_at,status")
    assert (stored["status"], stored["published_at"]) == ("published", before)
    type_at_end(page, "Not public yet.")
    get_menu_item(page, "Duplicate").click()
    former = path.split("/")[2]
    page.wait_for_url(lambda url: former not in url)
    wait_until(page, "document.querySelector('#title')?.value === 'Copy of Public rope'")
    uuid = page.url.rstrip("/").split("/")[-1]
    copy = api.get(f"blog/articles/{uuid}/?fields=title,status,content,slug")
    assert (copy["title"], copy["status"], copy["slug"]) == (
        "Copy of Public rope",
        "draft",
        "copy-of-public-rope",
    )
    assert copy["content"].endswith("Not public yet.")


def test_a_scheduled_article_goes_live_with_the_words_corrected_last(write, make, api, blog, set_clock):
    path = make("On the rope walk", content="Hemp and tra.", tags=[])
    make("Taken", slug="taken-rope", status="published")
    page = write(path)
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    popover.get_by_role("radio", name="Later", exact=True).check()
    popover.get_by_label("Date", exact=True).fill("2098-11-29")
    popover.get_by_role("button", name="Schedule", exact=True).click()
    wait_for_state(page, "Scheduled for 29 Nov 2098")
    for words in (" Later", " Corrected"):
        type_at_end(page, words)
        save(page)
    wait_for_state(page, "Scheduled for 29 Nov 2098")
    get_button(page, "Reschedule").click()
    popover = page.get_by_role("dialog", name="Reschedule this article", exact=True)
    popover.get_by_role("button", name="Reschedule", exact=True).click()
    popover.wait_for(state="hidden")
    stored = api.get(f"{path}?fields=content,working_copy,published_at")
    assert (stored["content"], stored["working_copy"]) == ("Hemp and tra. Later Corrected", None)
    assert [row["number"] for row in api.get(f"{path}revisions/")] == [2, 1]
    # What the article refuses is said, also after a reload, until it is corrected.
    notice = page.get_by_text("Your text is saved, but it will not go live like this.", exact=True)
    etag = {"If-Match": "*"}
    api.put(f"{path}working-copy/", {"title": "On the rope walk", "slug": "taken-rope"}, headers=etag)
    page.reload()
    notice.wait_for()
    page.get_by_text("The slug 'taken-rope' is taken; choose another.", exact=True).wait_for()
    wait_for_state(page, "Scheduled for 29 Nov 2098, edits since")
    api.put(f"{path}working-copy/", {"title": "On the rope walk", "content": "Hemp and tar."}, headers=etag)
    page.reload()
    wait_for_state(page, "Scheduled for 29 Nov 2098")
    assert notice.is_hidden()
    type_at_end(page, " Dry.")
    save(page)
    with blog.app.app_context():
        key = api_keys.issue_key(None).value
    reader = blog.app.test_client()
    due = datetime.fromisoformat(stored["published_at"])
    for time, status in ((due - timedelta(seconds=1), 404), (due, 200)):
        set_clock(time)
        answer = reader.get(f"/api/v1/{path}", headers={"X-API-KEY": key})
        assert answer.status_code == status
    assert answer.json["content"] == "Hemp and tar. Dry."


LATER = "2099-01-02T03:04:05Z"


def finish(page, button):
    """Click the main button, and that of its popover."""
    get_button(page, button).click()
    page.get_by_role("dialog").get_by_role("button", name=button, exact=True).click()


@pytest.mark.parametrize(
    ("fields", "action", "after", "is_taken"),
    [
        ({}, "Publish", "Published", True),
        ({}, "Publish unlisted", "Unlisted", True),
        ({"status": "scheduled", "published_at": LATER}, "Back to draft", "Draft", False),
        ({"status": "published"}, "Update", "Published", True),
        ({"status": "published"}, "Unlist", "Unlisted, edits since", False),
        ({"status": "published"}, "Unpublish", "Draft", False),
        ({"status": "unlisted"}, "List", "Published, edits since", False),
        ({"status": "archived"}, "Bring back", "Draft", False),
    ],
)
def test_readers_see_edits_only_once_they_are_published(
    write, make, api, blog, fields, action, after, is_taken
):
    path = make(f"Rope, {action}", **fields)
    key = {"X-API-KEY": api.post("auth/api-key/", {"scopes": ["published"]})["public_state"]}
    reader = blog.app.test_client()

    def read():
        answer = reader.get(f"/api/v1/{path}?fields=content", headers=key)
        return answer.json["content"] if answer.status_code == 200 else answer.status_code

    before, state = read(), "status,published_at,slug"
    stored = api.get(f"{path}?fields={state}")
    page = write(path)
    type_at_end(page, "Not public.")
    if action in ("Publish", "Update", "Bring back"):
        finish(page, action)
    else:
        get_menu_item(page, action).click()
    get_button(page, "Undo").wait_for()
    wait_for_state(page, after)
    words = f"{TEXT}Not public."
    assert read() == (404 if after == "Draft" else words if is_taken else TEXT)
    # What is typed since then joins the edits.
    type_at_end(page, " More.")
    if is_taken:
        # The key has closed the popover; the status opens it again.
        save(page)
        page.get_by_role("banner").get_by_role("button", name=after).click()
    get_button(page, "Undo").click()
    page.get_by_role("status").get_by_text("As before").wait_for()
    assert read() == before
    assert api.get(f"{path}?fields={state}") == stored
    assert get_stored(api, path) == f"{words} More."
    assert get_text(page).inner_text().endswith("Not public. More.")
    type_at_end(page, " End.")
    save(page)
    assert (read(), get_stored(api, path)) == (before, f"{words} More. End.")


def test_links_do_not_lead_to_an_error_page_while_the_server_is_down(write, make, open_admin):
    page = write(make("Server down"))
    address = page.url
    get_text(page).focus()
    page.evaluate(
        """async () => {
      const { get } = await import(`${document.documentElement.dataset.assets}/source/api.js`);
      const send = globalThis.fetch;
      const hold = new Promise((resolve) => (globalThis.answer = () => resolve(Response.json([]))));
      globalThis.fetch = (...given) => (String(given[0]).endsWith("/tags/") ? hold : send(...given));
      globalThis.late = get("blog/tags/");
    }"""
    )
    page.context.set_offline(True)
    page.keyboard.insert_text("Typed. ")
    page.keyboard.press("Control+s")
    page.get_by_role("banner").get_by_text("Offline: kept in this browser", exact=True).wait_for()
    # The late response to a request from before the failure does not show that the blog answers now.
    page.evaluate("globalThis.answer(), globalThis.late.then(() => null)")
    page.get_by_role("link", name="Back to the articles", exact=True).click()
    page.get_by_text("The blog does not answer. This page stays open with what you wrote").wait_for()
    assert page.url == address
    page.context.set_offline(False)
    page.get_by_role("link", name="Back to the articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")
    (fault,) = open_admin.faults
    assert fault.endswith("/admin/articles/)")
    open_admin.faults.clear()


def test_a_picture_whose_dialog_is_cancelled_does_not_stay(write, make, api):
    page = write(make("Cancelled"))
    for is_known in (False, True):
        if is_known:
            page.request.post("/api/v1/blog/media/?name=dot.png", data=PIXEL)
        before = [file["uuid"] for file in api.get("blog/media/")]
        get_button(page, "Picture").click()
        if not is_known:
            page.get_by_text("The library has no pictures yet.", exact=True).wait_for()
        dialog = page.get_by_role("dialog", name="Add a picture", exact=True)
        file = {"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL}
        with page.expect_response("**/blog/media/?name=dot.png"):
            dialog.get_by_label("Upload from this device").set_input_files(file)
        dialog.get_by_role("button", name="Cancel", exact=True).click()
        dialog.wait_for(state="hidden")
        stored = "fetch('/api/v1/blog/media/').then((response) => response.json())"
        wait_until(page, f"{stored}.then((files) => files.length === {len(before)})")
        assert [file["uuid"] for file in api.get("blog/media/")] == before


def test_a_message_names_its_field(open_admin):
    page = open_admin("/admin/profile/")
    page.get_by_role("heading", name="Profile", exact=True).wait_for()
    make_error = """async (errors) => {
      const { ApiError } = await import(`${document.documentElement.dataset.assets}/source/api.js`);
      return new ApiError(422, { errors }).message;
    }"""
    errors = {"slug": ["Not a valid slug; send 'a'."], "seo.title": ["Must have 0 to 255 characters."]}
    assert page.evaluate(make_error, errors | {"name": ["The name is taken."]}) == (
        "Address: Not a valid slug; send 'a'. Title: Must have 0 to 255 characters. The name is taken."
    )


def test_an_undo_that_is_refused_or_waits_is_not_reported_as_done(api, write, make):
    path = make("Not undone", status="published")
    page = write(path)
    get_menu_item(page, "Unpublish").click()
    get_button(page, "Undo").wait_for()
    page.evaluate("document.querySelector('admin-page').busy = 'other'")
    get_button(page, "Undo").click()
    page.get_by_role("status").get_by_text("Nothing was undone.", exact=True).wait_for()
    assert api.get(f"{path}?fields=status") == {"status": "draft"}
