"""Pictures and players that show themselves in the text of the editor."""

from __future__ import annotations

import base64
import re

import pytest

from tests.admin.browsing import list_violations
from tests.admin.test_editor import PIXEL
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import wait_until
from tests.pictures import make_picture

pytestmark = pytest.mark.sqlite("the pages use the API alone")

UPLOAD = """(data) => fetch("/api/v1/blog/media/?name=quay.png", {
  method: "POST",
  headers: { "Content-Type": "image/png" },
  body: Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)),
}).then((response) => response.json())"""

PASTE = """(pictures) => {
  const transfer = new DataTransfer();
  for (const [n, data] of pictures.entries()) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], `${n}.png`, { type: "image/png" }));
  }
  const options = { clipboardData: transfer, bubbles: true, cancelable: true };
  document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", options));
}"""


def test_a_picture_is_a_block_with_fields(write, make, api, open_admin):
    from playwright.sync_api import expect

    media = open_admin("/admin/media/").evaluate(UPLOAD, base64.b64encode(PIXEL).decode())
    reference = f"media:{media['uuid']}"
    video = "https://youtu.be/h7Rb2kQx0Ls"
    path = make("Blocks", content=f'One.\n\n![]({reference} "The quay")\n\n{video}\n\nEnd.')
    page = write(path)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    picture = page.get_by_role("group", name="Picture", exact=True)
    expect(picture.get_by_text("No alternative text")).to_be_visible()
    wait_until(page, "document.querySelector('.block img')?.complete")
    assert list_violations(page) == []
    assert page.get_by_text("Readers see its player here. Nothing is loaded while you write.").is_visible()
    get_button(page, "Publish").click()
    assert page.get_by_text("No alternative text: “The quay”.").is_visible()
    page.get_by_role("dialog").get_by_role("button", name="Show", exact=True).click()
    # The whole block is selected; Enter leads to its fields, Escape back.
    page.keyboard.press("Enter")
    page.keyboard.type("A wet quay")
    assert list_violations(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.type(' "late"')
    page.keyboard.press("Escape")
    save(page)
    written = f'![A wet quay]({reference} "The quay \\"late\\"")'
    assert get_stored(api, path) == f"One.\n\n{written}\n\n{video}\n\nEnd."
    # What is typed now follows the picture; the arrows treat it as one place.
    page.keyboard.type("Two.")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("textbox", name="Alternative text", exact=True)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("textbox", name="Alternative text", exact=True)).to_be_hidden()
    # The video is a link after its button was pressed.
    get_button(page, "Make it a link").click()
    save(page)
    link = f"[Video of YouTube]({video})"
    assert get_stored(api, path) == f"One.\n\n{written}\n\nTwo.\n\n{link}\n\nEnd."
    # Backspace selects the picture, then deletes it.
    get_text(page).focus()
    picture.click()
    get_button(page, "As text").click()
    expect(get_text(page)).to_contain_text(written)
    page.keyboard.press("Control+Home")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Backspace")
    expect(page.get_by_role("textbox", name="Alternative text", exact=True)).to_be_visible()
    page.keyboard.press("Backspace")
    save(page)
    assert get_stored(api, path) == f"One.\n\n\n\nTwo.\n\n{link}\n\nEnd."
    assert [url for url in requests if "youtu" in url] == []


def test_a_gallery_is_made_of_two_pictures(write, make, api, open_admin):
    media = open_admin("/admin/media/").evaluate(UPLOAD, base64.b64encode(PIXEL).decode())
    reference = f"media:{media['uuid']}"
    path = make("Gallery", content=f"![One]({reference})\n\nEnd.")
    page = write(path)
    page.get_by_role("group", name="Picture", exact=True).click()
    get_button(page, "Add to a gallery").click()
    dialog = page.get_by_role("dialog", name="Add to a gallery", exact=True)
    dialog.get_by_role("button", name="quay.png", exact=True).click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("group", name="Gallery of 2 pictures", exact=True).wait_for()
    page.get_by_role("textbox", name="Caption", exact=True).nth(1).fill("Two")
    save(page)
    assert get_stored(api, path) == f'![One]({reference})\n![]({reference} "Two")\n\nEnd.'
    wait_until(
        page, "document.querySelector('.reading > .sheet').shadowRoot?.querySelector('.gallery figcaption')"
    )


def test_several_pictures_are_uploaded_one_after_the_other(write, make, api):
    path = make("Several", content="")
    page = write(path)
    steps = []
    for step in ("request", "response"):
        page.on(step, lambda call, step=step: steps.append(step) if "/media/?name=" in call.url else None)
    pictures = [make_picture(color, size=(640, 40)) for color in ("coral", "khaki", "orchid")]
    page.evaluate(PASTE, [base64.b64encode(picture).decode() for picture in pictures])
    page.get_by_role("dialog", name="Add 3 pictures", exact=True).wait_for()
    # Enter leads to the next picture, and inserts them at the last one.
    for number, alt in enumerate(("One", "Two", "Three")):
        wait_until(page, f"document.activeElement.id === 'alt-{number}'")
        page.keyboard.type(alt)
        page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert steps == ["request", "response"] * 3
    save(page)
    assert re.findall(r"!\[(\w+)\]", get_stored(api, path)) == ["One", "Two", "Three"]
    # A picture that is narrower than the text is not made smaller.
    images = "[...document.querySelectorAll('.block img')]"
    wait_until(page, f"{images}.length > 1 && {images}.every(({{ complete }}) => complete)")
    assert set(page.evaluate(f"{images}.map(({{ naturalWidth }}) => naturalWidth)")) == {640}
