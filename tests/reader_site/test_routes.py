"""The pages of the site: their addresses, redirects, errors and headers."""

from __future__ import annotations

import re
from html import escape

import pytest

from tests.contracts.client import outcome
from tests.reader_site.conftest import BROWSER, URL

API = "/api/v1/blog"


def test_without_the_site_unknown_paths_and_the_root_answer_as_ever(as_stranger):
    missing = as_stranger.get("/hello/", headers=BROWSER)
    assert outcome(missing) == (404, "not_found")
    assert (
        outcome(as_stranger.get("/style.css"))
        == outcome(as_stranger.get("/theme/a.css"))
        == (404, "not_found")
    )
    root = as_stranger.get("/", headers=BROWSER)
    assert (root.status_code, root.headers["Location"]) == (302, "/admin/")
    assert outcome(as_stranger.get("/?utm_source=x", headers=BROWSER)) == (400, "invalid_query")
    assert as_stranger.get("/robots.txt").text.endswith("Disallow: /\n")


@pytest.mark.parametrize(
    ("accept", "mimetype"),
    [
        ("text/html", "text/html"),
        ("*/*", "text/html"),
        ("", "text/html"),
        ("text/html, application/json;q=0.9", "text/html"),
        ("application/json", "application/json"),
        ("application/json, text/html;q=0.9", "application/json"),
        ("application/json, */*;q=0.5", "application/json"),
    ],
)
@pytest.mark.usefixtures("site")
def test_the_root_is_the_home_unless_a_program_asks_for_json(as_stranger, accept, mimetype):
    for _ in range(2):
        response = as_stranger.get("/", headers={"Accept": accept})
        assert (response.status_code, response.mimetype) == (200, mimetype)


@pytest.mark.usefixtures("site")
def test_each_kind_of_page_is_at_its_address(get_page, make_article, make_category, make_tag, as_admin):
    category, tag = make_category(name="Kitchen"), make_tag(name="Rye")
    article = make_article(title="Hello", category=category, tags=[tag])
    page = {"title": "About", "content": "Who we are", "status": "published"}
    assert as_admin.post(f"{API}/pages/", json=page).status_code == 201
    shown = {path: get_page(path).text for path in ("/hello/", "/about/", "/category/kitchen/", "/tag/rye/")}
    assert '<h1 dir="auto">Hello</h1>' in shown["/hello/"]
    assert "Who we are" in shown["/about/"]
    for path in ("/category/kitchen/", "/tag/rye/", "/", "/archive/", "/search/?q=words"):
        assert 'href="/hello/"' in get_page(path).text, path
    author = re.search(
        r'href="(/author/[^"]+)"',
        get_page("/sitemap.xml").text.replace(f"<loc>{URL}", 'href="').replace("</loc>", '"'),
    )
    assert author and 'href="/hello/"' in get_page(author[1]).text
    assert article.slug == "hello"


@pytest.mark.parametrize("path", ["/hello", "/category/shelf", "/archive", "/search"])
@pytest.mark.usefixtures("site")
def test_the_other_spelling_of_a_slash_leads_to_the_page(get_page, make_article, path):
    make_article(title="Hello")
    response = get_page(f"{path}?utm_source=x", 308)
    assert response.headers["Location"] == f"{path}/"
    get_page(f"{path}/?utm_source=x")


@pytest.mark.usefixtures("site")
def test_a_pattern_without_a_slash_has_pages_without_one(get_page, turn_on, make_article, make_tag):
    turn_on(article_path="/posts/{slug}", tag_path="/t/{slug}.html")
    tag = make_tag(name="Rye")
    for number in range(11):
        make_article(title=f"Loaf {number}", tags=[tag])
    assert get_page("/posts/loaf-1/", 308).headers["Location"] == "/posts/loaf-1"
    get_page("/posts/loaf-1")
    assert 'href="/t/rye/page/2/"' in get_page("/t/rye.html").text
    assert 'rel="prev">' in get_page("/t/rye/page/2/").text


