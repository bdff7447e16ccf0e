"""Reads exports of Notion into records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path, walk_paths
from blogapi.importing.formats.notion.source import FORMAT, MAX_TABLE_ROWS, Database, parse_markdown_page
from blogapi.rendering.renderer import render_text
from tests.conftest import ARTICLES
from tests.pictures import make_picture

HOME, CAT, TABLE, ROW, EMPTY = (letter * 32 for letter in "abcde")
HEADER = '<html><article class="page sans"><header>{}</header><div class="page-body">{}</div></article>'


@pytest.fixture
def write(tmp_path):
    """Writes the files of an export, and returns its folder."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / "Export" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "Export"

    return write


@pytest.fixture
def read(write):
    """Reads the files of an export, and returns the items by their file."""

    def read(files, **options):
        entries = list(walk_path(write(files)))
        source = FORMAT.open_source(entries, ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), **options))
        return {getattr(item, "source", "") or item.key: item for item in source.read()}

    return read


@pytest.fixture
def read_one(read):
    """Reads one page and returns its item."""
    return lambda text, name=f"A cat {CAT}.md", **options: next(iter(read({name: text}, **options).values()))


@pytest.fixture
def read_row(read):
    """Reads the page of a row of a database, and returns its record."""

    def read_row(properties, text="Mimi sleeps.", **options):
        columns = ",".join(["Name", *(line.partition(":")[0] for line in properties.split("\n"))])
        files = {
            f"Posts {TABLE}.csv": f"{columns}\nA cat\n",
            f"Posts {TABLE}/A cat {ROW}.md": f"# A cat\n\n{properties}\n\n{text}\n",
        }
        return read(files, **options)[f"Export/Posts {TABLE}/A cat {ROW}.md"]

    return read_row


def test_a_page_becomes_a_draft_unless_the_import_publishes(read_one):
    record = read_one("# A cat\n\nMimi: she sleeps.\n")
    assert isinstance(record, ArticleRecord)
    assert (record.key, record.source) == (f"notion:{CAT}", f"Export/A cat {CAT}.md")
    assert (record.title, record.slug, record.content) == ("A cat", "A cat", "Mimi: she sleeps.")
    assert (record.status, record.is_undated) == ("draft", True)
    assert "--publish-undated" in record.notes[-1]
    published = read_one("# A cat\n\nMimi sleeps.\n", publish_undated=True)
    assert (published.status, published.is_undated) == ("published", True)


def test_the_properties_of_a_row_are_the_fields_of_the_article(read_row):
    record = read_row(
        "Status: Published\nDate: June 1, 2023 9:00 AM (GMT+2)\nTags: cats, black cats\nAuthor: Ada\n"
        "Slug: mimi\nRating: 5"
    )
    assert (record.status, record.published_at) == ("published", datetime(2023, 6, 1, 7, tzinfo=UTC))
    assert (record.tags, record.slug) == (("cats", "black cats"), "mimi")
    assert [author.name for author in record.authors] == ["Ada"]
    assert record.content == "Mimi sleeps."
    assert record.notes == ("The field Rating is left out.",)


@pytest.mark.parametrize(
    ("properties", "option", "status"),
    [
        ("Published: Yes", False, "published"),
        ("Published: No", True, "draft"),
        ("Status: In progress", True, "draft"),
        ("Date: 2023/06/01", False, "draft"),
        ("Date: 2023/06/01", True, "published"),
        ("Published: Yes\nDate: June 99, 2023", False, "draft"),
        ("Published: Yes\nDate: June 1, 2023 99:00", False, "draft"),
        ("Published: Yes\nDate: June 1, 2023 → June 3, 2023", False, "published"),
    ],
)
def test_a_property_decides_on_the_status(read_row, properties, option, status):
    assert read_row(properties, publish_undated=option).status == status


@pytest.mark.parametrize(
    "tables",
    [
        {
            f"Posts {TABLE}.csv": "Name,Tags\nA cat,x\n",
            f"Posts {TABLE}_all.csv": "Name,Tags,Status\nA cat,x,Draft",
        },
        {f"Posts {TABLE}_all.csv": "Name,Tags,Status\nA cat,x,Draft\n"},
    ],
)
def test_a_property_that_the_view_of_its_database_hides_decides_too(read, tables):
    row = f"Posts {TABLE}/A cat {ROW}.md"
    page = "# A cat\n\nTags: x\nStatus: {}\n\nMimi sleeps.\n"
    for status, expected in (("Draft", "draft"), ("Public", "published")):
        record = read({**tables, row: page.format(status)}, publish_undated=True)[f"Export/{row}"]
        assert (record.status, record.content, record.tags) == (expected, "Mimi sleeps.", ("x",))


