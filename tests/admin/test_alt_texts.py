"""The page with one picture after the other, each with a field for its alternative text."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.test_media import add_file
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")
PATH = "/admin/media/alt/"
COLORS = ("red", "green", "blue", "teal")


@pytest.fixture
def files(api, admin_browser):
    """Four pictures without a text, in the order of the page."""
    made = [add_file(api, f"{color}.png", color) for color in COLORS][::-1]
    yield made
    # A tab may still load a picture.
    admin_browser.close_tabs()
    for file in api.get("blog/media/"):
        api.delete(f"blog/media/{file['uuid']}/?force=true")


def read(api, file):
    """Return the texts of a file."""
    stored = api.get(f"blog/media/{file['uuid']}/")
    return stored["alt"], stored["decorative"]


def wait_for(page, number, name):
    """Wait until a picture is shown, with the focus in the field."""
    page.get_by_text(f"{number} of 4", exact=True).wait_for()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    wait_until(page, "document.activeElement.id === 'field-alt'")


def test_texts_are_written_with_the_keyboard_alone(api, open_admin, files):
    body = {"title": "Trains", "content": f'<img src="media:{files[0]["uuid"]}">'}
    api.post("blog/articles/", body)
    page = open_admin("/admin/media/?alt=missing")
    page.get_by_role("link", name="Write them one by one", exact=True).click()
    page.wait_for_url(f"**{PATH}")
    wait_for(page, 1, "teal.png")
    page.get_by_text("About 1 minute", exact=True).wait_for()
    page.get_by_text("Used in Trains").wait_for()
    assert list_violations(page) == []
    page.keyboard.type("A teal wall")
    page.keyboard.press("Enter")
    wait_for(page, 2, "blue.png")
    page.get_by_text("1 written, none skipped", exact=True).wait_for()
    page.keyboard.press("Control+Enter")
    wait_for(page, 3, "green.png")
    page.get_by_role("checkbox", name="Decorative").check()
    page.get_by_role("button", name="Save and next", exact=True).click()
    wait_for(page, 4, "red.png")
    # Enter without a text skips.
    page.keyboard.press("Enter")
    page.get_by_text("Of 4 pictures: 2 written, 2 skipped.", exact=True).wait_for()
    assert list_violations(page) == []
    assert [read(api, file) for file in files] == [
        *(("A teal wall", False), ("", False)),
        *(("", True), ("", False)),
    ]
    page.goto(f"{open_admin.origin}{PATH}")
    page.get_by_text("1 of 2", exact=True).wait_for()


def test_what_was_typed_stays_when_one_skips_and_goes_back(api, open_admin, files):
    page = open_admin(f"{PATH}?file={files[1]['uuid']}")
    wait_for(page, 2, "blue.png")
    page.keyboard.type("Half a text")
    page.keyboard.press("Control+Enter")
    wait_for(page, 3, "green.png")
    page.get_by_role("button", name="Back", exact=True).click()
    wait_for(page, 2, "blue.png")
    assert page.get_by_label("Alternative text").input_value() == "Half a text"
    page.get_by_role("checkbox", name="Decorative").check()
    assert page.get_by_label("Alternative text").input_value() == ""
    page.get_by_label("Alternative text").fill("Words again")
    assert not page.get_by_role("checkbox", name="Decorative").is_checked()
    page.keyboard.press("Enter")
    wait_for(page, 3, "green.png")
    assert read(api, files[1]) == ("Words again", False)
    page.get_by_role("button", name="Back", exact=True).click()
    wait_for(page, 2, "blue.png")
    assert page.get_by_label("Alternative text").input_value() == "Words again"


def test_leaving_with_a_text_that_is_not_saved_asks(open_admin, files):
    page = open_admin(PATH)
    wait_for(page, 1, "teal.png")
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.keyboard.type("Half a text")
    page.get_by_role("link", name="Articles", exact=True).click()
    assert wait_for_first(page, questions) == "beforeunload"
    page.get_by_label("Alternative text").fill("")
    page.get_by_role("link", name="Articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")
    assert questions == ["beforeunload"]


def test_leaving_with_the_text_of_a_former_picture_asks(open_admin, files):
    page = open_admin(PATH)
    wait_for(page, 1, "teal.png")
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.keyboard.type("Half a text")
    page.keyboard.press("Control+Enter")
    wait_for(page, 2, "blue.png")
    page.get_by_role("link", name="Articles", exact=True).click()
    assert wait_for_first(page, questions) == "beforeunload"
    page.get_by_role("button", name="Back", exact=True).click()
    wait_for(page, 1, "teal.png")
    page.keyboard.press("Enter")
    wait_for(page, 2, "blue.png")
    # A picture that was skipped without a text does not ask.
    page.keyboard.press("Control+Enter")
    wait_for(page, 3, "green.png")
    page.get_by_role("link", name="Articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")
    assert questions == ["beforeunload"]


def test_what_was_typed_during_a_save_stays(api, open_admin, files):
    page = open_admin(PATH)
    wait_for(page, 1, "teal.png")
    page.evaluate(
        """() => {
            const { fetch } = window;
            window.fetch = (address, options) => {
                const input = document.getElementById("field-alt");
                if (options.method === "PATCH") {
                    input.value += ", half painted";
                    input.dispatchEvent(new Event("input", { bubbles: true }));
                }
                return fetch(address, options);
            };
        }"""
    )
    page.keyboard.type("A teal wall")
    page.keyboard.press("Enter")
    wait_for(page, 2, "blue.png")
    assert read(api, files[0]) == ("A teal wall", False)
    page.get_by_role("button", name="Back", exact=True).click()
    wait_for(page, 1, "teal.png")
    assert page.get_by_label("Alternative text").input_value() == "A teal wall, half painted"


def test_the_text_of_another_user_is_not_overwritten(api, open_admin, files):
    page = open_admin(PATH)
    wait_for(page, 1, "teal.png")
    page.keyboard.type("Mine")
    api.patch(f"blog/media/{files[0]['uuid']}/", {"alt": "Theirs"})
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="changed").wait_for()
    assert read(api, files[0]) == ("Theirs", False)
    assert page.get_by_label("Alternative text").input_value() == "Mine"
    page.keyboard.press("Enter")
    wait_for(page, 2, "blue.png")
    assert read(api, files[0]) == ("Mine", False)


def test_a_decorative_picture_is_not_marked_in_the_library(api, open_admin, files):
    api.patch(f"blog/media/{files[0]['uuid']}/", {"decorative": True})
    page = open_admin("/admin/media/")
    page.get_by_role("link", name="Without alternative text 3", exact=True).wait_for()
    page.locator(".media-item", has_text="teal.png").click()
    page.get_by_text("Decorative: it needs no text.", exact=True).wait_for()
    page.get_by_role("button", name="Delete file", exact=True).click()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.locator(".media-item", has_text="teal.png").wait_for()
    wait_until(page, "!document.querySelector('[aria-busy=true]')")
    (back,) = api.get("blog/media/", query_string={"q": "teal"})
    assert back["decorative"] is True


@pytest.mark.parametrize("width", [320, 390, 1024])
def test_the_page_fits_narrow_windows(open_admin, files, width):
    page = open_admin(PATH, width=width, height=844)
    wait_for(page, 1, "teal.png")
    assert not is_wider_than_the_window(page)
    assert list_violations(page) == []


def test_a_thumbnail_shows_its_picture(api, open_admin, files):
    page = open_admin(PATH, width=320, height=700)
    wait_for(page, 1, "teal.png")
    strip = page.get_by_role("group", name="Pictures", exact=True)
    strip.get_by_role("button", name="green.png", exact=True).click()
    wait_for(page, 3, "green.png")
    assert strip.locator("[aria-current]").get_attribute("aria-label") == "green.png"
    assert strip.get_by_role("button").count() == 4
    assert not is_wider_than_the_window(page)
    assert list_violations(page) == []