@pytest.mark.usefixtures("site")
def test_lists_have_pages_and_none_after_the_last(get_page, make_article):
    for number in range(11):
        make_article(title=f"Loaf {number}", published_at=f"2026-01-{number + 1:02}T12:00:00Z")
    first, second = get_page("/").text, get_page("/page/2/").text
    assert "Loaf 10" in first and 'href="/page/2/" rel="next"' in first
    assert ">Loaf 0<" in second and ">Loaf 10<" not in second and 'href="/" rel="prev"' in second
    assert "1 of 2" in first and "2 of 2" in second
    for path in (
        "/page/3/",
        "/page/1/",
        "/page/0/",
        "/page/x/",
        "/page/99999999999/",
        "/category/shelf/page/3/",
    ):
        get_page(path, 404)
    get_page("/category/shelf/page/2/")
    get_page("/archive/2026/01/page/2/")


@pytest.mark.parametrize(
    "path",
    [
        *("/archive/2026/13/", "/archive/2026/00/", "/archive/9999/12/", "/archive/0001/01/"),
        *("/archive/0000/01/", "/archive/0001/02/", "/archive/2025/12/"),
    ],
)
@pytest.mark.usefixtures("site")
def test_months_without_articles_and_impossible_ones_are_missing(get_page, make_article, path):
    make_article(published_at="2026-01-31T23:30:00Z")
    get_page("/archive/2026/01/")
    get_page(path, 404)


def test_a_month_is_that_of_the_sites_zone(get_page, turn_on, make_article):
    turn_on(time_zone="Asia/Tokyo")
    make_article(published_at="2026-01-31T23:30:00Z")
    get_page("/archive/2026/02/")
    get_page("/archive/2026/01/", 404)


@pytest.mark.usefixtures("site")
def test_redirects_lead_on_and_a_gone_page_says_so(as_admin, as_login, get_page, make_article):
    article = make_article(title="Bread", status="published")
    assert as_admin.patch(f"{API}/articles/{article.uuid}/", json={"slug": "loaf"}).status_code == 200
    for path, target, status in (("/a/", "/loaf/", 302), ("/b/", "https://other.example/x", 301)):
        body = {"path": path, "target": target, "status": status}
        assert as_login.post(f"{API}/redirects/own/", json=body).status_code == 201
    assert as_login.post(f"{API}/redirects/own/", json={"path": "/gone/", "status": 410}).status_code == 201
    assert get_page("/bread/", 308).headers["Location"] == "/loaf/"
    assert get_page("/a/", 302).headers["Location"] == "/loaf/"
    assert get_page("/a", 302).headers["Location"] == "/loaf/"
    assert get_page("/b/", 301).headers["Location"] == "https://other.example/x"
    assert "This page is gone" in get_page("/gone/", 410).text


@pytest.mark.usefixtures("site")
def test_a_path_with_a_nul_character_is_missing(get_page, make_article, make_tag):
    make_article(title="Hello", tags=[make_tag(name="Rye")])
    for path in ("/hello/", "/category/shelf/", "/tag/rye/"):
        get_page(path)
        for other in (f"{path}%00", f"{path[:-1]}%00/", f"/%00{path}", f"{path[:-1]}%00/page/2/"):
            get_page(other, 404)
    get_page("/%00", 404)
    get_page("/search/?q=%00")


