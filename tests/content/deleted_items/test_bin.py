"""The bin: deleted articles and pages are listed, read, and deleted for good."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import click
import pytest

from blogapi.accounts.users import service as users
from blogapi.content.revisions import commands
from blogapi.web.access import Role
from tests.content.media.rows import add_media

BLOG = "/api/v1/blog/"
ARTICLES = "/api/v1/blog/articles/"
PAGES = "/api/v1/blog/pages/"
BIN = "/api/v1/blog/deleted/"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def bin_item(as_admin):
    """Creates and deletes an article or page, and returns its uuid."""

    def bin_item(kind=ARTICLES, client=as_admin, edits=None, **fields):
        answer = client.post(kind, json={"title": "Rye", "content": "<p>Words</p>", **fields})
        assert answer.status_code == 201, answer.json
        path = f"{kind}{answer.json['uuid']}/"
        if edits:
            assert client.put(f"{path}working-copy/", json=edits).status_code == 201
        assert as_admin.delete(path).status_code == 204
        return answer.json["uuid"]

    return bin_item


def read_list(client, query=""):
    """Return the deleted items that the client gets."""
    answer = client.get(f"{BIN}{query}")
    assert answer.status_code == 200, answer.json
    return answer.json


def list_titles(client, query=""):
    """Return the titles in the list."""
    return [item["title"] for item in read_list(client, query)]


@pytest.fixture
def prune(app):
    """Runs `revisions prune`, and returns its output."""

    def prune(*arguments, **options):
        result = app.test_cli_runner().invoke(args=["revisions", "prune", *arguments], **options)
        assert result.exit_code == 0, result.output
        return result.output

    return prune


@pytest.mark.parametrize("deletes", ["category", "author"])
def test_an_item_whose_category_or_author_was_deleted_is_shown_and_deleted(as_admin, bin_item, deletes):
    category = as_admin.post(f"{BLOG}categories/", json={"name": "Kitchen"}).json
    guest = as_admin.post(f"{BLOG}authors/", json={"name": "Jo"}).json
    uuid = bin_item(category=category["uuid"], authors=[{"uuid": guest["uuid"]}])
    gone = f"categories/{category['uuid']}/" if deletes == "category" else f"authors/{guest['uuid']}/"
    assert as_admin.delete(f"{BLOG}{gone}").status_code == 204
    shown = as_admin.get(f"{BIN}{uuid}/")
    assert (shown.status_code, shown.json["title"]) == (200, "Rye")
    expected = None if deletes == "category" else category["uuid"]
    assert (shown.json["text"]["category"] or {}).get("uuid") == expected
    deleted = as_admin.delete(f"{BIN}{uuid}/", headers={"If-Match": shown.headers["ETag"]})
    assert deleted.status_code == 204
    assert as_admin.get(f"{BIN}{uuid}/").status_code == 404


def test_the_list_says_what_a_page_needs(as_admin, bin_item, set_clock):
    set_clock(NOON)
    fields = {"language": "de", "cover_image": "https://x.test/c.png", "status": "published"}
    uuid = bin_item(**fields)
    set_clock(NOON + DAY)
    page = bin_item(PAGES, title="About", edits={"title": "Edits"})
    second, first = read_list(as_admin)
    assert first == {
        **{"uuid": uuid, "kind": "article", "title": "Rye", **fields, "edits": None},
        **{"deleted": "2030-01-01T12:00:00.000000+00:00", "deleted_by": "ada"},
        "goes": "2030-01-31T12:00:00.000000+00:00",
    }
    assert (second["uuid"], second["kind"], second["status"]) == (page, "page", "draft")
    assert second["edits"] == second["deleted"] == "2030-01-02T12:00:00.000000+00:00"
    paged = as_admin.get(f"{BIN}?page=2&page_size=1")
    assert ([item["uuid"] for item in paged.json], paged.headers["X-Total-Count"]) == ([uuid], "2")
    assert read_list(as_admin, "?fields=title&kind=page") == [{"title": "About"}]


@pytest.mark.parametrize(
    ("query", "found"), [("abel", 1), ("ÁBEL Ö", 1), ("öl", 1), ("kin", 0), ("%", 0), ("_", 0), ("", 1)]
)
def test_titles_are_searched_as_elsewhere(as_admin, bin_item, query, found):
    bin_item(title="Ábel, Öl")
    assert len(read_list(as_admin, f"?q={query.replace('%', '%25')}")) == found


@pytest.mark.parametrize("query", ["kind=tag", "q=" + 201 * "a", "page=0", "uuid=1", "status=draft"])
def test_bad_queries_are_refused(as_admin, query):
    assert as_admin.get(f"{BIN}?{query}").status_code == 400


def test_the_status_is_the_one_after_the_restoration(as_admin, bin_item, set_clock):
    set_clock(NOON)
    for days, title in ((1, "early"), (3, "late"), (-1, "live")):
        bin_item(title=title, status="published", published_at=(NOON + days * DAY).isoformat())
    bin_item(title="away", status="archived")
    set_clock(NOON + 2 * DAY)
    items = read_list(as_admin)
    said = {item["title"]: item["status"] for item in items}
    assert said == {"early": "draft", "late": "scheduled", "live": "published", "away": "archived"}
    for item in items:
        assert as_admin.get(f"{BIN}{item['uuid']}/").json["status"] == item["status"]
        restored = as_admin.post(f"{ARTICLES}{item['uuid']}/restore/").json
        assert restored["status"] == item["status"]


def test_deleted_by_is_the_name_of_the_user(app, as_admin, as_login, people, make_client, bin_item):
    with app.app_context():
        zoe = users.create_user("zoe", None, role=Role.EDITOR)
    as_zoe = make_client(app, people.key(zoe, "write"))
    path = f"{ARTICLES}{as_admin.post(ARTICLES, json={'title': 'Rye'}).json['uuid']}/"
    (profile,) = [one for one in as_admin.get("/api/v1/blog/authors/").json if one["slug"] == "zoe"]
    as_admin.patch(f"/api/v1/blog/authors/{profile['uuid']}/", json={"name": "Zoe Zhou"})
    assert as_zoe.delete(path).status_code == 204
    assert [item["deleted_by"] for item in read_list(as_admin)] == ["Zoe Zhou"]
    assert as_login.delete(f"/api/v1/users/{zoe.uuid}/").status_code == 204
    assert [item["deleted_by"] for item in read_list(as_admin)] == [""]


def test_the_list_reads_no_document(as_admin, bin_item, record_statements):
    bin_item()
    with record_statements() as executed:
        assert len(read_list(as_admin, "?q=rye&kind=article")) == 1
    assert not [statement for statement in executed if "document" in statement]


# Who may


def test_each_caller_lists_what_they_may_restore(as_author, as_editor, as_admin, as_role, people, bin_item):
    publisher = as_role(Role.AUTHOR, can_publish=True)
    uuids = [
        *(bin_item(client=client, status="draft") for client in (as_author, publisher, as_admin)),
        bin_item(client=publisher, status="published"),
        *(bin_item(client=as_editor, kind=PAGES, status=status) for status in ("draft", "published")),
    ]
    own = as_author.post(ARTICLES, json={"title": "Later"}).json["uuid"]
    as_admin.patch(f"{ARTICLES}{own}/", json={"status": "published", "published_at": "2999-01-01T00:00:00Z"})
    as_admin.delete(f"{ARTICLES}{own}/")
    uuids.append(own)
    listed = [(client, {item["uuid"] for item in read_list(client)}) for client in (as_author, publisher)]
    assert [len(found) for _, found in listed] == [1, 2]
    for client, found in (*listed, (as_editor, set(uuids)), (as_admin, set(uuids))):
        assert {item["uuid"] for item in read_list(client)} == found
        for uuid in uuids:
            path = f"{BIN}{uuid}/"
            expected = 200 if uuid in found else 403 if uuid == own and client is as_author else 404
            assert client.get(path).status_code == expected
            if uuid not in found:
                answer = client.delete(path)
                assert answer.status_code == expected
                # Nothing distinguishes an item of another user from one that never existed.
                if expected == 404:
                    other = client.delete(f"{BIN}{uuid4()}/")
                    assert (answer.status_code, answer.json) == (other.status_code, other.json)
    refused = as_author.delete(f"{BIN}?uuid={uuids[0]}&uuid={uuids[1]}")
    assert (refused.status_code, list(refused.json["errors"])) == (404, ["1"])
    assert {item["uuid"] for item in read_list(as_admin)} == set(uuids)
    for client, found in listed:
        for uuid in found:
            assert client.delete(f"{BIN}{uuid}/").status_code == 204


def test_an_author_who_was_an_editor_sees_no_pages(as_editor, as_login, bin_item):
    uuid, article = bin_item(PAGES, client=as_editor), bin_item(client=as_editor)
    (account,) = [one for one in as_login.get("/api/v1/users/").json if one["username"] == "editor"]
    as_login.patch(f"/api/v1/users/{account['uuid']}/", json={"role": "author"})
    assert [item["uuid"] for item in read_list(as_editor)] == [article]
    assert as_editor.get(f"{BIN}{uuid}/").status_code == 404
    assert as_editor.delete(f"{BIN}{uuid}/").status_code == 404


def test_a_key_that_may_not_delete_reads_no_bin(as_role, as_reading_admin, bin_item):
    uuid = bin_item()
    for client in (as_role(Role.EDITOR, "published"), as_role(Role.AUTHOR, "read"), as_reading_admin):
        for method, path in (("GET", BIN), ("GET", f"{BIN}{uuid}/"), ("DELETE", f"{BIN}{uuid}/")):
            assert client.open(path, method=method).status_code == 403


# One item


@pytest.mark.parametrize("kind", [ARTICLES, PAGES])
def test_an_item_is_read_with_the_html_of_the_text_and_of_the_edits(as_admin, bin_item, make_tag, kind):
    kept, gone = make_tag(), make_tag()
    uuid = bin_item(
        kind,
        content="A *word*<script>alert(1)</script>",
        content_type="markdown",
        tags=[str(gone.uuid), str(kept.uuid)],
        edits={"title": "Edits", "content": "Other", "content_type": "text", "tags": []},
    )
    as_admin.delete(f"/api/v1/blog/tags/{gone.uuid}/")
    answer = as_admin.get(f"{BIN}{uuid}/")
    assert (answer.status_code, answer.json["title"], answer.json["kind"]) == (
        *(200, "Rye"),
        kind.split("/")[-2][:-1],
    )
    text, edited = answer.json["text"], answer.json["edited_text"]
    assert text["content"] == "A *word*<script>alert(1)</script>" and text["slug"] == "rye"
    assert "<em>word</em>" in text["html"] and "script" not in text["html"]
    assert [tag["uuid"] for tag in text["tags"]] == [str(kept.uuid)]
    assert (text["category"] is None) == (kind == PAGES)
    assert (edited["title"], edited["html"], edited["tags"]) == ("Edits", "<p>Other</p>\n", [])
    assert read_list(as_admin)[0].items() <= answer.json.items()


def test_an_item_without_edits_and_one_that_exists(as_admin, bin_item):
    uuid = bin_item()
    assert as_admin.get(f"{BIN}{uuid}/").json["edited_text"] is None
    as_admin.post(f"{ARTICLES}{uuid}/restore/")
    for other in (uuid, uuid4()):
        assert as_admin.get(f"{BIN}{other}/").json["code"] == "not_found"
        assert as_admin.delete(f"{BIN}{other}/").json["code"] == "not_found"
    assert as_admin.get(f"{ARTICLES}{uuid}/").status_code == 200


# For good


def test_nothing_is_left_of_what_is_deleted_for_good(app, as_admin, as_reader, bin_item):
    as_admin.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    former, current = add_media(app), add_media(app)
    body = {"title": "Rye", "slug": "rye", "content": f'<img src="media:{former}">', "status": "published"}
    uuid = as_admin.post(ARTICLES, json=body).json["uuid"]
    path = f"{ARTICLES}{uuid}/"
    as_admin.patch(path, json={"slug": "barley", "content": f'<img src="media:{current}">'})
    as_admin.post(f"{path}revisions/", json={"name": "Kept"})
    preview = as_admin.post(f"{path}preview/").json["api_url"]
    as_admin.delete(path)
    bystander = bin_item()
    as_admin.post(f"{ARTICLES}{bystander}/restore/")
    as_admin.patch(f"{ARTICLES}{bystander}/", json={"title": "Second"})
    tag = as_admin.get(f"{BIN}{uuid}/").headers["ETag"]
    assert as_admin.delete(f"{BIN}{uuid}/", headers={"If-Match": '"other"'}).status_code == 412
    assert as_admin.delete(f"{BIN}{uuid}/", headers={"If-Match": tag}).status_code == 204
    assert read_list(as_admin) == []
    for method, address in (
        *(("GET", path), ("GET", f"{path}revisions/"), ("GET", f"{path}revisions/1/"), ("GET", preview)),
        *(("POST", f"{path}restore/"), ("POST", f"{path}revisions/1/restore/"), ("GET", f"{ARTICLES}rye/")),
    ):
        answer = as_admin.open(address, method=method)
        assert (answer.status_code, answer.json["code"]) == (404, "not_found"), address
    for file in (former, current):
        assert as_admin.get(f"/api/v1/blog/media/{file}/uses/").json == []
        assert as_admin.get(f"/api/v1/blog/media/{file}/").status_code == 200
    unused = as_admin.get("/api/v1/blog/media/?unused=true&fields=uuid").json
    assert {one["uuid"] for one in unused} == {str(former), str(current)}
    assert len(as_admin.get(f"{ARTICLES}{bystander}/revisions/").json) == 2
    assert as_admin.put(path, json={"title": "New"}).status_code == 201
    assert as_admin.get(f"{path}revisions/").json == []


def test_several_items_are_deleted_for_good_all_or_none(as_admin, bin_item):
    uuids = [bin_item(), bin_item(PAGES)]
    for others, status in (
        ([str(uuid4())], 404),
        ([uuids[0]], 422),
        (["x"], 400),
        ([str(uuid4())] * 100, 400),
    ):
        query = "&".join(f"uuid={uuid}" for uuid in (*uuids, *others))
        assert as_admin.delete(f"{BIN}?{query}").status_code == status
    assert as_admin.delete(BIN).status_code == 400
    assert len(read_list(as_admin)) == 2
    assert as_admin.delete(f"{BIN}?uuid={uuids[0]}&uuid={uuids[1]}").status_code == 204
    assert read_list(as_admin) == []


def test_without_bin_days_the_list_is_empty(app, as_admin, bin_item):
    bin_item()
    app.config["BIN_DAYS"] = 0
    bin_item()
    assert read_list(as_admin) == read_list(as_admin, "?page=1") == []


@pytest.mark.parametrize("kind", [ARTICLES, PAGES])
@pytest.mark.parametrize("bin_days", [30, 0])
def test_an_item_that_has_left_the_bin_is_gone_before_its_row_is_deleted(
    app, as_admin, bin_item, set_clock, kind, bin_days
):
    set_clock(NOON)
    uuid = bin_item(kind)
    assert as_admin.get(f"{kind}{uuid}/").json["code"] == "deleted"
    app.config["BIN_DAYS"] = bin_days
    set_clock(NOON + (bin_days + 1) * DAY)
    for method, path in (
        *(("GET", f"{BIN}{uuid}/"), ("DELETE", f"{BIN}{uuid}/"), ("DELETE", f"{BIN}?uuid={uuid}")),
        *(("POST", f"{kind}{uuid}/restore/"), ("GET", f"{kind}{uuid}/"), ("DELETE", f"{kind}{uuid}/")),
    ):
        answer = as_admin.open(path, method=method)
        assert (answer.status_code, answer.json["code"]) == (404, "not_found"), path
    assert as_admin.post(f"{kind}restore/", json={"uuids": [uuid]}).status_code == 404
    assert [one["title"] for one in as_admin.get(f"{kind}{uuid}/revisions/").json] == ["Rye"]


def test_an_item_that_an_import_creates_again_keeps_its_versions(app, as_admin, tmp_path):
    uuid = as_admin.post(ARTICLES, json={"title": "Rye", "content": "<p>Words</p>"}).json["uuid"]
    path = f"{ARTICLES}{uuid}/"
    runner = app.test_cli_runner()
    exported = runner.invoke(args=["export", "--drafts", str(tmp_path / "out")])
    assert exported.exit_code == 0, exported.output
    as_admin.patch(path, json={"title": "Second"})
    as_admin.put(f"{path}working-copy/", json={"title": "Edits"})
    as_admin.delete(path)
    imported = runner.invoke(args=["import", str(tmp_path / "out"), "--author", "ada"])
    assert imported.exit_code == 0, imported.output
    assert as_admin.get(path).json["title"] == "Rye"
    assert read_list(as_admin) == []
    assert [one["title"] for one in as_admin.get(f"{path}revisions/").json] == ["Edits", "Second", "Rye"]


# revisions prune --deleted


@pytest.fixture
def histories(app, as_admin, bin_item):
    """The uuids of an article that exists, of one in the bin, and of one that has left the bin."""
    file = add_media(app)
    uuids = []
    for title in ("exists", "bin", "gone"):
        body = {"title": title, "content": f'<img src="media:{file}">'}
        uuids.append(as_admin.post(ARTICLES, json=body).json["uuid"])
        path = f"{ARTICLES}{uuids[-1]}/"
        as_admin.patch(path, json={"content": "None"})
        as_admin.patch(path, json={"content": "Second"})
        assert as_admin.patch(f"{path}revisions/1/", json={"name": "Named"}).status_code == 200
    app.config["BIN_DAYS"] = 0
    as_admin.delete(path)
    app.config["BIN_DAYS"] = 30
    as_admin.delete(f"{ARTICLES}{uuids[1]}/")
    return uuids


def list_versions(client, uuids):
    """Return the number of former versions of each item; None if it has no history."""
    answers = [client.get(f"{ARTICLES}{uuid}/revisions/") for uuid in uuids]
    return [len(answer.json) if answer.status_code == 200 else None for answer in answers]


def test_prune_deletes_the_histories_of_what_has_left_the_bin(as_admin, prune, histories):
    before = list_versions(as_admin, histories)
    assert before[2] == 3
    assert prune("--deleted") == "Deleted the versions of 1 deleted articles and pages.\n"
    assert list_versions(as_admin, histories) == [*before[:2], None]
    assert prune("--deleted") == "Deleted the versions of 0 deleted articles and pages.\n"
    assert as_admin.post(f"{ARTICLES}{histories[1]}/restore/").status_code == 200
    (file,) = as_admin.get("/api/v1/blog/media/?fields=uuid").json
    uses = as_admin.get(f"/api/v1/blog/media/{file['uuid']}/uses/").json
    assert {use["uuid"] for use in uses} == set(histories[:2])


def test_prune_can_do_both_and_asks_for_one(app, as_admin, prune, histories):
    output = prune("--deleted", "--keep", "1")
    assert "Deleted the versions of 1 deleted" in output and "Deleted 1 former versions" in output
    assert list_versions(as_admin, histories)[2] is None
    result = app.test_cli_runner().invoke(args=["revisions", "prune"])
    assert (result.exit_code, "Pass --keep, --deleted or both." in result.output) == (2, True)


def test_prune_asks_on_a_terminal(app, as_admin, prune, histories, monkeypatch):
    monkeypatch.setattr(commands, "is_stdin_terminal", lambda: True)
    refused = app.test_cli_runner().invoke(args=["revisions", "prune", "--deleted"], input="n\n")
    assert refused.exit_code == 1 and "1 deleted articles and pages" in refused.output
    assert list_versions(as_admin, histories)[2] == 3
    monkeypatch.setattr(click, "confirm", None)
    prune("--deleted", "--yes")
    assert list_versions(as_admin, histories)[2] is None
