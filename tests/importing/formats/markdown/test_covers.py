"""Covers and their alternative texts are read from all fields that blogs use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(front):
    return reader.parse_article(
        "blog/a.md",
        f"---\ntitle: Hello\ndate: 2020-01-02\n{front}\n---\nText".encode(),
        ImportOptions(now=NOW),
    )


@pytest.mark.parametrize(
    ("front", "cover"),
    [
        ("image: a.png", "a.png"),
        ("images: [/a.png, b.png]", "/a.png"),
        ("cover: {image: a.png, alt: A}", "a.png"),
        ("header: {image: a.png}", "a.png"),
        ("cover: [{src: a.png}]", "a.png"),
        ("heroImage: https://example.org/a", "https://example.org/a"),
        ("featured: true\nimage: a.png", "a.png"),
        ("featured: true", ""),
        ("images: [[]]", ""),
        ("header-img: img/a.png", "img/a.png"),
        ("background: /a.jpg", "/a.jpg"),
        ("background: dark.blue", ""),
        ("preview: true\nhero: Ada", ""),
        ("image: {feature: a.png}", "a.png"),
        ("og_image: /a.webp?v=1", "/a.webp?v=1"),
        ("photos: [a.png, b.png]", "a.png"),
        ("extra: {cover: a.png}", "a.png"),
        ("params: {images: [a.png]}", "a.png"),
        ("resources: [{src: b.png}, {name: featured-image, src: a.png}]", "a.png"),
        ("image: a b.png", "a b.png"),
    ],
)
def test_the_cover_image_is_read_in_all_formats(front, cover):
    assert read(front).cover_image == cover


@pytest.mark.parametrize(
    "front",
    [
        "cover: {image: a.png, alt: A *cat*}",
        "image: a.png\nimage_alt: A *cat*",
        "hero: [{src: a.png, alt: A *cat*}]",
        "featured_image: a.png\nfeaturedAlt: A *cat*",
    ],
)
def test_the_alternative_text_of_the_cover_is_read(front):
    record = read(front)
    assert (record.cover_alt, record.notes) == ("A *cat*", ())


@pytest.mark.parametrize("url", ["data:image/png;base64,AA", "javascript:alert(1)", "word", f"/{'a' * 2048}"])
def test_an_unusable_cover_is_ignored_with_a_note(url):
    record = read(f"image: '{url}'")
    assert record.cover_image == ""
    assert "was ignored" in record.notes[0]
