"""Wiki links of Obsidian and similar programs become links."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.templates.wiki_links import resolve_wiki_links
from tests.importing.templates.link_targets import Targets


def resolve(content):
    return resolve_wiki_links(content, "markdown", Targets())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[[A page]]", "[A page](/page/A-page)"),
        ("[[Page|the text]]", "[the text](/page/Page)"),
        (r"| [[Page\|the text]] |", "| [the text](/page/Page) |"),
        ("[[folder/Page.md#Heading|text]]", "[text](/page/folder/Page.md#Heading)"),
        ("[[folder/Page#Heading]]", "[Page > Heading](/page/folder/Page#Heading)"),
        ("[[#My Heading]]", "[My Heading](#my-heading)"),
        ("[[Page^block]] [[Page#^block]]", "[Page](/page/Page) [Page](/page/Page)"),
        ("![[Page]]", "[Page](/page/Page)"),
        ("![[a b.png]]", "![](a%20b.png)"),
        ("![[a.png|300]]", '<img src="a.png" alt="" width="300">'),
        ("![[a.png|An alt|300x200]]", '<img src="a.png" alt="An alt" width="300" height="200">'),
        ("![[a.png|An alt]]", "![An alt](a.png)"),
        ("![[b/a file.pdf]] [[a.pdf]]", "[a file.pdf](b/a%20file.pdf) [a.pdf](a.pdf)"),
        ("![[a.mp3]]", '<audio src="a.mp3" controls></audio>'),
        ("[[toc]]", ""),
        ("a ==b c== d", "a <mark>b c</mark> d"),
        ("A text. ^abc123\n", "A text. \n"),
        ("a %%secret%% b\n%%\nmore\n%%\n", "a  b\n\n"),
        ("> [!info]\n> a", "> **Info**\n>\n> a"),
        ("> [!note] b\n> a", "> **b**\n>\n> a"),
        ("> [!NOTE]\n> a\n\n> [!tip]- \n> a", "> [!NOTE]\n> a\n\n> **Tip**\n>\n> a"),
        ("> [!warning]- A *title*\n> a", "> **A *title***\n>\n> a"),
        (
            "> [!note] On [[Page|x]] and [[Other]]\n> a",
            "> **On [x](/page/Page) and [Other](/page/Other)**\n>\n> a",
        ),
        (
            "> [!note] ==a== %%secret%% ![[a.png|300]]",
            '> **<mark>a</mark>  <img src="a.png" alt="" width="300">**\n>',
        ),
        ("> [!tip] %%secret%%\n> a", "> **Tip**\n>\n> a"),
    ],
)
def test_wiki_links_and_marks_are_resolved(written, expected):
    assert resolve(written).content == expected


@pytest.mark.parametrize(
    "written",
    [
        "`[[Page]]`",
        "```\n[[Page]] %%a%% ==b==\n```",
        "[[1]](url)",
        "[[1]]: url",
        "if [[ -f x ]]; then",
        "[[1, 2], [3]] [[1, 2]] [[nan, 1]] [[T; N]]",
        "x==1 && y==2, a == b, ?q=abc==",
        "100%% and 50%%, x ^2",
        "[!note] a",
    ],
)
def test_other_texts_stay_as_they_are(written):
    assert resolve(written) == (resolve_wiki_links(written, "text", Targets()))


def test_links_to_unknown_pages_become_their_text_and_are_named():
    resolved = resolve("[[Missing]], [[folder/missing|this]]\n> [!note] and ![[missing#a]]")
    assert resolved.content == "Missing, this\n> **and missing > a**\n>"
    assert resolved.unresolved == {"[[…]]": 3}
    (note,) = resolved.notes
    assert note.startswith("The text of 3 wiki links to pages that were not found stays")
    assert "“folder/missing”" in note


MARKS = st.sampled_from(
    ["[[", "]]", "![[", "|", "#", "^", "%%", "==", "> [!", "]", "a.png", "\n", "`", "\\", " "]
)


@settings(max_examples=60)
@given(st.lists(MARKS | st.text(max_size=4), max_size=30).map("".join))
def test_any_text_is_resolved_without_an_error(content):
    assert isinstance(resolve(content).content, str)


@pytest.mark.parametrize("repeated", ["[[a|", " %% a", " ==a", "> [!a] "])
def test_a_long_repetition_takes_linear_time(repeated):
    # A search that takes quadratic time would not end within the time limit of the test run.
    assert isinstance(resolve(repeated * (60_000 // len(repeated))).content, str)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("![[a.png|300]]\n![[b.png]]", '<img src="a.png" alt="" width="300">\n\n![](b.png)'),
        ("> ![[a.png|300]]\n> Text", '> <img src="a.png" alt="" width="300">\n>\n> Text'),
        ("![[a.png|300]] Text\nText", '<img src="a.png" alt="" width="300"> Text\nText'),
        ("![[a.png|300]]\n\nText", '<img src="a.png" alt="" width="300">\n\nText'),
    ],
)
def test_markdown_continues_after_a_picture_with_a_size(content, expected):
    assert resolve_wiki_links(content, "markdown", Targets()).content == expected
