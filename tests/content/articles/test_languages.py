"""The languages of articles and pages, their translations, and the feeds and heads per language."""

from __future__ import annotations

import re

import pytest

from blogapi.content.articles.responses import translations
from blogapi.delivery.feeds import sitemap
from tests.conftest import ARTICLES
from tests.content.articles.lists.test_status_lists import titles
from tests.site.conftest import set_site

__all__ = ["set_site"]

PAGES, SITE = "/api/v1/blog/pages/", "/api/v1/blog/site/"
URL = "https://blog.example"
LANGUAGES = [{"language": "fr", "title": "Le blog du pain", "description": "Du pain."}]


@pytest.fixture
def shelf(fill_blog, make_article, make_category, set_site):
    """An article in two public languages, one whose translation is a draft, and one without translations."""

    def fill():
        set_site(url=URL, title="The Bread Blog", article_path="{/language}/{local_slug}/")
        category = make_category(name="Loaves")
        for number, (title, fields) in enumerate(
            (
                ("Rye", {"translation_key": "rye"}),
                ("Seigle", {"translation_key": "rye", "language": "FR", "slug": "rye-fr"}),
                ("Oat", {"translation_key": "oat"}),
                ("Hafer", {"translation_key": "oat", "language": "de-at", "status": "draft"}),
                ("Hafer, unlisted", {"translation_key": "oat", "language": "de", "status": "unlisted"}),
                ("Pain", {"language": "fr", "slug": "pain"}),
            ),
            1,
        ):
            make_article(category, title=title, published_at=f"2026-01-0{number}T00:00:00Z", **fields)

    fill_blog("languages", fill)


def test_lists_select_a_language_and_the_translations(as_reader, as_admin, shelf):
    for query, found in (
        ("language=fr", ["Pain", "Seigle"]),
        ("language=FR&ordering=title", ["Pain", "Seigle"]),
        ("language=en", ["Oat", "Rye"]),
        ("language=en&page=1&page_size=1", ["Oat"]),
        ("language=de-AT", []),
        ("translation_key=rye", ["Seigle", "Rye"]),
        ("translation_key=oat", ["Oat"]),
        ("language=fr&translation_key=rye", ["Seigle"]),
        ("language=fr&q=seigle", ["Seigle"]),
        ("language=en&q=seigle", []),
    ):
        assert titles(as_reader, query) == found, query
    for query, number in (("language=fr", 2), ("language=en", 2), ("translation_key=oat", 1)):
        answer = as_reader.get(f"{ARTICLES}?{query}&page=1&page_size=1")
        assert answer.headers["X-Total-Count"] == str(number), query
    assert titles(as_admin, "status=any&translation_key=oat&ordering=title") == [
        *("Hafer", "Hafer, unlisted", "Oat")
    ]
    assert titles(as_admin, "status=draft&language=de-AT") == ["Hafer"]


def test_the_language_of_the_site_is_stored_as_no_language(as_admin, as_reader, set_site):
    made = as_admin.post(ARTICLES, json={"title": "T", "status": "published", "language": "EN"})
    path = f"{ARTICLES}{made.json['uuid']}/"
    assert as_reader.get(f"{path}?fields=language").json == {"language": ""}
    assert as_admin.patch(path, json={"language": "pt-br"}).status_code == 200
    assert as_reader.get(f"{path}?fields=language").json == {"language": "pt-BR"}
    # The article has the language of the site although it names it.
    set_site(language="pt-BR")
    as_admin.post(ARTICLES, json={"title": "Without", "status": "published"})
    assert titles(as_reader, "language=pt-BR") == ["Without", "T"]
    assert titles(as_reader, "language=en") == []


@pytest.mark.parametrize(
    "wrong", [{"language": "x"}, {"language": "de_AT"}, {"language": None}, {"translation_key": 1}]
)
def test_wrong_values_are_refused(as_admin, wrong):
    for path in (ARTICLES, PAGES):
        answer = as_admin.post(path, json={"title": "T", **wrong})
        assert (answer.status_code, list(answer.json["errors"])) == (422, list(wrong))


