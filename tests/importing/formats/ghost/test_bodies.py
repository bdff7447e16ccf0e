import json

import pytest

from blogapi.importing.formats.ghost.bodies import read_body
from blogapi.importing.refusals import RefusedFile
from blogapi.rendering.sanitizer import to_safe_html

MARKDOWN_DOCUMENT = {
    "version": "0.3.1",
    "cards": [["card-markdown", {"cardName": "card-markdown", "markdown": "# Hello"}]],
    "sections": [[10, 0], [1, "p", []]],
}


def lexical(*children):
    return json.dumps({"root": {"type": "root", "children": children}})


def node(type_, *children, **fields):
    return {"type": type_, "children": children, **fields}


TEXT = node("paragraph", node("extended-text", text="x"))


def mobiledoc(*sections, cards=()):
    return json.dumps({"version": "0.3.1", "atoms": [], "cards": cards, "markups": [], "sections": sections})


@pytest.mark.parametrize(
    ("post", "content", "content_type"),
    [
        ({}, "", "html"),
        ({"html": "<p>x</p>"}, "<p>x</p>", "html"),
        ({"html": "<p>x</p><p>y</p><hr>\r\n"}, "<p>x</p>\n<p>y</p>\n<hr>", "html"),
        ({"markdown": "*x*", "html": "<em>x</em>"}, "*x*", "markdown"),
        ({"plaintext": "x\r\ny"}, "x\ny", "text"),
        ({"lexical": lexical(TEXT), "html": "<p>x</p>"}, "<p>x</p>", "html"),
        ({"lexical": lexical(TEXT), "html": None, "plaintext": "x"}, "x", "text"),
        ({"lexical": lexical(node("paragraph")), "html": ""}, "", "html"),
        ({"mobiledoc": mobiledoc([1, "p", [[0, [], 0, ""]]]), "html": None}, "", "html"),
        ({"lexical": lexical(node("markdown", markdown="*x*"), node("paragraph"))}, "*x*", "markdown"),
        ({"lexical": lexical(node("markdown", markdown="*x*"), TEXT), "html": "y"}, "y", "html"),
        ({"mobiledoc": json.dumps(MARKDOWN_DOCUMENT), "html": "other"}, "# Hello", "markdown"),
        ({"mobiledoc": MARKDOWN_DOCUMENT, "html": "other"}, "# Hello", "markdown"),
    ],
)
def test_the_markdown_or_the_html_that_visitors_saw_is_taken(post, content, content_type):
    body = read_body(post)
    assert (body.content, body.content_type, body.losses) == (content, content_type, {})


@pytest.mark.parametrize(
    "source",
    [
        {"lexical": lexical(TEXT)},
        {"lexical": lexical(node("image", src="/x.png"))},
        {"mobiledoc": mobiledoc([1, "p", [[0, [], 0, "x"]]])},
        {"mobiledoc": mobiledoc([3, "ul", [[[0, [], 0, "x"]]]])},
        {"mobiledoc": mobiledoc([10, 0], cards=[["image", {"src": "/x.png"}]])},
    ],
)
def test_a_post_without_html_is_refused_if_its_source_has_a_text(source):
    with pytest.raises(RefusedFile, match="only in lexical or mobiledoc"):
        read_body({**source, "html": None})


@pytest.mark.parametrize(
    "damaged",
    [
        *("{", "[]", "1", "{}", '{"root": 5}', '{"root": {"children": {}}}', '{"sections": {}}'),
        *('{"sections": 5}', '{"version": "0.2.0", "sections": []}', "[" * 100_000, "9" * 5_000),
        *('{"root": {"children": [5]}}', '{"sections": [[1]], "cards": [5]}'),
    ],
)
@pytest.mark.parametrize("name", ["lexical", "mobiledoc"])
def test_a_damaged_source_is_not_needed(name, damaged):
    assert read_body({name: damaged, "html": "<p>x</p>"}).content == "<p>x</p>"


def show(html):
    return to_safe_html(read_body({"html": html}).content, "html").replace("\n", "")


