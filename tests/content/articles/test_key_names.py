"""Articles, versions and working copies say with which key they were written, to those who may edit them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES, KEYS

BLOG = "/api/v1/blog/"
NAME = "Writing assistant"


@pytest.fixture
def make_key_client(app, make_client):
    """Return a function that returns a client with a new key of another client's user."""

    def make(client, name=NAME, scope="write"):
        made = client.post(KEYS, json={"name": name, "scopes": [scope]})
        return make_client(app, made.json["public_state"])

    return make


@pytest.fixture(params=["articles", "pages"])
def path(request, as_login):
    """The path of a published article or page that Ada wrote with a login."""
    made = as_login.post(f"{BLOG}{request.param}/", json={"title": "One", "status": "published"})
    return made.headers["Location"]


def key_name(client, path):
    return client.get(f"{path}?fields=key_name").json["key_name"]


def versions(client, path):
    """Return the title and the key of each former version, the oldest first."""
    rows = client.get(f"{path}revisions/").json
    assert all(
        client.get(f"{path}revisions/{row['number']}/").json["key_name"] == row["key_name"] for row in rows
    )
    return [(row["title"], row["key_name"]) for row in reversed(rows)]


def test_an_article_and_its_versions_name_the_keys(as_login, make_key_client, path):
    assistant = make_key_client(as_login)
    assert key_name(as_login, path) == ""
    assistant.patch(path, json={"title": "Two"})
    assert key_name(as_login, path) == NAME
    as_login.patch(path, json={"title": "Three"})
    assert key_name(as_login, path) == ""
    assert versions(as_login, path) == [("One", ""), ("Two", NAME)]
    # A deletion and a restoration keep the names, and a write that changes nothing, too.
    assistant.patch(path, json={"title": "Four"})
    as_login.patch(path, json={"title": "Four"})
    as_login.delete(path)
    as_login.post(f"{path}restore/")
    assert key_name(as_login, path) == NAME
    assert versions(as_login, path)[:3] == [("One", ""), ("Two", NAME), ("Three", "")]


def test_a_new_article_names_the_key(as_login, make_key_client):
    assistant = make_key_client(as_login)
    made = assistant.post(ARTICLES, json={"title": "One"}).headers["Location"]
    assert key_name(as_login, made) == NAME
    new = f"{ARTICLES}3f1c8a52-6f0e-4f2b-8f8a-2f5f3f1c8a52/"
    assistant.put(new, json={"title": "Two"})
    assert key_name(as_login, new) == NAME
    as_login.put(ARTICLES, json=[{"uuid": made.split("/")[-2], "title": "Three"}])
    assert key_name(as_login, made) == ""


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_working_copy_names_the_key_of_the_last_save(as_login, make_key_client, path, method):
    copy = f"{path}working-copy/"
    saved = make_key_client(as_login).open(copy, method=method, json={"title": "Two"})
    assert (saved.json["key_name"], as_login.get(copy).json["key_name"]) == (NAME, NAME)
    assert as_login.get(f"{path}?fields=working_copy").json["working_copy"]["key_name"] == NAME
    # What a GET returns is a valid body.
    assert as_login.open(copy, method=method, json=saved.json).status_code == 200
    assert as_login.get(copy).json["key_name"] == NAME
    as_login.post(f"{path}revisions/", json={"name": "His"})
    as_login.open(copy, method=method, json={"title": "Three"})
    assert as_login.get(copy).json["key_name"] == ""
    as_login.post(f"{path}revisions/", json={"name": "Mine"})
    assert versions(as_login, path) == [("Two", NAME), ("Three", "")]


def test_the_history_names_the_key_of_edits_that_were_discarded(as_login, make_key_client, path):
    make_key_client(as_login).put(f"{path}working-copy/", json={"title": "Two"})
    as_login.delete(f"{path}working-copy/")
    assert versions(as_login, path) == [("Two", NAME)]


def test_saves_with_another_key_begin_a_new_version(as_admin, make_key_client, set_clock):
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    assistant = make_key_client(as_admin)
    due = {"status": "scheduled", "published_at": "2031-01-01T00:00:00Z"}
    path = as_admin.post(ARTICLES, json={"title": "One", **due}).headers["Location"]
    for number, (client, title) in enumerate(
        [(as_admin, "a"), (as_admin, "b"), (assistant, "c"), (assistant, "d"), (as_admin, "e")]
    ):
        set_clock(datetime(2030, 1, 1, tzinfo=UTC) + timedelta(minutes=number))
        assert client.patch(f"{path}working-copy/", json={"title": title}).json["not_live"] == []
    assert versions(as_admin, path) == [("One", ""), ("b", ""), ("d", NAME)]


def test_only_those_who_may_edit_see_the_name(
    as_login, as_reader, as_published_admin, as_member, as_author, as_stranger, make_key_client, path
):
    make_key_client(as_login).patch(path, json={"title": "Two"})
    for client in (as_reader, as_published_admin, as_member, as_author):
        assert key_name(client, path) is None
        listed = client.get(f"{path.rsplit('/', 2)[0]}/?fields=*,key_name,editor")
        assert NAME not in listed.get_data(as_text=True) and listed.status_code == 200
    link = as_login.post(f"{path}preview/").json["api_url"]
    assert as_stranger.get(f"{link}?fields=key_name").json == {"key_name": None}
    for feed in ("/feeds/rss.xml", "/feeds/feed.json"):
        assert NAME not in as_stranger.get(feed).get_data(as_text=True)


def test_an_author_sees_the_name_at_own_articles(as_author, make_key_client):
    assistant = make_key_client(as_author, scope="drafts")
    path = as_author.post(ARTICLES, json={"title": "One"}).headers["Location"]
    assistant.patch(path, json={"title": "Two"})
    assert key_name(as_author, path) == NAME


def test_the_name_is_read_only(as_login, path):
    refused = as_login.patch(path, json={"key_name": "Somebody"})
    assert (refused.status_code, list(refused.json["errors"])) == (422, ["key_name"])
    assert (
        as_login.put(path, json={"title": "One", "status": "published", "key_name": "Somebody"}).status_code
        == 200
    )
    assert key_name(as_login, path) == ""


def test_no_export_has_the_name(app, as_login, make_key_client, path, tmp_path):
    assistant = make_key_client(as_login)
    assistant.patch(path, json={"title": "Two"})
    assistant.put(f"{path}working-copy/", json={"title": "Three"})
    result = app.test_cli_runner().invoke(args=["export", str(tmp_path / "out"), "--drafts"])
    assert result.exit_code == 0, result.output
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if NAME.encode() in file.read_bytes()]