@pytest.mark.parametrize("path", [ARTICLES, PAGES, "/feeds/rss.xml"])
@pytest.mark.parametrize("language", ["", "x", "de_AT", "en'--"])
def test_a_wrong_filter_is_refused(as_reader, set_site, path, language):
    set_site(url=URL)
    assert as_reader.get(f"{path}?language={language}").status_code == 400


def test_translations_are_the_listed_articles_with_the_key(as_reader, as_admin, shelf):
    for client in (as_reader, as_admin):
        found = {
            one["title"]: one["translations"]
            for one in client.get(f"{ARTICLES}?fields=title,translations&ordering=title").json
        }
        assert found["Oat"] == found["Pain"] == []
        assert [(one["language"], one["slug"], one["url"]) for one in found["Rye"]] == [
            ("fr", "rye-fr", f"{URL}/fr/rye/")
        ]
        assert [(one["language"], one["slug"], one["url"]) for one in found["Seigle"]] == [
            ("en", "rye", f"{URL}/rye/")
        ]


@pytest.mark.parametrize("language", ["de-at", "DE-at", "de-AT"])
def test_translations_name_the_language_of_the_site_in_one_spelling(
    as_reader, as_login, set_site, make_article, language
):
    # The API stores the usual spelling; a blog can have another one since before it did.
    set_site(url=URL, title="The Bread Blog", article_path="{/language}/{local_slug}/", language=language)
    for title, fields in (("Rye", {}), ("Seigle", {"language": "fr"}), ("Roggen", {"language": "de-Ch"})):
        make_article(title=title, translation_key="rye", **fields)
    found = as_reader.get(f"{ARTICLES}?fields=title,translations,head&ordering=title").json
    languages = {one["title"]: [other["language"] for other in one["translations"]] for one in found}
    assert languages == {
        "Rye": ["de-CH", "fr"],
        "Seigle": ["de-AT", "de-CH"],
        "Roggen": ["de-AT", "fr"],
    }
    for one in found:
        alternates = [other["language"] for other in one["head"]["alternates"]]
        assert alternates == ["de-AT", "de-CH", "fr", "x-default"]


def test_a_list_finds_all_translations_with_one_statement(as_reader, shelf, make_article, record_statements):
    path = f"{ARTICLES}?fields=title,translations,head"
    as_reader.get(SITE)
    with record_statements() as few:
        as_reader.get(path)
    for number in range(5):
        make_article(title=f"A{number}", translation_key=f"k{number}")
    with record_statements() as many:
        assert len(as_reader.get(path).json) == 9
    for statements in (few, many):
        assert len([one for one in statements if "translation_key IN" in one]) == 1


def test_the_head_names_the_languages(as_reader, set_site, shelf):
    set_site(other_languages=LANGUAGES)
    head = as_reader.get(f"{ARTICLES}rye-fr/?fields=head").json["head"]
    assert head["alternates"] == [
        {"language": "en", "url": f"{URL}/rye/"},
        {"language": "fr", "url": f"{URL}/fr/rye/"},
        {"language": "x-default", "url": f"{URL}/rye/"},
    ]
    assert f'<link rel="alternate" hreflang="fr" href="{URL}/fr/rye/">' in head["html"]
    assert f'<link rel="alternate" hreflang="x-default" href="{URL}/rye/">' in head["html"]
    assert head["open_graph"]["og:site_name"] == "Le blog du pain"
    assert head["json_ld"]["@graph"][0]["inLanguage"] == "fr"
    for slug in ("oat", "pain"):
        assert "alternates" not in as_reader.get(f"{ARTICLES}{slug}/?fields=head").json["head"]


