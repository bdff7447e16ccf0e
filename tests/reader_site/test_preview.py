"""The page of a preview link, without a browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest

from blogapi.reader_site.preview import STYLE_DIGEST
from tests.contracts.client import outcome

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
EVERYONE = [
    *("as_stranger", "as_reader", "as_published_member", "as_reading_member", "as_member"),
    *("as_published_admin", "as_reading_admin", "as_admin", "as_login"),
]
ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}&lt;b&gt;"
UNKNOWN = "/preview/" + "x" * 43


class Elements(HTMLParser):
    """Collects the elements and the text of a page."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def show(as_stranger):
    """Return a function that opens a link as a browser and returns the elements and the text of the page."""

    def get(link):
        response = as_stranger.get(link["url"], headers=BROWSER)
        assert (response.status_code, response.content_type) == (200, "text/html; charset=utf-8")
        page = Elements(response.text)
        page.text = " ".join(page.text.split())
        return page

    return get


# What the page shows


def test_the_page_shows_the_article(make_link, make_guest, set_site, show):
    set_site(title="Küche & Co", language="de-AT", time_zone="Europe/Berlin")
    page = show(
        make_link(
            **{"title": "Brot — 面包", "subtitle": "Langsam & gut", "content": "Mehl, *Wasser*."},
            **{"content_type": "markdown", "cover_image": "/media/bread.jpg"},
            published_at="2030-06-30T22:30:00Z",
            authors=[{"uuid": str(make_guest(name).uuid)} for name in ("Zoë", "عمر")],
        )
    )
    assert page.found[0] == ("html", {"lang": "de", "dir": "ltr"})
    assert "Brot — 面包 - Küche & Co" in page.text and "Langsam & gut" in page.text
    assert "Zoë, عمر · 1. Juli 2030 · 1 Minute" in page.text and "Mehl, Wasser." in page.text
    assert "Vorschau: Entwurf, zuletzt geändert am" in page.text
    assert ("em", {}) in page.found
    assert ("img", {"src": "/media/bread.jpg", "alt": "", "fetchpriority": "high"}) in page.found
    assert ("time", {"datetime": "2030-06-30T22:30:00.000000+00:00"}) in page.found


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"status": "draft"}, r"Draft, last changed \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d \(Asia/Tokyo\) "),
        ({"status": "archived"}, "Archived "),
        ({"status": "published"}, "Published "),
        (
            {"status": "published", "published_at": "2999-01-01T00:00:00Z"},
            r"Scheduled for 1 January 2999, 09:00 \(Asia/Tokyo\) ",
        ),
    ],
)
def test_the_page_shows_the_status(make_link, set_site, show, fields, expected):
    set_site(time_zone="Asia/Tokyo")
    assert re.search(f"Preview: {expected}", show(make_link(**fields)).text)


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York"])
def test_the_first_and_the_last_time_are_shown(make_link, set_site, show, time, zone):
    set_site(time_zone=zone)
    shown = show(make_link(status="published", published_at=time)).text
    assert f" {time[:4].lstrip('0')} · 1 minute" in shown


def test_an_empty_draft_has_neither_subtitle_nor_cover_nor_date(make_link, show):
    page = show(make_link(subtitle="", cover_image="", content=""))
    assert not [found for found in page.found if found[0] == "img" or found[1].get("class") == "tagline"]
    assert not [tag for tag, _ in page.found if tag == "time"] and "Draft, last changed" in page.text


@pytest.mark.parametrize("caller", EVERYONE)
def test_everyone_with_the_link_gets_the_same_page(request, as_stranger, make_link, caller):
    link = make_link()
    client = request.getfixturevalue(caller)
    own, other = (each.get(link["url"], headers=BROWSER) for each in (client, as_stranger))
    assert (own.status_code, own.data) == (200, other.data)
    assert "Cookie" not in own.headers["Vary"]


def test_the_page_ignores_a_wrong_key(as_stranger, make_link):
    headers = BROWSER | {"X-API-KEY": "wrong"}
    assert as_stranger.get(make_link()["url"], headers=headers).status_code == 200


