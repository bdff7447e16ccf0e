import json

import pytest

from blogapi.content.sanitizer import to_safe_html
from blogapi.transfer.ghost.bodies import read_body

MARKDOWN_DOCUMENT = {
    "version": "0.3.1",
    "cards": [["card-markdown", {"cardName": "card-markdown", "markdown": "# Hello"}]],
    "sections": [[10, 0], [1, "p", []]],
}


def lexical(*children):
    return json.dumps({"root": {"type": "root", "children": children}})


def node(type_, *children, **fields):
    return {"type": type_, **({"children": children} if children else {}), **fields}


def text(words, bits=0):
    return node("extended-text", text=words, format=bits)


def paragraph(*children):
    return node("paragraph", *children)


def mobiledoc(*sections, markups=(), atoms=(), cards=(), version="0.3.1"):
    return json.dumps(
        {"version": version, "markups": markups, "atoms": atoms, "cards": cards, "sections": sections}
    )


@pytest.mark.parametrize(
    ("post", "content", "content_type"),
    [
        ({}, "", "html"),
        ({"html": "<p>x</p>"}, "<p>x</p>", "html"),
        ({"markdown": "*x*", "html": "<em>x</em>"}, "*x*", "markdown"),
        ({"plaintext": "x\r\ny"}, "x\ny", "text"),
        ({"lexical": None, "mobiledoc": None, "html": "x"}, "x", "html"),
        ({"lexical": lexical(paragraph(text("x"))), "html": "other"}, "<p>x</p>", "html"),
        ({"lexical": lexical(paragraph()), "html": "<p>x</p>"}, "<p>x</p>", "html"),
        ({"lexical": json.loads(lexical(paragraph(text("x"))))}, "<p>x</p>", "html"),
        (
            {"lexical": lexical(node("markdown", markdown="*x*"), node("paragraph", children=[]))},
            "*x*",
            "markdown",
        ),
        ({"mobiledoc": json.dumps(MARKDOWN_DOCUMENT), "html": "other"}, "# Hello", "markdown"),
    ],
)
def test_the_source_from_which_ghost_made_the_others_is_taken(post, content, content_type):
    body = read_body(post)
    assert (body.content, body.content_type, body.notes) == (content, content_type, [])


@pytest.mark.parametrize(
    "damaged",
    [
        *("{", "[]", "1", "{}", '{"root": 5}', '{"root": {"children": {}}}', '{"sections": {}}'),
        *('{"sections": 5}', '{"version": "0.2.0", "sections": []}', "[" * 100_000, "9" * 5_000),
    ],
)
@pytest.mark.parametrize("name", ["lexical", "mobiledoc"])
def test_html_replaces_a_damaged_body(name, damaged):
    body = read_body({name: damaged, "html": "<p>x</p>"})
    assert body.content == "<p>x</p>"
    assert body.notes == [f"Its {name} body is damaged; another body of the post was taken, if there is one."]


@pytest.mark.parametrize(
    ("children", "html"),
    [
        ([paragraph(text("a < b & c"))], "<p>a &lt; b &amp; c</p>"),
        ([paragraph(text("x", 1 | 2))], "<p><strong><em>x</em></strong></p>"),
        ([paragraph(text("x", 4 | 8 | 16))], "<p><s><u><code>x</code></u></s></p>"),
        (
            [paragraph(text("x", 32), text("y", 64), text("z", 128))],
            "<p><sub>x</sub><sup>y</sup><mark>z</mark></p>",
        ),
        ([paragraph(text("x"), node("linebreak"), text("y"), node("tab"))], "<p>x<br>y\t</p>"),
        ([node("extended-heading", text("What's new?"), tag="h3")], '<h3 id="whats-new">What\'s new?</h3>'),
        ([node("heading", text("x"), tag="script")], '<h2 id="x">x</h2>'),
        ([node("extended-quote", text("x"))], "<blockquote>x</blockquote>"),
        ([node("aside", text("x"))], '<blockquote class="kg-blockquote-alt">x</blockquote>'),
        (
            [paragraph(node("link", text("x"), url='__GHOST_URL__/a/?b="', title=None, rel="nofollow"))],
            '<p><a href="/a/?b=&quot;" rel="nofollow">x</a></p>',
        ),
        ([paragraph(node("link", text("x"), url="__GHOST_URL__"))], '<p><a href="/">x</a></p>'),
        ([paragraph(text("x"), node("at-link", node("at-link-search", text="y")))], "<p>x</p>"),
        (
            [
                node(
                    "list",
                    node("listitem", text("x")),
                    node("listitem", node("list", node("listitem", text("y")))),
                )
            ],
            "<ul><li>x<ul><li>y</li></ul></li></ul>",
        ),
        (
            [node("list", node("listitem", node("list", node("listitem", text("x")))))],
            "<ul><li><ul><li>x</li></ul></li></ul>",
        ),
        (
            [node("list", node("listitem", text("x")), listType="number", tag="ol", start=3)],
            '<ol start="3"><li>x</li></ol>',
        ),
        (
            [node("table", node("tablerow", node("tablecell", text("x"))))],
            "<table><tr><td>x</td></tr></table>",
        ),
        ([node("horizontalrule"), node("paywall")], "<hr>"),
        ([paragraph(), paragraph(text("x")), paragraph(text(" "))], "<p>x</p>"),
    ],
)
def test_lexical_becomes_html(children, html):
    body = read_body({"lexical": lexical(*children)})
    assert (body.content, body.losses) == (html, {})


