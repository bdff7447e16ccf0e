"""The feed of changes names the items to fetch and to drop, and reveals no drafts to readers."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
CHANGES = "/api/v1/blog/changes/"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def read_changes(as_reader):
    """Reads the changes since the last call, as a reader unless a client is given.

    The changes of authors, whose visibility depends on articles, are left out; `content/authors` tests them.
    """
    cursor = "0"

    def read(client=as_reader):
        nonlocal cursor
        response = client.get(f"{CHANGES}?since={cursor}").json
        cursor = response["cursor"]
        changes = [(change["kind"], change["action"]) for change in response["changes"]]
        return [change for change in changes if change[0] != "author"]

    return read


def test_a_new_blog_has_no_changes(as_reader):
    assert as_reader.get(CHANGES).json == {"changes": [], "cursor": "0", "more": False}


def test_the_action_is_fetch_for_a_public_article_and_drop_for_a_withdrawn_article(
    as_admin, read_changes, make_article
):
    article = make_article()
    path = f"{ARTICLES}{article.uuid}/"
    assert read_changes() == [("category", "fetch"), ("article", "fetch")]
    as_admin.patch(path, json={"title": "New"})
    assert read_changes() == [("article", "fetch")]
    as_admin.patch(path, json={"status": "draft"})
    assert read_changes() == [("article", "drop")]
    as_admin.patch(path, json={"status": "published"})
    as_admin.delete(path)
    assert read_changes() == [("article", "drop")]
    assert read_changes() == []


def test_a_change_of_only_the_tags_or_the_seo_fields_is_reported(
    as_admin, read_changes, make_article, make_tag
):
    tag = make_tag()
    article = make_article(tags=(tag,))
    read_changes()
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"tags": []})
    assert read_changes() == [("article", "fetch")]
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"seo": {"description": "x"}})
    assert read_changes() == [("article", "fetch")]


def test_writes_of_drafts_do_not_move_the_cursor_of_a_reader(as_admin, as_reader, make_article):
    article = make_article()
    before = as_reader.get(CHANGES).json
    draft = make_article(status="draft")
    as_admin.patch(f"{ARTICLES}{draft.uuid}/", json={"title": "x"})
    as_admin.delete(f"{ARTICLES}{draft.uuid}/")
    make_article(published_at="2999-01-01T00:00:00Z")
    assert as_reader.get(CHANGES).json == before
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "x"})
    after = as_reader.get(CHANGES).json["cursor"]
    position, position_before = (int(cursor.partition("-p")[2]) for cursor in (after, before["cursor"]))
    assert position == position_before + 1


def test_the_feed_of_an_admin_includes_drafts(as_admin, make_article):
    draft = make_article(status="draft")
    changes = as_admin.get(CHANGES).json["changes"]
    assert {"kind": "article", "uuid": str(draft.uuid), "action": "fetch"} in changes
    as_admin.delete(f"{ARTICLES}{draft.uuid}/")
    assert as_admin.get(CHANGES).json["changes"][-1]["action"] == "drop"


def test_a_scheduled_article_is_reported_at_its_publication_time(
    as_reader, read_changes, make_article, set_clock
):
    make_article(published_at="2999-01-01T00:00:00Z")
    assert read_changes() == [("category", "fetch")]
    set_clock(datetime(2999, 1, 1, tzinfo=UTC))
    assert read_changes() == [("article", "fetch")]
    assert read_changes() == []


@pytest.mark.parametrize(
    "withdraw",
    [
        lambda admin, path: admin.patch(path, json={"status": "draft"}),
        lambda admin, path: admin.patch(path, json={"published_at": "2999-01-01T00:00:00Z"}),
        lambda admin, path: admin.delete(path),
    ],
    ids=["draft", "later", "deleted"],
)
def test_the_action_is_drop_for_an_article_withdrawn_after_it_became_public_by_schedule(
    as_admin, read_changes, make_article, set_clock, withdraw
):
    set_clock(NOON)
    path = f"{ARTICLES}{make_article(published_at=(NOON + HOUR).isoformat()).uuid}/"
    read_changes()
    set_clock(NOON + HOUR)
    # A client that reads the list of articles at this time finds the article.
    assert withdraw(as_admin, path).status_code in (200, 204)
    assert read_changes() == [("article", "drop")]


def test_scheduled_articles_are_reported_in_the_order_of_their_publication_times(
    as_reader, make_article, set_clock
):
    set_clock(NOON)
    created = [make_article(published_at=(NOON + hours * HOUR).isoformat()) for hours in (3, 1, 2, 9)]
    cursor = as_reader.get(CHANGES).json["cursor"]
    set_clock(NOON + 4 * HOUR)
    page = as_reader.get(f"{CHANGES}?since={cursor}").json
    articles = [change["uuid"] for change in page["changes"] if change["kind"] == "article"]
    assert articles == [str(created[place].uuid) for place in (1, 2, 0)]


def test_an_article_published_in_the_current_microsecond_is_reported_once(
    as_admin, read_changes, make_article, set_clock
):
    set_clock(NOON)
    make_article(published_at=NOON.isoformat())
    assert read_changes() == [("category", "fetch"), ("article", "fetch")]
    assert read_changes() == []


def test_an_article_hidden_by_setting_the_clock_back_is_reported_again_when_it_is_public(
    read_changes, make_article, set_clock
):
    set_clock(NOON)
    make_article(published_at=(NOON + HOUR).isoformat())
    read_changes()
    # A client that reads the article while it is hidden gets 404 and may drop it.
    fetched = [("article", "fetch")]
    for time, expected in ((1, fetched), (0, []), (0.5, []), (1, fetched), (2, [])):
        set_clock(NOON + time * HOUR)
        assert read_changes() == expected


@pytest.mark.parametrize("write", ["patch", "delete", "create"])
def test_a_write_of_an_older_article_does_not_end_that_rule(
    as_admin, read_changes, make_article, make_category, set_clock, write
):
    set_clock(NOON)
    category = make_category()
    older = make_article(category=category, published_at=(NOON - HOUR).isoformat())
    make_article(category=category, published_at=(NOON + 2 * HOUR).isoformat())
    make_article(category=category, published_at=(NOON + HOUR).isoformat())
    set_clock(NOON + 2 * HOUR)
    assert read_changes() == [("category", "fetch"), *[("article", "fetch")] * 3]
    path = f"{ARTICLES}{older.uuid}/"
    if write == "patch":
        assert as_admin.patch(path, json={"title": "Edited"}).status_code == 200
    elif write == "delete":
        assert as_admin.delete(path).status_code == 204
    else:
        make_article(category=category, published_at=(NOON - HOUR).isoformat())
    assert read_changes() == [("article", "drop" if write == "delete" else "fetch")]
    for hours, expected in ((0.5, []), (1, [("article", "fetch")]), (1.5, []), (2, [("article", "fetch")])):
        set_clock(NOON + hours * HOUR)
        assert read_changes() == expected, hours


def test_an_article_scheduled_after_the_clock_was_set_back_is_reported(read_changes, make_article, set_clock):
    set_clock(NOON)
    make_article(published_at=(NOON + 2 * HOUR).isoformat())
    set_clock(NOON + 2 * HOUR)
    assert read_changes() == [("category", "fetch"), ("article", "fetch")]
    set_clock(NOON)
    make_article(published_at=(NOON + HOUR).isoformat())
    assert read_changes() == []
    set_clock(NOON + HOUR)
    assert read_changes() == [("article", "fetch")]


def test_a_read_of_the_feed_writes_only_the_events_of_due_articles(
    as_reader, make_article, set_clock, record_statements
):
    set_clock(NOON)
    make_article(published_at=(NOON + timedelta(minutes=1)).isoformat())
    # The first request with a key stores the time of the request as the last use of the key.
    as_reader.get(CHANGES)
    for seconds, has_earlier_events in ((59, False), (60, True), (90, False), (30, False)):
        set_clock(NOON + timedelta(seconds=seconds))
        with record_statements() as executed:
            as_reader.get(CHANGES)
        written = [statement for statement in executed if not statement.startswith("SELECT")]
        assert {text.split()[0] for text in written} == (
            {"UPDATE", "INSERT"} if has_earlier_events else set()
        )


def test_a_write_that_changes_nothing_is_not_reported(as_admin, make_article, make_tag):
    tag, article = make_tag("same"), make_article(title="Same")
    before = as_admin.get(CHANGES).json
    assert as_admin.patch(f"/api/v1/blog/tags/{tag.uuid}/", json={"name": "same"}).status_code == 200
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "Same"}).status_code == 200
    assert as_admin.get(CHANGES).json == before


def test_changes_of_tags_are_reported(as_admin, read_changes):
    created = as_admin.post("/api/v1/blog/tags/", json={"name": "t"}).headers["Location"]
    assert read_changes() == [("tag", "fetch")]
    as_admin.patch(created, json={"name": "u"})
    assert read_changes() == [("tag", "fetch")]
    as_admin.delete(created)
    assert read_changes() == [("tag", "drop")]


def test_the_feed_can_be_read_in_parts(as_reader, make_article):
    for _ in range(4):
        make_article()
    cursor, seen, more = "0", [], True
    while more:
        response = as_reader.get(f"{CHANGES}?since={cursor}&limit=2").json
        cursor, more = response["cursor"], response["more"]
        seen += response["changes"]
    # The articles, their category and their author.
    assert len(seen) == len({change["uuid"] for change in seen}) == 6


@pytest.mark.parametrize(("limit", "more"), [(1, True), (5, True), (6, False), (7, False)])
def test_the_field_more_is_true_while_changes_remain(as_reader, make_article, limit, more):
    for _ in range(4):
        make_article()
    response = as_reader.get(f"{CHANGES}?limit={limit}").json
    assert (len(response["changes"]), response["more"]) == (min(limit, 6), more)
    rest = as_reader.get(f"{CHANGES}?since={response['cursor']}&limit={max(1, 6 - limit)}").json
    assert (len(rest["changes"]), rest["more"]) == (max(0, 6 - limit), False)
    assert rest["cursor"] == as_reader.get(CHANGES).json["cursor"]


def test_without_a_limit_all_changes_are_returned(as_reader, make_tag):
    for _ in range(101):
        make_tag()
    response = as_reader.get(CHANGES).json
    assert (len(response["changes"]), response["more"]) == (101, False)
    assert as_reader.get(f"{CHANGES}?limit=1000").json == response


@pytest.mark.parametrize(
    "query",
    [
        "since=x",
        "since=-1",
        "since=1.5",
        "since=5",
        "since=p0",
        "since=p",
        "since=p%0A1",
        "since=5fa31c07-0",
        "since=5fa31c0-p1",
        "limit=0",
        "limit=1001",
        "since=" + "9" * 30,
    ],
)
def test_an_invalid_cursor_or_limit_is_refused(as_reader, query):
    assert outcome(as_reader.get(f"{CHANGES}?{query}")) == (400, "invalid_query")


def test_a_cursor_that_this_feed_has_not_returned_is_refused(as_admin, as_reader, make_article):
    make_article()
    cursor_of_admin, cursor_of_reader = (
        client.get(CHANGES).json["cursor"] for client in (as_admin, as_reader)
    )
    for client, cursor in (
        (as_reader, cursor_of_admin),
        (as_reader, f"{cursor_of_reader}999"),
        (as_admin, cursor_of_reader),
    ):
        response = client.get(f"{CHANGES}?since={cursor}")
        assert (response.status_code, response.json["code"]) == (400, "cursor_unknown")


@pytest.mark.parametrize("position", [2**31 - 1, 2**31, 10**16 - 1])
def test_a_cursor_with_a_very_large_position_is_refused(as_admin, as_reader, position):
    for client, letter in ((as_admin, "a"), (as_reader, "p")):
        refused = client.get(f"{CHANGES}?since=deadbeef-{letter}{position}")
        assert outcome(refused) == (400, "cursor_unknown")


@pytest.mark.parametrize("prefix", ["", "00000000-"])
def test_a_cursor_with_another_tag_is_refused(as_reader, make_article, prefix):
    make_article()
    cursor = as_reader.get(CHANGES).json["cursor"]
    assert as_reader.get(f"{CHANGES}?since={cursor}").status_code == 200
    refused = as_reader.get(f"{CHANGES}?since={prefix}{cursor.partition('-')[2]}")
    assert outcome(refused) == (400, "cursor_unknown")


def test_the_feed_omits_no_change_while_several_clients_write(app, people, make_client, make_category):
    category = str(make_category().uuid)
    key = people.key(people.admin, "write")
    created, seen = set(), set()

    def write():
        client = make_client(app, key)
        for _ in range(15):
            body = {"title": "x", "status": "published", "category": {"uuid": category}}
            # On a busy machine, the service can refuse a write until others have ended.
            while (response := client.post(ARTICLES, json=body)).status_code == 503:
                pass
            created.add(response.json["uuid"])

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    reader, cursor = make_client(app, people.key(None)), "0"
    while any(writer.is_alive() for writer in writers):
        response = reader.get(f"{CHANGES}?since={cursor}").json
        cursor = response["cursor"]
        seen |= {change["uuid"] for change in response["changes"]}
    for writer in writers:
        writer.join()
    seen |= {change["uuid"] for change in reader.get(f"{CHANGES}?since={cursor}").json["changes"]}
    assert len(created) == 60
    assert created <= seen
