"""Authors whom articles name by an id get the name in the file of authors."""

from __future__ import annotations

import pytest

from blogapi.transfer.article_record import AuthorRecord
from blogapi.transfer.markdown import author_files

ADA = AuthorRecord(name="Ada Lovelace", url="https://ada.example")
YAML = "ada:\n  name: Ada Lovelace\n  url: https://ada.example\n  email: ada@ada.example\n"


def complete(root, *names):
    authors = [AuthorRecord(name=name) for name in names]
    return author_files.complete(authors, root / "site" / "_posts" / "a.md", 2)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("site/_data/authors.yml", YAML),
        ("site/_posts/authors.yml", YAML),
        ("site/.authors.yml", "authors:\n  ada:\n    name: Ada Lovelace\n    url: https://ada.example"),
        ("site/data/authors.toml", '[ada]\nname = "Ada Lovelace"\nurl = "https://ada.example"'),
        ("src/_data/authors.json", '{"ada": {"name": "Ada Lovelace", "url": "https://ada.example"}}'),
    ],
)
def test_an_id_becomes_the_author_that_the_file_describes(tmp_path, name, text):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert complete(tmp_path, "ada", "Bo", "Ada Lovelace") == (ADA, AuthorRecord(name="Bo"))


@pytest.mark.parametrize("text", ["ada: [", "ada: Ada", "- ada", "ada:\n  twitter: ada", ""])
def test_a_file_without_names_changes_nothing(tmp_path, text):
    (tmp_path / "authors.yml").write_text(text, encoding="utf-8")
    assert complete(tmp_path, "ada") == (AuthorRecord(name="ada"),)


def test_an_article_that_describes_its_author_keeps_the_description(tmp_path):
    (tmp_path / "authors.yml").write_text(YAML, encoding="utf-8")
    author = AuthorRecord(name="ada", bio="Me")
    assert author_files.complete([author], tmp_path / "a.md", 1) == (author,)