def test_the_page_shows_the_present_article(as_admin, as_stranger, make_link):
    link = make_link(title="Before")
    before = as_stranger.get(link["url"], headers=BROWSER)
    as_admin.patch(link["path"].partition("preview/")[0], json={"title": "After"})
    after = as_stranger.get(link["url"], headers=BROWSER | {"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200 and "After" in after.text and "Before" not in after.text


@pytest.mark.parametrize("number", [1, 20])
def test_the_page_costs_four_statements(
    as_stranger, make_link, make_tag, make_guest, record_statements, number
):
    link = make_link(
        tags=[make_tag() for _ in range(number)],
        authors=[{"uuid": str(make_guest().uuid)} for _ in range(number)],
    )
    with record_statements() as executed:
        assert as_stranger.get(link["url"], headers=BROWSER).status_code == 200
    assert len(executed) == 4


# Injection


def test_no_field_can_inject_html(as_admin, make_link, make_guest, set_site, show):
    set_site(title=ATTACK)
    page = show(
        make_link(
            **{"title": ATTACK, "subtitle": ATTACK, "content": ATTACK, "content_type": "text"},
            authors=[{"uuid": str(make_guest(ATTACK).uuid)}],
        )
    )
    tags = {tag for tag, _ in page.found}
    assert not tags & {"script", "img", "b"} and page.text.count("{{ 7 * 7 }}") == 6
    assert not [name for _, attributes in page.found for name in attributes if name.startswith("on")]


@pytest.mark.parametrize("content_type", ["html", "markdown"])
def test_the_content_is_sanitized(make_link, show, content_type):
    content = (
        f'{ATTACK}<style>body{{display:none}}</style><a href="javascript:alert(1)">x</a>'
        '<iframe src="https://evil.example/"></iframe><form action="/"><button>Go</button></form>'
        '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">'
        "</div></article></main></body></html><p onclick=alert(1) style='position:fixed'>End"
    )
    page = show(make_link(content=content, content_type=content_type))
    tags = [tag for tag, _ in page.found]
    assert not {"script", "iframe", "form", "button", "base"} & set(tags)
    assert (tags.count("style"), tags.count("meta"), tags.count("body")) == (1, 5, 1)
    attributes = {name for _, each in page.found for name in each}
    assert not {name for name in attributes if name.startswith("on")} | ({"style", "action"} & attributes)
    assert not [each for _, each in page.found if each.get("href", "").startswith("javascript")]


# Headers, and where the token appears


def test_the_headers_forbid_scripts_storage_and_indexing(as_stranger, make_link):
    headers = as_stranger.get(make_link()["url"], headers=BROWSER).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'" and "script-src" not in policy
    assert policy["img-src"] == "'self' https: http: data:" and policy["media-src"] == "'self' https: http:"
    assert policy["style-src"] == f"'sha256-{STYLE_DIGEST}'"
    assert {policy[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {"'none'"}
    assert "https://www.youtube-nocookie.com" in policy["frame-src"].split()
    assert (headers["Cache-Control"], headers["X-Robots-Tag"]) == ("no-store", "noindex")
    assert (headers["Referrer-Policy"], headers["X-Frame-Options"]) == ("same-origin", "DENY")


def test_the_page_forbids_indexing_and_referers_and_does_not_contain_its_token(as_stranger, make_link, show):
    link = make_link(content='<a href="https://other.example/">x</a> <a href="/y">y</a>')
    page = show(link)
    assert ("meta", {"name": "robots", "content": "noindex"}) in page.found
    assert ("meta", {"name": "referrer", "content": "no-referrer"}) in page.found
    links = [attributes for tag, attributes in page.found if tag == "a"]
    assert [each["href"] for each in links] == ["https://other.example/", "/y"]
    answer = as_stranger.get(link["url"], headers=BROWSER)
    assert (answer.status_code, link["url"].rsplit("/", 1)[1] in answer.text) == (200, False)


def test_an_embedded_player_learns_only_the_origin(make_link, show):
    content = '<iframe src="https://www.youtube.com/embed/a"></iframe><code>&lt;iframe src</code>'
    page = show(make_link(content=content))
    (player,) = [attributes for tag, attributes in page.found if tag == "iframe"]
    assert player == {"referrerpolicy": "strict-origin", "src": "https://www.youtube.com/embed/a"}
    assert "<iframe src" in page.text and page.text.count("referrerpolicy") == 0


# HTML or JSON


@pytest.mark.parametrize(
    ("accept", "mimetype"),
    [
        (BROWSER["Accept"], "text/html"),
        ("text/html", "text/html"),
        ("text/html;q=0.5, application/json;q=0.4", "text/html"),
        ("text/*, application/json;q=0.9", "text/html"),
        ("application/json", "application/json"),
        ("text/html;q=0.4, application/json;q=0.5", "application/json"),
        ("text/html, application/json", "application/json"),
        ("text/html;q=0", "application/json"),
        ("*/*", "application/json"),
        ("", "application/json"),
        ("image/png", "application/json"),
    ],
)
def test_the_accept_header_decides_between_html_and_json(as_stranger, make_link, accept, mimetype):
    link, headers = make_link(), {"Accept": accept}
    response, missing = (as_stranger.get(path, headers=headers) for path in (link["url"], UNKNOWN))
    assert (response.status_code, response.mimetype) == (200, mimetype)
    problem = {"application/json": "application/problem+json"}.get(mimetype, mimetype)
    assert (missing.status_code, missing.mimetype) == (404, problem)
    assert {each.headers["Vary"] for each in (response, missing)} == {"Accept, origin"}
    assert response.headers["X-Robots-Tag"] == "noindex"


def test_the_json_is_that_of_the_api(as_stranger, make_link):
    link = make_link()
    page, api = as_stranger.get(link["url"]), as_stranger.get(link["api_url"])
    assert (page.data, page.headers["ETag"]) == (api.data, api.headers["ETag"])


@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_a_head_request_gets_the_headers_of_the_get(as_stranger, make_link, headers):
    for path in (make_link()["url"], UNKNOWN):
        get, head = (as_stranger.open(path, method=method, headers=headers) for method in ("GET", "HEAD"))
        assert (head.status_code, head.data) == (get.status_code, b"")
        assert {k: v for k, v in head.headers if k != "X-Request-ID"} == {
            k: v for k, v in get.headers if k != "X-Request-ID"
        }


def test_the_page_is_found_with_a_trailing_slash_and_takes_no_parameters(as_stranger, make_link):
    url = make_link()["url"]
    assert as_stranger.get(f"{url}/", headers=BROWSER).status_code == 200
    assert outcome(as_stranger.get(f"{url}?fields=html")) == (400, "invalid_query")
    assert outcome(as_stranger.post(url)) == (405, "method_not_allowed")


# Links that do not work


@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_unknown_expired_and_revoked_links_get_the_same_404(
    as_admin, as_stranger, make_link, set_clock, headers
):
    expired, revoked = make_link(), make_link()
    assert as_admin.delete(revoked["path"]).status_code == 204
    responses = [as_stranger.get(path, headers=headers) for path in (UNKNOWN, revoked["url"], "/preview/é")]
    set_clock(datetime.now(UTC) + timedelta(days=8))
    responses.append(as_stranger.get(expired["url"], headers=headers))
    assert {response.status_code for response in responses} == {404}
    assert len({response.data for response in responses}) == 1
    without_id = [{k: v for k, v in each.headers if k != "X-Request-ID"} for each in responses]
    assert all(each == without_id[0] for each in without_id)


def test_a_browser_gets_a_readable_404(as_stranger, set_site):
    set_site(title="Blog", language="de")
    response = as_stranger.get(UNKNOWN, headers=BROWSER)
    assert (response.status_code, response.content_type) == (404, "text/html; charset=utf-8")
    assert "Bitte beim Autor einen neuen erfragen." in response.text and '<html lang="de"' in response.text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
