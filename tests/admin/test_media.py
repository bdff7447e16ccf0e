"""The media page: upload, alternative texts, search, deletion and undo."""

from __future__ import annotations

import base64
import re

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until
from tests.pictures import make_picture

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def add_file(api, name, color, **texts):
    """Upload a picture and return it."""
    query = {"name": name} | texts
    body = make_picture(color)
    return api.post("blog/media/", query_string=query, data=body, content_type="application/octet-stream")


def get_item(page, name):
    return page.locator(".media-item", has_text=name)


def test_an_upload_asks_for_the_alternative_text_and_saves_it(api, open_admin):
    page = open_admin("/admin/media/")
    picture = {"name": "quay.png", "mimeType": "image/png", "buffer": make_picture("navy")}
    program = {"name": "notes.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x90\x00 no"}
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>A</foreignObject></svg>'
    drawing = {"name": "map.svg", "mimeType": "image/svg+xml", "buffer": svg}
    page.get_by_label("Upload", exact=True).set_input_files([program, picture, drawing])
    page.get_by_role("alert").get_by_text("notes.exe was not uploaded", exact=True).wait_for()
    page.get_by_role("alert").get_by_text(re.compile(r"map\.svg: The texts in ")).wait_for()
    wait_until(page, "document.activeElement.id === 'field-alt'")
    (file,) = api.get("blog/media/", query_string={"q": "quay"})
    api.patch(f"blog/media/{file['uuid']}/", {"caption": "Ida"})
    page.keyboard.insert_text("A quay\nat ")
    page.keyboard.type("six")
    page.keyboard.press("Enter")
    page.get_by_text("Saved", exact=True).wait_for()
    (file,) = api.get("blog/media/", query_string={"q": "quay"})
    assert file["alt"] == "A quay at six"
    page.get_by_text(re.compile(r"^\d+ \w+ \d{4} by ida$")).wait_for()
    better = picture | {"name": "harbour.png", "buffer": make_picture("olive")}
    page.get_by_label("Replace", exact=True).set_input_files(better)
    page.get_by_role("heading", name="harbour.png", exact=True).wait_for()
    (new,) = api.get("blog/media/", query_string={"q": "quay"})
    assert (new["uuid"], new["alt"], new["name"]) == (file["uuid"], file["alt"], "harbour.png")
    assert new["url"] != file["url"]
    assert list_violations(page) == []
    page.get_by_role("button", name="Close", exact=True).click()
    assert get_item(page, "quay.png").get_by_text("No alternative text").count() == 0


def test_lists_load_pictures_as_small_as_they_are_shown(api, open_admin):
    body = make_picture("sienna", "JPEG", (1200, 900))
    picture = api.post(
        "blog/media/", query_string={"name": "large.jpg"}, data=body, content_type="application/octet-stream"
    )
    api.post("blog/articles/", {"title": "Large", "content": "Tide.", "cover_image": picture["url"]})
    name = "(image) => image.complete && image.naturalWidth && image.currentSrc.split('/').at(-1)"
    grid = f"[...document.querySelectorAll('.media-item img')].map({name}).join()"
    page = open_admin("/admin/media/?q=large")
    wait_until(page, f"{grid} === 'w200.webp'")
    page.goto("/admin/articles/")
    wait_until(page, f"[...document.querySelectorAll('td.thumbnail img')].map({name})[0] === 'w200.webp'")
    # A screen with three device pixels for each pixel gets the next larger copy.
    page.context.new_cdp_session(page).send(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 3, "mobile": True},
    )
    page.goto("/admin/media/?q=large")
    wait_until(page, f"{grid} === 'w400.webp'")


DRAG = """([kind, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
  const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
  return document.querySelector("main :is(.media-list, .empty)").dispatchEvent(event);
}"""


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_file_that_is_dropped_on_the_list_is_uploaded(api, open_admin, is_empty):
    add_file(api, "first.png", "tan")
    page = open_admin("/admin/")
    if is_empty:
        none = {"json": [], "headers": {"X-Total-Count": "0"}}
        page.route("**/blog/media/?*", lambda route: route.fulfill(**none))
    page.goto(f"{open_admin.origin}/admin/media/")
    (page.get_by_text("No pictures yet") if is_empty else get_item(page, "first.png")).wait_for()
    page.unroute_all()
    data = base64.b64encode(make_picture("orchid")).decode()
    # The browser would open the file if the page did not take both events.
    assert [page.evaluate(DRAG, [kind, data]) for kind in ("dragover", "drop")] == [False, False]
    get_item(page, "dropped.png").wait_for()
    # The tab may still load the picture.
    open_admin.close_tabs()
    (file,) = api.get("blog/media/", query_string={"q": "dropped"})
    api.delete(f"blog/media/{file['uuid']}/")


def test_leaving_during_an_upload_asks(api, open_admin):
    page = open_admin("/admin/media/")
    waiting, questions = [], []
    page.route("**/blog/media/?name=slow.png", lambda route: waiting.append(route))
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    picture = {"name": "slow.png", "mimeType": "image/png", "buffer": make_picture("gold")}
    page.get_by_label("Upload", exact=True).set_input_files([picture])
    page.get_by_text("Uploading 1 file…").wait_for()
    page.get_by_role("link", name="Articles", exact=True).click()
    assert wait_for_first(page, questions) == "beforeunload"
    assert page.url == f"{open_admin.origin}/admin/media/"
    wait_for_first(page, waiting).continue_()
    wait_until(page, "document.activeElement.id === 'field-alt'")
    page.get_by_role("link", name="Articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")
    assert questions == ["beforeunload"]