def test_a_page_is_found_in_its_database_if_they_are_imported_as_separate_paths(write):
    row = f"Posts {TABLE}/A cat {ROW}.md"
    folder = write(
        {f"Posts {TABLE}.csv": "Name,Status\nA cat,Draft\n", row: "# A cat\n\nStatus: Draft\n\nText.\n"}
    )
    entries = list(walk_paths(folder.iterdir()))
    options = ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), publish_undated=True)
    statuses = {item.key: (item.status, item.content) for item in FORMAT.open_source(entries, options).read()}
    assert statuses[f"notion:{ROW}"] == ("draft", "Text.")


@pytest.mark.parametrize("files", [{}, {f"Posts {TABLE}.csv": f"Name,Status\n{'x' * 140_000},Draft\n"}])
def test_without_its_database_a_page_whose_text_begins_with_a_hiding_property_is_a_draft(read, files):
    row = f"Posts {TABLE}/A cat {ROW}.md"
    lines = "Tags: x\nStatus: Draft"
    record = read({**files, row: f"# A cat\n\n{lines}\n\nText.\n"}, publish_undated=True)[f"Export/{row}"]
    assert (record.status, record.is_undated) == ("draft", False)
    assert record.content == f"{lines}\n\nText." and "first lines" in record.notes[-1]
    other = read({**files, row: "# A cat\n\nTags: x\nMimi: she sleeps.\n"}, publish_undated=True)
    assert other[f"Export/{row}"].status == "published"


def test_a_database_is_a_table_in_the_page_that_shows_it_and_rows_without_text_stay_in_it(read):
    items = read(
        {
            f"Home {HOME}.md": f"# Home\n\n[Cats](Home/Cats%20{TABLE}.csv)\n\n```\n[Cats](x{TABLE}.csv)\n```",
            f"Home/Cats {TABLE}.csv": "\ufeffName,Owner,Note\nMimi,Ada (People/Ada%20"
            + ROW
            + ".md),a|b\n,,\n",
            f"Home/Cats {TABLE}_all.csv": "Name,Owner,Note\nMimi,Ada,\nTom,,\n",
            f"Home/Cats/Mimi {EMPTY}.md": "# Mimi\n\nOwner: Ada\nNote: a|b\n",
        }
    )
    home = items.pop(f"Export/Home {HOME}.md")
    assert home.content == (
        "| Name | Owner | Note |\n| --- | --- | --- |\n| Mimi | Ada | a\\|b |\n\n\n```\n"
        f"[Cats](x{TABLE}.csv)\n```"
    )
    assert "<td>a|b</td>" in render_text(home.content, "markdown").html
    assert [item.result.value for item in items.values()] == ["skipped"] * 3


def test_a_page_shows_the_table_of_a_database_once(read):
    link = f"[Cats](Cats%20{TABLE}.csv)"
    items = read({f"Home {HOME}.md": f"# Home\n\n{link}\n{link}", f"Cats {TABLE}.csv": "Name\nMimi\n"})
    assert items[f"Export/Home {HOME}.md"].content == f"| Name |\n| --- |\n| Mimi |\n\n{link}"


def test_a_database_that_no_page_shows_becomes_a_draft(read):
    items = read({f"Cats {TABLE}.csv": "Name\nMimi\n", "other.png": "x"})
    record = items[f"Export/Cats {TABLE}.csv"]
    assert (record.key, record.title, record.status) == (f"notion:{TABLE}", "Cats", "draft")
    assert record.content == "| Name |\n| --- |\n| Mimi |"
    # The rows of drafts are in the table too.
    published = read({f"Cats {TABLE}.csv": "Name\nMimi\n"}, publish_undated=True)
    assert published[f"Export/Cats {TABLE}.csv"].status == "draft"
    assert "can contain drafts" in published[f"Export/Cats {TABLE}.csv"].notes[-1]
    assert "id" in items["Export/other.png"].notes[0]


def test_a_long_table_ends_with_the_number_of_the_other_rows():
    table = Database(("Name",), (("x",),) * (MAX_TABLE_ROWS + 2)).make_table()
    assert table.endswith("| x |\n\n… 2 more")
    assert table.count("\n") == MAX_TABLE_ROWS + 3
    assert Database((), ()).make_table() == ""


