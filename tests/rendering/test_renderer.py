"""Hostile content is rendered in limited time, or shown as text."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest

from blogapi.rendering import markdown, renderer, sanitizer

SIZE = 2_000_000
# A rendering that takes longer, in seconds of CPU time, is compared with that of a quarter of the content.
# The longest of 2 MB takes about 1.1 s; on a busy machine, four times as much.
SUSPICIOUS_SECONDS = 3
# Linear time grows to 4 times that of a quarter, quadratic time to 16 times.
MAX_GROWTH = 9


def repeat(unit):
    """Repeat the unit up to SIZE characters. `{i}` is replaced with the number of the repetition."""
    if "{i}" not in unit:
        return (unit * (SIZE // len(unit) + 1))[:SIZE]
    number = SIZE // len(unit)
    return "".join(unit.replace("{i}", str(i)) for i in range(number))[:SIZE]


def half(first, second):
    """Repeat the first unit, then the second unit equally often, up to SIZE characters in total."""
    number = SIZE // (len(first) + len(second))
    return first * number + second * number


def references(definition, reference):
    return repeat(definition)[: SIZE // 2] + "\n\n" + repeat(reference)[: SIZE // 2]


MARKDOWN = {
    "equal headings": lambda: repeat("# a\n"),
    "different headings": lambda: repeat("# a{i}\n"),
    "headings that look like numbered ones": lambda: repeat("# a\n# a-{i}\n"),
    "named headings": lambda: repeat("# a {#b{i}}\n"),
    "a long heading": lambda: "# " + repeat("word "),
    "spaces in a heading": lambda: "# a" + repeat(" ") + "b",
    "names in a heading": lambda: "# a" + repeat(" {#b}") + "c",
    "a setext heading": lambda: repeat("word\n") + "===\n",
    "setext headings": lambda: repeat("a\n=\n"),
    "nested quotes in one line": lambda: repeat(">"),
    "deeply nested quotes": lambda: ">" * 400_000,
    "nested quotes in many lines": lambda: (">" * 1_000 + "a\n\n") * 450,
    "nested quotes in lines": lambda: repeat("> " * 1_000 + "a\n"),
    "quotes that end": lambda: repeat(">" * 90 + "a\n\n"),
    "nested lists in one line": lambda: repeat("- "),
    "nested numbered lists": lambda: repeat("1. "),
    "indented lists": lambda: "".join(" " * 2 * i + "- a\n" for i in range(1_400)),
    "list items": lambda: repeat("- a\n"),
    "list items with blank lines": lambda: repeat("-\n\n"),
    "alternating list markers": lambda: repeat("- a\n+ b\n* c\n"),
    "task list items": lambda: repeat("- [ ] a\n"),
    "blank lines in a list": lambda: "* a\n" + repeat("\n") + "  b",
    "opening brackets": lambda: repeat("["),
    "closing brackets": lambda: repeat("]"),
    "brackets inside brackets": lambda: half("[", "]"),
    "image brackets": lambda: repeat("!["),
    "links inside links": lambda: half("[", "](a)"),
    "links without end": lambda: repeat("[a]("),
    "link destinations without end": lambda: repeat("[a](<b"),
    "link titles without end": lambda: repeat('[a](b "c'),
    "parentheses in a destination": lambda: "[a](" + half("(", ")"),
    "backslashes in brackets": lambda: repeat("[\\\\"),
    "emphasis openers": lambda: repeat("*a "),
    "emphasis closers": lambda: repeat("a* "),
    "emphasis openers of all kinds": lambda: repeat("*a _b **c __d ~~e "),
    "nested emphasis": lambda: half("*a ", " a*"),
    "nested strong emphasis": lambda: half("**a ", " a**"),
    "a run of asterisks": lambda: repeat("*"),
    "runs of underscores": lambda: repeat("a_____b"),
    "emphasis that never matches": lambda: repeat("*a_ "),
    "emphasis of three lengths": lambda: repeat("a**b c* "),
    "tildes": lambda: repeat("~~a"),
    "nested strikethrough": lambda: half("~~a ", " a~~"),
    "backticks": lambda: repeat("`"),
    "backtick runs of growing length": lambda: "".join("e" + "`" * i for i in range(2_000)),
    "backticks without partner": lambda: repeat("`a``"),
    "code fences": lambda: repeat("```\n"),
    "a code block": lambda: "```a\n" + repeat("<a>&\n"),
    "indented code": lambda: repeat("    a\n\n"),
    "reference definitions": lambda: repeat("[a{i}]: b\n"),
    "equal reference definitions": lambda: repeat("[a]: b\n"),
    "references to a long destination": lambda: (
        f"[a]: /{'b' * (SIZE // 2)}\n\n" + repeat("[a] ")[: SIZE // 2]
    ),
    "references": lambda: references("[a{i}]: b\n", "[a{i}] "),
    "a reference label without end": lambda: repeat("[a\\"),
    "definition titles without end": lambda: repeat('[a]: b "c\n'),
    "footnote references": lambda: "[^1]: a\n\n" + repeat("[^1] "),
    "footnote references without definition": lambda: repeat("[^1] "),
    "footnotes": lambda: references("[^a{i}]: b\n\n", "[^a{i}] "),
    "footnote definitions": lambda: repeat("[^a{i}]: b\n\n"),
    "footnotes inside footnotes": lambda: "[^1]\n\n" + repeat("[^1]: [^1]\n"),
    "footnotes in quotes": lambda: "[^1]\n\n" + repeat("> [^{i}]: [^1]\n"),
    "footnote brackets": lambda: repeat("[^"),
    "footnote labels with brackets": lambda: "[^a[]: b\n\n" + repeat("[^a[] "),
    "a table with many columns": lambda: "|a" * 300_000 + "\n" + "|-" * 300_000 + "\n" + "|a\n" * 200_000,
    "a table with 1,000 columns": lambda: "|a" * 1_000 + "\n" + "|-" * 1_000 + "\n" + repeat("|a\n"),
    "a table with many rows": lambda: "|a|b|\n|-|-|\n" + repeat("|c|d|\n"),
    "pipes": lambda: repeat("|"),
    "table headers": lambda: repeat("|a|\n|-|\n"),
    "lines that could be a table": lambda: repeat("a\n|-|\n"),
    "a paragraph before a table": lambda: repeat("a|b\n") + "-|-\n",
    "delimiter rows": lambda: repeat("|-|-|\n"),
    "pipes escaped in cells": lambda: "|a|\n|-|\n|" + repeat("\\|"),
    "autolinks of www": lambda: repeat("www."),
    "autolinks of www and words": lambda: repeat("www.a "),
    "autolinks of addresses": lambda: repeat("a@"),
    "at signs": lambda: repeat("@"),
    "mail addresses": lambda: repeat("a@b.c "),
    "mail addresses in one word": lambda: repeat("a@b.c_"),
    "schemes": lambda: repeat("http://"),
    "colons and slashes": lambda: repeat("://"),
    "an autolink with parentheses": lambda: "http://a.b/" + half("(", ")"),
    "an autolink with entities": lambda: "http://a.b/" + repeat("&amp;"),
    "an autolink with underscores": lambda: "http://" + repeat("a_b."),
    "autolinks": lambda: repeat("http://a.b "),
    "angle autolinks": lambda: repeat("<http:a>"),
    "angle brackets": lambda: repeat("<"),
    "schemes in angle brackets": lambda: repeat("<a:"),
    "tags without end": lambda: repeat("<a b"),
    "attributes without end": lambda: repeat('<a b="'),
    "comments without end": lambda: repeat("a <!-- "),
    "comments of one dash": lambda: repeat("a <!--a-"),
    "CDATA without end": lambda: repeat("a <![CDATA["),
    "processing instructions without end": lambda: repeat("a <?"),
    "declarations without end": lambda: repeat("a <!A "),
    "HTML blocks": lambda: repeat("<div>\n\n"),
    "HTML blocks without end": lambda: repeat("<script>\n"),
    "tags in lines": lambda: repeat("a <b>\n"),
    "entities": lambda: repeat("&amp;"),
    "entities without end": lambda: repeat("&a"),
    "numeric entities": lambda: repeat("&#1;"),
    "escapes": lambda: repeat("\\*"),
    "hard line breaks": lambda: repeat("a  \n"),
    "spaces": lambda: "a" + repeat(" ") + "b",
    "tabs": lambda: repeat("\t"),
    "spaces before line ends": lambda: repeat("a" + " " * 100 + "\n"),
    "thematic breaks": lambda: repeat("***\n"),
    "dashes": lambda: repeat("- " * 500 + "a\n"),
    "self-closed scripts": lambda: repeat("<script />\n"),
    "self-closed scripts without end": lambda: repeat("<script a"),
    "self-closed scripts with slashes": lambda: repeat("<script /"),
    "shortcodes": lambda: repeat("{{<a"),
}

ANY = {
    "one letter": lambda: repeat("a"),
    "one long line of words": lambda: repeat("word "),
    "paragraphs": lambda: repeat("a\n\n"),
    "lines": lambda: repeat("\n"),
    "carriage returns": lambda: repeat("\r"),
    "NUL characters": lambda: repeat("\0"),
    "ideographs": lambda: repeat("日本"),
    "emoji": lambda: repeat("👩‍👩‍👧"),
    "combining marks": lambda: "a" + repeat("\u0301"),
    "right-to-left marks": lambda: repeat("\u202e"),
    "no-break spaces": lambda: repeat("\xa0"),
    "ampersands": lambda: repeat("&"),
    "greater-than signs": lambda: repeat("a>"),
    "quotation marks": lambda: repeat("\"'"),
}

FORMATTING = "".join(f"<b title={i}>" for i in range(1_000))

HTML = {
    "nested elements": lambda: repeat("<div>"),
    "nested unknown elements": lambda: repeat("<x>"),
    "nested elements closed wrongly": lambda: repeat("<div></x>"),
    "nested elements closed in comments": lambda: repeat("<div><!--</div>-->"),
    "nested elements closed in attributes": lambda: repeat("<div><a b='</div>'>"),
    "nested elements closed in text": lambda: repeat("<div><textarea></div></textarea>"),
    "nested elements closed in cells": lambda: repeat("<div><table><tr><td></div></td></tr></table>"),
    "nested elements closed in CDATA": lambda: repeat("<svg><div><![CDATA[></div>]]></svg>"),
    "nested elements after empty comments": lambda: repeat("<!--><div>-->"),
    "elements that nest by exception": lambda: repeat("<li><dd>"),
    "list items closed wrongly": lambda: repeat("<b><li></b><b><dd></b>"),
    "nested ruby": lambda: repeat("<rt>"),
    "nested tables": lambda: repeat("<table><td>"),
    "nested formatting": lambda: repeat("<b title={i}>"),
    "nested elements, then siblings": lambda: "<div>" * 3_000 + repeat("<p></p>"),
    "formatting in paragraphs": lambda: repeat("<p><b title={i}>"),
    "formatting copied into paragraphs": lambda: f"<p>{FORMATTING}</p>" + repeat("<p>a"),
    "formatting with attributes copied into paragraphs": lambda: (
        "".join(f"<font a={i} b c d e f g h i>" for i in range(500)) + "<p>a" * 500
    ),
    "a long class copied into paragraphs": lambda: f"<b class='{'wp-a ' * 40_000}'>" + "<p>x" * 2_000,
    "elements that are not closed": lambda: "<rt>" * 20_000,
    "a long attribute copied into paragraphs": lambda: f"<p><b title={'a' * 1_000_000}></p>" + "<p>a" * 9_000,
    "formatting copied into cells": lambda: FORMATTING + repeat("<table><td>"),
    "a long attribute copied after an empty comment": lambda: (
        f"<!--><p><b title={'a' * 1_000_000}></p>" + "<p>a" * 9_000
    ),
    "a long attribute copied in the title of an SVG": lambda: (
        f"<svg><title><p><b title={'a' * 1_000_000}></p>" + "<p>a" * 9_000
    ),
    "attributes in the title of an SVG": lambda: "<svg><title><a " + repeat("b{i} "),
    "attributes in the titles of SVGs": lambda: repeat("<svg><title><a " + "b=" * 5_000 + "></title></svg>"),
    "attributes after ignored tags": lambda: "<select><title></select><a " + repeat("b{i} "),
    "attributes in CDATA": lambda: "<![CDATA[ ><a " + repeat("b{i} "),
    "links to new tabs": lambda: repeat("<a href=b target=_blank>c</a>"),
    "a long rel": lambda: f'<a target=_blank rel="{repeat("tag ")}">b</a>',
    "links": lambda: repeat("<a href=b>c"),
    "adoption": lambda: repeat("<a><p></a>"),
    "text moved before a table": lambda: (
        repeat("<i></i>")[: SIZE // 2] + "<table>" + repeat("a<tr>")[: SIZE // 2]
    ),
    "elements moved before a table": lambda: "<table>" + repeat("<b>a</b>"),
    "tables of text": lambda: repeat("<table>a"),
    "tables closed in elements": lambda: repeat("<table><tr><td><div></td>a</tr>"),
    "attributes": lambda: "<a " + repeat("b{i} "),
    "attributes with markup between them": lambda: "<a " + repeat("b{i}='>' <c "),
    "attributes of the page": lambda: repeat("<html a{i}=b>"),
    "attributes that are kept": lambda: repeat("<p id=a{i} lang=b dir=c title=d>"),
    "ids": lambda: repeat("<p id=a{i}>"),
    "equal ids": lambda: repeat("<p id=a>"),
    "names": lambda: repeat("<a name=top href=#top>b</a>"),
    "classes": lambda: f'<p class="{repeat("a ")}">',
    "different classes": lambda: f'<p class="{repeat("w{i} ")}">',
    "a long class": lambda: f'<p class="wp-{repeat("a-")}">',
    "a long URL": lambda: f'<a href="{repeat("http://a")}">b</a>',
    "a long srcset": lambda: f'<img srcset="{repeat("a")}">',
    "a srcset with many schemes": lambda: f'<img srcset="{repeat("a: ")}">',
    "srcsets": lambda: repeat('<img srcset="a 1x">'),
    "a long style": lambda: f'<table><tr><td style="{repeat("; ")}">',
    "styles": lambda: "<table><tr>" + repeat("<td style=text-align:left>a</td>"),
    "a long headers attribute": lambda: f'<table><tr><td headers="{repeat("a ")}">',
    "a long fragment": lambda: f'<p id=top><a href="#{repeat("%41")}">b</a>',
    "iframes": lambda: repeat("<iframe></iframe>"),
    "iframes without end": lambda: repeat("<iframe>"),
    "embeds": lambda: repeat("<iframe src=//youtube.com/a></iframe>"),
    "a long embed": lambda: f'<iframe src="//youtube.com/{repeat("a")}"></iframe>',
    "self-closed scripts": lambda: repeat("<script />"),
    "self-closed scripts without end": lambda: repeat("<script a"),
    "self-closed scripts with slashes": lambda: repeat("<script /"),
    "self-closed scripts with braces": lambda: "<script " + repeat("{"),
    "scripts": lambda: repeat("<script></script>"),
    "noscripts": lambda: repeat("<noscript>"),
    "noscripts without end": lambda: repeat("<noscript "),
    "comments": lambda: repeat("<!---->a"),
    "line breaks": lambda: repeat("<br>"),
    "end tags": lambda: repeat("</p>"),
    "options": lambda: repeat("<select><option>"),
    "inputs": lambda: repeat("<input>"),
    "SVG": lambda: repeat("<svg><p>"),
    "MathML": lambda: repeat("<math><mi>"),
    "templates": lambda: repeat("<template>"),
    "plain text": lambda: "<plaintext>" + repeat("<b>"),
    "headings without end": lambda: repeat("<h1>"),
    "headings with markup": lambda: repeat("<h1><b></h1>"),
}
NAMED_PATTERNS = [
    *(("markdown", f"Markdown: {name}", make) for name, make in (MARKDOWN | ANY).items()),
    *(("html", f"HTML: {name}", make) for name, make in HTML.items()),
    *(("text", f"text: {name}", make) for name, make in ANY.items()),
]
PATTERNS = [pytest.param(content_type, make, id=name) for content_type, name, make in NAMED_PATTERNS]


class Inspector(HTMLParser):
    """Collects the tags and attributes that rendered content must not contain."""

    def __init__(self, html):
        super().__init__()
        self.unsafe = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "style", "svg", "template", "plaintext", "textarea"):
            self.unsafe.append(tag)
        self.unsafe += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.mark.once
@pytest.mark.parametrize(("content_type", "make"), PATTERNS)
def test_hostile_content_is_rendered_in_linear_time(content_type, make, monkeypatch):
    render_in_linear_time(content_type, make, SIZE // 64, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("content_type", "make"), PATTERNS[::24])
def test_long_hostile_content_is_rendered_in_linear_time(content_type, make, monkeypatch):
    render_in_linear_time(content_type, make, SIZE, monkeypatch)


def render_in_linear_time(content_type, make, size, monkeypatch):
    def render(size):
        monkeypatch.setattr(sys.modules[__name__], "SIZE", size)
        content = make()
        start = time.thread_time()
        rendered = renderer.render_text(content, content_type)
        return rendered, time.thread_time() - start

    rendered, seconds = render(size)
    if seconds > SUSPICIOUS_SECONDS:
        # Other processes can only make a measurement longer.
        assert min(seconds, render(size)[1]) < MAX_GROWTH * min(render(size // 4)[1] for _ in range(3))
    # The beginning and the end are enough to see whether markup is escaped.
    for part in (rendered.html[:20_000], rendered.html[-20_000:].partition("<")[2]):
        assert Inspector(part).unsafe == []


HIGHLIGHTED_CODE = (
    '<p>a <b>b</b> <iframe src="https://a.example"></p><pre><code>'
    + '<span class="line"><span style="color:#abc">const</span> x = <span>1</span></span>\n' * 5
    + '</code></pre><svg viewBox="0 0 1 1"><g><path d="M0 0"/><path d="M1 1"/></g></svg></iframe>\n\n'
)


@pytest.mark.parametrize(
    "content",
    [
        "# Heading\n\nA paragraph with *emphasis*, `code` and [a link](/b).\n\n",
        "<div><p>a <b>bold</b> paragraph<br>and an <img src=/a.png></p></div>\n\n",
        "- a\n- b\n\n1. c\n\n> quoted\n\n",
        "<ul><li>a<li>b</ul>\n<p>c\n<p><a name=d>e</a>\n\n",
        "<table><tr><td>a<td><table><tr><td>b</table><tr><td>c</table>\n\n",
        "<p>if a < b, then <b>c > d</b> & e</p>\n\n",
        HIGHLIGHTED_CODE,
    ],
)
def test_a_long_ordinary_article_is_rendered(content):
    long = content * (100_000 // len(content))
    assert (
        "<p>" in renderer.render_text(long, "markdown").html
        or "<table>" in renderer.render_text(long, "html").html
    )


def test_equal_headings_get_different_ids():
    html = renderer.render_text("# a\n" * 1_000, "markdown").html
    assert [f'id="{name}"' in html for name in ("a", "a-1", "a-999", "a-1000")] == [True, True, True, False]


def test_headings_after_the_maximum_number_of_ids_have_no_id():
    html = renderer.render_text("# a\n" * (sanitizer.MAX_HEADING_IDS + 1), "markdown").html
    assert html.count("<h1 id=") == sanitizer.MAX_HEADING_IDS and html.endswith("<h1>a</h1>\n")


def test_rendering_derives_html_text_excerpt_lengths_and_headings():
    assert renderer.render_text("# One\n\n*two* &amp; three", "markdown") == renderer.RenderedContent(
        html='<h1 id="one">One</h1>\n<p><em>two</em> &amp; three</p>\n',
        plain_text="One two & three",
        excerpt="two & three",
        reading_minutes=1,
        word_count=4,
        toc=(renderer.Heading(1, "One", "one"),),
    )


MARKDOWN_OF_10_KB = (
    "A *word* with [a link](/b), ~~this~~ and `code`[^1].\n\n" * 200 + "[^1]: note\n\n[^2]: unused"
)


def test_rendering_in_several_threads_gives_the_same_result():
    expected = renderer.render_text(MARKDOWN_OF_10_KB, "markdown")
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(renderer.render_text, [MARKDOWN_OF_10_KB] * 40, ["markdown"] * 40)
        assert all(result == expected for result in results)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory is read from /proc")
@pytest.mark.parametrize("content", [MARKDOWN_OF_10_KB, "", "[a]: b", "a"])
def test_rendering_leaks_no_memory(content):
    def render_often():
        for _ in range(30):
            markdown.render_markdown(content)
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])

    render_often()
    before = render_often()
    # If the memory is not freed, 30 documents occupy 30 MB, which is 7,500 memory pages.
    assert render_often() - before < 1_000
