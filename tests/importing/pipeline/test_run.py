"""An import reads all sources before it stores their articles."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from blogapi.cli import hide_progress
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord, TermRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.pipeline.report_output import format_json_report, format_text_report, summarize_run
from blogapi.importing.pipeline.run import ImportRun, open_spool
from blogapi.importing.storing.service import Importer
from blogapi.storage.database import db
from tests.conftest import ARTICLES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ASSETS_LINE = "media      --assets FOLDER names a further folder in which media files are looked up."


def a_record(number, **fields):
    given = {
        "key": f"wordpress:old.example:{number}",
        "source": "export.xml",
        "title": f"Post {number}",
        "content": "",
        "content_type": "html",
        "status": "published",
        "published_at": datetime(2020, 1, number, tzinfo=UTC),
        "addresses": (f"/2020/01/post-{number}/",),
    }
    return ArticleRecord(**given | fields)


@dataclass
class FakeSource:
    """A source with the given items."""

    items: list = field(default_factory=list)
    terms: list = field(default_factory=list)
    total: int = 1
    hosts: set = field(default_factory=lambda: {"old.example"})
    left_behind: Counter[str] = field(default_factory=Counter)
    notes: tuple = ()
    unread_rules: str = ""
    assets: tuple = ()

    def read(self):
        yield from self.items


@pytest.fixture
def run(app, people):
    """Imports sources; returns the run."""

    def run(*sources, **options):
        with app.app_context(), open_spool() as spool:
            importer = Importer(people.admin.uuid, **options)
            given = {f"format-{number}": source for number, source in enumerate(sources)}
            started = ImportRun(importer, given, spool, ImportOptions(now=NOW))
            started.import_sources(hide_progress)
            return started

    return run


@pytest.fixture
def contents(app):
    """Returns the contents of all articles by their slugs."""

    def contents():
        with app.app_context():
            return {article.slug: article.content for article in db.session.query(Article)}

    return contents


def link(address):
    return f'<a href="{address}">x</a>'


def test_a_link_leads_to_an_article_that_is_read_later(run, contents):
    run(FakeSource([a_record(1, content=link("https://old.example/2020/01/post-2/#a")), a_record(2)]))
    assert contents() == {"post-1": link("/post-2/#a"), "post-2": ""}


def test_a_link_leads_to_an_article_of_another_source(run, contents):
    other = FakeSource([a_record(2)])
    run(FakeSource([a_record(1, content=link("https://old.example/2020/01/post-2/"))]), other)
    assert contents()["post-1"] == link("/post-2/")


def test_a_link_leads_to_the_slug_that_the_article_got(run, contents, make_article):
    make_article(slug="post-2")
    first = a_record(1, content=link("https://old.example/2020/01/post-2/"))
    report = run(FakeSource([first, a_record(2)])).reports[1]
    assert (report.slug, contents()["post-1"]) == ("post-2-2", link("/post-2-2/"))
    again = run(FakeSource([first, a_record(2)]))
    assert [report.result for report in again.reports] == [Result.UNCHANGED] * 2


def test_a_link_to_a_draft_stays_as_it_is_until_the_draft_is_published(run, contents):
    first = a_record(1, content=link("https://old.example/2020/01/post-2/"))
    run(FakeSource([first, a_record(2, status="draft")]))
    assert contents()["post-1"] == first.content
    again = run(FakeSource([first, a_record(2)]))
    assert [report.result for report in again.reports] == [Result.UPDATED] * 2
    assert contents()["post-1"] == link("/post-2/")


def test_a_link_leads_to_an_article_of_an_earlier_import(run, contents):
    first = a_record(1, content=link("https://old.example/2020/01/post-2/"))
    run(FakeSource([first, a_record(2)]))
    run(FakeSource([a_record(3, content=link("https://old.example/2020/01/post-2/"))]))
    assert contents()["post-3"] == link("/post-2/")
    # The links stay if only one of the articles is imported again.
    assert [report.result for report in run(FakeSource([first])).reports] == [Result.UNCHANGED]
    other = a_record(4, key="wordpress:other.example:4", content=link("/2020/01/post-2/"))
    run(FakeSource([other]))
    assert contents()["post-4"] == other.content


def test_the_links_stay_if_a_file_of_a_folder_is_imported_alone(run, contents):
    fields = {"source": "", "content_type": "markdown", "addresses": (), "has_templates": True}
    one = a_record(1, key="blog/posts/a/one.md", content="[x](../b/two.md)", **fields)
    run(FakeSource([one, a_record(2, key="blog/posts/b/two.md", **fields)]))
    assert contents()["post-1"] == "[x](/post-2/)"
    assert [report.result for report in run(FakeSource([one])).reports] == [Result.UNCHANGED]


def test_a_dry_run_stores_nothing(run, contents):
    started = run(FakeSource([a_record(1)], [TermRecord(kind="tag", name="rye")]), dry_run=True)
    assert [report.result for report in started.reports] == [Result.CREATED]
    assert contents() == {}


def test_an_article_in_two_exports_is_imported_once(run, contents):
    started = run(FakeSource([a_record(1)]), FakeSource([a_record(1, content="new", source="other.xml")]))
    assert [report.result for report in started.reports] == [Result.CREATED, Result.SKIPPED]
    assert "“export.xml” contains this article too" in started.reports[1].notes[0]
    assert contents() == {"post-1": ""}


def test_an_article_that_is_a_draft_in_another_export_becomes_a_draft(run, contents):
    linking = a_record(2, content=link("https://old.example/2020/01/post-1/"))
    newer = FakeSource([a_record(1, status="draft", source="other.xml")])
    started = run(FakeSource([a_record(1), linking]), newer)
    assert [report.status for report in started.reports] == ["draft", "published", None]
    assert "Another file says that it is not public" in started.reports[0].notes[0]
    assert contents()["post-2"] == linking.content


def test_different_articles_with_one_id_are_both_imported(run, contents):
    other = replace(a_record(1), title="Rye", slug="rye")
    assert {report.result for report in run(FakeSource([a_record(1), other])).reports} == {Result.CREATED}
    assert {*contents()} == {"post-1", "rye"}
    again = run(FakeSource([a_record(1), other]))
    assert {report.result for report in again.reports} == {Result.UNCHANGED}


def test_terms_are_created_with_what_terms_have_here(run, app):
    terms = [
        TermRecord(kind="category", name="Bread", fields={"description": "Loaves"}, parent="Food"),
        TermRecord(kind="category", name="Food", parent="Bread"),
        TermRecord(kind="category", name="Own", parent="Own"),
        TermRecord(kind="tag", name="rye", fields={"description": "A grain", "colour": "brown"}),
        TermRecord(kind="tag", name="x" * 10_000),
    ]
    notes = run(FakeSource(terms=terms)).notes
    with app.app_context():
        bread, food = (db.session.query(Category).filter_by(slug=slug).one() for slug in ("bread", "food"))
        assert bread.description == "Loaves"
        # One of the two is above the other, although the source names a cycle.
        assert {bread.parent_id, food.parent_id} in ({None, food.uuid}, {None, bread.uuid})
        assert db.session.query(Tag).filter_by(slug="rye").one().description == "A grain"
    assert [note[:30] for note in notes] == [
        "The tag “xxxxxxxxxxxxxxxxxxxxx",
        "Not imported: colour (1), beca",
    ]


def test_tags_above_the_limit_are_named(run, app):
    app.config["MAX_TAGS"] = 2
    (report,) = run(FakeSource([a_record(1, content="Text", tags=("a", "b", "c"))])).reports
    assert report.result is Result.CREATED
    assert report.notes == ("It has more than 2 tags (MAX_TAGS); these were not imported: “c”.",)


def test_a_long_name_in_a_byline_is_split_or_cut(run, as_reader):
    names = "Ada Lovelace, Grace Hopper;Mary Shelley and ADA LOVELACE, and " + "z" * 101
    byline = tuple(AuthorRecord(name=name) for name in (names, "y" * 100))
    records = [a_record(1, content="A", authors=byline), a_record(2, content="B", authors=byline[1:])]
    imported = run(FakeSource(records))
    notes = [report.notes for report in imported.reports]
    assert notes == [("A name in its byline has more than 100 characters; it was split or cut.",), ()]
    shown = as_reader.get(ARTICLES, query_string={"fields": "authors"}).json
    second, first = ([author["name"] for author in article["authors"]] for article in shown)
    assert second == ["y" * 100]
    assert first == ["Ada Lovelace", "Grace Hopper", "Mary Shelley", f"{'z' * 99}…", *second]


def test_the_report_names_articles_without_text(run):
    reports = run(FakeSource([a_record(1, content=" \n"), a_record(2, content="Text")])).reports
    assert [report.notes for report in reports] == [("The article has no text.",), ()]


WORDS = " ".join(f"word{n}" for n in range(40))


def test_the_report_names_articles_whose_html_lacks_words_or_shows_markup(run):
    reports = run(
        FakeSource(
            [
                a_record(1, content=f'{WORDS} <iframe src="x"> {WORDS}'),
                a_record(2, content=f"{WORDS} <iframe src='x' /> {WORDS}\n\n<script />\n\n{WORDS}"),
                a_record(3, content=f"{WORDS}\n\n<style>\n\n{WORDS}", content_type="markdown"),
                a_record(4, content=f"{WORDS}\n\n<style />\n\n{WORDS}", content_type="markdown"),
                a_record(5, content="<div>" * 1_001 + WORDS),
                a_record(6, content="<div>" * 1_000 + WORDS),
            ]
        )
    ).reports
    notes = [[note.partition(";")[0] for note in report.notes] for report in reports]
    lost = "Its HTML shows 40 of about 80 words"
    as_text = "Readers see the markup of its text, because it takes too long to render."
    assert notes == [[lost], [], [lost], [], [as_text], []]


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        ("![a picture of five words here](/a.png) [one two three four five six](/b/c/d-e-f-g-h)", "markdown"),
        (
            "one [two][a b c d e f] <https://a.example/b-c-d-e-f-g-h>\n\n[a b c d e f]: /g/h/i/j/k/l",
            "markdown",
        ),
        ("```js one two three four five six\nx\n```\n\n## A {#b-c-d-e-f-g-h}", "markdown"),
        ("<!-- one two three four five six --><script>one two three four five six</script>x", "html"),
        (
            '<p title="one two three four five six">a&nbsp;b&nbsp;c<b>d</b>e&amp;&amp;&amp;&amp;&amp;</p>',
            "html",
        ),
        ("一二三四五六七八九十**一二三**四五六七<b>八九</b>十", "markdown"),
    ],
)
def test_markup_is_not_counted_as_words(run, content, content_type):
    (report,) = run(FakeSource([a_record(1, content=content, content_type=content_type)])).reports
    assert (report.result, report.notes) == (Result.CREATED, ())


def test_the_report_counts_what_was_left_behind(run):
    broken = FileReport("export.xml", Result.REFUSED, notes=("Its date cannot be read.",))
    left = Counter(comments=3, menus=1)
    source = FakeSource([a_record(1), broken], left_behind=left, notes=("Repaired.",))
    started = run(source)
    lines = list(format_text_report(started, dry_run=False))
    assert lines[0] == "1 public, 0 drafts, 0 scheduled, 0 skipped, 1 refused."
    assert "note       Repaired." in lines
    assert "left       Not imported from format-0: comments (3), menus (1)." in lines
    document = json.loads("".join(format_json_report(started, dry_run=False)))
    assert document["left_behind"]["format-0"] == {"comments": 3, "menus": 1}
    assert {file["title"] for file in document["files"]} == {"Post 1", ""}


@pytest.mark.parametrize(
    ("address", "number"), [("https://old.example/a.jpg", 1), ("https://x.example/a.jpg", 0)]
)
def test_files_that_stay_on_the_former_host_are_counted(run, address, number):
    started = run(FakeSource([a_record(1, content=f'<img src="{address}">')]))
    lines = list(format_text_report(started, dry_run=False))
    counted = "media      Files that articles still show from the former host: 1."
    assert [line for line in lines if line.startswith("media ")] == [counted, ASSETS_LINE][: 2 * number]
    assert json.loads("".join(format_json_report(started, dry_run=False)))["remote_files"] == number
    notes = ["Files that articles still load from the former blog: 1."]
    assert summarize_run(started)["notes"] == notes[:number]


def test_template_tags_that_stay_are_counted_by_name(run):
    record = a_record(1, content="{% unknown x %} and {% unknown y %}", has_templates=True)
    started = run(FakeSource([replace(record, content_type="markdown", key="blog/a.md", source="")]))
    assert started.unresolved == {"unknown": 2}
    line = "templates  Template tags and wiki links that were not resolved: unknown (2)."
    assert line in format_text_report(started, dry_run=False)


@pytest.mark.parametrize("is_mdx", [True, False])
def test_components_are_resolved_after_hidden_parts_are_left_out(run, contents, is_mdx):
    content = '<Tabs style={{display: "none"}}>secret</Tabs><A>b</A>\n\n:::tip\nc\n:::'
    record = a_record(1, content=content, has_templates=True, is_mdx=is_mdx)
    run(FakeSource([replace(record, content_type="markdown", key="blog/a.md", source="")]))
    assert list(contents().values()) == [("b" if is_mdx else "<A>b</A>") + "\n\n> [!TIP]\n> c"]


def test_the_spool_returns_records_in_their_order(app):
    records = [a_record(number) for number in (3, 1, 2)]
    with open_spool() as spool:
        for record in records:
            spool.add_record(record)
        assert list(spool.read_records()) == records
        assert list(spool.read_records({records[2].key, records[0].key})) == [records[0], records[2]]
        assert (len(spool), records[0].key in spool, "x" in spool) == (3, True, False)