@pytest.mark.parametrize(
    ("paths", "homes"),
    [
        ({"article_path": "{/language}/{local_slug}/"}, ["/", "/fr/", "/de-at/"]),
        ({"article_path": "/{language}/{local_slug}/"}, ["/en/", "/fr/", "/de-at/"]),
        ({"article_path": "/{slug}/", "page_path": "{/language}/{path}/"}, ["/", "/fr/", "/de-at/"]),
        ({"article_path": "/{slug}/", "page_path": "/{path}/"}, ["/", "/", "/"]),
        ({"article_path": "/blog/{language}/{slug}/"}, ["/", "/", "/"]),
    ],
)
def test_everything_leads_to_the_home_of_the_language(
    as_reader, as_stranger, as_admin, set_site, shelf, make_article, make_tag, paths, homes
):
    others = [*LANGUAGES, {"language": "de-AT", "title": "", "description": ""}]
    set_site(other_languages=others, **paths)
    homes = [f"{URL}{home}" for home in homes]
    make_article(title="Korn", slug="korn", language="de-AT")
    body = {"title": "Mentions", "slug": "law", "language": "fr", "status": "published"}
    assert as_admin.post(PAGES, json=body).status_code == 201
    tag = f"/api/v1/blog/tags/{make_tag('pain').uuid}/"
    assert as_admin.patch(tag, json={"language": "fr"}).status_code == 200
    items = (f"{ARTICLES}rye/", f"{ARTICLES}rye-fr/", f"{ARTICLES}korn/", f"{PAGES}law/", tag)
    for path, home in zip(items, (*homes, homes[1], homes[1]), strict=True):
        page, crumbs = as_reader.get(f"{path}?fields=head").json["head"]["json_ld"]["@graph"]
        assert page["publisher"]["url"] == crumbs["itemListElement"][0]["item"] == home, path
    for query, home in (("", homes[0]), ("?language=fr", homes[1]), ("?language=all", homes[0])):
        assert as_stranger.get(f"/feeds/feed.json{query}").json["home_page_url"] == home
    sitemap = re.findall("<loc>(.*?)</loc>", as_stranger.get("/sitemap.xml").text)
    count = len({*homes})
    assert sitemap[:count] == list(dict.fromkeys(homes)) and f"{URL}/" not in sitemap[count:]


def test_the_head_names_no_translation_that_search_engines_may_not_show(as_reader, as_admin, shelf, set_site):
    set_site(other_languages=LANGUAGES)
    query = "?fields=head,translations,uuid"
    french = as_reader.get(f"{ARTICLES}rye-fr/{query}").json
    assert french["head"]["alternates"]
    hidden = {"robots": "noindex"}
    assert as_admin.patch(f"{ARTICLES}{french['uuid']}/", json=hidden).status_code == 200
    for slug, other in (("rye", "rye-fr"), ("rye-fr", "rye")):
        shown = as_reader.get(f"{ARTICLES}{slug}/{query}").json
        assert "alternates" not in shown["head"] and "hreflang" not in shown["head"]["html"]
        # Readers may see it.
        assert [one["slug"] for one in shown["translations"]] == [other]


def test_without_an_address_of_the_site_there_are_no_alternates(as_reader, set_site, shelf):
    set_site(url="")
    shown = as_reader.get(f"{ARTICLES}rye-fr/?fields=translations,head").json
    assert [(one["language"], one["slug"], "url" in one) for one in shown["translations"]] == [
        ("en", "rye", False)
    ]
    assert "alternates" not in shown["head"] and "hreflang" not in shown["head"]["html"]


def test_neighbours_are_in_the_same_language(as_reader, make_article, make_tag):
    tags = (make_tag("bread"),)
    times = {"E1": "", "F1": "fr", "E2": "", "F2": "fr", "E3": ""}
    for number, (slug, language) in enumerate(times.items(), 1):
        make_article(
            title=slug,
            slug=slug.lower(),
            language=language,
            tags=tags,
            published_at=f"2026-01-0{number}T00:00:00Z",
        )

    def read(slug):
        found = as_reader.get(f"{ARTICLES}{slug}/?fields=previous,next,related").json
        related = [one["slug"] for one in found["related"]]
        return [found[name] and found[name]["slug"] for name in ("previous", "next")], related

    assert read("e2") == (["e1", "e3"], ["e3", "e1"])
    assert read("f1") == ([None, "f2"], ["f2"])
    assert read("f2") == (["f1", None], ["f1"])


