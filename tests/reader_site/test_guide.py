"""The guide page about the built-in site: its examples work, and it names what templates get."""

from __future__ import annotations

import re

import pytest

from blogapi.reader_site import pages, templating, theme
from tests.contracts.guide import GUIDE
from tests.reader_site.conftest import BROWSER

TEXT = (GUIDE / "built-in-site.md").read_text(encoding="utf-8")
EXAMPLES = dict(
    re.findall(r"^`instance/theme/([\w.-]+)`:\n\n```\w+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
)
VARIABLES = TEXT.partition("## Variables of the templates")[2].partition("## Static copy")[0]


@pytest.fixture
def articles(turn_on, make_article, make_tag):
    """The site with two articles that have a tag."""
    turn_on(title="The Bread Blog")
    for name in ("Rye", "Oat"):
        make_article(title=name, tags=[make_tag(f"Tag {name}")], content="<p>Bread</p>")


@pytest.mark.usefixtures("articles")
def test_the_examples_change_the_pages(theme_folder, get_page, app, monkeypatch):
    monkeypatch.setattr(theme, "_CHECK_INTERVAL", 0.0)
    assert EXAMPLES.keys() == {"style.css", "base.html", "home.html"}
    before = get_page("/tag/tag-rye/").text
    for name, text in EXAMPLES.items():
        (theme_folder / name).write_text(text, encoding="utf-8")
    home, tag = get_page("/").text, get_page("/tag/tag-rye/").text
    assert get_page("/theme/style.css").text == EXAMPLES["style.css"]
    assert 'href="/theme/style.css?v=' in home
    for page in (home, tag, get_page("/rye/").text):
        assert '<p>© The Bread Blog · <a href="/imprint/">Imprint</a></p>' in page
        assert '<footer class="colophon">' in page
    assert 'class="entry' not in home and '<a href="/rye/" dir="auto">Rye</a></li>' in home
    assert 'class="entry' in tag and "<h1" in tag
    assert tag.replace("Imprint", "") != before
    with app.app_context():
        assert theme.get_theme().problems == {}


def test_the_properties_of_the_style_sheet_are_named():
    """`--out`, the margin beside wide blocks, follows from others."""
    defined = set(re.findall(r"(--[a-z]+):", templating.read_style_sheet().partition("}")[0])) - {"--out"}
    example = TEXT.partition("### Example: colours")[2].partition("### Example: a footer")[0]
    assert set(re.findall(r"--[a-z]+", example)) == defined


def list_names(template):
    """Return the variables in the table of a template, or in the first table."""
    part = VARIABLES.partition(f"\n`{template}`")[2] if template else VARIABLES
    table = part.partition("\n|---|---|\n")[2].partition("\n\n")[0]
    return {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


@pytest.mark.usefixtures("articles")
def test_every_variable_of_the_templates_is_named(as_stranger, monkeypatch):
    rendered = {}
    render = theme.render_page
    monkeypatch.setattr(
        theme, "render_page", lambda page: rendered.setdefault(page.template, page) and render(page)
    )
    for path in ("/", "/rye/", "/archive/", "/search/?q=rye", "/zzz/"):
        as_stranger.get(path, headers=BROWSER)
    assert rendered.keys() == {"home.html", "article.html", "archive.html", "search.html", "not-found.html"}
    common = list_names("")
    for template, page in rendered.items():
        values = {*page.values, "style_hash", "theme_hash"}
        assert values == common | list_names(template), template


@pytest.mark.usefixtures("articles")
def test_every_field_of_an_article_is_named(as_stranger, monkeypatch):
    rendered = {}
    monkeypatch.setattr(theme, "render_page", lambda page: rendered.setdefault(page.template, page) and "")
    for path in ("/", "/rye/", "/archive/", "/search/?q=rye"):
        as_stranger.get(path, headers=BROWSER)
    for template, name in (
        ("home.html", "articles"),
        ("article.html", "article"),
        ("search.html", "articles"),
    ):
        value = rendered[template].values[name]
        shown = value if isinstance(value, dict) else value[0]
        rows = [row for row in VARIABLES.splitlines() if row.startswith((f"| `{name}` |", "| `articles` |"))]
        missing = {field for field in shown if f"`{field}`" not in " ".join(rows)} - {
            *pages.documents.LEAD_FIELDS
        }
        assert missing == set(), template


def test_every_macro_and_filter_is_named():
    environment = templating.get_built_in_environment()
    source = environment.loader.get_source(environment, "parts.html")[0]
    macros = re.findall(r"{% macro (\w+\(.*?\)) -?%}", source)
    assert macros and set(macros) <= {*re.findall(r"^\| `(\w+\(.*?\))` \|", VARIABLES, re.MULTILINE)}
    for name in templating._FILTERS:
        assert re.search(rf"`{name}(\(200\))?`", VARIABLES.partition("The filters are")[2])
    blocks = re.findall(r"{% block (\w+) %}", environment.loader.get_source(environment, "base.html")[0])
    sentence = TEXT.partition("The blocks of this template are")[2].partition(".\n")[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == set(blocks)
