"""Opens the admin pages in Chromium with the login of a user, and checks them with axe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.sync_playwright import Axe

from blogapi import authentication
from tests.admin.blogs import Blog
from tests.browser import TIMEOUT_MS, PageOpener, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

# The console shows each refused request, but a page may ask for what does not exist.
_REFUSED = "Failed to load resource: "

# A toast goes away after 8 seconds, in which a slow machine may not have come to its button.
_KEEP_TOASTS = "addEventListener('animationend', (event) => event.stopPropagation(), { capture: true });"

_SIZE = (1280, 800)
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class AdminPages(PageOpener):
    """Opens pages in tabs that share the cookies and the storage of one browser profile per user."""

    def __init__(self, browser: Any, blog: Blog, **options: Any) -> None:
        super().__init__(browser, blog.origin, **options)
        self.blog = blog
        self._contexts: dict[str, BrowserContext] = {}

    def __call__(  # type: ignore[override]
        self, path: str, *, user: str = "ida", width: int = 1280, height: int = 800, dark: bool = False
    ) -> Page:
        """Open a path in a new tab, with the login of the user; an empty name stands for no login."""
        page = self.get_context(user).new_page()
        if (width, height) != _SIZE:
            page.set_viewport_size({"width": width, "height": height})
        if dark:
            page.emulate_media(color_scheme="dark")
        page.on("console", self._record_message)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._record_request)
        page.goto(path)
        return page

    def get_context(self, user: str) -> BrowserContext:
        """Return the browser profile of the user, with a login."""
        if user not in self._contexts:
            context = self._browser.new_context(
                base_url=self.origin,
                viewport={"width": _SIZE[0], "height": _SIZE[1]},
                color_scheme="light",
                reduced_motion="reduce",
                permissions=["clipboard-read", "clipboard-write"],
            )
            context.set_default_timeout(TIMEOUT_MS)
            context.add_init_script(_KEEP_TOASTS)
            # This tab stays open, so that the process of the profile is kept.
            context.new_page().goto("/robots.txt")
            self._contexts[user] = context
        context = self._contexts[user]
        if user and not context.cookies():
            cookie = {
                "name": authentication.SESSION_COOKIE,
                "value": self.blog.log_in(user),
                "url": self.origin,
            }
            context.add_cookies([cookie])  # type: ignore[list-item]
        return context

    def close_tabs(self) -> None:
        """Close all tabs, and delete what they have stored; the files that the browser keeps stay."""
        for context in self._contexts.values():
            context.set_offline(False)
            context.unroute_all()
            context.clear_cookies()
            kept, *tabs = context.pages
            for tab in tabs:
                tab.close()
            kept.evaluate("localStorage.clear()")

    def _record_message(self, message: Any) -> None:
        is_api = message.location["url"].startswith(f"{self.origin}/api/")
        if not (is_api and message.text.startswith(_REFUSED)):
            super()._record_message(message)


def wait_for_page(page: Page, ready: str = "true") -> None:
    """Wait until the page has loaded its data, and until the JavaScript expression `ready` is true."""
    # The pages without a login have no <admin-page>, but a form.
    state = "document.querySelector('admin-page, main.alone:not([aria-busy]) form')"
    loaded = f"(element => element?.matches('form') || ['ready', 'failed'].includes(element?.state))({state})"
    wait_until(page, f"{loaded} && Boolean({ready})")


def wait_for_copied(page: Page) -> None:
    """Wait until screen readers are told "Copied". The button shows the word for two seconds only."""
    wait_for_announcement(page, "Copied")


def wait_for_announcement(page: Page, words: str) -> None:
    """Wait until screen readers are told these words."""
    wait_until(page, f"document.querySelector('#announcer > span').textContent.trim() === '{words}'")


def list_violations(page: Page, *rules: str) -> list[str]:
    """Return what axe finds in the page: the rule, the element, and what is wrong.

    Without `rules`, these are the rules for WCAG 2.2 AA and the best practices.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # To preload style sheets, axe would add inline styles, which the pages forbid.
    found = page.evaluate(
        "async (options) => (await axe.run(options)).violations",
        {"runOnly": list(rules) or _TAGS, "resultTypes": ["violations"], "preload": False},
    )
    return [
        f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]