@pytest.mark.usefixtures("site")
def test_a_redirect_from_a_page_that_a_list_lacks_leads_on(as_login, get_page, make_article):
    make_article(title="Hello", published_at="2026-01-15T12:00:00Z")
    own = f"{API}/redirects/own/"
    for path in ("/archive/2012/05/", "/archive/2026/01/", "/category/shelf/page/7/", "/page/2/"):
        assert as_login.post(own, json={"path": path, "target": "/hello/", "status": 302}).status_code == 201
    assert as_login.post(own, json={"path": "/archive/2013/05/", "status": 410}).status_code == 201
    for path in ("/archive/2012/05/", "/archive/2012/05", "/category/shelf/page/7/", "/page/2/"):
        assert get_page(path, 302).headers["Location"] == "/hello/"
    assert "This page is gone" in get_page("/archive/2013/05/", 410).text
    # A page that exists is shown, and without a redirect a page is missing.
    get_page("/archive/2026/01/")
    for path in ("/archive/2012/06/", "/category/shelf/page/8/", "/search/?q=hello&page=2"):
        get_page(path, 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.usefixtures("site")
def test_other_methods_and_paths_of_the_service_are_no_pages(as_stranger, method):
    assert as_stranger.open("/hello/", method=method, headers=BROWSER).mimetype == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/zzz/",
        "/admin/zzz/",
        "/docs/zzz/",
        "/media/zzz",
        "/feeds/zzz",
        "/health/x",
        "/sitemap-zzz.xml",
        "/.well-known/x",
        "/mcp",
    ],
)
def test_paths_of_the_service_answer_as_without_the_site(as_stranger, turn_on, path):
    before = as_stranger.get(path, headers=BROWSER)
    turn_on()
    after = as_stranger.get(path, headers=BROWSER)
    assert (after.status_code, after.data, after.mimetype) == (
        before.status_code,
        before.data,
        before.mimetype,
    )
    assert after.status_code in (404, 401)


@pytest.mark.usefixtures("site")
def test_a_missing_page_shows_the_search_and_the_newest_articles(get_page, make_article):
    make_article(title="Hello")
    page = get_page("/zzz/", 404)
    assert page.content_type == "text/html; charset=utf-8" and 'role="search"' in page.text
    assert "Hello" in page.text and 'content="noindex"' in page.text


@pytest.mark.usefixtures("site")
def test_an_error_while_a_page_is_rendered_is_a_page(get_page, monkeypatch):
    from blogapi.reader_site import pages

    def fail(*args):
        raise RuntimeError("secret")

    monkeypatch.setattr(pages, "make_target_page", fail)
    page = get_page("/", 500)
    assert page.content_type == "text/html; charset=utf-8"
    assert "The page could not be shown" in page.text and "secret" not in page.text


@pytest.mark.usefixtures("site")
def test_the_headers_are_those_of_every_response_and_allow_no_script(get_page, make_article):
    make_article()
    for path, status in (("/", 200), ("/zzz/", 404), ("/search/?q=a", 200)):
        headers = get_page(path, status).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'" and "script-src" not in policy
        assert "upgrade-insecure-requests" not in headers["Content-Security-Policy"]
        assert (headers["X-Frame-Options"], headers["Referrer-Policy"]) == ("DENY", "same-origin")
        assert "Set-Cookie" not in headers and headers["Vary"] == "Accept, origin"
    home = get_page("/").headers
    assert home["Cache-Control"].startswith("public, max-age=0, s-maxage=")
    assert {"site", "article", "page", "category", "tag", "author"} >= {
        name.rstrip("s") for name in home["Surrogate-Key"].split()
    } - {"categorie"}


@pytest.mark.usefixtures("site")
def test_no_page_has_a_script_or_an_address_of_another_host(get_page, make_article):
    make_article(title="Hello")
    for path in ("/", "/hello/", "/archive/", "/search/?q=hello"):
        text = get_page(path).text
        scripts = re.findall(r"<script[^>]*>", text)
        assert set(scripts) <= {'<script type="application/ld+json">'}
        body = text.partition("</head>")[2]
        assert URL not in body and ('href="/hello/"' in body or path == "/hello/")


@pytest.mark.usefixtures("site")
def test_all_addresses_of_the_site_in_a_text_are_paths(get_page, make_article):
    sources = f"{URL}/a.png 400w, {URL}/b.png 800w, https://cdn.example/c.png 2000w"
    content = (
        f'<p><img alt="see {URL}/" src="{URL}/a.png" srcset="{sources}"> <a href="{URL}">home</a> '
        f'<a href="{URL}.evil.example/">other</a> <code>href="{URL}/"</code></p>'
        f'<video src="{URL}/v.mp4" poster="{URL}/p.png"></video>'
    )
    make_article(title="Hello", content=content, content_type="html")
    text = get_page("/hello/").text.partition('<div class="text"')[2].partition("</div>")[0]
    assert 'srcset="/a.png 400w, /b.png 800w, https://cdn.example/c.png 2000w"' in text
    assert 'src="/a.png"' in text and '<a href="/"' in text and f'alt="see {URL}/"' in text
    assert f'href="{URL}.evil.example/"' in text and f'href="{URL}/"</code>' in text
    assert 'src="/v.mp4"' in text and 'poster="/p.png"' in text


