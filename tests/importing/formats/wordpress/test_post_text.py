"""The text of WordPress posts: code, languages, excerpts, and texts that no editor has written."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.importing.formats.wordpress import post_text
from blogapi.importing.formats.wordpress.blog import select_language
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.post_text import convert_text
from blogapi.rendering.plain_text import to_plain_text
from blogapi.rendering.sanitizer import to_safe_html


def convert(text: str) -> Conversion:
    return convert_text(text, Conversion(get_attachment=lambda _: None))


def code(text: str, language: str = "") -> str:
    return f"<pre><code{language and f' class={chr(34)}language-{language}{chr(34)}'}>{text}\n</code></pre>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[code]\na\n\n  b\n[/code]", code("a\n\n  b")),
        ('[sourcecode language="php"]<?php echo "&lt;" && 1; ?>[/sourcecode]',
         code('&lt;?php echo "&amp;lt;" &amp;&amp; 1; ?&gt;', "php")),
        ("[code lang='html']&lt;b&gt; &amp;amp; c[/code]", code("&lt;b&gt; &amp;amp; c", "html")),
        ("[python]a > b && c &amp; [x][/python]", code("a &gt; b &amp;&amp; c &amp; [x]", "python")),
        ('[crayon lang="js" mark="1"]a[/crayon]', code("a", "js")),
        ("[code]&lt;b&gt;<br />\nc[/code]", code("&lt;b&gt;\nc")),
        ('<pre class="brush: php; title: ;">a &lt;\n\n[gallery]</pre>', code("a &lt;\n\n[gallery]", "php")),
        ('<pre class="lang:python decode:true ">a</pre>', code("a", "python")),
        ('<pre lang="php" line="1"><?php a ?></pre>', code("&lt;?php a ?&gt;", "php")),
        ('<pre class="EnlighterJSRAW" data-enlighter-language="js">a</pre>', code("a", "js")),
        ('<pre class="wp-block-code"><code>a\n\n<b>c</b></code></pre>',
         '<pre class="wp-block-code"><code>a\n\n<b>c</b></code></pre>'),
        ("<pre>a\n\n  b &amp; [caption]</pre>", "<pre>a\n\n  b &amp; [caption]</pre>"),
        ("<pre>[code]a[/code]</pre>", "<pre>[code]a[/code]</pre>"),
        ("[code]<pre>a</pre>[/code]", code("&lt;pre&gt;a&lt;/pre&gt;")),
        ("<PRE>a\n\nb</PRE >", "<PRE>a\n\nb</PRE >"),
        ("see <code>a[gallery]</code>", "<p>see <code>a&#91;gallery]</code></p>"),
        ("[code]a", "<p>[code]a</p>"),
        ("<pre>a\n\nb", "<pre>a<br />\nb"),
        ('<iframe src="https://www.youtube.com/embed/a" />b<iframe src="https://vimeo.com/1"></iframe>',
         '<p><iframe src="https://www.youtube.com/embed/a" />b<a href="https://vimeo.com/1">vimeo.com/1</a></p>'),
        ("İ <pre>a\nb</pre> İ", "<p>İ</p>\n<pre>a\nb</pre>\n<p>İ</p>"),
    ],
)  # fmt: skip
def test_code_is_shown_as_it_was_written(text, html):
    assert convert(text).html == html


@pytest.mark.parametrize(
    ("text", "html", "excerpt"),
    [
        ("One\ntwo\n<!--more-->\nthree", "<p>One<br />\ntwo</p>\n<!--more-->\n<p>three</p>", "One two"),
        ("One & <b>two</b><!--more Read on-->three",
         "<p>One & <b>two</b></p>\n<!--more Read on-->\n<p>three</p>", "One & two"),
        ("One<!--nextpage-->two", "<p>One</p>\n<!--nextpage-->\n<p>two</p>", ""),
        ("a <!-- b\n\nc --> d", "<p>a <!-- b\n\nc --> d</p>", ""),
        ("<!-- b -->\n\nd", "<!-- b --><p>d</p>", ""),
        ("word " * 200 + "<!--more-->x", None, ""),
        ("a <!-- b", "<p>a &lt;!-- b</p>", ""),
    ],
)  # fmt: skip
def test_comments_and_excerpts(text, html, excerpt):
    converted = convert(text)
    assert converted.excerpt == excerpt
    assert html is None or converted.html == html


@pytest.mark.parametrize(
    ("tag", "classes"),
    [
        ('<p style="text-align: center;">', "has-text-align-center"),
        ('<h2 class="a" style="color:red; text-align:right">', "has-text-align-right a"),
        ("<div align=justify>", "has-text-align-justify"),
        ('<P ALIGN="Center">', "has-text-align-center"),
        ('<img align="left" src="a">', "alignleft"),
        ('<img class="alignright" align="right" src="a">', "alignright"),
        ('<p style="vertical-align: center" data-align="left">', ""),
        ('<p class="a">', "a"),
    ],
)
def test_alignment_becomes_a_class(tag, classes):
    found = re.search(r'class="([^"]*)"', convert(f"<br>{tag}").html)
    assert (found[1] if found else "") == classes


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("[:en]One\n\ntwo[:de]Eins[:]", ("One\n\ntwo", ("de",))),
        ("<!--:fr-->Un<!--:--><!--:en-->One<!--:--> end", ("Un end", ("en",))),
        ("{:en}One{:}{:de}Eins{:}", ("One", ("de",))),
        ("[:en][:de]Eins[:]", ("Eins", ())),
        ("[:en]One[:]", ("One", ())),
        ("text[:id]x", ("text[:id]x", ())),
    ],
)
def test_the_first_language_is_selected(text, selected):
    assert select_language(text) == selected


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\r\n\r\nb\rc", "<p>a</p>\n<p>b<br />\nc</p>"),
        ("a\0\x02" + "0\x03b", "<p>a0b</p>"),
        ("<script>\n\nx</script>a", "<p><script>\n\nx</script>a</p>"),
        ("", ""),
    ],
)
def test_scripts_and_control_characters_do_not_break_paragraphs(text, html):
    assert convert(text).html == html


FRAGMENTS = [
    "[", "]", "[[", "[caption", "[caption]", "[/caption]", '[caption="x"]', "[gallery]", "[audio]",
    "[/audio]", "[b]", "[/b]", "[vc_row", "a=1]", "<", ">", "<p>", "</p>", "<div>", "</div>", "<li>",
    "<ul>", "</ul>", "<b>", "</b>", "<td>", "<h2>", "</h2>", "<blockquote>", "</blockquote>", "<pre>",
    "</pre>", "<code>", "</code>", "<br>", "<!--more-->", "<!--a-->", "<!--", "<!--wp:group-->",
    "<!--/wp:group-->", "<!--wp:cover{}-->", "<!--wp:embed-->", "-->", "[code]", "[/code]", "\n", "\n\n",
    "\r", "\0", "\x02", "\x01", "\x03", "0", "&amp;", "&", '"', "=", "https://youtu.be/abcdefg",
    "\nhttps://vimeo.com/1234\n", "[:en]", "[:]", "<iframe>", "<object>", "</object>", "é", "漢",
    "[su_row]", "[yt]", "$",
]  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_any_text_is_converted_without_placeholders(text):
    assert not re.search(r"[\x00-\x08]", convert(text).html)


WORDS = st.integers(0, 999).map("word{}".format)
MARKUP = [
    "<p>", "</p>", "<div>", "</div>", "<li>", "<ul>", "</ul>", "<b>", "</b>", "<h2>", "</h2>",
    "<blockquote>", "</blockquote>", "<br>", "<em>", "</em>", "\n", "\n\n", "[caption]", "[/caption]",
    '[caption caption="c"]', "[audio]", "[/audio]", "[vc_row]", "[x]", "[/x]", "[gallery]", "[code]",
    "[/code]", "[", "]", "<!--more-->", "<hr>", "<pre>", "</pre>", "<code>", "</code>",
    "<!-- wp:group -->", "<!-- /wp:group -->", "<!-- wp:cover -->", "$", "&amp;", " ",
]  # fmt: skip


@given(st.lists(st.one_of(WORDS, st.sampled_from(MARKUP)), max_size=40))
def test_no_word_is_lost(parts):
    shown = to_plain_text(to_safe_html(convert(" ".join(parts)).html, "html")).split()
    assert [part for part in parts if part.startswith("word") and part not in shown] == []


HOSTILE = [
    "[[[", "[caption ", "[caption]", '[caption a="', "[/caption]", "[audio][video][caption]", "[code]",
    "[x a=1]", "\n", " \n", " ", "<p", "<p>", "<div>\n\n", "</div>", "<a\n", "<br>\n", "<br ", "<!--",
    "<!-- wp:a", "<!-- wp:cover -->x", "<!-- /wp:group -->", '<!-- wp:image {"a":', "<pre>", "<code>",
    "<iframe ", "<object>", "https://youtu.be/abcdefg\n", "https://", "[:en]",
    '<p style="text-align:', "<p style=", "<p align=", "<!--:en-->", "&", '"',
    "<b>",
]  # fmt: skip


def count_calls(text: str) -> int:
    """Return the number of function calls during the conversion of the text."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        convert(text)
    finally:
        sys.setprofile(None)
    return calls


