"""Links between imported articles lead to their new addresses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.links.index import LinkIndex
from blogapi.importing.links.record_links import RecordLinkFinder
from blogapi.site.models import Site

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RECORD = ArticleRecord(
    key="blog/posts/source.md",
    title="Source",
    content="",
    content_type="markdown",
    status="published",
    published_at=datetime(2020, 3, 2, tzinfo=UTC),
)


def make_record(key, **fields):
    name = key.rpartition("/")[2].removesuffix(".md")
    return replace(RECORD, key=key, **{"title": name, "slug": name} | fields)


def make_links(targets, source=RECORD, hosts=(), url="", path="/{slug}/"):
    """Return the links of `source` in an index of all `targets` (records or keys)."""
    site = Site(url=url, article_path=path, page_path="/{path}/", time_zone="UTC", language="en")
    index = LinkIndex(site, NOW)
    index.hosts = set(hosts)
    for target in (source, *targets):
        record = make_record(target) if isinstance(target, str) else target
        index.add_record(record, record.slug or "source")
    return RecordLinkFinder(index, source)


OTHER = make_record(
    "blog/posts/2020-01-05-Other.md",
    title="The other one",
    slug="other",
    published_at=datetime(2020, 1, 5, 23, 30, tzinfo=UTC),
    category="My News",
    tags=("Slow Food",),
    former_slugs=("older",),
    names=("Alias",),
)


@pytest.mark.parametrize(
    "address",
    [
        # Paths of source files.
        *("2020-01-05-Other.md", "./2020-01-05-Other.md", "../posts/2020-01-05-other.md", "Other.md"),
        *("/posts/2020-01-05-Other.md", "@/posts/2020-01-05-Other.md", "2020%2D01%2D05%2DOther.md"),
        *("/content/posts/2020-01-05-Other.md", "..\\posts\\Other.md", "Other", "../other/", "Other.html"),
        # Addresses of the former blog.
        *("/other/", "/other", "/OTHER/", "/other/index.html", "/other.html", "/other.php", "/older/"),
        *(
            "/2020/01/05/other/",
            "/2020/1/5/other.html",
            "/2020/01/06/other/",
            "/2020/01/other/",
            "/2020/other",
        ),
        *(
            "/posts/other/",
            "/post/other/",
            "/articles/other/",
            "/archives/other",
            "/p/other",
            "/index.php/other",
        ),
        *(
            "/my-news/other/",
            "/My%20News/2020/01/05/other.html",
            "/slow-food/other/",
            "/blog/2020-01-05-other/",
        ),
        *("/press/2020/01/05/other/", "https://example.com/other/", "HTTP://www.Example.com:80/other/"),
        *("//example.com/2020/01/05/other/", "https://example.com/other"),
    ],
)
def test_an_address_of_another_article_is_found(address):
    links = make_links([OTHER], hosts=["example.com"])
    assert links.find_new_address(address) == "/other/"
    assert links.find_new_address(f"{address}#part") == "/other/#part"


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "#part",
            "?q=1",
            "/",
            "other.zip",
            "https://example.com",
            "https://example.com/",
            "/#part",
            "https://",
        ),
        *("mailto:other@example.com", "javascript:other", "ftp://example.com/other/", "tel:1", "other:"),
        *("https://example.org/other/", "//example.org/other/", "https://user@example.com/other/"),
        *("/tag/other/", "/category/other/", "/author/other/", "/tags/other", "/other/feed/", "/page/2/"),
        *(
            "/2021/01/05/other/",
            "/2020/01/09/other/",
            "/2020/02/other/",
            "/press/other/",
            "/fr/2020/01/05/other/",
        ),
        *(
            "2021-01-05-other.md",
            "/2020/",
            "other.png",
            "/posts/other.jpg",
            "other/image.svg",
            "/about",
            "x" * 3000,
        ),
        "/" * 2_000,
        "../" * 600,
        "/blog" * 40 + "/other/",
        "/\ud800\0",
    ],
)
def test_another_address_is_not_an_article(address):
    assert make_links([OTHER], hosts=["example.com"]).find_new_address(address) is None


def test_the_record_itself_is_found():
    assert make_links([]).find_new_address("/posts/source.html#part") == "/source/#part"


@pytest.mark.parametrize(
    ("addresses", "address", "found"),
    [
        (("/a/b/c/",), "/a/b/c", True),
        (("/a/b/c.html",), "/a/b/c/index.html", True),
        (("/%e6%97%a5/",), "/日/", True),
        (("/日",), "/%E6%97%A5", True),
        (("/node?id=3",), "/node?id=3", True),
        (("/node?id=3",), "/node?id=4", False),
        (("/a/",), "/b/a/", False),
        (("/blog/a/",), "https://example.com/blog/a/", True),
        (("/a/",), "https://example.com/blog/a/", True),
        (("/a/",), "https://example.com/other/a/", False),
    ],
)
def test_a_former_address_is_found(addresses, address, found):
    target = make_record("ghost:example.com:1", slug="new", title="New", addresses=addresses)
    links = make_links([target], hosts=["example.com/blog"])
    assert (links.find_new_address(address) == "/new/") == found


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/?p=12", "/twelve/"),
        ("?p=12", "/twelve/"),
        ("https://example.com/?p=12#more-12", "/twelve/#more-12"),
        ("/index.php?p=12&preview=true", "/twelve/"),
        ("?page_id=12", "/twelve/"),
        ("/2020/01/twelve/comment-page-3/#comment-5", "/twelve/#comment-5"),
        ("/2020/01/twelve/amp/", "/twelve/"),
        ("/2020/01/twelve/feed/", None),
        ("/feed/?p=12", None),
        ("/?p=13", None),
        ("/?cat=12", None),
        ("../twelve/?share=1#a", "/twelve/?share=1#a"),
        ("../../01/twelve/", "/twelve/"),
        ("https://example.com/2020/01/twelve/?a=(1)", "/twelve/?a=%281%29"),
    ],
)
def test_a_post_of_wordpress_is_found(address, expected):
    target = make_record("wordpress:example.com:12", slug="twelve", addresses=("/2020/01/twelve/",))
    source = make_record("wordpress:example.com:1", slug="one", addresses=("/2020/01/one/",))
    assert make_links([target], source, hosts=["example.com"]).find_new_address(address) == expected


def test_a_blog_of_blogger_has_many_hosts():
    links = make_links([OTHER], hosts=["my.blogspot.com"])
    for host in ("my.blogspot.de", "my.blogspot.co.uk", "my.blogspot.com.br", "www.my.blogspot.com"):
        assert links.find_new_address(f"http://{host}/2020/01/other.html") == "/other/"
    assert links.find_new_address("http://your.blogspot.com/2020/01/other.html") is None


def test_the_post_of_the_same_blog_is_preferred():
    targets = [make_record(f"wordpress:{blog}:1", slug=blog, addresses=("/a/",)) for blog in ("one", "two")]
    source = make_record("wordpress:two:2", slug="source")
    links = make_links(targets, source)
    assert [links.find_new_address(address) for address in ("/?p=1", "/a/")] == ["/two/", "/two/"]


@pytest.mark.parametrize(
    ("keys", "source", "address", "expected"),
    [
        (["b/x/a.md", "b/y/a.md"], "b/x/s.md", "/a/", "b/x/a.md"),
        (["b/x/a.md", "b/y/a.md"], "b/y/z/s.md", "/a/", "b/y/a.md"),
        (["b/x/a.md", "b/y/a.md"], "b/s.md", "/a/", None),
        (["b/x/a.md", "b/y/a.md"], "b/s.md", "/x/a/", "b/x/a.md"),
        (["b/2020-01-01-a.md", "b/2021-01-01-a.md"], "b/s.md", "2021-01-01-a.md", "b/2021-01-01-a.md"),
        (["b/2020-01-01-a.md", "b/2021-01-01-a.md"], "b/s.md", "a.md", None),
        (["b/a.md", "b/a.fr.md"], "b/s.fr.md", "a.md", "b/a.fr.md"),
        (["b/a.md", "b/a.fr.md"], "b/s.md", "a.md", "b/a.md"),
        (["b/a.md", "b/a.fr.md"], "b/s.md", "a.fr.md", "b/a.fr.md"),
        (["b/a.md", "b/a.fr.md"], "b/s.md", "/fr/a/", "b/a.fr.md"),
        (["b/en/p/a.md", "b/fr/p/a.md"], "b/fr/p/s.md", "/p/a/", "b/fr/p/a.md"),
        (["b/en/p/a.md", "b/fr/p/a.md"], "b/fr/p/s.md", "/en/p/a/", "b/en/p/a.md"),
        (["b/a/index.md"], "b/s/index.md", "../a/", "b/a/index.md"),
        (["b/a/index.md"], "b/s.md", "a/index.md", "b/a/index.md"),
        (["b/2020-01-01-a/index.md"], "b/s.md", "a/", "b/2020-01-01-a/index.md"),
        (["b/c/a.md"], "b/d/s.md", "../c/a.md", "b/c/a.md"),
        (["b/c/a.md"], "b/c/s.md", "../a/", "b/c/a.md"),
        (["b/my post.md"], "b/s.md", "my%20post.md", "b/my post.md"),
        (["b/node.js.md"], "b/s.md", "node.js.md", "b/node.js.md"),
    ],
)
def test_the_nearest_article_is_found(keys, source, address, expected):
    targets = [make_record(key, slug=f"s{number}") for number, key in enumerate(keys)]
    found = make_links(targets, make_record(source)).find_new_address(address)
    assert found == (f"/s{keys.index(expected)}/" if expected else None)


@pytest.mark.parametrize(("source", "is_found"), [("b/index.md", True), ("b/s/index.md", False)])
def test_a_relative_link_of_the_home_page_begins_at_the_root(source, is_found):
    target = make_record("b/x/y.md", slug="z", addresses=("/notes/a/",))
    found = make_links([target], make_record(source)).find_new_address("notes/a/")
    assert found == ("/z/" if is_found else None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[(name, "/other/") for name in ("2020-01-05-Other", "2020-01-05-other.md", "Other", "Other.md")],
        *[
            (name, "/other/")
            for name in ("posts/2020-01-05-Other", "_posts/2020-01-05-Other.md", "/posts/Other")
        ],
        *[(name, "/other/") for name in ("./Other.md", "The other one", " older ")],
        ("Other.md#part", "/other/#part"),
        ("#part", "/source/#part"),
        ("2021-01-05-Other", None),
        ("missing", None),
        ("wrong/Other", None),
        ("", None),
    ],
)
def test_a_post_is_found_by_its_name(name, expected):
    assert make_links([OTHER]).find_post_address(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[(name, "/other/") for name in ("2020-01-05-Other", "other", "OTHER.md", "the other ONE", "alias")],
        *[
            (name, "/other/")
            for name in ("posts/Other", "blog/posts/2020-01-05-Other", "./Other", "../posts/Other")
        ],
        ("Other#A Heading, twice!", "/other/#a-heading-twice"),
        ("Other#Outer#Inner", "/other/#inner"),
        ("Other#location", "/other/#location"),
        ("Other#^block", "/other/"),
        ("#A Heading", "#a-heading"),
        ("#^block", None),
        *[(name, None) for name in ("", "#", "missing", "wrong/Other", "Other.png")],
    ],
)
def test_a_page_is_found_by_its_name(name, expected):
    assert make_links([OTHER]).find_wiki_link_address(name) == expected


def test_a_heading_of_html_has_no_id():
    links = make_links([make_record("blog/other.html", slug="other", content_type="html")])
    assert links.find_wiki_link_address("other#Heading") == "/other/"


def test_a_page_in_several_folders_is_found_by_its_folder():
    links = make_links(["blog/x/a.md", replace(OTHER, key="blog/y/a.md", slug="y")], make_record("blog/s.md"))
    found = [links.find_wiki_link_address(name) for name in ("y/a", "x/a", "a", "z/a")]
    assert found == ["/y/", "/a/", None, None]


@pytest.mark.parametrize(
    ("status", "published_at", "from_public", "from_scheduled"),
    [
        ("published", datetime(2020, 1, 1, tzinfo=UTC), True, True),
        ("published", None, True, True),
        ("published", datetime(2026, 5, 1, tzinfo=UTC), False, True),
        ("published", datetime(2026, 7, 1, tzinfo=UTC), False, False),
        ("draft", datetime(2020, 1, 1, tzinfo=UTC), False, False),
        ("archived", datetime(2020, 1, 1, tzinfo=UTC), False, False),
    ],
)
def test_no_link_in_a_public_article_names_one_that_is_not_public(
    status, published_at, from_public, from_scheduled
):
    target = make_record("blog/posts/other.md", status=status, published_at=published_at)
    scheduled = datetime(2026, 6, 1, tzinfo=UTC)
    found = [
        make_links([target], replace(RECORD, **fields)).find_new_address("other.md") is not None
        for fields in ({}, {"published_at": scheduled}, {"status": "draft"}, {"status": "archived"})
    ]
    assert found == [from_public, from_scheduled, True, True]


@pytest.mark.parametrize(
    ("url", "path", "expected"),
    [
        ("", "/{year}/{month}/{day}/{slug}", "/2020/01/05/other#a"),
        ("https://example.org", "/{category}/{slug}.html", "/my-news/other.html#a"),
        ("https://example.org/weblog", "/{slug}/", "/weblog/other/#a"),
        ("", "/?post={slug}", "/?post=other#a"),
        ("", "/{uuid}/", None),
    ],
)
def test_new_addresses_are_those_of_the_site(url, path, expected):
    assert make_links([OTHER], url=url, path=path).find_new_address("Other.md#a") == expected


@pytest.mark.parametrize(("url", "root"), [("", ""), ("https://example.org/weblog", "/weblog")])
def test_the_address_of_a_page_begins_with_the_path_of_the_site(url, root):
    about, team = make_record("blog/about.md", is_page=True), make_record("blog/team.md", is_page=True)
    links = make_links([about, replace(team, parent_key=about.key)], url=url)
    assert links.find_new_address("../about.md") == f"{root}/about/"
    assert links.find_new_address("../team.md") == f"{root}/about/team/"


def test_an_address_with_a_uuid_needs_the_uuid():
    index = LinkIndex(Site(url="", article_path="/{uuid}/", time_zone="UTC", language="en"), NOW)
    index.add_record(RECORD, "source", UUID(int=1))
    assert RecordLinkFinder(index, RECORD).find_new_address("source.md") == f"/{UUID(int=1)}/"


def test_the_date_in_an_address_is_that_of_the_time_zone_of_the_site():
    index = LinkIndex(Site(url="", article_path="/{day}/{slug}/", time_zone="Asia/Tokyo", language="en"), NOW)
    index.add_record(OTHER, "other")
    assert RecordLinkFinder(index, OTHER).find_new_address("Other.md") == "/06/other/"


def test_the_records_with_links_to_a_changed_slug_are_known():
    links = make_links([OTHER, "blog/posts/third.md"])
    for address in ("Other.md", "/other/", "third.md"):
        links.find_new_address(address)
    index = links._index
    assert index.set_slug(OTHER.key, "other") == ()
    assert index.set_slug(OTHER.key, "other-2") == (RECORD.key,)
    assert links.find_new_address("Other.md") == "/other-2/"


def test_thousands_of_articles_with_one_name_are_compared_in_bounded_time():
    targets = [make_record(f"blog/{number}/a.md", slug="a", title="A") for number in range(500)]
    index = make_links(targets)._index
    assert max(len(found) for map_ in index._maps.values() for found in map_.values()) <= 100


def test_a_record_with_very_many_links_is_not_slow():
    links = make_links([OTHER], hosts=["example.com"])
    for _ in range(6_000):
        links.find_new_address("https://example.org/other/")
    assert links.find_wiki_link_address("other") == "/other/"
    for number in range(5_000):
        links.find_wiki_link_address(f"missing {number}")
    found = (
        links.find_wiki_link_address("other"),
        links.find_new_address("/other/"),
        links.find_post_address("other"),
    )
    assert found == (None,) * 3
