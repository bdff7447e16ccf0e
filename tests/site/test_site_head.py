"""The site in a language, the size of its logo, and the heads of its home page and of lists."""

from __future__ import annotations

import pytest

from blogapi.site.addresses import localize_site
from blogapi.site.heads import PageNumber, make_list_head, make_site_head
from blogapi.site.models import Site
from tests.content.media.pictures import add_picture
from tests.site.test_head import HOSTILE, HeadParser, get_graph

SITE = "/api/v1/blog/site/"
HOME = "https://blog.example"
GERMAN = {"language": "de", "title": "Brotblog", "description": "Über Brot"}
FIELDS = {
    **{"title": "The Bread Blog", "description": "About\nbread", "language": "en-GB", "url": HOME},
    **{"languages": [GERMAN], "article_path": "{/language}/{slug}/"},
}
DOCUMENTED = (
    *("uuid", "title", "description", "language", "time_zone", "url", "service_url", "logo", "icon"),
    *("article_path", "page_path", "category_path", "tag_path", "author_path", "preview_url"),
    *("navigation", "languages", "created", "last_updated"),
)


def read(client, query):
    response = client.get(f"{SITE}?{query}")
    assert response.status_code == 200, response.json
    return response.json


def test_fields_select_and_without_them_the_site_is_as_before(as_login, as_reader):
    as_login.patch(SITE, json=FIELDS)
    shown = as_reader.get(SITE)
    assert tuple(shown.json) == DOCUMENTED
    assert as_reader.get(f"{SITE}?fields=*").data == shown.data
    assert read(as_reader, "fields=title,url") == {"title": FIELDS["title"], "url": HOME}
    assert [*read(as_reader, "fields=head,*")] == [*DOCUMENTED, "head"]
    for query in ("fields=nothing", "fields=", "page=1&page_size=2", "language=english language", "page=0"):
        response = as_reader.get(f"{SITE}?{query}")
        assert (response.status_code, response.json["code"]) == (400, "invalid_query"), query


def test_the_site_is_described_in_a_language(as_login, as_reader):
    as_login.patch(SITE, json=FIELDS | {"languages": [GERMAN, {"language": "nl"}]})
    own = as_reader.get(SITE).json
    assert read(as_reader, "language=DE") == own | GERMAN
    assert read(as_reader, "language=de&fields=title") == {"title": "Brotblog"}
    assert read(as_reader, "language=en-gb") == own
    for language in ("nl", "fr"):
        assert read(as_reader, f"language={language}") == own | {"language": language}


def test_the_head_of_the_home_page(app, people, as_login, as_reader):
    picture = add_picture(app)
    as_login.patch(SITE, json=FIELDS | {"logo": picture.path, "service_url": "https://api.example"})
    head, logo = read(as_reader, "fields=head")["head"], f"https://api.example{picture.path}"
    assert head | {"json_ld": None, "html": None} == {
        **{"title": "The Bread Blog", "description": "About bread", "canonical": f"{HOME}/"},
        "alternates": [
            {"language": "en-GB", "url": f"{HOME}/"},
            {"language": "de", "url": f"{HOME}/de/"},
            {"language": "x-default", "url": f"{HOME}/"},
        ],
        "robots": "max-image-preview:large",
        "open_graph": {
            **{"og:type": "website", "og:title": "The Bread Blog", "og:description": "About bread"},
            **{"og:url": f"{HOME}/", "og:image": logo, "og:site_name": "The Bread Blog"},
            "og:locale": "en_GB",
        },
        "twitter": {
            **{"twitter:card": "summary_large_image", "twitter:title": "The Bread Blog"},
            **{"twitter:description": "About bread", "twitter:image": logo},
        },
        **{"json_ld": None, "html": None},
    }
    assert head["json_ld"] == {
        "@context": "https://schema.org",
        "@graph": [
            {
                **{"@type": "WebSite", "name": "The Bread Blog", "description": "About bread"},
                "url": f"{HOME}/",
                "publisher": {
                    **{"@type": "Organization", "name": "The Bread Blog", "url": f"{HOME}/"},
                    "logo": {"@type": "ImageObject", "url": logo},
                },
                "inLanguage": "en-GB",
            }
        ],
    }
    parsed = HeadParser(head["html"])
    assert (parsed.texts["title"], parsed.links["canonical"]) == ("The Bread Blog", f"{HOME}/")


