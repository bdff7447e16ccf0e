"""The documentation pages in Chromium: what a visitor sees and does. The fixture also checks for faults."""

from __future__ import annotations

import re
from contextlib import closing

import pytest

from tests.admin.browsing import list_violations
from tests.browser import is_wider_than_the_window, list_contrasts, wait_until
from tests.live_server import serve

pytestmark = pytest.mark.once

ARTICLES = "/api/v1/blog/articles/"
MINIMUM_CONTRAST = 4.5
NARROW = 360


@pytest.fixture
def open_reference(open_page):
    """Open the API reference and wait until it shows its first operation."""

    def open_it(**options):
        page = open_page("/docs/api/", **options)
        page.get_by_role("button", name="Test Request").first.wait_for()
        return page

    return open_it


def get_key(page):
    """Press the button that gets a key; return the key."""
    page.get_by_role("button", name="Get a key").click()
    wait_until(page, "document.getElementById('key').value !== ''")
    return page.locator("#key").input_value()


def send_first_request(page):
    """Send the first request from its form; return the response."""
    page.get_by_role("button", name="Test Request").first.click()
    with page.expect_response(lambda response: "/api/v1/blog/" in response.url) as sent:
        page.get_by_role("button", name=re.compile("^Send")).first.click()
    return sent.value


def test_the_reference_begins_with_the_articles_and_finds_operations_by_a_word(open_reference):
    page = open_reference()
    tags = page.locator("main h2:visible").all_inner_texts()
    assert [tag.strip() for tag in tags[:3]] == ["Articles", "Categories", "Tags"]
    assert "List the published articles" in page.locator("main h3:visible").first.inner_text()
    page.get_by_role("button", name=re.compile("Search")).first.click()
    page.keyboard.type("rotate")
    results = page.get_by_role("option").filter(has_text="/api/v1/auth/api-key/{id}/rotate/")
    results.first.wait_for()
    assert page.get_by_role("option").filter(has_text=re.compile("^List the published articles")).count() == 0
    results.first.click()
    wait_until(page, "location.hash.includes('rotate')")


def test_the_button_gets_a_key_and_the_page_uses_it(open_reference, make_article):
    article = make_article()
    page = open_reference()
    key = get_key(page)
    assert re.fullmatch(r"blogapi_\w{38}", key)
    response = send_first_request(page)
    assert (response.status, response.json()[0]["title"]) == (200, article.title)
    assert response.request.headers["x-api-key"] == key
    # The request contains no optional parameter that the visitor did not enter.
    assert response.request.url.endswith(ARTICLES)
    assert not {"if-match", "idempotency-key", "x-request-id"} & response.request.headers.keys()
    # The key is kept for the tab only.
    page.reload()
    page.get_by_role("button", name="Test Request").first.wait_for()
    assert page.locator("#key").input_value() == key
    assert send_first_request(page).request.headers["x-api-key"] == key
    assert key not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    other_tab = page.context.new_page()
    other_tab.goto("/docs/api/")
    assert other_tab.locator("#key").input_value() == ""


def test_a_key_can_be_entered_and_replaced(open_reference, people):
    page = open_reference()
    get_key(page)
    own = people.key(people.admin)
    page.locator("#key").fill(own)
    page.locator("#key").press("Tab")
    response = send_first_request(page)
    assert (response.status, response.request.headers["x-api-key"]) == (200, own)


def test_a_refusal_to_create_a_key_is_shown(app, open_page):
    app.config["KEY_CREATION"] = "admins"
    page = open_page("/docs/api/")
    page.get_by_role("button", name="Test Request").first.wait_for()
    page.get_by_role("button", name="Get a key").click()
    page.locator("#key-message:not(:empty)").wait_for()
    assert "key" in page.locator("#key-message").inner_text()
    assert page.locator("#key").input_value() == ""
    # The console shows the refused request.
    (fault,) = open_page.faults
    assert "40" in fault
    open_page.faults.clear()


def test_every_operation_has_samples_for_curl_fetch_and_python(open_reference):
    page = open_reference()
    for name, words in (("Fetch", "fetch('"), ("Requests", "requests.get("), ("Curl", "curl http")):
        page.get_by_role("button", name=re.compile("^(Shell|JavaScript|Python) ")).first.click()
        options = page.get_by_role("option")
        options.first.wait_for()
        assert options.all_inner_texts() == ["Fetch", "Requests", "Curl"]
        options.filter(has_text=name).click()
        page.locator("pre:visible", has_text=words).first.wait_for()


@pytest.mark.parametrize(
    "path",
    [
        *("/docs/", "/docs/build-a-front-end/", "/docs/front-ends/", "/docs/reading/"),
        *("/docs/operating/", "/docs/performance/"),
    ],
)
def test_a_page_of_the_guide_fits_a_narrow_window(open_page, path):
    page = open_page(path, width=NARROW)
    assert not is_wider_than_the_window(page)
    contents = page.get_by_role("navigation", name="Guide")
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").click()
    assert contents.is_visible() and not is_wider_than_the_window(page)
    contents.get_by_text("Write", exact=True).click()
    contents.get_by_role("link", name="Media", exact=True).click()
    page.wait_for_url("**/docs/media/")


