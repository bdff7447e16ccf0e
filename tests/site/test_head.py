"""The field `head` of articles: what a page of the article puts into its <head>."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.content.articles.responses.head import make_item_head
from blogapi.operations.doctor import server_checks
from blogapi.site.models import Site
from tests.conftest import ARTICLES
from tests.texts import texts

HOME = "https://blog.example"
FUTURE = "2999-01-01T00:00:00Z"
TIME = "2026-01-01T00:00:00+00:00"
HOSTILE = "\"';--></script></title><script>alert(1)</script>&lt; 🥖 \u202eשלום\u2028"  # noqa: RUF001


class HeadParser(HTMLParser):
    """Collects the elements of a head."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.meta, self.links, self.texts, self.elements = [], {}, {}, []
        self.open = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append(tag)
        if tag == "meta":
            self.meta.append((attributes.get("name") or attributes["property"], attributes["content"]))
        elif tag == "link":
            self.links[attributes["rel"]] = attributes["href"]
        else:
            self.open = tag
            self.texts[tag] = ""

    def handle_endtag(self, tag):
        assert tag == self.open
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.texts[self.open] += data
        else:
            assert not data.strip()


def get_head(client, article):
    return client.get(f"{ARTICLES}{article.uuid}/?fields=head").json["head"]


def get_graph(head, kind):
    (found,) = [node for node in head["json_ld"]["@graph"] if node["@type"] == kind]
    return found


def test_the_head_of_an_article_on_a_complete_site(as_reader, as_admin, rye, set_site, add_author):
    set_site(
        **{"url": HOME, "service_url": "https://api.example", "title": "Bread", "language": "de-AT"},
        **{"logo": "https://cdn.example/logo.svg"},
    )
    add_author(rye, "Grace Hopper", position=1, url="https://grace.example")
    add_author(rye, "Emmy", avatar="/emmy.png")
    head = get_head(as_reader, rye)
    modified = as_admin.get(f"{ARTICLES}{rye.uuid}/?fields=last_updated").json["last_updated"][:19] + "+00:00"
    text = {"title": "Rye", "description": "A dark loaf"}
    image = "https://api.example/rye.jpg"
    assert {name: head[name] for name in ("title", "description", "canonical", "robots")} == {
        **text,
        **{"canonical": f"{HOME}/rye/", "robots": "max-image-preview:large"},
    }
    assert head["open_graph"] == {
        **{"og:type": "article", "og:title": "Rye", "og:description": "A dark loaf"},
        **{"og:url": f"{HOME}/rye/", "og:image": image, "og:site_name": "Bread", "og:locale": "de_AT"},
        **{"article:published_time": TIME, "article:modified_time": modified},
        "article:author": [f"{HOME}/author/emmy/", f"{HOME}/author/grace-hopper/"],
        **{"article:section": "Kitchen", "article:tag": ["slow food", "bread"]},
    }
    assert head["twitter"] == {
        **{"twitter:card": "summary_large_image", "twitter:title": "Rye"},
        **{"twitter:description": "A dark loaf", "twitter:image": image},
    }
    assert head["json_ld"]["@context"] == "https://schema.org"
    assert get_graph(head, "BlogPosting") == {
        **{"@type": "BlogPosting", "headline": "Rye", "description": "A dark loaf", "url": f"{HOME}/rye/"},
        "mainEntityOfPage": {"@type": "WebPage", "@id": f"{HOME}/rye/"},
        **{"image": image, "datePublished": TIME, "dateModified": modified},
        "author": [
            {
                **{"@type": "Person", "name": "Emmy", "url": f"{HOME}/author/emmy/"},
                "image": "https://api.example/emmy.png",
            },
            {"@type": "Person", "name": "Grace Hopper", "url": f"{HOME}/author/grace-hopper/"},
        ],
        "publisher": {
            **{"@type": "Organization", "name": "Bread", "url": f"{HOME}/"},
            "logo": {"@type": "ImageObject", "url": "https://cdn.example/logo.svg"},
        },
        **{"articleSection": "Kitchen", "keywords": ["slow food", "bread"], "inLanguage": "de-AT"},
    }
    assert get_graph(head, "BreadcrumbList")["itemListElement"] == [
        {"@type": "ListItem", "position": 1, "name": "Bread", "item": f"{HOME}/"},
        {"@type": "ListItem", "position": 2, "name": "Kitchen", "item": f"{HOME}/category/kitchen/"},
        {"@type": "ListItem", "position": 3, "name": "Rye", "item": f"{HOME}/rye/"},
    ]


def test_without_a_site_everything_with_an_address_is_absent(as_reader, rye, add_author):
    add_author(rye, "Emmy", avatar="/emmy.png")
    head = get_head(as_reader, rye)
    assert list(head) == ["title", "description", "robots", "open_graph", "twitter", "json_ld", "html"]
    assert not {"og:url", "og:image", "og:site_name", "og:locale", "article:author"} & set(head["open_graph"])
    assert head["twitter"]["twitter:card"] == "summary"
    assert "twitter:image" not in head["twitter"]
    (posting,) = head["json_ld"]["@graph"]
    assert posting["author"] == [{"@type": "Person", "name": "Emmy"}]
    assert not {"url", "image", "mainEntityOfPage", "publisher"} & set(posting)
    assert "https://" not in head["html"].replace("https://schema.org", "")


