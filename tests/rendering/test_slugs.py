"""Slugs are derived from words and made unique."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.rendering import slugs
from blogapi.rendering.characters import COMBINING_MARKS, JOINERS

_WORD = rf"[^\W_](?:[^\W_]|[{COMBINING_MARKS}{JOINERS}])*"
FORM = re.compile(rf"{_WORD}(-{_WORD})*")


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
        ("Österreich, Größe, Ångström, Æsir", "osterreich-grosse-angstrom-aesir"),
        ("Đorđe, Şişli, Žižkov, Čeština, Ħamrun", "dorde-sisli-zizkov-cestina-hamrun"),
        ("Þór, Eyjafjallajökull, Œuvre, Việt Nam", "thor-eyjafjallajokull-oeuvre-viet-nam"),
        ("don't &amp; won&#39;t, 1,000 ﬁles", "dont-wont-1000-files"),
        ("Don't panic", "dont-panic"),
        ("DON'T", "dont"),
        ("What\u2019s new", "whats-new"),
        ("it\u02bcs, I\u02bcm, we\uff07re, I've, you\u2019ll, he'd", "its-im-were-ive-youll-hed"),
        ("won&#39;t, caf&eacute;&rsquo;s", "wont-cafes"),
        ("l'été", "l-ete"),
        ("l&#39;&eacute;t&eacute;", "l-ete"),
        ("rock'n'roll", "rock-n-roll"),
        ("aujourd'hui", "aujourd-hui"),
        ("O'Re", "ore"),
        ("O'Reilly", "o-reilly"),
        ("'t Gooi", "t-gooi"),
        ("90's", "90-s"),
        ("п'ять", "п-ять"),
        ("п\u02bcять", "п-ять"),
        ("the dogs' bowl", "the-dogs-bowl"),
        ("&#" + "9" * 5000 + ";", f"{'9' * 240}"),
    ],
)
def test_a_slug_is_the_lowercase_hyphenated_form_of_the_words(words, slug):
    assert slugs.make_slug(words) == slug


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("हिन्दी ब्लॉग", "हिन्दी-ब्लॉग"),
        ("বাংলা ভাষা", "বাংলা-ভাষা"),
        ("தமிழ் மொழி!", "தமிழ்-மொழி"),
        ("ภาษาไทย ง่ายมาก", "ภาษาไทย-ง่ายมาก"),
        ("น้ำ", "น้ำ"),
        ("ຄຳ", "ຄຳ"),
        ("မြန်မာ ဘာသာ", "မြန်မာ-ဘာသာ"),
        ("ភាសា ខ្មែរ", "ភាសា-ខ្មែរ"),
        ("ශ්\u200dරී ලංකා", "ශ්\u200dරී-ලංකා"),
        ("שָׁלוֹם עולם", "שָׁלוֹם-עולם"),
        ("مَرْحَبًا", "مَرْحَبًا"),
        ("می\u200cروم", "می\u200cروم"),
        ("\u200cमन\u200d \u0902क", "मन-क"),
        ("അവന്\u200d വന്നു", "അവന്\u200d-വന്നു"),
        ("за́мок", "за́мок"),
        ("Yorùbá ọ̀rọ̀", "yoruba-oro"),
        ("auf\u200clage 1\ufe0f\u20e3", "auf-lage-1"),
        ("❤\ufe0f किताब", "किताब"),
    ],
)
def test_marks_are_letters_of_a_slug(words, slug):
    slug = unicodedata.normalize("NFC", slug)
    assert slugs.make_slug(words) == slugs.make_slug(unicodedata.normalize("NFD", words)) == slug
    assert slugs.is_slug(slug) and slugs.make_slug(slug) == slug


@pytest.mark.parametrize("pair", ["दिन दान", "रोम राम", "กิน กัน", "שִׁיר שֵׁר", "كَتَبَ كُتُب", "ကို ကု"])
def test_words_that_differ_in_a_mark_have_different_slugs(pair):
    first, second = map(slugs.make_slug, pair.split())
    assert first != second


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("हिन्दी+", "हिन्दी-plus"),
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


@pytest.mark.parametrize(
    ("words", "slug"),
    [("Don't", "don-t"), ("won&#39;t", "wont"), ("l&#39;été", "lete"), ("it\u2019s", "it-s")],
)
def test_the_former_rule_and_the_ids_of_headings_stay(words, slug):
    assert slugs.make_slug(words, former=True) == slugs.make_term_slug(words, former=True) == slug
    assert slugs.hyphenate_words("Don't it\u2019s") == "don-t-it-s"


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
    assert len(slug) <= slugs.MAX_DERIVED_SLUG_LENGTH
    assert FORM.fullmatch(slug)


def test_a_long_slug_ends_with_a_whole_word():
    assert slugs.make_slug("slow foods " * 5, max_length=20) == "slow-foods-slow"


@settings(deadline=None)
@given(st.text())
def test_a_slug_can_be_derived_from_any_text(words):
    slug = slugs.make_slug(words)
    assert FORM.fullmatch(slug), (words, slug)
    assert slug == slug.lower()
    assert len(slug) <= slugs.MAX_DERIVED_SLUG_LENGTH


@settings(deadline=None)
@given(st.text())
def test_the_slug_of_a_slug_is_the_same_slug(words):
    slug = slugs.make_slug(words)
    assert slugs.make_slug(slug) == slug