def test_the_reference_fits_a_narrow_window(open_reference):
    page = open_reference(width=NARROW)
    assert not is_wider_than_the_window(page)
    page.get_by_role("button", name="Test Request").first.scroll_into_view_if_needed()
    assert not is_wider_than_the_window(page)
    assert page.get_by_role("button", name="Get a key").is_visible()


def assert_is_readable(page):
    """Check the contrast of all visible texts, first in a wide and then in a narrow window."""
    for width in (1280, NARROW):
        page.set_viewport_size({"width": width, "height": 800})
        wait_until(page, f"window.innerWidth === {width}")
        contrasts = list_contrasts(page)
        assert len(contrasts) > 50
        assert [pair for pair in contrasts if pair[0] < MINIMUM_CONTRAST] == []


def search_for(page, words):
    """Open the search with the keyboard, and wait for its results."""
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.locator("#guide-search a").first.wait_for()


def test_the_search_of_the_guide_works_with_the_keyboard(open_page):
    page = open_page("/docs/")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    page.get_by_role("button", name="Search").wait_for()
    assert loaded == []
    search_for(page, "verify call")
    assert [url.partition("/docs/")[2] for url in loaded] == ["search.json"]
    wait_until(page, "document.querySelector('#guide-search a').hash === '#verify-a-call'")
    marks = page.locator("#guide-search li").first.locator("mark").all_inner_texts()
    assert {mark.lower() for mark in marks} <= {"verify", "call"} and marks
    for key, focused in (
        ("ArrowDown", "#guide-search li:nth-child(1) a"),
        ("ArrowDown", "#guide-search li:nth-child(2) a"),
        ("ArrowUp", "#guide-search li:nth-child(1) a"),
        ("ArrowUp", "#guide-search input"),
        ("Escape", ":not(#guide-search *)"),
    ):
        page.keyboard.press(key)
        wait_until(page, f"document.activeElement.matches('{focused}')")
    assert not page.locator("#guide-search").is_visible()
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/webhooks/#verify-a-call")


def test_the_search_of_the_guide_says_that_nothing_was_found(open_page):
    page = open_page("/docs/operating/")
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("doctor")
    page.locator("#guide-search a").first.wait_for()
    page.keyboard.type(" [(*xyz")
    page.get_by_text("No section has all these words.").wait_for()
    assert page.locator("#guide-search a").count() == 0


def test_the_search_closes_for_a_section_of_the_same_page(open_page):
    page = open_page("/docs/webhooks/")
    search_for(page, "verify a call")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/webhooks/#verify-a-call")
    assert not page.locator("#guide-search").is_visible()


def test_a_sample_can_be_copied(open_page):
    page = open_page("/docs/build-a-front-end/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sample = page.locator(".sample").nth(1)
    sample.hover()
    button = sample.get_by_role("button", name="Copy")
    # The button shows the word for two seconds only.
    button.evaluate(
        "button => { shown = [];"
        " new MutationObserver(() => shown.push(button.textContent)).observe(button, { childList: true }); }"
    )
    button.click()
    wait_until(page, "shown.includes('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "KEY=blogapi_…\nAPI=http://127.0.0.1:8000/api/v1/blog"


def test_the_guide_can_be_read_without_scripts(browser, app):
    with serve(app) as port, closing(browser.new_context(java_script_enabled=False)) as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/docs/reading/")
        assert page.get_by_role("link", name="Webhooks and build hooks").first.is_visible()
        assert not page.get_by_role("button", name="Search").is_visible()
        assert page.get_by_role("button", name="Copy").count() == 0


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", ["/docs/", "/docs/build-a-front-end/", "/docs/operating/"])
def test_axe_finds_nothing_in_the_guide(open_page, path, dark, width):
    page = open_page(path, width=width, dark=dark)
    page.get_by_role("button", name="Search").wait_for()
    assert list_violations(page) == [] and not is_wider_than_the_window(page)
    search_for(page, "key")
    assert list_violations(page) == [] and not is_wider_than_the_window(page)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", ["/docs/", "/docs/build-a-front-end/"])
def test_the_guide_is_readable(open_page, path, dark):
    page = open_page(path, dark=dark)
    assert_is_readable(page)
    search_for(page, "key")
    assert [pair for pair in list_contrasts(page, "#guide-search") if pair[0] < MINIMUM_CONTRAST] == []
    dark_background = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert dark_background is dark


@pytest.mark.parametrize("dark", [False, True])
def test_the_reference_is_readable(open_reference, dark):
    assert_is_readable(open_reference(dark=dark))
