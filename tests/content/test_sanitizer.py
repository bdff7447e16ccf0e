"""Sanitized HTML, plain text, excerpts and reading time."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.content import markdown, plain_text, sanitizer
from blogapi.content.page_globals import PAGE_GLOBALS

URL_ATTRIBUTES = {"href", "src", "poster", "action", "formaction", "cite", "data", "srcset", "background"}
DANGEROUS = {"script", "style", "object", "embed", "form", "base", "meta", "link", "svg", "math", "template"}


class Inspector(HTMLParser):
    """Collects the tags of HTML with their attributes."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def assert_safe(html: str) -> None:
    for tag, attributes in Inspector(html).tags:
        assert tag not in DANGEROUS, html
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("srcdoc", "xlink:href"), html
            assert name != "style", html
            if name in ("id", "name"):
                assert value not in PAGE_GLOBALS, html
            if name in URL_ATTRIBUTES:
                plain = re.sub(r"[\s\x00-\x20]", "", value).casefold()
                assert not re.search(r"(^|,)(javascript|vbscript|data|file):", plain), html
        if tag == "iframe":
            host = attributes["src"].removeprefix("https://").partition("/")[0]
            assert host.casefold() in sanitizer.EMBED_HOSTS, html
    assert "<script" not in html.casefold()


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
def test_an_attack_leaves_nothing_dangerous(attack):
    for kind in ("html", "markdown", "text"):
        assert_safe(sanitizer.to_safe_html(attack, kind))
        plain_text.make_excerpt(plain_text.to_plain_text(sanitizer.to_safe_html(attack, kind)))


ATOMS = st.sampled_from(
    [
        *("<", ">", "</", "/>", "'", '"', "=", " ", "\n", "&", ";", "&#", "<!--", "-->", "<![CDATA[", "]]>"),
        *("script", "img", "svg", "math", "iframe", "a", "style", "table", "td", "p", "input", "noscript"),
        *("title", "textarea", "select", "xmp", "template", "id=location", "id=fn1", "name=cookie", "#fn1"),
        *("onerror", "onload", "href", "src", "srcset", "style", "title", "class", "javascript:", "data:"),
        *("https://www.youtube.com/embed/a", "//evil.example", "alert(1)", "\x00", "\t", "`", "[", "](", ")"),
        *("|", "-", "[^1]", "[^1]:", "- [ ] ", "> ", "#", "*", "_", "~~", "\\", "é", "日", "🎉"),
    ]
)


@settings(deadline=None)
@given(st.lists(ATOMS, max_size=25).map("".join), st.sampled_from(["html", "markdown", "text"]))
def test_any_content_renders_to_safe_html(content, kind):
    safe = sanitizer.to_safe_html(content, kind)
    assert_safe(safe)
    assert sanitizer.to_safe_html(safe, "html") == safe
    words = plain_text.to_plain_text(safe)
    assert len(plain_text.make_excerpt(words)) <= plain_text.MAX_EXCERPT_LENGTH
    assert plain_text.estimate_reading_minutes(words) >= 1


@settings(deadline=None)
@given(st.text(), st.sampled_from(["html", "markdown", "text"]))
def test_any_text_renders_to_safe_html(content, kind):
    assert_safe(sanitizer.to_safe_html(content, kind))
    assert (
        plain_text.estimate_reading_minutes(
            plain_text.make_excerpt(plain_text.to_plain_text(sanitizer.to_safe_html(content, kind)))
        )
        == 1
    )


@settings(deadline=None)
@given(st.text())
def test_rendering_is_deterministic(content):
    assert sanitizer.to_safe_html(content, "markdown") == sanitizer.to_safe_html(content, "markdown")


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
    '<td align="right">a</td>',
]


@pytest.mark.parametrize("content", KEPT)
def test_common_html_is_kept(content):
    wrapped = f"<table><tbody><tr>{content}</tr></tbody></table>" if content.startswith("<td") else content
    assert sanitizer.to_safe_html(wrapped, "html") == wrapped


def test_a_link_is_kept_and_gets_rel_noopener():
    assert (
        sanitizer.to_safe_html('<a href="https://example.org/">a</a>', "html")
        == '<a href="https://example.org/" rel="noopener noreferrer">a</a>'
    )


@pytest.mark.parametrize(
    "src", ["//www.youtube.com/embed/a", "http://www.youtube.com/embed/a", "HTTPS://www.youtube.com/embed/a"]
)
def test_an_embed_of_an_allowed_host_uses_https(src):
    assert (
        sanitizer.to_safe_html(f'<iframe src="{src}"></iframe>', "html")
        == '<iframe src="https://www.youtube.com/embed/a"></iframe>'
    )


