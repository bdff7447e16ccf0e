"""Finding and replacing in the text of an article."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

FILLER = "Nothing here.\n\n" * 300
TEXT = f"A rope and a Rope.\n\n{FILLER}Three ropes, far below.\n"


def wait_for_state(page, words):
    wait_until(page, f"document.querySelector('.find-row output').textContent === {words!r}")


def get_selection(page):
    return page.evaluate("getSelection().toString()")


def test_find_and_replace_by_keyboard(write, make, api):
    path = make("Find", content=TEXT)
    page = write(path)
    get_text(page).focus()
    page.keyboard.press("Control+f")
    page.keyboard.type("rope")
    wait_for_state(page, "1 of 3")
    assert not page.get_by_role("toolbar", name="Format", exact=True).is_visible()
    for count in (2, 3):
        page.keyboard.press("Enter")
        wait_for_state(page, f"{count} of 3")
    # It is far below what was drawn at first.
    wait_until(
        page,
        "document.querySelector('.cm-searchMatch-selected')?.parentElement.textContent.includes('far below')",
    )
    assert list_violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert list_violations(page, "color-contrast") == []
    page.keyboard.press("Escape")
    assert get_selection(page) == "rope"
    assert page.get_by_role("toolbar", name="Format", exact=True).is_visible()
    # Also without the row, and from the title.
    page.get_by_role("textbox", name="Title", exact=True).focus()
    page.keyboard.press("F3")
    wait_until(page, "document.activeElement.matches('.cm-content')")
    page.keyboard.press("Shift+F3")
    assert get_selection(page) == "rope"

    page.keyboard.press("Control+h")
    words = page.get_by_role("textbox", name="Find", exact=True)
    replacement = page.get_by_role("textbox", name="Replace with", exact=True)
    wait_until(page, "document.activeElement.name === 'replace'")
    assert words.input_value() == "rope"
    page.get_by_role("checkbox", name="Match case", exact=True).check()
    wait_until(page, "document.querySelector('.find-row output').textContent.endsWith(' of 2')")
    page.get_by_role("checkbox", name="Whole words", exact=True).check()
    wait_until(page, "document.querySelector('.find-row output').textContent.endsWith(' of 1')")
    page.get_by_role("checkbox", name="Regular expression", exact=True).check()
    words.press_sequentially("(")
    wait_for_state(page, "Not complete")
    words.fill("sail")
    wait_for_state(page, "No match")
    page.get_by_role("checkbox", name="Whole words", exact=True).uncheck()
    words.fill("(r)ope")
    replacement.fill("$1igging")
    get_button(page, "Replace all").click()
    wait_for_state(page, "No match")
    save(page)
    assert get_stored(api, path).startswith("A rigging and a Rope.")
    assert get_stored(api, path).endswith("Three riggings, far below.\n")
    get_text(page).focus()
    page.keyboard.press("Control+z")
    save(page)
    assert get_stored(api, path) == TEXT


def test_find_on_a_phone_and_not_in_the_plain_field(write, make):
    page = write(make("Find here", content=TEXT), width=390, height=700)
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Find", exact=True).click()
    page.keyboard.type("far")
    page.keyboard.press("Enter")
    wait_for_state(page, "1 of 1")
    row = page.locator(".find-row").bounding_box()
    assert row["y"] + row["height"] == 700
    targets = page.locator(".find-row :is(button, label):visible").all()
    assert len(targets) == 5
    assert all(
        min(target.bounding_box()["height"], target.bounding_box()["width"]) >= 44 for target in targets
    )
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    get_button(page, "Close").click()
    assert not page.locator(".find-row").is_visible()
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Plain text field", exact=True).click()
    wait_until(page, "document.querySelector('.cm-content') === null")
    get_button(page, "More").click()
    assert not page.get_by_role("menuitem", name="Find", exact=True).is_visible()
