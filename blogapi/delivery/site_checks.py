"""Fetches the home page of the site and the feed that it links to, with the same limits as webhooks."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urljoin

import marshmallow as ma
from flask import current_app

from blogapi.site import addresses
from blogapi.site.queries import get_site
from blogapi.storage.database import end_read
from blogapi.version import __version__
from blogapi.web import outgoing
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import OutputSchema
from blogapi.web.outgoing import MAX_ANSWER_BYTES, Answer


class SiteCheckSchema(OutputSchema):
    """The result of fetching the home page of the site and its feed."""

    url = ma.fields.String(metadata={"example": "https://blog.example/"})
    status = ma.fields.Integer(
        allow_none=True, metadata={"description": "The HTTP status of the page; null if there was no answer."}
    )
    feed = ma.fields.String(
        allow_none=True, metadata={"description": "The address of the feed to which the page links, or null."}
    )
    names_blog = ma.fields.Boolean(
        metadata={"description": "Whether the feed contains the title of the site."}
    )
    problem = ma.fields.String(metadata={"description": "The problem as a sentence; empty if there is none."})


_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/json")
# The maximum time for both requests together.
_TIMEOUT_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class SiteCheck:
    """The result of a check of `url`; `status` and `feed` are None if they are unknown.

    `status` is the HTTP status of the page, and `feed` the address of the feed to which the page links.
    `names_blog` is whether the feed contains the title of the blog. `problem` is a sentence, or empty.
    """

    url: str
    status: int | None = None
    feed: str | None = None
    names_blog: bool = False
    problem: str = ""


class _FeedFinder(HTMLParser):
    """Finds the address of the first feed to which a page links."""

    def __init__(self) -> None:
        super().__init__()
        self.address: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store the address of the first link to a feed."""
        values = dict(attrs)
        is_feed = "alternate" in (values.get("rel") or "").lower() and values.get("type") in _FEED_TYPES
        if tag == "link" and is_feed and self.address is None:
            self.address = values.get("href")


def check_site() -> SiteCheck:
    """Fetch the home page of the site and its feed, without an open transaction, and return the result."""
    site = get_site()
    home, title = addresses.make_home_url(site), site.title
    end_read()
    if home is None:
        return SiteCheck("", problem="The site has no address yet.")
    page = _send_request(home)
    problem = _describe_problem(page)
    if problem:
        return SiteCheck(home, page.status, problem=problem)
    finder = _FeedFinder()
    # HTMLParser raises AssertionError for some broken markup. The link to the feed usually precedes it.
    with suppress(AssertionError):
        finder.feed(page.text)
    if not finder.address:
        return SiteCheck(home, page.status, problem="The site answers, but its page links to no feed.")
    try:
        feed = urljoin(home, finder.address)
    except ValueError:
        problem = "The site answers, but the link to its feed is not a URL."
        return SiteCheck(home, page.status, problem=problem)
    feed_answer = _send_request(feed)
    problem = _describe_problem(feed_answer)
    if problem:
        return SiteCheck(home, page.status, feed, problem=f"The site works, but its feed does not: {problem}")
    # XML and JSON feeds escape the characters of the title in different ways.
    has_title = title in unescape(feed_answer.text) or json.dumps(title)[1:-1] in feed_answer.text
    names_blog = bool(title) and has_title
    problem = "" if names_blog else "The site answers, but its feed does not name this blog."
    return SiteCheck(home, page.status, feed, names_blog, problem)


def _send_request(url: str) -> Answer:
    return outgoing.call_url(
        url,
        {"User-Agent": f"blogapi/{__version__}", "Accept": "*/*"},
        b"",
        allowed_hosts=current_app.config["WEBHOOK_HOSTS"],
        seconds=_TIMEOUT_SECONDS / 2,
        method="GET",
        text_length=MAX_ANSWER_BYTES,
    )


def _describe_problem(answer: Answer) -> str:
    """Return a sentence about the problem with the answer, or an empty string if there is none."""
    if answer.error:
        return answer.error
    if answer.location:
        return f"The address redirects to {answer.location}; enter that address."
    return "" if answer.status == 200 else f"The address answers with the status {answer.status}."


bp = Blueprint(
    "site_checks",
    __name__,
    url_prefix="/api/v1/site-check",
    description="The check of the address of the site",
    resource="site",
)


@bp.post("/")
@allow(admin_login, scope="write")
@bp.response(200, SiteCheckSchema(), storable=False)
def check() -> SiteCheck:
    """Fetch the home page of the site and the feed to which it links; nothing is stored.

    Only servers on the internet, and hosts in the setting WEBHOOK_HOSTS, are called.
    """
    return check_site()
