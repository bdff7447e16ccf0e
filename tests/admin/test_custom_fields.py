"""Custom fields on the admin pages: defined, edited in Details, removed with undo."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import unfold
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")


@pytest.fixture
def define(api):
    """Return a function that defines a field, which is deleted after the test."""
    uuids = []

    def define(name, **fields):
        body = {"name": name, "label": name.replace("_", " ").capitalize(), **fields}
        uuids.append(api.post("blog/fields/", body)["uuid"])

    yield define
    for uuid in uuids:
        api.delete(f"blog/fields/{uuid}/")


def open_details(open_admin, path):
    page = open_admin(f"/admin/{path}/")
    page.get_by_role("button", name="Details").click()
    return page


def is_saved(page, **custom):
    """Expect that custom fields with at least these values are saved."""

    def has_values(answer):
        request = answer.request
        return (
            request.method == "PUT"
            and answer.ok
            and custom.items() <= request.post_data_json["custom"].items()
        )

    return page.expect_response(has_values)


def test_a_field_for_articles_finds_any_of_them_by_title_and_text(api, define, open_admin):
    define("goes_with", type="article", list=True)
    old = api.post(
        "blog/articles/", {"title": "Old soup, cold", "content": "A borscht", "status": "published"}
    )
    for number in range(12):
        api.post("blog/articles/", {"title": f"Newer {number}", "content": "Words", "status": "published"})
    draft = api.post("blog/articles/", {"title": "Bread draft", "content": "Rye"})["uuid"]
    custom = {"goes_with": [draft]}
    article = api.post("blog/articles/", {"title": "Fish", "content": "Fish.", "custom": custom})
    page = open_details(open_admin, f"articles/{article['uuid']}")
    unfold(page, "Goes with")
    group = page.get_by_role("group", name="Goes with")
    group.get_by_text("Bread draft").wait_for()
    group.get_by_role("button", name="Add an article").click()
    dialog = page.get_by_role("dialog", name="Choose Goes with")
    dialog.get_by_role("option", name="Newer").first.wait_for()
    assert dialog.get_by_text("Link to an address").count() == 0
    # No title has the word.
    page.keyboard.type("borscht")
    dialog.get_by_role("option", name="Old soup, cold").wait_for()
    assert list_violations(page) == []
    with is_saved(page) as sent:
        page.keyboard.press("Enter")
    assert sent.value.json()["custom"] == {"goes_with": [draft, old["uuid"]]}
    with is_saved(page) as sent:
        group.get_by_role("button", name="Remove Bread draft").click()
    assert sent.value.json()["custom"] == {"goes_with": [old["uuid"]]}
    group.get_by_text("Old soup, cold").wait_for()


def test_the_editor_has_the_fields_of_the_kind_that_is_edited(api, define, open_admin):
    define("rating", type="number")
    define("office", type="text", kinds=["page"])
    uuid = api.post("blog/pages/", {"title": "Imprint", "content": "Us."})["uuid"]
    page = open_details(open_admin, f"pages/{uuid}")
    with is_saved(page) as sent:
        unfold(page, "Office")
        page.get_by_role("textbox", name="Office").fill("Room 1")
    assert sent.value.json()["custom"] == {"office": "Room 1"}
    assert page.get_by_role("textbox", name="Rating").count() == 0


def test_a_field_stays_open_while_its_value_becomes_valid(api, define, open_admin):
    define("depth", type="number")
    uuid = api.post("blog/articles/", {"title": "Depth", "content": "Fish."})["uuid"]
    page = open_details(open_admin, f"articles/{uuid}")
    unfold(page, "Depth")
    with is_saved(page, depth=1.5):
        page.get_by_role("textbox", name="Depth").press_sequentially("1.5")
    assert page.get_by_role("textbox", name="Depth").is_visible()


def test_the_lines_of_a_list_are_saved_while_one_types(api, define, open_admin):
    define("pans", type="number", list=True)
    uuid = api.post("blog/articles/", {"title": "Pans", "content": "Fish."})["uuid"]
    page = open_details(open_admin, f"articles/{uuid}")
    unfold(page, "Pans")
    control = page.get_by_role("textbox", name="Pans")
    with is_saved(page, pans=[20, 24]):
        control.press_sequentially("20\n\n24\n")
    assert control.input_value() == "20\n\n24\n"
    # The focus is still in the field.
    with is_saved(page, pans=[20, 24, 1.5]):
        page.keyboard.type("1.50")
        page.keyboard.press("Control+s")
    assert control.input_value() == "20\n\n24\n1.50"
    with is_saved(page, pans=None):
        control.fill("")


@pytest.mark.parametrize(
    ("label", "name"), [("Größe der Fähre", "grosse_der_fahre"), ("2 Øl", "ol"), ("評価", "")]
)
def test_the_name_of_a_field_is_made_from_its_label(api, open_admin, label, name):
    page = open_admin("/admin/custom-fields/")
    page.get_by_role("button", name="New field").click()
    page.get_by_label("Label").fill(label)
    page.get_by_role("button", name="Save field").click()
    if not name:
        page.get_by_text("Use small letters, digits and underscores; begin with a letter.").wait_for()
        page.get_by_label("Short name").fill("rating")
        page.get_by_role("button", name="Save field").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    [field] = api.get("blog/fields/")
    api.delete(f"blog/fields/{field['uuid']}/")
    assert (field["label"], field["name"]) == (label, name or "rating")


def test_a_field_is_defined_edited_in_details_removed_and_restored(api, open_admin):
    page = open_admin("/admin/custom-fields/")
    page.get_by_text("No custom fields yet").wait_for()
    page.get_by_role("button", name="New field").click()
    page.get_by_label("Label").fill("Rating")
    assert not page.get_by_label("From", exact=True).is_visible()
    page.get_by_label("Holds").select_option("number")
    assert not page.get_by_label("Choices").is_visible()
    page.get_by_label("Required to publish").check()
    page.get_by_label("From", exact=True).fill("1")
    page.get_by_label("To", exact=True).fill("5")
    page.get_by_role("button", name="Save field").click()
    page.get_by_role("cell", name="Number, 1 to 5").wait_for()
    assert list_violations(page) == []
    # A limit that is not a number is refused, and does not remove the limit.
    page.get_by_role("button", name="Rating", exact=True).click()
    page.get_by_label("To", exact=True).fill("1 000")
    page.get_by_role("button", name="Save field").click()
    page.get_by_text("Not a valid number.").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert [field["maximum"] for field in api.get("blog/fields/")] == [5]
    # The focus follows a field that Alt and an arrow key move.
    api.post("blog/fields/", {"name": "yields", "label": "Yields", "type": "text"})
    page.reload()
    page.get_by_role("button", name="Rating", exact=True).focus()
    page.keyboard.press("Alt+ArrowDown")
    labels = "Array.from(document.querySelectorAll('th button'), (button) => button.textContent).join()"
    wait_until(page, f"{labels} === 'Yields,Rating'")
    wait_until(page, "document.activeElement.textContent === 'Rating'")
    page.get_by_role("button", name="Actions for Yields").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_text("Yields removed.").wait_for()
    page.set_viewport_size({"width": 320, "height": 700})
    assert list_violations(page) == [] and not is_wider_than_the_window(page)
    article = api.post("blog/articles/", {"title": "Soup", "content": "Fish."})
    page = open_admin(f"/admin/articles/{article['uuid']}/")
    page.get_by_role("button", name="Details").click()
    control = page.get_by_role("textbox", name="Rating")
    control.fill("about 5")
    page.get_by_text("“about 5” is not a number from 1 to 5").wait_for()
    page.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_text("Rating is missing.").wait_for()
    page.keyboard.press("Escape")
    # The text without a rating may be saved before.
    with is_saved(page, rating=4) as sent:
        control.fill("4")
    assert sent.value.json()["custom"] == {"rating": 4}
    assert list_violations(page) == []
    api.post("blog/articles/", {"title": "Bread", "custom": {"rating": 5}})
    page = open_admin("/admin/custom-fields/")
    page.get_by_role("button", name="Actions for Rating").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_text("No custom fields yet").wait_for()
    page.get_by_text("1 value is hidden, not deleted.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("cell", name="Number, 1 to 5").wait_for()
    for field in api.get("blog/fields/"):
        api.delete(f"blog/fields/{field['uuid']}/")
