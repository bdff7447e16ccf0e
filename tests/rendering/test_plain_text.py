"""Plain text, excerpts and reading time."""

from __future__ import annotations

import pytest

from blogapi.rendering import plain_text, sanitizer


def test_plain_content_keeps_paragraphs_and_line_breaks():
    assert sanitizer.to_safe_html("a\nb\n\n<b>&c", "text") == "<p>a<br>\nb</p>\n<p>&lt;b&gt;&amp;c</p>\n"


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ("<p>a</p><p>b</p>", "html", "a b"),
        ("<p>w<b>or</b>d</p>", "html", "word"),
        ("a<br>b", "html", "a b"),
        ("<script>x</script>a", "html", "a"),
        ("&amp;&lt;b&gt;", "html", "&<b>"),
        ("# A\n\n*b* `c`", "markdown", "A b c"),
        ("a\n\n  b", "text", "a b"),
        ("<b>", "text", "<b>"),
        ("", "html", ""),
        ("<kbd>Ctrl</kbd>+<kbd>K</kbd>.", "html", "Ctrl+K."),
        ("<q>a</q>, (<cite>b</cite>), <samp>c</samp>! <var>d</var>;", "html", "a, (b), c! d;"),
        (
            "<dfn>e</dfn>: <ins>f</ins><del>g</del>. <time>h</time>? long<wbr>word",
            "html",
            "e: fg. h? longword",
        ),
        ("the 10<sup>th</sup>, 5 m<sup>2</sup>, H<sub>2</sub>O", "html", "the 10th, 5 m 2, H2O"),
        ("<p><sup>1</sup>In the beginning<sup>2</sup> </p>", "html", "1 In the beginning 2"),
        ("<dl><dt>a</dt><dd>b</dd></dl><table><tr><td>c</td><td>d</td></tr></table>", "html", "a b c d"),
        ("<details><summary>a</summary>b</details><img alt=x src=/y>c", "html", "a b c"),
    ],
)
def test_plain_text_is_one_line_without_markup(content, kind, words):
    assert plain_text.to_plain_text(sanitizer.to_safe_html(content, kind)) == words


def test_an_excerpt_is_cut_between_words():
    assert plain_text.make_excerpt("<p>short</p>") == "short"
    assert plain_text.make_excerpt("word " * 100) == "word " * 38 + "word…"
    assert len(plain_text.make_excerpt("x" * 500)) == plain_text.MAX_EXCERPT_LENGTH
    assert plain_text.make_excerpt(f"<p>{'word, ' * 100}") == "word, " * 32 + "word…"
    assert (plain_text.shorten_text("one two", 7), plain_text.shorten_text("three two", 8)) == (
        "one two",
        "three…",
    )


@pytest.mark.parametrize("end", [".", ",", "?!", "...", "…", " -", " –", " (", "。", "、", "؟", ": „"])  # noqa: RUF001
def test_a_text_is_not_cut_after_punctuation(end):
    assert (
        plain_text.shorten_text(f"Some words{end} and more of them", len(f"Some words{end} a"))
        == "Some words…"
    )
    assert plain_text.shorten_text(f"Some words{end}", 20) == f"Some words{end}"


def test_a_cut_text_keeps_closing_quotation_marks_and_brackets():
    assert plain_text.shorten_text("He said (“no”) and more", 16) == "He said (“no”)…"
    assert plain_text.shorten_text("It fell by 50% and more", 16) == "It fell by 50%…"
    assert plain_text.shorten_text("." * 30, 10) == "…"


NOTES = "Rye[^1] waits[^two].\n\n[^1]: First.\n\n[^two]: See https://x.example/a."


