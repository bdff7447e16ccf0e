"""The addresses in the response to a new preview link."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

TOKEN = r"[\w-]{43}"
SITE, SERVICE = {"url": "https://blog.example"}, {"service_url": "https://api.blog.example/v"}


@pytest.mark.parametrize(
    ("site", "expected"),
    [
        ({}, "/preview/{token}"),
        (SITE, "/preview/{token}"),
        (SERVICE, "https://api.blog.example/v/preview/{token}"),
        (SITE | SERVICE | {"preview_url": "/preview/"}, "https://blog.example/preview/?token={token}"),
        (SITE | {"preview_url": "preview"}, "https://blog.example/preview?token={token}"),
        ({"preview_url": "https://draft.example/p"}, "https://draft.example/p?token={token}"),
        ({"preview_url": "https://draft.example"}, "https://draft.example?token={token}"),
        (SITE | {"preview_url": "/p?lang=de&x=%26a"}, "https://blog.example/p?lang=de&x=%26a&token={token}"),
        (SITE | {"preview_url": "/p?token=&x=1&%74oken=2"}, "https://blog.example/p?x=1&token={token}"),
        (SITE | {"preview_url": "/?a#/preview"}, "https://blog.example/?a&token={token}#/preview"),
        (SITE | {"preview_url": "#/preview"}, "https://blog.example/?token={token}#/preview"),
        # A relative address is unknown without the address of the site.
        ({"preview_url": "/preview/"}, "/preview/{token}"),
        (SERVICE | {"preview_url": "/preview/"}, "https://api.blog.example/v/preview/{token}"),
    ],
)
def test_the_url_is_the_preview_page_of_the_site_or_of_the_service(make_link, set_site, site, expected):
    set_site(**site)
    link = make_link()
    (token,) = re.findall(TOKEN, link["api_url"])
    assert link["url"] == expected.format(token=token)
    assert link["api_url"] == f"{site.get('service_url', '')}/api/v1/blog/preview/{token}/"


def test_the_token_of_the_preview_page_reads_the_article(as_stranger, make_link, set_site):
    set_site(preview_url="https://blog.example/preview?a=b")
    link = make_link(title="Secret")
    (token,) = parse_qs(urlsplit(link["url"]).query)["token"]
    assert as_stranger.get(f"/api/v1/blog/preview/{token}/").json["title"] == "Secret"


def test_the_list_of_links_contains_no_address(as_admin, make_link):
    link = make_link()
    (listed,) = as_admin.get(link["path"].removesuffix(f"{link['uuid']}/")).json
    assert not {"url", "api_url"} & listed.keys()
