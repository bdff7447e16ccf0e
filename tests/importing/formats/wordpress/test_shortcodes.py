"""Shortcodes of WordPress and of plugins in a post of the classic editor."""

from __future__ import annotations

import pytest

from blogapi.importing.formats.wordpress.conversion import Attachment, Conversion
from blogapi.importing.formats.wordpress.post_text import convert_text
from blogapi.rendering.sanitizer import to_safe_html

FILES = {
    1: Attachment("https://a.org/1.jpg", alt="One", caption="The <em>first</em>", mime_type="image/jpeg"),
    2: Attachment("https://a.org/2.jpg", mime_type="image/jpeg"),
    3: Attachment("https://a.org/3.mp3", title="Song", mime_type="audio/mpeg"),
    4: Attachment("https://a.org/4.mp4", mime_type="video/mp4"),
    5: Attachment("", mime_type="image/jpeg"),
}
ONE = (
    '<figure class="wp-block-image"><a href="https://a.org/1.jpg"><img src="https://a.org/1.jpg" alt="One" />'
    "</a><figcaption>The <em>first</em></figcaption></figure>"
)
TWO = (
    '<figure class="wp-block-image"><a href="https://a.org/2.jpg"><img src="https://a.org/2.jpg" alt="" />'
    "</a></figure>"
)


def convert(text: str, *uploads: Attachment) -> Conversion:
    return convert_text(text, Conversion(get_attachment=FILES.get, uploads=uploads))


def gallery(*pictures: str, columns: int = 3) -> str:
    content = "\n".join(pictures)
    return f'<figure class="wp-block-gallery columns-{columns}">\n{content}\n</figure>'


def youtube(rest: str = "dQw4w9WgXcQ") -> str:
    return (
        f'<figure class="wp-block-embed"><iframe src="https://www.youtube-nocookie.com/embed/{rest}" '
        'width="560" height="315" allowfullscreen></iframe></figure>'
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('[caption id="a_1" align="alignleft" caption="Two &quot;words&quot;"]<img src="b">[/caption]',
         '<figure id="a_1" class="wp-caption alignleft"><img src="b">'
         '<figcaption>Two "words"</figcaption></figure>'),
        ('[caption width="9"]<a href="c"><img src="b" /></a> Two <em>words</em>\nhere[/caption]',
         '<figure class="wp-caption alignnone"><a href="c"><img src="b" /></a>'
         "<figcaption>Two <em>words</em><br />\nhere</figcaption></figure>"),
        ('[wp_caption caption="x"]<img src="b">[/wp_caption]',
         '<figure class="wp-caption alignnone"><img src="b"><figcaption>x</figcaption></figure>'),
        ('[caption id="a"]<img src="b">[/caption]', '<p><img src="b"></p>'),
        ('[caption caption="x"][youtube dQw4w9WgXcQ][/caption]',
         f'<figure class="wp-caption alignnone">{youtube()}<figcaption>x</figcaption></figure>'),
        ('one [caption caption="x"]<img src="b">[/caption] two',
         '<p>one</p>\n<figure class="wp-caption alignnone"><img src="b"><figcaption>x</figcaption></figure>'
         "\n<p>two</p>"),
        ('[caption caption="x"]', '<p>[caption caption="x"]</p>'),
    ],
)  # fmt: skip
def test_captions_become_figures(text, html):
    assert convert(text).html == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('[gallery ids="1,2"]', gallery(ONE, TWO)),
        ('[gallery ids="1,2,1,2"]', gallery(ONE, TWO)),
        ('[gallery include="2, 1" columns=2 /]', gallery(TWO, ONE, columns=2)),
        ("[gallery ids=&#8221;1,2&#8243; order='DESC' orderby='ID']", gallery(TWO, ONE)),
        ('[gallery ids="2" link="none" columns="x"]', gallery(TWO.replace(
            '<a href="https://a.org/2.jpg">', "").replace("</a>", ""))),
        ("[gallery]", gallery(ONE, TWO)),
        ('<p style="x"> [gallery ids="1"] </p>', gallery(ONE)),
        ('[gallery exclude="1"]', gallery(TWO)),
        ('[gallery ids="1"]two[/gallery]', f"{gallery(ONE)}\n<p>two[/gallery]</p>"),
        ('[gallery ids="1"] [/gallery]two', f"{gallery(ONE)}\n<p>two</p>"),
    ],
)  # fmt: skip
def test_galleries_become_figures(text, html):
    converted = convert(text, FILES[1], FILES[2], FILES[3], FILES[5])
    assert (converted.html, converted.notes) == (html, {})


def test_a_gallery_without_known_pictures_stays_and_is_reported():
    converted = convert('[gallery ids="5,77"]')
    assert converted.html == '<p>[gallery ids="5,77"]</p>'
    assert converted.unconverted == {"gallery": 1}
    assert tuple(converted.notes) == (
        "The export lacks these media files of a gallery or player: 5, 77.",
        "A gallery is not converted, because the export does not name its pictures.",
    )


