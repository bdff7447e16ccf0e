"""The words of the site: complete tables, forms of numbers, dates, fallbacks, and the words of an owner."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jinja2.exceptions import SecurityError
from jinja2.sandbox import SandboxedEnvironment

from blogapi.reader_site import words
from blogapi.reader_site.words import make_word_tables

TABLES = tomllib.loads(Path(words.__file__).with_name("words.toml").read_text(encoding="utf-8"))
NAMES = TABLES.pop("names")
ENGLISH = TABLES["en"]
LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "ru", "ar", "hi", "zh", "ja"]
NUMBER_WORDS = ["minutes", "count", "found"]
# What a language may have beside the words of English.
OPTIONAL = {"months_alone"}
# What is the same as in English; every other word that is the same is not translated.
SAME = {
    "de": "feed",
    "fr": "menu pages minutes count",
    "es": "feed",
    "pt": "menu tags feed tag",
    "it": "menu feed tag",
    "nl": "menu tags feed tag",
    "pl": "menu tag",
}

# The integer examples of CLDR's rules, without those that are multiples of a million.
ONE_OTHER = {"one": "1", "other": "0 2-16 100 1000 10000 100000"}
ZERO_AND_ONE = {"one": "0-1", "other": "2-17 100 1000 10000 100000"}
NO_FORMS = {"other": "0-15 100 1000 10000 100000"}
CLDR = {
    **dict.fromkeys(["en", "de", "es", "it", "nl", "tr"], ONE_OTHER),
    **dict.fromkeys(["fr", "pt", "hi"], ZERO_AND_ONE),
    **dict.fromkeys(["zh", "ja"], NO_FORMS),
    "pl": {
        "one": "1",
        "few": "2-4 22-24 32-34 42-44 52-54 62 102 1002",
        "many": "0 5-19 21 100 101 112-114 1000 10000 100000",
    },
    "ru": {
        "one": "1 21 31 41 51 61 71 81 101 1001",
        "few": "2-4 22-24 32-34 42-44 52-54 62 102 1002",
        "many": "0 5-19 100 111-114 1000 10000 100000",
    },
    "ar": {
        "zero": "0",
        "one": "1",
        "two": "2",
        "few": "3-10 103-110 1003",
        "many": "11-26 99 111 199 1011",
        "other": "100-102 200-202 300-302 400-402 500-502 600 1000 10000 100000",
    },
    "cs": {"one": "1", "few": "2-4", "other": "0 5-19 22 100 102 1000 10000 100000"},
}


def find_words(language, site_language, own=None):
    return words.find_words(language, site_language, make_word_tables(own or {}))


def name_language(tag, own=None):
    return find_words("en", "en", own).name_language(tag)


TIME = datetime(2026, 4, 5, 8, 7, tzinfo=UTC)


def list_numbers(ranges):
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def list_texts(word):
    return list(word.values()) if isinstance(word, dict) else word if isinstance(word, list) else [word]


def find_placeholders(word):
    return set(re.findall(r"\{.*?\}", "\n".join(list_texts(word))))


def has_letters(word):
    return any(character.isalpha() for character in re.sub(r"\{.*?\}", "", "".join(list_texts(word))))


@pytest.mark.parametrize("language", CLDR)
def test_numbers_have_the_forms_of_cldr(language):
    forms = CLDR[language]
    rule = {} if language in TABLES else {"forms": language}
    own = {language: {**rule, **{name: {form: form for form in forms} for name in NUMBER_WORDS}}}
    found = find_words(language, "en", own)
    for form, ranges in forms.items():
        for n in list_numbers(ranges):
            assert (n, found.minutes(n), found.count(n), found.found(n)) == (n, form, form, form)


def test_the_tables_are_those_of_the_languages():
    assert list(TABLES) == LANGUAGES
    assert set(CLDR) >= set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_all_words(language):
    table = TABLES[language]
    assert set(table) - OPTIONAL == set(ENGLISH)
    assert make_word_tables({language: table})[language] == table
    assert all(text.strip(" ") == text and text for word in table.values() for text in list_texts(word))
    assert table["dir"] == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_a_table_is_translated(language):
    table = TABLES[language]
    same = [name for name in ENGLISH if table[name] == ENGLISH[name] and has_letters(ENGLISH[name])]
    assert [name for name in same if name not in ("dir", "forms")] == SAME.get(language, "").split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_patterns_have_the_placeholders_of_english(language):
    for name, word in TABLES[language].items():
        assert find_placeholders(word) == find_placeholders(ENGLISH.get(name, "")), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_form_of_a_number_is_there_and_shows_the_number_if_it_stands_for_several(language):
    examples = {form: list(list_numbers(ranges)) for form, ranges in CLDR[language].items()}
    for name in NUMBER_WORDS:
        forms = TABLES[language][name]
        assert set(forms) <= {*examples, "zero"}
        # A language whose noun does not change has one form.
        assert set(forms) - {"zero"} in (set(examples) - {"zero"}, {"other"})
        several = {form for form in forms if len(examples.get(form, [])) > 1 or form == "other"}
        assert all("{n}" in forms[form] for form in several)


@pytest.mark.parametrize(
    "language, date, time, month",
    [
        ("en", "5 April 2026", "5 April 2026, 08:07", "April 2026"),
        ("de", "5. April 2026", "5. April 2026, 08:07 Uhr", "April 2026"),
        ("fr", "5 avril 2026", "5 avril 2026 à 08:07", "Avril 2026"),
        ("es", "5 de abril de 2026", "5 de abril de 2026, 08:07", "Abril de 2026"),
        ("pl", "5 kwietnia 2026", "5 kwietnia 2026, 08:07", "Kwiecień 2026"),
        ("ru", "5 апреля 2026", "5 апреля 2026, 08:07", "Апрель 2026"),
        ("zh", "2026年4月5日", "2026年4月5日 08:07", "2026年4月"),
    ],
)
def test_dates_and_months_are_those_of_the_language(language, date, time, month):
    found = find_words(language, "en")
    assert (found.format_date(TIME), found.format_time(TIME)) == (date, time)
    assert found.format_month(2026, 4) == month


@pytest.mark.parametrize("language", LANGUAGES)
def test_twelve_months_have_different_names(language):
    found = find_words(language, "en")
    months = range(1, 13)
    assert len({found.format_date(TIME.replace(month=month)) for month in months}) == 12
    assert len({found.format_month(2026, month) for month in months}) == 12


@pytest.mark.parametrize(
    "language, site_language, used",
    [
        ("de", "en", "de"),
        ("de-AT", "en", "de"),
        ("pt-br", "en", "pt"),
        ("DE", "en", "de"),
        ("zh-Hant-TW", "en", "zh"),
        ("sv", "de", "de"),
        ("sv", "de-CH", "de"),
        ("sv", "fi", "en"),
        ("", "", "en"),
    ],
)
def test_a_language_without_a_table_has_other_words(language, site_language, used):
    found = find_words(language, site_language)
    assert (found.language, found["skip"]) == (used, TABLES[used]["skip"])


def test_words_of_an_owner_win_word_by_word():
    own = {
        "de": {"related": "Mehr davon", "minutes": {"other": "{n} Min."}},
        "de-AT": {"months": ["Jänner", *TABLES["de"]["months"][1:]]},
        "en": {"menu": "Navigation"},
    }
    austrian, german = find_words("de-at", "en", own), find_words("de", "en", own)
    assert (austrian.language, german.language) == ("de-AT", "de")
    assert (austrian["related"], german["related"]) == ("Mehr davon", "Mehr davon")
    assert (austrian.minutes(1), austrian.count(1)) == ("1 Min.", "1 Artikel")
    assert austrian.format_date(TIME.replace(month=1)) == "5. Jänner 2026"
    assert german.format_month(2026, 1) == "Januar 2026"
    assert (german["menu"], find_words("en", "en", own)["menu"]) == ("Menü", "Navigation")
    assert find_words("de", "en")["related"] == "Weiterlesen"


def test_an_owner_adds_a_language():
    own = {
        "cs": {
            "forms": "cs",
            "skip": "Přejít k textu",
            "minutes": {"one": "{n} minuta", "other": "{n} minut"},
        },
        "en": {"gone": "Gone"},
    }
    czech = find_words("cs", "de", own)
    assert (czech.language, czech["dir"], czech["skip"]) == ("cs", "ltr", "Přejít k textu")
    assert (czech["archive"], czech["gone"]) == ("Archive", "Gone")
    assert [czech.minutes(n) for n in (0, 1, 2)] == ["0 minut", "1 minuta", "2 minut"]
    assert [czech.found(n) for n in (0, 1, 2)] == ["Nothing found", "1 result", "2 results"]


def test_an_owner_adds_words_for_templates():
    assert find_words("de", "en", {"de": {"imprint": "Impressum {sic}"}})["imprint"] == "Impressum {sic}"


@pytest.mark.parametrize(
    "own, message",
    [
        ({"de": "Menü"}, '"de" must be a table whose name is the tag of a language'),
        ({"german": {"menu": "Menü"}}, '"german" must be a table'),
        ({"de": {"menu": 1}}, '"menu" in [de] must be text.'),
        ({"de": {"menu": ["Menü"]}}, '"menu" in [de] must be text.'),
        ({"de": {"imprint": True}}, '"imprint" in [de] must be text.'),
        ({"de": {"months": ["Januar"]}}, '"months" in [de] must be a list of 12 names.'),
        ({"de": {"months": [1] * 12}}, '"months" in [de] must be a list of 12 names.'),
        ({"de": {"months_alone": "Januar"}}, '"months_alone" in [de] must be a list of 12 names.'),
        ({"de": {"minutes": "{n} Minuten"}}, '"minutes" in [de] must be a table of texts'),
        ({"de": {"minutes": {"one": "eine"}}}, '"minutes" in [de] must be a table of texts'),
        ({"de": {"minutes": {"other": 5}}}, '"minutes" in [de] must be a table of texts'),
        ({"de": {"dir": "right"}}, '"dir" in [de] must be one of ltr, rtl.'),
        ({"de": {"forms": "one_other"}}, '"forms" in [de] must be one of en, fr,'),
        ({"de": {"forms": ["en"]}}, '"forms" in [de] must be text.'),
        ({"de": {"date": "{day}. {mont}"}}, '"date" in [de] has {mont}; it may have {day}, {month}, {year}.'),
        ({"de": {"date": "{day.__class__}"}}, '"date" in [de] has {day.__class__};'),
        ({"de": {"date": "{day:>99999999}"}}, '"date" in [de] has {day:>99999999};'),
        ({"de": {"page_of": "{page"}}, '"page_of" in [de] has {;'),
        ({"de": {"page_of": "{} von {pages}"}}, '"page_of" in [de] has {};'),
        ({"de": {"count": {"other": "{n} {x}"}}}, '"count" in [de] has {x};'),
        ({"names": {"gsw": 1}}, '"gsw" in [names] must be text.'),
        ({"names": "Deutsch"}, '"names" must be a table'),
    ],
)
def test_a_wrong_word_of_an_owner_is_refused(own, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make_word_tables(own)


@pytest.mark.parametrize(
    "tag, name",
    [("de", "Deutsch"), ("de-AT", "Deutsch"), ("PT-br", "Português (Brasil)"), ("zh-Hant-TW", "繁體中文")],
)
def test_a_language_is_named_in_its_own_words(tag, name):
    assert name_language(tag) == name


def test_a_language_without_a_name_is_named_by_its_tag():
    assert name_language("gsw-CH") == "gsw-CH"
    own = {"names": {"gsw-CH": "Schwiizerdütsch", "de": "Hochdeutsch"}}
    assert (name_language("gsw-ch", own), name_language("de", own)) == ("Schwiizerdütsch", "Hochdeutsch")


def test_each_table_has_a_name():
    assert set(TABLES) <= set(NAMES)
    assert all(tag == tag.lower() and name for tag, name in NAMES.items())


def render(template):
    environment = SandboxedEnvironment(autoescape=True)
    return environment.from_string(template).render(words=find_words("en", "en"), kind="month", time=TIME)


@pytest.mark.parametrize(
    "template, text",
    [
        ("{{ words.skip }}", "Skip to the text"),
        ("{{ words[kind] }}", "Month"),
        ("{{ words.language }} {{ words.dir }}", "en ltr"),
        (
            "{{ words.minutes(1) }}, {{ words.count(2) }}, {{ words.found(0) }}",
            "1 minute, 2 articles, Nothing found",
        ),
        ("{{ words.page_of.format(page=2, pages=3) }}", "2 of 3"),
        ("{{ words.format_month(2026, 4) }}", "April 2026"),
        (
            "{{ (words.preview_scheduled|e).format(time='<time>'|safe ~ words.format_time(time)) }}",
            "Preview: Scheduled for <time>5 April 2026, 08:07",
        ),
    ],
)
def test_templates_use_the_words(template, text):
    assert render(template) == text


@pytest.mark.parametrize("template", ["{{ words.months }}", "{{ words['months'] }}", "{{ words.unknown }}"])
def test_templates_get_nothing_but_text(template):
    assert render(template) == ""


@pytest.mark.parametrize(
    "template", ["{{ words._table.x }}", "{{ words.count.__func__.x }}", "{{ words.__class__.x }}"]
)
def test_templates_do_not_reach_behind_the_words(template):
    with pytest.raises(SecurityError):
        render(template)
