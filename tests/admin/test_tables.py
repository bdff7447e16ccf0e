"""Tables in the editor: the keys and commands of the table with the cursor, and the text that they write."""

from __future__ import annotations

import pytest

from blogapi.admin import assets
from tests.admin.blogs import serve_modules
from tests.admin.browsing import list_violations, wait_for_page
from tests.admin.test_insert import READ, type_keys
from tests.admin.test_paste import PASTE
from tests.admin.writing import get_button, get_stored, get_text, save
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

RUN = """async ([digest, cases]) => {
  const { findTable, ...commands } = await import(`/admin/assets/${digest}/source/editor/table-text.js`);
  return cases.map(([name, marked, argument]) => {
    const text = marked.replace("^", "");
    const table = findTable(text, marked.indexOf("^"));
    if (!name || !table) return table && [table.row, table.column, table.isInCell];
    const change = commands[name](table, argument ?? text);
    if (!change) return null;
    const { from, to, insert, selectFrom: start, selectTo: end } = change;
    const changed = text.slice(0, from) + insert + text.slice(to);
    return `${changed.slice(0, start)}[${changed.slice(start, end)}]${changed.slice(end)}`;
  });
}"""
TO_CELL = """async ([digest, cases]) => {
  const { escapeCellText } = await import(`/admin/assets/${digest}/source/editor/table-text.js`);
  return cases.map(([text, before]) => escapeCellText(text, before));
}"""
TABLE = "Boats\n\n| Boat | Min |\n|---|:-:|\n| Torreira | 55 |\n| a \\| b ||\n\nEnd"
GRID = "| Boat     | Min |\n| -------- | :-: |\n| Torreira | 55  |\n| a \\| b   |     |"
CASES = [
    # Where the cursor is: the row, the column, and whether it is in a cell.
    (None, TABLE.replace("Boat ", "Bo^at "), [0, 0, True]),
    (None, TABLE.replace("| Boat |", "^| Boat |"), [0, 0, False]),
    (None, TABLE.replace("|---|", "|--^-|"), [0, 0, False]),
    (None, TABLE.replace("55 |", "55^ |"), [1, 1, True]),
    (None, TABLE.replace("55 |", "55 |^"), [1, 1, False]),
    (None, TABLE.replace("a \\| b", "a \\|^ b"), [2, 0, True]),
    (None, "## Boats\n| a^ |\n| - |", [0, 0, True]),
    # Odd tables stay as they are.
    *[(None, text, None) for text in ("a^ | b\n--- | ---", "| a^ | b |\n| c | d |", "| a^ | b |\n| - |")],
    *[(None, text, None) for text in ("| a^ |\n| - |\nc", "> | a^ |\n> | - |", "- x\n\n  | a^ |\n  | - |")],
    *[(None, text, None) for text in ("```\n\n| a^ |\n| - |\n\n```", "Words\n| a^ |\n| - |", "| a^ |")],
    *[(None, text, None) for text in ("| a | b |\n| - | - |\n| c^ \\|", "| a | b |\n| - | - |\n| c^ |", "^")],
    # The keys.
    ("moveToCell", TABLE.replace("Boat ", "Bo^at "), 1, TABLE.replace("Min", "[Min]")),
    ("moveToCell", TABLE.replace("55", "5^5"), 1, TABLE.replace("a \\| b", "[a \\| b]")),
    ("moveToCell", TABLE.replace("55", "5^5"), -1, TABLE.replace("Torreira", "[Torreira]")),
    ("moveToCell", TABLE.replace("Boat ", "Bo^at "), -1, None),
    ("moveToCell", TABLE.replace("b ||", "b |^|"), 1, f"Boats\n\n{GRID}\n| []         |     |\n\nEnd"),
    # The commands.
    (
        "addRow",
        TABLE.replace("Min", "M^in"),
        None,
        "Boats\n\n" + GRID.replace("| Torr", "| []         |     |\n| Torr") + "\n\nEnd",
    ),
    (
        "addColumn",
        "| a^ | b |\n| -: | --- |",
        None,
        "|   a | []    | b   |\n| --: | --- | --- |",
    ),
    ("alignColumn", "| a | b^ |\n| -: | --- |", "-:", "|   a |   [b] |\n| --: | --: |"),
    ("alignColumn", "| a | b^ |\n| -: | --- |", "::", "|   a |  [b]  |\n| --: | :-: |"),
    ("alignColumn", "| a^ |\n| -: |", ":-", "| [a]   |\n| :-- |"),
    ("deleteRow", "| a^ |\n| - |\n| b |\n| c |", None, "| [b]   |\n| --- |\n| c   |"),
    ("deleteRow", "| a |\n| - |\n| b |\n| c^ |", None, "| a   |\n| --- |\n| [b]   |"),
    ("deleteRow", "x\n\n| a^ |\n| - |\n\ny", None, "x\n\n[]y"),
    ("deleteColumn", "| a | b^ |\n| - | - |", None, "| [a]   |\n| --- |"),
    ("deleteColumn", "x\n\n| a^ |\n| - |", None, "x\n\n[]"),
    ("deleteTable", TABLE.replace("55", "5^5"), None, "Boats\n\n[]End"),
    # A long cell does not widen the others.
    (
        "alignColumn",
        f"| {'a' * 50}^ |\n| - |\n| b |",
        "--",
        f"| [{'a' * 50}] |\n| {'-' * 40} |\n| b{' ' * 39} |",
    ),
]


@pytest.fixture(scope="module", autouse=True)
def modules():
    """Serve the modules that a test imports."""
    with serve_modules():
        yield


