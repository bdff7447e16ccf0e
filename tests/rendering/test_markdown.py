"""Markdown and its extensions, and the limits on nesting and footnotes."""

from __future__ import annotations

import re
from html import escape, unescape

import pytest

from blogapi.rendering import html_cost, markdown, plain_text, sanitizer
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
        (
            "看https://a.example/b\uff08c\uff09d",
            '<a href="https://a.example/b">https://a.example/b</a>\uff08c\uff09d',
        ),
        (
            "**www.a.example/b**。c",
            '<strong><a href="http://www.a.example/b">www.a.example/b</a></strong>。c',
        ),
        (
            "“ftp://a.example/b”c `http://d。e`",
            '“<a href="ftp://a.example/b">ftp://a.example/b</a>”c <code>http://d。e<',
        ),
        ("[a](https://b.example/\uff08c\uff09)", 'href="https://b.example/%EF%BC%88c%EF%BC%89"'),
        ("<https://b.example/\uff08c\uff09>", 'href="https://b.example/%EF%BC%88c%EF%BC%89"'),
        *(
            (f"{fence}\nx\n```", f'<pre><code class="language-{language}">x')
            for fence, language in (
                *(("```js{1,3}", "js"), ("``` {.python .numberLines}", "python"), ("```.sh", "sh")),
                *(("```{r, echo=F}", "r"), ("```rust,ignore", "rust,ignore"), ("```c++ a", "c++")),
            )
        ),
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


FORMULAS = ["$a*b*c$", "$$a*b*c$$", r"\(a*b*c\)", r"\[a*b*c = 1\]", r"$\{x_1\}*y*$", "$a<b*c*&d$"]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(
    "around", ["{}", "a {}", "({}).", "设{}为", "# {}", "> - {}", "**{}**", "|a|\n|-|\n|{}|", "$5 {}"]
)
def test_mathematics_reaches_readers_as_it_is_typed(formula, around):
    safe = sanitizer.to_safe_html(around.format(formula), "markdown")
    assert escape(formula, quote=False) in safe and "<em>" not in safe


@pytest.mark.parametrize(
    "lines",
    [
        "$$\na*b*\n- c\n+ d\n=\n# e\n$$",
        "\\[\n\\begin{matrix} a & b \\\\ c \\end{matrix}\n- d\n\\]",
        "\\[ x \\]",
    ],
)
def test_lines_of_mathematics_begin_no_lists_and_headings(lines):
    shown = escape(lines, quote=False)
    assert sanitizer.to_safe_html(lines, "markdown") == f"<p>{shown}</p>\n"
    quoted = lines.replace("\n", "\n> ")
    assert (
        sanitizer.to_safe_html(f"> {quoted}", "markdown") == f"<blockquote>\n<p>{shown}</p>\n</blockquote>\n"
    )
    assert sanitizer.to_safe_html(f"~~~\n{lines}\n~~~", "markdown") == f"<pre><code>{shown}\n</code></pre>\n"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("It costs $5 and $10 *now*", "It costs $5 and $10 <em>now</em>"),
        ("5$, *or* 10$, and US$6, *or* A$7", "5$, <em>or</em> 10$, and US$6, <em>or</em> A$7"),
        ("**$HOME** and **$PATH**", "<strong>$HOME</strong> and <strong>$PATH</strong>"),
        ("$A `b$` *c*", "$A <code>b$</code> <em>c</em>"),
        (r"`$a*b*$ \(c\)` ``\[ d \]``", r"<code>$a*b*$ \(c\)</code> <code>\[ d \]</code>"),
        ("[$a*b*$](/$c*d*$) $", '<a href="/$c*d*$">$a<em>b</em>$</a> $'),
        ("$a [*b*](/c) d$ $ e *f* $", '$a <a href="/c"><em>b</em></a> d$ $ e <em>f</em> $'),
        (
            "https://a.example/?$b=_c_&$d",
            '<a href="https://a.example/?$b=_c_&amp;$d">https://a.example/?$b=_c_&amp;$d</a>',
        ),
        (
            r"\[1\], \[*sic*\], \[ \], \(a, \$5 and \\(b*c*\\)",
            r"[1], [<em>sic</em>], [ ], (a, $5 and \(b<em>c</em>\)",
        ),
        ("$a\n\n*b*$", "$a</p>\n<p><em>b</em>$"),
        ("$$a\n\n*b*$$", "$$a</p>\n<p><em>b</em>$$"),
    ],
)
def test_other_dollar_signs_and_brackets_are_no_mathematics(content, shown):
    assert sanitizer.to_safe_html(content, "markdown") == f"<p>{shown}</p>\n"


