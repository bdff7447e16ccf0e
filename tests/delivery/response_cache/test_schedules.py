"""Scheduled articles appear at their time, although responses are cached."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from blogapi import clock
from blogapi.accounts.api_keys import service as api_keys
from blogapi.delivery.response_cache.commit_version import CommitVersion
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.delivery.response_cache.cached_blog import add_cache, warm
from tests.delivery.response_cache.conftest import ME

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_scheduled_articles_appear_at_their_publication_times(
    as_reader, make_article, make_tag, make_category, set_clock
):
    set_clock(NOON)
    tag, category = make_tag(), make_category()
    items = []
    for minutes in (5, 10, 10, 15):
        due = (NOON + minutes * MINUTE).isoformat()
        article = make_article(category=category, tags=(tag,), status="scheduled", published_at=due)
        items.append(f"{ARTICLES}{article.uuid}/")
    lists = (ARTICLES, f"{ARTICLES}?tag={tag.uuid}", f"{CATEGORIES}{category.uuid}/", f"{TAGS}{tag.uuid}/")
    for minutes, visible in ((0, 0), (4, 0), (5, 1), (9, 1), (10, 3), (14, 3), (15, 4), (40, 4)):
        set_clock(NOON + minutes * MINUTE)
        for _ in range(2):
            assert [as_reader.get(path).status_code for path in items].count(200) == visible
            bodies = [as_reader.get(path).json for path in lists]
            counts = [len(body) if isinstance(body, list) else len(body["articles"]) for body in bodies]
            assert counts == [visible] * 4


def test_an_author_appears_with_their_first_scheduled_article(as_reader, make_article, make_guest, set_clock):
    set_clock(NOON)
    guest = make_guest()
    for minutes in (10, 5):
        published_at = (NOON + minutes * MINUTE).isoformat()
        make_article(authors=[{"uuid": str(guest.uuid)}], published_at=published_at)
    for minutes, articles in ((0, 0), (4, 0), (5, 1), (9, 1), (10, 2)):
        set_clock(NOON + minutes * MINUTE)
        for _ in range(2):
            assert len(as_reader.get(AUTHORS).json) == min(articles, 1)
            shown = as_reader.get(f"{AUTHORS}{guest.uuid}/")
            assert (shown.status_code, len(shown.json.get("articles", ()))) == (
                200 if articles else 404,
                articles,
            )


def test_between_two_publications_responses_are_cached(as_reader, make_article, set_clock, get_counted):
    set_clock(NOON)
    for minutes in (5, 10):
        make_article(status="scheduled", published_at=(NOON + minutes * MINUTE).isoformat())
    for minutes, visible in ((0, 0), (4, 0), (5, 1), (9, 1), (10, 2), (50, 2)):
        set_clock(NOON + minutes * MINUTE)
        assert len(warm(as_reader, ARTICLES).json) == visible
        assert get_counted(as_reader, ARTICLES)[1] == 0


def test_an_article_that_becomes_due_while_a_response_is_computed_is_in_the_next_response(
    cached_blog, as_reader, make_article, set_clock
):
    set_clock(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    as_reader.get(ME)
    respond = cached_blog.application.respond

    def respond_slowly(environ, start_response):
        chunks = respond(environ, start_response)
        set_clock(NOON + MINUTE)
        return chunks

    cached_blog.application.respond = respond_slowly
    assert as_reader.get(ARTICLES).json == []
    assert len(as_reader.get(ARTICLES).json) == 1


def test_an_article_published_while_the_clock_was_fast_appears_at_its_publication_time(
    as_reader, make_article, set_clock
):
    set_clock(NOON + MINUTE)
    make_article(status="published", published_at=(NOON + MINUTE).isoformat())
    set_clock(NOON)
    assert warm(as_reader, ARTICLES).json == []
    set_clock(NOON + MINUTE)
    assert len(as_reader.get(ARTICLES).json) == 1


def test_after_the_clock_is_set_back_the_list_hides_later_articles(as_reader, make_article, set_clock):
    set_clock(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    for minutes, visible in ((2, 1), (0, 0), (2, 1), (0, 0)):
        set_clock(NOON + minutes * MINUTE)
        assert len(warm(as_reader, ARTICLES).json) == visible


class SlowDatabaseClock:
    """A commit version source whose database has a clock that is an hour behind."""

    def get_version(self, since=None, **options):
        return CommitVersion(1, 1, clock.now() - 60 * MINUTE)


def test_a_key_expires_at_the_correct_time_although_the_clock_of_the_database_is_behind(
    app, as_stranger, set_clock, monkeypatch
):
    set_clock(NOON)
    with app.app_context():
        headers = {"X-API-KEY": api_keys.issue_key(None, expires=NOON + 10 * MINUTE).value}
    cached = add_cache(app, monkeypatch, source=SlowDatabaseClock())
    assert warm(as_stranger, TAGS, headers=headers).status_code == 200
    assert len(cached.application.paths) == 1
    set_clock(NOON + 10 * MINUTE)
    assert as_stranger.get(TAGS, headers=headers).status_code == 401