def test_the_text_of_a_table(open_admin):
    page = open_admin("/admin/sign-in/", user="")
    wait_for_page(page)
    cases = [[name, text, *argument] for name, text, *argument, _ in CASES]
    assert page.evaluate(RUN, [assets.get_digest(), cases]) == [case[-1] for case in CASES]
    texts = [("|", "| a"), ("|", "| a\\"), ("|", "| a\\\\"), ("a|b\n\n c\\|d\n", ""), (" ", ""), ("\n", "")]
    expected = ["\\|", "|", "\\|", "a\\|b c\\|d", " ", "\n"]
    assert page.evaluate(TO_CELL, [assets.get_digest(), texts]) == expected


def get_bar(page):
    return page.get_by_role("group", name="Table", exact=True)


def put_cursor(page, words):
    """Put the cursor behind these words of the text, and wait for the bar of the table."""
    at = page.evaluate(f"{READ}.indexOf({words!r})") + len(words)
    get_text(page).focus()
    page.evaluate(f"document.querySelector('admin-page').area.field.selectRange({at})")
    get_bar(page).wait_for()


def test_tab_goes_from_cell_to_cell_and_a_bar_changes_the_table(write, make, api):
    start = "Boats.\n\n| Boat | Min |\n| --- | --- |\n| Torreira | 55 |\n\nEnd."
    path = make("Table", content=start)
    page = write(path)
    assert get_bar(page).count() == 0
    put_cursor(page, "| Boat")
    assert list_violations(page) == []
    type_keys(page, ["Tab", "Tab", "Shift+Tab"])
    page.keyboard.insert_text("Minutes | at sea")
    row = "| Boat | Minutes \\| at sea |"
    assert page.evaluate(READ) == start.replace("| Boat | Min |", row)
    # Tab in the last cell makes a row, and one Undo takes it back.
    type_keys(page, ["Tab", "Tab", "Tab"])
    page.keyboard.insert_text("x")
    head = "| Boat     | Minutes \\| at sea |\n| -------- | ----------------- |\n"
    grid = f"{head}| Torreira | 55                |\n| x         |                   |"
    assert page.evaluate(READ) == f"Boats.\n\n{grid}\n\nEnd."
    type_keys(page, ["Control+z", "Control+z"])
    assert page.evaluate(READ) == start.replace("| Boat | Min |", row)
    # Rich text is pasted into a cell as words on one line.
    put_cursor(page, "55")
    page.evaluate(PASTE, {"text/html": "<p>a|b</p><p><b>c</b></p>", "text/plain": "a|b\nc"})
    assert page.evaluate(READ).endswith("| Torreira | 55a\\|b c |\n\nEnd.")
    page.keyboard.press("Control+z")
    get_button(page, "Add column").click()
    page.keyboard.insert_text("new")
    assert page.evaluate(READ).splitlines()[4] == "| Torreira | 55                | new    |"
    type_keys(page, ["Control+z", "Control+z"])
    get_button(page, "Align").click()
    page.get_by_role("menuitem", name="Right", exact=True).click()
    assert page.evaluate(READ).splitlines()[3:5] == [
        "| -------- | ----------------: |",
        "| Torreira |                55 |",
    ]
    page.keyboard.press("Control+z")
    # Escape and Tab leave the cells for the bar.
    type_keys(page, ["Escape", "Tab"])
    assert page.evaluate("document.activeElement.textContent.trim()") == "Add row"
    page.keyboard.press("Enter")
    wait_until(page, f"{READ}.split('\\n').length === 8")
    get_button(page, "Delete").click()
    page.get_by_role("menuitem", name="Delete table", exact=True).click()
    assert page.evaluate(READ) == "Boats.\n\nEnd."
    get_bar(page).wait_for(state="hidden")
    page.keyboard.press("Control+z")
    save(page)
    assert "| Torreira | 55                |\n|          |                   |\n" in get_stored(api, path)


def test_the_bar_fits_on_a_phone_and_odd_tables_have_none(write, make):
    page = write(make("Phone", content="| a |\n| - |\n\n> | b |\n> | - |\n\nEnd"), width=320, height=700)
    put_cursor(page, "| a")
    assert not is_wider_than_the_window(page)
    assert list_violations(page) == []
    box = get_bar(page).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    page.evaluate(f"document.querySelector('admin-page').area.field.selectRange({READ}.indexOf('b'))")
    get_bar(page).wait_for(state="hidden")
    page.keyboard.insert_text("|")
    assert "> | |b |" in page.evaluate(READ)
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.cm-content')")


def test_the_bar_of_a_long_table_stays_in_sight(write, make):
    rows = "".join(f"| {n} | x |\n" for n in range(200))
    page = write(make("Long table", content=f"Words.\n\n| n | b |\n| - | - |\n{rows}\nEnd."))
    bottom = "document.querySelector('.writing').getBoundingClientRect().bottom"
    for words in ("| 3 |", "| 197 |", "| 100 |"):
        put_cursor(page, words)
        box = get_bar(page).bounding_box()
        line = page.locator(".cm-line", has_text=words).bounding_box()
        # The space below the letters of the line may be covered.
        assert line["y"] + line["height"] - 6 <= box["y"]
        assert box["y"] + box["height"] <= page.evaluate(bottom) + line["height"] + box["height"]
    # Scrolling moves it back to the bottom.
    page.mouse.move(400, 400)
    page.mouse.wheel(0, 60)
    wait_until(
        page,
        f"Math.abs(document.querySelector('.table-bar').getBoundingClientRect().bottom - {bottom}) < 2",
    )
    get_button(page, "Add row").click()
    assert "| 100 | x   |\n|     |     |\n| 101 |" in page.evaluate(READ)
