"""Measures the editor in Chromium: `python -m tests.benchmarks.typing_keys`; prints JSON.

It types into an article with 200 kB of Markdown, and opens an article with a cold cache on a slow network
(fast 3G) and a slow processor (a quarter of the speed).
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.admin.blogs import Blog, create_users, open_app, serve_blog
from tests.admin.browsing import AdminPages
from tests.browser import CHROMIUM

# Frames are drawn as soon as they are needed, so that the times contain no wait for the screen.
ARGUMENTS = ["--no-sandbox", "--disable-gpu-vsync", "--disable-frame-rate-limit"]
KEYS = 200
PAUSE_MS = 40
FAST_3G = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}

# The time from a key to the end of the work that it causes, with the next frame.
WATCH = """() => {
  window.keys = [];
  const channel = new MessageChannel();
  let start = 0;
  channel.port1.onmessage = () => {
    if (!start) return;
    document.body.getBoundingClientRect();
    window.keys.push(performance.now() - start);
    start = 0;
  };
  addEventListener("keydown", () => { start = performance.now(); }, { capture: true });
  const end = () => requestAnimationFrame(() => channel.port2.postMessage(0));
  addEventListener("keyup", end, { capture: true });
}"""

SHIFTS = """() => {
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


def make_markdown(length: int) -> str:
    """Return Markdown: paragraphs, and now and then a heading, a list, a quote and code."""
    paragraph = (
        "The causeway *opens* an hour before low water. You have until the **second bell**, and nobody rings "
        "it for [you](https://tide.example/bells). It is `dry` for two hours. " * 3
    )
    blocks = ["## The tide", paragraph, paragraph, "- a rope\n- a lamp", paragraph, "> Nobody rings it."]
    blocks += [paragraph, "```python\nprint('tide')\n```", paragraph]
    part = "\n\n".join(blocks) + "\n\n"
    return part * (length // len(part))


def measure_keys(pages: AdminPages, path: str) -> dict[str, Any]:
    page = pages(path)
    page.wait_for_selector(".cm-content")
    page.locator(".cm-content").focus()
    page.wait_for_timeout(3_000)
    page.evaluate(WATCH)
    for _ in range(KEYS):
        page.keyboard.press("x")
        page.wait_for_timeout(PAUSE_MS)
    found = sorted(page.evaluate("window.keys"))
    page.close()
    return {
        "keys": len(found),
        "median_ms": round(statistics.median(found), 1),
        "p95_ms": round(found[int(len(found) * 0.95)], 1),
        "max_ms": round(found[-1], 1),
    }


def measure_start(pages: AdminPages, path: str) -> dict[str, Any]:
    """Open the editor with an empty cache, and type as soon as there is a field."""
    page = pages("/robots.txt")
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", FAST_3G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(f"({SHIFTS})()")
    start = time.monotonic()
    page.goto(path, wait_until="commit")
    field = page.get_by_role("textbox", name="Text", exact=True)
    field.focus(timeout=60_000)
    typed = time.monotonic() - start
    page.keyboard.type("typed at once ")
    page.wait_for_selector(".cm-content", timeout=60_000)
    rich = time.monotonic() - start
    page.wait_for_timeout(3_000)
    shifts = page.evaluate("window.shifts")
    is_kept = page.evaluate("document.querySelector('.cm-content').textContent.includes('typed at once')")
    page.close()
    return {
        "can_type_s": round(typed, 2),
        "coloured_s": round(rich, 2),
        "layout_shift": round(shifts, 4),
        "is_kept": is_kept,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        instance = Path(folder) / "instance"
        with open_app(instance) as app:
            create_users(app)
        with serve_blog(instance) as blog:
            print(json.dumps(measure(browser, blog), indent=1))


def measure(browser: Any, blog: Blog) -> dict[str, Any]:
    api, pages = blog.client(), AdminPages(browser, blog)

    def make(title: str, text: str) -> str:
        article = api.post("blog/articles/", {"title": title, "content": text, "content_type": "markdown"})
        return f"/admin/articles/{article['uuid']}/"

    short, long = make("Short", make_markdown(5_000)), make("Long", make_markdown(200_000))
    found = {"start": measure_start(pages, short), "keys_200_kB": measure_keys(pages, long)}
    found["keys_5_kB"] = measure_keys(pages, short)
    assert pages.faults == [], pages.faults
    return found


if __name__ == "__main__":
    main()
