"""Checks of the servers that the blog uses, PostgreSQL and Redis, and of the site."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from flask import current_app
from sqlalchemy import select

from blogapi import clock
from blogapi.content.articles.models import Article
from blogapi.operations.doctor.findings import (
    Finding,
    make_hint_finding,
    make_ok_finding,
    make_problem_finding,
)
from blogapi.site.addresses import list_languages
from blogapi.site.paths import is_local_address
from blogapi.site.queries import get_site
from blogapi.storage import database_clock
from blogapi.storage.database import db
from blogapi.web.rate_limits import limiter

# The largest accepted difference between two clocks. With NTP, two clocks differ by milliseconds.
MAX_CLOCK_DIFFERENCE = timedelta(seconds=1)


def run_checks() -> Iterator[Finding]:
    """Yield findings about PostgreSQL and Redis, if the blog uses these servers, and about the site."""
    if db.engine.dialect.name != "sqlite":
        yield _check_postgresql_clock()
    if current_app.config["LIMITS_URL"]:
        yield _check_redis()
    languages = {*db.session.scalars(select(Article.language).distinct())}
    if unlisted := languages - {"", *list_languages(get_site())}:
        says = f"Texts have languages that the site does not list: {', '.join(sorted(unlisted))}."
        yield make_hint_finding(
            "languages", says, "list them as `languages` of the site, or correct the texts"
        )
    site = get_site()
    if site.built_in and is_local_address(site.url):
        says = f"Readers cannot reach the address of the site, {site.url}."
        yield make_hint_finding("site", says, "change it under Site when the blog has its own address")
    elif site.built_in and site.url.startswith("https:") and not current_app.config["TRUSTED_PROXY"]:
        says = "The site uses HTTPS, but no proxy is trusted, so all readers can share one SEARCH_LIMIT."
        remedy = "set TRUSTED_PROXY to the address of the proxy, unless an option of `serve` names it"
        yield make_hint_finding("proxy", says, remedy)
    db.session.rollback()


def _check_postgresql_clock() -> Finding:
    before, time, after = clock.now(), database_clock.read_database_clock(db.session()), clock.now()
    difference = (before - time) + (after - before) / 2
    db.session.rollback()
    if abs(difference) <= MAX_CLOCK_DIFFERENCE:
        return make_ok_finding("clocks", "The clocks of this machine and of the database server agree.")
    direction = "ahead of" if difference > timedelta() else "behind"
    seconds = abs(difference).total_seconds()
    return make_problem_finding(
        "clocks",
        f"The clock of this machine is {seconds:.1f} seconds {direction} the clock of the database server.",
        "synchronize both clocks with NTP; keys, logins and logs use the clock of this machine",
    )


def _check_redis() -> Finding:
    if error := limiter.COUNTERS.get().find_problem():
        says = f"Redis does not respond; each process counts requests in its own memory: {error}"
        return make_problem_finding("limits", says, "start Redis, or correct LIMITS_URL")
    return make_ok_finding("limits", "The rate limit counters are stored in Redis.")