def test_the_html_contains_the_same_values(as_reader, rye, set_site, add_author):
    set_site(url=HOME, title="Bread", language="de-AT")
    add_author(rye, "Emmy")
    head = get_head(as_reader, rye)
    parsed = HeadParser(head["html"])
    assert parsed.texts["title"] == head["title"]
    assert parsed.links == {"canonical": head["canonical"]}
    assert json.loads(parsed.texts["script"]) == head["json_ld"]
    properties = [*head["open_graph"].items(), *head["twitter"].items()]
    assert parsed.meta == [
        *[("description", head["description"]), ("robots", head["robots"])],
        *(
            (name, item)
            for name, value in properties
            for item in (value if isinstance(value, list) else [value])
        ),
    ]


# Fallbacks


@pytest.mark.parametrize(
    ("fields", "description"),
    [
        ({"seo": {"description": "For robots"}, "subtitle": "Sub"}, "For robots"),
        ({"subtitle": "Sub"}, "Sub"),
        ({"subtitle": "Sub", "seo": {"description": ""}}, "Words."),
        ({"subtitle": "Sub", "seo": {"description": ""}, "content": ""}, "Sub"),
        ({"content": ""}, None),
        ({"seo": {"description": " \n"}, "subtitle": "Sub", "content": ""}, "Sub"),
        ({"seo": {"description": " a\n\tb\u2028c "}}, "a b c"),
        ({"seo": {"description": "Qu'est-ce\u00a0?"}}, "Qu'est-ce\u00a0?"),
        ({"seo": {"description": "x" * 1001}}, "x" * 999 + "…"),
    ],
)
def test_the_description_is_the_seo_description_the_excerpt_or_the_subtitle(
    as_reader, make_article, fields, description
):
    head = get_head(as_reader, make_article(**fields))
    shown = [head.get("description"), head["open_graph"].get("og:description")]
    shown += [head["twitter"].get("twitter:description"), get_graph(head, "BlogPosting").get("description")]
    assert shown == [description] * 4


def test_a_blank_seo_title_is_ignored(as_reader, make_article):
    assert get_head(as_reader, make_article(title="Rye", seo={"title": " \n"}))["title"] == "Rye"


def test_the_seo_title_takes_precedence(as_reader, make_article):
    head = get_head(as_reader, make_article(title="Long", seo={"title": "Short"}))
    assert (head["title"], head["open_graph"]["og:title"], head["twitter"]["twitter:title"]) == ("Short",) * 3
    assert get_graph(head, "BlogPosting")["headline"] == "Short"


@pytest.mark.parametrize(
    ("article", "site", "image"),
    [
        ({"cover_image": "c.jpg", "seo": {"og_image": "o.jpg"}}, {"url": HOME}, f"{HOME}/o.jpg"),
        ({"cover_image": "c.jpg"}, {"url": HOME, "logo": "/l.svg"}, f"{HOME}/c.jpg"),
        ({"cover_image": "c.jpg", "seo": {"og_image": ""}}, {"url": HOME}, f"{HOME}/c.jpg"),
        ({}, {"url": HOME, "logo": "/l.svg"}, f"{HOME}/l.svg"),
        (
            {"cover_image": "/c.jpg"},
            {"url": HOME, "service_url": "https://a.example/b"},
            "https://a.example/b/c.jpg",
        ),
        ({"cover_image": "/c.jpg"}, {"logo": "https://cdn.example/l.svg"}, "https://cdn.example/l.svg"),
        ({"cover_image": "/c.jpg"}, {}, None),
        ({}, {"url": HOME}, None),
    ],
)
def test_the_image_is_the_og_image_the_cover_or_the_logo(
    as_reader, make_article, set_site, article, site, image
):
    set_site(**site)
    head = get_head(as_reader, make_article(**article))
    assert head["open_graph"].get("og:image") == head["twitter"].get("twitter:image") == image
    assert get_graph(head, "BlogPosting").get("image") == image


@pytest.mark.parametrize(
    ("canonical", "site_url", "expected"),
    [
        ("https://old.example/rye", HOME, "https://old.example/rye"),
        ("/old/rye", HOME, f"{HOME}/old/rye"),
        ("/old/rye", "", None),
        ("https://old.example/rye", "", "https://old.example/rye"),
        ("", HOME, f"{HOME}/article/"),
    ],
)
def test_the_canonical_address_of_the_author_takes_precedence(
    as_reader, make_article, set_site, canonical, site_url, expected
):
    set_site(url=site_url)
    head = get_head(as_reader, make_article(title="Article", seo={"canonical_url": canonical}))
    assert head.get("canonical") == head["open_graph"].get("og:url") == expected


