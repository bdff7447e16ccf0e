"""The galleries of front matter are shown where the text includes them."""

from __future__ import annotations

import pytest

from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.galleries import show_galleries

FIELDS = {
    "gallery": [
        {"url": "/a.jpg", "image_path": "/a-small.jpg", "alt": "A"},
        {"url": "/page/", "image_path": "/b.jpg", "title": "B"},
    ],
    "Trip_2": [{"image_path": "/c.jpg"}],
}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '{% include gallery caption="All **of it**" %}',
            '<figure><img src="/a.jpg" alt="A"><img src="/b.jpg" alt="" title="B">'
            "<figcaption>All <strong>of it</strong></figcaption></figure>",
        ),
        ('a {% include gallery id="trip_2" %} b', 'a <figure><img src="/c.jpg" alt=""></figure> b'),
        ('{% include gallery id="missing" %}', '{% include gallery id="missing" %}'),
        ("`{% include gallery %}`", "`{% include gallery %}`"),
    ],
)
def test_a_gallery_is_shown_where_it_is_included(content, expected):
    assert show_galleries(content, "markdown", Fields(FIELDS)) == expected


@pytest.mark.parametrize("gallery", ["x", {"a": 1}, [1, None, {"alt": "a"}], []])
def test_a_list_without_pictures_is_not_shown(gallery):
    written = "{% include gallery %}"
    assert show_galleries(written, "markdown", Fields({"gallery": gallery})) == written


def test_many_includes_take_linear_time():
    fields = Fields({"gallery": [{"image_path": "/a.jpg"}] * 400})
    shown = show_galleries("{% include gallery %}" * 20_000, "markdown", fields)
    assert shown.count("/a.jpg") == 400