@pytest.mark.parametrize("written", ["<input>", "<input type=text>", "<input type=image src=x>"])
def test_an_input_becomes_a_checkbox(written):
    assert 'type="checkbox"' in sanitizer.to_safe_html(written, "html")
    assert "src" not in sanitizer.to_safe_html(written, "html")


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
    ],
)
def test_plain_text_is_one_line_without_markup(content, kind, words):
    assert plain_text.to_plain_text(sanitizer.to_safe_html(content, kind)) == words


def test_an_excerpt_is_cut_between_words():
    assert plain_text.make_excerpt("short") == "short"
    assert plain_text.make_excerpt("word " * 100) == "word " * 38 + "word…"
    assert len(plain_text.make_excerpt("x" * 500)) == plain_text.MAX_EXCERPT_LENGTH


@pytest.mark.parametrize(
    ("words", "minutes"),
    [
        *[("", 1), ("a " * 220, 1), ("a " * 221, 2), ("日" * 1000, 2), ("日" * 1001, 3)],
        *[("\uf900" * 1001, 3), ("ꀀꀁꀂꀃꀄ " * 220, 1)],
    ],
)
def test_reading_time_is_estimated_in_minutes(words, minutes):
    assert plain_text.estimate_reading_minutes(words) == minutes


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


EMBED = '<iframe src="https://www.youtube.com/embed/a"></iframe>'
CODE = "foo<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('a<iframe src="https://evil.example/" width="1"></iframe>b', "ab"),
        (f"a<iframe>{CODE}</iframe>b", "ab"),
        (f"a<iframe src=//evil.example>{CODE}</iframe>b", "ab"),
        (f"a<iframe src=//evil.example>{CODE}", "a"),
        (f"a<iframe src=https://www.youtube.com/embed/a>{CODE}</iframe>b", f"a{EMBED}b"),
        (f"a<iframe src=https://www.youtube.com/embed/a>{CODE}", f"a{EMBED}"),
        ("a<iframe src=https://www.youtube.com/embed/a><iframe></iframe>c</iframe>b", f"a{EMBED}cb"),
        ("a<iframe><iframe src=https://www.youtube.com/embed/a></iframe>c</iframe>b", "acb"),
        ("a<iframe><noscript></iframe><img src=x onerror=alert(1)></noscript>", 'a<img src="x">'),
        ("a<iframe><!--</iframe><img src=x onerror=alert(1)>-->", 'a<img src="x">--&gt;'),
        ("a<iframe></iframex><b>b</b></iframe >c", "ac"),
        ("a<IFRAME SRC=x>foo\nbar</IFRAME\n>b", "ab"),
        ("a<iframe title=' src='>foo</iframe>b", "ab"),
        ("a<iframe title=' src=\"https://www.youtube.com/\"'>foo</iframe>b", "ab"),
        ("a<iframe title='></iframe><b>'>foo</iframe>b", "ab"),
        ("a<svg><iframe>foo<script>alert(1)</script></iframe></svg>b", "ab"),
        ("a<math><iframe></math>b", "ab"),
    ],
)
def test_an_iframe_is_an_allowed_embed_or_is_dropped_with_its_content(written, shown):
    assert sanitizer.to_safe_html(written, "html") == shown
    assert sanitizer.to_safe_html(f"<div>{written}</div>", "markdown").rstrip() == f"<div>{shown}</div>"


@pytest.mark.parametrize("name", ["script", "style", "template", "title", "noembed", "noframes", "iframe"])
def test_invisible_elements_are_dropped_with_their_content(name):
    assert sanitizer.to_safe_html(f"a<{name}>foo</{name}>b", "html") == "ab"
    assert sanitizer.to_safe_html(f"a<{name}>foo<b>", "html") == "a"
    assert sanitizer.to_safe_html(f"a<svg><{name}>foo</{name}></svg>b", "html") == "ab"


# Elements with special parsing rules.
SPECIAL = [
    *("iframe", "noembed", "noframes", "noscript", "xmp", "plaintext", "title", "textarea", "select"),
    *("style", "script", "template", "math", "svg", "object", "applet", "frameset", "listing", "table"),
    *("svg><title", "svg><desc", "svg><style", "svg><foreignObject", "math><mtext", "math><mi><mglyph"),
    *("math><annotation-xml encoding=text/html", "form><math><mtext", "select><option", "table><caption"),
]


ENDS = ["", "</{0}>", "</{1}></{0}>", "<!--</{1}>", "<a title='</{1}></{0}>"]


@pytest.mark.parametrize("outer", SPECIAL)
def test_nested_special_elements_cannot_hide_markup(outer):
    attack = "<img src=x onerror=alert(1)>'>-->"
    for inner, end in product(SPECIAL, ENDS):
        written = f"<{outer}><{inner}>{attack}{end.format(outer, inner)}{attack}<p id=location>b"
        safe = sanitizer.to_safe_html(written, "html")
        assert_safe(safe)
        # Parsing the result again gives the same HTML, as a browser would see it.
        assert sanitizer.to_safe_html(safe, "html") == safe


