"""Files are split into front matter and body, and the front matter is parsed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.markdown import front_matter, reader, site_rules
from blogapi.importing.formats.markdown.terms import read_term_page
from blogapi.importing.refusals import RefusedFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)

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
    "yaml named": ("yaml", "---yaml\ntitle: A\n---\nText"),
    "yaml named after a space": ("yaml", "--- YML\ntitle: A\n---\nText"),
    "toml named": ("toml", '---toml\ntitle = "A"\n---\nText'),
    "json named": ("json", '---json\n{"title": "A"}\n---\nText'),
    "json without braces": ("hexo", ';;;\n"title": "A"\n;;;\nText'),
    "json with braces": ("hexo", ';;;\n\n{"title": "A"}\n;;;\nText'),
    "json without an opening fence": ("hexo", '"title": "A"\n;;;\nText'),
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


def test_a_comment_of_nikola_may_have_lines_of_spaces():
    parsed = front_matter.parse_file("<!--\n.. title: A\n \t\n.. status: draft\n-->\nText")
    assert (parsed.format, parsed.body) == ("nikola", "Text")
    assert parsed.entries == {"title": "A", "status": "draft"}


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
        "---chapter\nText\n---\n",
        '"Hello": she said\nText',
        '"Hello", she said\n;;;\nText',
        ";;; a comment of Lisp\n",
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
    "bad json in fences": ('---json\n\n{"a": }\n---\n', "line 3: Expecting value"),
    "json with a comment": (';;;\n"a": 1, // b\n;;;\n', "line 2: Expecting property name"),
    "json with a second object": ('---json\n{"a": 1} {"draft": true}\n---\n', "a text follows its end"),
    "toml in dashes": ("---toml\n=\n---\n", "line 2"),
    "unclosed json": ('---json\n{"a": 1}\n', "never closed"),
    "unclosed javascript": ("---js\n{}\n", "never closed"),
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
    st.text(),
    st.sampled_from(
        ["---\n", "+++\n", '{"', "title: ", "---\na: ", "+++\na =", ";;;\n", "---json\n", '"a":']
    ),
)
def test_any_text_is_parsed_or_refused(text, start):
    try:
        parsed = front_matter.parse_file(f"{start}{text}\n{start}body")
    except RefusedFile:
        return
    assert isinstance(parsed.entries, dict)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        *((name, "JavaScript") for name in ("js", "javascript", "JS", " js", "cjs", "mjs", "node")),
        *((name, "TypeScript") for name in ("ts", "typescript")),
        *((name, "CoffeeScript") for name in ("coffee", "coffeescript", "cson")),
    ],
)
def test_front_matter_that_is_a_program_is_not_run_and_makes_a_draft(name, language):
    text = f'---{name}\n{{ title: "A", draft: false }}\n---\n# Hello\n\nText'
    record = reader.parse_article(
        "blog/2020-01-02-a.md", text.encode(), ImportOptions(now=NOW, publish_undated=True)
    )
    assert (record.status, record.content) == ("draft", "# Hello\n\nText")
    assert (
        record.notes[0]
        == f"Its head (front matter) is {language}, which is not run; the article became a draft."
    )


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ('---json\n{"title": "A", "draft": true}\n---', "draft"),
        ('---json\n{"title": "A", "draft": false}\n---', "published"),
        ("---toml\ndraft = true\n---", "draft"),
        ("---yaml\ndraft: true\n---", "draft"),
        (';;;\n"title": "A", "published": false\n;;;', "draft"),
        (';;;\n"title": "A", "published": true\n;;;', "published"),
        ('"title": "A",\n"draft": true\n;;;', "draft"),
    ],
)
def test_no_reader_sees_front_matter(header, status):
    record = reader.parse_article("blog/2020-01-02-a.md", f"{header}\nText".encode(), ImportOptions(now=NOW))
    assert (record.status, record.content) == (status, "Text")


def test_a_section_page_whose_front_matter_is_a_program_may_be_private(tmp_path):
    for name in ("_index.md", "a.md"):
        (tmp_path / name).write_text(f"---{'js' * (name == '_index.md')}\n\n---\nText", encoding="utf-8")
    assert site_rules.find_folder_page_reasons(Entry("blog/a.md", tmp_path / "a.md"))


def test_the_text_of_such_a_page_does_not_describe_a_tag(tmp_path):
    (tmp_path / "_index.md").write_text("---js\n{draft: true}\n---\nText", encoding="utf-8")
    entry = Entry("blog/tags/rye/_index.md", tmp_path / "_index.md")
    assert read_term_page(entry, {("tag", "rye"): "rye"}) is None
    (tmp_path / "_index.md").write_text("---\ndraft: false\n---\nText", encoding="utf-8")
    assert read_term_page(entry, {("tag", "rye"): "rye"}).fields == {"description": "Text"}