def test_a_picture_leaves_its_sizes_to_the_library():
    html = (
        '<figure class="kg-card kg-image-card kg-width-wide"><img src="__GHOST_URL__/content/images/x.jpg" '
        'class="kg-image" alt="A cat" width="800" height="600" '
        'srcset="__GHOST_URL__/content/images/size/w600/x.jpg 600w" sizes="720px"></figure>'
    )
    assert show(html) == (
        '<figure class="kg-card kg-image-card kg-width-wide"><img src="/content/images/x.jpg" '
        'class="kg-image" alt="A cat" width="800" height="600"></figure>'
    )


def test_players_are_those_of_the_browser():
    html = (
        '<figure class="kg-card kg-video-card"><div class="kg-video-container"><video src="/x.mp4" '
        'poster="/t.jpg" playsinline preload="metadata"></video><div class="kg-video-overlay"><button '
        'class="kg-video-large-play-icon"><svg><path d="M0"/></svg></button></div><div '
        'class="kg-video-player"><span class="kg-video-current-time">0:00</span><div class="kg-video-time">/'
        '<span class="kg-video-duration">0:06</span></div><button class="kg-video-playback-rate">1x</button>'
        "</div></div><figcaption>C</figcaption></figure>"
    )
    assert show(html) == (
        '<figure class="kg-card kg-video-card"><div class="kg-video-container"><video controls="" '
        'src="/x.mp4" poster="/t.jpg"></video><div class="kg-video-overlay"></div><div '
        'class="kg-video-player"></div></div><figcaption>C</figcaption></figure>'
    )


def test_a_bookmark_is_a_link_without_icon():
    html = (
        '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://x.example/">'
        '<div class="kg-bookmark-content"><div class="kg-bookmark-title">T</div><div '
        'class="kg-bookmark-metadata"><img class="kg-bookmark-icon" src="/i.png"><span '
        'class="kg-bookmark-author">A</span></div></div></a></figure>'
    )
    assert show(html) == (
        '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://x.example/">'
        '<div class="kg-bookmark-content"><div class="kg-bookmark-title">T</div></div></a></figure>'
    )


SIGNUP = (
    '<div class="kg-card kg-signup-card"><h2>x</h2><form class="kg-signup-card-form" '
    'data-members-form="signup"><input type="email"><button><span>Subscribe</span></button>'
    '<div class="kg-signup-card-success">Email sent!</div></form></div>'
)
YOUTUBE = '<iframe src="https://www.youtube.com/embed/x?feature=oembed"></iframe>'


@pytest.mark.parametrize(
    ("html", "content", "losses"),
    [
        (SIGNUP, '<div class="kg-card kg-signup-card"><h2>x</h2></div>', {"signup forms": 1}),
        ("<script>x</script>", "<script>x</script>", {"scripts in HTML cards": 1}),
        (
            "<FORM>x<INPUT type=checkbox><input type=email /></FORM>",
            "<FORM>x</FORM>",
            {"forms in HTML cards": 1},
        ),
        (YOUTUBE, YOUTUBE, {}),
        (
            "<div><iframe width='1' src='https://x.example/?a&amp;b'></iframe></div>",
            '<div><p><a href="https://x.example/?a&amp;b">https://x.example/?a&amp;b</a></p></div>',
            {"embeds that became links": 1},
        ),
        ("<!--kg-card-begin: html--><b>x</b><!--kg-card-end: html-->", "<b>x</b>", {}),
        ("<p>x</p><!--members-only--><p>y</p>", "<p>x</p>\n<p>y</p>", {}),
    ],
)
def test_what_articles_cannot_show_is_left_out_and_counted_by_name(html, content, losses):
    body = read_body({"html": html})
    assert (body.content, body.losses) == (content, losses)


def test_gated_blocks_are_removed_from_html():
    begin, end = '<!--kg-gated-block:begin nonMember:%s memberSegment:"" -->', "<!--kg-gated-block:end-->"
    html = f"a{begin % 'false'}secret{end}b{begin % 'true'}c{end}d{begin % 'false'}secret"
    body = read_body({"html": html})
    assert (body.content, body.losses) == ("abcd", {"cards that only members could read": 2})


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