@pytest.mark.parametrize(
    ("document", "html"),
    [
        (mobiledoc([1, "p", [[0, [], 0, "a < b"]]]), "<p>a &lt; b</p>"),
        (mobiledoc([1, "P", [[0, [], 0, "x"]]], [1, "p", []]), "<p>x</p>"),
        (mobiledoc([1, "h2", [[0, [], 0, "What's new?"]]]), '<h2 id="whats-new">What\'s new?</h2>'),
        (mobiledoc([1, "aside", [[0, [], 0, "x"]]]), '<blockquote class="kg-blockquote-alt">x</blockquote>'),
        (
            mobiledoc(
                [1, "p", [[0, [0, 1], 1, "x"], [0, [], 1, "y"], [0, [], 0, "z"]]],
                markups=[["a", ["href", "__GHOST_URL__/x/", "rel", "nofollow"]], ["em"]],
            ),
            '<p><a href="/x/" rel="nofollow"><em>x</em>y</a>z</p>',
        ),
        (
            mobiledoc(
                [1, "p", [[0, [0], 9, "x"], [0, [1], 0, "y"]]], markups=[["font", ["color", "red"]], ["B"]]
            ),
            "<p>x<b>y</b></p>",
        ),
        (
            mobiledoc(
                [1, "p", [[0, [], 0, "x"], [1, [], 0, 0], [0, [], 0, "y"]]], atoms=[["soft-return", "", {}]]
            ),
            "<p>x<br>y</p>",
        ),
        (mobiledoc([3, "ol", [[[0, [], 0, "x"]], [[0, [], 0, "y"]]]]), "<ol><li>x</li><li>y</li></ol>"),
        (
            mobiledoc([2, "/content/images/size/w600/x.png"]),
            '<figure class="kg-card kg-image-card"><img class="kg-image" src="/content/images/x.png" alt="">'
            "</figure>",
        ),
        (mobiledoc([10, 0], cards=[["hr", {}]]), "<hr>"),
        (
            mobiledoc([["b"]], [[1, "p", [[[0], 1, "x"]]], [10, "hr"]], version="0.2.0"),
            "<p><b>x</b></p>\n<hr>",
        ),
    ],
)
def test_mobiledoc_becomes_html(document, html):
    body = read_body({"mobiledoc": document})
    assert (body.content, body.losses) == (html, {})


IMAGE = {"src": "__GHOST_URL__/content/images/size/w1000/format/webp/x.jpg", "alt": 'A "cat"', "width": 800}
GALLERY = (
    '<figure class="kg-card kg-gallery-card"><div class="kg-gallery-container"><div class="kg-gallery-image">'
    '<img class="kg-image" src="/a.png" alt=""></div></div></figure>'
)
YOUTUBE = '<iframe src="https://www.youtube.com/embed/x?feature=oembed"></iframe>'


