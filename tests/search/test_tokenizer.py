"""How text is cut into words, how a hit is shown, and the number that tells when an article was published."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number, last_number
from blogapi.search.snippets import snippet_to_html
from blogapi.search.tokenizer import HIT_END, HIT_START, separate_ideographs, split_query
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
    assert split_query(query) == words


@pytest.mark.parametrize("text", ["面包", "Go语言", "我爱Go、也爱面包。", "カタカナ ひらがな", "plain", ""])
def test_text_that_is_cut_into_signs_is_shown_whole_again(text):
    assert snippet_to_html(separate_ideographs(text)) == text


def test_each_sign_of_a_script_without_blanks_is_a_word():
    assert separate_ideographs("Go语言x").split() == ["Go", "语", "言", "x"]


@settings(max_examples=40)
@given(texts)
def test_cutting_into_signs_loses_nothing(text):
    assert "".join(separate_ideographs(text).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("piece", "html"),
    [
        (f"a {HIT_START}b{HIT_END} c", "a <mark>b</mark> c"),
        (f"{HIT_START}<b>{HIT_END} & 'c'", "<mark>&lt;b&gt;</mark> &amp; 'c'"),
        (
            f"{HIT_START}{separate_ideographs('面').strip()}{HIT_END}{separate_ideographs('包')}",
            "<mark>面</mark>包",
        ),
        ("a\n\t b\u2028c", "a b c"),
    ],
)
def test_a_piece_is_shown_as_html_with_its_hits_marked(piece, html):
    assert snippet_to_html(piece) == html


@settings(max_examples=40)
@given(texts)
def test_a_text_brings_no_marks_of_its_own(text):
    assert "<mark>" not in snippet_to_html(separate_ideographs(text + HIT_START + text + HIT_END))
    assert "<" not in snippet_to_html(separate_ideographs(text))


@given(moments, moments)
def test_numbers_rise_with_the_moments(one, other):
    assert (first_number(one) < first_number(other)) == (one < other)
    assert first_number(one) <= last_number(one)


@given(moments)
def test_numbers_of_a_moment_fit_between_its_neighbours_and_in_64_bits(moment):
    assert last_number(moment) - first_number(moment) == NUMBERS_PER_MICROSECOND - 1
    assert first_number(moment) >= 0 and last_number(moment) < 2**63
    if moment < datetime.max.replace(tzinfo=UTC):
        assert first_number(moment + timedelta(microseconds=1)) == last_number(moment) + 1
