"""Containers of VuePress, Docusaurus, Pandoc and MkDocs become alerts and quotes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.templates.containers import resolve_containers
from tests.importing.templates.link_targets import Targets


def resolve(content, content_type="markdown"):
    return resolve_containers(content, content_type, Targets())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (":::tip\na\n:::", "> [!TIP]\n> a"),
        (
            "Text\n::: tip A *title*\na\n\n- b\n:::\nText",
            "Text\n\n> [!TIP] A title\n> a\n> \n> - b\n\nText",
        ),
        (":::danger[In `code`]{#id}\na\n:::", "> [!CAUTION] In code\n> a"),
        ('::: {.callout-note collapse="true" title="A, b"}\na\n:::', "> [!NOTE] A, b\n> a"),
        ("::: {.alert .alert-warning}\na\n:::", "> [!WARNING]\n> a"),
        (":::{note} Title\na\n:::", "> [!NOTE] Title\n> a"),
        ('::: details Title {open="1"}\na\n:::', "> [!NOTE] Title\n> a"),
        (":::details\na\n:::", "> [!NOTE] Details\n> a"),
        ("::: tip [A](b) and {{c}}\nd\n:::", "> [!TIP]\n> **[A](b) and {{c}}**\n> \n> d"),
        ("::: tip {{a}} [b] {.c}\nd\n:::", "> [!TIP] {{a}} [b]\n> d"),
        ("::: Tip ::::::\na\n\n::: Info\nb\n:::\n::::::", "> [!TIP]\n> a\n> \n> > [!NOTE] Info\n> > b"),
        ("::::note\n:::tip\na\n:::\nb\n::::", "> [!NOTE]\n> > [!TIP]\n> > a\n> \n> b"),
        ("- a\n\n  :::tip\n  b\n  :::\n\n- c", "- a\n\n  > [!TIP]\n  > b\n\n- c"),
        (":::tip\n```\n:::\n```\n:::", "> [!TIP]\n> ```\n> :::\n> ```"),
        ('!!! warning "Care"\n\n    a\n\n        b\n\nc', "> [!WARNING] Care\n> \n> a\n> \n>     b\n\nc"),
        ('!!! note ""\n    a', "> [!NOTE]\n> a"),
        ("!!! note inline end\n\ta\n", "> [!NOTE]\n> a\n"),
        ('!!! note own "A"\n    a', "> [!NOTE] A\n> a"),
        ("!!! own\n    a", "> [!NOTE] Own\n> a"),
        ('??? question "Why?"\n    a\n    ??? bug\n        ```\n        !!! b\n            c\n        ```',
         "> [!NOTE] Why?\n> a\n> \n> > [!CAUTION] Bug\n> > ```\n> > !!! b\n> >     c\n> > ```"),
        ("???+ tip\n    a", "> [!TIP]\n> a"),
        (":::note\n!!! tip\n    a\n    :::\nb\n:::", "> [!NOTE]\n> > [!TIP]\n> > a\n> > :::\n> \n> b"),
        ("1. a\n\n    !!! tip\n\n        b\n", "1. a\n\n    > [!TIP]\n    > \n    > b\n"),
        ('=== "Tab *A*"\n\n    a\n\n=== "B"\n\n    b', "> **Tab *A***\n> \n> a\n\n> **B**\n> \n> b"),
    ],
)  # fmt: skip
def test_containers_become_alerts_and_quotes(written, expected):
    resolved = resolve(written)
    assert (resolved.content, dict(resolved.unresolved)) == (expected, {})


@pytest.mark.parametrize(
    ("written", "expected", "names"),
    [
        ("::: theorem Euler\na\n:::", "> **Euler**\n> \n> a", {":::theorem": 1}),
        ("::: theorem [A](b)\na\n:::", "> **[A](b)**\n> \n> a", {":::theorem": 1}),
        (":::: {.columns}\n::: column\na\n:::\n::::", "a", {":::columns": 1, ":::column": 1}),
        ("::: {#refs}\n:::", "", {":::refs": 1}),
        (':::option{label="A b"}\na\n:::', "> **A b**\n> \n> a", {":::option": 1}),
        # The draft shows which part the former blog hid.
        (":::members-only\na\n:::", "> **members-only**\n> \n> a", {":::members-only": 1}),
        ("::: tip\na\n\n::: note\nb\n:::", "::: tip\na\n\n> [!NOTE]\n> b", {":::tip": 1}),
        ("::: a.b.c\n\ntext", "::: a.b.c\n\ntext", {":::a": 1}),
    ],
)
def test_what_cannot_be_translated_is_counted_by_name(written, expected, names):
    resolved = resolve(written)
    assert (resolved.content, dict(resolved.unresolved)) == (expected, names)


@pytest.mark.parametrize(
    "text",
    [
        "```\n:::tip\na\n:::\n```",
        "<pre>\n:::tip\na\n:::\n</pre>",
        "<!--\n:::tip\na\n:::\n-->",
        "a\n\n    :::tip\n    b\n    :::",
        "- ```\n  !!! note\n      a\n  ```",
        ":::",
        "a\n:::\nb",
        "a :::tip\nb\n:::",
        "Header\n===\n\n    code",
        '=== "java"\n\ntext',
        'a == "b"\n    c',
        "!!! Wow\n\ntext",
        "!!! Wow\n    \ntext",
        "What???\n    a",
        "!!! note of mine\n    a",
        "!!!\n    a",
        "So it is !!! note\n    a",
    ],
)
def test_code_and_other_texts_stay(text):
    for content in (text, f"{text}\n\n:::tip\n:::"):
        assert resolve(content).content.startswith(text)
    assert resolve(f"{text}\n\n:::tip\n:::").content != f"{text}\n\n:::tip\n:::"
    assert resolve(":::tip\na\n:::", "html").content == ":::tip\na\n:::"


MARKS = st.sampled_from(
    [
        *(":::", "::::", ":::tip", "!!! a", "??? b", '=== "c"', '"', "{", "}", "[", "]", "\n", "\n\n"),
        *("    ", "\t", "> ", "- ", "```", "\\", "title=", "\r", "\u2028"),
    ]
)  # fmt: skip


@settings(max_examples=60)
@given(st.lists(MARKS | st.text(max_size=4), max_size=30).map("".join))
def test_no_word_of_any_text_is_lost(content):
    words = set("".join(c if c.isalnum() else " " for c in content).split())
    shown = resolve(content)
    names = "".join(shown.unresolved)
    for word in words - {"tip", "a", "b", "title"}:
        assert (
            word.casefold() in f"{shown.content}{names}".casefold() or "title=" in content or "{" in content
        )


@pytest.mark.parametrize(
    "repeated",
    [":::a\n", ":::a\n:::\n", "::: ", "!!! a\n", "!!! a\n    a\n", '=== "', "??? ", "\n", ":::[", "{"],
)
def test_a_long_repetition_takes_linear_time(repeated):
    # A search that takes quadratic time would not end within the time limit of the test run.
    for content in (repeated * (60_000 // len(repeated)), f":::a\n{repeated * 5_000}{':::' * 5_000}"):
        assert isinstance(resolve(content).content, str)


def test_deep_nesting_ends():
    content = ":::tip\n" * 5_000 + "a\n" + ":::\n" * 5_000
    assert "> > [!TIP]" in resolve(content).content
    nested = "".join(f"{'    ' * depth}!!! tip\n" for depth in range(300))
    assert "> > [!TIP]" in resolve(nested).content
