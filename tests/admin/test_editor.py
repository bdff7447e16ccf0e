"""The editor: writing, saving, what happens when saving fails, and publishing."""

from __future__ import annotations

import base64
import re

import pytest

from tests.admin.blogs import PASSWORD
from tests.admin.browsing import list_violations
from tests.admin.demo import draw_picture
from tests.admin.writing import (
    ARTICLES,
    COPY,
    SAVED,
    TEXT,
    crash,
    get_button,
    get_stored,
    get_text,
    is_read,
    lose_answer,
    save,
    type_at_end,
    type_in_one_task,
    unfold,
    update,
    wait_for_content,
    wait_for_state,
)
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_a_new_article_becomes_one_draft_even_after_a_crash(open_admin, api):
    page = open_admin("/admin/articles/new/")
    page.get_by_role("textbox", name="Title", exact=True).wait_for()
    page.keyboard.insert_text("A new knot")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.route("**/blog/articles/**", lose_answer)
    page.keyboard.insert_text("Over *and* under. ")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    page = crash(page, "Once.", lambda: open_admin("/admin/articles/new/"))
    get_button(page, "Use it").click()
    save(page)
    wait_until(page, "location.pathname !== '/admin/articles/new/'")
    path = f"{ARTICLES}{page.url.split('/')[-2]}/"
    type_at_end(page, " Twice.")
    save(page)
    assert is_read(page, "Over and under. Once. Twice.")
    drafts = api.get(f"{ARTICLES}?status=draft&fields=title,content")
    [article] = [draft for draft in drafts if draft["title"] == "A new knot"]
    assert article["content"] == "Over *and* under. "
    assert get_stored(api, path) == "Over *and* under. Once. Twice."
    page.get_by_role("link", name="Back to the articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")
    wait_for_content(page, path, "Twice.")


def test_saves_wait_for_each_other_and_do_not_conflict(write, make, api):
    path = make("Five saves")
    page = write(path)
    waiting = []
    page.route(COPY, lambda route: waiting.append(route))

    def let_one_pass():
        while not waiting:
            page.wait_for_timeout(20)
        [request] = waiting
        waiting.clear()
        request.continue_()

    for number in range(5):
        type_at_end(page, str(number))
        page.keyboard.press("Control+s")
    let_one_pass()
    let_one_pass()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}01234"
    assert waiting == [] and api.get(f"{path}revisions/") == []


def test_a_text_that_is_not_changed_is_not_sent(write, make, api):
    crlf = "Ärger\r\n\r\n* one\r\n+ two\n\ttab  \r\n"
    path = make("Other editors wrote this", content=crlf)
    page = write(path)
    requests = []
    page.on(
        "request", lambda request: requests.append(request.method) if "working-copy" in request.url else None
    )
    get_text(page).focus()
    page.keyboard.press("Control+s")
    # The text that differs would be saved after a pause, so both changes are made in one task.
    page.evaluate(
        """() => {
          const { view } = document.querySelector(".cm-content").cmTile.root;
          view.dispatch({ changes: { from: 0, insert: "x" } });
          view.dispatch({ changes: { from: 0, to: 1 } });
        }"""
    )
    page.keyboard.press("Control+s")
    assert requests == []
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("Viel ")
    save(page)
    assert get_stored(api, path) == f"Viel {crlf}"


def test_a_lost_answer_is_no_conflict(write, make, api):
    path = make("Lost answer")
    page = write(path)
    page.route(COPY, lose_answer)
    type_at_end(page, "Sent")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    page.unroute(COPY)
    type_at_end(page, ", and more")
    save(page)
    assert get_stored(api, path) == f"{TEXT}Sent, and more"


def test_what_is_written_offline_is_saved_later(write, make, api):
    path = make("Offline")
    page = write(path)
    page.context.set_offline(True)
    type_at_end(page, "At sea. ")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    assert list_violations(page) == []
    type_at_end(page, "Far out.")
    page.context.set_offline(False)
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}At sea. Far out."
    assert is_read(page, "At sea. Far out.")


