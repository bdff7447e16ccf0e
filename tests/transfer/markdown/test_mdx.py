"""MDX is read as Markdown."""

from __future__ import annotations

import pytest

from blogapi.transfer.markdown import mdx


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<img src={require('./x.png').default} />", '<img src="./x.png" />'),
        ('<img src={useBaseUrl("/img/x.png")} />', '<img src="/img/x.png" />'),
        ("`src={require('./x.png')}`", "`src={require('./x.png')}`"),
        ("<a href={url}>a</a>", "<a href={url}>a</a>"),
    ],
)
def test_addresses_of_functions_become_plain(content, expected):
    assert mdx.resolve_addresses(content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("import x from './x.png'\n\n<Image src={x} alt='a' />", "<img src=\"./x.png\" alt='a' />"),
        ("<Image {...image} />", "<Image {...image} />"),
        (
            '<YouTube id="abcdefghijk" />',
            '<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk" title="YouTube video" '
            "allowfullscreen></iframe>",
        ),
        ("<YouTube id={x} />", "<YouTube id={x} />"),
        (
            "<script />\n\n<Image src='x' />\n\n<script></script>",
            "<script />\n\n<img src='x' />\n\n<script></script>",
        ),
    ],
)
def test_pictures_and_players_of_components_are_kept(content, expected):
    assert mdx.remove_code(content, []) == expected


def test_components_are_named():
    notes: list[str] = []
    mdx.remove_code("<Tabs>\n\nText\n\n</Tabs>", notes)
    assert notes == ["Components of MDX are not shown, but their text is: Tabs (1)."]
