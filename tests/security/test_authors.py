"""What an author may do with each kind of article, and that nothing tells them about the drafts of others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

import pytest

from blogapi.accounts.users import queries as users
from blogapi.content.articles import prerendering, service
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.writing import reassignment
from blogapi.storage.database import transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.content.media.rows import MEDIA, add_media
from tests.contracts.client import outcome
from tests.security.conftest import OTHER_UUID
from tests.stored_pictures import add_paths

OWN = f"{ARTICLES}own/"
COUNTS = "/api/v1/blog/article-counts/"
PAGES, RENDER = "/api/v1/blog/pages/", "/api/v1/blog/render/"
PUBLISH = {"status": "published"}
CALLERS = ("author", "publisher", "editor")
OBJECTS = ("own draft", "own published", "foreign draft", "foreign published", "nothing")


@dataclass(frozen=True)
class Operation:
    """An operation on an article, by method, path and body, and its status of success.

    `kind` is what it needs: `read` (see the article), `work` (work on it) or `write` (change it); `publish`
    changes what readers see in any case.
    """

    name: str
    kind: str
    method: str
    path: str
    body: object = None
    status: int = 200


OPERATIONS = [
    Operation("read", "read", "GET", "{id}/"),
    Operation("read by fields", "read", "GET", "{id}/?fields=working_copy,editor,html"),
    Operation("list versions", "work", "GET", "{id}/revisions/"),
    Operation("read a version", "work", "GET", "{id}/revisions/1/"),
    Operation("compare versions", "work", "GET", "{id}/revisions/1/compare/"),
    Operation("read the working copy", "work", "GET", "{id}/working-copy/"),
    Operation("list previews", "work", "GET", "{id}/preview/"),
    Operation("report that it is open", "work", "POST", "{id}/open/"),
    Operation("save the working copy", "work", "PUT", "{id}/working-copy/", {"title": "Edits"}),
    Operation("discard the working copy", "work", "DELETE", "{id}/working-copy/", status=204),
    Operation("make a preview", "work", "POST", "{id}/preview/", status=201),
    Operation("revoke a preview", "work", "DELETE", "{id}/preview/{preview}/", status=204),
    Operation("add a version", "work", "POST", "{id}/revisions/", {"name": "N", "title": "V"}, 201),
    Operation("name a version", "work", "PATCH", "{id}/revisions/1/", {"name": "N"}),
    Operation("restore a version", "write", "POST", "{id}/revisions/1/restore/"),
    Operation(
        "store the working copy", "write", "POST", "{id}/working-copy/publish/", {"status": "{status}"}
    ),
    Operation("publish the working copy", "publish", "POST", "{id}/working-copy/publish/"),
    Operation("change nothing", "write", "PATCH", "{id}/", {}),
    Operation("change", "write", "PATCH", "{id}/", {"title": "Changed"}),
    Operation("replace", "write", "PUT", "{id}/", {"title": "Changed", "status": "{status}"}),
    Operation("publish", "publish", "PATCH", "{id}/", PUBLISH),
    Operation("schedule", "publish", "PATCH", "{id}/", {"status": "scheduled", "published_at": "2999-01-01"}),
    Operation("delete", "write", "DELETE", "{id}/", status=204),
    Operation("change in bulk", "write", "PATCH", "", [{"uuid": "{id}", "title": "Changed"}]),
    Operation("publish in bulk", "publish", "PATCH", "", [{"uuid": "{id}", **PUBLISH}]),
    Operation("replace in bulk", "write", "PUT", "", [{"uuid": "{id}", "title": "C", "status": "{status}"}]),
    Operation(
        "send read-only fields", "write", "PATCH", "", [{"uuid": "{id}", "created": "2001-01-01"}], 422
    ),
    Operation("delete in bulk", "write", "DELETE", "?uuid={id}", status=204),
]


def expect(operation, caller, kind):
    """Return the status and the error code of the operation on an object of the kind."""
    if caller == "editor":
        missing = kind == "nothing" and operation.name not in ("replace", "replace in bulk")
        created = 201 if operation.name == "replace" and kind == "nothing" else operation.status
        if missing:
            return 404
        return created
    if kind == "nothing" and operation.name in ("replace", "replace in bulk"):
        return 201 if operation.name == "replace" else 200
    if kind in ("foreign draft", "nothing"):
        return 404
    if kind == "foreign published" and operation.kind != "read":
        return 403
    changes_published = operation.kind == "publish" or (operation.kind == "write" and kind == "own published")
    return 403 if changes_published and caller == "author" else operation.status


@pytest.fixture
def articles(app, people, fill_blog, as_admin, as_role, make_article):
    """An article of each of the OBJECTS, with a version, a working copy and a preview: ids by placeholder."""

    def fill(caller):
        as_role(Role.AUTHOR), as_role(Role.AUTHOR, can_publish=True), as_role(Role.EDITOR)
        with app.app_context():
            account = users.find_user_by_name(caller)
        found = {"nothing": {"id": OTHER_UUID, "preview": OTHER_UUID, "status": "draft"}}
        for whose, owner in (("own", account), ("foreign", people.admin)):
            for status in ("draft", "published"):
                uuid = make_article(title="First", author=owner, status=status).uuid
                path = f"{ARTICLES}{uuid}/"
                as_admin.patch(path, json={"title": "Second"})
                as_admin.put(f"{path}working-copy/", json={"title": "Third"})
                preview = as_admin.post(f"{path}preview/").json["uuid"]
                found[f"{whose} {status}"] = {"id": str(uuid), "preview": preview, "status": status}
        return found

    return lambda caller: fill_blog(f"articles of {caller}", lambda: fill(caller))


def fill(value, names):
    """Return the value with the names in place of its placeholders."""
    if isinstance(value, dict):
        return {key: fill(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, names) for one in value]
    return value.format(**names) if isinstance(value, str) else value


def send(client, operation, names):
    path = f"{ARTICLES}{operation.path.format(**names)}"
    return client.open(path, method=operation.method, json=fill(operation.body, names))


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_each_role_may_do_what_the_matrix_says(articles, as_role, operation, caller):
    role = Role.AUTHOR if caller == "publisher" else Role(caller)
    objects, client = articles(caller), as_role(role, can_publish=caller == "publisher")
    found = {kind: send(client, operation, objects[kind]) for kind in OBJECTS}
    expected = {kind: expect(operation, caller, kind) for kind in OBJECTS}
    assert {kind: response.status_code for kind, response in found.items()} == expected
    assert {found[kind].json["code"] for kind in OBJECTS if expected[kind] == 403} <= {"forbidden"}
    # Who knows the uuid of a hidden article can learn that it exists: a PUT cannot create it.
    if caller != "editor" and not operation.name.startswith("replace"):
        hidden, nothing = found["foreign draft"], found["nothing"]
        assert describe(hidden) == describe(nothing)


def describe(response):
    """Return what the client can tell from a response, without uuids and what differs between requests."""
    ignored = {"Date", "X-Request-ID"}
    headers = sorted((name, value) for name, value in response.headers if name not in ignored)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uuid", response.text)
    return response.status_code, [one for one in headers if one[0] != "Content-Length"], text


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("status", ["draft", "archived", "published", "scheduled"])
def test_only_those_who_may_publish_create_public_articles(as_role, make_category, caller, status):
    make_category(name="Shelf")
    role = Role.AUTHOR if caller == "publisher" else Role(caller)
    client = as_role(role, can_publish=caller == "publisher")
    body = {"title": "T", "category": {"slug": "shelf"}, "status": status, "published_at": "2999-01-01"}
    refused = caller == "author" and status in ("published", "scheduled")
    assert outcome(client.post(ARTICLES, json=body)) == ((403, "forbidden") if refused else (201, None))


# What an author can read without knowing the uuid of anything hidden.
READS = (
    *(
        ARTICLES,
        f"{ARTICLES}?q=hidden",
        f"{ARTICLES}?fields=*,working_copy,editor,open_by,html",
    ),
    *(f"{ARTICLES}?slug=hidden-title", f"{ARTICLES}?page=1&page_size=2", f"{ARTICLES}?author=ada"),
    *(f"{ARTICLES}?tag=shared", f"{ARTICLES}?category=shelf&ordering=title", f"{ARTICLES}hidden-title/"),
    *(f"{ARTICLES}{{public}}/", f"{ARTICLES}{{public}}/?fields=*,working_copy,editor,related,previous,next"),
    *(OWN, f"{OWN}?q=hidden", f"{OWN}?status=any&ordering=-last_updated", f"{OWN}?working_copy=true"),
    *(f"{OWN}?slug=hidden-title", f"{OWN}?author=ada", f"{OWN}?fields=*,working_copy,editor"),
    *(
        COUNTS,
        f"{COUNTS}?q=hidden",
        f"{COUNTS}?tag=shared",
        f"{COUNTS}?category=shelf",
        f"{COUNTS}?author=ada",
    ),
    *(CATEGORIES, f"{CATEGORIES}?fields=name,articles_count,articles_by_status", f"{CATEGORIES}shelf/"),
    *(
        TAGS,
        f"{TAGS}?fields=name,articles_count,articles_by_status",
        f"{TAGS}shared/",
        AUTHORS,
        f"{AUTHORS}hidden-guest/",
    ),
    *(f"{AUTHORS}?fields=name,articles_count", f"{AUTHORS}author/", f"{AUTHORS}?slug=hidden-guest"),
    *("/api/v1/blog/archive/", "/api/v1/blog/redirects/", "/api/v1/blog/redirects/?path=/hidden-title/"),
    *("/api/v1/blog/changes/", "/api/v1/blog/changes/?since=now", "/feeds/rss.xml", "/sitemap.xml"),
    *(MEDIA, f"{MEDIA}?q=hidden", f"{MEDIA}?page=1&page_size=5", f"{MEDIA}{{own_file}}/uses/"),
    *(f"{MEDIA}?unused=false", f"{MEDIA}?unused=true"),
)


@pytest.fixture
def public_blog(app, as_admin, as_login, as_author, people, make_article, make_tag):
    """A blog with a public article, and drafts and a file of the author; ids by placeholder."""
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    with app.app_context():
        author = users.get_user_by_name("author")
    file = add_media(app, account_id=author.uuid)
    own = [
        make_article(
            title=f"Mine {number} hidden",
            tags=(make_tag("shared" if not number else ""),),
            author=author,
            status="draft",
            content=f'<img src="media:{file}">',
        ).uuid
        for number in range(3)
    ]
    for number in range(3):
        make_article(title=f"Other {number}")
    return {"public": make_article(title="Public").uuid, "own": own[0], "own_file": file}


def snapshot(client, names):
    return {path: describe(client.get(path.format(**names))) for path in READS}


def test_hidden_work_of_others_changes_nothing_that_an_author_reads(
    app, as_admin, as_author, public_blog, make_guest, make_article, monkeypatch
):
    # Lists of more articles are sent in parts, and have another ETag.
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 2)
    before = snapshot(as_author, public_blog)
    guest = make_guest("Hidden guest")
    hidden = {
        "title": "Hidden title",
        "content": f'hidden <img src="media:{add_media(app, name="hidden.png")}">',
        "category": {"slug": "shelf"},
        "tags": [{"slug": "shared"}],
        "authors": [{"uuid": str(guest.uuid)}, {"slug": "author"}],
    }
    paths = []
    for fields in ({}, {"status": "scheduled", "published_at": "2999-01-01"}, {"status": "archived"}):
        created = as_admin.post(ARTICLES, json=hidden | fields)
        assert created.status_code == 201
        paths.append(f"{ARTICLES}{created.json['uuid']}/")
        assert as_admin.put(f"{paths[-1]}working-copy/", json=hidden_copy()).status_code in (200, 201)
        assert as_admin.post(f"{paths[-1]}revisions/", json={"name": "Hidden"}).status_code == 201
        assert as_admin.post(f"{paths[-1]}preview/").status_code == 201
        assert as_admin.post(f"{paths[-1]}open/").status_code == 200
    assert (
        as_admin.put(f"{ARTICLES}{public_blog['public']}/working-copy/", json=hidden_copy()).status_code
        == 201
    )
    assert snapshot(as_author, public_blog) == before
    assert as_admin.patch(paths[0], json={"slug": "hidden-again", "title": "Hidden again"}).status_code == 200
    assert as_admin.delete(paths[0]).status_code == 204
    assert snapshot(as_author, public_blog) == before
    own = as_author.get(f"{OWN}?fields=working_copy").json
    assert len(own) == 3 and own == [{"working_copy": None}] * 3


def hidden_copy():
    return {"title": "Hidden copy", "content": "hidden words"}


def test_the_snapshot_notices_what_the_author_may_see(as_admin, as_author, public_blog, make_article):
    before = snapshot(as_author, public_blog)
    as_admin.put(f"{ARTICLES}{public_blog['own']}/working-copy/", json=hidden_copy())
    after = snapshot(as_author, public_blog)
    assert {path for path in READS if before[path] != after[path]} >= {f"{OWN}?working_copy=true", COUNTS}


@pytest.mark.parametrize("status", ["draft", "scheduled", "archived"])
@pytest.mark.parametrize("fields", [{"title": "Hidden title"}, {"title": "Other", "slug": "hidden-title"}])
def test_a_slug_tells_nothing_of_the_drafts_of_others(as_author, make_article, fields, status):
    title = fields["title"]
    free, taken = ({**fields, "content": "a"}, {**fields, "content": "b"})
    first = as_author.post(ARTICLES, json=free).json
    assert as_author.delete(f"{ARTICLES}{first['uuid']}/").status_code == 204
    make_article(title="Hidden title", status=status, published_at="2999-01-01T00:00:00Z")
    second = as_author.post(ARTICLES, json=taken).json
    assert [one["slug"].replace(one["uuid"][:8], "") for one in (first, second)] == [
        f"{'hidden-title' if 'slug' in fields else title.lower().replace(' ', '-')}-"
    ] * 2
    path = f"{ARTICLES}{second['uuid']}/"
    for method, body in (("patch", {"slug": "hidden-title"}), ("put", second | {"slug": "hidden-title"})):
        response = getattr(as_author, method)(path, json=body)
        assert response.json["slug"] == f"hidden-title-{second['uuid'][:8]}"
    bulk = as_author.patch(ARTICLES, json=[{"uuid": second["uuid"], "slug": "hidden-title"}]).json
    assert bulk[0]["slug"] == f"hidden-title-{second['uuid'][:8]}"
    as_author.put(f"{path}working-copy/", json={"title": title, "slug": "hidden-title"})
    stored = as_author.post(f"{path}working-copy/publish/", json={"status": "draft"}).json
    assert stored["slug"] == f"hidden-title-{second['uuid'][:8]}"
    for body in ({"title": "Hidden title"}, {"title": "Hidden title", "article": second["uuid"]}):
        assert as_author.post(RENDER, json=body).json["slug"] == "hidden-title"


@pytest.mark.parametrize("kind", ["draft of another", "page", "deleted"])
def test_a_rendering_tells_nothing_of_the_drafts_of_others(app, as_author, as_editor, as_admin, kind):
    path = PAGES if kind == "page" else ARTICLES
    hidden = as_admin.post(path, json={"title": "Hidden", "slug": "hidden-slug"}).json["uuid"]
    with app.app_context():
        add_paths(UUID(hidden), {"a.png": add_media(app, name="secret.png")})
    if kind == "deleted":
        assert as_admin.delete(f"{path}{hidden}/").status_code == 204
    body = {"title": "Hidden", "content": '<img src="a.png">'}
    answers = [as_author.post(RENDER, json={**body, "article": uuid}) for uuid in (OTHER_UUID, hidden)]
    assert answers[0].status_code == 200
    assert answers[0].json == answers[1].json
    if kind != "deleted":
        shown = as_editor.post(RENDER, json={**body, "article": hidden}).json
        assert (shown["slug"], "secret.png" in shown["html"]) == ("hidden-slug", True)


def test_a_provisional_slug_follows_the_title_and_ends_with_the_publication(
    as_author, as_editor, as_role, make_article
):
    created = as_author.post(ARTICLES, json={"title": "First"}).json
    path, end = f"{ARTICLES}{created['uuid']}/", created["uuid"][:8]
    assert created["slug"] == f"first-{end}"
    assert as_author.patch(path, json={"title": "Second"}).json["slug"] == f"second-{end}"
    assert (
        as_author.put(path, json={"title": "Second", "slug": f"second-{end}"}).json["slug"] == f"second-{end}"
    )
    assert (
        as_editor.post(RENDER, json={"title": "Second", "article": created["uuid"]}).json["slug"] == "second"
    )
    make_article(title="Second", status="draft")
    assert as_editor.patch(path, json=PUBLISH).json["slug"] == "second-2"
    assert as_editor.patch(path, json={"status": "draft"}).json["slug"] == "second-2"
    assert as_author.patch(path, json={"title": "Third"}).json["slug"] == "second-2"
    publisher = as_role(Role.AUTHOR, can_publish=True)
    assert publisher.post(ARTICLES, json={"title": "At once", **PUBLISH}).json["slug"] == "at-once"


def test_drafts_whose_uuids_begin_alike_can_have_the_same_title(as_author, as_admin):
    parts = enumerate(("ac96", "b001", "b002", "b003"))
    uuids = [f"01890a5d-{part}-774b-8000-00000000000{number}" for number, part in parts]
    for uuid, slug in zip(uuids[:2], ("untitled-01890a5d", "untitled-2-01890a5d"), strict=True):
        created = as_author.put(f"{ARTICLES}{uuid}/", json={"title": "Untitled"})
        assert (created.status_code, created.json["slug"]) == (201, slug)
        again = as_author.put(f"{ARTICLES}{uuid}/", json={"title": "Untitled", "slug": slug})
        assert (again.status_code, again.json["slug"]) == (200, slug)
    for uuid in uuids[2:]:
        assert as_author.put(f"{ARTICLES}{uuid}/", json={"title": uuid}).status_code == 201
    items = [{"uuid": uuid, "title": "Untitled"} for uuid in uuids[2:]]
    as_publisher_items = as_author.patch(ARTICLES, json=items)
    assert as_publisher_items.status_code == 200, as_publisher_items.json
    slugs = [as_author.get(f"{ARTICLES}{uuid}/").json["slug"] for uuid in uuids[2:]]
    assert slugs == ["untitled-3-01890a5d", "untitled-4-01890a5d"]
    longest = as_author.post(ARTICLES, json={"title": "T", "slug": "x" * 255}).json
    assert longest["slug"].startswith("xxx") and longest["slug"].endswith(f"-{longest['uuid'][:8]}")
    assert as_admin.patch(f"{ARTICLES}{uuids[0]}/", json=PUBLISH).json["slug"] == "untitled"


def test_a_version_that_an_author_restores_keeps_the_byline(as_author, as_editor, as_admin, make_guest):
    path = as_author.post(ARTICLES, json={"title": "Mine"}).headers["Location"]
    guest = [{"uuid": str(make_guest("Jo").uuid)}]
    (own,) = as_author.get(f"{path}?fields=authors").json["authors"]
    as_editor.patch(path, json={"authors": guest, "title": "Ours"})
    refused = as_author.patch(path, json={"authors": [{"uuid": own["uuid"]}]})
    assert outcome(refused) == (403, "forbidden")
    for client, name in ((as_author, "Jo"), (as_editor, own["name"])):
        assert client.post(f"{path}revisions/1/restore/").json["title"] == "Mine"
        shown = as_admin.get(f"{path}?fields=authors").json["authors"]
        assert [author["name"] for author in shown] == [name]


def test_a_deleted_article_is_restored_by_its_author_alone(as_author, as_role, as_admin):
    uuid = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"]
    path = f"{ARTICLES}{uuid}/"
    as_author.delete(path)
    publisher = as_role(Role.AUTHOR, can_publish=True)
    for method, rest in (("get", ""), ("get", "1/"), ("post", "1/restore/"), ("patch", "1/")):
        assert getattr(publisher, method)(f"{path}revisions/{rest}", json={}).status_code == 404
    assert len(as_author.get(f"{path}revisions/").json) == 1
    assert publisher.put(path, json={"title": "Taken"}).status_code == 404
    restored = as_author.post(f"{path}revisions/1/restore/").json
    assert (restored["slug"], restored["status"]) == (f"mine-{uuid[:8]}", "draft")
    assert as_author.get(path).status_code == 200


def test_the_byline_is_chosen_by_editors(as_author, as_editor, app, make_guest):
    guest = make_guest("Guest")
    created = as_author.post(ARTICLES, json={"title": "Mine", "authors": [{"slug": "author"}]})
    assert created.status_code == 201
    path = f"{ARTICLES}{created.json['uuid']}/"
    for authors in (
        [{"slug": "guest"}],
        [{"slug": "no-such"}],
        [{"slug": "author"}, {"uuid": str(guest.uuid)}],
    ):
        refusals = [
            as_author.post(ARTICLES, json={"title": "T", "authors": authors}),
            as_author.patch(path, json={"authors": authors}),
        ]
        assert {outcome(response) for response in refusals} == {(403, "forbidden")}
    copy = {"title": "T", "authors": [str(guest.uuid)]}
    assert outcome(as_author.put(f"{path}working-copy/", json=copy)) == (403, "forbidden")
    assert outcome(as_author.post(f"{path}revisions/", json={"name": "N", **copy})) == (403, "forbidden")
    assert as_editor.patch(path, json={"authors": [{"slug": "guest"}]}).status_code == 200
    # The author still owns it, and may send what they have read.
    read = as_author.get(f"{path}?fields=*,authors").json
    assert as_author.put(path, json=read).status_code == 200
    saved = as_author.put(f"{path}working-copy/", json=copy)
    assert saved.status_code == 201


def test_an_author_manages_only_own_uploads(app, as_author, as_editor, people, make_article):
    with app.app_context():
        author = users.get_user_by_name("author").uuid
    mine, other = add_media(app, account_id=author), add_media(app, account_id=people.admin.uuid)
    assert [file["uuid"] for file in as_author.get(MEDIA).json] == [str(mine)]
    for method, rest in (("get", ""), ("patch", ""), ("delete", ""), ("get", "uses/"), ("put", "content/")):
        hidden = getattr(as_author, method)(f"{MEDIA}{other}/{rest}", json=None if method == "get" else {})
        nothing = getattr(as_author, method)(
            f"{MEDIA}{OTHER_UUID}/{rest}", json=None if method == "get" else {}
        )
        assert hidden.status_code == 404 and describe(hidden)[0] == describe(nothing)[0]
    # A file of somebody else can be seen where an own article uses it, but not changed.
    as_author.post(ARTICLES, json={"title": "T", "content": f'<img src="media:{other}">'})
    assert as_author.get(f"{MEDIA}{other}/").status_code == 200
    assert outcome(as_author.patch(f"{MEDIA}{other}/", json={"alt": "A"})) == (403, "forbidden")
    assert as_author.patch(f"{MEDIA}{mine}/", json={"alt": "A"}).status_code == 200
    assert as_editor.patch(f"{MEDIA}{other}/", json={"alt": "B"}).status_code == 200
    assert as_author.delete(f"{MEDIA}{mine}/").status_code == 204


@pytest.mark.parametrize("owner", ["author", "admin"])
@pytest.mark.parametrize("status", ["draft", "published", "unlisted"])
def test_the_uses_of_a_file_show_no_hidden_articles(
    app, as_admin, as_author, as_role, people, make_article, owner, status
):
    with app.app_context():
        author = users.get_user_by_name("author")
    file = add_media(app, account_id=author.uuid)
    account = author if owner == "author" else people.admin
    make_article(title="User", author=account, status=status, content=f'<img src="media:{file}">')
    uses = as_author.get(f"{MEDIA}{file}/uses/")
    is_seen = owner == "author" or status == "published"
    assert [use["title"] for use in uses.json] == (["User"] if is_seen else [])
    assert uses.headers["X-Total-Count"] == str(len(uses.json))
    page = {"title": "Used by a page", "status": status, "content": f'<img src="media:{file}">'}
    assert as_admin.post("/api/v1/blog/pages/", json=page).status_code == 201
    shown = {use["title"] for use in as_author.get(f"{MEDIA}{file}/uses/").json}
    assert ("Used by a page" in shown) == (status == "published")
    for method in ("patch", "delete"):
        refused = getattr(as_author, method)(
            f"{MEDIA}{file}/", json={"alt": "A"} if method == "patch" else None
        )
        if (owner, status) != ("author", "draft"):
            assert outcome(refused) == (403, "forbidden") and "Use" not in refused.text


def test_a_hidden_profile_is_seen_by_its_author_alone(as_author, as_role):
    publisher = as_role(Role.AUTHOR, can_publish=True)
    assert [author["slug"] for author in as_author.get(AUTHORS).json] == ["author"]
    assert [author["slug"] for author in publisher.get(AUTHORS).json] == ["publisher"]
    assert (
        as_author.get(f"{AUTHORS}author/").status_code,
        publisher.get(f"{AUTHORS}author/").status_code,
    ) == (200, 404)


def test_authors_change_only_their_own_profile(app, as_author, as_editor, as_role, people, make_guest):
    as_role(Role.AUTHOR, can_publish=True)
    with app.app_context():
        file = add_media(app, account_id=users.get_user_by_name("author").uuid)
    paths = {author["slug"]: f"{AUTHORS}{author['uuid']}/" for author in as_editor.get(AUTHORS).json}
    own, hidden = paths["author"], paths["publisher"]
    changed = as_author.patch(own, json={"name": "Lin", "bio": "Sails.", "avatar": f"media:{file}"})
    assert (changed.status_code, changed.json["name"], changed.json["slug"]) == (200, "Lin", "author")
    assert as_author.patch(own, json={"slug": "author", "name": "Lin W."}).status_code == 200
    assert as_author.patch(f"{MEDIA}{file}/", json={"alt": "Lin"}).status_code == 200
    assert len(as_author.get(f"{MEDIA}{file}/uses/").json) == 1
    for fields in ({"slug": "publisher"}, {"slug": "free"}, {"user": None}, {"user": str(people.admin.uuid)}):
        assert outcome(as_author.patch(own, json=fields)) == (403, "forbidden")
    for path in (hidden, f"{AUTHORS}{OTHER_UUID}/"):
        assert outcome(as_author.patch(path, json={"name": "N"})) == (404, "not_found")
    guest = make_guest("Guest")
    as_editor.post(ARTICLES, json={"title": "T", "authors": [{"uuid": str(guest.uuid)}], **PUBLISH})
    assert outcome(as_author.patch(f"{AUTHORS}{guest.uuid}/", json={"name": "N"})) == (403, "forbidden")


def test_no_response_of_an_author_is_replayed_for_another_caller(
    app, as_author, as_role, as_reader, as_admin
):
    uuid = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"]
    publisher = as_role(Role.AUTHOR, can_publish=True)
    clients = {as_author: 200, publisher: 404, as_reader: 404, as_admin: 200}
    for _ in range(3):
        for client, status in clients.items():
            assert client.get(f"{ARTICLES}{uuid}/").status_code == status
        assert len(as_author.get(OWN).json) == 1 and publisher.get(OWN).json == []
    as_author.patch(f"{ARTICLES}{uuid}/", json={"title": "Changed"})
    assert as_author.get(OWN).json[0]["title"] == "Changed"
    with app.app_context():
        reassignment.move_user_content("author", "publisher")
    assert as_author.get(f"{ARTICLES}{uuid}/").status_code == 404 and as_author.get(OWN).json == []
    assert publisher.get(f"{ARTICLES}{uuid}/").status_code == 200 and len(publisher.get(OWN).json) == 1


def test_a_new_role_counts_for_the_next_read(app, as_author):
    uuid = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"]
    for role, status, listed in (("reader", 404, 403), ("author", 200, 200), ("editor", 200, 200)):
        assert as_author.get(OWN).status_code in (200, 403)
        app.test_cli_runner().invoke(args=["user", "role", "author", role])
        assert (as_author.get(f"{ARTICLES}{uuid}/").status_code, as_author.get(OWN).status_code) == (
            status,
            listed,
        )


def test_if_match_on_the_list_follows_only_own_articles(as_author, as_admin, make_article):
    uuid = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"]

    def write(etag):
        return as_author.patch(ARTICLES, json=[{"uuid": uuid, "title": "New"}], headers={"If-Match": etag})

    etag = as_author.get(ARTICLES).headers["ETag"]
    as_admin.post(ARTICLES, json={"title": "Hidden", "category": {"slug": "uncategorized"}})
    assert as_author.get(ARTICLES).headers["ETag"] == etag
    assert as_admin.patch(f"{ARTICLES}{uuid}/", json={"subtitle": "New"}).status_code == 200
    assert write(etag).status_code == 412
    assert write(as_author.get(ARTICLES).headers["ETag"]).status_code == 200


def test_a_refused_bulk_write_names_the_item(as_author, make_article):
    own, foreign = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"], make_article().uuid
    for single in (
        as_author.patch(f"{ARTICLES}{own}/", json=PUBLISH),
        as_author.delete(f"{ARTICLES}{foreign}/"),
    ):
        assert (single.status_code, "errors" in single.json) == (403, False)
    items = [{"uuid": uuid, "title": "New"} for uuid in (own, str(foreign))]
    for bulk in (
        as_author.patch(ARTICLES, json=items),
        as_author.delete(f"{ARTICLES}?uuid={own}&uuid={foreign}"),
    ):
        assert (bulk.status_code, bulk.json.get("errors")) == (403, {"1": [single.json["detail"]]})


def test_an_idempotency_key_of_another_author_replays_nothing(as_author, as_role):
    publisher, headers = as_role(Role.AUTHOR, can_publish=True), {"Idempotency-Key": "same"}
    first = as_author.post(ARTICLES, json={"title": "Mine"}, headers=headers).json
    second = publisher.post(ARTICLES, json={"title": "Mine"}, headers=headers).json
    assert first["uuid"] != second["uuid"]
    assert as_author.post(ARTICLES, json={"title": "Mine"}, headers=headers).json == first


@pytest.mark.parametrize("change", ["published", "reassigned", "may not publish"])
def test_what_changed_while_a_write_waited_is_checked_again(
    app, as_author, as_role, people, make_article, monkeypatch, change
):
    client = as_role(Role.AUTHOR, can_publish=True) if change == "may not publish" else as_author
    name = "publisher" if change == "may not publish" else "author"
    as_role(Role.EDITOR)
    with app.app_context():
        account = users.get_user_by_name(name)
    uuid = make_article(author=account, status="draft").uuid
    prepare = service.prerender_inputs

    def prepare_and_change(*arguments, **options):
        prepared = prepare(*arguments, **options)
        monkeypatch.undo()
        with transaction():
            if change == "published":
                service.change_article_in_transaction(people.admin.uuid, uuid, json_input(status="published"))
            elif change == "reassigned":
                reassignment.move_user_content("author", "editor")
            else:
                users.get_user_by_name(name).can_publish = False
        return prepared

    monkeypatch.setattr(service, "prerender_inputs", prepare_and_change)
    status = "published" if change == "may not publish" else None
    body = {"title": "New"} | ({"status": status} if status else {})
    assert client.patch(f"{ARTICLES}{uuid}/", json=body).status_code == (
        404 if change == "reassigned" else 403
    )


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("is_bulk", [True, False])
def test_a_write_that_is_refused_renders_nothing(as_author, as_admin, monkeypatch, method, is_bulk):
    rendered, fields = [], {"title": "Rye", "content": "Words", "excerpt": "Ours"}
    render = prerendering.render_content
    monkeypatch.setattr(
        prerendering, "render_content", lambda *source: rendered.append(source) or render(*source)
    )
    for client, status in ((as_admin, 404), (as_author, 200)):
        uuid = client.post(ARTICLES, json={"title": "Rye", "content": "More words"}).json["uuid"]
        rendered.clear()
        path, body = (ARTICLES, [{"uuid": uuid, **fields}]) if is_bulk else (f"{ARTICLES}{uuid}/", fields)
        assert as_author.open(path, method=method, json=body).status_code == status
        assert bool(rendered) == (status == 200)


def json_input(**fields):
    from blogapi.content.articles.article_content import ArticleInput

    return ArticleInput(**fields)


def test_only_editors_and_admins_list_the_articles_of_all(as_author, as_editor, make_article):
    make_article(status="draft")
    for query in ("status=any", "status=draft", "working_copy=true", "working_copy=false"):
        assert outcome(as_author.get(f"{ARTICLES}?{query}")) == (403, "forbidden")
        assert as_editor.get(f"{ARTICLES}?{query}").status_code == 200
    assert len(as_editor.get(f"{ARTICLES}?status=draft").json) == 1
    assert as_editor.get(COUNTS).json["draft"] == 1 and as_author.get(COUNTS).json["draft"] == 0
    assert outcome(as_editor.get(f"{ARTICLES}author/me/")) == (403, "forbidden")
    assert as_editor.get(OWN).json == []