def test_after_a_crash_the_text_is_offered_again(write, make, api):
    path = make("Crash")
    first = write(path)
    first.route(COPY, lambda route: route.abort())
    type_at_end(first, "Not sent")
    first.keyboard.press("Control+s")
    wait_for_state(first, "Offline: kept in this browser")
    second = write(path)
    assert is_read(second, "Rope first.")
    # The text belongs to a tab that is still open.
    assert not second.get_by_text("This browser has kept").is_visible()
    second.close()
    page = crash(first, " at all.", lambda: write(path))
    assert list_violations(page) == []
    get_button(page, "Use it").click()
    wait_until(page, "document.activeElement.closest('.text') !== null")
    save(page)
    assert get_stored(api, path) == f"{TEXT}Not sent at all."
    page.reload()
    get_text(page).wait_for()
    assert not page.get_by_text("This browser has kept").is_visible()


def test_a_kept_text_replaces_no_text_that_cannot_be_saved(write, make):
    path = make("Crash and type")
    page = write(path)
    type_at_end(page, "")
    page = crash(page, "Kept.", lambda: write(path))
    page.route(COPY, lambda route: route.abort())
    type_at_end(page, "Typed since.")
    get_button(page, "Use it").click()
    wait_for_state(page, "Offline: kept in this browser")
    assert page.get_by_text("This browser has kept").is_visible()
    assert is_read(page, "Typed since.")


def test_when_the_login_has_ended_the_text_stays_and_is_saved(write, make, api):
    path = make("Login")
    page = write(path)
    page.context.clear_cookies()
    type_at_end(page, "Typed without a login.")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Your login has ended", exact=True)
    dialog.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}Typed without a login."


def press_keys(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_changes_of_two_people_at_different_places_join(write, open_admin, make, api):
    path = make("Joined")
    theirs = write(path, user="marit")
    mine = write(path)
    get_text(theirs).focus()
    press_keys(theirs, "Control+Home")
    theirs.keyboard.insert_text("Marit.\n\n")
    save(theirs)
    # Who else has it open is shown, also on the overview.
    mine.get_by_role("banner").get_by_text("marit has it open", exact=True).wait_for()
    overview = open_admin("/admin/")
    row = overview.get_by_role("listitem").filter(has_text="Joined")
    row.get_by_text("marit has it open", exact=True).wait_for()
    overview.close()
    type_at_end(mine, "Ida")
    mine.keyboard.press("Control+s")
    toast = mine.get_by_text("marit’s change has joined your text.", exact=True)
    toast.wait_for()
    # The cursor stays at its place.
    mine.keyboard.insert_text("!")
    save(mine)
    assert get_stored(api, path) == f"Marit.\n\n{TEXT}Ida!"
    get_button(mine, "Undo").click()
    wait_until(mine, "!document.querySelector('.cm-content').textContent.includes('Marit')")
    save(mine)
    assert get_stored(api, path) == f"{TEXT}Ida!"
    assert [revision["name"].split(",")[0] for revision in api.get(f"{path}revisions/")] == ["marit"]
    # The same person in two tabs.
    other = write(path)
    get_text(other).focus()
    press_keys(other, "Control+Home")
    other.keyboard.insert_text("Also Ida.\n\n")
    save(other)
    type_at_end(mine, "!")
    mine.keyboard.press("Control+s")
    mine.get_by_text("A change of yours in another tab has joined your text.", exact=True).wait_for()
    save(mine)
    assert get_stored(api, path) == f"Also Ida.\n\n{TEXT}Ida!!"


def test_a_conflict_between_two_people_loses_nothing(write, make, api):
    path = make("Conflict")
    mine, theirs = write(path), write(path, user="marit")
    type_at_end(theirs, "Marit.")
    save(theirs)
    type_at_end(mine, "Ida.")
    mine.keyboard.press("Control+s")
    dialog = mine.get_by_role("dialog", name="Join your text and marit’s", exact=True)
    dialog.get_by_role("button", name="Decide later", exact=True).click()
    get_button(mine, "Conflict: choose a version").click()
    assert list_violations(mine) == []
    dialog.get_by_role("radio", name="Both", exact=True).check()
    held = []
    mine.route("**/revisions/", lambda route: held.append(route), times=1)
    with mine.expect_request("**/revisions/"):
        dialog.get_by_role("button", name="Save the article", exact=True).click()
    # What is typed now would be replaced by the joined text.
    assert mine.locator("main").evaluate("main => main.inert")
    wait_for_first(mine, held).continue_()
    mine.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}Marit.\nIda."
    names = [revision["name"].split(",")[0] for revision in api.get(f"{path}revisions/")]
    assert sorted(filter(None, names)) == ["ida", "marit"]
    type_at_end(mine, " More.")
    save(mine)
    assert get_stored(api, path) == f"{TEXT}Marit.\nIda. More."


