"""What `test_new_text_field` tests of the pages on a copy of the package with the field `standfirst`."""

from __future__ import annotations

import pytest

from tests.admin.writing import COPY, get_button, is_read, save, unfold, update

pytestmark = pytest.mark.sqlite("the pages use the API alone")

STANDFIRST = {"standfirst": "Baked on Fridays."}


def get_field(page):
    return page.get_by_role("textbox", name="Standfirst", exact=True)


def test_the_details_show_and_save_the_field(write, make, api):
    path = make("Bread", status="published", **STANDFIRST)
    page = write(path)
    assert is_read(page, "Baked on Fridays.")
    get_button(page, "Details").click()
    unfold(page, "Standfirst")
    assert get_field(page).input_value() == "Baked on Fridays."
    get_field(page).fill("Baked by lantern.")
    save(page)
    assert api.get(f"{path}working-copy/")["standfirst"] == "Baked by lantern."
    update(page)
    page.get_by_text("Updated at").first.wait_for()
    assert api.get(path, query_string={"fields": "standfirst"}) == {"standfirst": "Baked by lantern."}


def test_the_preview_and_the_history_show_the_field(open_admin, make, api):
    path = make("Rye", **STANDFIRST)
    uuid = path.split("/")[2]
    page = open_admin(f"/admin/articles/{uuid}/preview/")
    page.get_by_text("Baked on Fridays.", exact=True).wait_for()
    api.patch(path, {"standfirst": "Baked by lantern."})
    page = open_admin(f"/admin/articles/{uuid}/history/")
    changes = page.get_by_role("region", name="Changes", exact=True)
    changes.get_by_role("heading", name="Standfirst", exact=True).wait_for()
    assert changes.locator("ins").all_text_contents() == ["by lantern"]


def test_a_conflict_names_the_field(write, make, api):
    path = make("Oats", **STANDFIRST)
    page = write(path)
    get_button(page, "Details").click()
    unfold(page, "Standfirst")
    get_field(page).fill("Mine.")
    save(page)
    body = {"title": "Oats", "content": "", "standfirst": "Theirs."}
    api.put(f"{path}working-copy/", body)
    get_field(page).fill("Mine again.")
    with page.expect_response(COPY):
        page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Join your two texts")
    dialog.get_by_text("· Standfirst").wait_for()