def player(element: str, kind: str) -> str:
    return f'<figure class="wp-block-{kind}">{element}</figure>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('[audio src="/a.mp3"]', player('<audio controls src="/a.mp3"></audio>', "audio")),
        ("[audio https://a.org/b.mp3|titles=Our song]",
         player('<audio controls src="https://a.org/b.mp3"></audio>', "audio")),
        ("[audio:https://a.org/b.mp3]",
         player('<audio controls src="https://a.org/b.mp3"></audio>', "audio")),
        ('[audio mp3="a.mp3" ogg="a.ogg"][/audio]',
         player('<audio controls><source src="a.mp3" type="audio/mpeg" /><source src="a.ogg" '
                'type="audio/ogg" /></audio>', "audio")),
        ('[audio src="a.mp3"]<a href="a.mp3">Listen</a>[/audio]',
         player('<audio controls src="a.mp3"><a href="a.mp3">Listen</a></audio>', "audio")),
        ("[audio]", player('<audio controls src="https://a.org/3.mp3"></audio>', "audio")),
        ('[video width="64" height="48" mp4="a.mp4?x=1&amp;y=2" poster="p.jpg"][/video]',
         player('<video controls src="a.mp4?x=1&amp;y=2" width="64" height="48" poster="p.jpg"></video>',
                "video")),
        ('[video src="https://youtu.be/dQw4w9WgXcQ"]', youtube()),
        ('[playlist ids="3"]',
         player('<audio controls src="https://a.org/3.mp3"></audio><figcaption>Song</figcaption>', "audio")),
    ],
)  # fmt: skip
def test_audio_and_video_shortcodes_become_players(text, html):
    assert convert(text, FILES[3]).html == html


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "dQw4w9WgXcQ"),
        ("  http://youtu.be/dQw4w9WgXcQ?t=1m30s", "dQw4w9WgXcQ?start=90"),
        ("https://m.youtube.com/watch?feature=x&amp;v=dQw4w9WgXcQ&amp;t=30", "dQw4w9WgXcQ?start=30"),
        ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "dQw4w9WgXcQ"),
        ("https://www.youtube.com/playlist?list=PLabcdefghij", "videoseries?list=PLabcdefghij"),
        ('<object><param name="movie" value="//youtube.com/v/videoseries?list=PLabcdefghij"></object>',
         "videoseries?list=PLabcdefghij"),
        ("https://www.youtube.com/watch/?v=dQw4w9WgXcQ", "dQw4w9WgXcQ"),
        ("[youtube=https://www.youtube.com/watch?v=dQw4w9WgXcQ&w=640&h=385]", "dQw4w9WgXcQ"),
        ("[youtube dQw4w9WgXcQ]", "dQw4w9WgXcQ"),
        ('[youtube id="dQw4w9WgXcQ" width="600"]', "dQw4w9WgXcQ"),
        ("[youtube]dQw4w9WgXcQ[/youtube]", "dQw4w9WgXcQ"),
        ("[embed width='1']https://youtu.be/dQw4w9WgXcQ[/embed]", "dQw4w9WgXcQ"),
        ('<object width="1"><param name="movie" value="http://www.youtube.com/v/dQw4w9WgXcQ&amp;hl=en">'
         '<embed src="http://www.youtube.com/v/dQw4w9WgXcQ&amp;hl=en"></embed></object>', "dQw4w9WgXcQ"),
        ('<embed src="http://www.youtube.com/v/dQw4w9WgXcQ">', "dQw4w9WgXcQ"),
    ],
)  # fmt: skip
def test_youtube_shortcodes_become_players(text, rest):
    assert convert(text).html == youtube(rest)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[vimeo 12345]", "https://player.vimeo.com/video/12345?dnt=1"),
        ("https://vimeo.com/channels/staffpicks/12345", "https://player.vimeo.com/video/12345?dnt=1"),
        ("https://vimeo.com/12345/abcdef1234", "https://player.vimeo.com/video/12345?h=abcdef1234&amp;dnt=1"),
        ("[soundcloud url='https://api.soundcloud.com/tracks/1' params='a=b']",
         "https://w.soundcloud.com/player/?url=https%3A%2F%2Fapi.soundcloud.com%2Ftracks%2F1"),
        ("[spotify spotify:track:4uLU6hMCjMI75M1A2tKUQC]",
         "https://open.spotify.com/embed/track/4uLU6hMCjMI75M1A2tKUQC"),
        ('<iframe src="//player.vimeo.com/video/1"></iframe>', "https://player.vimeo.com/video/1"),
        ('<iframe src="http://www.youtube.com/embed/x"></iframe>', "https://www.youtube.com/embed/x"),
    ],
)  # fmt: skip
def test_players_of_other_sites_survive_the_sanitizer(text, address):
    assert f'<iframe src="{address}"' in to_safe_html(convert(text).html, "html")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://twitter.com/a/status/1", "https://twitter.com/a/status/1"),
        ("<p>https://example.org/?a&amp;b</p>", "https://example.org/?a&amp;b"),
        ("[gist id=abc123]", "https://gist.github.com/abc123"),
        ('<script src="https://gist.github.com/a/abc123.js"></script>', "https://gist.github.com/a/abc123"),
        ("[tweet 123]", "https://twitter.com/i/status/123"),
        ("[googlemaps https://maps.google.com/?q=a&amp;z=1]", "https://maps.google.com/?q=a&amp;z=1"),
        ("[wpvideo AbCd12]", "https://videopress.com/v/AbCd12"),
        ('<iframe src="https://maps.a.org/x?y"></iframe>', "https://maps.a.org/x?y"),
    ],
)
def test_other_pages_become_links(text, address):
    html = convert(text).html
    assert html.startswith(f'<p><a href="{address}">')
    assert html.count("<a ") == 1


