"""Words of queries and texts, and conversion of snippets to HTML."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.content.search.snippets import make_snippet, snippet_to_html
from blogapi.content.search.tokenizer import (
    HIT_END,
    HIT_START,
    MAX_SORT_KEY_LENGTH,
    MAX_WORD_LENGTH,
    SearchQuery,
    find_symbol_words,
    find_words,
    list_symbol_words_and_endings,
    make_sort_key,
    parse_query,
    split_and_fold_word,
    tokenize_text,
)
from blogapi.content.search.tsvector import MAX_POSITION, MAX_POSITIONS_PER_WORD, assign_word_positions
from tests.texts import texts


def words_of(text):
    return [word for word, _, _ in tokenize_text(text)]


@pytest.mark.parametrize(
    ("query", "phrases", "prefix", "terms"),
    [
        ("bread and butter", [["bread"], ["and"], ["butter"]], True, []),
        ("  rye\u3000bread\t", [["rye"], ["bread"]], True, []),
        ("Go语言", [["go", "语", "言"]], False, []),
        ("c", [["c"]], False, []),
        ("c++ - & *", [["c"]], False, ["c++"]),
        ("C#", [["c"]], False, ["c#"]),
        ("F# .NET", [["f"], ["net"]], True, ["f#", ".net"]),
        ("(Node.js),", [["node", "js"]], True, ["node.js"]),
        ("c++17 x", [["c", "17"], ["x"]], False, ["c++"]),
        ('"to be" OR (not).', [["to"], ["be"], ["or"], ["not"]], True, []),
        ("4 ½ ²", [["4"], ["1", "2"], ["2"]], False, []),
    ],
)
def test_a_query_is_split_at_spaces(query, phrases, prefix, terms):
    assert parse_query(query) == SearchQuery(phrases, prefix, terms)


@pytest.mark.parametrize("query", ["", " ", "🥖 !? …", "++ # ."])
def test_a_query_without_letters_and_digits_has_no_words(query):
    assert parse_query(query) is None


def test_each_ideograph_is_a_word():
    assert words_of("Go语言x、パンを") == ["go", "语", "言", "x", "パ", "ン", "を"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ภาษาไทยง่ายมาก", ["ภา", "ษา", "ไท", "ย", "ง่า", "ย", "มา", "ก"]),
        ("เปล่าๆ", ["เป", "ล่า", "ๆ"]),
        ("ພາສາລາວ", ["ພາ", "ສາ", "ລາ", "ວ"]),
        ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្មែ", "រ"]),
        ("မြန်မာဘာသာ", ["မြ", "န်", "မာ", "ဘာ", "သာ"]),
        ("Goไทยx", ["go", "ไท", "ย", "x"]),
        ("ｶﾞｲﾄﾞ", ["ガ", "イ", "ド"]),
    ],
)
def test_words_in_scripts_without_spaces_are_split_where_a_word_can_begin(text, words):
    assert words_of(text) == find_words(text) == words


@pytest.mark.parametrize(
    "word",
    [
        *("दिन", "हिन्दी", "গল্প", "தமிழ்", "กี่", "ນ້ໍາ", "མོད", "བོད"),
        *(
            "ש\ufb1eא",
            "x\u20d7y",
            "\u0434\u0483",
            "ߒߞߏ߫",
            "ꯃꯤꯇꯩ",
            "\U00011107\U00011127",
            "\U0001e922\U0001e944",
        ),
    ],
)
def test_vowel_signs_and_other_combining_marks_are_part_of_a_word(word):
    assert words_of(f"({word}, {word})") == [word, word]


@pytest.mark.parametrize(
    ("one", "other"), [("दिन", "दान"), ("กิน", "กัน"), ("आ", "आँ"), ("か", "が"), ("سأل", "سال")]
)
def test_words_with_different_letters_or_vowel_signs_differ(one, other):
    assert words_of(one) != words_of(other)


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("كِتَابٌ", "كتاب"),
        ("رحمٰن", "رحمن"),
        ("كتـــاب", "كتاب"),
        ("أَحمد", "أحمد"),
        ("\u0627\u064e\u0654حمد", "أحمد"),
        ("שָׁלוֹם", "שלום"),
        ("\ufb2a\u05c1", "ש"),
        ("می\u200cروم", "میروم"),
        ("ක්\u200dෂ", "ක්ෂ"),
        ("1\ufe0fa", "1a"),
        ("STRAẞE", "strasse"),
        ("ﬁnﬂuß", "finfluss"),
        ("Ｆｕｌｌ１", "full1"),
        ("ΟΔΟΣ", "οδοσ"),
        ("İ", "i"),
    ],
)
def test_optional_vowels_and_invisible_characters_are_ignored(written, folded):
    assert words_of(f"{written} x") == [folded, "x"]


def test_punctuation_symbols_and_spaces_of_every_script_separate_words():
    signs = [sign for sign in map(chr, range(sys.maxunicode)) if unicodedata.category(sign)[0] in "PSZ"]
    assert words_of("a".join(signs)) == ["a"] * (len(signs) - 1)


def test_the_endings_of_words_with_many_dots_do_not_multiply_the_text():
    assert list_symbol_words_and_endings("asp.net a.b.c.d.e.f.g.h.i") == [
        *("asp.net", ".net", "a.b.c.d.e.f.g.h.i"),
        *(f".{'.'.join('bcdefghi'[start:])}" for start in range(8)),
    ]
    text = " ".join(".".join(f"{number:03}{'a' * 100}") for number in range(100))
    assert sum(map(len, list_symbol_words_and_endings(text))) <= len(text)


def test_a_text_that_consists_only_of_marks_has_no_words():
    assert words_of("ـــ \u064e \u200c \u0940 \u0301 \u200d") == []


@given(texts | st.text(st.characters(categories=["L", "M", "N", "Cf"]), max_size=20))
def test_no_word_is_empty_and_folding_again_changes_nothing(text):
    assert all(word and split_and_fold_word(word) == (word,) for word in words_of(text))


@given(texts | st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "Cf", "Co"]), max_size=30))
def test_the_words_that_are_indexed_are_those_that_snippets_contain(text):
    assert find_words(text) == words_of(text)


@pytest.mark.parametrize(
    "text", ["K\u212a_k", "ΣΑΣ ΑΣ.a", "x\u0301y-z\u0301", "\ud800a B", "A\x1fb", "a" * 300, "Ä" * 300]
)
def test_rare_characters_separate_and_fold_words_alike_in_an_index_and_in_a_snippet(text):
    assert find_words(text) == words_of(text)
    assert max(map(len, find_words(text))) <= MAX_WORD_LENGTH


def test_names_are_ordered_by_their_folded_words():
    names = ["Zoe", "Öl", "Apple", "ähnlich", "alaska", "Ábel", "ab cd", "ABC", "«Ac»"]
    ordered = ["ab cd", "ABC", "Ábel", "«Ac»", "ähnlich", "alaska", "Apple", "Öl", "Zoe"]
    assert sorted(names, key=make_sort_key) == ordered


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ábel, “Öl” & Straße!", "abel ol strasse"),
        ("?!", "?!"),
        ("", ""),
        ("é" * 201, "e" * MAX_SORT_KEY_LENGTH),
        ("?" * 201, "?" * MAX_SORT_KEY_LENGTH),
    ],
)
def test_a_sort_key_has_the_words_or_else_the_text_and_is_limited(text, key):
    assert make_sort_key(text) == key


@given(st.text(st.sampled_from("aZ1é语\u0301\u200d\ue000_.+# \u3000\n(")))
def test_terms_are_the_same_whether_or_not_the_text_around_them_contains_a_sign(text):
    assert (
        list(find_symbol_words(text))
        == list(find_symbol_words(f"{text} "))
        == list(find_symbol_words(f"{text} c++"))[:-1]
    )


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("C++, C# and F#.", ["c++", "c#", "f#"]),
        ("(C++17) x", ["c++"]),
        ("我用C++写", ["c++"]),
        ("ASP.NET", ["asp.net", ".net"]),
        ("the .NET runtime ...net", [".net"]),
        ("Node.js. Next", ["node.js", ".js"]),
        ("www.example.org/a", ["www.example.org", ".example.org", ".org"]),
        ("3.14 + 1. -", ["3.14", ".14"]),
        ("a # b", []),
    ],
)
def test_terms_with_punctuation_are_indexed_as_they_are_written(text, terms):
    (placed,) = assign_word_positions([text])
    assert [word for word, position in placed if position == MAX_POSITION] == terms


def test_words_have_consecutive_positions_only_within_a_text():
    assert assign_word_positions(["rye bread", "", "x"]) == [[("rye", 1), ("bread", 2)], [], [("x", 5)]]


def test_only_the_first_occurrences_of_a_frequent_word_are_indexed():
    (placed,) = assign_word_positions(["a " * MAX_POSITIONS_PER_WORD + "a b"])
    assert placed[-2:] == [("a", MAX_POSITIONS_PER_WORD), ("b", MAX_POSITIONS_PER_WORD + 2)]


def test_each_word_after_the_last_position_is_indexed_only_once():
    first = [f"w{number}" for number in range(MAX_POSITION - 2)]
    (placed,) = assign_word_positions([" ".join([*first, "late", "w0", "late", "later"])])
    assert placed[len(first) :] == [("late", MAX_POSITION), ("later", MAX_POSITION)]


@pytest.mark.parametrize(
    ("snippet", "html"),
    [
        (f"a {HIT_START}b{HIT_END} c", "a <mark>b</mark> c"),
        (f"{HIT_START}<b>{HIT_END} & 'c'", "<mark>&lt;b&gt;</mark> &amp; 'c'"),
        (f"{HIT_START}面{HIT_END}{HIT_START}包{HIT_END}", "<mark>面包</mark>"),
        ("a\n\t b\u2028c", "a b c"),
    ],
)
def test_a_snippet_is_shown_as_html_with_marked_hits(snippet, html):
    assert snippet_to_html(snippet) == html


@settings(max_examples=40)
@given(texts)
def test_hit_markers_in_a_text_do_not_become_mark_elements(text):
    query = SearchQuery([["x"]], prefix=False, symbol_words=[])
    snippet = snippet_to_html(make_snippet([f"{text} {HIT_START} x {HIT_END} {text}"], query))
    assert snippet.count("<") == snippet.count("mark>")
