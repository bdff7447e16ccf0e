"""The field `built_in` of the site: who sees it, when it is refused, and the address of the service."""

from __future__ import annotations

import pytest

from blogapi.site import paths, queries, served_paths
from blogapi.web import media_addresses
from tests.conftest import ARTICLES, People
from tests.contracts.client import outcome
from tests.delivery.response_cache.cached_blog import add_cache
from tests.stored_pictures import store_picture

SITE = "/api/v1/blog/site/"
URL = "https://blog.example"
# Routes of these segments exist in later versions alone.
RESERVED = {".well-known", "mcp", "style.css", "theme"}


@pytest.fixture
def get_service_url(app):
    """Returns the public address of the service."""

    def get():
        with app.app_context():
            return queries.get_service_url()

    return get


def test_only_admins_see_the_field(
    as_login, as_admin, as_published_admin, as_member, as_reader, as_published_member
):
    others = (as_published_admin, as_member, as_reader, as_published_member)
    before = [client.get(SITE).json for client in others]
    assert as_login.patch(SITE, json={"url": URL, "built_in": True}).json["built_in"] is True
    assert [client.get(SITE).json["built_in"] for client in (as_login, as_admin)] == [True, True]
    for client, shown in zip(others, before, strict=True):
        after = client.get(SITE).json
        assert "built_in" not in after
        assert after == shown | {"url": URL, "last_updated": after["last_updated"]}


def test_a_cached_answer_has_the_field_for_the_key_of_an_admin_alone(make_app, monkeypatch):
    blog = add_cache(make_app(PUBLIC_READS=True), monkeypatch)
    people = People(blog.app)
    admin, published = people.key(people.admin), people.key(people.admin, "published")
    keys = (None, admin, published, None, admin, published)
    answers = [blog.get(SITE, key) for key in keys]
    assert ['"built_in"' in body.decode() for _, _, body in answers] == [False, True, False] * 2
    assert answers[:3] == answers[3:] and len(blog.application.paths) == 3
    assert len({dict(headers)["ETag"] for _, headers, _ in answers}) == 2


def test_a_blog_without_the_built_in_site_has_no_service_address(as_login, get_service_url):
    as_login.patch(SITE, json={"url": URL})
    assert get_service_url() == ""


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"built_in": True}, "built_in"),
        ({"built_in": True, "url": ""}, "url"),
        ({"built_in": True, "url": f"{URL}/blog"}, "url"),
        *(
            ({"built_in": True, "url": URL, "article_path": path}, "article_path")
            for path in ("/{slug}?a", "/{slug}#a", "/admin/{slug}", "/search/{slug}/", "/%61pi/{slug}")
        ),
        ({"built_in": True, "url": URL, "article_path": "{/language}/docs/{slug}"}, "article_path"),
        ({"built_in": True, "url": URL, "page_path": "/page/{path}/"}, "page_path"),
        ({"built_in": True, "url": URL, "category_path": "/archive/{slug}/"}, "category_path"),
        ({"built_in": True, "url": URL, "tag_path": "/media/{slug}/"}, "tag_path"),
        ({"built_in": True, "url": URL, "author_path": "/sitemap-{slug}.xml"}, "author_path"),
        ({"built_in": "yes"}, "built_in"),
        ({"built_in": None}, "built_in"),
    ],
)
def test_a_site_that_cannot_be_shown_is_refused(as_login, as_admin, fields, name):
    before = as_admin.get(SITE).json
    answer = as_login.patch(SITE, json=fields)
    assert (answer.status_code, list(answer.json["errors"])) == (422, [name])
    assert as_admin.get(SITE).json == before


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"url": ""}, "url"), ({"url": f"{URL}/blog"}, "url"), ({"tag_path": "/api/{slug}/"}, "tag_path")],
)
def test_the_rules_hold_while_the_site_is_on(as_login, fields, name):
    as_login.patch(SITE, json={"url": URL, "built_in": True})
    refused = as_login.patch(SITE, json=fields)
    assert (refused.status_code, list(refused.json["errors"])) == (422, [name])
    assert as_login.patch(SITE, json={"title": "Bread"}).status_code == 200
    assert as_login.patch(SITE, json=fields | {"built_in": False}).status_code == 200


@pytest.mark.parametrize("fields", [{"url": f"{URL}/blog"}, {"url": URL, "tag_path": "/api/{slug}/"}])
def test_a_stored_field_is_refused_at_the_switch(as_login, fields):
    as_login.patch(SITE, json=fields)
    assert outcome(as_login.patch(SITE, json={"built_in": True})) == (422, "invalid_fields")
    assert list(as_login.patch(SITE, json={"built_in": True}).json["errors"]) == ["built_in"]
    # What was refused before does not prevent other changes.
    assert as_login.patch(SITE, json={"built_in": False, "title": "Bread"}).status_code == 200


