"""Scripts, links and metadata are removed from SVG files."""

from __future__ import annotations

import pytest

from blogapi.content.media import svg
from blogapi.content.media.types import detect_type

NAMESPACE = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


USE = '<use href="#a"/>'


def draw(content: str = "", attributes: str = 'width="40" height="30"') -> bytes:
    return f"<svg {NAMESPACE} {attributes}>{content}</svg>".encode()


def draw_copies(levels: int, copies: int) -> bytes:
    """Return a drawing in which each of several groups shows the one before it several times."""
    uses = [f'<use xlink:href="#a{level}"/>' * copies for level in range(levels)]
    groups = (f'<g id="a{level}">{inner}</g>' for level, inner in enumerate(uses, 1))
    return draw(f'<rect id="a0"/>{"".join(groups)}')


@pytest.mark.parametrize(
    "content",
    [
        '<g fill="#f00"><path d="M0 0h9"/></g>',
        '<style>.a { fill: url(#gradient) }</style><text class="a">A &amp; B &lt;c&gt;</text>',
        '<defs><linearGradient id="g"/></defs><use xlink:href="#g"/><use href="#g"/>',
        '<image href="data:image/png;base64,AAAA"/>',
        '<circle r="3"><animate attributeName="r" values="1;3" dur="1s"/></circle>',
        '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><rect filter="url(#f)"/>',
        "<title>Ünïcode 図</title>",
    ],
)
def test_a_picture_without_anything_else_is_unchanged(content):
    assert svg.clean_svg(draw(content)) == svg.Drawing(draw(content), 40, 30)


@pytest.mark.parametrize(
    ("content", "cleaned"),
    [
        ("<script>alert(1)</script><g/>", "<g></g>"),
        ("<script/>", ""),
        ('<g onload="alert(1)" ONCLICK="a()" id="a"/>', '<g id="a"></g>'),
        (
            '<a href="javascript:alert(1)" fill="#f00"><path d="M0"/></a>',
            '<g fill="#f00"><path d="M0"></path></g>',
        ),
        ("<text>A <a><tspan>b</tspan></a></text>", "<text>A <tspan><tspan>b</tspan></tspan></text>"),
        ('<use href="https://evil.example/a.svg#b"/>', "<use></use>"),
        ('<use href="#%61"/><use xlink:href="#a b"/>', "<use></use><use></use>"),
        ('<use xlink:href=" javascript:alert(1)"/>', "<use></use>"),
        ('<image href="data:image/svg+xml;base64,AAAA"/>', "<image></image>"),
        ('<image href="/secret.png"/>', "<image></image>"),
        ('<rect fill="url(https://evil.example/a)"/>', "<rect></rect>"),
        ('<rect style="fill: u\\72l(//evil.example)"/>', '<rect style=""></rect>'),
        ('<rect style="fill:#f00;mask:url(/a);x:0"/>', '<rect style="fill:#f00;x:0"></rect>'),
        (
            "<style>@font-face{src:url(data:font/woff2;base64,AA)}.a{fill:#f00}@import 'b;{}';"
            "@media print{.b{fill:url(//c)}.d{fill:#0f0}}.e{content:'}';cursor:url(f)}</style>",
            "<style>.a{fill:#f00}@media print{.d{fill:#0f0}}</style>",
        ),
        (
            "<style>/* it's; {*/.a{fill:#f00}.b{fill:url(//c)}</style>",
            "<style>/* it's; {*/.a{fill:#f00}</style>",
        ),
        ("<style>.a{fill:#f00}url(//c)}</style>", "<style></style>"),
        ("<style>@import '//evil.example/a.css';</style>", "<style></style>"),
        ("<style>a { fill: url('//evil.example') }</style>", "<style></style>"),
        ('<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">a</div></foreignObject>', ""),
        ('<iframe xmlns="http://www.w3.org/1999/xhtml" src="/"/>', ""),
        ('<set attributeName="href" to="javascript:alert(1)"/>', "<set></set>"),
        *(
            (
                f'<{element} attributeName="{name}" to="//a.example"/>',
                f'<{element} to="//a.example"></{element}>',
            )
            for element in ("set", "animate")
            for name in ("href", "xlink:href", "XLINK:HREF", "onclick", "xlink:onclick")
        ),
        ("<metadata>author</metadata><desc>A</desc>", "<desc>A</desc>"),
        ('<g xmlns:i="http://www.inkscape.org/" i:path="/home/ada"><i:view/></g>', "<g></g>"),
        ("<!-- a comment -->", ""),
        ("<?php echo 1 ?>", ""),
        ("<path><g><script>a</script>b</g></path>", "<path><g>b</g></path>"),
    ],
)
def test_everything_else_is_removed(content, cleaned):
    expected = draw(cleaned).decode()
    result = svg.clean_svg(draw(content)).data
    assert result.decode() == expected
    assert svg.clean_svg(result).data == result