def test_a_former_slug_redirects_within_its_language(as_admin, as_reader, shelf):
    path = f"{ARTICLES}rye-fr/"
    uuid = as_reader.get(path).json["uuid"]
    assert as_admin.patch(f"{ARTICLES}{uuid}/", json={"slug": "seigle-fr"}).status_code == 200
    (found,) = as_reader.get("/api/v1/blog/redirects/?path=/fr/rye/").json
    assert (found["old_url"], found["new_url"]) == (f"{URL}/fr/rye/", f"{URL}/fr/seigle/")
    assert as_reader.get("/api/v1/blog/redirects/?path=/rye/").json == []


def test_the_address_changes_with_the_language(as_admin, as_reader, shelf):
    path = f"{ARTICLES}{as_reader.get(f'{ARTICLES}pain/').json['uuid']}/"
    assert as_admin.patch(path, json={"language": ""}).status_code == 200
    assert as_reader.get(f"{path}?fields=url").json == {"url": f"{URL}/pain/"}


def test_the_site_has_a_title_in_each_language(as_login, as_reader):
    answer = as_login.patch(SITE, json={"languages": [{"language": "FR", "title": "Le pain"}]})
    assert answer.status_code == 200, answer.json
    assert as_reader.get(SITE).json["languages"] == [
        {"language": "fr", "title": "Le pain", "description": ""}
    ]
    for wrong in (
        [{"title": "No language"}],
        [{"language": "fr"}, {"language": "FR"}],
        [{"language": "french!"}],
        [{"language": f"a{letter}"} for letter in "abcdefghijklmnopqrstuvwxyz"] * 4,
    ):
        assert as_login.patch(SITE, json={"languages": wrong}).status_code == 422


def test_feeds_have_a_language(as_stranger, as_reader, set_site, shelf):
    set_site(other_languages=LANGUAGES)
    feed = as_stranger.get("/feeds/feed.json?language=FR").json
    assert (feed["title"], feed["language"]) == ("Le blog du pain", "fr")
    assert [one["title"] for one in feed["items"]] == ["Pain", "Seigle"]
    assert b"<language>fr</language>" in as_stranger.get("/feeds/rss.xml?language=fr").data
    feed = as_stranger.get("/feeds/feed.json?language=en").json
    assert (feed["title"], [one["title"] for one in feed["items"]]) == ("The Bread Blog", ["Oat", "Rye"])
    feed = as_stranger.get("/feeds/feed.json").json
    assert (feed["title"], [one["title"] for one in feed["items"]]) == ("The Bread Blog", ["Oat", "Rye"])
    feed = as_stranger.get("/feeds/feed.json?language=all").json
    assert (feed["title"], feed["language"], len(feed["items"])) == ("The Bread Blog", "en", 4)


def test_the_feeds_of_a_site_with_one_language_have_all_articles(as_stranger, shelf):
    for query in ("", "?language=all"):
        assert len(as_stranger.get(f"/feeds/feed.json{query}").json["items"]) == 4


def test_the_feeds_of_two_languages_have_two_ids(as_stranger, shelf):
    ids = {
        re.findall("<id>(.*?)</id>", as_stranger.get(f"/feeds/atom.xml{query}").text)[0]
        for query in ("", "?language=fr", "?language=de", "?language=all")
    }
    assert ids == {f"{URL}/", *(f"{URL}/?language={language}" for language in ("fr", "de", "all"))}


def test_the_sitemap_links_the_translations(as_stranger, as_admin, shelf, set_site):
    set_site(page_path="{/language}/{path}/")
    for title, language in (("Imprint", ""), ("Impressum", "de")):
        body = {"title": title, "language": language, "translation_key": "law", "status": "published"}
        assert as_admin.post(PAGES, json=body).status_code == 201
    text = as_stranger.get("/sitemap.xml").text
    entries = dict(re.findall(r"<loc>(.*?)</loc>.*?((?:<xhtml:link [^>]*>)*)</url>", text))
    links = [
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{URL}{path}"/>'
        for language, path in (("en", "/rye/"), ("fr", "/fr/rye/"), ("x-default", "/rye/"))
    ]
    assert entries[f"{URL}/rye/"] == entries[f"{URL}/fr/rye/"] == "".join(links)
    assert entries[f"{URL}/oat/"] == entries[f"{URL}/fr/pain/"] == ""
    assert f'hreflang="en" href="{URL}/imprint/"' in entries[f"{URL}/de/impressum/"]


