"""The dialog in which two versions of an article are joined."""

from __future__ import annotations

import pytest

from tests.admin.blogs import serve_modules
from tests.admin.browsing import list_violations, wait_for_copied
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

OPEN = """async ([base, mine, theirs, person]) => {
  const load = (path) => import(`${document.documentElement.dataset.assets}/${path}`);
  const [{ mergeEdits }, diff3] = [await load("source/editor/merge.js"), await load("vendor/diff3.js")];
  const { openMergeDialog } = await load("source/editor/merge-dialog.js");
  const names = { "tag-a": "rope", "tag-b": "boats" };
  const merged = mergeEdits({ base, mine, theirs }, diff3);
  window.answer = openMergeDialog({ merged, mine, person, names });
}"""
SEO = {"title": "", "description": "", "og_image": "", "canonical_url": ""}
BASE = {"title": "Splice", "subtitle": "", "content_type": "markdown", "excerpt": "", "slug": "", "seo": SEO}
BASE |= {"cover_image": "", "category": None, "tags": ["tag-a"], "authors": []}
START, END = "## First try\n\nIf it is right, one strand comes out.\n", "- [ ] An ending\n"


@pytest.fixture(scope="module", autouse=True)
def modules():
    """Serve the modules that a test imports."""
    with serve_modules():
        yield


def make_text(tries, *, task="- [ ] Pictures\n", cold="", roll=""):
    missing = f"## Still missing\n\n- Cold hands{cold}\n- Rope\n{task}{END}"
    return f"{START}Started {tries} times.\n\n{roll}Rest.\n\n{missing}"


BEFORE = BASE | {"content": make_text("ten")}
THEIRS = BASE | {
    **{
        "title": "A splice",
        "tags": ["tag-a", "tag-b"],
        "content": make_text("eleven", task="", roll="Roll.\n\n"),
    },
}
MINE = BASE | {
    "title": "The splice",
    "content": make_text("fourteen", task="- [x] <b>Pictures</b>\n", cold="!"),
}


def open_merge(open_admin, person="Marit"):
    page = open_admin("/admin/profile/")
    page.get_by_role("heading", name="Profile", exact=True).wait_for()
    page.evaluate(OPEN, [BEFORE, MINE, THEIRS, person])
    page.locator(".merge .cm-content").wait_for()
    return page


def choose(page, number, side):
    page.get_by_role("region", name=f"Place {number}", exact=True).get_by_role(
        "radio", name=side, exact=True
    ).check()


def test_places_are_chosen_or_written_and_the_rest_has_joined(open_admin):
    page = open_merge(open_admin)
    dialog = page.get_by_role("dialog", name="Join your text and Marit’s", exact=True)
    words = dialog.inner_text()
    assert "3 changes were joined automatically. 3 places are different in both texts." in words
    assert "0 of 3 chosen" in words
    assert "2 of 3 · First try" in words
    assert "3 of 3 · Still missing" in words
    second = dialog.get_by_role("region", name="Place 2", exact=True)
    assert second.locator("mark").all_text_contents() == ["eleven", "fourteen"]
    assert "Before\nStarted ten times." in second.inner_text()
    # The row names the person as the button does.
    assert second.locator(".conflict-line b").all_inner_texts() == ["Before", "Marit", "You"]
    assert second.get_by_role("radio", name="Marit’s", exact=True).count() == 1
    # The first open place has the focus; Alt and the arrow keys go to others.
    focused = "document.activeElement.closest('[data-conflict]')?.ariaLabel"
    assert page.evaluate(focused) == "Place 1"
    page.keyboard.press("Alt+ArrowDown")
    assert page.evaluate(focused) == "Place 2"
    assert list_violations(page) == []
    # Nothing is saved while a place is open.
    save = dialog.get_by_role("button", name="Save the article", exact=True)
    choose(page, 1, "Marit’s")
    choose(page, 2, "Both")
    save.click()
    dialog.get_by_text("Place 3 is open", exact=True).wait_for()
    assert page.evaluate(focused) == "Place 3"
    # What one side has deleted can be taken, taken back, and written by hand.
    for side in ("Marit’s", "Mine", "Marit’s", "Mine"):
        choose(page, 3, side)
    page.locator(".merge .cm-line", has_text="<b>Pictures</b>").click()
    page.keyboard.press("End")
    page.keyboard.insert_text(" by hand")
    assert dialog.locator(".range-theirs").all_text_contents() == ["Roll.", ""]
    dialog.get_by_role("button", name="Copy my text", exact=True).click()
    wait_for_copied(page)
    assert page.evaluate("navigator.clipboard.readText()") == MINE["content"]
    save.click()
    assert page.evaluate("answer") == MINE | {
        **{"title": "A splice", "tags": ["tag-a", "tag-b"]},
        "content": make_text(
            "eleven times.\nStarted fourteen",
            task="- [x] <b>Pictures</b> by hand\n",
            cold="!",
            roll="Roll.\n\n",
        ),
    }


def test_writing_at_an_open_place_on_a_phone_and_deciding_later(open_admin):
    page = open_merge(open_admin, "")
    dialog = page.get_by_role("dialog", name="Join your two texts", exact=True)
    page.set_viewport_size({"width": 320, "height": 800})
    page.emulate_media(color_scheme="dark")
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    dialog.get_by_role("radio", name="The article then", exact=True).check()
    page.locator(".range-missing").first.click()
    page.keyboard.insert_text("Started often.")
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    dialog.get_by_role("radio", name="Different in both", exact=True).check()
    wait_until(page, "document.querySelectorAll('.merge-place.open').length === 2")
    assert "Chosen: written" in dialog.get_by_role("region", name="Place 2", exact=True).inner_text()
    # Closing the dialog would lose what was written.
    page.keyboard.press("Escape")
    question = page.get_by_role("dialog", name="Decide later?", exact=True)
    assert list_violations(page) == []
    question.get_by_role("button", name="Cancel", exact=True).click()
    page.locator(".merge .cm-content").get_by_text("Started often.").wait_for(state="attached")
    dialog.get_by_role("button", name="Decide later", exact=True).click()
    question.get_by_role("button", name="Discard the choices", exact=True).click()
    assert page.evaluate("answer") is None


def test_escape_closes_a_dialog_without_choices(open_admin):
    page = open_merge(open_admin)
    page.keyboard.press("Escape")
    assert page.evaluate("answer") is None
    assert page.get_by_role("dialog").count() == 0
