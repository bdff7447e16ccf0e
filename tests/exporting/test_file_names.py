"""The names of exported files."""

from __future__ import annotations

import hashlib

import pytest

from blogapi.exporting.file_names import ArticleFileNames, choose_media_names


def choose_article_name(slug):
    return ArticleFileNames([slug]).choose_file_name(slug)


def add_hash(name, identity):
    return f"{name}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"


def test_an_article_is_named_after_its_slug():
    assert choose_article_name("slow-food") == "slow-food"


@pytest.mark.parametrize("slug", ["con", "com1", "index"])
def test_reserved_names_get_a_hash(slug):
    assert choose_article_name(slug) == add_hash(slug, slug)


@pytest.mark.parametrize("letter", ["a", "日", "\U0001d518"])
def test_long_names_are_shortened(letter):
    name = choose_article_name(letter * 255)
    assert name.endswith(add_hash("", letter * 255))
    assert len(name.encode()) <= 190


def test_names_that_differ_only_in_their_case_or_form_get_a_hash():
    slugs = ["straße", "strasse", "cafe\u0301", "café", "tea"]
    names = ArticleFileNames(slugs)
    assert [names.choose_file_name(slug) for slug in slugs] == [
        *(add_hash(slug, slug) for slug in slugs[:4]),
        "tea",
    ]


def test_the_oldest_media_file_keeps_its_name():
    media = [
        {"uuid": number, "name": name, "hash": number * 64}
        for number, name in (("1", "cat.jpg"), ("2", "cat.jpg"), ("3", "cat-22222222.jpg"), ("4", "cat.png"))
    ]
    assert choose_media_names(media) == {
        "1": "cat.jpg",
        "2": "cat-22222222.jpg",
        "3": "cat-22222222-33333333.jpg",
        "4": "cat.png",
    }
