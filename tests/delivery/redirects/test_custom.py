"""The redirects that an admin sets."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES
from tests.contracts.client import outcome
from tests.delivery.redirects.test_routes import REDIRECTS
from tests.site.conftest import set_site as set_site

OWN = f"{REDIRECTS}own/"


@pytest.fixture
def add(as_admin):
    """Creates a redirect and returns the response."""

    def add_redirect(path, target="", **fields):
        return as_admin.post(OWN, json={"path": path, "target": target, **fields})

    return add_redirect


def test_an_admin_creates_changes_and_deletes_a_redirect(as_admin, add):
    created = add("/old/", "/new/?a=b#c")
    assert created.status_code == 201
    assert {name: created.json[name] for name in ("path", "target", "status")} == {
        "path": "/old/",
        "target": "/new/?a=b#c",
        "status": 301,
    }
    item = f"{OWN}{created.json['uuid']}/"
    assert as_admin.patch(item, json={"status": 302}).json["status"] == 302
    assert as_admin.patch(item, json={"path": "/gone/", "target": "", "status": 410}).json["target"] == ""
    assert [row["path"] for row in as_admin.get(f"{OWN}?q=GONE").json] == ["/gone/"]
    assert as_admin.get(f"{OWN}?q=other").json == []
    assert as_admin.delete(item).status_code == 204
    assert outcome(as_admin.get(item)) == (404, "not_found")


@pytest.mark.parametrize(("q", "found"), [("ärger", 1), ("ÄRGER", 1), ("новости", 1), ("arger", 0)])
def test_letters_other_than_ascii_are_found_in_any_case(as_admin, add, q, found):
    add("/Ärger/Новости/", "/new/")
    assert len(as_admin.get(OWN, query_string={"q": q}).json) == found


@pytest.mark.parametrize(
    ("q", "found"), [("/новости дня", 1), ("%D0%BD", 1), ("?a=b", 1), ("//NEW.example", 1), ("ärger", 0)]
)
def test_a_target_is_found_as_it_was_sent_and_as_it_is_stored(as_admin, add, q, found):
    assert add("/old/", "https://new.example/новости дня/?a=b").status_code == 201
    assert len(as_admin.get(OWN, query_string={"q": q}).json) == found


@pytest.mark.parametrize(
    ("path", "target", "status"),
    [
        *(("/", "/new/", 301), ("old", "/new/", 301), ("//evil.example", "/new/", 301)),
        *(("/old/?p=1", "/new/", 301), ("/old/../x", "/new/", 301), ("/" + "a" * 2001, "/new/", 301)),
        *(("/old/", "new", 301), ("/old/", "//evil.example/", 301), ("/old/", "javascript:alert(1)", 301)),
        *(("/old/", "https://", 301), ("/old/", "https://a b/", 301), ("/old/", "https://[/", 301)),
        *(("/old/", "", 301), ("/old/", "/new/", 410), ("/old/", "/new/", 307), ("/old/", "/new/", "301")),
        ("https://other.example/old/", "/new/", 301),
    ],
)
def test_a_redirect_that_makes_no_sense_is_refused(add, path, target, status):
    assert outcome(add(path, target, status=status)) == (422, "invalid_fields")


def test_a_target_has_no_character_with_a_meaning_for_servers(add):
    assert add("/old/", "/a b/$uri;{x}/:name/*/é").json["target"] == (
        "/a%20b/%24uri%3B%7Bx%7D/%3Aname/%2A/%C3%A9"
    )


def test_a_path_has_one_redirect(add):
    add("/old/", "/new/")
    assert outcome(add("/old", "/other/")) == (409, "conflict")


def test_loops_are_refused(as_admin, add, set_site):
    set_site(url="https://site.example")
    assert outcome(add("/a", "/a/")) == (422, "invalid_fields")
    assert outcome(add("/a", "https://SITE.example/a?b=c")) == (422, "invalid_fields")
    assert add("/a", "/b").status_code == 201
    assert add("/b/", "https://site.example/c").status_code == 201
    refused = add("/c", "/a/")
    assert outcome(refused) == (422, "invalid_fields")
    assert refused.json["errors"] == {
        "target": ["It leads to a loop: /c → /a → /b → /c. Choose another target."]
    }
    other = add("/c", "https://other.example/a").json["uuid"]
    assert outcome(as_admin.patch(f"{OWN}{other}/", json={"target": "/a"})) == (422, "invalid_fields")
    assert as_admin.get(f"{OWN}{other}/").json["target"] == "https://other.example/a"


@pytest.mark.parametrize(
    ("site", "target", "is_loop"),
    [
        ("https://front.example", "https://FRONT.example:443/self2", True),
        ("https://straße.example", "https://STRAßE.example/self2", True),
        ("https://straße.example", "https://strasse.example/self2", False),
        ("https://front.example", "http://front.example:80/self2/", True),
        ("https://front.example", "https://front.example./self2", True),
        ("https://front.example:8443", "https://Front.example:08443/self2", True),
        ("https://bücher.example", "https://XN--BCHER-KVA.example/self2", True),
        ("https://front.example", "https://front.example:8443/self2", False),
        ("https://front.example", "https://front.example:99999/self2", False),
        ("https://front.example", "https://www.front.example/self2", False),
    ],
)
def test_a_loop_is_found_in_each_spelling_of_the_host(add, set_site, site, target, is_loop):
    set_site(url=site)
    assert add("/self2/", target).status_code == (422 if is_loop else 201)


def test_a_long_chain_is_refused(add):
    for number in range(10):
        assert add(f"/{number}", f"/{number + 1}").status_code == 201
    assert outcome(add("/x", "/0")) == (422, "invalid_fields")


def test_the_list_of_redirects_contains_them(as_reader, add, make_article, as_admin, set_site):
    set_site(url="https://site.example")
    article = make_article(slug="first")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    moved, gone = add("/old/", "/new/?a=b", status=302).json, add("/z/", status=410).json
    rows = as_reader.get(REDIRECTS).json
    assert [row["old"] for row in rows] == ["/old/", "/z/", "first"]
    assert rows[0] == {
        "kind": "redirect",
        "old": "/old/",
        "new": "/new/?a=b",
        "item": moved["uuid"],
        "article": None,
        "created": moved["created"],
        "old_url": "https://site.example/old/",
        "new_url": "https://site.example/new/?a=b",
        "status": 302,
    }
    assert (rows[1]["item"], rows[1]["new"], rows[1]["status"]) == (gone["uuid"], "", 410)
    assert "new_url" not in rows[1] and "status" not in rows[2]
    assert as_reader.get(f"{REDIRECTS}?page=1&page_size=1").headers["X-Total-Count"] == "3"
    assert [row["item"] for row in as_reader.get(f"{REDIRECTS}?path=/old").json] == [moved["uuid"]]


def test_a_page_takes_precedence_over_a_redirect(as_reader, add, make_article):
    add("/first/", "/new/")
    assert len(as_reader.get(REDIRECTS).json) == 1
    make_article(slug="first")
    assert as_reader.get(REDIRECTS).json == []
    assert as_reader.get(f"{REDIRECTS}?path=/first/").json == []


def test_a_redirect_takes_precedence_over_a_former_slug(as_admin, as_reader, add, make_article):
    article = make_article(slug="first")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    add("/first/", "/new/")
    assert [row["new"] for row in as_reader.get(f"{REDIRECTS}?path=/first/").json] == ["/new/"]
    assert as_reader.get(f"{REDIRECTS}?format=netlify").text == "/first/ /new/ 301\n"


def test_the_formats_contain_them(as_reader, add, set_site):
    add("/a b/", "https://other.example/x?y=z")
    add("/c/", "/d/", status=302)
    add("/d/", "/e/")
    add("/gone/", status=410)
    texts = {
        name: as_reader.get(f"{REDIRECTS}?format={name}").text
        for name in ("netlify", "nginx", "nginx-temporary", "nginx-gone")
    }
    assert texts == {
        "netlify": "/a%20b/ https://other.example/x?y=z 301\n/c/ /d/ 302\n/d/ /e/ 301\n"
        "# left out, because these hosts have no status 410: /gone/\n",
        "nginx": '"/a b/" https://other.example/x?y=z;\n"/d/" /e/;\n',
        "nginx-temporary": '"/c/" /d/;\n',
        "nginx-gone": '"/gone/" 1;\n',
    }


def test_a_format_contains_no_loop_after_the_address_of_the_site_has_changed(as_reader, add, set_site):
    add("/a/", "https://site.example/b/")
    add("/b/", "https://site.example/a/")
    add("/c/", "/d/")
    set_site(url="https://site.example")
    assert as_reader.get(f"{REDIRECTS}?format=netlify").text == "/c/ /d/ 301\n"


def test_a_change_of_a_redirect_is_a_change_of_the_site(as_admin, as_reader, add):
    tag = as_reader.get(REDIRECTS).headers["ETag"]
    item = add("/a/", "/b/").json["uuid"]
    assert as_reader.get(REDIRECTS).headers["ETag"] != tag
    (change,) = as_reader.get("/api/v1/blog/changes/").json["changes"][-1:]
    assert change["kind"] == "site"
    assert as_admin.patch(f"{OWN}{item}/", json={"target": "/b/"}).status_code == 200