@pytest.mark.parametrize("cover", ["/c.png", "https://cdn.example/c.png?w=1&h=2", "/c.png?a='&amp;b"])
@pytest.mark.usefixtures("site")
def test_a_cover_that_begins_the_text_is_shown_once(get_page, make_article, cover):
    fields = {"cover_image": cover, "content_type": "html"}
    picture = f'<p><img src="{escape(cover)}" alt="Elm"></p>'
    make_article(title="Once", content=picture, **fields)
    make_article(title="Twice", content=f'<p><img src="{escape(cover)}0" alt="Oak"></p>{picture}', **fields)
    make_article(title="No picture", content="<p>Words</p>", **fields)
    for path, count in (("/once/", 1), ("/twice/", 3), ("/no-picture/", 1)):
        article = get_page(path).text.partition("<article")[2].partition("</article>")[0]
        assert article.count("<img ") == count, path


@pytest.mark.usefixtures("site")
def test_unknown_parameters_are_ignored_and_search_takes_its_own(get_page, make_article):
    make_article(title="Hello")
    assert get_page("/?utm_source=x").data == get_page("/").data
    assert "1 result" in get_page("/search/?q=hello&utm_source=x&page=zzz").text
    assert "Nothing found" in get_page("/search/?q=zzz").text
    get_page("/search/?q=hello&page=2", 404)
    get_page("/search/?q=hello&page=51", 404)


@pytest.mark.usefixtures("site")
def test_no_cache_stores_the_results_of_a_search(get_page, make_article):
    make_article(title="Hello")
    for query, status in (("?q=hello", 200), ("?q=zzz", 200), ("?q=", 200), ("?q=hello&page=2", 404)):
        headers = get_page(f"/search/{query}", status).headers
        # Browsers may store errors, which caches do not share.
        assert headers["Cache-Control"] == ("no-store" if status == 200 else "private, no-cache"), query
        assert not {"Cache-Tag", "Surrogate-Key"} & {*headers.keys()}, query
    for path in ("/search/", "/search/?utm_source=x", "/?q=hello", "/archive/?q=hello"):
        headers = get_page(path).headers
        assert headers["Cache-Control"].startswith("public, ") and "articles" in headers["Cache-Tag"], path


@pytest.mark.usefixtures("site")
def test_searches_of_an_address_are_limited(get_page, make_article):
    make_article(title="Hello")
    for _ in range(30):
        get_page("/search/?q=hello")
    page = get_page("/search/?q=hello", 429)
    assert page.headers["Cache-Control"] == "private, no-cache"
    assert int(page.headers["Retry-After"]) > 0 and 'role="search"' in page.text
    get_page("/search/")
    get_page("/hello/")


def test_robots_let_crawlers_in_while_the_site_is_on(as_stranger, turn_on):
    turn_on()
    text = as_stranger.get("/robots.txt").text
    assert "Disallow: /api/\n" in text and "Disallow: /\n" not in text
    assert f"Sitemap: {URL}/sitemap.xml" in text


@pytest.mark.usefixtures("site")
def test_the_style_sheet_is_kept_for_a_year_at_the_address_with_its_digest(as_stranger, get_page):
    (address,) = re.findall(r'href="(/style\.css\?v=[0-9a-f]+)"', get_page("/").text)
    assert "immutable" in as_stranger.get(address).headers["Cache-Control"]
    assert "immutable" not in as_stranger.get("/style.css?v=1").headers["Cache-Control"]
    assert as_stranger.get(address).data == as_stranger.get("/style.css").data
