"""`user reassign` moves everything that a user owns to another user."""

from __future__ import annotations

from weakref import WeakSet

import pytest
from sqlalchemy import event, select

from blogapi.accounts.users import service as users
from blogapi.content.articles.models import DeletedItem
from blogapi.content.articles.writing import reassignment
from blogapi.operations.doctor import derived_data_checks as doctor
from blogapi.operations.doctor.findings import Level
from blogapi.storage.database import db
from blogapi.web.access import Role
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import outcome

CHANGES = "/api/v1/blog/changes/"


@pytest.fixture
def run(app):
    """Return a function that runs a `user` command."""
    return lambda *words: app.test_cli_runner().invoke(args=["user", *words])


def read_byline(client, article):
    shown = client.get(f"{ARTICLES}{article.uuid}/?fields=authors").json["authors"]
    return [author["slug"] for author in shown]


def test_articles_bylines_categories_and_tags_are_moved(
    app, as_admin, run, people, make_article, make_tag, make_category
):
    tag, category = make_tag(), make_category()
    own = make_article(category=category, tags=(tag,))
    draft = make_article(category=category, status="draft")
    together = make_article(category=category, authors=[{"slug": "mel"}, {"slug": "ada"}, {"slug": "grace"}])
    other = make_article(category=category, author=people.other_admin)
    as_admin.patch(f"{ARTICLES}{other.uuid}/", json={"title": "Edited by Ada"})
    result = run("reassign", "ada", "grace")
    assert result.exit_code == 0
    assert result.stdout == (
        "Moved from ada to grace: articles: 3, bylines: 3, categories: 1, tags: 1, deleted items: 0; "
        "last editor of articles: 4.\n"
    )
    grace = str(people.other_admin.uuid)
    for article, byline in (
        (own, ["grace"]),
        (draft, ["grace"]),
        (together, ["mel", "grace"]),
        (other, ["grace"]),
    ):
        shown = as_admin.get(f"{ARTICLES}{article.uuid}/").json
        assert (shown["author"], read_byline(as_admin, article)) == (grace, byline)
    assert as_admin.get(f"{TAGS}{tag.uuid}/?fields=user").json == {"user": grace}
    assert as_admin.get(f"{CATEGORIES}{category.uuid}/?fields=user").json == {"user": grace}
    assert as_admin.get(f"{ARTICLES}?author=ada").json == []
    with app.app_context():
        assert all(finding.level is Level.OK for finding in doctor.run_checks())


def test_a_user_can_be_deleted_after_their_content_was_moved(run, as_admin, make_article, make_guest):
    article = make_article(authors=[{"uuid": str(make_guest("Jo").uuid)}])
    refused = run("delete", "ada", "--yes")
    assert (refused.exit_code, "`user reassign`" in refused.stderr) == (1, True)
    assert run("reassign", "ada", "grace").exit_code == 0
    assert read_byline(as_admin, article) == ["jo"]
    assert run("delete", "ada", "--yes").exit_code == 0


@pytest.mark.parametrize("in_byline", [False, True])
def test_edits_that_wait_can_be_published_if_the_byline_stays(
    run, as_admin, make_article, make_guest, in_byline
):
    guest = make_guest("Jo")
    article = make_article(**({} if in_byline else {"authors": [{"uuid": str(guest.uuid)}]}))
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(f"{path}working-copy/", json={"title": "Edited"})
    assert run("reassign", "ada", "grace").exit_code == 0
    published = as_admin.post(f"{path}working-copy/publish/")
    if in_byline:
        assert outcome(published) == (409, "article_changed")
    else:
        assert (published.json["title"], read_byline(as_admin, article)) == ("Edited", ["jo"])


def test_deleted_items_are_moved(run, app, as_admin, make_article):
    article = make_article(status="draft")
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    with app.app_context():
        for name in ("eve", "mia"):
            users.create_user(name, None, role=Role.AUTHOR)
    assert "deleted items: 1" in run("reassign", "ada", "mia").stdout
    assert "deleted items: 1" in run("reassign", "mia", "eve").stdout
    assert run("delete", "mia", "--yes").exit_code == 0
    assert as_admin.post(f"{ARTICLES}{article.uuid}/restore/").json["notes"] == []
    assert "articles: 1" in run("reassign", "eve", "grace").stdout