@pytest.mark.parametrize(
    ("language", "locale"),
    [("en", None), ("de-at", "de_AT"), ("zh-Hant-TW", "zh_TW"), ("es-419", None), ("sl-rozaj", None)],
)
def test_the_locale_needs_a_region(as_reader, rye, set_site, language, locale):
    set_site(language=language)
    assert get_head(as_reader, rye)["open_graph"].get("og:locale") == locale


def test_the_website_of_an_author_is_used_if_authors_have_no_pages(as_reader, rye, add_author):
    add_author(rye, "Emmy", url="https://emmy.example")
    head = get_head(as_reader, rye)
    assert head["open_graph"]["article:author"] == ["https://emmy.example"]
    assert get_graph(head, "BlogPosting")["author"][0]["url"] == "https://emmy.example"


def test_an_article_is_not_modified_before_it_is_published(as_admin, make_article):
    head = get_head(as_admin, make_article(status="scheduled", published_at=FUTURE))
    assert head["open_graph"]["article:modified_time"] == "2999-01-01T00:00:00+00:00"


# Special characters


def test_special_characters_round_trip_and_cannot_end_an_element(
    as_reader, as_admin, make_category, make_tag, make_article, set_site, add_author, without_authors
):
    set_site(url=HOME, title=HOSTILE)
    article = make_article(
        title=HOSTILE,
        category=make_category(name=HOSTILE),
        tags=(make_tag(HOSTILE),),
        seo={"description": HOSTILE, "canonical_url": "https://a.example/?x='&y=<".replace("<", "%3C")},
    )
    without_authors(article)
    add_author(article, HOSTILE)
    head = get_head(as_reader, article)
    parsed = HeadParser(head["html"])
    assert set(parsed.elements) == {"title", "meta", "link", "script"}
    assert parsed.elements.count("script") == parsed.elements.count("title") == 1
    assert parsed.texts["title"] == HOSTILE.strip() == head["title"]
    assert parsed.links["canonical"] == "https://a.example/?x='&y=%3C"
    assert ("article:tag", HOSTILE) in parsed.meta and ("og:site_name", HOSTILE) in parsed.meta
    script = parsed.texts["script"]
    assert not set("<>&\u2028\u2029") & set(script)
    assert json.loads(script) == head["json_ld"]
    posting = get_graph(head, "BlogPosting")
    assert (posting["articleSection"], posting["keywords"]) == (HOSTILE, [HOSTILE])
    assert posting["author"][0]["name"] == HOSTILE


@given(text=texts, name=texts, tags=st.lists(texts, max_size=3))
def test_any_text_round_trips_through_the_html(text, name, tags):
    article = {
        **{"uuid": str(UUID(int=1)), "title": f"t{text}", "subtitle": text, "excerpt": "", "cover_image": ""},
        "cover": None,
        **{"published_at": None, "last_updated": "2026-01-01T00:00:00", "status": "published"},
        **{"robots": "", "language": ""},
        "seo": {"title": "", "description": name, "og_image": "", "canonical_url": ""},
        "category": {"uuid": "2", "name": name, "slug": "c"},
        "tags": [{"name": tag} for tag in tags],
        "authors": [{"uuid": "3", "name": f"n{name}", "slug": "a", "url": "", "avatar": ""}],
    }
    site = Site(title=text, language="en", url="", service_url="", logo="", category_path="/{slug}")
    head = make_item_head(article, site, None)
    parsed = HeadParser(head["html"])
    assert set(parsed.elements) == {"title", "meta", "script"}
    # An HTML parser changes a carriage return, which these texts may contain.
    assert json.loads(parsed.texts["script"]) == head["json_ld"]
    assert parsed.texts["title"] == head["title"]
    assert [value for key, value in parsed.meta if key == "article:tag"] == tags


def test_an_article_in_a_language_that_the_site_does_not_list_leads_to_the_first_page(
    app, as_admin, as_reader, make_article, set_site
):
    pattern = "{/language}/{local_slug}/"
    set_site(title="Rye", url="https://blog.example", language="en", article_path=pattern)
    article = make_article(title="Pan", language="es")
    path = f"/api/v1/blog/articles/{article.uuid}/?fields=head"

    def read_homes():
        posting, breadcrumbs = as_reader.get(path).json["head"]["json_ld"]["@graph"]
        return posting["publisher"]["url"], breadcrumbs["itemListElement"][0]["item"]

    assert read_homes() == ("https://blog.example/", "https://blog.example/")
    with app.app_context():
        (found,) = [one for one in server_checks.run_checks() if one.check == "languages"]
    assert "es" in found.says
    set_site(languages=json.dumps([{"language": "es", "title": "", "description": ""}]))
    assert read_homes() == ("https://blog.example/es/", "https://blog.example/es/")
    with app.app_context():
        assert [one for one in server_checks.run_checks() if one.check == "languages"] == []
