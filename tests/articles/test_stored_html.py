"""HTML that is stored compressed, with the content as dictionary."""

from __future__ import annotations

import pytest

from blogapi.articles import stored_html
from blogapi.web.errors import Damaged

CONTENT = b"# Bread\n\nRye and *salt*. " * 40
HTML = b'"<h1>Bread</h1><p>Rye and <em>salt</em>.</p>"'


def test_html_is_read_with_the_content_from_which_it_was_rendered():
    stored = stored_html.compress(HTML, CONTENT)
    assert stored_html.decompress(stored, CONTENT) == HTML
    assert "Rye and salt." in stored_html.read_plain_text(stored, CONTENT.decode())


@pytest.mark.parametrize(
    ("stored", "content"),
    [
        (stored_html.compress(HTML, CONTENT), b"Other words."),
        (stored_html.compress(HTML, CONTENT)[:-6], CONTENT),
        (b"", CONTENT),
        (b"<p>", CONTENT),
        ("<p>", CONTENT),
        (stored_html.compress(b"<p>", CONTENT), CONTENT),
    ],
)
def test_html_that_does_not_fit_the_content_is_damaged(stored, content):
    with pytest.raises(Damaged):
        stored_html.read_plain_text(stored, content.decode())