def test_an_article_that_was_changed_elsewhere_is_not_overwritten(write, make, api):
    path = make("Changed elsewhere", status="published")
    page = write(path)
    type_at_end(page, "Mine.")
    save(page)
    api.patch(path, {"subtitle": "By a script"})
    popover = page.get_by_role("dialog", name="Update this article", exact=True)
    page.route(f"**/{path}?*", lambda route: route.abort(), times=1)
    update(page)
    popover.get_by_text("The blog does not answer.", exact=True).wait_for()
    with page.expect_response(COPY):
        popover.get_by_role("button", name="Update", exact=True).click()
    page.get_by_text("A change of yours in another tab has joined your text.", exact=True).wait_for()
    popover.get_by_role("button", name="Update", exact=True).click()
    wait_for_content(page, path, "Mine.")
    popover.wait_for(state="hidden")
    assert api.get(path)["subtitle"] == "By a script"
    # Both have changed the same field.
    page.get_by_role("textbox", name="Subtitle", exact=True).fill("By hand")
    save(page)
    api.patch(path, {"subtitle": "By another script"})
    update(page)
    page.get_by_role("region", name="Place 1", exact=True).get_by_role(
        "radio", name="Mine", exact=True
    ).check()
    with page.expect_response(COPY):
        get_button(page, "Save the article").click()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    update(page)
    wait_until(page, f"fetch('/api/v1/{path}').then((r) => r.json()).then((a) => a.subtitle === 'By hand')")


def test_publish_update_and_take_back(write, make, api):
    path = make("Publish me")
    page = write(path)
    type_at_end(page, "Ready.")
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    assert popover.get_by_text("1 task in the text is open.").is_visible()
    assert list_violations(page) == []
    popover.get_by_role("button", name="Publish", exact=True).click()
    get_button(page, "Update").wait_for()
    article = api.get(path)
    assert (article["status"], article["content"]) == ("published", f"{TEXT}Ready.")
    assert len(api.get(f"{path}revisions/")) == 1

    get_text(page).focus()
    page.keyboard.press("Control+End")
    page = crash(page, " Better.", lambda: write(path))
    get_button(page, "Use it").click()
    save(page)
    wait_for_state(page, "Published, edits since")
    assert api.get(path)["content"] == f"{TEXT}Ready."
    update(page)
    wait_for_state(page, "Published")
    wait_for_content(page, path, "Better.")

    get_button(page, "More actions").click()
    page.get_by_role("menuitem", name="Unpublish", exact=True).click()
    get_button(page, "Publish").wait_for()
    assert api.get(path)["status"] == "draft"


def test_the_preview_scrolls_with_the_text_and_marks_the_cursor(write, make):
    content = "".join(f"## Part {number}\n\n{f'Words of part {number}. ' * 30}\n\n" for number in range(30))
    page = write(make("Long", content=content))
    get_button(page, "Preview").click()
    assert is_read(page, "Words of part 29.")
    reading = "document.querySelector('.reading')"
    at_top = f"""{reading}.querySelector('.sheet').shadowRoot.elementFromPoint(
      {reading}.getBoundingClientRect().x + 120, {reading}.getBoundingClientRect().y + 90)?.textContent"""
    assert page.evaluate(f"{reading}.scrollTop") == 0
    page.evaluate("document.querySelector('.writing').scrollBy(0, 2500)")
    wait_until(page, f"{reading}.scrollTop > 500")
    # The number of the first heading that the text shows, or NaN while the editor draws.
    number = """Number([...document.querySelectorAll(".writing .cm-line")].find((line) =>
      line.getBoundingClientRect().top > document.querySelector(".writing").getBoundingClientRect().top &&
      line.textContent.startsWith("## Part"))?.textContent.slice(7))"""
    is_shown = f"(number) => RegExp(`part (${{number}}|${{number - 1}})\\\\b`, 'i').test({at_top})"
    wait_until(page, f"({is_shown})({number})")
    get_text(page).focus()
    page.keyboard.press("Control+End")
    marked = f"{reading}.querySelector('.sheet').shadowRoot.querySelector('.at-cursor')?.textContent"
    wait_until(page, f"{marked}?.startsWith('Words of part 29.')")
    bottom = f"{marked.replace('?.textContent', '')}.getBoundingClientRect().top"
    wait_until(page, f"{bottom} > 0 && {bottom} < innerHeight")
    page.keyboard.press("Control+Home")
    wait_until(page, f"{marked} === 'Part 0'")
    wait_until(page, f"{bottom} > 0 && {bottom} < innerHeight")


