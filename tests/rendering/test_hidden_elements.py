"""Elements with the attribute `hidden`, whose text no reader sees."""

from __future__ import annotations

from time import process_time

import pytest

from blogapi.rendering.hidden_elements import remove_hidden_elements
from blogapi.rendering.renderer import render_text

ENDING_A_PARAGRAPH = """address article
    aside blockquote caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h6 header hgroup hr li listing main menu nav ol plaintext pre search
    section
    summary table td tr ul xmp"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a<div hidden>x<div>y</div>z</div>b", "ab"),
        ('<DIV class="a"HIDDEN=x>x</DIV>b', "b"),
        ('<div title="a > b" hidden="">x</div>b', "b"),
        ("<div/hidden>x</div>b", "b"),
        ("a<img hidden><br hidden/>b", "ab"),
        ("<pre hidden>x</pre><svg hidden><path/><text>x</text></svg>b", "b"),
        ("<form hidden>x</form><x-y hidden>x</x-y><main hidden>x</main>b", "b"),
        ("<iframe hidden><div></iframe>b", "b"),
        # An element without an end tag ends where another start tag closes it, or with the text.
        ("a<div hidden>x<p>y", "a"),
        ("<section>a<div hidden>x<p>y</section>b", "<section>a"),
        ("<p>a<span hidden>x<div>b</div>", "<p>a"),
        ("<p hidden>x<p>a", "<p>a"),
        ("<ul><li>a<li hidden>x<li>b</ul>", "<ul><li>a<li>b</ul>"),
        ("<dl><dt hidden>x<dd>b</dl>", "<dl><dd>b</dl>"),
        ("<table><tr hidden><td>x<td>y<tr><td>b</table>", "<table><tr><td>b</table>"),
        *((f"<p hidden>x<{name}>b", f"<{name}>b") for name in ENDING_A_PARAGRAPH.split()),
        ("<table><tbody hidden><tr><td>x<thead><tr><td>b</table>", "<table><thead><tr><td>b</table>"),
        # The end tag of an element around it ends it too.
        ("<ul><li hidden>x</ul><p>b", "<ul></ul><p>b"),
        ("<ul><li>a<ul><li hidden>x<p>y<ul><li>z</ul></UL>b</ul>", "<ul><li>a<ul></UL>b</ul>"),
        ("<article><p hidden>x<b>y</b></article>b", "<article></article>b"),
        ("<li><p hidden>x</li>b", "<li></li>b"),
        ("<dl><dt>a<dd hidden>x</dl>b", "<dl><dt>a</dl>b"),
        ("<table><tr><td>a<td hidden>x</tr></table>b", "<table><tr><td>a</tr></table>b"),
        ("<table><tr><td hidden>x</table>b", "<table><tr></table>b"),
        ("<table><tr><th>a<tbody hidden><tr><td>x</td></tr>y</table>b", "<table><tr><th>a</table>b"),
        # Browsers ignore end tags of elements that are not open, or outside of the table.
        ("<p hidden>x</div>y", ""),
        ("<div>a</div><ul><li hidden>x</div>y</ul>b", "<div>a</div><ul></ul>b"),
        ("<div><table><tr><td hidden>x</div>y</table>b", "<div><table><tr></table>b"),
        ("<b><p hidden>x</b>y", "<b>"),
        # An end tag of another element does not end it.
        ("<span hidden>x<div>y</span>z</div></div>w", ""),
        ("<div hidden><table><tr><td>x</div>y</td></tr></table></div>b", "b"),
        # Browsers open elements of formatting again behind their parent.
        ("<p>a<b hidden>x</p><p>y</b>b</p>", "<p>a"),
        ("<div hidden>x<b hidden>y</div>z</b>", ""),
        ("<b hidden>x<div>y</b>b</div>", ""),
        ("<thead hidden><tr><td>x</thead>b", "b"),
        ("<li hidden>x<ul><li>y<li>z</ul></li>b", "b"),
        # The end tag is in a comment for browsers.
        ("<div hidden>x<? </div>y", ""),
    ],
)
def test_a_hidden_element_is_removed_with_its_content(written, expected):
    assert remove_hidden_elements(written) == expected


@pytest.mark.parametrize(
    "shown",
    [
        '<div hidden="until-found">a</div>',
        "<div hidden=until-found hidden>a</div>",
        "<Tab hidden={false}>a</Tab>",
        '<p class="hidden" id=hidden aria-hidden="true" data-hidden>a</p>',
        '<input type="hidden"><a href="/hidden/">the hidden</a>',
        "<details><summary>hidden</summary>a</details>",
        "<!-- <div hidden> -->a<script>'<div hidden>'</script>",
        "<div title=' hidden '>&lt;div hidden&gt;</div>",
        "a < b hidden > c",
    ],
)
def test_what_browsers_show_stays(shown):
    assert remove_hidden_elements(shown) == shown


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        ("<h2>Shown</h2><div hidden><h2>Secret</h2><p>secret words</p></div>a", "html"),
        ("## Shown\n\n<div hidden>\n\n## Secret\n\nsecret *words*\n\n</div>\n\na", "markdown"),
        ("## Shown <span hidden>secret words</span>\n\na", "markdown"),
    ],
)
def test_no_text_that_is_made_of_the_content_has_hidden_words(content, content_type):
    rendered = render_text(content, content_type)
    assert "secret" not in repr(rendered).casefold()
    assert (rendered.plain_text, rendered.excerpt, rendered.word_count) == ("Shown a", "a", 2)
    assert [heading.text for heading in rendered.toc] == ["Shown"]


def test_a_text_that_would_take_long_to_render_has_no_hidden_words():
    html = render_text("<div hidden>secret</div>" + "*a* " * 300_000, "markdown").html
    assert "*a*" in html
    assert "secret" not in html


def test_hidden_words_in_code_and_in_plain_text_stay():
    assert "div hidden" in render_text("`<div hidden>`", "markdown").plain_text
    assert "div hidden" in render_text("<div hidden>", "text").plain_text


@pytest.mark.parametrize(
    "repeated",
    [
        "<div hidden>",
        "<div hidden",
        '<a b="',
        "<a b='\"",
        "<!--",
        "<i hidden><p>",
        "</i>",
        "<li>",
        "<span></b>",
        *("<table>", "<ul></div>", "</div>"),
        *("<script>", "<a b={", "<a b={{", "<td><div>", "< hidden"),
    ],
)
def test_hostile_html_takes_linear_time(repeated):
    def measure(length):
        start = process_time()
        remove_hidden_elements("<p hidden>" + repeated * (length // len(repeated)))
        return process_time() - start

    measure(1_000)
    limit = 12 * measure(20_000) + 0.1
    # A collection of garbage can only make a measurement longer.
    assert any(measure(80_000) < limit for _ in range(3))
