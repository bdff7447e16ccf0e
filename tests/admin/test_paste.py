"""Pasting: rich text becomes Markdown, an address on a selection becomes a link.

The folder `fragments` has what programs put on the clipboard, and the Markdown that it becomes. All fragments
are rebuilt, in short, from the markup that the programs are known to write; none is taken from a test suite.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blogapi.admin import assets
from tests.admin.blogs import serve_modules
from tests.admin.browsing import list_violations, wait_for_page
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

FRAGMENTS = Path(__file__).with_name("fragments")

CONVERT = """async ([digest, fragments]) => {
  const { convertHtml } = await import(`/admin/assets/${digest}/source/editor/paste.js`);
  return fragments.map(([html, plain]) => {
    const { markdown, files, lost, remote } = convertHtml(html, plain);
    return [markdown, files.length, lost, remote];
  });
}"""

PASTE = """(contents) => {
  const clipboardData = new DataTransfer();
  for (const [type, text] of Object.entries(contents)) clipboardData.setData(type, text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector(".cm-content").dispatchEvent(event);
}"""

# A picture of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(scope="module", autouse=True)
def modules():
    """Serve the modules that a test imports."""
    with serve_modules():
        yield


def test_rich_text_of_each_program_becomes_markdown(open_admin):
    page = open_admin("/admin/sign-in/", user="")
    wait_for_page(page)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    names = sorted(path.stem for path in FRAGMENTS.glob("*.html"))
    read = {path.name: path.read_text(encoding="utf-8").rstrip("\n") for path in FRAGMENTS.iterdir()}
    contents = [read[f"{name}.html"] for name in names]
    plain = [re.sub("<[^<>]*>", "", html.replace("</p>", "\n")) for html in contents]
    given = [assets.get_digest(), list(zip(contents, plain, strict=True))]
    converted = dict(zip(names, page.evaluate(CONVERT, given), strict=True))
    for name, (markdown, *_) in converted.items():
        assert markdown == read[f"{name}.md"], name
    pictures = {name: counts for name, (_, *counts) in converted.items() if any(counts)}
    assert pictures == {
        "word": [0, 1, 0],
        "google_docs": [0, 0, 1],
        "libreoffice": [1, 0, 0],
        "web_page": [0, 1, 1],
    }
    # Nothing of the fragments was loaded.
    assert {re.sub(r"^.*/assets/\w+/", "", url) for url in requests} == {
        *("source/editor/paste.js", "source/editor/clean-html.js", "source/editor/markdown.js"),
        "static/vendor/turndown.js",
    }


def test_pasted_players_keep_their_address_or_are_named(write, make, api):
    path = make("Players", content="")
    page = write(path)
    get_text(page).focus()
    frames = [
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=42&amp;rel=0",
        "//www.youtube.com/embed/videoseries?list=PLabcdefghijk_l",
        "https://player.vimeo.com/video/76979871?h=8272103f6e&amp;dnt=1",
        "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fflickermood",
        "https://open.spotify.com/embed/track/4uLU6hMCjMI75M1A2tKUQC",
        "https://maps.example/embed?q=salt",
    ]
    html = "".join(f'<p>Look: <iframe src="{frame}" width="560"></iframe></p>' for frame in frames)
    hidden = '<iframe src="https://count.example/" width="1" height="1"></iframe>'
    video = '<video><source src="https://films.example/a.mp4"></video>'
    page.evaluate(PASTE, {"text/html": html + hidden + video, "text/plain": "Look:"})
    page.get_by_text(
        "2 players of maps.example, films.example left out: such players cannot be shown."
    ).wait_for()
    save(page)
    kept = [
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42",
        "https://www.youtube.com/playlist?list=PLabcdefghijk_l",
        "https://player.vimeo.com/video/76979871?h=8272103f6e&dnt=1",
        "https://soundcloud.com/forss/flickermood",
        "https://open.spotify.com/embed/track/4uLU6hMCjMI75M1A2tKUQC",
    ]
    assert get_stored(api, path) == "\n\n".join(f"Look:\n\n{address}" for address in kept) + "\n\nLook:"
    assert page.locator(".block-player").count() == len(kept)
    page.keyboard.press("Control+a")
    frame = '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="A film"></iframe>'
    page.evaluate(PASTE, {"text/plain": frame})
    shown = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    wait_until(page, f"document.querySelector('.cm-content').textContent === '{shown}'")


def test_paste_rich_text_plain_text_links_and_pictures(write, make, api):
    path = make("Paste", content="A rope.")
    page = write(path)
    get_text(page).focus()
    # The word becomes a link.
    page.keyboard.press("Control+Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    page.evaluate(PASTE, {"text/plain": "https://knots.example/rope"})
    page.keyboard.press("Control+End")
    picture = f'<p>Before <b>it</b></p><p><img src="data:image/png;base64,{PIXEL}" alt="A fid"></p>'
    page.evaluate(PASTE, {"text/html": f"<h2>New</h2>{picture}", "text/plain": "New\nBefore it"})
    dialog = page.get_by_role("dialog", name="Pictures of the pasted text", exact=True)
    dialog.get_by_role("button", name="Insert", exact=True).click()
    dialog.wait_for(state="hidden")
    wait_until(page, "document.querySelector('.cm-content').textContent.includes('New')")
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+V")
    page.evaluate(PASTE, {"text/html": "<b>plain</b>", "text/plain": " plain"})
    save(page)
    [media] = api.get("blog/media/")
    assert media["alt"] == "A fid"
    assert get_stored(api, path) == (
        "A [rope](https://knots.example/rope).\n\n## New\n\nBefore **it**\n\n"
        f"![A fid](media:{media['uuid']})V plain"
    )
    # One undo takes back what was pasted.
    for _ in range(3):
        page.keyboard.press("Control+z")
    save(page)
    assert get_stored(api, path) == "A [rope](https://knots.example/rope)."
    assert list_violations(page) == []
    assert get_button(page, "Publish").is_visible()