@pytest.mark.parametrize(
    ("content", "kind", "excerpt"),
    [
        (NOTES, "markdown", "Rye waits."),
        ("Before.\n\n```js\nlet a = 1;\n```\n\nAfter `b`.", "markdown", "Before. After b."),
        ("Before.\n\n    indented()\n\nAfter.", "markdown", "Before. After."),
        ("```\nonly()\n```", "markdown", ""),
        ("See https://x.example/a?b=1#c, <https://y.example/>.", "markdown", "See x.example, y.example."),
        ("Get ftp://x.example/a.zip here.", "markdown", "Get x.example here."),
        (
            "Read [this](https://x.example), or (www.y.example/a_b).",
            "markdown",
            "Read this, or (www.y.example).",
        ),
        (
            "See https://en.wikipedia.org/wiki/Rust_(programming_language) for more (https://x.example/(a)).",
            "markdown",
            "See en.wikipedia.org for more (x.example).",
        ),
        ("https://x.example/a_(b)_c/, https://x.example/(a)/!", "text", "x.example, x.example!"),
        ("https://youtu.be/abc\n\nA film.", "markdown", "youtu.be A film."),
        ("日本語https://x.example/。次", "markdown", "日本語x.example。次"),
        ("Not a URL: http, www and a/b.", "markdown", "Not a URL: http, www and a/b."),
        ("[Chapter 1](#one) and [10](/ten).", "markdown", "Chapter 1 and 10."),
        ("x<sup>2</sup> and H<sub>2</sub>O", "markdown", "x 2 and H2O"),
        ('a<sup id="fnref:1"><a href="#fn:1" rel="footnote">1</a></sup> b', "html", "a b"),
        ('a<sup class="fn" data-fn="x"><a id="y-link" href="#y">1</a></sup> b', "html", "a b"),
        ('a<a href="#_ftn1">[1]</a> b<a href="#n">*</a>', "html", "a b"),
        (
            '<p>a</p><ol class="wp-block-footnotes"><li>Note <a href="#x">\u21a9\ufe0e</a></li></ol>',
            "html",
            "a",
        ),
        ('<p>a</p><div role="doc" class="x footnotes"><p>Note</p></div>', "html", "a"),
        ('<p>a</p><div class="footnotes-like">b</div>', "html", "a b"),
        ("<pre class=x>code <b>b</b></pre><p>a</p><pre>c</pre><present>b", "html", "a b"),
        ("# One\n\na\n\nTwo\n---\n\nb `c`", "markdown", "a b c"),
        ('<h2 align="center">a <b>b</b></h2><h3></h3>c<hr>d', "html", "c d"),
        (
            "https://me:x@y.example:80/@a https://y.example?b http://z.example",
            "text",
            "y.example y.example z.example",
        ),
        ("See http://x.example/a_b.\nwww.y.example", "text", "See x.example. www.y.example"),
    ],
)
def test_an_excerpt_has_no_headings_footnotes_and_code_and_of_bare_urls_the_host(content, kind, excerpt):
    assert plain_text.make_excerpt(sanitizer.to_safe_html(content, kind)) == excerpt


@pytest.mark.parametrize(
    ("content", "excerpt"),
    [
        (
            "Bring:\n\n- salt pans.\n- water\n- **salt**\n\nSee it.",
            "Bring: salt pans. water · salt · See it.",
        ),
        ("- one\n  - two\n- three", "one · two · three"),
        ("| a | b |\n|---|---|\n| 1 | |\n", "a · b · 1"),
        ("- last", "last"),
        ("water\n\nsalt", "water salt"),
    ],
)
def test_an_excerpt_separates_items_and_cells(content, excerpt):
    assert plain_text.make_excerpt(sanitizer.to_safe_html(content, "markdown")) == excerpt


@pytest.mark.parametrize(
    ("words", "minutes"),
    [
        *[("", 1), ("a " * 220, 1), ("a " * 221, 2), ("日" * 1000, 2), ("日" * 1001, 3)],
        *[("\uf900" * 1001, 3), ("ꀀꀁꀂꀃꀄ " * 220, 1)],
    ],
)
def test_reading_time_is_estimated_in_minutes(words, minutes):
    assert plain_text.measure_text(words).reading_minutes == minutes


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("one two", 2),
        ("don't stop — 3 times", 5),
        ("日本語", 3),
        ("日本 and 한국", 5),
        ("привет мир", 2),
    ],
)
def test_words_and_characters_of_scripts_without_spaces_are_counted(text, number):
    assert plain_text.measure_text(text).word_count == number
