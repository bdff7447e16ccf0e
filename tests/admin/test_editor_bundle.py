"""The bundle of CodeMirror: it leaves each byte of the text alone, and breaks no rule of the page."""

from __future__ import annotations

import pytest

from blogapi.admin import assets
from tests.admin.browsing import wait_for_page
from tests.admin.writing import type_in_one_task
from tests.browser import wait_until

pytestmark = pytest.mark.sqlite("the editor uses no database")

TEXT = (
    "# Title\n\n- one *em*\n  - two\t\n\n> quote  \n\n## Second\n\nالسلام عليكم\n\n"
    "```\n- code\n```\n\u2028x\u00a0\n"
)

SHOW = """async ([digest, options]) => {
  const { createEditor } = await import(`/admin/assets/${digest}/vendor/editor.js`);
  document.body.textContent = "";
  document.body.style.font = "16px/24px monospace";
  window.changes = 0;
  const onChange = () => { window.changes += 1; };
  window.editor = createEditor({ parent: document.body, label: "Text", onChange, ...options });
}"""

PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  editor.contentDOM.dispatchEvent(event);
}"""

LINES = """[...document.querySelectorAll(".cm-line")].map((line) => [
  line.textContent, line.className.replace("cm-line", "").trim(), getComputedStyle(line).direction,
])"""


@pytest.fixture
def open_editor(open_admin):
    """Return a function that opens a page that contains only an editor; the fixture checks for faults."""

    def open_it(**options):
        page = open_admin("/admin/sign-in/", user="")
        wait_for_page(page)
        page.evaluate(SHOW, [assets.get_digest(), options])
        page.get_by_role("textbox", name="Text", exact=True).focus()
        return page

    return open_it


def test_the_text_stays_as_it_is_and_typing_is_reported(open_editor):
    page = open_editor(text=TEXT, **{"from": len(TEXT)})
    assert page.evaluate("editor.getText()") == TEXT
    assert page.evaluate("window.changes") == 0
    type_in_one_task(page, "end")
    assert page.evaluate("editor.getText()") == f"{TEXT}end"
    assert page.evaluate("window.changes") == 3
    # Keys that follow each other quickly are one step.
    page.keyboard.press("Control+z")
    assert page.evaluate("editor.getText()") == TEXT


ENTERS = [
    ("1. one⏎two⏎⏎end", "1. one\n2. two\n\nend"),
    ("- one⏎two⏎⏎end", "- one\n- two\n\nend"),
    ("- [ ] one⏎two⏎⏎end", "- [ ] one\n- [ ] two\n\nend"),
    # A nested list is left one level at a time: its outer list goes on.
    ("- one\n  - two⏎⏎three⏎⏎end", "- one\n  - two\n- three\n\nend"),
    ("> one⏎two⏎⏎end", "> one\n> two\n\nend"),
    ("> > one⏎⏎two⏎⏎end", "> > one\n>\n> two\n\nend"),
    ("> - one⏎⏎two", "> - one\n>\n> two"),
    ("- > one⏎⏎two", "- > one\n\n  two"),
    # The text after the cursor stays a list or a quote of its own.
    ("- one\n- |\n- two⏎end", "- one\n\nend\n\n- two"),
    ("> one\n>|\n> two⏎end", "> one\n\nend\n\n> two"),
    ("- one\n\n- ⏎end", "- one\n\nend"),
    # Code keeps its marks.
    ("> ```\n> ⏎end", "> ```\n> \nend"),
]


def test_enter_leaves_a_list_or_a_quote_with_an_empty_line(open_editor):
    page = open_editor()
    for typed, written in ENTERS:
        start, *lines = typed.split("⏎")
        before = start.split("|")[0]
        options = {"text": start.replace("|", ""), "from": len(before)}
        page.evaluate(SHOW, [assets.get_digest(), options])
        page.get_by_role("textbox", name="Text", exact=True).focus()
        for line in lines:
            page.keyboard.press("Enter")
            page.keyboard.type(line)
        assert page.evaluate("editor.getText()") == written
    for _ in "⏎end":
        page.keyboard.press("Control+z")
    assert page.evaluate("editor.getText()") == "> ```\n> "


def test_an_editor_of_other_content_marks_and_continues_nothing(open_editor):
    page = open_editor(text="# a\n- b", markdown=False, **{"from": 7})
    page.keyboard.press("Enter")
    assert page.evaluate("editor.getText()") == "# a\n- b\n"
    assert [line[1] for line in page.evaluate(LINES)] == ["", "", ""]


def test_pasted_line_breaks_become_those_of_the_editor(open_editor):
    page = open_editor()
    page.evaluate(PASTE, "one\r\ntwo\rthree")
    assert page.evaluate("editor.getText()") == "one\ntwo\nthree"


def test_edit_replaces_a_range_as_one_step_and_selects(open_editor):
    page = open_editor(text="one two", **{"from": 4, "to": 7})
    assert page.evaluate("editor.getSelection()") == {"from": 4, "to": 7}
    page.evaluate("editor.applyChange({ from: 4, to: 7, insert: '**two**', selectFrom: 6, selectTo: 9 })")
    assert page.evaluate("[editor.getText(), editor.getSelection()]") == ["one **two**", {"from": 6, "to": 9}]
    page.keyboard.press("Control+z")
    assert page.evaluate("[editor.getText(), editor.getSelection()]") == ["one two", {"from": 4, "to": 7}]


def test_tab_leaves_the_editor(open_editor):
    page = open_editor(text="one")
    page.keyboard.press("Tab")
    assert page.evaluate("[editor.getText(), document.activeElement === document.body]") == ["one", True]


def test_lines_have_their_own_direction_and_marks_hang(open_editor):
    page = open_editor(text="## A\n\nSome text\n\n- [ ] b\n\n> c\n\nالسلام\n\n```\n- d\n```")
    lines = [line for line in page.evaluate(LINES) if line[0]]
    assert lines == [
        ["## A", "md-h md-h2", "ltr"],
        ["Some text", "", "ltr"],
        ["- [ ] b", "md-hang-6", "ltr"],
        ["> c", "md-hang-2", "ltr"],
        ["السلام", "", "rtl"],
        ["```", "md-block", "ltr"],
        ["- d", "md-block", "ltr"],
        ["```", "md-block", "ltr"],
    ]
    # Wrapped text begins where the text of the first line begins.
    style = "getComputedStyle(document.querySelector('.md-hang-6'))"
    assert page.evaluate(f"{style}.paddingInlineStart") == page.evaluate(f"{style}.textIndent").lstrip("-")


def test_all_lines_of_a_large_window_have_their_marks_at_once(open_admin):
    page = open_admin("/admin/sign-in/", user="", height=3_000)
    wait_for_page(page)
    text = f"## Heading\n\n{'The tide comes and goes. ' * 5}\n\n" * 150
    page.evaluate(SHOW, [assets.get_digest(), {"text": text}])
    # CodeMirror measures the window in one of the next frames.
    headings = (
        "[...document.querySelectorAll('.cm-line')].filter((line) => line.textContent.startsWith('##'))"
    )
    wait_until(page, f"{headings}.length > 20 && {headings}.every((line) => line.matches('.md-h.md-h2'))")


def test_the_words_of_an_input_method_arrive_once(open_editor):
    page = open_editor(text="> ", **{"from": 2})
    wait_until(page, "getSelection().focusOffset > 0")
    session = page.context.new_cdp_session(page)
    for text in ("み", "みな", "みなと"):
        session.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": 0, "selectionEnd": len(text)}
        )
    session.send("Input.insertText", {"text": "港"})
    page.keyboard.type("!")
    assert page.evaluate("editor.getText()") == "> 港!"
