"""Posts of the block editor of WordPress."""

from __future__ import annotations

import json

import pytest

from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.post_text import convert_text


def convert(text: str, footnotes: str = "") -> Conversion:
    return convert_text(text, Conversion(get_attachment={}.get, footnotes=footnotes))


def block(name: str, html: str = "", **attributes: object) -> str:
    start = f"wp:{name} {json.dumps(attributes)}" if attributes else f"wp:{name}"
    return f"<!-- {start} -->{html}<!-- /wp:{name} -->"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (block("paragraph", "\n<p>one\ntwo</p>\n"), "<p>one\ntwo</p>"),
        (block("group", block("heading", "<h2>a</h2>", level=2)), "<h2>a</h2>"),
        (block("columns", f"<div>{block('column', '<p>a</p>')}</div>"), "<div><p>a</p></div>"),
        (block("code", "<pre><code>[gallery] &lt;b&gt;\n\nhttps://youtu.be/dQw4w9WgXcQ\n</code></pre>"),
         "<pre><code>[gallery] &lt;b&gt;\n\nhttps://youtu.be/dQw4w9WgXcQ\n</code></pre>"),
        (block("verse", "<pre>a\nb</pre>"), "<pre>a\nb</pre>"),
        (block("more", "\n<!--more-->\n") + block("nextpage", "<!--nextpage-->"),
         "<!--more-->\n<!--nextpage-->"),
        (block("separator", "<hr/>") + '<!-- wp:spacer {"height":1} /-->', "<hr/>"),
        (block("html", "<b>a</b>\n\nb"), "<b>a</b>\n\nb"),
        (block("shortcode", "\n[[caption]]\n"), "[caption]"),
        ("one\ntwo" + block("paragraph", "<p>a\nb</p>"), "<p>one<br />\ntwo</p>\n<p>a\nb</p>"),
        (block("freeform", "one\n\ntwo"), "<p>one</p>\n<p>two</p>"),
        ("<!-- wp:group --><p>one</p>", "<p>one</p>"),
        ("<!-- wp:cover --><p>one</p>", "<p>one</p>"),
        ("<!-- /wp:group --><p>one</p>", "<p>one</p>"),
        ("<!-- wp:a --><!-- wp:b --><p>one</p><!-- /wp:a --><p>two</p>", "<p>one</p>\n<p>two</p>"),
        (block("paragraph", "<p>a</p>") + "<!-- wp:group", "<p>a</p>\n<p>&lt;!-- wp:group</p>"),
        (block("image", '<figure><img src="a.jpg"></figure>', id=1), '<figure><img src="a.jpg"></figure>'),
        (block("core/cover", "<div><p>a</p></div>", url="b.jpg"),
         '<div><img src="b.jpg" alt="" /><p>a</p></div>'),
        (block("cover", '<div><img src="b.jpg"></div>', url="b.jpg"), '<div><img src="b.jpg"></div>'),
        (block("media-text", '<div><figure><img src="b.jpg"></figure></div>', mediaId=1),
         '<div><figure><img src="b.jpg"></figure></div>'),
    ],
)  # fmt: skip
def test_blocks_with_complete_html(text, html):
    converted = convert(text)
    assert (converted.html, converted.unconverted, converted.notes) == (html, {}, {})


