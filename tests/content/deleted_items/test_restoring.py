"""Deleted articles and pages come back as they were, or with notes about what differs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from blogapi.accounts.users import service as users
from blogapi.content.articles import prerendering
from blogapi.content.articles.models import DeletedItem
from blogapi.content.deleted_items import service as deleted_items
from blogapi.storage.database import db, table_of, transaction
from blogapi.web.access import Role
from tests.content.media.rows import add_media

ARTICLES = "/api/v1/blog/articles/"
PAGES = "/api/v1/blog/pages/"
CHANGES = "/api/v1/blog/changes/"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
STATES = [
    {"status": "draft"},
    {"status": "published", "published_at": "2026-01-01T00:00:00Z"},
    {"status": "unlisted", "published_at": "2026-01-01T00:00:00Z"},
    {"status": "published", "published_at": "2999-01-01T00:00:00Z"},
    {"status": "archived"},
]


@pytest.fixture
def write(as_admin):
    """Creates an article or page, and returns its path."""

    def write(kind=ARTICLES, client=as_admin, **fields):
        answer = client.post(kind, json={"title": "Rye", "content": "<p>Words</p>", **fields})
        assert answer.status_code == 201, answer.json
        return f"{kind}{answer.json['uuid']}/"

    return write


@pytest.fixture
def delete(as_admin):
    """Deletes the items of one kind with these paths."""

    def delete(*paths, client=as_admin):
        kind = paths[0].rpartition("/")[0].rpartition("/")[0] + "/"
        uuids = "&".join(f"uuid={path.split('/')[-2]}" for path in paths)
        answer = client.delete(paths[0] if len(paths) == 1 else f"{kind}?{uuids}")
        assert answer.status_code == 204, answer.json

    return delete


def restore(client, path):
    """Restore one item, and return the answer."""
    answer = client.post(f"{path}restore/")
    assert answer.status_code == 200, answer.json
    return answer.json


def uuid_of(path):
    """Return the uuid in a path."""
    return path.split("/")[-2]


def read(client, path):
    """Return the fields of an item that a user sets."""
    more = "published_at,excerpt,authors,custom,featured,robots,language,translation_key"
    answer = client.get(f"{path}?fields=*,{more}")
    assert answer.status_code == 200, answer.json
    return answer.json


@pytest.mark.parametrize("kind", [ARTICLES, PAGES])
@pytest.mark.parametrize("state", STATES)
def test_an_item_comes_back_as_it_was_with_its_edits(as_admin, write, delete, make_tag, state, kind):
    tags = [{"uuid": str(make_tag().uuid)} for _ in range(3)]
    # What is saved of a scheduled item becomes its text: its edits wait since it was a draft.
    is_planned = state.get("published_at", "") > NOON.isoformat()
    fields = {} if is_planned else state
    path = write(kind, **fields, tags=tags, slug="rye", seo={"title": "Seo"}, translation_key="key")
    if not is_planned:
        as_admin.patch(path, json={"subtitle": "Second version"})
    as_admin.put(f"{path}working-copy/", json={"title": "Edits", "content": "<p>Edited</p>"})
    if is_planned:
        assert as_admin.patch(path, json=state).status_code == 200
    before, copy = read(as_admin, path), as_admin.get(f"{path}working-copy/").json
    delete(path)
    assert as_admin.get(path).status_code == 404
    answer = restore(as_admin, path)
    expected = {"uuid": uuid_of(path), "slug": "rye", "title": "Rye", "status": before["status"], "notes": []}
    assert answer == expected
    assert read(as_admin, path) == before
    after = as_admin.get(f"{path}working-copy/").json
    assert {**after, "base_version": 0} == {**copy, "base_version": 0}
    # Edits of an older version stay based on it.
    assert after["base_version"] == (1 if is_planned else 3)
    # A restored working copy can be published: its version has the text of the version before the deletion.
    published = as_admin.post(f"{path}working-copy/publish/", json={"status": before["status"]})
    if state["status"] != "archived":
        assert (published.status_code, published.json["title"]) == (200, "Edits"), published.json
    numbers = [row["number"] for row in as_admin.get(f"{path}revisions/").json]
    assert numbers == sorted(numbers, reverse=True) and {1, 2} <= set(numbers)


def test_nothing_shows_a_deleted_item(app, as_admin, as_reader, as_login, write, delete, tmp_path):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    path = write(status="published", title="Findable", slug="findable", tags=[])
    assert len(as_admin.get(f"{ARTICLES}?q=findable").json) == 1
    as_admin.put(f"{path}working-copy/", json={"title": "Findable edits"})
    delete(path)
    for query in ("", "?status=any", "?working_copy=true", "?q=findable", "?status=any&q=findable"):
        found = as_admin.get(f"{ARTICLES}{query}")
        assert (found.status_code, found.json) == (200, []), query
    counts = as_admin.get("/api/v1/blog/article-counts/")
    assert counts.status_code == 200 and set(counts.json.values()) == {0}
    for address in ("/feeds/feed.json", "/sitemap.xml", "/api/v1/blog/redirects/"):
        answer = as_reader.get(address)
        assert answer.status_code == 200 and b"findable" not in answer.data.lower(), address
    exported = app.test_cli_runner().invoke(args=["export", str(tmp_path / "out")])
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert exported.exit_code == 0 and files, exported.output
    assert not [file for file in files if "indable" in str(file) or b"indable" in file.read_bytes()]


def test_readers_learn_of_the_restoration_as_of_a_publication(as_admin, as_reader, write, delete):
    path = write(status="published")
    delete(path)
    cursor = as_reader.get(CHANGES).json["cursor"]
    restore(as_admin, path)
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert ("article", uuid_of(path), "fetch") in [
        (one["kind"], one["uuid"], one["action"]) for one in changes
    ]
    assert as_reader.get(path).status_code == 200
    assert [one["uuid"] for one in as_reader.get(ARTICLES).json] == [uuid_of(path)]


def test_several_items_are_restored_all_or_none(as_admin, write, delete):
    first, second, other = write(), write(), write()
    delete(first, second)
    uuids = [uuid_of(second), uuid_of(first)]
    refused = as_admin.post(f"{ARTICLES}restore/", json={"uuids": [*uuids, uuid_of(other)]})
    assert (refused.status_code, refused.json["code"], list(refused.json["errors"])) == (
        409,
        "not_deleted",
        ["2"],
    )
    refused = as_admin.post(f"{ARTICLES}restore/", json={"uuids": [*uuids, str(uuid4())]})
    assert (refused.status_code, refused.json["code"]) == (404, "not_found")
    assert as_admin.post(f"{ARTICLES}restore/", json={"uuids": [uuids[0]] * 2}).status_code == 422
    assert as_admin.get(first).status_code == 404
    answer = as_admin.post(f"{ARTICLES}restore/", json={"uuids": uuids})
    assert (answer.status_code, [one["uuid"] for one in answer.json]) == (200, uuids)
    assert as_admin.get(first).status_code == as_admin.get(second).status_code == 200


def test_only_a_deleted_item_of_the_kind_is_restored(as_admin, write, delete):
    article, page = write(), write(PAGES)
    for path in (article, page):
        answer = as_admin.post(f"{path}restore/")
        assert (answer.status_code, answer.json["code"]) == (409, "not_deleted")
        delete(path)
    for path in (article.replace(ARTICLES, PAGES), page.replace(PAGES, ARTICLES), f"{ARTICLES}{uuid4()}/"):
        answer = as_admin.post(f"{path}restore/")
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    restore(as_admin, article)
    restore(as_admin, page)


def test_an_article_with_the_slug_restore_can_be_read(as_admin, write):
    write(slug="restore", status="published")
    assert as_admin.get(f"{ARTICLES}restore/").json["slug"] == "restore"


def test_an_item_can_be_deleted_and_restored_again(as_admin, write, delete):
    path = write(slug="rye")
    for turn in range(3):
        as_admin.put(f"{path}working-copy/", json={"title": f"Edits {turn}"})
        delete(path)
        assert restore(as_admin, path)["notes"] == []
        assert as_admin.get(f"{path}working-copy/").json["title"] == f"Edits {turn}"
    assert [row["number"] for row in as_admin.get(f"{path}revisions/").json] == [3, 2, 1]


def test_a_deletion_of_several_executes_a_fixed_number_of_statements(
    as_admin, write, delete, record_statements
):
    numbers = []
    for number in (2, 8):
        paths = [write() for _ in range(number)]
        for path in paths:
            as_admin.put(f"{path}working-copy/", json={"title": "Edits"})
        with record_statements() as executed:
            delete(*paths)
        numbers.append(len([one for one in executed if not one.startswith("INSERT INTO event")]))
    assert numbers[0] == numbers[1]


# Changed circumstances


def test_a_taken_slug_gets_a_number(as_admin, write, delete):
    path = write(slug="rye", status="published")
    as_admin.patch(path, json={"slug": "barley"})
    delete(path)
    write(slug="barley")
    write(slug="rye")
    answer = restore(as_admin, path)
    assert answer["slug"] == "barley-2"
    assert answer["notes"] == [
        "Its slug is “barley-2” instead of “barley”.",
        "Former addresses that another item has now were not restored.",
    ]


def test_former_slugs_and_paths_come_back(as_admin, as_reader, write, delete, app):
    as_admin.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    path = write(slug="rye", status="published")
    as_admin.patch(path, json={"slug": "barley"})
    delete(path)
    assert as_reader.get(f"{ARTICLES}rye/").status_code == 404
    assert restore(as_admin, path)["notes"] == []
    assert as_reader.get(f"{ARTICLES}rye/").headers["Location"].endswith("/barley/")


def test_a_draft_that_an_author_restores_gets_a_provisional_slug(as_author, as_admin, write, delete):
    path = write(client=as_author, slug="rye")
    slug = as_author.get(path).json["slug"]
    delete(path, client=as_author)
    write(slug="rye")
    assert restore(as_author, path)["slug"] == slug != "rye"
    as_admin.patch(path, json={"slug": "wheat"})
    delete(path, client=as_author)
    answer = restore(as_author, path)
    assert answer["slug"].startswith("wheat-") and len(answer["notes"]) == 1


def test_a_schedule_that_has_passed_comes_back_as_a_draft(as_admin, as_reader, write, delete, set_clock):
    set_clock(NOON)
    early, late, published = (
        write(status="published", published_at=(NOON + days * DAY).isoformat()) for days in (1, 3, -1)
    )
    delete(early, late, published)
    set_clock(NOON + 2 * DAY)
    uuids = [uuid_of(path) for path in (early, late, published)]
    answer = as_admin.post(f"{ARTICLES}restore/", json={"uuids": uuids}).json
    assert [one["status"] for one in answer] == ["draft", "scheduled", "published"]
    assert [len(one["notes"]) for one in answer] == [1, 0, 0]
    assert [as_reader.get(path).status_code for path in (early, late, published)] == [404, 404, 200]


def test_merged_terms_are_followed_and_deleted_ones_left_out(
    as_admin, write, delete, make_tag, make_category, make_guest
):
    merged, deleted, kept = (make_tag() for _ in range(3))
    category, guest = make_category(), make_guest()
    path = write(
        tags=[{"uuid": str(tag.uuid)} for tag in (merged, deleted)],
        category={"uuid": str(category.uuid)},
        authors=[{"uuid": str(guest.uuid)}],
    )
    delete(path)
    as_admin.post(f"/api/v1/blog/tags/{kept.uuid}/merge/", json={"uuids": [str(merged.uuid)]})
    for address in (f"tags/{deleted.uuid}", f"categories/{category.uuid}", f"authors/{guest.uuid}"):
        assert as_admin.delete(f"/api/v1/blog/{address}/").status_code == 204
    answer = restore(as_admin, path)
    article = as_admin.get(f"{path}?fields=tags,category,authors").json
    assert [tag["uuid"] for tag in article["tags"]] == [str(kept.uuid)]
    assert article["category"]["slug"] == "uncategorised"
    assert [author["slug"] for author in article["authors"]] == ["ada"]
    assert len(answer["notes"]) == 5


def test_the_article_of_a_deleted_user_belongs_to_the_caller(
    app, as_admin, as_login, people, make_client, write, delete
):
    with app.app_context():
        zoe = users.create_user("zoe", None, role=Role.EDITOR)
    # The admin owns the default category.
    write()
    path = write(client=make_client(app, people.key(zoe, "write")))
    delete(path)
    answer = as_login.delete(f"/api/v1/users/{zoe.uuid}/")
    assert answer.status_code == 204, answer.json
    answer = restore(as_admin, path)
    article = as_admin.get(f"{path}?fields=author,authors,editor").json
    assert article["author"] == str(people.admin.uuid)
    assert [author["slug"] for author in article["authors"]] == ["ada"]
    assert "It belongs to you, because its owner was deleted." in answer["notes"]


def test_required_fields_are_not_asked_for_again(as_login, as_admin, write, delete):
    path = write(status="published")
    delete(path)
    field = {"name": "rating", "label": "Rating", "type": "number", "required": True}
    assert as_login.post("/api/v1/blog/fields/", json=field).status_code == 201
    assert restore(as_admin, path)["status"] == "published"


# Pages


def tree(client):
    """Return the titles of all pages with that of the parent."""
    pages = client.get(f"{PAGES}?status=any&fields=uuid,title,parent").json
    titles = {page["uuid"]: page["title"] for page in pages}
    return {page["title"]: titles.get(page["parent"]) for page in pages}


@pytest.fixture
def chain(write):
    """The paths of three pages, each below the one before it."""
    paths = [write(PAGES, title="A", status="published")]
    for title in "BC":
        paths.append(write(PAGES, title=title, parent=uuid_of(paths[-1]), position=3, status="published"))
    return paths


def test_pages_below_a_restored_page_come_back_to_their_places(as_admin, chain, delete):
    before = [read(as_admin, path) for path in chain]
    delete(chain[1])
    assert tree(as_admin) == {"A": None, "C": None}
    assert restore(as_admin, chain[1])["notes"] == []
    assert tree(as_admin) == {"A": None, "B": "A", "C": "B"}
    assert [read(as_admin, path) for path in chain] == before


def test_pages_that_are_restored_together_come_back_below_each_other(as_admin, chain, delete):
    delete(*chain)
    uuids = [uuid_of(path) for path in reversed(chain)]
    answer = as_admin.post(f"{PAGES}restore/", json={"uuids": uuids}).json
    assert ([one["uuid"] for one in answer], [one["notes"] for one in answer]) == (uuids, [[], [], []])
    assert tree(as_admin) == {"A": None, "B": "A", "C": "B"}


def test_a_page_whose_parent_is_missing_comes_to_the_top(as_admin, chain, delete):
    delete(chain[1], chain[0])
    answer = restore(as_admin, chain[1])
    assert answer["notes"] == ["It is at the top, because it can no longer be below its former parent."]
    assert tree(as_admin) == {"B": None, "C": "B"}
    assert restore(as_admin, chain[0])["notes"] == []
    assert tree(as_admin) == {"A": None, "B": "A", "C": "B"}


def test_a_page_whose_parent_is_below_it_comes_to_the_top(as_admin, chain, delete):
    delete(chain[1])
    as_admin.patch(chain[0], json={"parent": uuid_of(chain[2])})
    assert len(restore(as_admin, chain[1])["notes"]) == 1
    assert tree(as_admin) == {"B": None, "C": "B", "A": "C"}


def test_a_page_that_was_moved_meanwhile_stays_there(as_admin, chain, delete):
    delete(chain[1])
    as_admin.patch(chain[2], json={"parent": uuid_of(chain[0])})
    restore(as_admin, chain[1])
    assert tree(as_admin) == {"A": None, "B": "A", "C": "A"}


def test_a_page_that_would_be_too_deep_comes_to_the_top(as_admin, write, delete):
    leaf = write(PAGES, title="Leaf")
    parent = write(PAGES, title="Parent")
    as_admin.patch(leaf, json={"parent": uuid_of(parent)})
    delete(leaf)
    above = [write(PAGES, title="0")]
    for number in range(1, 20):
        above.append(write(PAGES, title=str(number), parent=uuid_of(above[-1])))
    as_admin.patch(parent, json={"parent": uuid_of(above[-1])})
    assert len(restore(as_admin, leaf)["notes"]) == 1
    assert tree(as_admin)["Leaf"] is None


# Who may


def test_who_may_delete_an_item_may_restore_it(as_author, as_role, as_admin, write, delete):
    own, hidden = write(client=as_author), write()
    public = write(client=as_role(Role.AUTHOR, can_publish=True), status="published")
    for path in (own, hidden, public):
        delete(path)
    for path in (hidden, public, f"{ARTICLES}{uuid4()}/"):
        assert as_author.post(f"{path}restore/").json["code"] == "not_found"
        assert as_author.get(path).json["code"] == "not_found"
    restore(as_author, own)
    restore(as_role(Role.AUTHOR, can_publish=True), public)


def test_an_author_who_may_not_publish_does_not_restore_what_was_public(as_author, as_admin, write, delete):
    path = write(client=as_author)
    as_admin.patch(path, json={"status": "published", "published_at": "2999-01-01T00:00:00Z"})
    delete(path)
    answer = as_author.post(f"{path}restore/")
    assert (answer.status_code, as_author.get(path).json["code"]) == (403, "not_found")
    assert as_admin.get(path).json["code"] == "deleted"


@pytest.mark.parametrize("status", ["published", "unlisted"])
def test_an_author_who_may_not_publish_does_not_replace_what_was_public(
    as_author, as_admin, as_role, write, delete, status
):
    path, draft = write(client=as_author), write(client=as_author)
    as_admin.patch(path, json={"status": status})
    as_admin.patch(path, json={"title": "Rye bread"})
    assert as_author.post(f"{path}revisions/1/restore/").status_code == 403
    delete(path, draft)
    body = {"title": "Mine", "content": "<p>x</p>"}
    many = [{**body, "uuid": uuid_of(path)}]
    for method, address, sent in (
        *(("PUT", path, body), ("PUT", ARTICLES, many), ("POST", f"{path}restore/", None)),
        ("POST", f"{path}revisions/1/restore/", None),
    ):
        answer = as_author.open(address, method=method, json=sent)
        assert answer.status_code == 403, (method, address, answer.json)
    assert as_author.put(draft, json=body).status_code == 201
    restore(as_admin, path)


@pytest.mark.parametrize("leaves_bin", [False, True])
def test_an_author_does_not_replace_a_page_that_they_made_as_an_editor(
    app, as_role, as_admin, write, delete, leaves_bin
):
    editor = as_role(Role.EDITOR)
    page, article = write(PAGES, editor), write(client=editor)
    delete(page)
    delete(article)
    if leaves_bin:
        with app.app_context(), transaction():
            db.session.execute(table_of(DeletedItem).delete())
    assert app.test_cli_runner().invoke(args=["user", "role", "editor", "author"]).exit_code == 0
    for path, status in ((page, 404), (article, 201)):
        answer = editor.put(f"{ARTICLES}{uuid_of(path)}/", json={"title": "Mine"})
        assert answer.status_code == status, (path, answer.json)
    if not leaves_bin:
        restore(as_admin, page)


@pytest.mark.parametrize("headers", [{}, {"If-Match": '"x"'}])
def test_an_author_learns_nothing_of_the_items_of_others(
    as_author, as_reader, write, record_statements, headers
):
    hidden, statements = write(), []
    # The first read after a write looks for the next scheduled article.
    as_author.get(hidden)
    for path in (hidden, f"{ARTICLES}{uuid4()}/"):
        for method, part in (
            *(("GET", ""), ("POST", "restore/"), ("GET", "revisions/"), ("PUT", "working-copy/")),
            *(("PATCH", ""), ("DELETE", "")),
        ):
            json = {"GET": None, "PATCH": {"excerpt": "Ours", "reading_minutes": 9}}.get(method, {})
            with record_statements() as executed:
                answer = as_author.open(f"{path}{part}", method=method, json=json, headers=headers)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")
            statements.append(list(executed))
    assert [len(one) for one in statements[:6]] == [len(one) for one in statements[6:]]


@pytest.mark.parametrize("kind", [ARTICLES, PAGES])
def test_a_404_says_deleted_to_callers_who_may_restore(
    as_admin, as_author, as_editor, as_reader, as_reading_admin, write, delete, kind
):
    path = write(kind, status="published")
    delete(path)
    bulk = [{"uuid": uuid_of(path), "title": "New"}]
    for method, address, body in (
        *(("GET", path, None), ("PATCH", path, {"title": "New"}), ("DELETE", path, None)),
        *(("PUT", f"{path}working-copy/", {"title": "New"}), ("GET", f"{path}working-copy/", None)),
        *(("PATCH", kind, bulk), ("DELETE", f"{kind}?uuid={uuid_of(path)}", None)),
        *(("POST", f"{path}preview/", None), ("POST", f"{path}open/", None)),
    ):
        answer = as_editor.open(address, method=method, json=body)
        assert (answer.status_code, answer.json["code"]) == (404, "deleted"), (method, address)
    assert (
        as_editor.get(path.replace(kind, PAGES if kind == ARTICLES else ARTICLES)).json["code"] == "not_found"
    )
    for client in (as_author, as_reader, as_reading_admin):
        assert client.get(path).json["code"] == "not_found"


# Rows leave


def count_rows(app):
    """Return the number of deleted items."""
    with app.app_context():
        return db.session.query(DeletedItem).count()


@pytest.mark.parametrize("way", ["put", "revision", "age"])
def test_the_history_keeps_the_edits_when_the_row_leaves(app, as_admin, write, delete, set_clock, way):
    set_clock(NOON)
    path = write(slug="rye")
    as_admin.put(f"{path}working-copy/", json={"title": "Edits"})
    delete(path)
    assert count_rows(app) == 1
    assert [one["title"] for one in as_admin.get(f"{path}revisions/").json] == ["Rye"]
    if way == "put":
        assert as_admin.put(path, json={"title": "New"}).status_code == 201
    elif way == "revision":
        assert as_admin.post(f"{path}revisions/1/restore/").json["status"] == "draft"
    else:
        with app.app_context():
            set_clock(NOON + 30 * DAY - timedelta(microseconds=1))
            deleted_items.delete_expired_items()
            assert count_rows(app) == 1
            db.session.rollback()
            # From this time on, nobody can restore the item.
            set_clock(NOON + 30 * DAY)
            deleted_items.delete_expired_items()
            db.session.rollback()
    assert count_rows(app) == 0
    assert [one["title"] for one in as_admin.get(f"{path}revisions/").json] == ["Edits", "Rye"]
    if way == "age":
        answer = as_admin.post(f"{path}restore/")
        assert (answer.status_code, as_admin.get(path).json["code"]) == (404, "not_found")


def test_a_damaged_row_does_not_keep_the_other_old_rows(app, as_admin, write, delete, set_clock, caplog):
    set_clock(NOON)
    paths = [write(title=title) for title in ("first", "second", "third")]
    for path in paths:
        delete(path)
    damaged = paths[1].split("/")[-2]
    with app.app_context():
        with transaction():
            db.session.get_one(DeletedItem, UUID(damaged)).document = '{"article": [{"uui'
        set_clock(NOON + 31 * DAY)
        deleted_items.delete_expired_items()
        assert [str(uuid) for uuid in db.session.scalars(select(DeletedItem.uuid))] == [damaged]
    assert f"cannot delete the deleted item {damaged} for good" in caplog.text


def test_without_bin_days_nothing_is_kept(make_app, make_client, people):
    app = make_app(BIN_DAYS=0)
    client = make_client(app, people.key(people.admin, "write"))
    path = f"{ARTICLES}{client.post(ARTICLES, json={'title': 'Rye'}).json['uuid']}/"
    client.put(f"{path}working-copy/", json={"title": "Edits"})
    assert client.delete(path).status_code == 204
    assert count_rows(app) == 0
    assert [one["title"] for one in client.get(f"{path}revisions/").json] == ["Edits", "Rye"]
    assert client.get(path).json["code"] == "not_found"
    assert client.post(f"{path}restore/").status_code == 404


def test_a_deleted_item_uses_the_pictures_of_its_text_and_of_its_edits(
    app, as_admin, as_login, write, delete
):
    pictures = [add_media(app) for _ in range(2)]
    path = write(content=f'<img src="media:{pictures[0]}">', content_type="html")
    as_admin.put(f"{path}working-copy/", json={"title": "E", "content": f'<img src="media:{pictures[1]}">'})
    delete(path)
    runner = app.test_cli_runner()
    assert runner.invoke(args=["revisions", "prune", "--keep", "0"]).exit_code == 0
    lines = runner.invoke(args=["doctor", "--full"]).stdout.splitlines()
    assert [line.split()[0] for line in lines if "uses of media" in line] == ["ok", "ok"], lines
    for picture in pictures:
        refused = as_admin.delete(f"/api/v1/blog/media/{picture}/")
        assert (refused.status_code, refused.json["code"]) == (409, "media_in_use")
    restore(as_admin, path)
    kinds = [
        [use["kind"] for use in as_admin.get(f"/api/v1/blog/media/{picture}/uses/").json]
        for picture in pictures
    ]
    assert kinds == [["article"], ["working_copy"]]


def test_only_what_the_caller_may_restore_is_rendered(as_author, as_admin, write, delete, monkeypatch):
    rendered, others, own = [], [write(), write()], write(client=as_author)
    delete(*others, own)
    monkeypatch.setattr(prerendering, "prerender_sources", lambda sources: rendered.append(len([*sources])))
    body = {"uuids": [uuid_of(path) for path in (own, *others)]}
    assert as_author.post(f"{ARTICLES}restore/", json=body).status_code == 404
    assert as_admin.post(f"{ARTICLES}restore/", json=body).status_code == 200
    assert rendered == [1, 3]


@pytest.mark.parametrize("single", [True, False])
def test_a_repeated_restoration_gets_the_stored_response(as_admin, write, delete, single):
    path = write()
    delete(path)
    target, body = (
        (f"{path}restore/", None) if single else (f"{ARTICLES}restore/", {"uuids": [uuid_of(path)]})
    )
    first, second = (as_admin.post(target, json=body, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert (first.status_code, second.status_code, second.json) == (200, 200, first.json)
