"""Splitting queries and texts into words, snippets as HTML, and the article numbers of the index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number, last_number
from blogapi.search.snippets import snippet_to_html
from blogapi.search.tokenizer import HIT_END, HIT_START, separate_ideographs, split_query
from tests.texts import texts

times = st.datetimes(timezones=st.just(UTC))


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
def test_a_query_is_split_at_spaces(query, words):
    assert split_query(query) == words


@pytest.mark.parametrize("text", ["面包", "Go语言", "我爱Go、也爱面包。", "カタカナ ひらがな", "plain", ""])
def test_separated_ideographs_are_joined_for_display(text):
    assert snippet_to_html(separate_ideographs(text)) == text


def test_each_ideograph_is_a_word():
    assert separate_ideographs("Go语言x").split() == ["Go", "语", "言", "x"]


@settings(max_examples=40)
@given(texts)
def test_separating_ideographs_keeps_all_characters(text):
    assert "".join(separate_ideographs(text).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("snippet", "html"),
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
def test_a_snippet_is_shown_as_html_with_marked_hits(snippet, html):
    assert snippet_to_html(snippet) == html


@settings(max_examples=40)
@given(texts)
def test_hit_markers_in_a_text_do_not_become_mark_elements(text):
    assert "<mark>" not in snippet_to_html(separate_ideographs(text + HIT_START + text + HIT_END))
    assert "<" not in snippet_to_html(separate_ideographs(text))


@given(times, times)
def test_article_numbers_increase_with_the_publication_time(one, other):
    assert (first_number(one) < first_number(other)) == (one < other)
    assert first_number(one) <= last_number(one)


@given(times)
def test_each_microsecond_has_its_own_range_of_article_numbers_within_64_bits(time):
    assert last_number(time) - first_number(time) == NUMBERS_PER_MICROSECOND - 1
    assert first_number(time) >= 0 and last_number(time) < 2**63
    if time < datetime.max.replace(tzinfo=UTC):
        assert first_number(time + timedelta(microseconds=1)) == last_number(time) + 1
