"""The homes and the words of the site in several languages."""

from __future__ import annotations

import pytest

LANGUAGES = [{"language": "de", "title": "Das Brotblog", "description": "Brot"}]


@pytest.fixture
def articles(turn_on, make_article):
    """Turn the site on in two languages, with articles in three."""
    turn_on(languages=LANGUAGES)
    for language in ("", "de", "fr"):
        make_article(title=f"Loaf {language or 'en'}", language=language)


@pytest.mark.usefixtures("articles")
def test_every_article_is_on_one_home(get_page):
    first, german = get_page("/").text, get_page("/de/").text
    assert "Loaf en" in first and "Loaf fr" in first and "Loaf de" not in first
    assert "Loaf de" in german and "Loaf en" not in german
    assert '<html lang="de"' in german and "Das Brotblog" in german
    feeds = [get_page("/feeds/atom.xml").text, get_page("/feeds/atom.xml?language=de").text]
    assert "Loaf fr" in feeds[0] and "Loaf de" not in feeds[0] and "Loaf de" in feeds[1]


@pytest.mark.usefixtures("articles")
def test_each_article_has_the_words_of_its_language(get_page):
    assert '<html lang="de"' in get_page("/loaf-de/").text and "Archiv" in get_page("/loaf-de/").text
    assert '<html lang="fr"' in get_page("/loaf-fr/").text
    assert '<html lang="en"' in get_page("/loaf-en/").text
    assert "gibt es nicht" in get_page("/de/zzz/", 404).text


def test_a_language_without_words_takes_those_of_the_site(turn_on, make_article, get_page):
    turn_on(language="de")
    make_article(title="Leipä", language="fi")
    page = get_page("/leipa/").text
    assert '<html lang="de"' in page and '<article lang="fi"' in page


@pytest.mark.usefixtures("articles")
def test_archive_search_and_terms_show_all_languages(get_page):
    for path in ("/archive/", "/search/?q=loaf", "/category/shelf/"):
        text = get_page(path).text
        assert all(f"Loaf {language}" in text for language in ("en", "de", "fr")), path
    assert "language=all" in get_page("/category/shelf/").text


def test_with_languages_in_the_patterns_the_root_leads_to_the_first_home(turn_on, make_article, get_page):
    turn_on(languages=LANGUAGES, article_path="/{language}/{slug}/", page_path="/{language}/{path}/")
    make_article(title="Hello")
    assert get_page("/", 302).headers["Location"] == "/en/"
    assert "Hello" in get_page("/en/").text
    get_page("/en/hello/")
    assert get_page("/de/", 200).text.count("Hello") == 0


def test_without_other_languages_the_home_shows_all_articles(turn_on, make_article, get_page):
    turn_on()
    make_article(title="Brot", language="de")
    assert "Brot" in get_page("/").text
    get_page("/de/", 404)
