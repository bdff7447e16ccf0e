"""Writes in the editor, as the tests of its parts do."""

from __future__ import annotations

import re
from typing import Any

from tests.admin.blogs import Client
from tests.browser import wait_until

ARTICLES = "blog/articles/"
COPY = "**/working-copy/"
TEXT = "Rope *first*.\n\n- [ ] an ending\n"
SAVED = re.compile(r"^Saved \d\d:\d\d$")


def get_text(page: Any) -> Any:
    return page.get_by_role("textbox", name="Text", exact=True)


def get_button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def unfold(page: Any, name: str) -> None:
    """Open a line of the details."""
    summary = page.locator(".fold > summary").filter(has=page.get_by_text(name, exact=True)).first
    summary.wait_for()
    if not summary.evaluate("(element) => element.parentElement.open"):
        summary.click()


def type_at_end(page: Any, text: str) -> None:
    get_text(page).focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def type_in_one_task(page: Any, text: str) -> None:
    """Type at the cursor key by key, so fast that no timer of the page ends in between."""
    page.evaluate(
        """async (text) => {
          for (const key of text) {
            document.execCommand("insertText", false, key);
            // The editor notices each key before the next one.
            await null;
          }
        }""",
        text,
    )


def save(page: Any) -> None:
    page.keyboard.press("Control+s")
    page.get_by_role("banner").get_by_text(SAVED).wait_for()


def wait_for_state(page: Any, words: str) -> None:
    """Wait for the state of the article or of the saving; after "edits since", any time of today is right."""
    end = r" \d\d:\d\d" if words.endswith("edits since") else ""
    page.get_by_role("banner").get_by_text(re.compile(f"^{re.escape(words)}{end}$")).wait_for()


def get_stored(api: Client, path: str) -> Any:
    return api.get(f"{path}working-copy/")["content"]


def lose_answer(route: Any) -> None:
    """Answer the request as a server whose response is lost."""
    route.fetch()
    route.abort()


def crash(page: Any, text: str, open_again: Any) -> Any:
    """Type a text that is not sent, end the page, and return the page that is opened then."""
    # The emulated network is back online while a tab closes, and the text would be sent.
    page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")
    page.keyboard.insert_text(text)
    wait_until(page, f"Object.values(localStorage).some((value) => value.includes({text!r}))")
    page.close()
    page = open_again()
    page.get_by_text(re.compile("^This browser has kept .+, which was not saved.$")).wait_for()
    page.get_by_text(re.compile(r"Last change: \w+day, ")).wait_for()
    return page


def update(page: Any) -> None:
    get_button(page, "Update").click()
    page.get_by_role("dialog").get_by_role("button", name="Update", exact=True).click()


def is_read(page: Any, words: str) -> bool:
    """Return whether the preview contains the words."""
    wait_until(
        page, f"document.querySelector('.reading > .sheet')?.shadowRoot?.textContent.includes({words!r})"
    )
    return True


def wait_for_content(page: Any, path: str, end: str) -> None:
    """Wait until the content of the article ends with these words."""
    article = f"fetch('/api/v1/{path}').then((response) => response.json())"
    wait_until(page, f"{article}.then(({{ content }}) => content.endsWith({end!r}))")
