"""The preview page in Chromium. The fixture also checks for violations of the Content-Security-Policy."""

from __future__ import annotations

import pytest

from tests.browser import is_wider_than_the_window, list_contrasts

pytestmark = [pytest.mark.slow, pytest.mark.once]

MINIMUM_CONTRAST = 4.5
NARROW = 360
UNKNOWN = "/preview/" + "x" * 43
WIDE_CONTENT = f"""
<p>{"long" * 100} <code>{"code" * 100}</code> <a href="/x">link</a> <mark>marked</mark> <kbd>Ctrl</kbd></p>
<h2 id="first">{"Heading" * 20}</h2>
<table><tr>{"<th>Column</th>" * 20}</tr><tr>{"<td>1</td>" * 20}</tr></table>
<pre><code>{"x" * 300}</code></pre>
<ul><li>One<ul><li>Two {"item" * 100}</li></ul></li></ul><dl><dt>Term</dt><dd>Text</dd></dl>
<figure><img src="/docs/static/icon.svg" width="2000" height="1000" alt="An image">
<figcaption>Caption</figcaption></figure>
<blockquote>A quotation</blockquote><details open><summary>More</summary>Details</details>
<video controls width="1000"></video><audio controls></audio><progress value="1" max="2"></progress><hr>
<p><a href="#first">Up</a></p>
"""


@pytest.fixture
def link(make_link):
    """A link to a draft with wide content."""
    return make_link(
        **{"title": "Sourdough" * 10, "subtitle": "Slow", "content": WIDE_CONTENT},
        cover_image="/docs/static/editor.webp",
    )


def test_the_page_is_styled_and_shows_its_images(open_page, link):
    page = open_page(link["url"])
    assert page.locator("h1").inner_text() == "Sourdough" * 10
    assert page.locator(".notice").evaluate("element => getComputedStyle(element).textAlign") == "center"
    widths = page.locator("img").evaluate_all("images => images.map((image) => image.naturalWidth)")
    assert len(widths) == 2 and all(widths)


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_has_enough_contrast(open_page, link, dark):
    for path in (link["url"], UNKNOWN):
        page = open_page(path, dark=dark) if path != UNKNOWN else open_missing(open_page, dark=dark)
        contrasts = list_contrasts(page)
        assert contrasts and [each for each in contrasts if each[0] < MINIMUM_CONTRAST] == []


def test_the_page_fits_into_a_narrow_window(open_page, link):
    assert not is_wider_than_the_window(open_page(link["url"], width=NARROW))
    assert not is_wider_than_the_window(open_missing(open_page, width=NARROW))


def test_a_link_inside_the_page_leads_to_its_heading(open_page, link):
    page = open_page(link["url"])
    page.get_by_text("Up").click()
    page.wait_for_url(f"**{link['url']}#first")


def test_neither_an_image_nor_a_link_sends_a_referer(open_page, make_link):
    content = '<img src="/docs/static/icon.svg"><a href="/docs/">the guide</a>'
    page = open_page(make_link(content=content)["url"])
    with page.expect_request("**/icon.svg") as image:
        page.reload()
    with page.expect_request("**/docs/") as link:
        page.get_by_text("the guide").click()
    for sent in (image.value, link.value):
        # Chromium reports an empty header when it asks again for a stored file.
        assert not sent.all_headers().get("referer")


def open_missing(open_page, **options):
    """Open the page of an unknown link; the console reports its status as an error."""
    page = open_page(UNKNOWN, **options)
    assert "404" in open_page.faults.pop()
    return page