def test_three_files_are_uploaded_at_a_time_and_a_failed_one_again(api, open_admin):
    page = open_admin("/admin/media/")
    waiting = []
    page.route("**/blog/media/?name=many-*", lambda route: waiting.append(route))
    pictures = [
        {"name": f"many-{n}.png", "mimeType": "image/png", "buffer": make_picture(colour)}
        for n, colour in enumerate(("teal", "plum", "peru", "pink"))
    ]
    page.get_by_label("Upload", exact=True).set_input_files(pictures)
    while len(waiting) < 3:
        page.wait_for_timeout(20)
    page.wait_for_timeout(200)
    assert len(waiting) == 3
    # The browser sends the three in any order.
    (failed,) = (route for route in waiting if route.request.url.endswith("many-0.png"))
    failed.fulfill(status=507, json={"code": "storage_full", "detail": "The disk is full."})
    while len(waiting) < 4:
        page.wait_for_timeout(20)
    for route in waiting:
        if route is not failed:
            route.continue_()
    page.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    assert list_violations(page) == []
    page.unroute_all()
    # The button waits until the other files are uploaded.
    get_item(page, "many-3.png").wait_for()
    page.locator("label").get_by_text("Upload", exact=True).wait_for()
    page.get_by_role("button", name="Retry many-0.png", exact=True).click()
    get_item(page, "many-0.png").wait_for()
    assert page.get_by_text("The disk is full.").count() == 0
    assert len(api.get("blog/media/", query_string={"q": "many-"})) == 4


def test_a_deleted_file_comes_back_with_undo(api, open_admin):
    file = add_file(api, "oven.png", "red", alt="An oven")
    page = open_admin("/admin/media/")
    get_item(page, "oven.png").click()
    page.get_by_role("button", name="Delete file", exact=True).click()
    page.get_by_text("oven.png deleted").wait_for()
    assert api.get("blog/media/", query_string={"q": "oven"}) == []
    page.get_by_role("button", name="Undo", exact=True).click()
    get_item(page, "oven.png").click()
    (back,) = api.get("blog/media/", query_string={"q": "oven"})
    assert (back["url"], back["alt"]) == (file["url"], "An oven")
    page.route(f"**{file['url']}", lambda route: route.fulfill(status=500))
    page.get_by_role("button", name="Delete file", exact=True).click()
    page.get_by_role("dialog").get_by_text("You cannot undo this").wait_for()
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert api.get("blog/media/", query_string={"q": "oven"})
    # The console names the file that the page could not read.
    wait_for_first(page, open_admin.faults)
    open_admin.faults.clear()


def test_the_deletion_of_a_used_file_cannot_be_undone(api, open_admin):
    file = add_file(api, "stove.png", "navy", alt="A stove")
    body = f"![A stove](media:{file['uuid']})"
    bread = api.post("blog/articles/", {"title": "Bread", "content": body, "content_type": "markdown"})
    api.put(f"blog/articles/{bread['uuid']}/working-copy/", {"title": "Bread", "content": f"{body}, warm"})
    page = open_admin("/admin/media/")
    get_item(page, "stove.png").click()
    page.get_by_role("link", name="Bread", exact=True).wait_for()
    assert page.get_by_role("link", name="Bread", exact=True).count() == 1
    page.get_by_role("button", name="Delete file", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("It is used in 1 place, which will have a gap. You cannot undo this.").wait_for()
    dialog.get_by_role("button", name="Delete file", exact=True).click()
    page.get_by_text("stove.png deleted").wait_for()
    assert page.get_by_role("button", name="Undo", exact=True).count() == 0
    assert api.get("blog/media/", query_string={"q": "stove"}) == []


def test_search_and_filters_have_addresses(api, open_admin):
    add_file(api, "loaf.png", "brown")
    page = open_admin("/admin/media/")
    page.get_by_role("link", name="Without alternative text").click()
    page.wait_for_url("**/admin/media/?alt=missing")
    get_item(page, "loaf.png").wait_for()
    page.get_by_role("searchbox", name="Search name and text").fill("loaf")
    wait_until(page, "document.querySelectorAll('.media-item').length === 1")
    assert page.url.endswith("?alt=missing&q=loaf")
    page.get_by_role("searchbox").fill("nothing of the kind")
    page.get_by_role("status").filter(has_text="No file contains “nothing of the kind”.").wait_for()


def test_a_phone_shows_the_file_instead_of_the_list(api, open_admin):
    add_file(api, "boat.png", "navy")
    page = open_admin("/admin/media/", width=390, height=844)
    get_item(page, "boat.png").click()
    page.get_by_role("heading", name="boat.png", exact=True).wait_for()
    assert not get_item(page, "boat.png").is_visible()
    assert not is_wider_than_the_window(page)
    page.get_by_role("button", name="Close", exact=True).click()
    get_item(page, "boat.png").wait_for()
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_text_that_was_discarded_is_not_sent_when_the_page_is_left(api, open_admin):
    file = add_file(api, "discarded.png", "maroon")
    page = open_admin("/admin/media/?q=discarded")
    get_item(page, "discarded.png").click()
    page.route(f"**/blog/media/{file['uuid']}/", lambda route: route.abort())
    page.get_by_label("Alternative text", exact=True).fill("Discarded")
    close = page.get_by_role("button", name="Close", exact=True)
    close.click()
    page.get_by_text("The blog does not answer.").first.wait_for()
    close.click()
    close.wait_for(state="detached")
    page.unroute_all()
    page.goto("/admin/profile/")
    page.get_by_role("heading", name="Profile", exact=True).wait_for()
    assert api.get(f"blog/media/{file['uuid']}/")["alt"] == ""
