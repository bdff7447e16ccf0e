"""Files are split into front matter and body, and the front matter is parsed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.formats.markdown import front_matter
from blogapi.importing.refusals import RefusedFile

FORMATS = {
    "yaml": ("yaml", "---\ntitle: A\n---\nText"),
    "yaml closed by dots": ("yaml", "---\ntitle: A\n...\nText"),
    "spaces after the fences": ("yaml", "---  \ntitle: A\n--- \t\nText"),
    "blank lines before and after": ("yaml", "\n \n---\ntitle: A\n---\n\n \nText"),
    "toml": ("toml", '+++\ntitle = "A"\n+++\nText'),
    "json": ("json", '{\n "title": "A"\n}\n\nText'),
    "hexo": ("hexo", "title: A\n---\nText"),
    "pelican": ("pelican", "Title: A\n\nText"),
    "more than three dashes": ("yaml", "----\ntitle: A\n-----\nText"),
    "hexo closed by more dashes": ("hexo", "title: A\n-----\nText"),
    "nikola": ("nikola", ".. title: A\n\nText"),
    "nikola in a comment": ("nikola", "<!--\n.. title: A\n-->\n\nText"),
    "nikola in a comment of one line": ("nikola", "<!-- .. title: A -->\nText"),
    "nikola in a comment without line breaks around": ("nikola", "<!-- .. title: A\n-->\nText"),
}


@pytest.mark.parametrize(("name", "text"), FORMATS.values(), ids=FORMATS)
def test_each_format_is_recognised(name, text):
    parsed = front_matter.parse_file(text)
    assert (parsed.format, parsed.body) == (name, "Text")
    assert {key.lower(): value for key, value in parsed.entries.items()} == {"title": "A"}


@pytest.mark.parametrize(
    "text",
    [
        "Text",
        "# Title\n\n---\n",
        "Note: a rule follows\n---\nText",
        "{% include x %}",
        "{{< figure >}}",
        "----\nText",
        "----\nText\n----\nText",
        "<!-- title: A -->\nText",
        "<!-- .. title: A\nText",
        "<!-- .. title: A\n",
        "<!--\n.. title: A\nmore\n-->\nText",
        "a\n---\nb\n---\n",
    ],
)
def test_a_text_without_front_matter_is_parsed_as_a_body(text):
    parsed = front_matter.parse_file(text)
    assert (parsed.format, parsed.entries, parsed.body) == ("none", {}, text)


def test_the_body_keeps_its_indentation_and_horizontal_rules():
    assert front_matter.parse_file("---\na: b\n---\n\n    code\n---\nend\n").body == "    code\n---\nend\n"


@pytest.mark.parametrize(
    "text", ["---\n---\nText", "---\n# a remark\n---\nText", "+++\n+++\nText", "{}\nText"]
)
def test_empty_front_matter_is_an_empty_mapping(text):
    parsed = front_matter.parse_file(text)
    assert (parsed.entries, parsed.body) == ({}, "Text")


def test_yaml_scalars_stay_as_written():
    text = "---\na: 3.10\nb: no\nc: 012\nd: 2020-02-30\ne: 1:30\nf: Not published!\ng: 1_000\n---\n"
    assert list(front_matter.parse_file(text).entries.values()) == [
        "3.10", "no", "012", "2020-02-30", "1:30", "Not published!", "1_000"
    ]  # fmt: skip


def test_only_unquoted_nulls_are_parsed_as_null():
    text = '---\na:\nb: ~\nc: null\nd: "null"\ne: ""\nf: nullable\n---\n'
    assert list(front_matter.parse_file(text).entries.values()) == [None, None, None, "null", "", "nullable"]


def test_yaml_tags_construct_no_objects():
    assert front_matter.parse_file("---\na: !!python/name:os.system x\n---\n").entries == {"a": "x"}


def test_numbers_with_leading_zeros_are_parsed_and_get_a_note():
    parsed = front_matter.parse_file("+++\nday = 08  # August\n+++\n")
    assert (parsed.entries, len(parsed.notes)) == ({"day": 8}, 1)


def test_indented_lines_continue_a_pelican_value():
    parsed = front_matter.parse_file("Title: A\nSummary: one\n    two\n\nText")
    assert parsed.entries["Summary"] == "one two"


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\ndate: b\ntitle: C\n---\n",
        '{"title": "A", "date": "b", "title": "C"}',
        "title: A\ndate: b\ntitle: C\n---\n",
        "title: A\ndate: b\ntitle: C\n\n",
        ".. title: A\n.. date: b\n.. title: C\n",
    ],
)
def test_the_last_value_of_a_key_that_appears_twice_is_used(text):
    parsed = front_matter.parse_file(text)
    assert parsed.entries == {"title": "C", "date": "b"}
    assert parsed.notes == ["The key “title” appears twice; the last value is used."]


def test_a_key_that_appears_twice_in_an_inner_mapping_gets_a_note():
    parsed = front_matter.parse_file("---\na: {b: c, b: d}\n---\n")
    assert (parsed.entries, len(parsed.notes)) == ({"a": {"b": "d"}}, 1)


REFUSED = {
    "never closed": ("---\ntitle: A\n\nText", "line 1 is never closed"),
    "toml never closed": ("\n+++\ntitle = 1", "line 2 is never closed"),
    "colon in a value": ("---\ntitle: A: b: c\n---\n", "line 2: a value contains a colon"),
    "colon, after blank lines": ("\n\n---\na: b\ntitle: A: b: c\n---\n", "line 5: a value contains a colon"),
    "tab": ("---\na:\n\tb: c\n---\n", "line 3: the line is indented with a tab"),
    "no entry": ("---\na: b\nplain\nc: d\n---\n", "line 3: the line is not of the form"),
    "twice in toml": ("+++\na = 1\na = 2\n+++\n", "line 3: Cannot overwrite a value"),
    "a list": ("---\n- a\n---\n", "does not consist of `key: value` entries"),
    "a text": ("---\njust text\n---\n", "does not consist of `key: value` entries"),
    "bad toml": ("+++\na = 1\nb = \n+++\n", "line 3: Invalid value"),
    "leading zero and worse": ("+++\na = 01\nb = \n+++\n", "line 3: Invalid value"),
    "bad json": ('{\n"a": }', "line 2: Expecting value"),
    "c1 control": ("---\na: \x93\n---\n", "U+0093"),
    "impossible escape": ('---\na: "\\U00110000"\n---\n', "out of range"),
    "huge integer": (f"+++\na = {'9' * 5000}\n+++\n", "out of range"),
    "deep yaml": (f"---\na: {'[' * 5000}\n---\n", "nested too deeply"),
    "deep json": (f'{{"a": {"[" * 100}{"]" * 100}}}', "nested too deeply"),
    "deep toml": (f"+++\na = {'[' * 100}{']' * 100}\n+++\n", "nested too deeply"),
    "deep key": (f"+++\n{'a.' * 100}a = 1\n+++\n", "more than 64 parts"),
    "deep quoted key": ("+++\nx = {" + '"a".' * 100 + "a = 1}\n+++\n", "more than 64 parts"),
    "aliases": (f"---\na: &a [x, x]\nb: [{'*a, ' * 9}]\n---\n", "more than 8 aliases"),
    "recursion": ("---\na: &a [*a]\n---\n", "unconstructable recursive node"),
    "too long": (
        f"---\na: {'x' * front_matter.MAX_FRONT_MATTER_LENGTH}\n---\n",
        "longer than 262,144 characters",
    ),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_the_error_for_invalid_front_matter_names_the_line_and_the_reason(text, reason):
    with pytest.raises(RefusedFile) as caught:
        front_matter.parse_file(text)
    assert reason in str(caught.value)


@settings(deadline=None)
@given(
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["---\n", "+++\n", '{"', "title: ", "---\na: ", "+++\na ="]),
)
def test_any_text_is_parsed_or_refused(text, start):
    try:
        parsed = front_matter.parse_file(f"{start}{text}\n{start}body")
    except RefusedFile:
        return
    assert isinstance(parsed.entries, dict)
