"""The pages for import and export."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
import zipfile

import pytest

from blogapi.importing.formats.markdown.source import MarkdownSource
from blogapi.importing.jobs import runner
from blogapi.importing.pipeline.run import ImportRun
from tests.admin.blogs import SOURCE, serve_modules
from tests.admin.browsing import list_violations, wait_for_page
from tests.browser import is_wider_than_the_window, wait_until
from tests.import_threads import run_in_threads

pytestmark = pytest.mark.sqlite("the pages use the API alone")

BREAD = "---\ntitle: Bread\ndate: 2024-05-01\n---\nFlour and time. ![Oven](oven.png)\n"


@pytest.fixture(scope="module", autouse=True)
def short_polls():
    """Let the page ask for the state of an import more often."""
    script = (SOURCE / "pages/import.js").read_bytes()
    quick = script.replace(b"POLL_MS = 1000", b"POLL_MS = 100")
    assert quick != script
    with serve_modules(**{"pages/import.js": quick}):
        yield


@pytest.fixture(autouse=True)
def threads(blog, monkeypatch):
    """Let the imports run in threads."""
    run_in_threads(blog.app, monkeypatch)


def make_zip(**files):
    """Return a zip archive with Markdown files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.md", text)
    return {"name": "harbour.zip", "mimeType": "application/zip", "buffer": target.getvalue()}


