"""Runs Chromium through Playwright, for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# The program without windows and extensions takes about half the time.
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _PROGRAMS)), None)

_POLL_MS = 20
# Machines can be busy, and a test that passes does not wait for this time.
TIMEOUT_MS = 60_000

# The ratio of the luminances of each visible text and its background, as WCAG 2 defines it.
_CONTRASTS = """
(root) => {
  const colors = new Map();
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    if (!colors.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
      colors.set(color, [red, green, blue, alpha / 255]);
    }
    return colors.get(color);
  };
  const mix = (over, under) => over.slice(0, 3).map((value, n) => value * over[3] + under[n] * (1 - over[3]));
  const luminance = (color) => {
    const [red, green, blue] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const background = (element) => {
    if (!element) return parse("Canvas").slice(0, 3);
    const color = parse(getComputedStyle(element).backgroundColor);
    return color[3] === 1 ? color.slice(0, 3) : mix(color, background(element.parentElement));
  };
  const found = [];
  const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("script, style, [aria-hidden=true], [disabled]")) continue;
    const under = background(element);
    const [first, second] = [luminance(mix(parse(getComputedStyle(element).color), under)), luminance(under)];
    const ratio = (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
    found.push([Math.round(ratio * 100) / 100, text.slice(0, 60)]);
  }
  return found;
}
"""


@contextmanager
def launch_browser() -> Iterator[Browser]:
    """Start Chromium; skips the test if Chromium or Playwright is not installed."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        pytest.skip("Playwright is not installed")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, and containers often forbid it to other users. The tabs of a
        # profile share one process, which keeps the compiled scripts.
        arguments = ["--no-sandbox", "--renderer-process-limit=1"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


class PageOpener:
    """Opens pages of a server, and collects their faults.

    A fault is a message of the console with the level `error`, for example about a violation of the
    Content-Security-Policy, an uncaught error of a script, or a request to an origin that is not expected.
    """

    def __init__(self, browser: Browser, origin: str, *, other_origins: Collection[str] = ()) -> None:
        self.origin = origin
        self._origins = {origin, *other_origins}
        self.faults: list[str] = []
        self._browser = browser

    def __call__(self, path: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> Page:
        """Open a path in a new browser profile, in a window of this size."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            base_url=self.origin,
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("console", self._record_message)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._record_request)
        page.goto(path)
        return page

    def close(self) -> None:
        """Close all pages."""
        for context in self._browser.contexts:
            context.close()

    def _record_message(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"{message.text} ({message.location['url']})")

    def _record_request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and f"{parts.scheme}://{parts.netloc}" not in self._origins:
            self.faults.append(f"The page requests {request.url}")


def list_contrasts(page: Page, root: str = "body") -> list[tuple[float, str]]:
    """Return the contrast ratio and the beginning of each visible text below the first match of `root`."""
    return [(ratio, text) for ratio, text in page.evaluate(_CONTRASTS, root)]


def wait_until(page: Page, expression: str) -> None:
    """Wait until the JavaScript expression is true, also if the page leads to another one in the meantime.

    A page that has just begun to load has no elements yet, so an expression may read properties of null.
    A strict Content-Security-Policy blocks the function of Playwright that does this, if it has to wait.
    """
    from playwright.sync_api import Error

    for _ in range(TIMEOUT_MS // _POLL_MS):
        try:
            if page.evaluate(expression):
                return
        except Error as error:
            if "context was destroyed" not in error.message and "properties of null" not in error.message:
                raise
        page.wait_for_timeout(_POLL_MS)
    raise AssertionError(f"not true after a minute: {expression}")


def wait_for_first(page: Page, found: list[Any]) -> Any:
    """Wait until a handler of the page has added something to the list, such as a route, and return it."""
    for _ in range(TIMEOUT_MS // _POLL_MS):
        if found:
            return found[0]
        page.wait_for_timeout(_POLL_MS)
    raise AssertionError("nothing after a minute")


def is_wider_than_the_window(page: Page) -> bool:
    """Return whether the page can be scrolled to the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))
