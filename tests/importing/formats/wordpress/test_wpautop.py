"""Paragraphs and line breaks as WordPress makes them in posts of its classic editor."""

from __future__ import annotations

import pytest

from blogapi.importing.formats.wordpress.paragraphs import add_paragraphs


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        (" \n\n ", ""),
        ("one", "<p>one</p>"),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("one\n \n\n\ttwo", "<p>one</p>\n<p>two</p>"),
        ("one\ntwo", "<p>one<br />\ntwo</p>"),
        ("one  \n  two", "<p>one<br />\ntwo</p>"),
        ("one<br>\ntwo<br />\nthree", "<p>one<br>\ntwo<br />\nthree</p>"),
        ("one<br><br />two", "<p>one</p>\n<p>two</p>"),
        ("one\n\n&nbsp;\n\ntwo", "<p>one</p>\n<p>&nbsp;</p>\n<p>two</p>"),
        ("<em>one\n\ntwo</em>", "<p><em>one</p>\n<p>two</em></p>"),
        ('<a\nhref="x">one</a>', '<p><a href="x">one</a></p>'),
        ("a < b\nc > d", "<p>a < b<br />\nc > d</p>"),
    ],
)
def test_lines_and_blank_lines(text, html):
    assert add_paragraphs(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\n<h2>two</h2>\nthree", "<p>one</p>\n<h2>two</h2>\n<p>three</p>"),
        ("<h2>one\ntwo</h2>", "<h2>one<br />\ntwo</h2>"),
        ("one<hr>two", "<p>one</p>\n<hr>\n<p>two</p>"),
        ("<p>one</p>\n\n<p>two</p>", "<p>one</p>\n<p>two</p>"),
        ("<p>one\n\ntwo</p>", "<p>one</p>\n<p>two</p>"),
        ('<p class="a">one\ntwo</p>', '<p class="a">one<br />\ntwo</p>'),
        ("<p>one\n<p>two", "<p>one<p>two"),
        ("one</p>\n\ntwo", "<p>one</p>\n\n<p>two</p>"),
        ("<ul>\n<li>one</li>\n<li>two\n<ul>\n<li>in</li>\n</ul>\n</li>\n</ul>",
         "<ul><li>one</li>\n<li>two<ul><li>in</li>\n</ul>\n</li>\n</ul>"),
        ("<ul><li>one\n\ntwo</li></ul>", "<ul><li><p>one</p>\n<p>two</p>\n</li>\n</ul>"),
        ("<UL><LI>one</LI></UL>", "<UL><LI>one</LI>\n</UL>"),
        ("<table>\n<tr>\n<td>one\ntwo</td>\n</tr>\n</table>",
         "<table><tr><td>one<br />\ntwo</td>\n</tr>\n</table>"),
        ("<dl>\n<dt>one\n<dd>two\n</dl>", "<dl><dt>one<dd>two</dl>"),
        ("<blockquote>one</blockquote>", "<blockquote><p>one</p>\n</blockquote>"),
        ("<blockquote>one\n\ntwo</blockquote>", "<blockquote><p>one</p>\n<p>two</p>\n</blockquote>"),
        ("<blockquote><p>one</p></blockquote>", "<blockquote><p>one</p>\n</blockquote>"),
        ("<div>one</div>", "<div>one</div>"),
        ("<div>one\ntwo</div>", "<div>one<br />\ntwo</div>"),
        ("<div>\n\none\n\n</div>", "<div>one</div>"),
        ("<div>one\n\ntwo</div>", "<div><p>one</p>\n<p>two</p>\n</div>"),
        ("<div><p>one</p>two</div>", "<div><p>one</p>\ntwo</div>"),
        ('<div>\n<img src="a">\n</div>', '<div><img src="a"></div>'),
        ("<div>one</div></div>two", "<div>one</div>\n</div>\n<p>two</p>"),
        ("</div>one", "</div>\n<p>one</p>"),
        ("one<divider>two</divider>", "<p>one<divider>two</divider></p>"),
    ],
)  # fmt: skip
def test_block_elements_are_not_inside_of_paragraphs(text, html):
    assert add_paragraphs(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\n\x020\x03\ntwo", "<p>one</p>\n\x020\x03\n<p>two</p>"),
        ("\x010\x03", "<p>\x010\x03</p>"),
        ("one\x010\x03two", "<p>one\x010\x03two</p>"),
        ("\x040\x03\n\none", "\x040\x03<p>one</p>"),
        ("one \x040\x03 two", "<p>one \x040\x03 two</p>"),
        ('<a href="x">\x020\x03</a>', '<a href="x">\x020\x03\n</a>'),
        ('<a href="x"><img src="a"></a>', '<p><a href="x"><img src="a"></a></p>'),
    ],
)
def test_placeholders_of_blocks_are_not_inside_of_paragraphs(text, html):
    assert add_paragraphs(text) == html