def send_file(page, file):
    page.get_by_label("File of the other blog", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload and try", exact=True).click()


def get_by_title(api, title):
    return [article for article in api.get("blog/articles/") if article["title"] == title]


def test_a_blog_is_tried_and_imported(api, open_admin):
    before = api.get("blog/articles/")
    page = open_admin("/admin/import/")
    wait_for_page(page)
    assert list_violations(page) == []
    page.get_by_label("Fields that this blog does not have").select_option("everyone")
    rated = BREAD.replace("title:", "rating: 5\ntitle:")
    send_file(page, make_zip(bread=rated, broken="---\ntitle: [\n---\n"))
    page.get_by_text("would be defined, read by everyone: rating (number, 1)").wait_for()
    page.get_by_role("button", name="Import 1 text", exact=True).wait_for()
    page.get_by_text("harbour/broken.md will be left out").wait_for()
    assert api.get("blog/articles/") == before
    assert list_violations(page) == []
    # On a phone, both buttons are in one row.
    page.set_viewport_size({"width": 390, "height": 844})
    top = (
        "[...document.querySelectorAll('.page-head button')].map((item) => item.getBoundingClientRect().top)"
    )
    assert len(set(page.evaluate(top))) == 1 and not is_wider_than_the_window(page)
    page.reload()
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()
    page.get_by_text("harbour/broken.md was left out").wait_for()
    (article,) = get_by_title(api, "Bread")
    assert len(api.get("blog/articles/")) == len(before) + 1
    assert [field["name"] for field in api.get("blog/fields/")] == ["rating"]
    link = page.get_by_role("link", name="Open it", exact=True)
    assert link.get_attribute("href") == f"/admin/articles/{article['uuid']}/"
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the report", exact=True).click()
    assert download.value.suggested_filename == "import-report.json"
    page.get_by_role("link", name="Import another file", exact=True).click()
    page.get_by_role("link", name="harbour.zip", exact=True).first.wait_for()
    assert list_violations(page) == []


def test_files_with_the_same_remark_are_one_row(open_admin):
    page = open_admin("/admin/import/")
    broken = {f"broken-{number}": "---\ntitle: Broken\n" for number in range(3)}
    send_file(page, make_zip(**broken, alone="---\ntitle: [\n---\n"))
    page.get_by_role("button", name="Discard", exact=True).wait_for()
    group = page.get_by_role("listitem").filter(has_text="3 files will be left out")
    group.get_by_text("Show them", exact=True).click()
    assert group.get_by_role("listitem").all_inner_texts() == [f"harbour/{name}.md" for name in broken]
    page.get_by_text("harbour/alone.md will be left out").wait_for()
    assert page.get_by_text("harbour/broken-1.md will be left out").count() == 0
    assert list_violations(page) == []
    page.get_by_role("button", name="Discard", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()


def test_a_trial_that_runs_shows_no_numbers(open_admin, monkeypatch):
    go_on, store = threading.Event(), ImportRun._store_articles
    monkeypatch.setattr(ImportRun, "_store_articles", lambda run, show: go_on.wait(60) and store(run, show))
    page = open_admin("/admin/import/")
    send_file(page, make_zip(spelt=BREAD.replace("Bread", "Spelt")))
    page.get_by_role("button", name="Stop the trial", exact=True).wait_for()
    assert page.get_by_role("table").count() == 0
    go_on.set()
    page.get_by_role("button", name="Discard", exact=True).wait_for()
    assert page.get_by_role("row", name="Articles and pages 1 0 0 0", exact=True).is_visible()
    page.get_by_role("button", name="Discard", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()


def test_an_edited_article_that_the_other_blog_hides_is_named(api, open_admin):
    page = open_admin("/admin/import/")
    send_file(page, make_zip(oats=BREAD.replace("Bread", "Oats")))
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).click()
    (article,) = get_by_title(api, "Oats")
    api.patch(f"blog/articles/{article['uuid']}/", {"subtitle": "Mine"})
    send_file(page, make_zip(oats=BREAD.replace("Bread", "Oats").replace("date:", "private: true\ndate:")))
    page.get_by_role("heading", name="Public here, hidden there", exact=True).wait_for()
    page.get_by_text("harbour/oats.md is public here").wait_for()
    link = page.get_by_role("link", name="Open it", exact=True)
    assert link.get_attribute("href") == f"/admin/articles/{article['uuid']}/"
    assert list_violations(page) == []
    page.get_by_role("button", name="Discard", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()


@pytest.mark.parametrize(("choice", "status"), [(None, "draft"), ("Public", "published")])
def test_the_trial_asks_what_becomes_of_texts_with_unread_rules(api, open_admin, monkeypatch, choice, status):
    read = MarkdownSource.read

    def read_and_find_rules(self):
        yield from read(self)
        self.unread_rules = "MemberPress"

    monkeypatch.setattr(MarkdownSource, "read", read_and_find_rules)
    page = open_admin("/admin/import/")
    send_file(page, make_zip(**{f"rules-{status}": BREAD.replace("Bread", f"Rules {status}")}))
    page.get_by_role("heading", name="What MemberPress hid is unknown", exact=True).wait_for()
    cards = page.get_by_role("group", name="New texts come in as")
    assert cards.get_by_role("radio", name="Drafts").is_checked()
    if choice:
        cards.get_by_role("radio", name=re.compile(f"^{choice}")).check()
    assert list_violations(page) == []
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()
    articles = api.get("blog/articles/author/me/", query_string={"fields": "title,status"})
    assert {"title": f"Rules {status}", "status": status} in articles


@pytest.mark.parametrize(("is_chosen", "status"), [(False, "draft"), (True, "published")])
def test_the_trial_asks_which_marks_hid_nothing(api, open_admin, is_chosen, status):
    page = open_admin("/admin/import/")
    title = f"Marked {status}"
    send_file(
        page,
        make_zip(
            **{f"marks-{status}": BREAD.replace("Bread", title).replace("---\n", "---\nhide_post: true\n", 1)}
        ),
    )
    page.get_by_role("heading", name="What the old blog hid is unknown", exact=True).wait_for()
    mark = page.get_by_role("checkbox", name="key:hide_post (1 text)")
    assert not mark.is_checked()
    if is_chosen:
        mark.check()
    assert list_violations(page) == []
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()
    articles = api.get("blog/articles/author/me/", query_string={"fields": "title,status"})
    assert {"title": title, "status": status} in articles


def test_a_file_that_cannot_be_read_says_why_and_can_be_discarded(api, open_admin):
    page = open_admin("/admin/import/")
    page.get_by_role("button", name="Upload and try", exact=True).click()
    wait_until(page, "document.activeElement.matches('#field-file:invalid')")
    send_file(page, {"name": "broken.zip", "mimeType": "application/zip", "buffer": b"PK\x03\x04 no"})
    page.get_by_text("It is not a complete zip file").wait_for()
    page.get_by_role("button", name="Discard", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()
    assert [job["status"] for job in api.get("imports/") if job["name"] == "broken.zip"] == ["cancelled"]


def test_an_import_that_the_server_interrupted_can_go_on(blog, api, open_admin, monkeypatch):
    stopping = runner.get_runner(blog.app).stopping
    stopping.set()
    program = "import sys; sys.stdin.read()"
    monkeypatch.undo()
    monkeypatch.setattr(runner, "build_import_command", lambda job, is_trial: [sys.executable, "-c", program])
    page = open_admin("/admin/import/")
    send_file(page, make_zip(rye=BREAD.replace("Bread", "Rye")))
    go_on = page.get_by_role("button", name="Go on", exact=True)
    go_on.wait_for()
    assert page.get_by_text("Nothing was imported. The server was stopped.", exact=True).is_visible()
    stopping.clear()
    monkeypatch.undo()
    run_in_threads(blog.app, monkeypatch)
    go_on.click()
    page.get_by_role("button", name="Import 1 text", exact=True).wait_for()
    job = api.get("imports/")[0]["uuid"]
    assert api.get(f"imports/{job}/")["counts"]["articles"]["new"] == 1

    # It is stopped before it stores the first text.
    def store_nothing(_, show_progress):
        for _ in show_progress(range(6000), total=6000, label="Importing"):
            time.sleep(0.05)

    store = ImportRun._store_articles
    monkeypatch.setattr(ImportRun, "_store_articles", store_nothing)
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("heading", name="So far", exact=True).wait_for()
    assert page.get_by_role("row", name="Articles and pages 0 0 0 0", exact=True).is_visible()
    page.get_by_text(re.compile(r"^\s*Importing, \d+ of 6,000$")).wait_for()
    page.get_by_role("button", name="Stop the import", exact=True).click()
    page.get_by_text("Nothing was imported. Import the file again to go on.", exact=True).wait_for()
    assert page.get_by_role("row", name="Articles and pages 0 0 0 0", exact=True).is_visible()
    monkeypatch.setattr(ImportRun, "_store_articles", store)
    page.goto("/admin/import/?job=none")
    send_file(page, make_zip(rye=BREAD.replace("Bread", "Rye")))
    page.get_by_role("button", name="Import 1 text", exact=True).click()
    page.get_by_role("link", name="Import another file", exact=True).wait_for()
    assert api.get("blog/articles/", query_string={"q": "Rye"})


def test_the_blog_is_exported(api, open_admin):
    page = open_admin("/admin/export/")
    wait_for_page(page)
    assert list_violations(page) == []
    page.get_by_label("Files for", exact=True).select_option("hugo")
    page.get_by_label("With drafts, scheduled and archived articles", exact=True).uncheck()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the blog", exact=True).click()
    assert download.value.suggested_filename.startswith("blog-hugo-")
    assert download.value.url.endswith("/export/?format=hugo")
