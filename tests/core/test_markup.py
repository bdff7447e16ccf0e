"""Content as safe HTML, as words, and how long it takes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.core import markup

ADDRESSES = {"href", "src", "poster", "action", "formaction", "cite", "data", "srcset", "background"}
DANGEROUS = {"script", "style", "object", "embed", "form", "base", "meta", "link", "svg", "math", "template"}


class Inspector(HTMLParser):
    """Collects what a browser would find in the HTML."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def assert_safe(written: str) -> None:
    for tag, attributes in Inspector(written).tags:
        assert tag not in DANGEROUS, written
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("srcdoc", "xlink:href"), written
            if name == "style":
                assert re.fullmatch(r"text-align:\s*\w+;?", value), written
            if name in ADDRESSES:
                plain = re.sub(r"[\s\x00-\x20]", "", value).casefold()
                assert not re.search(r"(^|,)(javascript|vbscript|data|file):", plain), written
        if tag == "iframe" and "src" in attributes:
            host = attributes["src"].removeprefix("https://").partition("/")[0]
            assert host.casefold() in markup.EMBED_HOSTS, written
    assert "<script" not in written.casefold()


ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x OnErRoR=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    '<img src="x"onerror="alert(1)">',
    "<img src=javascript:alert(1)>",
    '<img srcset="javascript:alert(1) 1x, data:image/svg+xml,x 2x">',
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>a</text></a></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<math><a xlink:href="javascript:alert(1)">a',
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>a</a>",
    "<a href=JaVaScRiPt:alert(1)>a</a>",
    '<a href=" javascript:alert(1)">a</a>',
    '<a href="java\tscript:alert(1)">a</a>',
    '<a href="java&#10;script:alert(1)">a</a>',
    '<a href="&#106;avascript:alert(1)">a</a>',
    '<a href="&#x6A&#x61vascript:alert(1)">a</a>',
    '<a href="\x01javascript:alert(1)">a</a>',
    "<a href=vbscript:x>a</a>",
    "<a href=data:text/html,<script>alert(1)</script>>a</a>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe src=https://evil.example/></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    '<iframe src="https://www.youtube.com.evil.example/embed/a"></iframe>',
    '<iframe src="https://www.youtube.com@evil.example/embed/a"></iframe>',
    '<iframe src="https://evil.example\\@www.youtube.com/embed/a"></iframe>',
    '<iframe src="https://evil.example/?https://www.youtube.com/embed/a"></iframe>',
    '<iframe src="https:evil.example//www.youtube.com/"></iframe>',
    '<iframe src="https://www.youtube.com:evil@evil.example/"></iframe>',
    '<iframe src="https://["></iframe>',
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>a</button></form>",
    "<input onfocus=alert(1) autofocus>",
    "<details ontoggle=alert(1) open>a</details>",
    "<video poster=javascript:alert(1) onloadstart=alert(1)><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<style>@import 'https://evil.example';</style>",
    '<p style="background:url(javascript:alert(1))">a</p>',
    '<td style="text-align:left;background:url(javascript:alert(1))">a</td>',
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=//evil.example/>",
    "<table background=javascript:alert(1)><tr><td>a</table>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
    "<xmp><img title='</xmp><img src=x onerror=alert(1)>'>",
    "<a href='x' target=_blank style='position:fixed'>a</a>",
    "[a](javascript:alert(1))",
    "[a](<java\nscript:alert(1)>)",
    "![a](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    "```<script>\nalert(1)\n```",
    '```"onload="alert(1)\na\n```',
    "`<script>alert(1)</script>`",
    "[^<script>]: a\n\n[^<script>]",
    "- [ ] <img src=x onerror=alert(1)>",
    '|a|\n|-|\n|<img src=x onerror="alert(1)">|',
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_does_nothing(attack):
    for kind in ("html", "markdown", "text"):
        assert_safe(markup.html(attack, kind))
        markup.excerpt(markup.plain(markup.html(attack, kind)))


ATOMS = st.sampled_from(
    [
        *("<", ">", "</", "/>", "'", '"', "=", " ", "\n", "&", ";", "&#", "<!--", "-->", "<![CDATA[", "]]>"),
        *("script", "img", "svg", "math", "iframe", "a", "style", "table", "td", "p", "input", "noscript"),
        *("onerror", "onload", "href", "src", "srcset", "style", "title", "class", "javascript:", "data:"),
        *("https://www.youtube.com/embed/a", "//evil.example", "alert(1)", "\x00", "\t", "`", "[", "](", ")"),
        *("|", "-", "[^1]", "[^1]:", "- [ ] ", "> ", "#", "*", "_", "~~", "\\", "é", "日", "🎉"),
    ]
)


@settings(deadline=None)
@given(st.lists(ATOMS, max_size=25).map("".join), st.sampled_from(["html", "markdown", "text"]))
def test_no_content_breaks_the_rendering_or_gets_through_it(content, kind):
    assert_safe(markup.html(content, kind))
    words = markup.plain(markup.html(content, kind))
    assert len(markup.excerpt(words)) <= markup.EXCERPT
    assert markup.reading_minutes(words) >= 1


@settings(deadline=None)
@given(st.text(), st.sampled_from(["html", "markdown", "text"]))
def test_no_text_breaks_the_rendering(content, kind):
    assert_safe(markup.html(content, kind))
    assert markup.reading_minutes(markup.excerpt(markup.plain(markup.html(content, kind)))) == 1


