"""Draws every admin page in each of its states: on a desktop, a tablet and a phone, light and dark.

`python -m tests.admin.screenshots FOLDER [NAME…]` writes NAME-light.png, NAME-dark.png, NAME-tablet.png,
NAME-tablet-dark.png, NAME-phone.png and NAME-phone-dark.png.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from blogapi import clock
from blogapi.operations.doctor import quick_checks
from blogapi.operations.doctor.findings import Advice, Level
from tests.admin import demo, hooks
from tests.admin.blogs import Blog, create_users, open_app, serve_blog, serve_modules
from tests.admin.browsing import AdminPages, wait_for_page
from tests.browser import launch_browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Repeated runs draw the same time and the same free space, whatever those of the machine are.
NOW = datetime(2026, 11, 27, 14, 32, tzinfo=UTC)
SPACE = Advice("disk", Level.OK, "Space on the disk", "76.5 GB are free, and the blog uses 4.6 MB.")
VARIANTS = {
    "light": {"width": 1440, "height": 900},
    "dark": {"width": 1440, "height": 900, "dark": True},
    "tablet": {"width": 1024, "height": 768},
    "tablet-dark": {"width": 1024, "height": 768, "dark": True},
    "phone": {"width": 390, "height": 844},
    "phone-dark": {"width": 390, "height": 844, "dark": True},
}


@dataclass(frozen=True)
class State:
    """A state of a page: its name, the path below /admin/, and what a user does there."""

    name: str
    path: str
    act: Callable[[Page], None] = lambda page: None
    user: str = "ida"
    is_empty: bool = False


def click(role: str, name: str) -> Callable[[Page], None]:
    """Return a function that clicks an element."""
    return lambda page: page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]


def show_details(page: Page) -> None:
    """Open the details of the editor, which are in a menu on a phone."""
    more = page.get_by_role("button", name="More", exact=True)
    if more.is_visible():
        more.click()
        click("menuitem", "Details")(page)
    else:
        click("button", "Details")(page)


def create_key(page: Page) -> None:
    """Create a key, which is then shown once."""
    click("button", "New key")(page)
    page.get_by_label("Name", exact=True).fill("site build")
    click("button", "Make the key")(page)


def invite(page: Page) -> None:
    """Invite somebody; the link is then shown once."""
    click("button", "Invite")(page)
    page.get_by_label("Name", exact=True).fill("Henrik")
    click("button", "Make the link")(page)


def ask_for_code(page: Page) -> None:
    """Show the second step of signing in."""
    page.evaluate("""async () => {
      const name = `${document.documentElement.dataset.assets}/source/second-factor.js`;
      (await import(name)).askForCode(document.querySelector("form"));
    }""")


def fill_in_webhook(page: Page) -> None:
    """Fill in the form of a build hook."""
    page.get_by_label("Name", exact=True).fill("harbour site")
    page.get_by_label("Address of the build hook", exact=True).fill(
        "https://api.netlify.com/build_hooks/5f0c"
    )


def open_on_its_way(page: Page) -> None:
    """Open the popover of a published article, which is in a menu on a phone."""
    if page.get_by_role("button", name="More", exact=True).is_visible():
        click("button", "More")(page)
        click("menuitem", "On its way to readers")(page)
    else:
        click("button", "Published")(page)


def open_links(page: Page) -> None:
    """Type "[[" and a word at the end of the third paragraph."""
    page.locator(".cm-line").nth(4).click()
    page.keyboard.press("End")
    page.keyboard.type(" [[light")
    page.wait_for_timeout(500)


def open_insert(page: Page) -> None:
    """Type "/" on an empty line."""
    page.locator(".cm-line").nth(4).click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("/")
    page.wait_for_timeout(500)


def insert_table(page: Page) -> None:
    """Insert a table on an empty line."""
    open_insert(page)
    page.keyboard.type("ta")
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)


def move_page(page: Page) -> None:
    """Ask for the place of a page."""
    click("button", "Actions for The people")(page)
    click("menuitem", "Move")(page)


def select(page: Page) -> None:
    """Select the first three rows of a list; on a phone, the checkboxes appear first."""
    button = page.get_by_role("button", name="Select", exact=True)
    if button.is_visible():
        button.click()
    for number in (1, 2, 3):
        page.get_by_role("checkbox").nth(number).check()


def publish_selected(page: Page) -> None:
    """Ask when the selected articles are published."""
    select(page)
    click("button", "Publish…")(page)


def merge_selected(page: Page) -> None:
    """Ask which of the selected terms stays."""
    select(page)
    click("button", "Merge…")(page)
    page.wait_for_timeout(300)


def name_blog(page: Page) -> None:
    """Fill in the first page of a new blog."""
    page.get_by_label("Name of the blog", exact=True).fill("Notes from the harbour")


STATES = (
    State("sign-in", "sign-in/", user=""),
    State("overview", ""),
    State("articles", "articles/"),
    State("articles-drafts", "articles/?status=draft"),
    State("articles-search", "articles/?q=tide"),
    State("articles-filter", "articles/?category=kitchen", click("button", "Tag")),
    State("articles-selected", "articles/", publish_selected),
    State("articles-empty", "articles/", is_empty=True),
    State("editor", "articles/{splice}/"),
    State("editor-details", "articles/{splice}/", show_details),
    State("editor-publish", "articles/{splice}/", click("button", "Publish")),
    State("editor-letters", "articles/{splice}/", click("button", "How the text looks")),
    State("editor-new", "articles/new/"),
    State("editor-edits", "articles/{foghorn}/"),
    State("editor-on-its-way", "articles/{folder}/", open_on_its_way),
    State("history", "articles/{folder}/history/"),
    State("preview", "articles/{splice}/preview/"),
    State("articles-bin", "articles/bin/"),
    State("pages", "pages/"),
    State("pages-move", "pages/", move_page),
    State("pages-bin", "pages/bin/"),
    State("pages-empty", "pages/", is_empty=True),
    State("page-editor", "pages/{people}/", show_details),
    State("alt-texts", "media/alt/"),
    State("media", "media/"),
    State("media-panel", "media/", lambda page: page.locator(".media-item").nth(5).click()),
    State("media-empty", "media/", is_empty=True),
    State("categories", "categories/"),
    State("tags", "tags/"),
    State("tags-merge", "tags/", merge_selected),
    State("authors", "authors/"),
    State("welcome", "welcome/", name_blog, is_empty=True),
    State("settings", "settings/"),
    State("site", "site/"),
    State("site-addresses", "site/addresses/"),
    State("site-languages", "site/languages/"),
    State("custom-fields", "custom-fields/"),
    State("users", "users/"),
    State("users-invite", "users/", click("button", "Invite")),
    State("users-link", "users/", invite),
    State("setup", "setup/#token", user=""),
    State("sign-in-code", "sign-in/", ask_for_code, user=""),
    State("profile-setup", "profile/", click("button", "Set up")),
    State("keys", "keys/"),
    State("keys-new", "keys/", create_key),
    State("keys-connect", "keys/connect/"),
    State("redirects", "redirects/"),
    State("webhooks", "webhooks/"),
    State("webhooks-empty", "webhooks/", is_empty=True),
    State("webhook-new", "webhooks/new/", fill_in_webhook),
    State(
        "webhook-calls",
        "webhooks/{harbour site}/",
        lambda page: page.locator(".calls .fold .fold").nth(11).click(),
    ),
    State("webhook-change", "webhooks/{search index}/change/"),
    State("import", "import/"),
    State("export", "export/"),
    State("backups", "backups/"),
    State("profile", "profile/"),
    # These change the text, so they are the last.
    State("editor-links", "articles/{splice}/", open_links),
    State("editor-insert", "articles/{splice}/", open_insert),
    State("editor-table", "articles/{splice}/", insert_table),
)


def draw(folder: Path, names: list[str]) -> None:
    """Draw the states with these names, or all states, as if the time were NOW."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as temporary,
        launch_browser() as browser,
        serve_modules(),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(quick_checks, "_check_server", lambda home: iter([SPACE]))
        # Each time is later than the one before, so that lists that are sorted by time have one order.
        ticks = count()
        patch.setattr(clock, "now", lambda: NOW + timedelta(microseconds=next(ticks)))
        for is_empty in (False, True):
            states = [state for state in STATES if state.is_empty is is_empty]
            states = [state for state in states if not names or state.name in names]
            if states:
                draw_blog(folder, states, Path(temporary) / f"blog-{is_empty}", browser, is_empty=is_empty)


