"""Own fields on the admin pages: defined, edited in Details, removed with undo."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]


def test_a_field_is_defined_edited_in_details_removed_and_restored(api, open_admin):
    page = open_admin("/admin/own-fields/")
    page.get_by_text("No own fields yet").wait_for()
    page.get_by_role("button", name="New field").click()
    page.get_by_label("Label").fill("Rating")
    page.get_by_label("Name in the API").fill("rating")
    page.get_by_label("Holds").select_option("number")
    page.get_by_label("From", exact=True).fill("1")
    page.get_by_label("To", exact=True).fill("5")
    page.get_by_role("button", name="Save field").click()
    page.get_by_role("cell", name="Number, 1 to 5").wait_for()
    assert list_violations(page) == []
    article = api.post("blog/articles/", {"title": "Soup", "content": "Fish."})
    page = open_admin(f"/admin/articles/{article['uuid']}/")
    page.get_by_role("button", name="Details").click()
    control = page.get_by_role("textbox", name="Rating")
    control.fill("about 5")
    page.get_by_text("“about 5” is not a number from 1 to 5").wait_for()
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok) as sent:
        control.fill("4")
    assert sent.value.json()["custom"] == {"rating": 4}
    assert list_violations(page) == []
    page = open_admin("/admin/own-fields/")
    page.get_by_role("button", name="Actions for Rating").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_text("No own fields yet").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("cell", name="Number, 1 to 5").wait_for()