def test_links_in_the_preview_leave_the_editor_open(write, make):
    words = "Words.\n\n" * 100
    content = f"[Salt](https://salt.example/a) and [below](#the-end).\n\n{words}## The end"
    page = write(make("Links", content=content))
    get_button(page, "Preview").click()
    assert is_read(page, "The end")
    address, reading = page.url, page.locator(".reading")
    page.context.route("https://salt.example/**", lambda route: route.fulfill(body="Salt"))
    with page.expect_popup() as opened:
        reading.get_by_role("link", name="Salt", exact=True).click()
    assert opened.value.url == "https://salt.example/a"
    opened.value.close()
    reading.get_by_role("link", name="below", exact=True).click()
    wait_until(page, "document.querySelector('.reading').scrollTop > 1000")
    assert page.url == address


def test_schedule_in_the_time_zone_of_the_site(write, make, api):
    api.patch("blog/site/", {"time_zone": "Asia/Tokyo"})
    path = make("Later")
    page = write(path)
    get_button(page, "Publish").click()
    page.get_by_role("radio", name="Later", exact=True).check()
    page.get_by_label("Date", exact=True).fill("2099-11-29")
    page.get_by_label("Time", exact=True).fill("08:00")
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    assert "Goes live on Sunday 29 November 2099 at 08:00." in popover.inner_text()
    assert "Time zone of the site: Asia/Tokyo" in popover.inner_text()
    popover.get_by_role("button", name="Schedule", exact=True).click()
    wait_for_state(page, "Scheduled for 29 Nov 2099")
    article = api.get(f"{path}?fields=status,published_at")
    assert article == {"status": "scheduled", "published_at": "2099-11-28T23:00:00.000000+00:00"}
    get_button(page, "Reschedule").click()
    page.get_by_role("radio", name="Now", exact=True).check()
    page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True).click()
    get_button(page, "Update").wait_for()
    get_button(page, "More actions").click()
    page.get_by_role("menuitem", name="Archive", exact=True).click()
    get_button(page, "Bring back").wait_for()
    assert api.get(path)["status"] == "archived"


def describe_and_close(page, text, action):
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Describe the picture in one sentence", exact=True).fill(text)
    dialog.get_by_role("button", name=action, exact=True).click()
    dialog.wait_for(state="hidden")


def test_a_picture_gets_its_alternative_text_at_once(write, make, api):
    path = make("Picture")
    page = write(path)
    get_text(page).focus()
    page.keyboard.press("Control+End")
    drop = """(data) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "fid.png", { type: "image/png" }));
      const options = { clipboardData: transfer, bubbles: true, cancelable: true };
      document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", options));
    }"""
    page.evaluate(drop, base64.b64encode(PIXEL).decode())
    page.get_by_role("dialog", name="Add a picture", exact=True).wait_for()
    assert list_violations(page) == []
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("A fid\nof [bone]")
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    save(page)
    [media] = api.get("blog/media/?q=fid")
    assert media["alt"] == "A fid of [bone]"
    assert get_stored(api, path) == f"{TEXT}\n![A fid of \\[bone\\]](media:{media['uuid']})"

    page.keyboard.press("Control+a")
    get_button(page, "Picture").click()
    page.get_by_role("button", name="A fid of [bone]", exact=True).click()
    dialog.get_by_role("button", name="Insert", exact=True).click()
    dialog.wait_for(state="hidden")
    save(page)
    reference = f"![A fid of \\[bone\\]](media:{media['uuid']})"
    assert get_stored(api, path) == f"{TEXT}\n{reference}\n\n{reference}"

    # The alternative text of the cover is that of the library.
    get_button(page, "Details").click()
    get_button(page, "Choose a picture").click()
    page.get_by_role("button", name="A fid of [bone]", exact=True).click()
    describe_and_close(page, "A fid", "Use as cover")
    get_button(page, "Alternative text").click()
    describe_and_close(page, "A fid on a bench", "Save text")
    save(page)
    [media] = api.get("blog/media/?q=fid")
    assert media["alt"] == "A fid on a bench"
    assert api.get(f"{path}working-copy/")["cover_image"] == media["url"]