def test_the_head_of_a_language_and_of_a_page(as_login, as_reader):
    as_login.patch(SITE, json=FIELDS)
    german = read(as_reader, "language=de&fields=head")["head"]
    assert (german["title"], german["canonical"]) == ("Brotblog", f"{HOME}/de/")
    assert german["alternates"] == read(as_reader, "fields=head")["head"]["alternates"]
    second = read(as_reader, "language=de&page=2&fields=head")["head"]
    assert (second["title"], second["canonical"]) == ("Brotblog (2)", f"{HOME}/de/page/2/")
    assert second["open_graph"]["og:url"] == f"{HOME}/de/page/2/"
    assert "alternates" not in second
    assert get_graph(second, "WebSite")["url"] == f"{HOME}/de/"
    assert read(as_reader, "page=1&fields=head") == read(as_reader, "fields=head")


@pytest.mark.parametrize("fields", [{"article_path": "/{slug}/"}, {"url": ""}, {"languages": []}])
def test_a_site_whose_languages_have_no_homes_of_their_own_has_no_alternates(as_login, as_reader, fields):
    as_login.patch(SITE, json=FIELDS | fields)
    assert "alternates" not in read(as_reader, "fields=head")["head"]


def test_a_new_site_has_a_head(as_reader):
    head = read(as_reader, "fields=head")["head"]
    assert (head["open_graph"], "canonical" in head) == ({"og:type": "website"}, False)
    assert HeadParser(head["html"]).texts["title"] == ""


def test_the_size_of_the_logo_is_that_of_the_file(app, people, as_login, as_reader, record_statements):
    sizes = "fields=logo_width,logo_height"
    unknown = {"logo_width": None, "logo_height": None}
    for logo in ("", "/logo.svg", f"/media/{'0' * 64}/x.png"):
        as_login.patch(SITE, json={"logo": logo})
        assert read(as_reader, sizes) == unknown
    picture = add_picture(app, width=400, height=100)
    as_login.patch(SITE, json={"logo": picture.path, "service_url": "https://api.example"})
    assert read(as_reader, sizes) == {"logo_width": 400, "logo_height": 100}
    assert read(as_reader, "fields=logo_height") == {"logo_height": 100}


def test_the_size_of_a_smaller_copy_is_that_of_the_copy(app, as_login, as_reader):
    def read_size(path):
        as_login.patch(SITE, json={"logo": path, "service_url": "https://api.example"})
        size = read(as_reader, "fields=logo_width,logo_height")
        return size["logo_width"], size["logo_height"]

    picture = add_picture(app, width=1201, height=301, is_scalable=True)
    folder = picture.path.rpartition("/")[0]
    assert read_size(f"{folder}/w400.webp") == (400, 100)
    # These addresses lead to the picture itself.
    assert read_size(f"{folder}/w1600.webp") == read_size(f"{folder}/w400x.webp") == (1201, 301)
    drawing = add_picture(app, width=1200, height=300, is_scalable=False)
    assert read_size(f"{drawing.path.rpartition('/')[0]}/w400.webp") == (1200, 300)


def test_a_list_without_a_term_has_the_title_of_the_site_behind_its_own():
    site = Site(**FIELDS | {"languages": "[]", "logo": "", "service_url": "", "page_path": "/{path}/"})
    head = make_list_head(site, "April 2026", "/archive/2026/04/", page=PageNumber(3, "page 3 of 4"))
    assert (head["title"], head["canonical"]) == (
        "April 2026 - The Bread Blog (page 3 of 4)",
        f"{HOME}/archive/2026/04/page/3/",
    )
    assert get_graph(head, "BreadcrumbList")["itemListElement"][-1] == {
        **{"@type": "ListItem", "position": 2, "name": "April 2026"},
        "item": f"{HOME}/archive/2026/04/page/3/",
    }
    site.title, site.url = "", ""
    head = make_list_head(site, "April 2026", "/archive/2026/04/")
    assert (head["title"], "canonical" in head) == ("April 2026", False)


def test_words_and_titles_are_escaped():
    site = Site(**FIELDS | {"languages": "[]", "logo": "", "service_url": "", "page_path": "/{path}/"})
    site.title = HOSTILE
    described = localize_site(site, "de")
    for head in (
        make_site_head(described, page=PageNumber(2, HOSTILE)),
        make_list_head(described, HOSTILE, "/archive/", page=PageNumber(2, HOSTILE)),
    ):
        assert HeadParser(head["html"]).texts["title"] == head["title"]
        assert head["title"].count("<script>") in (2, 3)