def test_the_content_of_noscript_is_shown():
    written = '<div><noscript><img src="/a.png"></noscript></div>'
    assert sanitizer.to_safe_html(written, "html") == '<div><img src="/a.png"></div>'
    assert sanitizer.to_safe_html(f"a<noscript title='<'>{CODE}", "html") == "a"


def test_an_embed_host_is_matched_exactly():
    for host in sanitizer.EMBED_HOSTS:
        written = '<iframe src="https://{}/embed/a"></iframe>'
        assert sanitizer.to_safe_html(written.format(host), "html") == written.format(host)
        for at, character in enumerate(host):
            if character == ".":
                assert sanitizer.to_safe_html(written.format(f"{host[:at]}x{host[at + 1 :]}"), "html") == ""


@pytest.mark.parametrize("bad", ["javascript:alert(1)", "data:image/svg+xml,x", "file:///a", "JAVASCRIPT:x"])
@pytest.mark.parametrize("at", range(3))
def test_one_bad_url_drops_the_srcset(bad, at):
    urls = ["https://a.example/a.png 1x", "https://a.example/b.png 2x"]
    urls.insert(at, f"{bad} 3x")
    for tag in ("img", "source"):
        assert "srcset" not in sanitizer.to_safe_html(f'<picture><{tag} srcset="{", ".join(urls)}">', "html")


CLOBBERING = [
    *("location", "cookie", "document", "window", "self", "top", "parent", "name", "history", "localStorage"),
    *("forms", "images", "links", "scripts", "body", "head", "getElementById", "querySelector", "write"),
    *("attributes", "nodeName", "parentNode", "innerHTML", "children", "ownerDocument", "firstChild"),
    *("submit", "action", "method", "elements", "target", "reset", "length", "onload", "onsubmit"),
    *("constructor", "toString", "hasOwnProperty", "__proto__", "fetch", "alert", "setTimeout", "domain"),
]


@pytest.mark.parametrize("name", CLOBBERING)
def test_an_id_or_name_of_a_page_global_is_prefixed(name):
    assert sanitizer.to_safe_html(f'<p id="{name}">a</p>', "html") == f'<p id="user-content-{name}">a</p>'
    assert f'<a name="user-content-{name}"' in sanitizer.to_safe_html(f'<a name="{name}"></a>', "html")
    assert f'id="user-content-{name}"' in sanitizer.to_safe_html(f'<h2 id="{name}">A</h2>', "markdown")
    for tag in ("img", "form", "input", "iframe src=https://www.youtube.com/embed/a", "object", "embed"):
        assert f'="{name}"' not in sanitizer.to_safe_html(f"<{tag} name='{name}' id='{name}'>", "html")


@pytest.mark.parametrize(
    ("written", "id_"),
    [
        ("## Location", "user-content-location"),
        ("## History", "user-content-history"),
        ("## Our location", "our-location"),
        ("## A {#parentNode}", "user-content-parentNode"),
        ("## A {#Location}", "Location"),
        ("## A {#nodename}", "nodename"),
        ("## fn1", "fn1"),
        ("## Footnotes", "footnotes"),
    ],
)
def test_only_a_clashing_heading_id_is_prefixed(written, id_):
    assert f'id="{id_}"' in sanitizer.to_safe_html(written, "markdown")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](#location)\n\n## Location", 'href="#user-content-location"'),
        ("## Location\n\n[a](#location)", 'href="#user-content-location"'),
        (
            '<p id="location"><a title=\' href="#cookie"\' href="#%6cocation">a</a>',
            '"#user-content-location"',
        ),
        ('<p id="__proto__"><a href="#__proto__">a</a>', 'href="#user-content-__proto__"'),
        ('<a name="top"></a><a href="#top">a</a>', 'href="#user-content-top"'),
        ("[a](#location)", 'href="#location"'),
        ("[a](/b#location)\n\n## Location", 'href="/b#location"'),
        ("[a](#place)\n\n## Location\n\n## Place", 'href="#place"'),
        (
            '<table><tr><th id="status">a</th><td headers="status b">c</td></tr></table>',
            'headers="user-content-status b"',
        ),
    ],
)
def test_links_follow_a_prefixed_id_of_the_same_article(written, shown):
    assert shown in sanitizer.to_safe_html(written, "markdown")


FOOTNOTES = "a[^1] b[^1]\n\n[^1]: note\n\n"


