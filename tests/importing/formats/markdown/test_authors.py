"""Authors are read in the forms of all static site generators."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import AuthorRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(text):
    record = reader.parse_article("blog/post.md", text.encode(), ImportOptions(now=NOW))
    assert not [note for note in record.notes if "gnored" in note]
    return record.authors


def read_yaml(front):
    return read(f"---\ntitle: T\ndate: 2020-01-02\n{front}\n---\nText")


@pytest.mark.parametrize(
    ("front", "names"),
    [
        ("author: Ada Lovelace", ["Ada Lovelace"]),
        ("author: jdoe", ["jdoe"]),
        ("author: 7", ["7"]),
        ("author: 'Tom &amp; <b>Jerry</b>'", ["Tom & Jerry"]),
        ("author: Ada Lovelace, Countess", ["Ada Lovelace, Countess"]),
        ("author: Ada <ada@example.org>", ["Ada"]),
        ("author: ada@example.org", ["ada"]),
        ("author: [a, b]", ["a", "b"]),
        ("authors: [a, b, A, a]", ["a", "b"]),
        ("authors: a, b", ["a", "b"]),
        ("authors: Lovelace, Ada; Hopper, Grace;", ["Lovelace, Ada", "Hopper, Grace"]),
        ("authors:\n- a\n- [b]", ["a", "b"]),
        ("author: {name: a, email: a@example.org}", ["a"]),
        ("author:\n  display_name: Ada L.\n  login: ada\n  email: a@example.org", ["Ada L."]),
        ("author: {login: ada}", ["ada"]),
        ("authors: [{name: a}, {login: b}, {twitter: c}, c]", ["a", "b", "c"]),
        ("authors: [{key: ada, title: Countess}]", ["ada"]),
        ("author: {ada: {name: Ada L}}", ["Ada L"]),
        ("authors: [{ada: {name: Ada L}}, {grace: {url: 'https://grace.example'}}]", ["Ada L", "grace"]),
        ("author: {a: {b: {c: {}}}}", ["a"]),
        ("author: a\nauthors: [b, a]", ["a", "b"]),
        ("params:\n  author: a", ["a"]),
        ("extra:\n  authors: [a]", ["a"]),
        *(
            (f"author: {nothing}", [])
            for nothing in ("", "false", "''", "{}", "[]", "[null, '']", "{twitter: a}")
        ),
    ],
)
def test_the_names_of_authors_are_read(front, names):
    assert [author.name for author in read_yaml(front)] == names


def test_links_in_a_text_name_authors_with_their_websites():
    text = (
        "author: >-\n  [Ada L](https://ada.example) (Company, project lead), [Grace\n  H]"
        "(https://grace.example) (Navy) and [Kim](mailto:kim@example.org), Jo"
    )
    assert read_yaml(text) == (
        AuthorRecord(name="Ada L", url="https://ada.example"),
        AuthorRecord(name="Grace H", url="https://grace.example"),
        AuthorRecord(name="Kim"),
        AuthorRecord(name="Jo"),
    )


def test_a_mapping_describes_an_author():
    front = (
        "author:\n  Name: Ada\n  bio: Counts.\n  website: https://ada.example\n  image_url: /ada.png\n"
        "  email: ada@example.org"
    )
    (author,) = read_yaml(front)
    assert author == AuthorRecord(name="Ada", bio="Counts.", url="https://ada.example", avatar="/ada.png")


def test_invalid_details_are_left_out():
    front = f"author: {{name: Ada, url: 'javascript:x', avatar: '//x\\y', bio: {'x' * 10_001}}}"
    assert read_yaml(front) == (AuthorRecord(name="Ada"),)


@pytest.mark.parametrize(
    "text",
    [
        '+++\ntitle = "T"\nauthors = ["Ada", "Grace"]\n+++\nText',
        '+++\ntitle = "T"\n[taxonomies]\nauthors = ["Ada", "Grace"]\n+++\nText',
        '+++\ntitle = "T"\n[[params.authors]]\nname = "Ada"\n[[params.authors]]\nname = "Grace"\n+++\nText',
        '{"title": "T", "author": [{"name": "Ada"}, {"name": "Grace"}]}\n\nText',
        "Title: T\nDate: 2020-01-02\nAuthors: Ada, Grace\n\nText",
        "title: T\nauthors: [Ada, Grace]\n---\nText",
        ".. title: T\n.. date: 2020-01-02\n.. authors: Ada, Grace\n\nText",
    ],
)
def test_authors_are_read_from_every_format(text):
    assert [author.name for author in read(text)] == ["Ada", "Grace"]
