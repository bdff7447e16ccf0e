"""The common modules of the admin pages, tried on a page that contains every component."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from blogapi.admin import assets
from tests.admin.blogs import PASSWORD, Client, serve_modules
from tests.admin.browsing import AdminPages, list_violations, wait_for_copied, wait_for_page
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

SAMPLE = Path(__file__).with_name("sample_page.js")


@pytest.fixture(scope="module", autouse=True)
def sample() -> Iterator[None]:
    """Serve the sample page in place of the page for backups."""
    with serve_modules(**{"pages/backups.js": SAMPLE.read_bytes()}):
        yield


@pytest.fixture
def open_sample(open_admin: AdminPages) -> Callable[..., Any]:
    """A function that opens the sample page and waits until it is loaded."""

    def open_page(*, ready: bool = True, **options: Any) -> Any:
        page = open_admin("/admin/backups/", **options)
        if ready:
            page.get_by_role("button", name="New thing", exact=True).wait_for()
        return page

    return open_page


def focused(page: Any) -> str:
    """Return the accessible name or the text of the element with the focus."""
    name = "document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()"
    return str(page.evaluate(name))


def test_the_frame_names_the_page_and_its_place(open_sample, api: Client):
    api.patch("blog/site/", {"title": "Notes from the harbour"})
    page = open_sample()
    assert page.get_by_role("heading", level=1).inner_text() == "Sample"
    assert page.title() == "Sample · Notes from the harbour"
    menu = page.get_by_role("navigation", name="Pages of the blog", exact=True)
    assert menu.get_by_role("link", name="Settings", exact=True).get_attribute("aria-current") == "page"
    assert menu.get_by_role("link", name="Backups", exact=True).count() == 0
    assert menu.get_by_role("link", name="ida", exact=True).get_attribute("href") == "/admin/profile/"
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"


@pytest.mark.parametrize(
    ("width", "dark", "opener"), [(1280, False, "Actions for Rope"), (320, True, "When")]
)
def test_every_component_is_accessible(open_sample, api: Client, width: int, dark: bool, opener: str):
    api.put("blog/categories/5ca1ab1e-0000-4000-8000-000000000001/", {"name": "Rope"})
    page = open_sample(width=width, dark=dark)
    assert not is_wider_than_the_window(page)
    page.get_by_role("button", name=opener, exact=True).click()
    assert list_violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New thing", exact=True).click()
    assert list_violations(page) == []


def test_an_address_without_an_article_keeps_the_menu(open_admin):
    page = open_admin(f"/admin/articles/{uuid4()}/")
    page.get_by_role("heading", name="There is nothing here", exact=True).wait_for()
    assert list_violations(page) == []
    page.get_by_role("link", name="Articles", exact=True).click()
    page.wait_for_url("**/admin/articles/")


def test_a_filled_button_shows_the_focus_ring(open_sample):
    page = open_sample()
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="New thing", exact=True)
    button.focus()
    assert button.evaluate("(element) => getComputedStyle(element).outlineWidth") == "2px"


def test_touch_targets_are_44_px_on_a_phone(open_sample, api: Client):
    api.put("blog/categories/5ca1ab1e-0000-4000-8000-000000000001/", {"name": "Rope"})
    page = open_sample(width=390, height=844)
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, input:not([type=checkbox]), select, nav a, .button")]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .filter((element) => element.closest(".prefixed, .sr-only") === null)
        .filter((element) => Math.round(element.getBoundingClientRect().height) < 44)
        .map((element) => element.outerHTML.slice(0, 100))"""
    )
    assert small == []
    page.get_by_role("button", name="More", exact=True).click()
    link = page.get_by_role("link", name="Backups", exact=True)
    assert link.get_attribute("aria-current") == "page"
    assert list_violations(page) == []
    page.get_by_role("button", name="Go to…", exact=True).click()
    page.get_by_role("option", name="Profile", exact=True).wait_for()
    assert not link.is_visible()


def test_login_that_ends_is_renewed_over_the_page(open_sample, api: Client):
    page = open_sample()
    page.get_by_role("textbox", name="Name", exact=True).fill("Saved late")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="Your login has ended", exact=True)
    dialog.get_by_text("Sign in as ida to save; the text stays here.", exact=True).wait_for()
    password = dialog.get_by_role("textbox", name="Password", exact=True)
    password.fill("wrong")
    # The page renders, for example because it counts seconds; what is typed stays.
    page.evaluate(
        "document.querySelector('admin-page').setFields({}); "
        "document.querySelector('admin-page').updateComplete"
    )
    password.press("Enter")
    dialog.get_by_role("alert").get_by_text("wrong").wait_for()
    dialog.get_by_role("button", name="Show password", exact=True).click()
    assert password.get_attribute("type") == "text"
    password.fill(PASSWORD)
    password.press("Enter")
    page.get_by_text("Category saved", exact=True).wait_for()
    assert "Saved late" in [category["name"] for category in api.get("blog/categories/")]
    assert not dialog.is_visible()


