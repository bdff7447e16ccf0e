"""Notes and warnings become quotes."""

from __future__ import annotations

import pytest

from blogapi.transfer.markdown.admonitions import resolve_admonitions

from .link_targets import Targets


def resolve(content, content_type="markdown"):
    return resolve_admonitions(content, content_type, Targets()).content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (":::note\n\nText\n\n:::", "> **Note**\n>\n>\n> Text\n>"),
        ("::: tip Running Bondy\nText\n:::\nNext", "> **Running Bondy**\n>\n> Text\n\nNext"),
        (":::danger[Take **care**]\nText\n:::", "> **Take care**\n>\n> Text"),
        (':::tip[T]{icon="x"}\nText\n:::', "> **T**\n>\n> Text"),
        ("::: {.callout-note}\nText\n:::", "> **Note**\n>\n> Text"),
        ('::: {.callout-tip title="Check"}\nText\n:::', "> **Check**\n>\n> Text"),
        ("::::note\n:::tip\nText\n:::\n::::", "> **Note**\n>\n> > **Tip**\n> >\n> > Text"),
        ("- a\n  :::note\n  Text\n  :::", "- a\n  > **Note**\n  >\n  > Text"),
        (":::note\n```\n:::\n```\n:::", "> **Note**\n>\n> ```\n> :::\n> ```"),
        (
            "::: details See `x`\nText\n:::",
            "<details><summary>See <code>x</code></summary>\n\nText\n\n</details>",
        ),
        ('!!! warning "Attention"\n    One\n\n    Two\nNext', "> **Attention**\n>\n> One\n>\n> Two\n\nNext"),
        ('=== "C"\n\n    ``` c\n    x\n    ```\nNext', "**C**\n\n\n``` c\nx\n```\n\nNext"),
        ("!!! note\n\tText", "> **Note**\n>\n> Text"),
        (
            '??? note "More"\n    Text\n\nNext',
            "<details><summary>More</summary>\n\nText\n\n</details>\n\nNext",
        ),
    ],
)
def test_a_note_becomes_a_quote(content, expected):
    assert resolve(content) == expected


@pytest.mark.parametrize(
    "content",
    [
        "```\n:::note\nText\n:::\n```",
        ":::note\nText without an end",
        "::: code-group\nText\n:::",
        ":::note\n::: code-group\nText\n:::\n:::",
        "Wow!!! note this",
        ":::",
        "What??? note",
    ],
)
def test_other_text_stays(content):
    assert resolve(content) == content


def test_html_stays():
    assert resolve(":::note\nText\n:::", "html") == ":::note\nText\n:::"


def test_many_nested_notes_take_linear_time():
    content = ":::note\n" * 20_000 + ":::\n" * 20_000
    assert resolve(content).count("**Note**") == 4


def test_many_indented_notes_take_linear_time():
    content = "".join(f"{'    ' * level}!!! note\n" for level in range(1_000))
    assert resolve(content).count("**Note**") == 4
