"""Markdown and its extensions, and the limits on nesting and footnotes."""

from __future__ import annotations

import pytest

from blogapi.content import markdown, plain_text, sanitizer
from tests.content.inspector import Inspector


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# A", '<h1 id="a">A</h1>'),
        ("```python\nx\n```", '<pre><code class="language-python">x\n</code></pre>'),
        ("~~a~~", "<s>a</s>"),
        ("|a|\n|-:|\n|b|", '<th align="right">a</th>'),
        ("- [x] a", 'checked="checked"'),
        ("a[^1]\n\n[^1]: b", '<sup class="footnote-ref"><a href="#fn1" id="fnref1"'),
        ("a[^1]\n\n[^1]: b", '<li id="fn1" class="footnote-item">'),
        ("![a](/a.jpg)", '<img src="/a.jpg" alt="a">'),
        ("<figure>a</figure>", "<figure>a</figure>"),
        ("[a](mailto:a@example.org)", 'href="mailto:a@example.org"'),
    ],
)
def test_markdown_renders(content, expected):
    assert expected in sanitizer.to_safe_html(content, "markdown")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("## One two", '<h2 id="one-two">One two</h2>'),
        ("## One\n## One", '<h2 id="one-1">One</h2>'),
        ("## 🎉", '<h2 id="section">🎉</h2>'),
        ("## Über uns {#about}", '<h2 id="about">Über uns</h2>'),
        ("## *Late* {#x}", '<h2 id="x"><em>Late</em></h2>'),
        ('<a name="here"></a>', '<a name="here"'),
        ('a {{<figure src="x.png">}} b', 'a {{&lt; figure src="x.png"&gt;}} b'),
        ("{{</details>}}", "{{&lt; /details&gt;}}"),
        ("<details open><summary>s</summary>d</details>", "<details open"),
        ('<picture><source srcset="/a.webp" media="print"><img src="/a.png"></picture>', "<picture><source"),
    ],
)
def test_common_markdown_extensions_are_kept(written, shown):
    assert shown in sanitizer.to_safe_html(written, "markdown")


@pytest.mark.parametrize("content_type", ["html", "markdown"])
def test_too_deeply_nested_content_is_shown_as_text(content_type):
    shown = sanitizer.to_safe_html("<div>" * 10_001 + "deep", content_type)
    assert Inspector(shown).tags == [] and plain_text.to_plain_text(shown).startswith("<div><div>")


MANY = markdown.MAX_FOOTNOTE_REFERENCES


@pytest.mark.parametrize(
    ("reference", "definition"),
    [("a[^1] ", "\n\n[^1]: note"), ("a^[note] ", ""), ("[^1]^[note]", "\n\n[^1]: b")],
)
def test_markdown_with_too_many_footnote_references_is_shown_as_text(reference, definition):
    allowed = reference * (MANY // reference.count("^")) + definition
    assert sanitizer.to_safe_html(allowed, "markdown").count('class="footnote-ref"') == MANY
    shown = sanitizer.to_safe_html(reference + allowed, "markdown")
    assert Inspector(shown).tags == [] and plain_text.to_plain_text(shown).startswith(reference.strip())


def test_undefined_and_quoted_footnote_references_are_not_counted():
    assert "<p>" in sanitizer.to_safe_html("[^1] " * (MANY + 1), "markdown")
    assert "<code>" in sanitizer.to_safe_html(f"`{'[^1] ' * (MANY + 1)}`\n\n[^1]: note", "markdown")


@pytest.mark.parametrize(
    "written", ["<div><b>a</b></div>", "<p>a<br>", "<ul><li>a</ul>", "</div><div></div></div>"]
)
def test_many_sibling_elements_do_not_count_as_nesting(written):
    assert Inspector(sanitizer.to_safe_html(written * 6_000, "html")).tags