def test_later_leaves_the_text_where_it_is(open_sample):
    page = open_sample()
    page.get_by_role("textbox", name="Name", exact=True).fill("Not saved")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Later", exact=True).click()
    page.get_by_role("alert").get_by_text("Your login has ended.").wait_for()
    assert page.get_by_role("textbox", name="Name", exact=True).input_value() == "Not saved"


def test_stranger_is_led_to_the_sign_in_page(open_sample):
    page = open_sample(user="", ready=False)
    page.wait_for_url("**/admin/sign-in/?next=%2Fadmin%2Fbackups%2F")


def test_members_see_only_what_they_may_use(open_sample, open_admin):
    page = open_sample(user="tomas", ready=False)
    page.wait_for_url("**/admin/profile/")
    wait_for_page(page)
    menu = page.get_by_role("navigation", name="Pages of the blog", exact=True)
    assert menu.get_by_role("link").all_inner_texts() == ["tomas"]
    assert menu.get_by_role("button").count() == menu.get_by_role("heading").count() == 0
    page.keyboard.press("Control+p")
    assert page.get_by_role("dialog").count() == 0
    for path in ("/admin/", "/admin/articles/new/", "/admin/articles/"):
        page.goto(path)
        page.wait_for_url("**/admin/profile/")
    page.set_viewport_size({"width": 390, "height": 700})
    bar = page.get_by_role("navigation", name="Pages", exact=True)
    assert bar.get_by_role("link").count() == 0
    bar.get_by_role("button", name="More", exact=True).click()
    assert bar.get_by_role("link").all_inner_texts() == ["Profile"]
    assert list_violations(page) == []


def test_page_waits_for_a_blog_that_does_not_answer(open_sample):
    page, answers = open_sample(), [lambda route: route.abort()]
    page.context.route("**/api/**", lambda route: answers[-1](route))
    denied = "throw new DOMException('denied', 'SecurityError')"
    page.add_init_script(f"Object.defineProperty(window, 'localStorage', {{ get() {{ {denied} }} }})")
    page.reload()
    page.get_by_text("The blog does not answer.", exact=True).wait_for()
    page.get_by_text("Details for whoever runs the server", exact=True).click()
    assert "  no connection" in page.locator("pre").inner_text()
    assert list_violations(page) == []
    assert page.get_by_role("link", name="Articles", exact=True).is_visible()
    answers.append(lambda route: route.fulfill(body="<p>Sign in to this network</p>"))
    page.get_by_role("button", name="Try now", exact=True).click()
    wait_until(page, "document.querySelector('pre').textContent.includes('  no answer of the API')")
    # The page tries again by itself too, but not now.
    page.evaluate("document.querySelector('admin-page').setFields({ wait: 600 })")
    answers.append(lambda route: route.continue_())
    page.get_by_role("button", name="Try now", exact=True).click()
    page.get_by_role("button", name="Save", exact=True).wait_for()


def test_wrong_field_gets_its_message_and_the_focus(open_sample):
    page = open_sample()
    page.get_by_role("button", name="Save", exact=True).click()
    name = page.get_by_role("textbox", name="Name", exact=True)
    wait_until(page, "document.activeElement.id === 'field-name'")
    assert name.get_attribute("aria-invalid") == "true"
    assert page.locator("#field-name-help").inner_text().strip() != "Of the category"
    busy = {"status": 503, "headers": {"Retry-After": "30"}, "body": "<h1>Busy</h1>"}
    page.route("**/api/**", lambda route: route.fulfill(**busy))
    page.get_by_role("button", name="Save", exact=True).click()
    words = "The blog answered with an error (503). Try again in 30 seconds."
    page.get_by_role("alert").get_by_text(words, exact=True).wait_for()


