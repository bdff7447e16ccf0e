"""The details of an article: what each one needs is open, the rest is one line with its value."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.demo import draw_picture
from tests.admin.writing import get_button, save, unfold, update
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

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
        ["Search and cards", "From the text"],
        ["Search engines", "Show the page"],
        ["Walking time", "Three hours"],
        ["Date of publication", "Not published"],
    ]
    assert list_violations(page) == []
    for name in ("Authors", "Featured", "Search and cards", "Search engines", "Walking time"):
        unfold(page, name)
    page.get_by_role("textbox", name="Title for search engines", exact=True).fill("Elsewhere")
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


def test_the_date_of_a_published_article_changes_at_once(write, make, api):
    path = make("Dated", status="published", published_at="2026-11-01T09:30:00Z")
    page = write(path)
    page.get_by_role("textbox", name="Title", exact=True).fill("Dated, new")
    get_button(page, "Details").click()
    unfold(page, "Date of publication")
    wait_until(page, f"{LINES}.at(-1)[1] === '1 Nov 2026, 09:30'")
    assert list_violations(page) == []
    date = page.get_by_label("Date and time", exact=True)
    assert date.input_value() == "2026-11-01T09:30"
    # A later time would hide it; the browser refuses that.
    date.fill("2099-01-01T10:00")
    get_button(page, "Change the date").click()
    date.fill("2020-02-03T04:05")
    get_button(page, "Change the date").click()
    wait_until(page, f"{LINES}.at(-1)[1] === '3 Feb 2020, 04:05'")
    stored = api.get(f"{path}?fields=title,published_at,status")
    assert (stored["title"], stored["status"]) == ("Dated", "published")
    assert stored["published_at"].startswith("2020-02-03T04:05")
    update(page)
    wait_until(page, "document.querySelector('admin-page').article.title === 'Dated, new'")
    assert page.locator(".toast").count() == 0
