"""Markdown and its extensions, and the limits on nesting and footnotes."""

from __future__ import annotations

import pytest

from blogapi.rendering import markdown, plain_text, sanitizer
from tests.rendering.inspector import Inspector


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# A", '<h1 id="a">A</h1>'),
        ("```python\nx\n```", '<pre><code class="language-python">x\n</code></pre>'),
        ("~~a~~", "<del>a</del>"),
        ("|a|\n|-:|\n|b|", '<th align="right">a</th>'),
        ("- [x] a", 'checked=""'),
        (
            "> - a\n> - [ ] b",
            '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox"',
        ),
        ("- [ ] a\n\n- b", '<ul class="contains-task-list">\n<li class="task-list-item">\n<p><input'),
        ("a[^1]\n\n[^1]: b", '<sup class="footnote-ref"><a href="#fn-1" id="fnref-1" data-footnote-ref=""'),
        ("a[^1]\n\n[^1]: b", '<section class="footnotes" data-footnotes="">\n<ol>\n<li id="fn-1">'),
        ("a[^1]\n\n[^1]: b", '<a href="#fnref-1" class="footnote-backref" data-footnote-backref=""'),
        ("a[^b] `[^b]`\n\n[^b]: c", "<code>[^b]</code>"),
        ("~a~ ~b", "<p>~a~ ~b</p>"),
        ("3~5, \\~6~ `~/a` [b](/~c) https://d.example/~e/f", '<p>3~5, ~6~ <code>~/a</code> <a href="/~c"'),
        (
            "https://d.example/~e/f",
            '<a href="https://d.example/~e/f">https://d.example/~e/f<',
        ),
        ("~~~\na~b\n~~~", "<pre><code>a~b\n</code></pre>"),
        (
            "> [!NOTE]\n> a",
            '<div class="markdown-alert markdown-alert-note">\n<p class="markdown-alert-title">Note</p>',
        ),
        ("> [!tip] Do *this*\n> a", '<p class="markdown-alert-title">Do *this*</p>\n<p>a</p>'),
        ("[a]\n\n[a]: <b>", '<p><a href="b">'),
        ("**強調。**文、*「注」*文", "<strong>強調。</strong>文、<em>「注」</em>文"),
        ("a\ud800b", "<p>a?b</p>"),
        ("See https://a.example/b_c.", '<a href="https://a.example/b_c">'),
        ("See https://a.example/b\\_c.", '<a href="https://a.example/b_c">'),
        ("www.a.example", '<a href="http://www.a.example">www.a.example</a>'),
        ("a@b.example", '<a href="mailto:a@b.example">a@b.example</a>'),
        ("<a href=/b>c https://d.example e</a>", ">c https://d.example e</a>"),
        ("![a](/a.jpg)", '<img src="/a.jpg" alt="a">'),
        ("<figure>a</figure>", "<figure>a</figure>"),
        ("[a](mailto:a@example.org)", 'href="mailto:a@example.org"'),
    ],
)
def test_markdown_is_rendered_as_html(content, expected):
    assert expected in sanitizer.to_safe_html(content, "markdown")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("## One two", '<h2 id="one-two">One two</h2>'),
        ("## One\n## One", '<h2 id="one-1">One</h2>'),
        ("## One\n## One-1\n## One", '<h2 id="one-2">One</h2>'),
        ("## Top\n## Top", '<h2 id="top-1">Top</h2>'),
        ('## One\n<p id="one">', '<h2 id="one-1">One</h2>'),
        ("## A `b` & *c*", '<h2 id="a-b-c">'),
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
def test_the_html_of_common_markdown_extensions_is_kept(written, shown):
    assert shown in sanitizer.to_safe_html(written, "markdown")


@pytest.mark.parametrize("content_type", ["html", "markdown"])
def test_too_deeply_nested_content_is_shown_as_text(content_type):
    shown = sanitizer.to_safe_html("<div>" * 20_001 + "deep", content_type)
    assert Inspector(shown).tags == [] and plain_text.to_plain_text(shown).startswith("<div><div>")


def test_markdown_with_too_many_footnotes_is_shown_as_text():
    allowed = "a[^1] " * (markdown.MAX_FOOTNOTES - 1) + "\n\n[^1]: note"
    assert 'class="footnotes"' in sanitizer.to_safe_html(allowed, "markdown")
    shown = sanitizer.to_safe_html(f"[^1] {allowed}", "markdown")
    assert Inspector(shown).tags == [] and plain_text.to_plain_text(shown).startswith("[^1] a[^1]")


def test_markdown_with_too_many_nested_quotes_is_shown_as_text():
    allowed = "> " * markdown.MAX_QUOTE_DEPTH + "deep"
    assert sanitizer.to_safe_html(allowed, "markdown").startswith("<blockquote>\n<blockquote>")
    shown = sanitizer.to_safe_html(f">\t{allowed}", "markdown")
    assert Inspector(shown).tags == [] and plain_text.to_plain_text(shown).startswith("> > >")


def test_undefined_footnote_references_are_not_counted():
    assert "<p>" in sanitizer.to_safe_html("[^1] " * (markdown.MAX_FOOTNOTES + 1), "markdown")


@pytest.mark.parametrize(
    "written", ["<div><b>a</b></div>", "<p>a<br>", "<ul><li>a</ul>", "</div><div></div></div>"]
)
def test_many_sibling_elements_do_not_count_as_nesting(written):
    assert Inspector(sanitizer.to_safe_html(written * 6_000, "html")).tags