@pytest.mark.parametrize(
    ("content", "is_said"),
    [
        ("<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>a</p></foreignObject>", True),
        ("<switch><foreignObject/><text>a</text></switch>", False),
        ("<metadata>a</metadata><script>a</script>", False),
    ],
)
def test_lost_text_is_said(content, is_said):
    drawing = svg.clean_svg(draw(content))
    assert drawing.data != draw(content)
    assert ("foreignObject" in drawing.note) is is_said


def test_a_drawing_can_repeat_its_elements():
    assert svg.clean_svg(draw_copies(levels=3, copies=20)).data == draw_copies(levels=3, copies=20)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "damaged"),
        (draw()[:-3], "damaged"),
        (draw("<g></path>"), "damaged"),
        (b"<svg/>", "namespace"),
        (b'<html xmlns="http://www.w3.org/1999/xhtml"/>', "namespace"),
        (b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + draw("&b;"), "entities"),
        (b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + draw("&a;"), "entities"),
        (draw("<g/>" * svg.MAX_ELEMENTS), "elements"),
        (draw_copies(levels=4, copies=20), "elements"),
        (draw('<g id="a"><use href="#a"/></g>'), "refers to itself"),
        # Of two elements with one id, browsers show the first.
        (draw(f'<g id="a">{"<g/>" * 300}</g><g id="a"/>{USE * 200}'), "elements"),
        (draw(" " * svg.MAX_BYTES), "large"),
    ],
)
def test_other_files_are_refused(data, word):
    with pytest.raises(svg.InvalidSvg, match=word):
        svg.clean_svg(data)


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ('width="40px" height="1in"', (40, 96)),
        ('viewBox="0 0 24 12"', (24, 12)),
        ('viewBox="0,0,24,12" width="48"', (48, 24)),
        ('viewBox="0 0 24 12" height="6"', (12, 6)),
        ('viewBox="0 0 24 12" width="100%"', (24, 12)),
        ('width="100%"', (300, 150)),
        ('width="0" height="1e99" viewBox="a b c d"', (300, 150)),
        ('width="0.2" height="0.2"', (1, 1)),
    ],
)
def test_the_size_is_the_stated_one_or_that_of_the_view_box(attributes, size):
    drawing = svg.clean_svg(draw(attributes=attributes))
    assert (drawing.width, drawing.height) == size


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"\xef\xbb\xbf",
        b'<?xml version="1.0"?>\n<!-- a --><!-- b -->\n',
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">\n',
    ],
)
def test_the_type_is_recognised_by_the_first_element(app, start):
    with app.app_context():
        assert detect_type(start + draw(), "a.jpg").extension == "svg"
        assert detect_type(start + b"<html><svg/></html>", "a.svg") is None


def test_many_comments_do_not_take_long(app):
    with app.app_context():
        assert detect_type(b"<!---->" * 500, "a.svg") is None


@pytest.mark.parametrize(
    "attributes",
    ['viewBox="0 0 .000000001 9999999" width="9999999in"', 'width="9999999in" height="9999999in"'],
)
def test_the_size_of_a_drawing_fits_into_the_database(attributes):
    drawing = svg.clean_svg(f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}/>'.encode())
    assert (drawing.width, drawing.height) == (1_000_000, 1_000_000)


@pytest.mark.parametrize("value", ["image-set('//a.example/b.png' 1x)", "src('//a.example/b.png')"])
def test_a_style_that_loads_a_file_without_url_is_removed(value):
    drawing = svg.clean_svg(f'<svg xmlns="http://www.w3.org/2000/svg" fill="{value}"/>'.encode())
    assert b"example" not in drawing.data
