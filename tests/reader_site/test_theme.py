"""The theme of the owner: templates, style sheet, words and files."""

from __future__ import annotations

import os

import pytest

from blogapi.reader_site import theme

pytestmark = pytest.mark.usefixtures("site")

PIXEL = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def look_at_each_request(monkeypatch):
    """Look at the folder of the theme at each request."""
    monkeypatch.setattr(theme, "_CHECK_INTERVAL", 0.0)


def test_a_template_of_the_theme_replaces_that_of_the_package(theme_folder, get_page, make_article):
    make_article(title="Hello")
    before = get_page("/").text
    (theme_folder / "base.html").write_text(
        '{% extends "built-in/base.html" %}{% block footer %}<footer>By {{ title }}</footer>{% endblock %}',
        encoding="utf-8",
    )
    after = get_page("/").text
    assert "<footer>By The Bread Blog</footer>" in after and "colophon" not in after and "Hello" in after
    assert "colophon" in before and "<footer>By The Bread Blog</footer>" in get_page("/hello/").text
    (theme_folder / "base.html").unlink()
    assert get_page("/").text == before


@pytest.mark.parametrize(
    "template",
    [
        "{% if %}",
        "{{ nothing.at.all }}",
        '{% extends "base.html" %}',
        '{% extends "none.html" %}',
        "{{ ''.__class__.__mro__ }}",
        "{{ words.find.__globals__ }}",
        "{{ 1 / 0 }}",
    ],
)
def test_a_template_that_fails_leaves_the_built_in_page_and_is_reported(
    theme_folder, get_page, make_article, app, caplog, template
):
    make_article(title="Hello")
    before = get_page("/archive/").text
    (theme_folder / "archive.html").write_text(template, encoding="utf-8")
    if template == '{% extends "base.html" %}':
        (theme_folder / "base.html").write_text(template, encoding="utf-8")
    assert get_page("/archive/").text == before
    with app.app_context():
        assert theme.get_theme().problems
    assert "is not used" in caplog.text


def test_templates_see_neither_the_request_nor_the_settings(theme_folder, get_page):
    names = (
        "request",
        "session",
        "config",
        "g",
        "url_for",
        "get_flashed_messages",
        "self._TemplateReference__context.environment",
    )
    (theme_folder / "archive.html").write_text(
        "".join(f"[{{{{ {name} }}}}]" for name in names[:-1]), encoding="utf-8"
    )
    assert get_page("/archive/").text == "[]" * (len(names) - 1)


def test_the_style_sheet_of_the_theme_comes_after_that_of_the_site(theme_folder, get_page, as_stranger):
    assert "/theme/" not in get_page("/").text
    (theme_folder / "style.css").write_text(":root { --accent: #0a5fa6; }", encoding="utf-8")
    text = get_page("/").text
    assert text.index("/style.css?v=") < text.index("/theme/style.css?v=")
    style = as_stranger.get("/theme/style.css")
    assert (style.status_code, style.content_type) == (200, "text/css; charset=utf-8")
    assert style.headers["Cache-Control"] == "public, max-age=300" and b"#0a5fa6" in style.data


def test_files_that_browsers_need_are_served_and_no_others(theme_folder, as_stranger, tmp_path):
    (theme_folder / "fonts").mkdir()
    (tmp_path / "secret.css").write_text("secret", encoding="utf-8")
    for name in ("fonts/a.woff2", "b.png", ".hidden.png", "base.html", "words.toml", "c.exe"):
        (theme_folder / name).write_bytes(PIXEL)
    for name in ("fonts/a.woff2", "b.png"):
        response = as_stranger.get(f"/theme/{name}")
        assert response.status_code == 200 and response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Security-Policy"].startswith("sandbox")
    if os.name != "nt":
        (theme_folder / "link.css").symlink_to(tmp_path / "secret.css")
    for name in (
        *(
            ".hidden.png",
            "base.html",
            "words.toml",
            "c.exe",
            "link.css",
            "none.css",
            "../blog.db",
            "fonts",
            "",
        ),
        *("%2e%2e/secret_key", "fonts/../b.png", "fonts//a.woff2", "..\\b.png"),
    ):
        assert as_stranger.get(f"/theme/{name}").status_code == 404, name


def test_words_of_the_theme_replace_single_words(theme_folder, get_page, app):
    (theme_folder / "words.toml").write_text('[en]\narchive = "All loaves"\n', encoding="utf-8")
    assert "All loaves" in get_page("/").text
    (theme_folder / "words.toml").write_text("[en]\narchive = 7\n", encoding="utf-8")
    assert "All loaves" not in (text := get_page("/").text) and "Archive" in text
    with app.app_context():
        assert "archive" in theme.get_theme().problems["words.toml"]


def test_a_change_of_the_theme_shows_at_once_in_stored_pages(theme_folder, get_page):
    assert "Changed" not in get_page("/zzz/", 404).text and "Changed" not in get_page("/archive/").text
    for template in ("archive.html", "not-found.html"):
        (theme_folder / template).write_text("Changed", encoding="utf-8")
    assert get_page("/archive/").text == get_page("/zzz/", 404).text == "Changed"
