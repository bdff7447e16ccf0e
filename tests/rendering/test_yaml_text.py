"""YAML that every parser reads the same."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from blogapi.rendering.yaml_text import to_yaml, to_yaml_scalar

# A single line, as the fields of an article can contain it; YAML cannot contain surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize("text", ["Bread", "Slow food", "Why? (again)", "Ünïcode", "日本語", "bread-2"])
def test_ordinary_words_have_no_quotes(text):
    assert to_yaml_scalar(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "yes",
            "No",
            "y",
            "null",
            "~",
            "1e5",
            "0o17",
            "12:30:45",
            "2024-01-01",
            "1_000",
            ".inf",
            "0x1F",
            "",
        ),
        *("a: b", "a #b", "- a", "*a", "&a", "!a", "%a", "@a", "`a", "{a", "[a", "a ", " a", "a,", "'", '"'),
        *("a\nb", "a\tb", "a\rb", "a\x85b", "a\u2028b", "\ufeffa", "a\x7fb", "a\uffffb", "---", "..."),
    ],
)
def test_texts_with_a_meaning_in_yaml_are_quoted(text):
    written = to_yaml_scalar(text)
    assert written.startswith('"')
    assert written.isprintable()
    assert yaml.safe_load(written) == text


@given(st.lists(TEXTS, max_size=3), TEXTS)
@example(["- a: b"], "a\n---\nb")
def test_a_parser_reads_what_was_written(items, text):
    fields = {"title": text, "tags": items, "blogapi": {"uuid": text, "list": [{"a": text, "b": items}]}}
    written = to_yaml(fields)
    assert yaml.safe_load(written) == fields
    assert "\n---" not in written


def test_a_list_of_items_has_one_field_per_line():
    assert to_yaml([{"name": "Bread", "slugs": ["a"]}, {"name": "10"}]) == (
        '- name: Bread\n  slugs:\n    - a\n- name: "10"\n'
    )


def test_an_empty_list_is_a_list():
    assert to_yaml([]) == "[]\n"
