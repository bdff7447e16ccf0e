"""What `doctor` and the overview say about the site."""

from __future__ import annotations

import json

import pytest

from blogapi.reader_site import theme


@pytest.fixture
def find(app, as_login):
    """Return a function that returns the findings with a name; the overview has those that are not ok too."""

    def find(name):
        result = app.test_cli_runner().invoke(args=["doctor", "--json"])
        assert result.stdout, result.exception
        found = [one for one in json.loads(result.stdout)["findings"] if one["check"] == name]
        advice = [one for one in as_login.post("/api/v1/doctor/").json["findings"] if one["check"] == name]
        assert len(advice) == len([one for one in found if one["level"] != "ok"])
        return [(one["level"], one["says"]) for one in found]

    return find


def test_texts_that_another_page_hides_are_named(turn_on, make_article, make_category, find):
    """Slugs from the time before the site was on stay."""
    for slug in ("search", "api", "about", "de", "bread"):
        make_article(title=slug, slug=slug)
    make_article(title="draft", slug="archive", status="draft")
    turn_on()
    assert find("addresses")[0][1].startswith("Another page is at the address of 2 items: ")
    make_category(name="Bread")
    turn_on(languages=[{"language": "de"}], category_path="/{slug}/")
    ((level, says),) = find("addresses")
    assert level == "wrong" and "4 items" in says, "the article wins over the category, and a home over all"
    turn_on(article_path="/posts/{slug}/", category_path="/category/{slug}/")
    assert find("addresses") == [("ok", "Readers find each item at its address.")]


def test_a_theme_that_cannot_be_used_is_named(turn_on, theme_folder, find, monkeypatch):
    monkeypatch.setattr(theme, "_CHECK_INTERVAL", 0.0)
    turn_on()
    assert find("theme") == []
    (theme_folder / "home.html").write_text('{% extends "built-in/home.html" %}', encoding="utf-8")
    assert find("theme") == []
    (theme_folder / "search.html").write_text("{% if %}", encoding="utf-8")
    (theme_folder / "words.toml").write_text("[en]\narchive = 1", encoding="utf-8")
    found = find("theme")
    assert [level for level, _ in found] == ["wrong", "wrong"]
    assert found[0][1].startswith("theme/search.html is not used: TemplateSyntaxError")
    assert found[1][1].startswith("theme/words.toml is not used: ValueError")
    turn_on(built_in=False)
    assert find("theme") == find("addresses") == []
