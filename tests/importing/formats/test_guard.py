"""Mistakes of formats of other packages: the import refuses their items, and goes on."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api import (
    CONTRACT_VERSION,
    ArticleRecord,
    AuthorRecord,
    Entry,
    FileReport,
    Format,
    ImportOptions,
    Result,
    Source,
    TermRecord,
)
from blogapi.importing.formats import foreign_code
from blogapi.importing.formats.foreign_code import guard_format

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPTIONS = ImportOptions(now=NOW)
SUBJECT = "The format “other” of the package “blogapi-other”"
ENTRIES = [Entry("blog/a.txt", Path("a.txt")), Entry("blog/b.txt", Path("b.txt"))]
RECORD = ArticleRecord(
    key="other:1",
    source="blog/a.txt",
    title="Hello",
    content="Text",
    content_type="html",
    status="published",
    published_at=NOW,
    authors=(AuthorRecord(name="Ada"),),
    custom={"anything": [1, None]},
)


class OneSource(Source):
    """A source that yields the items that it gets, and raises those that are errors."""

    def __init__(self, items, **attributes):
        super().__init__(total=len(items))
        self._items = items
        for name, value in attributes.items():
            setattr(self, name, value)

    def read(self):
        for item in self._items:
            if isinstance(item, BaseException):
                raise item
            yield item


class OlderSource:
    """A source of a package that does not know the attributes that were added later."""

    total, hosts, terms, left_behind, notes, assets = 1, frozenset(), (), Counter(), (), ()

    def read(self):
        yield RECORD


def make_format(*items, **attributes):
    return Format(
        name="other",
        contract=CONTRACT_VERSION,
        detect=lambda entry, head: True,
        open_source=lambda entries, options: OneSource(items, **attributes),
    )


def read(*items, **attributes):
    source = guard_format(make_format(*items, **attributes), [], "blogapi-other").open_source(
        ENTRIES, OPTIONS
    )
    return list(source.read()), source


def test_correct_records_reports_and_attributes_are_passed_on():
    skipped = FileReport("blog/b.txt", Result.SKIPPED, notes=("It is empty.",))
    term = TermRecord(kind="tag", name="Bread")
    attributes = {
        "hosts": {"ada.example"},
        "terms": [term],
        "left_behind": Counter(comments=2),
        "notes": ["One file was repaired."],
        "assets": [Path("pictures")],
        "unread_rules": "MemberPress",
    }
    items, source = read(RECORD, skipped, **attributes)
    assert items == [RECORD, skipped]
    assert {name: getattr(source, name) for name in attributes} == attributes


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("title", 5, "`title` (5): it must be str"),
        ("content", None, "`content` (None): it must be str"),
        ("key", b"x", "`key` (b'x'): it must be str"),
        ("source", 7, "`source` (7): it must be str"),
        ("tags", ("a", 3), "`tags` (('a', 3)): it must be tuple[str, ...]"),
        ("tags", "bread", "`tags` ('bread'): it must be tuple[str, ...]"),
        ("featured", "yes", "`featured` ('yes'): it must be bool"),
        ("published_at", datetime(2020, 1, 1), "it must be a datetime with a time zone, or None"),  # noqa: DTZ001
        (
            "published_at",
            "2020-01-01",
            "`published_at` ('2020-01-01'): it must be a datetime with",
        ),
        ("authors", ("Ada",), "`authors` (('Ada',)): it must be tuple["),
        ("authors", (AuthorRecord(name=5),), "`authors` ("),
        ("path", "a.txt", "`path` ('a.txt'): it must be"),
        ("custom", [], "`custom` ([]): it must be"),
        ("status", "public", "an unknown `status` ('public'): it must be draft or published or"),
        ("content_type", "md", "an unknown `content_type` ('md'): it must be markdown or html or text"),
    ],
)
def test_a_record_with_a_mistake_is_refused_and_the_next_one_is_read(name, value, expected):
    (report, record), _ = read(replace(RECORD, **{name: value}), RECORD)
    assert record == RECORD
    assert report.result == Result.REFUSED
    assert (
        report.notes[0].startswith("The format “other” of the package “blogapi-other” gives a")
        and expected in report.notes[0]
    )
    assert isinstance(report.key, str)


@pytest.mark.parametrize("item", [None, {"title": "Hello"}, "text"])
def test_what_is_no_record_is_refused_and_the_next_one_is_read(item):
    (report, record), _ = read(item, RECORD)
    assert record == RECORD
    assert (report.result, report.key) == (Result.REFUSED, "other")
    assert f"a {type(item).__name__} instead of an ArticleRecord" in report.notes[0]


def test_a_report_with_a_mistake_is_refused():
    (report,), _ = read(FileReport("blog/a.txt", "refused", notes="no"))
    assert (report.result, report.key) == (Result.REFUSED, "blog/a.txt")


def test_an_error_of_read_refuses_the_rest():
    items, _ = read(RECORD, ValueError("no id"), RECORD)
    assert items[0] == RECORD
    (report,) = items[1:]
    assert report.result == Result.REFUSED
    assert "failed (ValueError: no id); its other files were not read" in report.notes[0]


@pytest.mark.parametrize(
    "attributes",
    [
        {"hosts": "ada.example"},
        {"terms": ["Bread"]},
        {"notes": [5]},
        {"assets": ["pictures"]},
        {"unread_rules": None},
    ],
)
def test_a_wrong_attribute_is_refused_after_the_records(attributes):
    (record, report), source = read(RECORD, **attributes)
    (name,) = attributes
    assert (record, report.result) == (RECORD, Result.REFUSED)
    assert f"a wrong `{name}`" in report.notes[0]
    assert not getattr(source, name)


def test_an_error_of_open_source_is_a_refusal():
    def open_source(entries, options):
        raise RuntimeError("no network")

    source = guard_format(replace(make_format(), open_source=open_source), [], "blogapi-other").open_source(
        ENTRIES, OPTIONS
    )
    (report,) = source.read()
    assert (report.result, source.total) == (Result.REFUSED, 2)
    assert "failed (RuntimeError: no network)" in report.notes[0]


def test_an_error_of_detect_is_one_note_and_the_file_is_not_recognised():
    def detect(entry, head):
        raise IndexError("0")

    notes = []
    guarded = guard_format(replace(make_format(), detect=detect), notes, "blogapi-other")
    assert [guarded.detect(entry, b"") for entry in ENTRIES] == [False, False]
    assert notes == [
        f"{SUBJECT} cannot recognise files (IndexError: 0); report this to the author of its package."
    ]


def test_a_source_may_lack_the_attributes_that_were_added_later():
    older = replace(make_format(), open_source=lambda entries, options: OlderSource())
    source = guard_format(older, [], "blogapi-other").open_source(ENTRIES, OPTIONS)
    assert (list(source.read()), source.unread_rules) == ([RECORD], "")


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_an_exit_of_a_format_is_a_refusal_that_names_its_package(error):
    (record, report), _ = read(RECORD, error)
    assert (record, report.result) == (RECORD, Result.REFUSED)
    assert f"of the package “blogapi-other” failed ({type(error).__name__}:" in report.notes[0]


def test_what_a_format_prints_goes_to_the_log(capsys):
    def open_source(entries, options):
        print(5)  # noqa: T201
        return OneSource([RECORD])

    source = guard_format(replace(make_format(), open_source=open_source), [], "x").open_source(
        ENTRIES, OPTIONS
    )
    assert list(source.read()) == [RECORD]
    assert capsys.readouterr() == ("", "5\n")


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
@pytest.mark.parametrize("catches", [True, False])
def test_a_signal_ends_the_import_while_a_format_reads(number, error, catches):
    class Catching(OneSource):
        def read(self):
            try:
                signal.raise_signal(number)
            except BaseException:
                if not catches:
                    raise
            yield RECORD

    format_ = replace(make_format(), open_source=lambda entries, options: Catching([]))
    source = guard_format(format_, [], "blogapi-other").open_source(ENTRIES, OPTIONS)
    former = signal.getsignal(number)
    with pytest.raises(error), foreign_code.exit_on_signals():
        list(source.read())
    assert signal.getsignal(number) is former
