"""The dialog of a conflict between two versions of an article."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]

OPEN = """async ([mine, theirs]) => {
  const base = document.querySelector("script[type=module]").src.replace(/pages\\/.*/, "");
  const { openConflict } = await import(`${base}editor/conflict.js`);
  const [theirTime, myTime] = [new Date("2026-11-22T14:31Z"), new Date("2026-11-22T14:33Z")];
  const names = { "tag-a": "rope", "tag-b": "boats" };
  window.answer = openConflict({ mine, theirs, person: "Marit", theirTime, myName: "Ida", myTime, names });
}"""
SEO = {"title": "", "description": "", "og_image": "", "canonical_url": ""}
BODY = {"title": "Splice", "subtitle": "", "content_type": "markdown", "excerpt": "", "slug": "", "seo": SEO}
BODY |= {"cover_image": "", "category": None, "tags": ["tag-a"], "authors": []}
START, MIDDLE = "A line.\n" * 23, "Between.\n" * 4
THEIRS = {
    **BODY,
    **{"title": "A splice", "tags": ["tag-b", "tag-c"], "seo": {**SEO, "title": "Theirs"}},
    "content": f"{START}Started eleven times.\n{MIDDLE}- [x] <b>Pictures</b>\nThe end.\n",
}
MINE = {
    **BODY,
    "content": f"{START}Started fourteen times.\n{MIDDLE}- [ ] <b>Pictures</b>\n- [ ] Ask Anselm\nThe end.\n",
}


def open_conflict(open_admin):
    page = open_admin("/admin/profile/")
    page.get_by_role("heading", name="Profile", exact=True).wait_for()
    page.evaluate(OPEN, [MINE, THEIRS])
    return page


def press(page, *names):
    for name in names:
        page.get_by_role("button", name=name, exact=True).click()


def test_both_versions_are_shown_and_merging_has_the_focus(open_admin):
    page = open_conflict(open_admin)
    dialog = page.get_by_role("dialog", name="Marit saved this article while you were writing", exact=True)
    assert "They differ in 5 places." in dialog.inner_text()
    assert "23 equal lines" not in dialog.inner_text() and "22 equal lines" in dialog.inner_text()
    assert dialog.locator("mark").all_text_contents() == [
        *(
            "A splice",
            "Splice",
            "boats, a deleted tag",
            "rope",
            "Theirs",
            "eleven",
            "fourteen",
            "x",
            " ",
            "- [ ] Ask Anselm\n",
        )
    ]
    assert "Merge" in page.evaluate("document.activeElement.textContent")
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    page.emulate_media(color_scheme="dark")
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)


def test_a_whole_version_is_chosen_or_none(open_admin):
    page = open_conflict(open_admin)
    for name, choice, fields in (
        ("Keep mine", "mine", MINE),
        ("Take Marit’s", "theirs", THEIRS),
        ("Decide later", "later", None),
    ):
        page.get_by_role("button", name=name).click()
        assert page.evaluate("answer") == {"choice": choice, "fields": fields}
        page.evaluate(OPEN, [MINE, THEIRS])
    page.keyboard.press("Escape")
    assert page.evaluate("answer") == {"choice": "later", "fields": None}
    page.evaluate(OPEN, [MINE, MINE])
    assert page.evaluate("answer") == {"choice": "theirs", "fields": MINE}
    assert page.get_by_role("dialog").count() == 0


def test_my_text_is_copied_and_the_places_are_merged_one_by_one(open_admin):
    page = open_conflict(open_admin)
    press(page, "Copy my text")
    page.get_by_role("status").get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == MINE["content"]
    page.get_by_role("button", name="Merge").click()
    assert page.get_by_role("button", name="Both", exact=True).count() == 0
    press(page, "Marit’s", "Mine", "Back", "Both", "Marit’s", "Marit’s")
    assert list_violations(page) == []
    press(page, "Both", "Save merged text")
    merged = page.evaluate("answer")
    assert merged["choice"] == "merged"
    assert merged["fields"] == MINE | {
        **{"title": "A splice", "tags": ["tag-b", "tag-c", "tag-a"], "seo": {**SEO, "title": "Theirs"}},
        "content": f"{START}Started eleven times.\n{MIDDLE}- [x] <b>Pictures</b>\n- [ ] <b>Pictures</b>\n"
        "- [ ] Ask Anselm\nThe end.\n",
    }
