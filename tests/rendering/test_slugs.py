"""Slugs are derived from words and made unique."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.rendering import slugs

FORM = re.compile(r"[^\W_]+(-[^\W_]+)*")


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("  --Hello--  ", "hello"),
        ("Crème brûlée", "creme-brulee"),
        ("Łódź & Ærø", "lodz-aero"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("e\u0301te\u0301", "ete"),
        ("日本語 ブログ", "日本語-ブログ"),
        ("Привет, мир", "привет-мир"),
        ("snake_case", "snake-case"),
        ("C++", "c"),
        ("2026", "2026"),
    ],
)
def test_a_slug_is_the_lowercase_hyphenated_form_of_the_words(words, slug):
    assert slugs.make_slug(words) == slug


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("C#", "c-sharp"),
        ("C#/F#", "c-sharp-f-sharp"),
        ("C++", "c-plus-plus"),
        ("C++ tips", "c-plus-plus-tips"),
        ("Google+", "google-plus"),
        ("A+B", "a-b"),
        ("#news", "news"),
        ("Slow food", "slow-food"),
    ],
)
def test_the_slug_of_a_term_tells_signs_apart(name, slug):
    assert slugs.make_term_slug(name) == slug


@pytest.mark.parametrize("name", ["", "🎉🎉", "!?", "\ud800"])
def test_a_term_without_letters_and_digits_has_the_same_slug_each_time(name):
    assert re.fullmatch(r"[0-9a-f]{8}", slugs.make_term_slug(name))
    assert slugs.make_term_slug(name) == slugs.make_term_slug(name) != slugs.make_term_slug(f"{name}!")


@pytest.mark.parametrize("words", ["", " ", "🎉🎉", "!?", "\x00", "\ud800", "---"])
def test_words_without_letters_and_digits_get_a_random_slug(words):
    first, second = slugs.make_slug(words), slugs.make_slug(words)
    assert re.fullmatch(r"[0-9a-f]{8}", first)
    assert first != second


@pytest.mark.parametrize("words", ["a" * 1000, "word " * 300, "日" * 1000, "ß" * 500, "½" * 500])
def test_a_derived_slug_is_short_enough_to_append_a_number(words):
    slug = slugs.make_slug(words)
    assert len(slug) <= slugs.MAX_DERIVED_LENGTH
    assert FORM.fullmatch(slug)


@settings(deadline=None)
@given(st.text())
def test_a_slug_can_be_derived_from_any_text(words):
    slug = slugs.make_slug(words)
    assert FORM.fullmatch(slug), (words, slug)
    assert slug == slug.lower()
    assert len(slug) <= slugs.MAX_DERIVED_LENGTH


@settings(deadline=None)
@given(st.text())
def test_the_slug_of_a_slug_is_the_same_slug(words):
    slug = slugs.make_slug(words)
    assert slugs.make_slug(slug) == slug
