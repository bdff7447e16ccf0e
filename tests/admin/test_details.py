"""The details of an article: what each one needs is open, the rest is one line with its value."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.demo import draw_picture
from tests.admin.writing import get_button, save, unfold
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("the pages use the API alone")]

LINES = "[...document.querySelectorAll('.fold > summary')].map(({ innerText }) => innerText.split('\\n'))"


def test_details_are_in_the_order_of_their_use(write, make, api):
    api.post("blog/fields/", {"name": "walk", "label": "Walking time", "type": "text"})
    page = write(make("Salt road", custom={"walk": "Three hours"}, featured=True))
    get_button(page, "Details").click()
    unfold(page, "Address")
    assert page.evaluate(LINES) == [
        ["Address", "salt-road"],
        ["Authors", "ida"],
        ["Featured", "Yes"],
        ["Search and cards", "As the text says"],
        ["Search engines", "Show the page"],
        ["Walking time", "Three hours"],
    ]
    assert list_violations(page) == []
    for name in ("Authors", "Featured", "Search and cards", "Search engines", "Walking time"):
        unfold(page, name)
    page.get_by_role("textbox", name="Title elsewhere", exact=True).fill("Elsewhere")
    wait_until(page, f"{LINES}[3][1] === 'Elsewhere'")
    assert list_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)


def test_the_first_picture_of_the_text_becomes_the_cover(write, make, api):
    body = draw_picture((40, 20), "#112233", "#445566")
    query = {"name": "harbour.png"}
    made = api.post("blog/media/", query_string=query, data=body, content_type="application/octet-stream")
    path = make("Cover", content=f"Words\n\n![A](media:{made['uuid']})")
    page = write(path)
    get_button(page, "Details").click()
    get_button(page, "Take the first picture of the text").click()
    get_button(page, "Remove").wait_for()
    save(page)
    assert api.get(f"{path}working-copy/")["cover_image"] == made["url"]
