"""Which servers a webhook may call."""

from __future__ import annotations

import socket

import pytest

from blogapi.web import outgoing

pytestmark = pytest.mark.no_database

PRIVATE = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.1", "10.0.0.7", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.7", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    # 6to4 and Teredo addresses that contain a private address.
    *("64:ff9b:1::1", "3fff::1", "2002:7f00:1::1", "2002:a00:7::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(address):
    assert not outgoing.is_on_internet(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_accepted(address):
    assert outgoing.is_on_internet(address)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://hooks.example/", "Use https://"),
        ("ftp://hooks.example/", "begins with https://"),
        ("hooks.example", "begins with https://"),
        ("https:///path", "begins with https://"),
        ("https://user:word@hooks.example/", "user name"),
        ("https://hooks.example/#part", "fragment"),
        ("https://hooks.example/a b", "begins with https://"),
        ("https://hooks.example:99999/", "not a URL"),
        ("https://[::1", "not a URL"),
        ("https://10.0.0.7/", "10.0.0.7 is in a private network"),
        ("https://[::ffff:10.0.0.7]/", "is in a private network"),
        ("https://0x7f.1/", "begins with https://"),
        ("https://2130706433/", "begins with https://"),
    ],
)
def test_addresses_that_cannot_be_called_are_refused(url, reason):
    with pytest.raises(outgoing.RefusedAddress, match=reason):
        outgoing.resolve_host(outgoing.parse_permitted_url(url, ()), ())


def test_an_allowed_host_may_be_private_and_without_tls():
    parts = outgoing.parse_permitted_url("http://127.0.0.1:8080/build?x=1", ("127.0.0.1",))
    assert outgoing.resolve_host(parts, ("127.0.0.1",)) == ["127.0.0.1"]
    assert parts.geturl() == "http://127.0.0.1:8080/build?x=1"
    assert outgoing.resolve_host(outgoing.parse_permitted_url("http://[::1]:1/", ("[::1]",)), ("[::1]",)) == [
        "::1"
    ]


def test_a_host_is_refused_if_one_of_its_addresses_is_private(monkeypatch):
    found = [(2, 1, 6, "", ("8.8.8.8", 443)), (2, 1, 6, "", ("10.0.0.7", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: found)
    with pytest.raises(outgoing.RefusedAddress, match=r"10\.0\.0\.7 is in a private network"):
        outgoing.resolve_host(outgoing.parse_permitted_url("https://hooks.example/", ()), ())


def test_a_host_without_an_address_is_refused(monkeypatch):
    def fail(*arguments, **options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(outgoing.RefusedAddress, match=r"hooks\.example has no address"):
        outgoing.resolve_host(outgoing.parse_permitted_url("https://hooks.example/", ()), ())


@pytest.mark.parametrize(
    ("url", "ascii_url"),
    [
        ("https://Bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://日本.example:8443/鍵/ü?a=é&b=1+2", None),
        (
            "https://hooks.example/a%2Fb%zz/{x}|y?q=[1]^'",
            "https://hooks.example/a%2Fb%zz/%7Bx%7D%7Cy?q=%5B1%5D%5E'",
        ),
        ("https://hooks.example/bot1:a-b/~x.y@z;v=1,2", "https://hooks.example/bot1:a-b/~x.y@z;v=1,2"),
    ],
)
def test_hosts_and_paths_are_in_ascii(url, ascii_url):
    found = outgoing.parse_permitted_url(url, ()).geturl()
    assert found.isascii()
    assert found == ascii_url or ascii_url is None
    assert outgoing.parse_permitted_url(found, ()).geturl() == found


@pytest.mark.parametrize(
    "url",
    [
        f"https://{'ü' * 70}.example/",
        f"https://{'a.' * 130}example/",
        "https://a..example/",
        "https://exa\u00admple\u2028.example/",
        "https://-a.example/",
        "https://hooks.example/\ud800",
    ],
)
def test_an_address_that_has_no_form_in_ascii_is_invalid_at_url(as_login, url):
    with pytest.raises(outgoing.RefusedAddress):
        outgoing.parse_permitted_url(url, ())
    answer = as_login.post("/api/v1/webhooks/", json={"name": "x", "url": url})
    assert (answer.status_code, [*answer.json["errors"]]) == (422, ["url"])