PLAYER = (
    '<iframe src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ" width="560" height="315" %s></iframe>'
)
PLAYER %= "allowfullscreen"
WRAPPED = '<figure class="x"><div class="wp-block-embed__wrapper">\n%s\n</div>%s</figure>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (block("core-embed/youtube", WRAPPED % ("https://youtu.be/dQw4w9WgXcQ", "")),
         f'<figure class="wp-block-embed">{PLAYER}</figure>'),
        (block("embed", WRAPPED % ("https://youtu.be/dQw4w9WgXcQ", "<figcaption>A <b>c</b></figcaption>")),
         f'<figure class="wp-block-embed">{PLAYER}<figcaption>A <b>c</b></figcaption></figure>'),
        (block("embed", WRAPPED % ("https://a.org/?b=1&amp;c=2", "")),
         '<a href="https://a.org/?b=1&amp;c=2">https://a.org/?b=1&amp;c=2</a>'),
        ('<!-- wp:embed {"url":"https://a.org/"} /-->', '<a href="https://a.org/">https://a.org/</a>'),
        (block("syntaxhighlighter/code", "<pre class='a'>x &amp;&amp; y</pre>", language="php"),
         '<pre><code class="language-php">x &amp;&amp; y\n</code></pre>'),
        (block("code", "<pre class='a'><code>x</code></pre>", language="php"),
         "<pre class='a'><code class=\"language-php\">x</code></pre>"),
    ],
)  # fmt: skip
def test_blocks_that_are_converted(text, html):
    converted = convert(text)
    assert (converted.html, converted.unconverted) == (html, {})


def test_footnotes_are_shown_once():
    converted = convert("<!-- wp:footnotes /-->" * 3, json.dumps([{"id": "f1", "content": "A note"}]))
    assert converted.html.count("A note") == 1


def test_footnotes_come_from_the_custom_field():
    html = convert(
        "<p>a</p><!-- wp:footnotes /-->", json.dumps([{"id": "f1", "content": "A <b>note</b>"}])
    ).html
    assert '<ol class="wp-block-footnotes"><li id="f1">A <b>note</b> <a href="#f1-link"' in html


@pytest.mark.parametrize("footnotes", ["", "{", "[1]", '{"id":1}', '[{"id":1,"content":"x"}]', "[" * 100_000])
def test_footnotes_that_cannot_be_read_are_counted(footnotes):
    assert convert("<!-- wp:footnotes /-->", footnotes).unconverted == {"wp:footnotes": 1}


@pytest.mark.parametrize(
    ("text", "unconverted"),
    [
        ('<!-- wp:latest-posts {"postsToShow":5} /--><!-- wp:latest-posts /-->', {"wp:latest-posts": 2}),
        ("<!-- wp:acme/map -->\n<!-- /wp:acme/map -->", {"wp:acme/map": 1}),
        ('<!-- wp:block {"ref":5} /-->', {"wp:block": 1}),
        ('<ul><!-- wp:social-link {"url":"https://a.org/"} /--></ul>', {"wp:social-link": 1}),
        (block("query", '<div><!-- wp:post-title {"level":3} /--></div>'), {"wp:post-title": 1}),
        ('<!-- wp:image {"id":2} /-->', {"wp:image": 1}),
        ('<!-- wp:image {"id": /-->', {"wp:image": 1}),
    ],
)
def test_blocks_of_the_server_are_counted(text, unconverted):
    assert convert(f"<p>a</p>{text}").unconverted == unconverted


def test_only_the_outer_blocks_of_many_are_converted():
    html = convert("".join(f'<!-- wp:cover {{"url":"{number}.jpg"}} --><div>' for number in range(50))).html
    assert (html.count("<img"), html.count("<div>")) == (19, 50)


def test_deeply_nested_blocks_keep_their_text():
    names = ["group", "cover"] * 2_000
    text = "".join(f"<!-- wp:{name} -->" for name in names) + "<p>a</p>"
    assert convert(text + "".join(f"<!-- /wp:{name} -->" for name in reversed(names))).html == "<p>a</p>"


def test_synced_patterns_of_the_export_are_inserted():
    patterns = {1: "<!-- wp:paragraph --><p>Both</p><!-- /wp:paragraph -->", 2: "x" * 600_000}
    text = '<!-- wp:block {"ref":1} /--><!-- wp:block {"ref":3} /-->'

    def insert(text):
        return convert_text(
            text, Conversion(get_attachment={}.get, get_pattern=lambda id_: patterns.get(id_, ""))
        )

    converted = insert(text)
    assert (converted.html, converted.unconverted) == ("<p>Both</p>", {"wp:block": 1})
    assert len(insert('<!-- wp:block {"ref":2} /-->' * 9).html) < 700_000