@pytest.mark.parametrize(
    ("owner", "byline", "status"),
    [
        ("admin", ["ada"], 412),
        ("admin", ["mel"], 412),
        ("other_admin", ["ada"], 412),
        ("other_admin", ["grace", "mel", "ada"], 412),
        ("other_admin", ["mel"], 200),
    ],
)
def test_moved_articles_have_new_etags_and_keep_their_times(
    as_admin, run, people, make_article, make_category, owner, byline, status
):
    authors = [{"slug": slug} for slug in byline]
    article = make_article(category=make_category(), author=getattr(people, owner), authors=authors)
    path = f"{ARTICLES}{article.uuid}/"
    times = "?fields=created,last_updated,category"
    etag, before = as_admin.get(path).headers["ETag"], as_admin.get(path + times).json
    assert run("reassign", "ada", "grace").exit_code == 0
    after = as_admin.get(path + times).json
    assert after["category"].pop("user") != before["category"].pop("user")
    assert after == before
    assert as_admin.patch(path, json={"title": "T"}, headers={"If-Match": etag}).status_code == status


def test_the_feed_of_changes_lists_what_has_moved(as_reader, run, make_article, make_tag):
    make_article(tags=(make_tag(),))
    cursor = as_reader.get(CHANGES).json["cursor"]
    run("reassign", "ada", "grace")
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert sorted((change["kind"], change["action"]) for change in changes) == [
        *(
            ("article", "fetch"),
            ("author", "drop"),
            ("author", "fetch"),
            ("category", "fetch"),
            ("tag", "fetch"),
        )
    ]
    assert [author["slug"] for author in as_reader.get(AUTHORS).json] == ["grace"]


def test_the_content_of_a_user_without_a_profile_is_moved(as_admin, run, make_article, people):
    article = make_article()
    ada = as_admin.get(f"{AUTHORS}?fields=uuid").json[0]["uuid"]
    as_admin.patch(f"{AUTHORS}{ada}/", json={"user": None})
    assert "articles: 1" in run("reassign", "ada", "mel").stdout
    assert as_admin.get(f"{ARTICLES}{article.uuid}/").json["author"] == str(people.member.uuid)
    assert read_byline(as_admin, article) == ["ada"]


def test_several_batches_are_moved(app, as_admin, make_article, monkeypatch):
    monkeypatch.setattr(reassignment, "_BATCH_SIZE", 2)
    articles = [make_article() for _ in range(5)]
    with app.app_context():
        assert reassignment.move_user_content("ada", "grace").articles == 5
    assert {tuple(read_byline(as_admin, article)) for article in articles} == {("grace",)}


def test_deleted_items_are_moved_in_batches(app, as_admin, people, make_article, monkeypatch):
    monkeypatch.setattr(reassignment, "_BATCH_SIZE", 2)
    uuids, in_memory, numbers = [make_article().uuid for _ in range(7)], WeakSet(), []
    as_admin.delete(ARTICLES + "?" + "&".join(f"uuid={uuid}" for uuid in uuids))

    def count_rows(row, _):
        in_memory.add(row)
        numbers.append(len(in_memory))

    with app.app_context():
        event.listen(DeletedItem, "load", count_rows)
        try:
            assert reassignment.move_user_content("ada", "grace").deleted == 7
        finally:
            event.remove(DeletedItem, "load", count_rows)
        grace = people.other_admin.uuid
        for row in db.session.scalars(select(DeletedItem)):
            assert row.author_id == grace and f'"author_id": "{grace}"' in row.document
    assert len(numbers) == 7 and max(numbers) <= 3


@pytest.mark.parametrize(
    ("words", "message"),
    [(("ada", "Ada"), "same user"), (("ada", "nobody"), "'nobody'"), (("nobody", "ada"), "'nobody'")],
)
def test_a_wrong_name_is_refused(run, people, make_article, as_admin, words, message):
    article = make_article()
    result = run("reassign", *words)
    assert (result.exit_code, message in result.stderr) == (1, True)
    assert read_byline(as_admin, article) == ["ada"]


def test_a_failure_moves_nothing(app, as_admin, make_article, monkeypatch):
    article = make_article()

    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr(reassignment, "_move_terms", fail)
    with app.app_context(), pytest.raises(RuntimeError):
        reassignment.move_user_content("ada", "grace")
    assert read_byline(as_admin, article) == ["ada"]
    with app.app_context():
        users.delete_user_by_name("mel")
