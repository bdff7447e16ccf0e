"""The formats of blogapi and of other packages."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from blogapi.importing.format_api import CONTRACT_VERSION, Entry, Format, RefusedFile, read_each
from blogapi.importing.format_api.article_record import PUBLIC_STATUSES
from blogapi.importing.formats import registry
from blogapi.publication.visibility import READABLE_STATUSES


def make_format(name="other", contract=CONTRACT_VERSION):
    return Format(
        name=name,
        contract=contract,
        detect=lambda entry, head: head.startswith(b"OTHER"),
        open_source=read_each(lambda entry, options: []),
    )


NEWER, OLDER, NO_VERSION = (make_format(contract=version) for version in (2, 0, "one"))
OTHER, RENAMED, NOT_A_FORMAT = make_format(), make_format("x"), object()


class Point(EntryPoint):
    """An entry point of an installed package."""

    package = "blogapi-other"
    dist = property(lambda self: SimpleNamespace(name=self.package))


@pytest.fixture
def install(monkeypatch):
    """Adds entry points to the installed ones."""

    def install(*points):
        monkeypatch.setattr(registry, "_find_entry_points", lambda notes: [*points])

    return install


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


def make_point(name, value, package="blogapi-other"):
    point = Point(name, value if ":" in value else f"{__name__}:{value}", registry.ENTRY_POINT_GROUP)
    vars(point)["package"] = package
    return point


def test_formats_and_the_blog_agree_on_which_statuses_are_public():
    assert set(PUBLIC_STATUSES) == set(READABLE_STATUSES)


@pytest.mark.parametrize("name", registry.BUILT_IN_FORMATS)
def test_each_built_in_format_has_its_name_and_the_contract(name):
    found = registry.get_format(name, [])
    assert (found.name, found.contract) == (name, CONTRACT_VERSION)


def test_a_format_of_another_package_is_tried_before_markdown(install):
    install(make_point("other", "OTHER"))
    notes = []
    assert list(registry.load_formats(notes)) == [*registry.BUILT_IN_FORMATS[:-1], "other", "markdown"]
    assert notes == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("other", "nowhere:FORMAT", "cannot be loaded (ModuleNotFoundError: No module named 'nowhere')"),
        ("other", "json:FORMAT", "cannot be loaded (AttributeError: "),
        ("other", "NEWER", "was written for version 2 of the contract, but this blogapi has version 1"),
        ("other", "OLDER", "was written for version 0 of the contract"),
        ("other", "NO_VERSION", "was written for version one of the contract"),
        ("other", "RENAMED", "has the name “x”; its entry point must have the same name"),
        ("other", "NOT_A_FORMAT", "is not a `Format`"),
        ("ghost", "OTHER", "is ignored, because blogapi has a format of this name"),
    ],
)
def test_a_format_that_cannot_be_used_is_a_note(install, name, value, sentence):
    install(make_point(name, value))
    notes = []
    assert tuple(registry.load_formats(notes)) == registry.BUILT_IN_FORMATS
    (note,) = notes
    assert note.startswith(f"The format “{name}” of the package “blogapi-other” ") and sentence in note


def test_the_second_package_with_a_name_is_ignored_with_a_note(install):
    install(make_point("other", "OTHER"), make_point("other", "RENAMED", "blogapi-second"))
    notes = []
    assert "other" in registry.load_formats(notes)
    (note,) = notes
    assert "“blogapi-second” is ignored, because blogapi-other has a format of this name" in note


def test_a_broken_format_is_refused_by_its_name(install):
    install(make_point("other", "NEWER"))
    with pytest.raises(RefusedFile, match="version 2 of the contract"):
        registry.get_format("other", [])


def test_the_command_imports_although_a_format_is_broken(install, run, people, tmp_path):
    install(make_point("other", "nowhere:FORMAT"))
    (tmp_path / "hello.md").write_text("---\ntitle: Hello\ndate: 2020-01-02\n---\nText", encoding="utf-8")
    result = run("import", str(tmp_path), "--author", "ada", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [one["result"] for one in report["files"]] == ["created"]
    assert any("cannot be loaded" in note for note in report["notes"])


def test_the_command_names_a_broken_format_that_was_asked_for(install, run, people, tmp_path):
    install(make_point("other", "nowhere:FORMAT"))
    (tmp_path / "a.txt").write_text("OTHER", encoding="utf-8")
    result = run("import", str(tmp_path), "--author", "ada", "--format", "other")
    assert result.exit_code == 1
    assert "The format “other” of the package “blogapi-other” cannot be loaded" in result.stderr


def test_the_command_lists_the_formats_if_it_does_not_know_one(install, run, tmp_path):
    install(make_point("other", "OTHER"))
    result = run("import", str(tmp_path), "--format", "nowhere")
    assert result.exit_code == 2
    assert "'nowhere' is not one of blogapi, wordpress," in result.stderr
    assert "other, markdown" in result.stderr


def test_detect_gets_the_first_bytes_of_a_file(install, run, people, tmp_path):
    install(make_point("other", "OTHER"))
    (tmp_path / "a.bin").write_bytes(b"OTHER" + b"\0" * 20_000)
    result = run("import", str(tmp_path), "--author", "ada", "--json")
    assert (result.exit_code, json.loads(result.stdout)["files"]) == (0, [])
    assert not OTHER.detect(Entry("a", tmp_path), b"")


def test_a_broken_list_of_entry_points_is_a_note(tmp_path, monkeypatch):
    for name, points in {"broken": "nonsense", "whole": "other = a.b:c"}.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
        (folder / "entry_points.txt").write_text(f"[blogapi.formats]\n{points}\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    notes = []
    assert "other" in registry.list_format_names()
    formats = registry.load_formats(notes)
    assert formats.keys() == {*registry.BUILT_IN_FORMATS}
    assert notes[0].startswith("The formats of the package “broken” cannot be listed (")
    assert "The format “other” of the package “whole” cannot be loaded" in notes[1]
