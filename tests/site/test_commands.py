"""The commands `site show` and `site set`."""

from __future__ import annotations

import json
import re

import pytest

from blogapi.site import queries
from blogapi.site.schemas import SiteChangesSchema


@pytest.fixture
def run(app):
    """Runs a `site` command."""
    runner = app.test_cli_runner()
    return lambda *args: runner.invoke(args=["site", *args])


@pytest.fixture
def get(app):
    """Returns a field of the site."""

    def get_field(name):
        with app.app_context():
            return getattr(queries.get_site(), name)

    return get_field


def test_show_prints_all_fields(run):
    run("set", "title=Bread 🥖", "--navigation", "About=/about/?a=b")
    lines = run("show").output.splitlines()
    assert {"title=Bread 🥖", "time_zone=UTC", "navigation About=/about/?a=b"} <= set(lines)


def test_show_prints_the_json_of_the_api(run, as_admin):
    run("set", "title=Bread 🥖", "--navigation", "About=/about/")
    assert json.loads(run("show", "--json").output) == as_admin.get("/api/v1/blog/site/").json


def test_set_turns_the_built_in_site_on_and_off(run, get):
    result = run("set", "built_in=true")
    assert result.exit_code == 1 and "built_in: The built-in site needs an address" in result.output
    assert run("set", "built_in=true", "url=https://blog.example").exit_code == 0
    assert get("built_in") is True and "built_in=true" in run("show").output.splitlines()
    assert run("set", "built_in=yes").exit_code == 1
    assert run("set", "built_in=false").exit_code == 0
    assert get("built_in") is False and "built_in=false" in run("show").output.splitlines()


def test_set_changes_the_given_fields(run, get):
    result = run("set", "title=A=B", "url=https://blog.example/", "time_zone=Europe/Berlin")
    assert (result.exit_code, result.output) == (0, "Changed title, url, time_zone.\n")
    assert (get("title"), get("url"), get("tag_path")) == ("A=B", "https://blog.example", "/tag/{slug}/")


def test_set_unsets_a_field_with_an_empty_value(run, get):
    run("set", "url=https://blog.example")
    assert run("set", "url=").exit_code == 0
    assert get("url") == ""


def test_set_refuses_read_only_fields(run, get):
    result = run("set", "title=New", "uuid=1", "created=2026-01-01", "colour=red")
    assert result.exit_code == 1
    assert all(name in result.output for name in ("uuid: Is read-only", "created: Is read-only", "colour"))
    assert get("title") == ""


def test_set_replaces_the_navigation(run, get):
    run("set", "--navigation", "Old=/old/")
    assert (
        run("set", "--navigation", "About=/about/", "--navigation", "Shop=https://s.example").exit_code == 0
    )
    items = [{"label": "About", "url": "/about/"}, {"label": "Shop", "url": "https://s.example"}]
    assert get("navigation_items") == items
    assert run("set", "--no-navigation").exit_code == 0
    assert get("navigation_items") == []


def test_set_reports_all_wrong_fields_and_changes_nothing(run, get):
    result = run("set", "title=New", "time_zone=Berlin", "colour=red", "--navigation", "A=javascript:1")
    assert result.exit_code == 1
    assert all(name in result.output for name in ("time_zone", "colour", "navigation.0.url"))
    assert get("title") == ""


@pytest.mark.parametrize("args", [[], ["title"], ["--navigation", "About"]])
def test_set_explains_wrong_usage(run, args):
    assert run("set", *args).exit_code == 2


def test_set_refuses_a_navigation_that_is_text(run):
    assert "navigation" in run("set", "navigation=About").output


def test_languages_are_set_by_their_codes_and_keep_their_titles(run, as_reader, set_site):
    set_site(languages=json.dumps([{"language": "de", "title": "Brot", "description": ""}]))
    assert run("set", "languages=fr, de").exit_code == 0
    shown = as_reader.get("/api/v1/blog/site/").json["languages"]
    assert [(one["language"], one["title"]) for one in shown] == [("fr", ""), ("de", "Brot")]
    assert run("set", "languages=").exit_code == 0
    assert as_reader.get("/api/v1/blog/site/").json["languages"] == []


def test_the_help_lists_the_fields(run):
    fields = SiteChangesSchema().fields.keys() - {"navigation"}
    text = " ".join(run("set", "--help").output.split())
    assert [name for name in fields if not re.search(rf"\b{name}\b", text)] == []