def test_details_by_keyboard(write, make, api):
    from playwright.sync_api import expect

    tag = api.post("blog/tags/", {"name": "tools"})
    for number in range(10):
        api.post("blog/tags/", {"name": f"port {number}"})
    path = make("Details")
    page = write(path)
    get_button(page, "Details").press("Enter")
    wait_until(page, "document.activeElement.ariaLabel === 'Close the details'")
    page.keyboard.press("Enter")
    wait_until(page, "document.activeElement.matches('.cm-content')")
    get_button(page, "Details").press("Enter")
    unfold(page, "Address")
    page.get_by_role("textbox", name="Address", exact=True).fill("details-by-hand")
    page.get_by_role("textbox", name="Excerpt", exact=True).fill("Short.")
    tags = page.get_by_role("combobox", name="Tags", exact=True)
    tags.press_sequentially("to")
    page.get_by_role("option", name=re.compile("^tools")).wait_for()
    assert list_violations(page) == []
    tags.press("Enter")
    get_button(page, "Remove tools").wait_for()
    tags.press("ArrowDown")
    tags.press("ArrowUp")
    expect(page.get_by_role("option", selected=True).and_(page.locator("li"))).to_be_in_viewport()
    tags.press("Escape")
    tags.press_sequentially("boats")
    page.get_by_role("option", name="Create the tag “boats”", exact=True).wait_for()
    tags.press("Enter")
    get_button(page, "Remove boats").wait_for()
    tags.press_sequentially("knots, Boats, tides")
    page.get_by_role("option", name="Add “knots”, “boats”, “tides”", exact=True).wait_for()
    tags.press("Enter")
    get_button(page, "Remove tides").press("Enter")
    assert page.evaluate("document.activeElement.id") == "picker-Tags"
    tags.press_sequentially("tides")
    tags.press("Enter")
    get_button(page, "Remove tides").wait_for()
    category = page.get_by_role("combobox", name="Category", exact=True)
    category.fill("Workshop")
    category.press("Enter")
    # The field is empty until the category is created.
    expect(category).to_have_value("Workshop")
    unfold(page, "Search and cards")
    page.get_by_role("textbox", name="Title for search engines", exact=True).fill("Elsewhere")
    save(page)
    copy = api.get(f"{path}working-copy/")
    names = {tag["uuid"]: tag["name"] for tag in api.get("blog/tags/")}
    chosen = ["tools", "boats", "knots", "tides"]
    assert [names[uuid] for uuid in copy["tags"]] == chosen and tag["uuid"] in copy["tags"]
    assert (copy["slug"], copy["excerpt"], copy["seo"]["title"]) == ("details-by-hand", "Short.", "Elsewhere")
    assert api.get(f"blog/categories/{copy['category']}/")["name"] == "Workshop"