def test_menus_and_popovers_work_by_keyboard(open_sample, api: Client):
    api.put("blog/categories/5ca1ab1e-0000-4000-8000-000000000001/", {"name": "Rope"})
    page = open_sample()
    page.get_by_role("button", name="Actions for Rope", exact=True).press("Enter")
    assert focused(page) == "Open"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "Delete"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.ariaLabel") == "Actions for Rope"
    page.keyboard.press("Enter")
    # What Escape does, and then a key that arrives before the page renders.
    page.evaluate("document.querySelector('.popover').hidePopover(); document.activeElement.click()")
    page.get_by_role("menuitem", name="Delete", exact=True).press("Enter")
    assert focused(page) == "Cancel"
    page.get_by_role("button", name="Delete thing", exact=True).click()
    wait_until(page, "document.querySelector('#field-name').value === 'true'")
    opener = page.get_by_role("button", name="When", exact=True)
    opener.click()
    page.get_by_role("radio", name="Later", exact=True).check()
    assert page.get_by_text("Chosen: later", exact=True).is_visible()
    opener.click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert focused(page) == "When"


def test_toast_can_undo(open_sample):
    page = open_sample()
    page.get_by_role("textbox", name="Name", exact=True).fill("Undo me")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("status").get_by_text("Category saved", exact=True).wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    assert page.get_by_role("textbox", name="Name", exact=True).input_value() == "undone"


def test_copy_button_says_that_it_has_copied(open_sample):
    page = open_sample()
    copy = page.get_by_role("button", name="Copy", exact=True)
    board = page.evaluate_handle("navigator.clipboard")
    # Over http, except on localhost, browsers have no such object.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.execCommand = () => false")
    copy.click()
    page.get_by_role("status").get_by_text("The browser refuses to copy.").wait_for()
    assert copy.is_visible()
    page.evaluate("delete document.execCommand")
    copy.click()
    wait_for_copied(page)
    assert focused(page) == "CopyCopied"
    assert board.evaluate("(board) => board.readText()") == "the copied text"


def test_palette_finds_places_and_articles(open_sample, api: Client):
    article = api.post("blog/articles/", {"title": "Lighthouse"})
    page = open_sample()
    page.keyboard.press("Control+p")
    page.keyboard.type("lightho")
    option = page.get_by_role("option", name="Lighthouse Draft", exact=True)
    assert option.get_attribute("href") == f"/admin/articles/{article['uuid']}/"
    assert list_violations(page) == []
    page.add_init_script("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })")
    page.get_by_role("combobox", name="Page, action or article", exact=True).fill("me")
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/media/")
    # On a Mac, Ctrl and P move the cursor of a text field.
    page.get_by_role("button", name="Go to… ⌘ P", exact=True).wait_for()
    page.keyboard.press("Control+p")
    assert not page.get_by_role("dialog").is_visible()
    page.keyboard.press("Meta+p")
    page.get_by_role("option", name="New article", exact=True).wait_for()


WORDS = {
    "f.formatTime('2026-07-01T08:05:00')": "09:05",
    "f.formatTime('2026-11-29T00:00:00.000000+00:00')": "00:00",
    "f.formatDay('2026-11-29T23:30:00+00:00')": "29 Nov 2026",
    "f.formatLongDay('2099-11-29T08:00:00+00:00')": "Sunday 29 November 2099",
    "f.formatTimeAgo(new Date(Date.now() - 130_000))": "2 min ago",
    "f.formatDayAndTime('2020-02-03T10:00:00')": "3 Feb 2020, 10:00",
    "f.formatDistance(new Date(Date.now() + 72.1 * 31_557_600_000))": "in 72 years",
    "f.toDateInputs('2026-07-01T23:30:00')": {"day": "2026-07-02", "time": "00:30"},
    "f.toDate('2026-07-01', '08:00').toISOString()": "2026-07-01T07:00:00.000Z",
    "f.toDate('2026-10-25', '00:30').toISOString()": "2026-10-24T23:30:00.000Z",
    "f.toDate('2026-11-29', '08:00').toISOString()": "2026-11-29T08:00:00.000Z",
    "f.formatCount(1400, 'article')": "1,400 articles",
    "f.formatCount(1, 'category', 'categories')": "1 category",
    "[1, 999, 1234, 284_123, 18_400_000].map(f.formatSize)": [
        "1 byte",
        "999 bytes",
        "1.2 kB",
        "284 kB",
        "18.4 MB",
    ],
}


def test_times_and_sizes_in_words(open_sample):
    expressions = ", ".join(WORDS)
    module = f"/admin/assets/{assets.get_digest()}/source/format.js"
    code = f"import('{module}').then((f) => (f.setTimeZone('Europe/Lisbon'), [{expressions}]))"
    assert dict(zip(WORDS, open_sample().evaluate(code), strict=True)) == WORDS
