"""The addresses of pages, built from the path patterns of the site."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from blogapi.site import addresses
from blogapi.site.addresses import ARTICLE_PLACEHOLDERS, TERM_PLACEHOLDERS
from blogapi.site.models import Site

ID = UUID("3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d")
NEW_YEAR = datetime(2025, 12, 31, 23, 30, tzinfo=UTC)


def make_site(**fields):
    return Site(
        **{
            **{"url": "https://blog.example", "time_zone": "UTC", "article_path": "/{slug}/"},
            **{"page_path": "/{path}/", "language": "en", "languages": "[]"},
            **fields,
        }
    )


def article_url(site, published_at=NEW_YEAR, slug="rye", language=""):
    return addresses.make_article_url(
        site,
        uuid=ID,
        slug=slug,
        category_slug="kitchen",
        published_at=published_at,
        language=language,
    )


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/{slug}/", "/rye/"),
        ("/{year}/{month}/{day}/{slug}.html", "/2025/12/31/rye.html"),
        ("/{category}/{uuid}", f"/kitchen/{ID}"),
        ("/article.html?slug={slug}", "/article.html?slug=rye"),
        ("/#/{slug}", "/#/rye"),
        ("/über uns/{slug}/", "/%C3%BCber%20uns/rye/"),
        ("/100%/%C3%BC/{slug}", "/100%25/%C3%BC/rye"),
        ("/\"<&'>\\/{slug}", "/%22%3C&'%3E%5C/rye"),
        ("/{slug}/{slug}", "/rye/rye"),
    ],
)
def test_the_address_of_an_article_follows_the_pattern(pattern, path):
    assert addresses.find_path_pattern_mistakes(pattern, ARTICLE_PLACEHOLDERS) == []
    assert article_url(make_site(article_path=pattern)) == f"https://blog.example{path}"


@pytest.mark.parametrize(
    ("pattern", "own", "german"),
    [
        ("/{language}/{slug}/", "/en/rye-de-at/", "/de-at/rye-de-at/"),
        ("{/language}/{slug}/", "/rye-de-at/", "/de-at/rye-de-at/"),
        ("{/language}/{local_slug}/", "/rye-de-at/", "/de-at/rye/"),
        ("/{local_slug}.{language}.html", "/rye-de-at.en.html", "/rye.de-at.html"),
        ("/blog{/language}/{year}/{local_slug}", "/blog/2025/rye-de-at", "/blog/de-at/2025/rye"),
    ],
)
def test_an_address_can_contain_the_language(pattern, own, german):
    assert addresses.find_path_pattern_mistakes(pattern, ARTICLE_PLACEHOLDERS) == []
    site = make_site(article_path=pattern)
    for language, path in (("", own), ("en", own), ("de-AT", german)):
        assert article_url(site, slug="rye-de-at", language=language) == f"https://blog.example{path}"
        values = addresses.parse_path(site, "article", path)
        assert values is not None and "rye-de-at" in addresses.list_possible_slugs(values)


@pytest.mark.parametrize(
    "pattern", ["/{local_slug}/", "{/language}{slug}", "/{/slug}/", "//{/language}/{slug}"]
)
def test_a_wrong_pattern_with_a_language_is_refused(pattern):
    assert addresses.find_path_pattern_mistakes(pattern, ARTICLE_PLACEHOLDERS)


def test_the_path_of_a_page_can_contain_its_language():
    site = make_site(page_path="{/language}/{path}/")
    paths = [
        addresses.make_page_path(site, uuid=ID, slugs=["a", "b"], language=language)
        for language in ("", "en", "fr")
    ]
    assert paths == ["/a/b/", "/a/b/", "/fr/a/b/"]


@pytest.mark.parametrize(
    ("zone", "date"),
    [("UTC", "2025/12/31"), ("Europe/Berlin", "2026/01/01"), ("America/New_York", "2025/12/31")],
)
def test_the_date_in_an_address_is_in_the_time_zone_of_the_site(zone, date):
    site = make_site(article_path="/{year}/{month}/{day}/{slug}", time_zone=zone)
    assert article_url(site) == f"https://blog.example/{date}/rye"


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Pacific/Kiritimati"])
@pytest.mark.parametrize("year", [1, 1969, 9999])
def test_the_year_in_an_address_has_four_digits(zone, year):
    site = make_site(article_path="/{year}/{slug}", time_zone=zone)
    assert article_url(site, datetime(year, 6, 1, tzinfo=UTC)) == f"https://blog.example/{year:04}/rye"


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Pacific/Kiritimati"])
@pytest.mark.parametrize("time", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)])
def test_the_first_and_the_last_time_have_an_address(zone, time):
    assert article_url(make_site(time_zone=zone), time)


def test_an_article_without_a_publication_time_has_no_address():
    assert article_url(make_site(), None) is None


@pytest.mark.parametrize("kind", ["category", "tag", "author"])
def test_the_address_of_a_term_follows_the_pattern_of_its_kind(kind):
    site = make_site(**{f"{kind}_path": f"/{kind}/{{slug}}-{{uuid}}"})
    assert (
        addresses.make_term_url(site, kind, uuid=str(ID), slug="rye")
        == f"https://blog.example/{kind}/rye-{ID}"
    )


def test_a_site_without_url_has_no_addresses():
    site = make_site(url="", tag_path="/{slug}")
    assert article_url(site) is None
    assert addresses.make_term_url(site, "tag", uuid=ID, slug="rye") is None
    assert addresses.make_home_url(site) is None


def test_the_site_can_be_below_a_path():
    site = make_site(url="https://example.org/blog")
    assert article_url(site) == "https://example.org/blog/rye/"
    assert addresses.make_home_url(site) == "https://example.org/blog/"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (
            "/{slug}/{yaer}",
            "{yaer} is not a placeholder; use {slug}, {uuid}, {year}, {month}, {day}, {category}, "
            "{language}, {/language}, {local_slug}.",
        ),
        ("/{}{slug}", "{} is not a placeholder"),
        ("/{SLUG}", "{SLUG} is not a placeholder"),
        ("{slug}/", "Must begin with one slash."),
        ("/{/language}/{slug}/", "Write {/language} without a slash before it"),
        ("//evil.example/{slug}", "Must begin with one slash."),
        ("", "Must begin with one slash."),
        ("/{slug}/{year", "Contains a brace without its counterpart."),
        ("/{{slug}}", "Contains a brace without its counterpart."),
        ("/{year}/{month}/", "Must contain {slug} or {uuid} or {local_slug}."),
    ],
)
def test_a_wrong_pattern_is_reported(pattern, problem):
    assert any(
        said.startswith(problem)
        for said in addresses.find_path_pattern_mistakes(pattern, ARTICLE_PLACEHOLDERS)
    )


@pytest.mark.parametrize(
    ("placeholders", "problem"),
    [
        (TERM_PLACEHOLDERS, "Must contain {slug} or {uuid}."),
        (addresses.PAGE_PLACEHOLDERS, "Must contain {path} or {slug} or {uuid}."),
    ],
)
def test_a_pattern_without_an_item_is_told_which_placeholders_name_one(placeholders, problem):
    assert addresses.find_path_pattern_mistakes("/about/", placeholders) == [problem]
    assert addresses.find_path_pattern_mistakes("/{path}/", addresses.PAGE_PLACEHOLDERS) == []


@pytest.mark.parametrize("name", ["year", "month", "day", "category"])
def test_only_articles_have_a_date_and_a_category_in_their_address(name):
    pattern = f"/{{{name}}}/{{slug}}/"
    assert addresses.find_path_pattern_mistakes(pattern, ARTICLE_PLACEHOLDERS) == []
    assert addresses.find_path_pattern_mistakes(pattern, TERM_PLACEHOLDERS) == [
        f"{{{name}}} is not a placeholder; use {{slug}}, {{uuid}}."
    ]


@pytest.mark.parametrize(
    ("address", "bases", "absolute"),
    [
        ("https://cdn.example/a.jpg", ("https://blog.example",), "https://cdn.example/a.jpg"),
        ("/a.jpg", ("https://blog.example",), "https://blog.example/a.jpg"),
        ("a/b.jpg?x=1", ("https://example.org/blog",), "https://example.org/blog/a/b.jpg?x=1"),
        ("/a.jpg", ("https://example.org/blog",), "https://example.org/blog/a.jpg"),
        ("/javascript:alert(1)", ("https://blog.example",), "https://blog.example/javascript:alert(1)"),
        ("?a=1", ("https://example.org/blog",), "https://example.org/blog/?a=1"),
        ("/a.jpg", ("", "https://blog.example"), "https://blog.example/a.jpg"),
        ("/a.jpg", ("", ""), None),
        ("", ("https://blog.example",), None),
    ],
)
def test_a_relative_address_is_relative_to_the_first_base(address, bases, absolute):
    assert addresses.make_absolute_address(address, *bases) == absolute


@pytest.mark.parametrize(
    ("picture", "service_url", "absolute"),
    [
        ("", "https://api.example", None),
        ("cat.jpg", "", "https://example.org/cat.jpg"),
        ("cat.jpg", "https://api.example", "https://api.example/cat.jpg"),
        (f"/media/{'a' * 64}/cat.jpg", "", None),
        (
            f"/media/{'a' * 64}/cat.jpg",
            "https://api.example",
            f"https://api.example/media/{'a' * 64}/cat.jpg",
        ),
    ],
)
def test_a_file_of_the_library_is_at_the_address_of_the_service(picture, service_url, absolute):
    site = Site(url="https://example.org", service_url=service_url)
    assert addresses.make_absolute_picture_url(site, picture) == absolute


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://blog.example/", "https://blog.example/page/2/"),
        ("https://blog.example/tag/rye/", "https://blog.example/tag/rye/page/2/"),
        ("https://blog.example/tag/rye", "https://blog.example/tag/rye/page/2/"),
        ("https://blog.example/v1.0/rye.html", "https://blog.example/v1.0/rye/page/2/"),
        ("https://blog.example/list?tag=rye", "https://blog.example/list/page/2/?tag=rye"),
        ("/archive/2026/04/", "/archive/2026/04/page/2/"),
    ],
)
def test_the_pages_of_a_list_are_below_its_address(first, second):
    assert addresses.make_numbered_url(first, 2) == second
    assert addresses.make_numbered_url(first, 1) == first


@pytest.mark.parametrize(
    ("pattern", "path", "values"),
    [
        ("/{path}/", "/about/team/", {"path": "about/team"}),
        ("/{path}", "/about", {"path": "about"}),
        ("/p/{slug}.html", "/p/team.html", {"slug": "team"}),
        ("/{path}/", "/about//team/", None),
        ("/p/{path}/", "/about/", None),
        ("/p/{slug}/", "/p/about/team/", None),
    ],
)
def test_the_path_of_a_page_can_have_several_slugs(pattern, path, values):
    site = Site(url="https://example.org/blog", page_path=pattern)
    assert addresses.parse_path(site, "page", f"/blog{path}") == values
