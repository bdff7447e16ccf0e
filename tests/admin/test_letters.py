"""The letters of the text in the editor, and links whose addresses are folded away."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

LINK = "[salt pans](https://salt.example/a)"
TEXT = f"The road to the {LINK} is quiet.\n\n## Then\n\n" + "Words and words.\n\n" * 40 + "End"
FONT = "getComputedStyle(document.querySelector('.cm-line')).fontFamily"
WIDTH = "document.querySelectorAll('.md-folded')[{n}]?.getBoundingClientRect().width"


def test_prose_is_shown_at_first_and_a_choice_is_kept(write, make):
    path = make("Letters", content=TEXT)
    page = write(path)
    assert "serif" in page.evaluate(FONT) and "mono" not in page.evaluate(FONT)
    # The line of the cursor stays where it is.
    get_text(page).focus()
    page.keyboard.press("Control+End")
    find_bottom = "document.querySelector('.cm-line:last-of-type').getBoundingClientRect().bottom"
    # The editor scrolls to the cursor at its next drawing.
    wait_until(page, f"{find_bottom} < innerHeight")
    before = page.evaluate(find_bottom)
    get_button(page, "How the text looks").click()
    dialog = page.get_by_role("dialog", name="How the text looks", exact=True)
    dialog.get_by_role("radio", name="Mono", exact=True).check()
    wait_until(page, f"{FONT}.includes('mono') && Math.abs({find_bottom} - {before}) < 12")
    dialog.get_by_role("radio", name="Large", exact=True).check()
    dialog.get_by_text("Fold addresses away", exact=True).click()
    assert list_violations(page) == []
    page.keyboard.press("Escape")
    page = write(path)
    assert "mono" in page.evaluate(FONT)
    page.keyboard.press("Control+Home")
    assert page.evaluate("document.querySelector('.editor').dataset.size") == "large"
    assert page.evaluate(WIDTH.format(n=1)) > 100


def test_an_address_is_folded_until_the_cursor_touches_it(write, make, api):
    path = make("Folds", content=TEXT)
    page = write(path)
    get_text(page).focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Home")
    wait_until(page, f"{WIDTH.format(n=1)} === 0")
    # Screen readers get the source.
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    assert any(LINK in str(node.get("value", {}).get("value")) for node in nodes)
    assert list_violations(page) == []
    # The arrow keys pass each character, and what is copied is Markdown.
    start = TEXT.index(LINK)
    for _ in range(start):
        page.keyboard.press("ArrowRight")
    wait_until(page, "document.querySelector('.md-folded') === null")
    for _ in LINK:
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == LINK
    page.keyboard.press("ArrowRight")
    page.context.route("https://salt.example/**", lambda route: route.fulfill(body="Salt"))
    with page.expect_popup() as opened:
        page.keyboard.press("Control+Enter")
    assert opened.value.url == "https://salt.example/a"
    opened.value.close()
    # Find opens what it finds.
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+f")
    page.get_by_label("Find", exact=True).first.fill("salt.example")
    wait_until(page, "document.querySelector('.md-folded') === null")
    page.keyboard.press("Escape")
    page.keyboard.insert_text("pans")
    save(page)
    assert get_stored(api, path) == TEXT.replace("salt.example", "pans")


def test_prose_fits_on_a_phone(write, make):
    page = write(make("Phone", content=f"{TEXT}\n\n- {'word ' * 30}\n- [ ] a\n\n    code\n"), width=320)
    assert not is_wider_than_the_window(page)