def test_the_sitemap_links_no_page_that_search_engines_shall_not_show(as_stranger, as_admin, shelf):
    path = f"{ARTICLES}{as_admin.get(f'{ARTICLES}rye-fr/').json['uuid']}/"
    as_admin.patch(path, json={"robots": "noindex"})
    text = as_stranger.get("/sitemap.xml").text
    assert f"{URL}/rye/" in text and "/fr/rye/" not in text and "hreflang" not in text


def test_a_page_names_its_own_address_and_not_that_of_another_in_its_language(
    as_stranger, as_reader, shelf, make_article
):
    make_article(title="Rye again", slug="rye-again", translation_key="rye")
    make_article(title="Roggen", slug="rye-de", language="de", translation_key="rye", status="unlisted")
    assert "alternates" not in as_reader.get(f"{ARTICLES}rye-de/?fields=head").json["head"]
    text = as_stranger.get("/sitemap.xml").text
    for slug in ("rye", "rye-again"):
        links = {"en": f"{URL}/{slug}/", "fr": f"{URL}/fr/rye/", "x-default": f"{URL}/{slug}/"}
        head = as_reader.get(f"{ARTICLES}{slug}/?fields=head").json["head"]
        assert {one["language"]: one["url"] for one in head["alternates"]} == links
        assert f'hreflang="en" href="{URL}/{slug}/"' in text


def test_an_article_has_a_limited_number_of_translations(
    as_stranger, as_reader, set_site, make_article, monkeypatch
):
    set_site(url=URL)
    # The statements with the limit are built once.
    assert translations.MAX_TRANSLATIONS == 100
    for number in range(102):
        make_article(title=f"T{number}", slug=f"t{number}", translation_key="k", language=f"de-x-{number}")
    for query in ("?fields=translations", "?fields=translations&page=1&page_size=100"):
        assert {len(one["translations"]) for one in as_reader.get(f"{ARTICLES}{query}").json} <= {99, 100}
    monkeypatch.setattr(sitemap, "MAX_SITEMAP_BYTES", 50_000)
    (entry,) = re.findall("<loc>(.*?)</loc>", as_stranger.get("/sitemap.xml").text)
    part = as_stranger.get(entry).text
    assert part.count("<loc>") > 102 and 0 < part.count("hreflang") < 1_000


def test_pages_have_languages(as_admin, as_reader, set_site):
    set_site(url=URL, page_path="{/language}/{path}/")
    for title, language in (("Imprint", ""), ("Impressum", "de"), ("Mentions", "fr")):
        body = {"title": title, "language": language, "translation_key": "law", "status": "published"}
        assert as_admin.post(PAGES, json=body).status_code == 201

    def page_titles(query):
        return [page["title"] for page in as_reader.get(f"{PAGES}?{query}").json]

    assert page_titles("language=de") == ["Impressum"]
    assert page_titles("language=en") == ["Imprint"]
    assert len(page_titles("translation_key=law")) == 3
    page = as_reader.get(f"{PAGES}impressum/?fields=url,translations,head").json
    assert page["url"] == f"{URL}/de/impressum/"
    assert [one["url"] for one in page["translations"]] == [f"{URL}/imprint/", f"{URL}/fr/mentions/"]
    assert [one["language"] for one in page["head"]["alternates"]] == ["de", "en", "fr", "x-default"]
    assert as_reader.get(f"{ARTICLES}?translation_key=law").json == []


def test_a_term_has_a_language(as_admin, as_reader, make_tag):
    tag = make_tag("pain")
    path = f"/api/v1/blog/tags/{tag.uuid}/"
    assert as_admin.patch(path, json={"language": "fr"}).status_code == 200
    assert as_reader.get(f"{path}?fields=language").json == {"language": "fr"}
    assert as_admin.patch(path, json={"language": "french!"}).status_code == 422