@pytest.mark.parametrize(
    "written",
    [
        f"## {{0}}\n\n{FOOTNOTES}",
        f"{FOOTNOTES}## A {{{{#{{0}}}}}}",
        f'<p id="{{0}}">x</p>\n\n{FOOTNOTES}',
        f'{FOOTNOTES}<p id="{{0}}">x</p>\n',
    ],
)
@pytest.mark.parametrize("name", ["fn1", "fnref1", "fnref1:1"])
def test_an_id_of_the_author_never_replaces_that_of_a_footnote(written, name):
    shown = sanitizer.to_safe_html(f"{written.format(name)}\n\n[own](#{name})", "markdown")
    ids = [attributes["id"] for _, attributes in Inspector(shown).tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for own, tag in (("fn1", "li"), ("fnref1", "a"), ("fnref1:1", "a")):
        assert (tag, own) in [(tag, attributes.get("id")) for tag, attributes in Inspector(shown).tags]
    assert shown.count('href="#fn1"') == 2 and shown.count('href="#fnref1"') == 1
    if f"user-content-{name}" in ids:
        assert f'<a href="#user-content-{name}" rel="noopener noreferrer">own</a>' in shown


def test_footnotes_written_in_html_keep_their_ids():
    written = 'a<a href="#fn1" id="fnref1">1</a>\n\n<p id="fn1"><a href="#fnref1">b</a></p>\n'
    for content_type in ("html", "markdown"):
        shown = sanitizer.to_safe_html(written, content_type)
        assert 'id="fn1"' in shown and 'href="#fnref1"' in shown and "user-content" not in shown


def test_the_footnote_mark_is_removed():
    shown = sanitizer.to_safe_html(f"{FOOTNOTES}a^[inline]", "markdown")
    assert re.findall(r'"#?(fn[^"]*)"', shown) == [
        *("fn1", "fnref1", "fn1", "fnref1:1", "fn2", "fnref2"),
        *("fn1", "fnref1", "fnref1:1", "fn2", "fnref2"),
    ]


def test_a_duplicate_id_is_removed():
    shown = sanitizer.to_safe_html(
        '<p id="a">1</p><p id="a">2</p><p id="user-content-top"></p><p id="top"></p>', "html"
    )
    assert shown == '<p id="a">1</p><p>2</p><p id="user-content-top"></p><p></p>'


@pytest.mark.parametrize(
    "kept",
    [
        *("language-python", "language-c++", "lang-js", "highlight", "footnotes", "footnote-ref", "sr-only"),
        *("contains-task-list", "task-list-item", "task-list-item-checkbox", "align-left", "text-center"),
        *("alignleft", "alignwide", "wp-caption", "wp-caption-text", "wp-block-image", "wp-image-761"),
        *("size-large", "has-text-align-center", "is-style-outline", "is-cropped", "columns-2", "gallery"),
        *("blocks-gallery-item__caption", "kg-card", "kg-image", "kg-width-wide", "tr-caption", "caption"),
        *("twitter-tweet", "screen-reader-text", "math-display", "markdown-alert-note", "separator"),
    ],
)
def test_a_content_class_is_kept(kept):
    for tag in ("p", "h2", "figure", "td", "img"):
        written = f'<table><tr><td><{tag} class="modal {kept} btn">'
        assert f'class="{kept}"' in sanitizer.to_safe_html(written, "html")


@pytest.mark.parametrize(
    "dropped",
    [
        *(
            "modal",
            "fixed-top",
            "btn",
            "fixed inset-0 z-50",
            "js-delete",
            "is-overlay",
            "is-active",
            "hidden",
        ),
        *("Language-x", "xlanguage-x", "sr-onlyx", "xwp-caption", "overlay", "alert", "d-none", "", " "),
    ],
)
def test_any_other_class_is_dropped(dropped):
    assert sanitizer.to_safe_html(f'<p class="{dropped}">a</p>', "html") == "<p>a</p>"


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ('style="text-align:right"', ' align="right"'),
        ('style="TEXT-ALIGN : Center !important; color:red"', ' align="center"'),
        ('style="text-align:left;text-align:right"', ' align="right"'),
        ('align="left" style="text-align:right" colspan="2"', ' align="right" colspan="2"'),
        ('style="text-align:right" align="left"', ' align="right"'),
        ('align="center"', ' align="center"'),
        ('style="vertical-align:top"', ""),
        ('style="x-text-align:left"', ""),
        ('style="text-align:evil(1)"', ""),
        ("title=' style=' lang='x'", ' title=" style=" lang="x"'),
        (
            "title=' align=' lang=' b=' style='text-align:left'",
            ' title=" align=" lang=" b=" align="left"',
        ),
    ],
)
def test_the_text_align_of_a_cell_becomes_its_align_attribute(attributes, shown):
    for tag in ("td", "th"):
        written = f"<table><tbody><tr><{tag} {attributes}>a</{tag}></tr></tbody></table>"
        assert f"<{tag}{shown}>a</{tag}>" in sanitizer.to_safe_html(written, "html")


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
