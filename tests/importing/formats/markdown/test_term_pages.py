"""The pages of Hugo's categories and tags."""

from __future__ import annotations

import pytest

from blogapi.content.taxonomies.tags import Tag
from blogapi.importing.format_api.article_record import TermRecord
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.markdown.terms import read_term_page
from blogapi.storage.database import db

NAMES = {("tag", "rye-bread"): "Rye Bread", ("category", "food"): "Food"}


@pytest.fixture
def read(tmp_path):
    """Returns the term that a page describes."""

    def read(key, text, names=NAMES):
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return read_term_page(Entry(key, path), names)

    return read


@pytest.mark.parametrize(
    ("key", "text", "kind", "name", "fields"),
    [
        (
            "site/content/tags/rye-bread/_index.md",
            "---\ntitle: All about rye\ndescription: A loaf\n---\nText",
            *("tag", "Rye Bread", {"description": "A loaf", "seo_title": "All about rye"}),
        ),
        (
            "categories/Food/_index.md",
            "+++\ntitle = 'Food'\nimage = 'https://x.test/a.png'\n+++\nWe *eat*.\n",
            *("category", "Food", {"description": "We *eat*.", "cover_image": "https://x.test/a.png"}),
        ),
        ("tags/rye-bread/_index.md", "", "tag", "Rye Bread", {}),
    ],
)
def test_a_page_describes_its_term(read, key, text, kind, name, fields):
    assert read(key, text) == TermRecord(kind=kind, name=name, fields=fields)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(("tags/rye-bread/_index.fr.md", "x"), ("tags/rye-bread/index.md", "x"), ("tags/_index.md", "x")),
        *(("_index.md", "x"), ("series/rye-bread/_index.md", "x"), ("tags/unused/_index.md", "x")),
        ("tags/rye-bread/_index.md", "---\ndraft: true\n---\nSecret"),
        ("tags/rye-bread/_index.md", "---\ntitle: [\n---\nBroken"),
    ],
)
def test_other_pages_and_private_ones_describe_nothing(read, key, text):
    assert read(key, text) is None


def test_an_import_stores_what_the_pages_of_used_terms_say(app, people, tmp_path):
    files = {"post.md": "---\ntags: [Rye Bread]\n---\nText", "tags/rye-bread/_index.md": "A dark loaf"}
    for name, text in files.items():
        path = tmp_path / "content" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    result = app.test_cli_runner().invoke(
        args=["import", str(tmp_path / "content"), "--author", people.admin.username]
    )
    assert result.exit_code == 0, result.output
    with app.app_context():
        tag = db.session.query(Tag).one()
    assert (tag.name, tag.slug, tag.description) == ("Rye Bread", "rye-bread", "A dark loaf")
