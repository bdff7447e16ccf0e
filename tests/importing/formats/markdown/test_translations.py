"""The languages of files, and the files that are translations of each other."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import source
from blogapi.importing.formats.markdown.source import LanguageFinder

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")


def find_all(*keys):
    """Return the language and the translation key of each file."""
    translations = LanguageFinder(keys)
    places = [translations.find_language(key) for key in keys]
    return [(language, translations.get_translation_key(path)) for language, path in places]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a/post/b.md", "a/post/b.fr.md", [("", "post/b"), ("fr", "post/b")]),
        ("a/post/b/index.md", "a/post/b/index.pt-BR.md", [("", "post/b"), ("pt-BR", "post/b")]),
        ("a/content/post/b.md", "a/content/fr/post/b.md", [("", "content/post/b"), ("fr", "content/post/b")]),
        ("a/en/b.md", "a/fr/b.md", [("en", "b"), ("fr", "b")]),
        ("a/en/b.md", "a/zh-cn/b/index.md", [("en", ""), ("zh-CN", "")]),
        ("a/content/en/b-en.md", "a/content/zh/b.md", [("en", "content/b"), ("zh", "content/b")]),
        ("a/en/b.md", "a/fr/c.md", [("en", ""), ("fr", "")]),
        ("a/content/zh/b.md", "a/content/zh/c.md", [("zh", ""), ("zh", "")]),
        # These folders and names stand for no language.
        ("a/posts/it/b.md", "a/posts/c.md", [("", ""), ("", "")]),
        ("a/posts/it/b.md", "a/posts/it/c.md", [("", ""), ("", "")]),
        ("a/js/b.md", "a/css/b.md", [("", ""), ("", "")]),
        ("fr/b.md", "en/b.md", [("", ""), ("", "")]),
        ("a/b.md", "a/b.css.md", [("", ""), ("", "")]),
        ("a/b.zh-Hans.md", "a/crates.io-incident.md", [("zh-Hans", ""), ("", "")]),
        ("a/_index.md", "a/_index.fr.md", [("", ""), ("fr", "")]),
    ],
)
def test_a_language_is_in_the_path(first, second, expected):
    assert find_all(first, second) == expected


def read(tmp_path, files, **options):
    """Return the records of the files by their keys."""
    for name, text in files.items():
        path = tmp_path / "blog" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    opened = source.MarkdownSource(
        list(walk_path(tmp_path / "blog")),
        ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), **options),
    )
    return {item.key.removeprefix("blog/"): item for item in opened.read()}


def test_the_slug_of_a_translation_names_its_language(app, tmp_path):
    text = "---\ntitle: T\ndate: 2020-01-02\n{}---\nText"
    files = {
        **{f"content/{language}/post/a.md": text.format("") for language in ("en", "fr")},
        "content/de/post/a.md": text.format("slug: brot\n"),
        "content/de/post/b.md": text.format(""),
    }
    with app.app_context():
        records = read(tmp_path, files, language="fr")
    slugs = {key: (record.language, record.slug) for key, record in records.items()}
    assert slugs == {
        "content/en/post/a.md": ("en", "a-en"),
        "content/fr/post/a.md": ("fr", "a"),
        "content/de/post/a.md": ("de", "brot-de"),
        "content/de/post/b.md": ("de", "b"),
    }
    assert {record.category for record in records.values()} == {""}


def test_fields_name_the_language_and_the_key(app, tmp_path):
    text = "---\ntitle: T\ndate: 2020-01-02\n{}\n---\nText"
    files = {
        "a.fr.md": text.format("lang: pt_BR\ntranslationKey: of Hugo"),
        "b.md": text.format("lang: de\npage_id: of Polyglot"),
        "c.md": text.format("language: css\nref: master"),
        "d.md": text.format("locale: es\nref: of Jekyll"),
    }
    with app.app_context():
        records = read(tmp_path, files)
    found = {key: (record.language, record.translation_key) for key, record in records.items()}
    assert found == {
        "a.fr.md": ("pt-BR", "of Hugo"),
        "b.md": ("de", "of Polyglot"),
        "c.md": ("", ""),
        "d.md": ("es", "of Jekyll"),
    }
    assert any("language" in note for note in records["c.md"].notes)


@pytest.mark.skipif(not CORPUS, reason="needs the corpus")
def test_the_translations_of_a_real_blog_are_linked(app):
    opened = {}
    with app.app_context():
        options = ImportOptions(now=datetime(2026, 11, 1, tzinfo=UTC))
        for item in source.MarkdownSource(
            list(walk_path(Path(CORPUS) / "markdown-i18n" / "opentelemetry")), options
        ).read():
            if hasattr(item, "language"):
                opened[item.key] = item
    languages = {key.split("/")[1] for key in opened}
    assert languages == {"en", "es", "ja", "pt", "uk", "zh"}
    assert {record.language for record in opened.values()} == languages
    keys = {}
    for record in opened.values():
        if record.translation_key:
            keys.setdefault(record.translation_key, set()).add(record.language)
    assert len(keys) > 5 and all(len(found) > 1 for found in keys.values())
    assert keys["blog/2025/declarative-config"] >= {"en", "es", "pt"}
    slugs = [record.slug for record in opened.values() if record.translation_key]
    assert len(slugs) == len(set(slugs))