@pytest.mark.parametrize(
    ("fields", "address"),
    [
        ({"url": URL}, URL),
        ({"url": "http://203.0.113.7:8000"}, ""),
        ({"url": "http://93.184.215.14:8000"}, "http://93.184.215.14:8000"),
        ({"url": URL, "service_url": "https://api.example"}, "https://api.example"),
        ({"url": "http://127.0.0.1:8000"}, ""),
        ({"url": "http://127.0.0.1:8000", "service_url": "http://127.0.0.1:9"}, "http://127.0.0.1:9"),
    ],
)
def test_the_service_has_the_address_of_the_built_in_site(
    app, as_login, as_reader, get_service_url, fields, address
):
    picture = f"/media/{'a' * 64}/cat.jpg"
    as_login.patch(SITE, json=fields | {"built_in": True})
    assert get_service_url() == address
    with app.app_context():
        assert media_addresses.add_service_url(picture) == f"{address}{picture}"
    assert as_reader.get(SITE).json["service_url"] == fields.get("service_url", "")


@pytest.mark.parametrize(("url", "base"), [(URL, URL), ("http://127.0.0.1:8000", "")])
def test_links_feeds_and_heads_have_the_address_of_the_built_in_site(
    app, as_login, as_reader, make_article, people, url, base
):
    picture = store_picture(app, "red")
    as_login.patch(SITE, json={"url": url, "title": "Bread", "logo": f"media:{picture.uuid}"})
    as_login.patch(SITE, json={"built_in": True})
    article = make_article(content=f'<img src="media:{picture.uuid}">')
    path = f"/media/{picture.hash}/{picture.name}"
    preview = as_login.post(f"{ARTICLES}{article.uuid}/preview/").json
    link = as_login.post(f"/api/v1/users/{people.member.uuid}/reset-link/").json
    addresses = [preview["url"], preview["api_url"], link["url"], as_reader.get(SITE).json["logo"]]
    assert [address.startswith(f"{base}/") for address in addresses] == [True] * 4
    shown = as_reader.get(f"{ARTICLES}{article.uuid}/?fields=html,head").json
    assert f'src="{base}{path}"' in shown["html"]
    assert shown["head"]["open_graph"].get("og:image") == (f"{base}{path}" if base else None)
    assert (f'"{URL}/feeds/atom.xml"'.encode() in as_reader.get("/feeds/atom.xml").data) is bool(base)


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        *((f"http://{host}:8000", True) for host in ("localhost", "blog.localhost", "127.0.0.1", "[::1]")),
        *((f"http://{host}", True) for host in ("10.0.0.7", "192.168.1.2", "172.16.0.1", "169.254.1.1")),
        *((f"http://{host}", True) for host in ("[fe80::1]", "[fd00::1]", "100.64.0.1")),
        *((f"https://{host}", False) for host in ("blog.example", "notlocalhost", "93.184.215.14")),
        *((address, False) for address in ("https://[2606:4700::1111]", "", "http://[::1")),
    ],
)
def test_a_loopback_or_private_address_is_local(address, is_local):
    assert paths.is_local_address(address) is is_local


def test_pictures_get_new_addresses_when_the_address_of_the_service_changes(as_login, monkeypatch, app):
    calls = []
    library = media_addresses.MEDIA_LIBRARY.get(app)
    monkeypatch.setattr(library, "rerender_articles_with_files", lambda: calls.append(1))
    for fields, count in (
        ({"url": URL}, 0),
        ({"built_in": True}, 1),
        ({"title": "Bread"}, 1),
        ({"service_url": URL}, 1),
        ({"built_in": False}, 1),
        ({"service_url": ""}, 2),
        ({"url": "http://127.0.0.1:8000", "built_in": True}, 2),
    ):
        assert as_login.patch(SITE, json=fields).status_code == 200
        assert len(calls) == count, fields


def test_the_first_segments_of_all_routes_belong_to_the_service(app):
    segments = {
        rule.rule.split("/")[1].replace("<int(min=1, max=999999):number>", "1")
        for rule in app.url_map.iter_rules()
        if not rule.build_only
    } - {""}
    assert [segment for segment in segments if not served_paths.is_service_path(f"/{segment}/a")] == []
    expected = {*served_paths.SERVICE_SEGMENTS, "sitemap.xml", "sitemap-1.xml"} - {"sitemap*.xml"}
    assert expected - segments <= RESERVED and segments <= expected


@pytest.mark.parametrize(
    "path", ["/", "", "/administration/", "/Admin/", "/apis", "/a/admin/", "/sitemap.html"]
)
def test_other_paths_do_not_belong_to_the_service(path):
    assert not served_paths.is_service_path(path)