@pytest.mark.parametrize(
    ("name", "card", "html"),
    [
        (
            "image",
            {**IMAGE, "caption": "By <a href='/x'>me</a>", "href": "/y", "cardWidth": "wide"},
            '<figure class="kg-card kg-image-card kg-width-wide"><a href="/y"><img class="kg-image" '
            'src="/content/images/x.jpg" width="800" alt="A &quot;cat&quot;"></a><figcaption>By '
            '<a href="/x">me</a></figcaption></figure>',
        ),
        (
            "image",
            {"src": "javascript:x"},
            '<figure class="kg-card kg-image-card"><img class="kg-image" alt=""></figure>',
        ),
        (
            "gallery",
            {"images": [{"src": "/a.png"}, None, {}]},
            GALLERY,
        ),
        (
            "codeblock",
            {"code": "a < b", "language": 'c++"'},
            '<pre><code class="language-c++">a &lt; b</code></pre>',
        ),
        ("html", {"html": "<b>x</b>"}, "<b>x</b>"),
        ("embed", {"html": YOUTUBE}, f'<figure class="kg-card kg-embed-card">{YOUTUBE}</figure>'),
        (
            "bookmark",
            {
                "url": "https://x.example/",
                "metadata": {"title": "T", "description": "D", "thumbnail": "/t.png"},
            },
            '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" '
            'href="https://x.example/"><div class="kg-bookmark-title">T</div><div '
            'class="kg-bookmark-description">D</div><div class="kg-bookmark-thumbnail">'
            '<img src="/t.png" alt=""></div></a></figure>',
        ),
        (
            "callout",
            {"calloutEmoji": "💡", "calloutText": "<b>x</b>"},
            '<div class="kg-card kg-callout-card"><div class="kg-callout-emoji">💡</div><div '
            'class="kg-callout-text"><b>x</b></div></div>',
        ),
        (
            "button",
            {"buttonUrl": "/x", "buttonText": "a & b"},
            '<p><a class="kg-btn" href="/x">a &amp; b</a></p>',
        ),
        (
            "toggle",
            {"heading": "x", "content": "<p>y</p>"},
            '<details class="kg-card kg-toggle-card"><summary>x</summary><p>y</p></details>',
        ),
        (
            "video",
            {"src": "/content/media/x.mp4", "thumbnailSrc": "/t.jpg"},
            '<figure class="kg-card kg-video-card"><video src="/content/media/x.mp4" poster="/t.jpg" '
            'controls=""></video></figure>',
        ),
        (
            "audio",
            {"src": "/x.mp3", "title": "T"},
            '<figure class="kg-card kg-audio-card"><audio src="/x.mp3" controls=""></audio><figcaption>T'
            "</figcaption></figure>",
        ),
        (
            "file",
            {"src": "/x.pdf", "fileTitle": "T", "fileCaption": "C"},
            '<p class="kg-card kg-file-card"><a href="/x.pdf">T</a><br>C</p>',
        ),
        (
            "product",
            {
                "productTitle": "T",
                "productStarRating": 4,
                "productRatingEnabled": True,
                "productUrl": "/x",
                "productButton": "Buy",
            },
            '<div class="kg-card kg-product-card"><h4>T</h4><p>★★★★☆</p>'
            '<p><a class="kg-btn" href="/x">Buy</a></p></div>',
        ),
        (
            "header",
            {"header": "x", "subheader": "y"},
            '<div class="kg-card kg-header-card"><h2>x</h2><p>y</p></div>',
        ),
        (
            "call-to-action",
            {"textValue": "<p>x</p>", "showButton": True, "buttonText": "b", "buttonUrl": "/u"},
            '<div class="kg-card kg-header-card"><p>x</p><p><a class="kg-btn" href="/u">b</a></p></div>',
        ),
    ],
)
@pytest.mark.parametrize("form", ["lexical", "mobiledoc"])
def test_cards_become_html_that_the_sanitizer_keeps(form, name, card, html):
    source = lexical(node(name, **card)) if form == "lexical" else mobiledoc([10, 0], cards=[[name, card]])
    body = read_body({form: source})
    shown = to_safe_html(body.content, "html").replace("", "")
    assert (shown, body.losses) == (html, {})