def test_format_with_shortcuts_and_the_toolbar(write, make, api):
    path = make("Format", content="rope")
    page = write(path)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    get_text(page).focus()
    for keys in ("Control+a", "Control+b", "Control+i"):
        page.keyboard.press(keys)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Title of an article").fill("https://knots.example")
    page.keyboard.press("Enter")
    toolbar = page.get_by_role("toolbar", name="Format", exact=True)
    toolbar.get_by_role("button", name="Heading", exact=True).focus()
    for keys in ("ArrowRight", "Home", "End", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter"):
        page.keyboard.press(keys)
    get_button(page, "Plain text field").click()
    wait_until(page, "document.querySelector('.cm-content') === null")
    save(page)
    assert get_stored(api, path) == "> ***[rope](https://knots.example)***"


def test_the_plain_text_field_keeps_the_text_and_the_choice(write, make, api):
    path = make("Plain")
    page = write(path)
    type_at_end(page, "One. ")
    get_button(page, "Plain text field").click()
    wait_until(page, "document.querySelector('.cm-content') === null")
    type_at_end(page, "Two.")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+b")
    save(page)
    assert get_stored(api, path).startswith("**Rope *first*.**\n\n")
    page.add_init_script("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })")
    page.reload()
    get_text(page).wait_for()
    assert get_text(page).evaluate("(field) => field.localName") == "textarea"
    # In a window of this width, the preview is closed at first.
    assert get_button(page, "Preview").get_attribute("aria-pressed") == "false"
    bold = get_button(page, "Bold")
    assert (bold.get_attribute("title"), bold.get_attribute("aria-keyshortcuts")) == ("Bold (⌘ B)", "Meta+B")
    get_button(page, "Shortcuts").click()
    shortcuts = page.get_by_role("dialog", name="Shortcuts", exact=True)
    assert shortcuts.get_by_text("⌘ B", exact=True).is_visible()
    assert list_violations(page) == []
    page.keyboard.press("Escape")
    assert not shortcuts.is_visible()
    get_button(page, "Coloured text field").click()
    wait_until(page, "document.querySelector('.cm-content') !== null")


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_the_panes_keep_their_place(write, make, width):
    page = write(make("Phone", content="Line\n\n" * 100), width=width, height=700)
    page.evaluate("document.querySelector('.writing').scrollTop = 500")
    page.get_by_role("radio", name="Preview", exact=True).check()
    assert is_read(page, "Line")
    page.get_by_role("radio", name="Write", exact=True).check()
    assert page.evaluate("document.querySelector('.writing').scrollTop") == 500
    height = page.locator(".editor-bar").evaluate("(bar) => bar.offsetHeight")
    page.route(COPY, lambda route: route.abort())
    type_at_end(page, "End")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    assert page.locator(".editor-bar").evaluate("(bar) => bar.offsetHeight") == height
    assert not page.locator(".save-state span").evaluate(
        "(words) => words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight"
    )
    assert not is_wider_than_the_window(page)
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Details", exact=True).click()
    assert not is_wider_than_the_window(page)
    assert list_violations(page) == []
    get_button(page, "Close the details").click()


def test_the_editor_and_the_preview_are_accessible(write, open_admin, make):
    path = make(
        "Colours", content="## One\n\n> *two* **three** `four` [five](https://knots.example)\n\n- [x] six\n"
    )
    for page in (write(path), open_admin(f"/admin/articles/{path.split('/')[2]}/preview/")):
        assert is_read(page, "One")
        assert list_violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert list_violations(page, "color-contrast") == []


def test_a_text_of_200_kilobytes_costs_little_for_each_key(write, make):
    """The work is counted, not the time: what is kept in the browser, and what is drawn again."""
    page = write(make("Long", content="The tide comes and goes.\n\n" * 8_000))
    assert is_read(page, "The tide")
    page.evaluate(
        """() => {
          window.writes = 0;
          const { setItem } = Storage.prototype;
          Storage.prototype.setItem = function (...given) { window.writes += 1; setItem.apply(this, given); };
          const article = document.querySelector(".reading > .sheet").shadowRoot.querySelector(".text");
          window.redrawn = 0;
          const count = (records) => {
            for (const { addedNodes } of records) {
              window.redrawn += [...addedNodes].filter(({ nodeType }) => nodeType === 1).length;
            }
          };
          new MutationObserver(count).observe(article, { childList: true });
        }"""
    )
    assert page.evaluate("document.querySelectorAll('.cm-line').length") < 300
    # The browser keeps a text until it is saved.
    page.route(COPY, lambda route: route.abort())
    type_at_end(page, "")
    type_in_one_task(page, "a key " * 5)
    assert page.evaluate("window.writes") < 30
    assert is_read(page, "a key a key")
    assert page.evaluate("window.redrawn") <= 3
    wait_until(page, "Object.values(localStorage).some((value) => value.includes('a key a key'))")


def test_the_editor_does_not_move_while_it_loads(open_admin, make, api):
    path = make("A title that is long enough for two lines on a narrow screen", content="The tide.\n\n" * 30)
    page = open_admin("/admin/sign-in/", user="")
    page = open_admin(f"/admin/articles/{path.split('/')[2]}/")
    page.evaluate(
        """() => {
          window.shifts = [];
          const note = (list) => { for (const { value } of list.getEntries()) window.shifts.push(value); };
          new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
        }"""
    )
    assert is_read(page, "The tide.")
    wait_until(page, "document.querySelector('.cm-content') !== null")
    assert page.evaluate("window.shifts.reduce((sum, value) => sum + value, 0)") < 0.01


DROP = """([selector, data, type]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], "file", { type }));
  const target = document.querySelector(selector);
  const { left, bottom } = target.getBoundingClientRect();
  const place = { clientX: left + 5, clientY: bottom - 5 };
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, ...place });
  return target.dispatchEvent(event);
}"""


def test_files_that_are_dropped_beside_the_text(write, make, api):
    path = make("Drops", content="One.\n\nTwo.")
    page = write(path)
    data = base64.b64encode(PIXEL).decode()
    # The browser would open the file if the page did not take it.
    assert page.evaluate(DROP, [".details", data, "image/png"]) is False
    assert page.get_by_text("Drop pictures on the text.", exact=True).is_visible()
    assert (
        page.evaluate(DROP, [".cm-content", base64.b64encode(b"%PDF").decode(), "application/pdf"]) is False
    )
    assert page.get_by_text("Only pictures can be dropped here.").is_visible()
    places = (("#title", "Above"), (".writing .sheet", "Below"), (".cm-line", "Inside"))
    for number, (selector, alt) in enumerate(places, 1):
        # The library has a text for each picture that it knows, so each drop is another picture.
        picture = base64.b64encode(draw_picture((number, 1), "#fff", "#000")).decode()
        assert page.evaluate(DROP, [selector, picture, "image/jpeg"]) is False
        describe_and_close(page, alt, "Insert")
        # A picture that is shown later moves the lines below it, and the next drop would find another line.
        wait_until(page, "[...document.querySelectorAll('.cm-content img')].every((img) => img.complete)")
        page.evaluate("new Promise((end) => requestAnimationFrame(() => requestAnimationFrame(end)))")
    save(page)
    found = re.findall(r"!\[(\w+)\]|\b(One|Two)\.", get_stored(api, path))
    first, *between, last = [alt or word for alt, word in found]
    assert (first, last, sorted(between)) == ("Above", "Below", ["Inside", "One", "Two"])


def test_the_text_alone_and_its_language(write, make, api):
    api.patch("blog/site/", {"language": "pt-PT"})
    page = write(make("Alone"))
    assert page.locator("#title").evaluate("(line) => line.closest('[lang]').lang") == "pt-PT"
    get_button(page, "The text alone").click()
    assert not get_button(page, "Publish").is_visible()
    assert not page.get_by_role("toolbar", name="Format", exact=True).is_visible()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("Quietly.")
    save(page)
    assert get_button(page, "Show everything").is_visible()
    assert list_violations(page) == []
    page.keyboard.press("Escape")
    assert get_button(page, "Publish").is_visible()
    assert is_read(page, "Quietly.")


SMALL_TARGETS = """[...document.querySelectorAll("button, a, input, textarea, select, summary")]
  .filter((target) => target.checkVisibility({ visibilityProperty: true }) && !target.matches(".sr-only"))
  .map((target) => [target.outerHTML, (target.closest("label") ?? target).getBoundingClientRect()])
  .filter(([, { width, height }]) => width && Math.min(width, height) < 44)"""


def test_a_phone_shows_the_status_in_words_and_all_tools(write, make, api):
    path = make("Phone tools", status="published")
    page = write(path, width=390, height=700)
    assert page.locator(".phone-status").inner_text() == "Published"
    for name in ("Code", "Table"):
        tool = get_button(page, name)
        tool.scroll_into_view_if_needed()
        box = tool.bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44 and box["x"] + box["width"] <= 390
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Details", exact=True).click()
    assert not page.get_by_role("radio", name="Write", exact=True).is_checked()
    assert page.evaluate(SMALL_TARGETS) == []
    page.get_by_role("radio", name="Write", exact=True).check()
    assert get_text(page).is_visible()
    assert page.evaluate(SMALL_TARGETS) == []
    # The state of a conflict is a button.
    api.put(f"{path}working-copy/", {"title": "Phone tools", "content": f"Other {TEXT}"})
    page.evaluate("document.querySelector('.cm-content').focus()")
    page.keyboard.insert_text("Mine ")
    page.keyboard.press("Control+s")
    get_button(page, "Decide later").click()
    get_button(page, "Conflict: choose a version").wait_for()
    assert page.evaluate(SMALL_TARGETS) == []
    assert list_violations(page) == []