@pytest.mark.parametrize(
    "text",
    [
        "See https://youtu.be/dQw4w9WgXcQ here",
        '<a href="https://youtu.be/dQw4w9WgXcQ">x</a>',
    ],
)
def test_addresses_in_a_sentence_stay(text):
    assert convert(text).html == f"<p>{text}</p>"


@pytest.mark.parametrize(
    ("text", "unconverted"),
    [
        ('[sic] that [1] [...] [citation needed] [W]hich [x = 5] [[Wiki]] [a b="c" stays]', {"a": 1}),
        ("[spoiler]text[/spoiler] [spoiler]more[/spoiler]", {"spoiler": 2}),
        ('[contact-form-7 id="1" title="C"] [toc] [x-y /]', {"contact-form-7": 1, "toc": 1, "x-y": 1}),
        ('<a title="[foo a=1]" href="[bar b=2]">x</a>', {}),
        ('<code>[foo a="1"]</code>', {}),
        ("((a footnote)) $latex x^2$ [latex]x[/latex]", {"latex": 1}),
    ],
)  # fmt: skip
def test_unknown_shortcodes_stay_and_are_counted(text, unconverted):
    converted = convert(text)
    assert converted.html.replace("&#91;", "[") == f"<p>{text}</p>"
    assert converted.unconverted == unconverted


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[[caption]]", "<p>[caption]</p>"),
        ('[[gallery ids="1"]] x', '<p>[gallery ids="1"] x</p>'),
        ("[[caption]one[/caption]]", "<p>[caption]one[/caption]</p>"),
        ("[[code]]", "<p>[code]</p>"),
        ("[[youtube dQw4w9WgXcQ]", f"<p>[</p>\n{youtube()}"),
    ],
)
def test_escaped_shortcodes_stay_in_the_text(text, html):
    assert convert(text).html == html


def test_layout_shortcodes_of_page_builders_are_removed():
    converted = convert(
        "[vc_row][vc_column a='1'][vc_column_text]One\n\ntwo[/vc_column_text][/vc_column][/vc_row]"
    )
    assert converted.html == "<p>One</p>\n<p>two</p>"
    assert len(converted.notes) == 1
    assert convert("a [row] of").html == "<p>a [row] of</p>"


BUTTON = '<p><a href="https://a.org/x">Go &amp; see</a></p>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('[vc_custom_heading text="One" font_container="tag:h2|font_size:20"]', "<h2>One</h2>"),
        ("[vc_custom_heading text='<i>404</i> ``x`` &amp; y']", '<h3>404 "x" &amp; y</h3>'),
        ('[vc_btn title="Go & see" link="url:https%3A%2F%2Fa.org%2Fx|title:T|target:_blank"]', BUTTON),
        ('[et_pb_button button_url="https://a.org/x" button_text="Go & see"][/et_pb_button]', BUTTON),
        ('[vc_tta_section title="A" tab_id="1"]B[/vc_tta_section]', "<h3>A</h3>\n<p>B</p>"),
        (
            '[et_pb_blurb title="A" image="/b.jpg"]B[/et_pb_blurb]',
            '<h3>A</h3>\n<figure class="wp-block-image"><img src="/b.jpg" alt="" /></figure>\n<p>B</p>',
        ),
        (
            '[et_pb_cta title="A" button_url="https://a.org/x" button_text="Go & see"]B[/et_pb_cta]',
            f"<h3>A</h3>\n{BUTTON}\n<p>B</p>",
        ),
        ('[et_pb_cta button_url="javascript:x" button_text="Go"]B[/et_pb_cta]', "<p>B</p>"),
        ('[vc_gallery images="1,2"][vc_empty_space height="9px"]', gallery(ONE, TWO)),
        ("[vc_raw_html]JTND[/vc_raw_html]", "<p>[vc_raw_html]JTND[/vc_raw_html]</p>"),
        ('[vc_video link="https://youtu.be/dQw4w9WgXcQ"]', youtube()),
        ('[vc_toggle title=""]B[/vc_toggle]', "<p>B</p>"),
    ],
)
def test_what_page_builders_write_into_attributes_is_shown(text, html):
    assert convert(text).html == html
