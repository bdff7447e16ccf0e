"""Sanitized HTML: which elements, attributes and embeds are kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.rendering import plain_text, sanitizer
from blogapi.rendering.players import EMBED_HOSTS


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
    '<ol type="a" start="3" reversed=""><li value="9">a</li></ol><menu><li>b</li></menu>',
    '<time datetime="2020-01-01">a</time><data value="1">b</data><meter value="1" max="2">c</meter>',
    "<table><tbody><tr><td>a</td></tr></tbody><tfoot><tr><td>b</td></tr></tfoot></table>",
    '<p align="center">a</p><div align="right">b</div><h2 align="left">c</h2><img src="/a.png" align="left">',
    '<a name="a"></a><a id="b">c</a>',
    *(f'<a href="{scheme}:a">b</a>' for scheme in ("sms", "geo", "matrix", "sftp", "urn", "xmpp", "magnet")),
    '<math display="block"><mfrac><mi mathvariant="normal">x</mi><mn>2</mn></mfrac></math>',
    "<math><mtext>a &lt; b</mtext></math>",
]


@pytest.mark.parametrize("content", KEPT)
def test_common_html_is_kept(content):
    wrapped = f"<table><tbody><tr>{content}</tr></tbody></table>" if content.startswith("<td") else content
    assert sanitizer.to_safe_html(wrapped, "html") == wrapped


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("", ""),
        (' rel="nofollow sponsored ugc"', ' rel="nofollow sponsored ugc"'),
        (' rel="me author license tag"', ' rel="me author license tag"'),
        (' rel="NoFollow  noreferrer opener stylesheet"', ' rel="nofollow"'),
        (' rel="noopener noreferrer"', ""),
        (' target="_top" rel="me"', ' rel="me"'),
        (' target="_BLANK"', ' target="_blank" rel="noopener"'),
        (' rel="opener ugc" target="_blank"', ' rel="noopener ugc" target="_blank"'),
        (
            ' title=" rel=" target="_blank" lang="&quot;>"',
            ' title=" rel=" target="_blank" lang="&quot;&gt;" rel="noopener"',
        ),
    ],
)
def test_a_link_keeps_what_the_author_says_about_the_page(written, shown):
    link = f'<a href="https://example.org/"{shown}>a</a>'
    assert sanitizer.to_safe_html(f'<a href="https://example.org/"{written}>a</a>', "html") == link
    assert sanitizer.to_safe_html(link, "html") == link
    assert sanitizer.make_addresses_absolute(link, "https://blog.example/") == link


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<a href=javascript:x title=a>b <b>c</b></a>d", "b <b>c</b>d"),
        ("<a href=media:x>b</a><a>c</a><a href='/d'>e</a>", 'bc<a href="/d">e</a>'),
        ("<a href=data:x id=b>c</a><a href=data:x name=d></a>", '<a id="b">c</a><a name="d"></a>'),
        (
            "<a href=x:y><table><td><a href=/b>c</a></table></a>",
            '<table><tbody><tr><td><a href="/b">c</a></td></tr></tbody></table>',
        ),
        (
            "<p style='color:red;text-align: Center'>a<h2 style=text-align:right>b</h2>",
            '<p align="center">a</p><h2 align="right">b</h2>',
        ),
        (
            "<math><semantics><mi>x</mi><annotation>y</annotation></semantics></math>",
            "<math><semantics><mi>x</mi></semantics></math>",
        ),
        (
            "<math href=/a onclick=b><maction actiontype=c><mi>x</mi></maction></math>",
            "<math><mi>x</mi></math>",
        ),
        ("<math><mtext><a href=/b>c</a></mtext></math>", '<a href="/b">c</a>'),
        ("<math><mrow><math><mi>x</mi></math></mrow></math>", "<math><mi>x</mi></math>"),
    ],
)
def test_links_alignment_and_formulas_that_are_not_kept_as_written(written, shown):
    assert sanitizer.to_safe_html(written, "html") == shown
    assert sanitizer.to_safe_html(shown, "html") == shown


def test_an_aligned_heading_of_markdown_has_an_id():
    assert (
        sanitizer.to_safe_html('<h2 align="center">A b</h2>', "markdown").rstrip()
        == '<h2 align="center" id="a-b">A b</h2>'
    )


@pytest.mark.parametrize(
    "src", ["//www.youtube.com/embed/a", "http://www.youtube.com/embed/a", "HTTPS://www.youtube.com/embed/a"]
)
def test_an_embed_of_an_allowed_host_uses_https(src):
    assert (
        sanitizer.to_safe_html(f'<iframe src="{src}"></iframe>', "html")
        == '<iframe src="https://www.youtube.com/embed/a"></iframe>'
    )


@pytest.mark.parametrize(
    "field",
    [
        "<input>",
        "<input type=text>",
        "<input type=image src=x>",
        "<input title='type=\"checkbox\"' type=email>",
    ],
)
def test_the_fields_of_a_form_are_removed(field):
    form = f"<form action=/x>Name {field}<input checked type=checkbox id=a><button>Go</button></form>"
    box = '<input checked="" type="checkbox" aria-label="Go">'
    assert sanitizer.to_safe_html(form, "html") == f"Name {box}Go"
    assert sanitizer.make_addresses_absolute(box, "https://blog.example/") == box


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
        ("a<math><iframe></math>b", "a<math></math>b"),
    ],
)
def test_an_iframe_is_dropped_with_its_content_unless_it_is_an_allowed_embed(written, shown):
    assert sanitizer.to_safe_html(written, "html") == shown
    assert sanitizer.to_safe_html(f"<div>{written}</div>", "markdown").rstrip() == f"<div>{shown}</div>"


@pytest.mark.parametrize("name", ["script", "style", "template", "title", "noembed", "noframes", "iframe"])
def test_invisible_elements_are_dropped_with_their_content(name):
    assert sanitizer.to_safe_html(f"a<{name}>foo</{name}>b", "html") == "ab"
    assert sanitizer.to_safe_html(f"a<{name}>foo<b>", "html") == "a"
    assert sanitizer.to_safe_html(f"a<svg><{name}>foo</{name}></svg>b", "html") == "ab"


def test_the_content_of_noscript_is_shown():
    written = '<div><noscript><img src="/a.png"></noscript></div>'
    assert sanitizer.to_safe_html(written, "html") == '<div><img src="/a.png"></div>'
    assert sanitizer.to_safe_html(f"a<noscript title='<'>{CODE}", "html") == "a"


@pytest.mark.parametrize(
    "name",
    ["iframe", "script", "style", "textarea", "title", "noembed", "noframes", "xmp", "IFRAME", "Script"],
)
@pytest.mark.parametrize(
    "attributes", ["", " ", " src=x ", ' src="https://a.example/b/>"', " a='/>' b", " src={a.b} "]
)
def test_self_closed_elements_do_not_swallow_the_rest(name, attributes):
    for content_type, start in (
        ("html", "<p>a</p>"),
        ("markdown", ""),
        ("markdown", "a "),
        ("markdown", "- "),
    ):
        shown = sanitizer.to_safe_html(f"{start}<{name}{attributes}/>\n\n**b**<b>c</b>\n\n# d", content_type)
        assert "<b>c</b>" in shown and (content_type == "html" or "<strong>b</strong>" in shown)
        assert (content_type == "html") != ('<h1 id="d">' in shown)


@pytest.mark.parametrize(
    "code",
    [
        "```html\n<script src='a' />\n```",
        "    <textarea rows=1 />",
        "`<style />`",
        "- ```\n  <iframe src='b' />\n  ```",
    ],
)
def test_self_closed_elements_in_code_stay_as_they_are(code):
    shown = sanitizer.to_safe_html(code, "markdown")
    assert plain_text.to_plain_text(shown) == " ".join(
        code.strip("-` ").removeprefix("html").strip("` \n").split()
    )


def test_an_iframe_with_values_of_mdx_does_not_swallow_the_rest():
    written = "<iframe style={{width: '100%'}} onLoad={() => a.b} src={`/c/${d}`} />\n\n**b**"
    assert "<strong>b</strong>" in sanitizer.to_safe_html(written, "markdown")


def test_an_embed_that_is_closed_by_itself_is_shown():
    embed = 'a <iframe\n  width="1" src="https://www.youtube.com/embed/a" allowfullscreen\n/>\n\nb'
    shown = '<iframe width="1" src="https://www.youtube.com/embed/a" allowfullscreen=""></iframe>'
    assert sanitizer.to_safe_html(embed, "html") == f"a {shown}\n\nb"
    assert sanitizer.to_safe_html(embed, "markdown") == f"<p>a {shown}</p>\n<p>b</p>\n"


def test_an_embed_host_is_matched_exactly():
    for host in EMBED_HOSTS:
        written = '<iframe src="https://{}/embed/a"></iframe>'
        assert sanitizer.to_safe_html(written.format(host), "html") == written.format(host)
        for at, character in enumerate(host):
            if character == ".":
                assert sanitizer.to_safe_html(written.format(f"{host[:at]}x{host[at + 1 :]}"), "html") == ""


@pytest.mark.parametrize("bad", ["javascript:alert(1)", "data:image/svg+xml,x", "file:///a", "JAVASCRIPT:x"])
@pytest.mark.parametrize("at", range(3))
def test_one_invalid_url_removes_the_whole_srcset(bad, at):
    urls = ["https://a.example/a.png 1x", "https://a.example/b.png 2x"]
    urls.insert(at, f"{bad} 3x")
    for tag in ("img", "source"):
        assert "srcset" not in sanitizer.to_safe_html(f'<picture><{tag} srcset="{", ".join(urls)}">', "html")


@pytest.mark.parametrize(
    "srcset",
    [
        "https://cdn.example.com:8080/a.jpg 1x",
        "//cdn.example.com:8080/a.jpg 1x, https://cdn.example.com/rs:fit/w:800/x.jpg 2x",
        "HTTP://a.example/a.jpg,/b:c.jpg 2x",
        "/a.jpg?url=https://b.example/ 1.5x, b.jpg#javascript:x 200w",
    ],
)
def test_a_srcset_may_contain_colons_inside_its_urls(srcset):
    assert f'srcset="{srcset}"' in sanitizer.to_safe_html(f'<img srcset="{srcset}">', "html")


@pytest.mark.parametrize(
    "before", ["", " ", "&#9;", "&#10;", "&#12;", "&#1;", "&#31;", ",", "a.jpg,", "a.jpg 1x,", "/a:8 "]
)
@pytest.mark.parametrize(
    "url",
    [
        *(
            "javascript:x",
            "JavaScript:x",
            "&#106;avascript&colon;x",
            "java&#9;script:x",
            "java&NewLine;script:x",
        ),
        *("data:image/svg+xml,x", "vbscript:x", "httpsx:a", "x-http:a", "blob:https://a.example/b"),
    ],
)
def test_a_srcset_with_another_scheme_at_the_start_of_a_url_is_removed(before, url):
    assert "srcset" not in sanitizer.to_safe_html(f'<img srcset="{before}{url} 2x">', "html")


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
def test_an_allowed_class_is_kept(kept):
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
def test_a_class_that_is_not_allowed_is_dropped(dropped):
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
