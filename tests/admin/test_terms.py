"""The pages Categories, Tags and Authors."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window, wait_until
from tests.pictures import make_picture

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def find_row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("button", name=name, exact=True))


def select(page, *names):
    for name in names:
        page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()


def fill_dialog(page, title, button="Save", **fields):
    """Fill the dialog with this title, and press its button."""
    dialog = page.get_by_role("dialog", name=title, exact=True)
    for label, text in fields.items():
        dialog.get_by_label(label, exact=True).fill(text)
    dialog.get_by_role("button", name=button, exact=True).click()
    return dialog


def test_a_category_is_created_and_changed(api, open_admin):
    page = open_admin("/admin/categories/")
    page.get_by_role("button", name="New category").click()
    assert list_violations(page) == []
    fill_dialog(page, "New category", Name="Kitchen & <b>cellar</b>", Description="Soup").wait_for(
        state="hidden"
    )
    page.get_by_role("button", name="Kitchen & <b>cellar</b>", exact=True).click()
    fill_dialog(page, "Edit category", Name="Kitchen", Address="cook").wait_for(state="hidden")
    find_row(page, "Kitchen").get_by_text("cook", exact=True).wait_for()
    (stored,) = [term for term in api.get("blog/categories/") if term["name"] == "Kitchen"]
    assert (stored["slug"], stored["description"]) == ("cook", "Soup")


def test_a_category_is_below_another_one_and_has_seo_data(api, open_admin):
    from playwright.sync_api import expect

    food, bread = (api.post("blog/categories/", {"name": name})["uuid"] for name in ("Food", "Bread"))
    rye = api.post("blog/categories/", {"name": "Rye", "parent": bread})["uuid"]
    page = open_admin("/admin/categories/")
    page.get_by_role("button", name="Bread", exact=True).click()
    dialog = page.get_by_role("dialog", name="Edit category", exact=True)
    below = dialog.get_by_label("Below", exact=True)
    below.get_by_role("option", name="Food", exact=True).wait_for(state="attached")
    offered = below.locator("option").all_text_contents()
    assert not {"Bread", "Bread › Rye"} & {*offered}
    below.select_option("Food")
    dialog.get_by_text("How it looks elsewhere").click()
    assert list_violations(page) == []
    fields = {"Title in search results": "All breads", "Canonical address": "javascript:1"}
    fill_dialog(page, "Edit category", **fields).get_by_text("Must be an http").wait_for()
    fill_dialog(page, "Edit category", **{"Canonical address": ""}).wait_for(state="hidden")
    find_row(page, "Bread").get_by_text("in Food").wait_for()
    stored = api.get(f"blog/categories/{bread}/?fields=parent,seo_title")
    assert stored == {"parent": food, "seo_title": "All breads"}
    page.get_by_role("button", name="Rye", exact=True).click()
    expect(below.locator("option:checked")).to_have_text("Food › Bread")
    below.select_option("No other category")
    fill_dialog(page, "Edit category").wait_for(state="hidden")
    assert api.get(f"blog/categories/{rye}/?fields=parent") == {"parent": None}


def test_a_deleted_category_comes_back_above_those_that_were_below_it(api, open_admin):
    body = {"name": "Drinks", "language": "pt"}
    drinks = api.post("blog/categories/", body)["uuid"]
    tea = api.post("blog/categories/", {"name": "Tea", "parent": drinks})["uuid"]
    page = open_admin("/admin/categories/")
    page.get_by_role("button", name="Actions for Drinks").click()
    page.get_by_role("menuitem", name="Delete category").click()
    page.get_by_role("button", name="Drinks", exact=True).wait_for(state="detached")
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("in Drinks").wait_for()
    assert api.get(f"blog/categories/{tea}/?fields=parent")["parent"] == drinks
    assert api.get(f"blog/categories/{drinks}/?fields=name,language") == body
    # The language of a term is shown because it has one.
    page.get_by_role("button", name="Drinks", exact=True).click()
    fill_dialog(page, "Edit category", Language="fr").wait_for(state="hidden")
    assert api.get(f"blog/categories/{drinks}/?fields=language") == {"language": "fr"}
    file = api.send("POST", "blog/media/?name=tea.png", data=make_picture("brown"))
    page.get_by_role("button", name="Drinks", exact=True).click()
    page.get_by_role("button", name="Choose the picture", exact=True).click()
    chooser = page.get_by_role("dialog", name="Choose the picture")
    chooser.get_by_role("button", name="tea.png").click()
    assert list_violations(page) == []
    chooser.get_by_role("button", name="Use picture").click()
    fill_dialog(page, "Edit category").wait_for(state="hidden")
    cover = api.get(f"blog/categories/{drinks}/?fields=cover_image")["cover_image"]
    assert urlsplit(cover).path == urlsplit(file["url"]).path
    page.get_by_role("button", name="Tea", exact=True).click()
    assert not page.get_by_label("Language", exact=True).is_visible()


def test_wrong_fields_and_foreign_changes_are_shown_in_the_dialog(api, open_admin):
    tag = api.post("blog/tags/", {"name": "knots"})
    page = open_admin("/admin/tags/")
    page.get_by_role("button", name="knots", exact=True).click()
    dialog = fill_dialog(page, "Edit tag", Address="Not a slug")
    dialog.get_by_text("Not a valid slug").wait_for()
    api.patch(f"blog/tags/{tag['uuid']}/", {"name": "bends"})
    fill_dialog(page, "Edit tag", Name="splices", Address="splices").get_by_text("changed since").wait_for()
    assert list_violations(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    assert api.get(f"blog/tags/{tag['uuid']}/")["name"] == "bends"


def test_a_taken_name_is_refused_in_the_dialog_unless_an_address_is_given(api, open_admin):
    api.post("blog/tags/", {"name": "ropes"})
    other = api.post("blog/tags/", {"name": "nets"})
    page = open_admin("/admin/tags/")
    page.get_by_role("button", name="New tag").click()
    dialog = fill_dialog(page, "New tag", Name="Ropes")
    dialog.get_by_text("Is taken.").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    # The address that the tag has is none that the writer gives.
    page.get_by_role("button", name="nets", exact=True).click()
    fill_dialog(page, "Edit tag", Name="ROPES").get_by_text("Is taken.").wait_for()
    assert api.get(f"blog/tags/{other['uuid']}/")["name"] == "nets"
    fill_dialog(page, "Edit tag", Address="more-ropes").wait_for(state="hidden")
    assert api.get(f"blog/tags/{other['uuid']}/")["name"] == "ROPES"


def test_an_unused_author_is_deleted_and_brought_back(api, open_admin):
    author = api.post("blog/authors/", {"name": "Marit Holm", "bio": "Reads proofs."})
    page = open_admin("/admin/authors/", width=390, height=844)
    find_row(page, "Marit Holm").get_by_role("button", name="Actions for Marit Holm").click()
    page.get_by_role("menuitem", name="Delete author").click()
    page.get_by_text("“Marit Holm” deleted.").first.wait_for()
    find_row(page, "Marit Holm").wait_for(state="detached")
    assert page.evaluate("document.activeElement.localName") != "body"
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    # The button that had the focus is gone.
    find_row(page, "Marit Holm").wait_for()
    assert page.evaluate("document.activeElement.id") == "main"
    assert api.get(f"blog/authors/{author['uuid']}/?fields=name,bio") == {
        "name": "Marit Holm",
        "bio": "Reads proofs.",
    }
    assert not is_wider_than_the_window(page)


def test_a_tag_is_deleted_after_a_question_and_a_used_category_stays(api, open_admin):
    api.post("blog/categories/", {"name": "Harbour"})
    api.post("blog/tags/", {"name": "soup"})
    api.post("blog/articles/", {"title": "T", "category": {"slug": "harbour"}, "tags": [{"slug": "soup"}]})
    page = open_admin("/admin/tags/")
    for answer, is_left in (("Cancel", True), ("Delete tag", False)):
        page.get_by_role("button", name="Actions for soup").click()
        page.get_by_role("menuitem", name="Delete tag").click()
        fill_dialog(page, "Delete the tag “soup”?", answer).wait_for(state="hidden")
        find_row(page, "soup").wait_for(state="visible" if is_left else "detached")
    page.goto("/admin/categories/")
    page.get_by_role("button", name="Actions for Harbour").click()
    page.get_by_role("menuitem", name="Delete category").click()
    page.get_by_role("alert").get_by_text("article").wait_for()
    assert find_row(page, "Harbour").is_visible()


def delete_tags(api):
    found = [f"uuid={tag['uuid']}" for tag in api.get("blog/tags/?fields=uuid")]
    for start in range(0, len(found), 100):
        api.delete(f"blog/tags/?{'&'.join(found[start : start + 100])}")


@pytest.mark.release
def test_two_thousand_tags_are_searched_in_pages_and_alike_ones_merged(api, open_admin):
    delete_tags(api)
    for start in range(0, 2_000, 100):
        api.put(
            "blog/tags/", [{"uuid": str(uuid4()), "name": f"word {start + number}"} for number in range(100)]
        )
    tags = {name: api.post("blog/tags/", {"name": name}) for name in ("seaside", "sea side", "repair")}
    uuids = {name: {"uuid": tag["uuid"]} for name, tag in tags.items()}
    for title, status, names in (
        ("One", "published", ["seaside"]),
        ("Two", "draft", ["sea side", "seaside"]),
        ("Three", "draft", ["sea side"]),
        ("Four", "published", ["seaside"]),
    ):
        api.post(
            "blog/articles/", {"title": title, "status": status, "tags": [uuids[name] for name in names]}
        )
    page = open_admin("/admin/tags/")
    find_row(page, "seaside").get_by_text("2 published, 1 draft", exact=True).wait_for()
    assert page.locator("tbody tr").count() == 50
    assert page.locator("*").count() <= 1_500
    assert "1 to 50 of 2,003 tags, most used first" in page.locator(".list-end").inner_text()
    page.get_by_role("spinbutton", name="Page", exact=True).fill("41")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelectorAll('tbody tr').length === 3")
    assert page.url.endswith("?page=41")
    page.get_by_role("searchbox").fill("199")
    wait_until(page, "document.querySelectorAll('tbody tr').length === 12")
    page.get_by_role("searchbox").fill("zzz")
    page.get_by_role("status").filter(has_text="No tag contains “zzz”.").wait_for()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("link", name="Nearly alike 2", exact=True).click()
    wait_until(page, "document.querySelectorAll('tbody tr').length === 2")
    select(page, "seaside", "sea side")
    page.get_by_role("button", name="Merge…", exact=True).click()
    popover = page.get_by_role("dialog", name="Merge tags")
    popover.get_by_text("4 articles will have “seaside”").wait_for()
    popover.get_by_text("1 of them has both").wait_for()
    popover.get_by_text("/tag/sea-side/").wait_for()
    assert list_violations(page) == []
    popover.get_by_role("button", name="Merge into “seaside”", exact=True).click()
    page.get_by_text("Merged into “seaside”.").first.wait_for()
    page.get_by_role("status").filter(has_text="No tags").wait_for()
    assert len(api.get("blog/articles/?status=any&tag=seaside")) == 4
    page.goto("/admin/tags/?q=seaside")
    select(page, "seaside")
    page.get_by_role("button", name="Merge…", exact=True).click()
    page.get_by_role("combobox", name="With", exact=True).fill("repa")
    page.get_by_role("option", name="repair").click()
    page.get_by_role("button", name="Merge into “seaside”", exact=True).click()
    page.get_by_text("Merged into “seaside”.").first.wait_for()
    assert api.get("blog/tags/?slug=repair&fields=name") == [{"name": "seaside"}]
    page.goto("/admin/tags/?show=never")
    page.get_by_role("checkbox", name="Select all on this page", exact=True).check()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("50 tags deleted.").first.wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("link", name="Unused 2,000", exact=True).wait_for()
    delete_tags(api)