def test_mathematics_in_blocks_of_html_is_html():
    html = "<div>$a &lt; b$ and \\(c\\) <b>d$</b></div>\n"
    assert sanitizer.to_safe_html(html, "markdown") == html


@pytest.mark.parametrize("content_type", ["html", "markdown"])
@pytest.mark.parametrize("name", ["div", "rt", "x-y"])
def test_too_deeply_nested_content_is_shown_as_text(content_type, name):
    allowed = f"<{name}>" * html_cost.MAX_OPEN_ELEMENTS + "deep"
    assert Inspector(sanitizer.to_safe_html(f"{allowed}</{name}><b>a", content_type)).tags
    # An end tag of an element that is not open closes nothing.
    shown = sanitizer.to_safe_html(f"<{name.upper()}></b>{allowed}", content_type)
    assert Inspector(shown).tags == []
    assert plain_text.to_plain_text(shown).lower().startswith(f"<{name}></b><{name}>")


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
    "written",
    [
        "<div><b>a</b></div>",
        "<p>a<br>",
        "<ul><li>a</ul>",
        "</div><div></div></div>",
    ],
)
def test_many_sibling_elements_do_not_count_as_nesting(written):
    assert Inspector(sanitizer.to_safe_html(written * 6_000, "html")).tags


def test_parts_of_a_picture_do_not_count_as_nesting():
    picture = "<svg>" + "<path d='M0 0'/>" * 2 * html_cost.MAX_OPEN_ELEMENTS + "</svg>"
    assert sanitizer.to_safe_html(f"{picture}<b>a</b>", "html").endswith("<b>a</b>")


@pytest.mark.parametrize(
    ("content", "kind", "labels"),
    [
        (
            '- [ ] Buy *rye* & "salt" <b>now</b>\n- [x] [Bake](https://x.example)\n  - [ ] inside',
            "markdown",
            None,
        ),
        ("- [ ] one\n\n  more\n\n- [x] two", "markdown", ["one", "two"]),
        ("1. [x] `code`[^1]\n\n[^1]: note", "markdown", ["code"]),
        ("- [ ] \n- [ ] ![A loaf](/a.png)", "markdown", ["☐", "A loaf"]),
        (f"- [ ] {'word, ' * 50}", "markdown", ["word, " * 15 + "word…"]),
        ("<input type=checkbox> A<br><input type=checkbox checked> <kbd>B</kbd>!<p>C", "html", ["A", "B!"]),
        (
            "<input type=checkbox aria-label='Own &quot;&lt;'> A<input type=email aria-label=x>",
            "html",
            ['Own "<'],
        ),
    ],
)
def test_each_checkbox_has_its_text_as_a_label(content, kind, labels):
    html = sanitizer.to_safe_html(content, kind)
    found = re.findall(r'<input [^<>]*?aria-label="([^"<>]+)">', html)
    assert len(found) == html.count("<input")
    assert [unescape(label) for label in found] == (labels or ['Buy rye & "salt" now', "Bake", "inside"])
    # Feeds and exports clean the HTML again.
    again = sanitizer.make_addresses_absolute(html, "https://blog.example/")
    assert re.findall(r'<input [^<>]*?aria-label="([^"<>]+)">', again) == found
