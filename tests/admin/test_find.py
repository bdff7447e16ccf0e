"""Finding and replacing in the text of an article."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]

FILLER = "Nothing here.\n\n" * 300
TEXT = f"A rope and a Rope.\n\n{FILLER}Three ropes, far below.\n"


def get_state(page):
    return page.locator("#find-state").inner_text()


def get_selection(page):
    return page.evaluate("getSelection().toString()")


def test_find_and_replace_by_keyboard(write, make, api):
    path = make("Find", content=TEXT)
    page = write(path)
    get_text(page).focus()
    page.keyboard.press("Control+f")
    page.keyboard.insert_text("rope")
    assert get_state(page) == "1 of 3"
    for _ in range(2):
        page.keyboard.press("Enter")
    assert get_state(page) == "3 of 3"
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
    page.keyboard.press("F3")
    page.keyboard.press("Shift+F3")
    assert get_selection(page) == "rope"

    page.keyboard.press("Control+h")
    get_button(page, "Match case").click()
    assert get_state(page) == "2 of 2"
    get_button(page, "Whole words").click()
    assert get_state(page) == "1 of 1"
    get_button(page, "Regular expression").click()
    words = page.get_by_role("textbox", name="Find", exact=True)
    words.fill("(rope")
    assert get_state(page) == "The ( is not closed"
    words.fill("sail")
    assert get_state(page) == "No match"
    get_button(page, "Whole words").click()
    words.fill("(r)ope")
    page.get_by_role("textbox", name="Replace with", exact=True).fill("$1igging")
    get_button(page, "Replace all 2").click()
    assert page.get_by_text("2 replaced. Undo", exact=True).is_visible()
    save(page)
    assert get_stored(api, path).startswith("A rigging and a Rope.")
    assert get_stored(api, path).endswith("Three riggings, far below.\n")
    get_button(page, "Undo").click()
    save(page)
    assert get_stored(api, path) == TEXT
    assert page.get_by_text("In the text. Title and details stay.", exact=True).is_visible()


def test_find_on_a_phone_and_not_in_the_plain_field(write, make):
    page = write(make("Find here", content=TEXT), width=390, height=700)
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Find", exact=True).click()
    page.keyboard.insert_text("far")
    assert get_state(page) == "1 of 1"
    row = page.locator(".find-row").bounding_box()
    assert row["y"] + row["height"] == 700
    targets = page.locator(".find-row button:visible").all()
    assert all(
        min(target.bounding_box()["height"], target.bounding_box()["width"]) >= 44 for target in targets
    )
    get_button(page, "Replace").click()
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    get_button(page, "Close").click()
    get_button(page, "More").click()
    page.get_by_role("menuitem", name="Plain text field", exact=True).click()
    wait_until(page, "document.querySelector('.cm-content') === null")
    get_button(page, "More").click()
    assert not page.get_by_role("menuitem", name="Find", exact=True).is_visible()