@pytest.mark.parametrize(
    ("name", "card", "html", "loss"),
    [
        ("email", {"html": "<p>secret</p>"}, "", "email cards"),
        ("email-cta", {"html": "<p>secret</p>"}, "", "email cards"),
        (
            "html",
            {"html": "secret", "visibility": {"web": {"nonMember": False}}},
            "",
            "cards that only members could read",
        ),
        (
            "call-to-action",
            {"textValue": "s", "visibility": {"showOnWeb": False}},
            "",
            "cards that only members could read",
        ),
        ("html", {"html": "<script>x</script>"}, "<script>x</script>", "scripts in HTML cards"),
        (
            "html",
            {"html": "<FORM>x<INPUT type=checkbox><input type=email /></FORM>"},
            "<FORM>x</FORM>",
            "forms in HTML cards",
        ),
        ("poll", {"html": "<p>x</p>"}, "<p>x</p>", "unknown cards (poll)"),
        ("signup", {"header": "x"}, '<div class="kg-card kg-header-card"><h2>x</h2></div>', "signup forms"),
        (
            "embed",
            {"html": "<iframe src='https://x.example/'></iframe>", "url": "https://x.example/"},
            '<figure class="kg-card kg-embed-card"><p><a href="https://x.example/">https://x.example/</a></p>'
            "</figure>",
            "embeds that became links",
        ),
    ],
)
@pytest.mark.parametrize("form", ["lexical", "mobiledoc"])
def test_what_is_left_out_is_counted_by_name(form, name, card, html, loss):
    source = lexical(node(name, **card)) if form == "lexical" else mobiledoc([10, 0], cards=[[name, card]])
    body = read_body({form: source})
    assert (body.content, body.losses) == (html, {loss: 1})


def test_a_card_that_everyone_could_read_is_kept():
    visibility = {"web": {"nonMember": True, "memberSegment": "status:free"}, "email": {"memberSegment": ""}}
    assert read_body({"lexical": lexical(node("html", html="x", visibility=visibility))}).content == "x"


def test_gated_blocks_are_removed_from_html():
    begin, end = '<!--kg-gated-block:begin nonMember:%s memberSegment:"" -->', "<!--kg-gated-block:end-->"
    html = f"a{begin % 'false'}secret{end}b{begin % 'true'}c{end}d{begin % 'false'}secret"
    body = read_body({"html": html})
    assert (body.content, body.losses) == ("abcd", {"cards that only members could read": 2})


@pytest.mark.parametrize(
    "children",
    [
        [paragraph(text("x")), None, 5, "x"],
        [paragraph(text("x")), *({"type": 5}, {}, {"children": 5})],
    ],
)
def test_unreadable_nodes_are_counted_and_the_others_are_kept(children):
    body = read_body({"lexical": lexical(*children)})
    assert (body.content, body.losses) == ("<p>x</p>", {"unreadable parts": 3})


def test_unreadable_sections_are_counted_and_the_others_are_kept():
    bad = (
        [],
        None,
        [1, "p"],
        [1, "p", [[0, [7], 0, "x"]]],
        [1, "p", [[0, [], 0, None]]],
        [10, 5],
        [10, []],
        [99, 1],
    )
    body = read_body({"mobiledoc": mobiledoc([1, "p", [[0, [], 0, "x"]]], *bad)})
    assert (body.content, body.losses) == ("<p>x</p>", {"unreadable parts": len(bad)})


@pytest.mark.parametrize("unknown", [{"text": "x"}, {"children": [text("x")]}, {"html": "x"}])
def test_the_text_of_an_unknown_node_is_kept(unknown):
    body = read_body({"lexical": lexical(paragraph({"type": "new", **unknown}, node("tk", text="TK")))})
    assert (body.content, body.losses) == ("<p>xTK</p>", {"unknown cards (new)": 1})


def test_text_that_is_nested_too_deeply_is_left_out():
    nested = text("x")
    for _ in range(200):
        nested = node("quote", nested)
    body = read_body({"lexical": lexical(nested, paragraph(text("y")))})
    assert (body.content, body.losses) == ("<p>y</p>", {"unreadable parts": 1})


def test_a_card_that_is_used_very_often_does_not_fill_the_memory():
    document = mobiledoc(*[[10, 0]] * 1_000, cards=[["html", {"html": "x" * 100_000}]])
    assert read_body({"mobiledoc": document, "html": "y"}).content == "y"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a\nb\n\nc", "a  \nb\n\nc"),
        ("a  \nb\\\nc", "a  \nb\\\nc"),
        ("#Title\n##  x", "# Title  \n##  x"),
        ("```\n#a\nb\n```\nc\nd", "```\n#a\nb\n```\nc  \nd"),
        ("an ==important== word, a == b == c", "an <mark>important</mark> word, a == b == c"),
        ("![x](__GHOST_URL__/content/images/x.png)", "![x](/content/images/x.png)"),
    ],
)
def test_markdown_of_ghost_becomes_commonmark(markdown, expected):
    assert read_body({"markdown": markdown}).content == expected
