"""The check of the site fetches its page and its feed, under the rules of webhooks."""

from __future__ import annotations

import json

import pytest

from tests.delivery.webhooks.receiver import receive

PATH = "/api/v1/site-check/"
HTML = {"Content-Type": "text/html"}
LINK = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'


@pytest.fixture
def check(app, as_login):
    """Checks a site that gives these answers; returns the result and the requested paths."""

    def run(*answers, title="Quay & co", hosts=("127.0.0.1",)):
        app.config["WEBHOOK_HOSTS"] = hosts
        with receive() as receiver:
            for status, headers, body in answers:
                receiver.answer(status, headers, body.encode())
            site = {"url": f"http://127.0.0.1:{receiver.port}/blog", "title": title}
            assert as_login.patch("/api/v1/blog/site/", json=site).status_code == 200
            response = as_login.post(PATH)
            assert response.status_code == 200, response.json
            return response.json, [call.path for call in receiver.calls]

    return run


@pytest.mark.parametrize(
    "feed",
    [
        "<title>Quay &amp; co</title>",
        "<title><![CDATA[Quay & co]]></title>",
        json.dumps({"title": "Quay & co"}),
    ],
)
def test_a_site_whose_feed_names_the_blog(check, feed):
    result, paths = check((200, HTML, f"<head>{LINK}</head>"), (200, {}, feed))
    assert paths == ["/blog/", "/feed.xml"]
    assert (result["names_blog"], result["problem"], result["status"]) == (True, "", 200)
    assert result["feed"].endswith("/feed.xml")


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([(404, HTML, "")], "The address answers with the status 404."),
        (
            [(301, {"Location": "https://www.quay.example/"}, "")],
            "The address redirects to https://www.quay.example/",
        ),
        ([(200, HTML, "<link rel=stylesheet href=a.css>")], "its page links to no feed"),
        ([(200, HTML, LINK.replace("/feed.xml", "http://[feed"))], "the link to its feed is not a URL"),
        ([(200, HTML, LINK.replace("/feed.xml", "//\u2100.example/"))], "the link to its feed is not a URL"),
        ([(200, HTML, LINK), (500, {}, "")], "its feed does not: The address answers with the status 500."),
        ([(200, HTML, LINK), (200, {}, "<title>Another blog</title>")], "its feed does not name this blog"),
    ],
)
def test_what_is_wrong_is_said(check, answers, problem):
    result, _ = check(*answers)
    assert not result["names_blog"] and problem in result["problem"], result


def test_broken_markup_after_the_link_to_the_feed_is_ignored(check):
    result, paths = check((200, HTML, f"{LINK}<![broken[x]]>"), (200, {}, "<title>Quay &amp; co</title>"))
    assert (paths, result["names_blog"], result["problem"]) == (["/blog/", "/feed.xml"], True, "")


def test_a_blog_without_a_title_or_an_address(check, as_login):
    result, _ = check((200, HTML, LINK), (200, {}, "<title></title>"), title="")
    assert not result["names_blog"]
    as_login.patch("/api/v1/blog/site/", json={"url": ""})
    assert as_login.post(PATH).json["problem"] == "The site has no address yet."


def test_a_private_address_is_not_fetched(check):
    result, paths = check((200, HTML, LINK), hosts=())
    assert (paths, result["status"]) == ([], None)
    assert "private network" in result["problem"]