@settings(deadline=None)
@given(st.text())
def test_rendering_is_the_same_each_time(content):
    assert markup.html(content, "markdown") == markup.html(content, "markdown")


KEPT = [
    '<img src="/media/a.jpg" alt="A" width="1" height="2" loading="lazy">',
    '<img src="a.jpg" srcset="a.jpg 1x, https://example.org/b.jpg 2x" sizes="50vw">',
    '<h2 id="a">A</h2>',
    "<blockquote>a</blockquote>",
    '<ol start="3"><li>a</li></ol>',
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td colspan="2">b</td></tr></tbody></table>',
    '<pre><code class="language-python">x = 1\n</code></pre>',
    "<figure><figcaption>a</figcaption></figure>",
    "<details><summary>a</summary>b</details>",
    '<p lang="fr" dir="ltr">a</p>',
    '<iframe src="https://www.youtube.com/embed/a" width="1" height="2" allowfullscreen=""></iframe>',
    '<iframe src="https://player.vimeo.com/video/1"></iframe>',
    '<video src="/a.mp4" controls="" poster="/a.jpg"></video>',
    '<audio src="/a.mp3" controls=""></audio>',
    "<p>a<br>b<sub>c</sub><sup>d</sup><kbd>e</kbd><mark>f</mark><del>g</del><abbr>h</abbr></p>",
    '<td style="text-align:right">a</td>',
]


@pytest.mark.parametrize("content", KEPT)
def test_what_writers_use_survives(content):
    wrapped = f"<table><tbody><tr>{content}</tr></tbody></table>" if content.startswith("<td") else content
    assert markup.html(wrapped, "html") == wrapped


def test_a_link_survives_and_does_not_hand_over_the_page():
    assert (
        markup.html('<a href="https://example.org/">a</a>', "html")
        == '<a href="https://example.org/" rel="noopener noreferrer">a</a>'
    )


@pytest.mark.parametrize(
    "src", ["//www.youtube.com/embed/a", "http://www.youtube.com/embed/a", "HTTPS://www.youtube.com/embed/a"]
)
def test_a_frame_of_a_known_host_goes_over_tls(src):
    assert (
        markup.html(f'<iframe src="{src}"></iframe>', "html")
        == '<iframe src="https://www.youtube.com/embed/a"></iframe>'
    )


@pytest.mark.parametrize("written", ["<input>", "<input type=text>", "<input type=image src=x>"])
def test_an_input_is_a_box(written):
    assert 'type="checkbox"' in markup.html(written, "html")
    assert "src" not in markup.html(written, "html")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# A", '<h1 id="a">A</h1>'),
        ("```python\nx\n```", '<pre><code class="language-python">x\n</code></pre>'),
        ("~~a~~", "<s>a</s>"),
        ("|a|\n|-:|\n|b|", '<th style="text-align:right">a</th>'),
        ("- [x] a", 'checked="checked"'),
        ("a[^1]\n\n[^1]: b", '<sup class="footnote-ref"><a href="#fn1" id="fnref1"'),
        ("a[^1]\n\n[^1]: b", '<li id="fn1" class="footnote-item">'),
        ("![a](/a.jpg)", '<img src="/a.jpg" alt="a">'),
        ("<figure>a</figure>", "<figure>a</figure>"),
        ("[a](mailto:a@example.org)", 'href="mailto:a@example.org"'),
    ],
)
def test_markdown_renders(content, expected):
    assert expected in markup.html(content, "markdown")


def test_text_keeps_its_paragraphs_and_lines():
    assert markup.html("a\nb\n\n<b>&c", "text") == "<p>a<br>\nb</p>\n<p>&lt;b&gt;&amp;c</p>\n"


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
    ],
)
def test_plain_text_is_the_words_in_one_line(content, kind, words):
    assert markup.plain(markup.html(content, kind)) == words


def test_an_excerpt_ends_between_words():
    assert markup.excerpt("short") == "short"
    assert markup.excerpt("word " * 100) == "word " * 38 + "word…"
    assert len(markup.excerpt("x" * 500)) == markup.EXCERPT


@pytest.mark.parametrize(
    ("words", "minutes"), [("", 1), ("a " * 220, 1), ("a " * 221, 2), ("日" * 1000, 2), ("日" * 1001, 3)]
)
def test_reading_takes_minutes(words, minutes):
    assert markup.reading_minutes(words) == minutes


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
def test_what_blogs_write_in_markdown_survives(written, shown):
    assert shown in markup.html(written, "markdown")


def test_a_frame_of_an_unknown_host_leaves_no_empty_box():
    shown = markup.html('<p>a</p><iframe src="https://evil.example/" width="1"></iframe><p>b</p>', "html")
    assert shown == "<p>a</p><p>b</p>"


@pytest.mark.parametrize("content_type", ["html", "markdown"])
def test_what_is_nested_deeper_than_any_page_is_shown_as_text(content_type):
    shown = markup.html("<div>" * 10_001 + "deep", content_type)
    assert Inspector(shown).tags == [] and markup.plain(shown).startswith("<div><div>")


@pytest.mark.parametrize(
    "written", ["<div><b>a</b></div>", "<p>a<br>", "<ul><li>a</ul>", "</div><div></div></div>"]
)
def test_a_long_page_is_not_a_deep_one(written):
    assert Inspector(markup.html(written * 6_000, "html")).tags
