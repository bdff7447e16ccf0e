"""Template tags that embed videos, posts and code of other sites become players and links."""

from __future__ import annotations

import pytest

from blogapi.importing.templates.template_tags import resolve_templates
from tests.importing.templates.link_targets import Targets

YOUTUBE = "https://www.youtube-nocookie.com/embed/abcdefgh"
VIMEO = "https://player.vimeo.com/video/12345"


@pytest.mark.parametrize(
    ("written", "player"),
    [
        ('{% include video.html provider="vimeo" id="12345" %}', VIMEO),
        ('{{< video src="https://www.youtube.com/watch?v=abcdefgh" >}}', YOUTUBE),
        ("{{% media url=https://www.youtube.com/watch?v=abcdefgh %}}", YOUTUBE),
        ("{{% media https://vimeo.com/12345 %}}", VIMEO),
        ("{{< youtube www.youtube.com/watch?t=1&v=abcdefgh >}}", YOUTUBE),
        ("{{< youtube https://www.youtube.com/shorts/abcdefgh >}}", YOUTUBE),
        ("{% iframe https://www.youtube.com/embed/abcdefgh %}", YOUTUBE),
    ],
)
def test_a_video_becomes_a_player(written, player):
    assert resolve_templates(written, "markdown", Targets()).content.startswith(f'<iframe src="{player}"')


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("{% iframe https://example.com/x %}", "https://example.com/x"),
        ("{% gist https://gist.github.com/a/1 %}", "https://gist.github.com/a/1"),
        ("{{< tweet https://twitter.com/a/status/1 >}}", "https://twitter.com/a/status/1"),
        ("{{% media https://example.com/x %}}", "https://example.com/x"),
    ],
)
def test_a_page_of_another_site_becomes_a_link(written, address):
    assert resolve_templates(written, "markdown", Targets()).content == f"[{address}]({address})"


@pytest.mark.parametrize(
    "written",
    [
        *('{{< youtube "a b" >}}', "{% iframe x.html %}", '{{< gist "a b" >}}'),
        *('{{< tweet "a b!" >}}', '{{< video "x.txt" >}}'),
    ],
)
def test_a_tag_without_a_valid_id_stays_and_is_counted(written):
    resolved = resolve_templates(written, "markdown", Targets())
    assert (resolved.content, sum(resolved.unresolved.values())) == (written, 1)


@pytest.mark.parametrize("repeated", ["//youtube.com/", "youtube.com/a", "//vimeo.com/", "//a.b."])
def test_a_long_address_takes_linear_time(repeated):
    # A search that takes quadratic time would not end within the time limit of the test run.
    assert resolve_templates(f'{{{{< video src="{repeated * 30_000}" >}}}}', "markdown", Targets()).content