def test_a_missing_end_tag_is_searched_once(monkeypatch):
    searched = []
    compile_end = post_text._compile_end_pattern
    monkeypatch.setattr(
        post_text, "_compile_end_pattern", lambda tag: searched.append(tag) or compile_end(tag)
    )
    convert("<pre><code>[php]<!--" * 100)
    assert searched == ["</pre", "</code", "[/php]", "-->"]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_the_work_is_in_proportion_to_the_length(pattern):
    convert(pattern)  # compiles patterns
    assert count_calls(pattern * 400) < 2.5 * count_calls(pattern * 200) + 100
    assert len(convert(pattern * 400).html) < 8 * len(pattern * 400) + 200


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('<img data-src="/a.jpg">', '<img src="/a.jpg">'),
        ('<img src="" data-src="/a.jpg">', '<img src="/a.jpg">'),
        ('<img src="data:image/gif;base64,R0" data-lazy-src="/a.jpg">', '<img src="/a.jpg">'),
        ('<img src="/a.jpg" data-src="/b.jpg">', '<img src="/a.jpg" data-src="/b.jpg">'),
        ('<noscript><img src="/a.jpg"></noscript><img data-src="/a.jpg">', '<img src="/a.jpg">'),
        (
            '<noscript><img src="/a.jpg?w=1"></noscript><img data-src="/a.jpg" alt="A"><img data-src="/b">',
            '<img alt="A" src="/a.jpg?w=1"><img src="/b">',
        ),
    ],
)
def test_a_picture_that_a_script_loads_is_shown_once(text, html):
    safe = convert(f"<div>{text}</div>").html
    assert to_safe_html(safe, "html") == to_safe_html(f"<div>{html}</div>", "html")


@pytest.mark.parametrize("attribute", ["hidden", "style='display: none'"])
def test_a_hidden_element_is_neither_in_the_text_nor_in_the_excerpt(attribute):
    converted = convert(f"<p>Shown</p>\n<div {attribute}>secret</div>\n<!--more-->\n<p>More</p>")
    assert "secret" not in converted.html + converted.excerpt
    assert (converted.excerpt, len(converted.notes)) == ("Shown", 1)
