"""What is inserted into the text: by "/" on an empty line, by the menu "+", and several pictures at once."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.demo import draw_picture
from tests.admin.writing import get_button, get_stored, get_text, save, type_at_end
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

READ = "document.querySelector('admin-page').area.field.getText()"
START = "Rain until eleven.\n\n"


def type_keys(page, keys):
    for key in keys:
        page.keyboard.press(key)


def list_options(page):
    return page.get_by_role("listbox", name="Insert", exact=True).get_by_role("option")


def test_the_list_at_the_end_of_a_long_text_is_inside_the_window(write, make):
    page = write(make("Low", content="Line.\n\n" * 40))
    type_at_end(page, "")
    page.keyboard.press("/")
    list_options(page).last.wait_for()
    edges = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)"
    assert page.evaluate(f"{edges}(document.querySelector('.insert').getBoundingClientRect())")


def test_a_slash_on_an_empty_line_inserts_and_one_undo_takes_it_back(write, make, api):
    path = make("Slash", content=START)
    page = write(path)
    type_at_end(page, "")
    page.keyboard.press("/")
    list_options(page).first.wait_for()
    assert list_options(page).count() == 9
    assert page.evaluate("document.activeElement.matches('.cm-content')")
    active = (
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent"
    )
    assert page.evaluate(active).startswith("Picture")
    assert list_violations(page) == []
    type_keys(page, ["ArrowDown", "ArrowDown", "ArrowUp"])
    assert page.evaluate(active) == "Gallery"
    type_keys(page, "call")
    wait_until(page, f"{active}.startsWith('Call-out')")
    page.keyboard.press("Enter")
    wait_until(page, f"{READ} === {(START + '> [!NOTE]' + chr(10) + '> Words')!r}")
    assert list_options(page).count() == 0
    assert page.evaluate("document.activeElement.getAttribute('aria-activedescendant')") is None
    page.keyboard.press("Control+z")
    assert page.evaluate(READ) == f"{START}/call"
    # Words that name nothing close the list, and Escape keeps the "/".
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("One\n\n")
    type_keys(page, "/zz")
    wait_until(page, "document.querySelector('.insert') === null")
    type_keys(page, ["Enter", "/"])
    list_options(page).first.wait_for()
    page.keyboard.press("Escape")
    assert list_options(page).count() == 0
    # In a line with words, nothing opens.
    type_keys(page, "a/b")
    assert list_options(page).count() == 0
    save(page)
    assert get_stored(api, path) == "One\n\n/zz\n/a/b"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Quote", "Rain> "),
        ("Code block", "Rain\n\n```\n\n```"),
        ("Footnote", "Rain[^1]\n\n[^1]: "),
        ("Divider", "Rain\n\n---\n\n"),
        ("Strikethrough", "Rain~~~~"),
        ("Table", "Rain\n\n| Name | Value | Note |\n| --- | --- | --- |\n|  |  |  |"),
    ],
)
def test_the_menu_inserts_at_the_cursor(write, make, name, text):
    page = write(make("Menu", content="Rain"), width=390, height=844)
    get_text(page).focus()
    page.keyboard.press("Control+End")
    get_button(page, "Insert").click()
    page.get_by_role("menu", name="Insert", exact=True).wait_for()
    heading = "getComputedStyle(document.querySelector('.popover.menu'), '::before').content"
    assert page.evaluate(heading).startswith('"Insert"')
    assert not is_wider_than_the_window(page)
    page.get_by_role("menuitem", name=name, exact=True).click()
    expected = text.replace("Rain> ", "> Rain")
    wait_until(page, f"{READ} === {expected!r}")
    assert page.evaluate("document.activeElement.matches('.cm-content')")


def test_several_pictures_become_a_gallery_or_stand_below_each_other(write, make, api):
    uuids = []
    for name in ("one", "two"):
        body = draw_picture((40, 20), "#112233" if name == "one" else "#332211", "#445566")
        query = {"name": f"{name}.png"}
        made = api.post("blog/media/", query_string=query, data=body, content_type="application/octet-stream")
        api.patch(f"blog/media/{made['uuid']}/", {"alt": name})
        uuids.append(made["uuid"])
    path = make("Gallery", content="Rain.")
    page = write(path)
    pictures = [f"![{name}](media:{uuid})" for name, uuid in zip(("one", "two"), uuids, strict=True)]
    for action, joint in (("Insert as a gallery", "\n"), ("Insert one below the other", "\n\n")):
        page.evaluate(f"document.querySelector('admin-page').area.setText('Rain.' + {action!r}.slice(0, 0))")
        get_text(page).focus()
        page.keyboard.press("Control+End")
        type_keys(page, ["Enter", "Enter", *"/gal"])
        list_options(page).first.wait_for()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Add a picture", exact=True)
        dialog.get_by_role("button", name="one", exact=True).click()
        dialog.get_by_role("button", name="two", exact=True).click()
        assert list_violations(page) == []
        dialog.get_by_role("button", name="Use 2 pictures", exact=True).click()
        dialog.get_by_role("button", name=action, exact=True).click()
        dialog.wait_for(state="hidden")
        wait_until(page, f"{READ} === {('Rain.' + chr(10) * 2 + joint.join(pictures))!r}")