def test_callouts_become_quotes_except_in_code():
    page = parse_markdown_page("# A\n\n<aside>\n💡 Note\n\nmore\n</aside>\n\n```html\n<aside>\n```\n", ())
    assert page.body == "> 💡 Note\n>\n> more\n\n\n```html\n<aside>\n```"


def test_an_html_page_has_the_same_fields(read_one):
    head = (
        '<img class="page-cover-image" src="A/cover.png"/><h1 class="page-title">A &amp; <b>B</b></h1>'
        '<p class="page-description">About Mimi</p><table class="properties"><tbody>'
        '<tr class="property-row property-row-date"><th><span class="icon"><svg><path/></svg></span>Date</th>'
        "<td><time>@June 1, 2023</time></td></tr>"
        '<tr class="property-row property-row-multi_select"><th>Tags</th><td><span class="selected-value '
        'x">cats</span><span class="selected-value">black cats</span></td></tr>'
        '<tr class="property-row property-row-checkbox"><th>Published</th>'
        '<td><div class="checkbox checkbox-on"></div></td></tr>'
        '<tr class="property-row"><th></th><td>x</td></tr></tbody></table>'
    )
    body = (
        '<p id="1" class="x">Mimi <a href="#2">sleeps</a>.</p><h2 id="2">B</h2>'
        '<pre class="code"><code class="language-Python" style="x">a</code></pre>'
        '<iframe src="https://example.com/x"></iframe>'
    )
    record = read_one(HEADER.format(head, body), f"A B {CAT}.html")
    assert (record.title, record.subtitle, record.cover_image) == ("A & B", "About Mimi", "A/cover.png")
    assert (record.status, record.published_at) == ("published", datetime(2023, 6, 1, tzinfo=UTC))
    assert (record.tags, record.content_type) == (("cats", "black cats"), "html")
    assert record.content == (
        '<p>Mimi <a href="#2">sleeps</a>.</p><h2 id="2">B</h2>'
        '<pre><code class="language-python">a</code></pre>'
        '<p><a href="https://example.com/x">https://example.com/x</a></p>'
    )


def test_a_page_without_text_of_a_page_is_refused(read_one):
    assert "no text" in read_one("<html></html>", f"A {CAT}.html").notes[0]
    deep = HEADER.format("", "<b>x" * 3_000)
    assert "nested" in read_one(deep, f"A {CAT}.html").notes[0]


def test_folders_can_be_terms_without_their_ids(read):
    files = {f"Blog {HOME}/Cats {TABLE}/A {CAT}.md": "# A\n\ntext"}
    (record,) = read(files, category_from=("folder",)).values()
    assert record.category == "Cats"


def test_links_lead_to_the_articles_and_pictures_are_imported(app, people, write, as_admin):
    files = {
        f"Home {HOME}.md": (
            f"# Home\n\n[Cat](Home%20{HOME}/A%20cat%20{CAT}.md) "
            f"[again](https://www.notion.so/ada/A-cat-{CAT}?pvs=4) [other](https://www.notion.so/x-{ROW})\n\n"
            f"![Mimi](Home%20{HOME}/mimi.png)"
        ),
        f"Home {HOME}/A cat {CAT}.md": f"# A cat\n\n[Home](../Home%20{HOME}.md)",
    }
    root = write(files)
    (root / f"Home {HOME}/mimi.png").write_bytes(make_picture("red"))
    words = ("import", str(root), "--author", "ada", "--publish-undated")
    assert app.test_cli_runner().invoke(args=words).exit_code == 0
    articles = {one["title"]: one for one in as_admin.get(f"{ARTICLES}?fields=title,content,html").json}
    cat, home = articles["A cat"], articles["Home"]
    assert home["content"].startswith("[Cat](/a-cat/) [again](/a-cat/) [other](https://www.notion.so/x-")
    assert 'src="/media/' in home["html"]
    assert cat["content"] == "[Home](/home/)"


@pytest.mark.parametrize("attribute", ["hidden", "style='display: none'"])
def test_a_hidden_element_is_left_out_with_a_note(read_one, attribute):
    page = HEADER.format('<h1 class="page-title">A</h1>', f"<p>a</p><div {attribute}>secret</div>")
    record = read_one(page, f"A cat {CAT}.html")
    assert record.content == "<p>a</p>"
    assert any("browsers did not show" in note for note in record.notes)


def test_an_element_without_an_end_is_not_shown(read_one):
    record = read_one(HEADER.format("", "<p>a</p><div hidden>secret"), f"A cat {CAT}.html")
    assert "secret" not in record.content and "browsers did not show" in record.notes[0]
