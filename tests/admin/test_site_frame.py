"""The preview in the editor in the design of the site: a page of another origin, in a frame."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from blogapi.docs.assets import STATIC_FOLDER
from tests.admin.browsing import AdminPages, list_violations
from tests.admin.writing import get_button, save, type_at_end
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

SWITCH = "In the site's design"
# The page of a front end: it reads the article with the token in its address.
PAGE = """<!doctype html><title>Preview</title><main></main><script type="module">
import { connectPreview, createClient } from "/blogapi.js";
const token = new URLSearchParams(location.search).get("token");
const article = await createClient({ url: "SERVICE" }).preview(token, { fields: ["title", "html"] });
document.querySelector("main").innerHTML = `<h1>${article.title}</h1>${article.html}`;
connectPreview();
</script>"""


class Site(BaseHTTPRequestHandler):
    """A front end with a preview page, and one that forbids frames."""

    service = ""

    def do_GET(self):
        path = self.path.partition("?")[0]
        body = PAGE.replace("SERVICE", self.service).encode()
        content_type = "text/html"
        if path == "/blogapi.js":
            body, content_type = (STATIC_FOLDER / "blogapi.js").read_bytes(), "text/javascript"
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if path == "/closed/":
            self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def site():
    """The origin of the front end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(60)


@pytest.fixture(scope="module")
def blog(make_blog, site):
    """A blog whose API the front end may call."""
    served = make_blog(CORS_ORIGINS=(site,))
    Site.service = served.origin
    return served


@pytest.fixture(scope="module")
def admin_browser(browser, blog, site):
    """The browser profiles of the module; the editor may load the page of the front end."""
    pages = AdminPages(browser, blog, other_origins=[site])
    yield pages
    pages.close()


@pytest.fixture
def set_page(api, site):
    """Return a function that names the preview page."""
    return lambda path: api.patch("blog/site/", {"url": site, "preview_url": path})


def get_frame(page):
    return page.frame_locator(".site-frame iframe")


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        ("A draft", {"status": "draft"}),
        ("Scheduled", {"status": "published", "published_at": "2999-01-01T00:00:00Z"}),
        ("Published", {"status": "published"}),
    ],
)
def test_the_frame_shows_what_is_saved(write, make, set_page, api, site, title, fields):
    set_page("/preview/")
    path = make(title, **fields)
    page = write(path, width=1600)
    type_at_end(page, " Before the switch.")
    get_button(page, SWITCH).click()
    get_frame(page).get_by_text("Before the switch.").wait_for()
    assert get_frame(page).get_by_role("heading", level=1).inner_text() == title
    assert page.get_by_role("link", name="Open in a tab").get_attribute("href").startswith(f"{site}/preview/")
    wait_until(page, "document.querySelector('.site-frame .notice').hidden")
    type_at_end(page, " After it.")
    save(page)
    get_frame(page).get_by_text("After it.").wait_for()
    assert list_violations(page) == []
    get_button(page, SWITCH).click()
    assert page.locator(".site-frame iframe").count() == 0
    page.locator(".reading").get_by_text("After it.").wait_for()
    get_button(page, SWITCH).click()
    get_frame(page).get_by_text("After it.").wait_for()
    assert len(api.get(f"{path}preview/")) == 1


def test_a_preview_that_was_closed_while_its_link_was_made_loads_nothing(write, make, set_page):
    set_page("/preview/")
    page, held = write(make("Closed early"), width=1600), []
    page.route("**/articles/*/preview/", lambda route: held.append(route))
    with page.expect_request("**/articles/*/preview/"):
        get_button(page, SWITCH).click()
    get_button(page, SWITCH).click()
    with page.expect_response("**/articles/*/preview/"):
        wait_for_first(page, held).continue_()
    # This answer arrives after the other one.
    page.evaluate("async () => (await fetch('/robots.txt')).text()")
    assert page.locator(".site-frame iframe").count() == 0
    page.unroute("**/articles/*/preview/")
    get_button(page, SWITCH).click()
    get_frame(page).get_by_role("heading", name="Closed early").wait_for()


def test_the_frame_fits_on_a_phone(write, make, set_page):
    set_page("/preview/")
    page = write(make("Small"), width=360, height=700)
    page.get_by_role("radio", name="Preview", exact=True).check()
    get_button(page, SWITCH).click()
    get_frame(page).get_by_role("heading", name="Small").wait_for()
    assert not is_wider_than_the_window(page)
    assert page.locator(".site-frame").bounding_box()["height"] > 300


def test_a_page_that_forbids_frames_is_explained(write, make, set_page, open_admin, site):
    set_page("/closed/")
    page = write(make("Closed"), width=1600)
    get_button(page, SWITCH).click()
    page.get_by_text("The page has sent no message.").wait_for()
    assert f"{site} does not answer, or does not allow frames of {open_admin.origin}" in page.text_content(
        "[data-ref=siteFrameReason]"
    )
    assert list_violations(page) == []
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open in a tab").click()
    opened.value.get_by_role("heading", name="Closed").wait_for()
    (fault,) = open_admin.faults
    assert "X-Frame-Options" in fault
    open_admin.faults.clear()


def test_a_new_article_is_saved_first(open_admin, set_page):
    set_page("/preview/")
    page = open_admin("/admin/articles/new/", width=1600)
    page.get_by_role("textbox", name="Title", exact=True).fill("Knots")
    get_button(page, SWITCH).click()
    get_frame(page).get_by_role("heading", name="Knots").wait_for()


def test_a_changed_address_is_explained(write, make, set_page, api):
    set_page("/preview/")
    page = write(make("Moved"), width=1600)
    api.patch("blog/site/", {"preview_url": "https://elsewhere.example/preview"})
    get_button(page, SWITCH).click()
    page.get_by_text("Its address was changed. Load this page again.").wait_for()
    assert page.locator(".site-frame iframe").count() == 0


def test_without_a_page_of_the_site_there_is_no_switch(write, make, set_page):
    set_page("")
    page = write(make("Plain"), width=1600)
    page.get_by_text("As readers will see it").wait_for()
    assert get_button(page, SWITCH).count() == 0
