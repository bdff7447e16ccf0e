"""How text is cut into words, how a hit is shown, and the number that tells when an article was published."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.search.rules import CLOSES, OPENS, SLOTS, apart, last_number, number_of, shown, words_of
from tests.texts import texts

moments = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("bread and butter", ["bread", "and", "butter"]),
        ("  rye\u3000bread\t", ["rye", "bread"]),
        ("Go语言", ["Go语言"]),
        ("c++ - & *", ["c++"]),
        ('"to be" OR (not)', ['"to', 'be"', "OR", "(not)"]),
        ("", []),
        (" ", []),
        ("🥖 !? …", []),
        ("4 ½ ²", ["4", "½", "²"]),
    ],
)
def test_a_query_is_cut_at_its_blanks(query, words):
    assert words_of(query) == words


@pytest.mark.parametrize("text", ["面包", "Go语言", "我爱Go、也爱面包。", "カタカナ ひらがな", "plain", ""])
def test_text_that_is_cut_into_signs_is_shown_whole_again(text):
    assert shown(apart(text)) == text


def test_each_sign_of_a_script_without_blanks_is_a_word():
    assert apart("Go语言x").split() == ["Go", "语", "言", "x"]


@settings(max_examples=40)
@given(texts)
def test_cutting_into_signs_loses_nothing(text):
    assert "".join(apart(text).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("piece", "html"),
    [
        (f"a {OPENS}b{CLOSES} c", "a <mark>b</mark> c"),
        (f"{OPENS}<b>{CLOSES} & 'c'", "<mark>&lt;b&gt;</mark> &amp; 'c'"),
        (f"{OPENS}{apart('面').strip()}{CLOSES}{apart('包')}", "<mark>面</mark>包"),
        ("a\n\t b\u2028c", "a b c"),
    ],
)
def test_a_piece_is_shown_as_html_with_its_hits_marked(piece, html):
    assert shown(piece) == html


@settings(max_examples=40)
@given(texts)
def test_a_text_brings_no_marks_of_its_own(text):
    assert "<mark>" not in shown(apart(text + OPENS + text + CLOSES))
    assert "<" not in shown(apart(text))


@given(moments, moments)
def test_numbers_rise_with_the_moments(one, other):
    assert (number_of(one) < number_of(other)) == (one < other)
    assert number_of(one) <= last_number(one)


@given(moments)
def test_numbers_of_a_moment_fit_between_its_neighbours_and_in_64_bits(moment):
    assert last_number(moment) - number_of(moment) == SLOTS - 1
    assert number_of(moment) >= 0 and last_number(moment) < 2**63
    if moment < datetime.max.replace(tzinfo=UTC):
        assert number_of(moment + timedelta(microseconds=1)) == last_number(moment) + 1
