"""The times in the search entries, which each write keeps up, and the order of searches by these times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.content.search.models import SearchEntry
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.content.search.conftest import OWN, day

LATER = "2999-01-01T00:00:00Z"
TIMES = {
    "published": ({}, day(1)),
    "scheduled": ({"published_at": LATER}, LATER),
    "unlisted": ({"status": "unlisted", "published_at": day(1)}, None),
    "draft": ({"status": "draft", "published_at": day(1)}, None),
    "archived": ({"status": "archived", "published_at": day(1)}, None),
}


@pytest.fixture
def read_times(app):
    """Returns the time in the search entry of each article, by title."""

    def read():
        with app.app_context():
            entries = select(Article.title, SearchEntry.listed_from).join_from(SearchEntry, Article)
            found = {title: time and format_time(time) for title, time in db.session.execute(entries)}
            db.session.rollback()
        return found

    return read


def format_time(time):
    return time.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("state", TIMES)
def test_a_new_article_has_the_time_from_which_it_is_in_the_lists(make_article, read_times, state):
    fields, time = TIMES[state]
    make_article(title="Bread", **fields)
    assert read_times() == {"Bread": time}


@pytest.mark.parametrize("with_text", [False, True])
def test_a_change_of_the_status_or_the_time_changes_the_entry(
    as_admin, make_article, read_times, find, with_text
):
    path = f"{ARTICLES}{make_article(title='Bread').uuid}/"
    text = {"content": "other"} if with_text else {}
    for change, time in (
        ({"status": "draft"}, None),
        ({"status": "published"}, day(1)),
        ({"published_at": day(2)}, day(2)),
        ({"published_at": LATER}, LATER),
        ({"status": "draft"}, None),
        ({"status": "unlisted", "published_at": day(3)}, None),
        ({"status": "published"}, day(3)),
        ({"status": "archived"}, None),
    ):
        assert as_admin.patch(path, json=change | text).status_code == 200, change
        assert read_times() == {"Bread": time}, change
        assert find("bread") == (["Bread"] if time and time != LATER else []), change


def test_pages_are_in_no_list_of_articles(as_admin, read_times):
    body = {"title": "Imprint", "status": "published", "published_at": day(1)}
    assert as_admin.post("/api/v1/blog/pages/", json=body).status_code == 201
    assert read_times() == {"Imprint": None}


def test_a_deleted_article_has_no_entry_until_it_is_restored(as_admin, make_article, read_times, find):
    path = f"{ARTICLES}{make_article(title='Bread').uuid}/"
    make_article(title="Other", published_at=day(2))
    assert as_admin.delete(path).status_code == 204
    assert read_times() == {"Other": day(2)} and find("bread") == []
    assert as_admin.post(f"{path}restore/").status_code == 200
    assert read_times() == {"Other": day(2), "Bread": day(1)} and find("bread") == ["Bread"]


def test_a_bulk_write_changes_the_entry_of_each_article(as_admin, make_article, read_times):
    uuids = [str(make_article(title=title).uuid) for title in ("One", "Two", "Three")]
    changes = ({"status": "draft"}, {"published_at": day(5)}, {"subtitle": "rye"})
    bodies = [{"uuid": uuid, **change} for uuid, change in zip(uuids, changes, strict=True)]
    assert as_admin.patch(ARTICLES, json=bodies).status_code == 200
    assert read_times() == {"One": None, "Two": day(5), "Three": day(1)}
    bodies = [
        {
            "uuid": uuid,
            "title": title,
            "category": {"slug": "shelf"},
            "status": "published",
            "published_at": at,
        }
        for uuid, title, at in zip(uuids, ("One", "Two", "Three"), (day(7), LATER, day(9)), strict=True)
    ]
    assert as_admin.put(ARTICLES, json=bodies).status_code == 200
    assert read_times() == {"One": day(7), "Two": LATER, "Three": day(9)}


def test_an_import_stores_the_time_of_each_article(app, people, tmp_path, read_times):
    post = "---\ntitle: {}\ndate: {}\ndraft: {}\n---\nRye.\n"
    for title, date, is_draft in (
        ("One", day(1), "false"),
        ("Two", day(2), "true"),
        ("Three", day(3), "false"),
    ):
        (tmp_path / f"{title}.md").write_text(post.format(title, date, is_draft), encoding="utf-8")
    run = ["import", str(tmp_path), "--author", people.admin.username]
    assert app.test_cli_runner().invoke(args=run).exit_code == 0
    assert read_times() == {"One": day(1), "Two": None, "Three": day(3)}
    (tmp_path / "One.md").write_text(post.format("One", day(9), "false"), encoding="utf-8")
    assert app.test_cli_runner().invoke(args=run).exit_code == 0
    assert read_times() == {"One": day(9), "Two": None, "Three": day(3)}


def test_a_working_copy_changes_the_entry_when_it_is_published(as_admin, make_article, read_times, find):
    path = f"{ARTICLES}{make_article(title='Bread').uuid}/"
    copy = {"title": "Rolls", "content": "oat"}
    assert as_admin.put(f"{path}working-copy/", json=copy).status_code == 201
    assert read_times() == {"Bread": day(1)} and find("rolls") == []
    assert as_admin.post(f"{path}working-copy/publish/", json={"published_at": day(4)}).status_code == 200
    assert read_times() == {"Rolls": day(4)} and find("oat") == ["Rolls"]


def test_within_a_tier_the_newest_comes_first_and_equal_times_are_ordered_by_uuid(
    find, as_admin, make_article
):
    for number in range(8):
        make_article(title=f"Bread {number}", published_at=day(number // 4 + 1))
    listed = [one["title"] for one in as_admin.get(f"{ARTICLES}?fields=title").json]
    # The list has the same order.
    assert find("bread") == listed
    assert [title for page in (1, 2, 3) for title in find("bread", page=page, page_size=3)] == listed
    assert find("bread", published_after=day(2)) == listed[:4]
    assert find("bread", published_before=day(2)) == listed[4:]


def test_in_the_list_of_all_own_articles_those_in_no_list_come_last(find, as_admin, make_article):
    for title, (fields, _) in TIMES.items():
        make_article(title=f"{title} bread", **fields)
    found = find("bread", as_admin, OWN)
    assert found[:2] == ["scheduled bread", "published bread"]
    last = {one["title"]: one["uuid"] for one in as_admin.get(f"{OWN}?q=bread&fields=title,uuid").json[2:]}
    assert found[2:] == sorted(last, key=last.__getitem__) and len(last) == 3
    assert [
        title for page in range(1, 6) for title in find("bread", as_admin, OWN, page=page, page_size=1)
    ] == found


@pytest.mark.parametrize("time", [datetime(1, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)])
def test_the_earliest_and_the_latest_time_are_found_in_their_period(find, make_article, set_clock, time):
    make_article(title="Bread", published_at=time.isoformat())
    set_clock(time)
    assert find("bread") == find("bread", published_after=format_time(time)) == ["Bread"]
    assert find("bread", published_before=format_time(time)) == []
