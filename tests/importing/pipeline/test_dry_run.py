"""A dry run prints the same notes as the import that follows, and creates each term once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from blogapi.importing.format_api.article_record import AuthorRecord, TermRecord
from blogapi.importing.storing import service
from tests.importing.pipeline.test_run import FakeSource, a_record
from tests.importing.pipeline.test_run import run as run

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
SOURCES = (
    *("blogger/pelican", "ghost/ghost-fixtures", "markdown-odd/derived", "markdown-toml/volcano"),
    "wxr/wordpress-antora",
)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Let a dry run roll back often, and independently of the speed of the machine."""
    monkeypatch.setattr(service, "MAX_BATCH_ARTICLES", 2)
    monkeypatch.setattr(service, "MAX_BATCH_SECONDS", 1000)


def describe(run):
    """Return what the report of a run contains about terms, authors and articles."""
    return (
        run.notes,
        [(author.slug, author.created, author.articles) for author in run.state.authors.list_reports()],
        [(report.key, report.result, report.status, report.notes, report.slug) for report in run.reports],
    )


@pytest.fixture
def sources():
    """Returns a source of articles whose terms, slugs and former slugs meet those of other batches."""
    tags = tuple(f"tag {number}" for number in range(12))
    author = AuthorRecord(name="Jane Doe")

    def sources():
        records = [
            a_record(
                number, title=f"Rye {number % 3}", slug=f"rye-{number % 3}", tags=tags, authors=(author,)
            )
            for number in range(1, 10)
        ]
        records += [
            a_record(10, former_slugs=("rye-1", "old")),
            a_record(11),
            a_record(12, former_slugs=("old",)),
            a_record(13, title="old", slug="old"),
            a_record(14),
            a_record(15, tags=("x" * 300,)),
            a_record(16, former_paths=("/old/path/",)),
            *map(a_record, range(17, 20)),
            a_record(20, former_paths=("/old/path/",)),
        ]
        terms = [TermRecord(kind="tag", name=name, fields={"colour": "New"}) for name in tags[:4]]
        terms += [TermRecord(kind="category", name="y" * 300)]
        return FakeSource(records, terms)

    return sources


def test_a_dry_run_reports_what_the_import_does(run, sources):
    planned, done = run(sources(), dry_run=True), run(sources())
    assert describe(planned) == describe(done)
    assert any("is taken" in note for report in done.reports for note in report.notes)
    assert any("redirect" in note for report in done.reports for note in report.notes)
    assert any("“/old/path/”" in note for report in done.reports for note in report.notes)
    assert any("was not created" in note for note in done.notes)
    assert any("Not imported: colour (4)" in note for note in done.notes)


def test_more_terms_need_no_more_statements_in_a_dry_run(run, record_statements, lock_timeouts):
    def count(number, **options):
        tags = tuple(f"tag {number} {tag}" for tag in range(number))
        lock_timeouts.clear()
        with record_statements() as executed:
            keys = {day: f"wordpress:old.example:{number}-{day}" for day in range(1, 9)}
            run(FakeSource([a_record(day, key=keys[day], tags=tags) for day in keys]), **options)
        return len(executed), len(lock_timeouts)

    planned = [count(number, dry_run=True) for number in (2, 12)]
    done = [count(number) for number in (2, 12)]
    # The first batch creates the ten further tags one by one, in both. Each of them would cost the four
    # batches of a dry run about 20 statements more.
    assert planned[1][0] - planned[0][0] < done[1][0] - done[0][0] + 20
    assert planned[0][1] == planned[1][1] <= done[1][1]


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")
@pytest.mark.parametrize("source", SOURCES)
def test_a_dry_run_of_a_real_blog_reports_what_the_import_does(app, people, source):
    def report(*options):
        arguments = ["import", str(Path(CORPUS) / source), "--author", "ada", "--json", *options]
        return json.loads(app.test_cli_runner().invoke(args=arguments).stdout)

    planned, done = report("--dry-run"), report()
    done["files"] = [file | {"article": None} for file in done["files"]]
    assert planned == done | {"dry_run": True}