def add_pages(blog: Blog) -> dict[str, str]:
    """Add pages, a custom field and deleted items; return the uuids of pages by short names."""
    ida, marit = blog.client("ida"), blog.client("marit")
    ida.post("blog/fields/", {"name": "boat", "label": "Boat", "type": "text", "kinds": ["article"]})
    about = ida.post("blog/pages/", {"title": "About", "content": "Since 2009.", "status": "published"})[
        "uuid"
    ]
    below = {"parent": about, "content": "Ida and Marit.", "status": "published"}
    people = ida.post("blog/pages/", {"title": "The people", **below})["uuid"]
    for position, title in enumerate(("Imprint", "Links", "Old charts"), 1):
        page = ida.post("blog/pages/", {"title": title, "position": position, "content": "Words."})["uuid"]
    marit.delete(f"blog/pages/{page}/")
    cover = ida.get("blog/media/?fields=url")[0]["url"]
    for title, more in (
        ("A fog signal nobody paid for", {"cover_image": cover, "status": "published"}),
        ("Notes for the winter lay-up", {}),
    ):
        article = ida.post("blog/articles/", {"title": title, "content": "Words.", **more})["uuid"]
        marit.delete(f"blog/articles/{article}/")
    return {"people": people}


def draw_blog(folder: Path, states: list[State], instance: Path, browser: object, *, is_empty: bool) -> None:
    """Draw states of a new blog."""
    with open_app(instance) as app:
        create_users(app)
    with serve_blog(instance) as blog:
        uuids = {} if is_empty else demo.fill_blog(blog)
        short = {name: uuids.get(getattr(demo, name.upper())) for name in ("splice", "foghorn", "folder")}
        short |= {} if is_empty else hooks.add_demo_hooks(blog) | add_pages(blog)
        pages = AdminPages(browser, blog)
        for user in {state.user for state in states}:
            pages.get_context(user).clock.set_fixed_time(NOW)
        for state in states:
            for variant, options in VARIANTS.items():
                path = f"/admin/{state.path.format(**short)}"
                page = pages(path, user=state.user, **options)  # type: ignore[arg-type]
                page.set_default_timeout(5_000)
                try:
                    wait_for_page(page)
                    page.wait_for_load_state("networkidle")
                    state.act(page)
                    page.wait_for_timeout(300)
                except Exception as error:
                    print(f"{state.name}-{variant}: {str(error).splitlines()[0]}", file=sys.stderr)
                page.screenshot(path=folder / f"{state.name}-{variant}.png", animations="disabled")
                page.close()
        for fault in dict.fromkeys(pages.faults):
            print(fault, file=sys.stderr)
        pages.close()


if __name__ == "__main__":
    draw(Path(sys.argv[1]), sys.argv[2:])
