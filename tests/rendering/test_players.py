"""Addresses that become players, and pictures that become figures."""

from __future__ import annotations

import pytest

from blogapi.rendering import plain_text, players, sanitizer
from blogapi.rendering.players import EMBED_HOSTS

VIDEO = "h7Rb2kQx0Ls"
NOCOOKIE = f"https://www.youtube-nocookie.com/embed/{VIDEO}"
SONG = "4uLU6hMCjMI75M1A2tKUQC"
LIST = "PL0123456789abcdef"

FRAMES = {
    f"https://youtu.be/{VIDEO}": NOCOOKIE,
    f"https://youtu.be/{VIDEO}?si=x&t=90": f"{NOCOOKIE}?start=90",
    f"http://www.youtube.com/watch?v={VIDEO}": NOCOOKIE,
    f"https://m.youtube.com/watch?app=desktop&v={VIDEO}&t=1h2m3s": f"{NOCOOKIE}?start=3723",
    f"https://www.youtube.com/shorts/{VIDEO}": NOCOOKIE,
    f"https://www.youtube.com/live/{VIDEO}?feature=share": NOCOOKIE,
    f"https://www.youtube.com/playlist?list={LIST}": (
        f"https://www.youtube-nocookie.com/embed/videoseries?list={LIST}"
    ),
    "https://vimeo.com/123456789": "https://player.vimeo.com/video/123456789?dnt=1",
    "https://vimeo.com/123456789/abcdef01": "https://player.vimeo.com/video/123456789?h=abcdef01&dnt=1",
    "https://vimeo.com/channels/staffpicks/123456789": "https://player.vimeo.com/video/123456789?dnt=1",
    "https://player.vimeo.com/video/123456789?h=abcdef01": (
        "https://player.vimeo.com/video/123456789?h=abcdef01&dnt=1"
    ),
    "https://soundcloud.com/harbour/tide-song?si=1": (
        "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fharbour%2Ftide-song"
    ),
    "https://soundcloud.com/harbour/sets/songs": (
        "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fharbour%2Fsets%2Fsongs"
    ),
    f"https://open.spotify.com/track/{SONG}?si=1": f"https://open.spotify.com/embed/track/{SONG}",
    f"https://open.spotify.com/intl-pt/album/{SONG}": f"https://open.spotify.com/embed/album/{SONG}",
}
LINKS = [
    "https://www.youtube.com/@harbour",
    f"https://www.youtube.com.evil.example/watch?v={VIDEO}",
    f"https://evil.example/https://youtu.be/{VIDEO}",
    "https://vimeo.com/about",
    "https://on.soundcloud.com/abc",
    "https://open.spotify.com/user/ada",
    "https://knots.example/",
]


def render(content):
    return sanitizer.to_safe_html(content, "markdown").strip()


@pytest.mark.parametrize(("address", "frame"), FRAMES.items())
def test_an_address_alone_in_a_paragraph_becomes_its_player(address, frame):
    html = render(address)
    assert f'<iframe src="{frame.replace("&", "&amp;")}" ' in html
    assert 'loading="lazy"' in html and ' title="' in html
    assert f'<a href="{address.replace("&", "&amp;")}">' in html
    # The sanitizer keeps it, and feeds show the link.
    assert sanitizer.to_safe_html(html, "html") == html
    assert "<iframe" not in sanitizer.make_addresses_absolute(html, "https://blog.example/")
    assert "<figcaption><a href=" in sanitizer.make_addresses_absolute(html, "https://blog.example/")


@pytest.mark.parametrize("address", LINKS)
def test_other_addresses_stay_links(address):
    assert render(address) == f'<p><a href="{address}">{address}</a></p>'


@pytest.mark.parametrize("content", ["See {}", "{}\nand more", "[The regatta]({})", "- {}", "`{}`", "    {}"])
def test_an_address_in_a_text_is_no_player(content):
    assert "<iframe" not in render(content.format(f"https://youtu.be/{VIDEO}"))


def test_the_number_of_players_is_limited():
    html = render(f"https://youtu.be/{VIDEO}\n\n" * (players.MAX_PLAYERS + 1))
    assert html.count("<iframe") == players.MAX_PLAYERS


def test_an_excerpt_contains_no_player():
    html = render(f"Before.\n\nhttps://youtu.be/{VIDEO}\n\nAfter.")
    assert plain_text.make_excerpt(html) == "Before. After."


def test_all_frames_have_hosts_that_are_permitted():
    hosts = {frame.split("/")[2] for frame in FRAMES.values()}
    assert hosts <= EMBED_HOSTS


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("![A](a.jpg)", '<p><img src="a.jpg" alt="A"></p>'),
        (
            '![A](a.jpg "The \\"quay\\" & <b>")',
            '<figure><img src="a.jpg" alt="A"><figcaption>The "quay" &amp; &lt;b&gt;</figcaption></figure>',
        ),
        (
            '![A](a.jpg)\n![B](b.jpg "Bee")  \n[![C](c.jpg)](d)',
            '<div class="gallery">\n<figure><img src="a.jpg" alt="A"></figure>\n'
            '<figure><img src="b.jpg" alt="B"><figcaption>Bee</figcaption></figure>\n'
            '<figure><a href="d"><img src="c.jpg" alt="C"></a></figure>\n</div>',
        ),
        ("![A](a.jpg) and", '<p><img src="a.jpg" alt="A"> and</p>'),
    ],
)
def test_pictures_alone_in_a_paragraph_become_figures(content, expected):
    assert render(content) == expected
    assert sanitizer.to_safe_html(expected, "html") == expected
