"""A blog to export."""

from __future__ import annotations

import pytest

from blogapi.content.media.addresses import make_file_path
from tests.conftest import ARTICLES
from tests.stored_pictures import store_picture


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


@pytest.fixture
def blog(app, as_admin, make_article, make_category, make_tag, make_guest):
    """Three public articles; a draft, a scheduled article and edits with secrets; returns the public file."""
    red, blue = store_picture(app, "red"), store_picture(app, "blue")
    kitchen = make_category(name="Kitchen", cover_image=make_file_path(red.hash, red.name))
    ada = make_guest(name="Ada Lovelace")
    eve = make_guest(name="Secret Eve", avatar=make_file_path(blue.hash, blue.name))
    byline = {"category": kitchen, "authors": [{"uuid": str(ada.uuid)}]}
    bread = make_article(
        title="Bread: a story",
        slug="bread",
        tags=(make_tag("Slow food"), make_tag("2024")),
        content=f"# Flour\r\n\n---\n![loaf](media:{red.uuid})\t{{{{< x >}}}} {{{{ y }}}} \u2028",
        content_type="markdown",
        cover_image=make_file_path(red.hash, red.name),
        seo={"title": "Bread!", "description": "On bread"},
        **byline,
    )
    make_article(title="Salt", content="a < b\r\n& c", content_type="text", **byline)
    make_article(title="Tea", content=f'<p><img src="/media/{red.hash}/red.png"></p>', **byline)
    secret = {"content": f"![](media:{blue.uuid})", "content_type": "markdown", "category": kitchen}
    secret |= {"authors": [{"uuid": str(eve.uuid)}]}
    make_article(title="Secret draft", status="draft", **secret)
    make_article(title="Secret plan", published_at="2099-01-01T00:00:00Z", **secret)
    edits = {"title": "Secret edits", "content": f"![](media:{blue.uuid})", "content_type": "markdown"}
    saved = as_admin.put(f"{ARTICLES}{bread.uuid}/working-copy/", json=edits)
    assert saved.status_code == 201
    return red
