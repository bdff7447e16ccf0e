"""The words of the site by language, from words.toml; an owner can replace single words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from blogapi.parsing import is_language_tag, normalize_language

WordTables = Mapping[str, Mapping[str, Any]]

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")


def _choose_slavic_form(n: int, *, one: bool) -> str:
    is_few = n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14)
    return "one" if one else "few" if is_few else "many"


def _choose_arabic_form(n: int) -> str:
    if n < 3:
        return ("zero", "one", "two")[n]
    return "other" if n % 100 < 3 else "few" if n % 100 < 11 else "many"


# The plural rules of CLDR for whole numbers, without the rules of French and Spanish for a million and more.
_PLURAL_RULES: Mapping[str, Callable[[int], str]] = {
    "en": lambda n: "one" if n == 1 else "other",
    "fr": lambda n: "one" if n < 2 else "other",
    "cs": lambda n: "one" if n == 1 else "few" if n in (2, 3, 4) else "other",
    "pl": lambda n: _choose_slavic_form(n, one=n == 1),
    "ru": lambda n: _choose_slavic_form(n, one=n % 10 == 1 and n % 100 != 11),
    "ar": _choose_arabic_form,
    "zh": lambda n: "other",
}
_WORD_CHOICES = {"dir": ("ltr", "rtl"), "forms": tuple(_PLURAL_RULES)}


def _make_count_formatter(name: str) -> Callable[[Words, int], str]:
    return lambda words, n: words._format_count(name, n)


class Words:
    """The words of a language (`words["skip"]`, in Jinja also `words.skip`), and methods that format values.

    Templates of a theme use this class, so it exposes only texts. Times are in the time zone of the site.
    """

    def __init__(self, language: str, table: Mapping[str, Any], names: Mapping[str, str]) -> None:
        self.language = language
        self._table, self._names = table, names

    def __getitem__(self, name: str) -> str:
        word = self._table[name]
        if not isinstance(word, str):
            raise KeyError(name)
        return word

    # Methods for templates: `words.count(3)` returns "3 articles".
    minutes, count, found = map(_make_count_formatter, ("minutes", "count", "found"))

    def format_date(self, time: datetime) -> str:
        return self["date"].format(day=time.day, month=self._table["months"][time.month - 1], year=time.year)

    def format_time(self, time: datetime) -> str:
        """Return the date and the time."""
        return self["time"].format(date=self.format_date(time), hour=f"{time:%H}", minute=f"{time:%M}")

    def format_month(self, year: int, month: int) -> str:
        """Return a month (1 to 12) and its year for a heading."""
        name = self._table.get("months_alone", self._table["months"])[month - 1]
        return self["month_and_year"].format(month=name, year=year)

    def name_language(self, tag: str) -> str:
        """Return the name of a language in the language itself, or the tag if the name is unknown."""
        return next((self._names[known] for known in _list_language_tags(tag) if known in self._names), tag)

    def _format_count(self, name: str, n: int) -> str:
        forms = self._table[name]
        wanted = [*["zero"][n:], _PLURAL_RULES[self["forms"]](n), "other", "many"]
        return str(next(forms[form] for form in wanted if form in forms)).format(n=n)


def find_words(language: str, site_language: str, tables: WordTables) -> Words:
    """Return the words in the first language that has a table: `language`, `site_language`, English."""
    for name in (language, site_language, "en"):
        if tags := [tag for tag in _list_language_tags(name) if tag in tables]:
            break
    table: dict[str, Any] = {}
    for tag in ("en", *reversed(tags)):
        table |= tables[tag]
    return Words(normalize_language(tags[0]), table, tables["names"])


def _list_language_tags(tag: str) -> list[str]:
    """Return the tag and the shorter tags that replace it if it is unknown: zh-hant-tw, zh-hant, zh."""
    parts = tag.lower().split("-")
    return ["-".join(parts[:end]) for end in range(len(parts), 0, -1)]


@cache
def _read_built_in_tables() -> WordTables:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def make_word_tables(own: Mapping[str, Any]) -> WordTables:
    """Return the tables of words by language tag, and the names of languages; `own` is the owner's table.

    Raises ValueError if a word of the owner is invalid.
    """
    tables = dict(_read_built_in_tables())
    for tag, table in own.items():
        if not isinstance(table, Mapping) or not (tag == "names" or is_language_tag(tag)):
            raise ValueError(f'"{tag}" must be a table whose name is the tag of a language, such as [de].')
        for name, word in table.items():
            if problem := _find_word_problem("" if tag == "names" else name, word):
                raise ValueError(f'"{name}" in [{tag}] {problem}.')
        words = {name.lower(): word for name, word in table.items()} if tag == "names" else table
        tables[tag.lower()] = {**tables.get(tag.lower(), {}), **words}
    return tables


def _find_word_problem(name: str, word: Any) -> str:
    """Return what is wrong with an owner's word, such as `must be a text`, or an empty text."""
    english = _read_built_in_tables()["en"].get("months" if name == "months_alone" else name, "")
    texts = _list_word_texts(word)
    if (
        type(word) is not type(english)
        or not all(isinstance(text, str) for text in texts)
        or (isinstance(word, list) and len(word) != 12)
        or (isinstance(word, dict) and not {"other", "many"} & word.keys())
    ):
        kinds = {
            "str": "text",
            "list": "a list of 12 names",
            "dict": 'a table of texts with "other" or "many"',
        }
        return f"must be {kinds[type(english).__name__]}"
    if word not in _WORD_CHOICES.get(name, [word]):
        return f"must be one of {', '.join(_WORD_CHOICES[name])}"
    # Pages format these texts: an unknown name in braces would raise an error, and `{name.attribute}` would
    # show the attribute.
    known, used = (set(_BRACES.findall("\n".join(some))) for some in (_list_word_texts(english), texts))
    if known and used - known:
        return f"has {min(used - known)}; it may have {', '.join(sorted(known))}"
    return ""


def _list_word_texts(word: Any) -> list[Any]:
    return [*word.values()] if isinstance(word, dict) else word if isinstance(word, list) else [word]
