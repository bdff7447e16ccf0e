"""Links to other articles in the editor."""

from __future__ import annotations

import re

import pytest

from tests.admin.browsing import list_violations
from tests.admin.test_media import add_file
from tests.admin.writing import ARTICLES, get_button, get_stored, get_text, is_read, save, type_at_end
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

FIELD = "Title of an article"


@pytest.fixture
def uuids(api):
    """The uuids of a published article and of a draft, by their titles: the only ones of the blog."""
    for article in api.get(f"{ARTICLES}?status=any&fields=uuid"):
        api.delete(f"{ARTICLES}{article['uuid']}/")
    articles = {"The long way to the *lighthouse*": "published", "Light for the third tuck": "draft"}
    return {
        title: api.post(ARTICLES, {"title": title, "status": status, "content": "Words"})["uuid"]
        for title, status in articles.items()
    }


def test_link_to_articles_by_keyboard(write, make, api, uuids):
    published, draft = uuids.values()
    path = make("Splice", content="A rope. ")
    page = write(path)
    type_at_end(page, "Along ")
    # The answer to the last search chooses the first article again.
    with page.expect_response(re.compile("[?&]q=light(&|$)")):
        for key in "[[light":
            page.keyboard.press(key)
    page.evaluate("async () => (await fetch('/robots.txt')).text()")
    listed = page.get_by_role("listbox", name="Articles").get_by_role("option")
    listed.filter(has_text="lighthouse").wait_for()
    assert {text.lower() for text in page.locator(".link-picker mark").all_text_contents()} == {"light"}
    assert list_violations(page) == []
    while "lighthouse" not in page.locator(".link-picker [aria-selected=true]").inner_text():
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(", ")
    # A selection stays the text of the link.
    page.keyboard.insert_text("tuck")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=FIELD).fill("third tuck")
    listed.filter(has_text="third").wait_for()
    page.keyboard.press("Enter")
    links = f"[The long way to the \\*lighthouse\\*](article:{published}), [tuck](article:{draft})"
    save(page)
    assert get_stored(api, path) == f"A rope. Along {links}"
    # With its addresses, the text shows where the links lead.
    get_button(page, "How the text looks").click()
    page.get_by_role("checkbox", name="Fold addresses away", exact=True).uncheck()
    page.keyboard.press("Escape")
    chips = page.locator(".link-chip")
    page.get_by_text("/the-long-way-to-the-lighthouse/", exact=True).wait_for()
    assert chips.all_text_contents()[1:] == ["Draft: Light for the third tuck"]
    assert list_violations(page) == []
    # Escape keeps what was typed; in code, nothing asks.
    type_at_end(page, "\n\n")
    for key in "[[tide":
        page.keyboard.press(key)
    page.get_by_text("No article contains 'tide'", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.insert_text("]] `")
    for key in "[[":
        page.keyboard.press(key)
    page.keyboard.insert_text("`")
    assert not page.locator(".link-picker").count()
    save(page)
    assert get_stored(api, path).endswith("\n\n[[tide]] `[[`")
    assert is_read(page, "Along The long way to the *lighthouse*, tuck")
    shown = "[...document.querySelector('.reading > .sheet').shadowRoot.querySelectorAll('a')]"
    assert page.evaluate(f"{shown}.map((link) => link.getAttribute('href'))") == [
        "/the-long-way-to-the-lighthouse/"
    ]
    # Publishing warns about the draft, and about what was deleted.
    api.delete(f"{ARTICLES}{published}/")
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article")
    popover.get_by_text("Links to an article that does not exist.").wait_for()
    draft_check = popover.get_by_role("listitem").filter(
        has_text="Links to a draft: readers find nothing there."
    )
    draft_check.get_by_role("button", name="Show", exact=True).click()
    wait_until(page, "getSelection().toString().startsWith('[tuck](')")
    # Without an answer, nothing is known of the links.
    page.route(re.compile(r"/blog/articles/\?.*uuid="), lambda route: route.abort())
    with page.expect_event("requestfailed"):
        get_button(page, "Publish").click()
    popover.wait_for()
    page.evaluate("async () => (await fetch('/robots.txt')).text()")
    assert popover.get_by_text("Links to").count() == 0


def test_the_list_fits_on_a_phone(write, make, uuids):
    page = write(make("Phone"), width=390)
    get_text(page).focus()
    page.keyboard.press("Control+k")
    page.get_by_role("option").filter(has_text="Light for the third tuck").first.wait_for()
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)


def test_a_press_outside_of_the_list_closes_it(write, make, uuids):
    page = write(make("Pressed"))
    get_text(page).focus()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name=FIELD)
    box = field.bounding_box()
    # A press in the list whose release is outside, as after a list that has moved, closes nothing.
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()
    assert field.is_visible()
    page.mouse.click(5, 5)
    field.wait_for(state="detached")


@pytest.mark.parametrize("dialog", ["link", "picture"])
def test_text_of_another_user_that_joins_moves_what_an_open_dialog_replaces(api, write, make, uuids, dialog):
    text = "First.\n\nRope here.\n\nLast.\n"
    path = make(f"Moved {dialog}", content=text)
    picture = add_file(api, "knot.png", "teal", alt="Knot")
    page = write(path)
    get_text(page).focus()
    page.evaluate("document.querySelector('admin-page').area.field.selectRange(8, 12)")
    if dialog == "link":
        page.keyboard.press("Control+k")
    else:
        get_button(page, "Picture").click()
    opened = page.get_by_role("dialog")
    opened.wait_for()
    # Another user saves, and then this page saves what was typed before.
    edits = {"title": f"Moved {dialog}", "content": f"Marit.\n\n{text}", "content_type": "markdown"}
    api.put(f"{path}working-copy/", edits)
    page.evaluate(
        """() => {
          const page = document.querySelector("admin-page");
          page.changeEdits({ subtitle: "Typed" });
          page.saver.saveEdits();
        }"""
    )
    wait_until(page, "document.querySelector('.cm-content').textContent.includes('Marit')")
    if dialog == "link":
        opened.get_by_role("option").filter(has_text="third tuck").first.click()
        insert = f"[Rope](article:{uuids['Light for the third tuck']}) here."
    else:
        opened.locator(".picture-grid button").first.click()
        opened.get_by_role("button", name="Insert", exact=True).click()
        insert = f"Rope\n\n![Knot](media:{picture['uuid']})\n\n here."
    opened.wait_for(state="detached")
    save(page)
    assert get_stored(api, path) == f"Marit.\n\n{text}".replace("Rope here.", insert)
