"""Keys of the scope `drafts`: they write what their owner may write, and nothing that readers see changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from blogapi.accounts.users import queries as users
from blogapi.web.access import Role
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS
from tests.content.media.rows import MEDIA
from tests.contracts.client import outcome
from tests.pictures import make_picture
from tests.security.conftest import OTHER_UUID

BLOG = "/api/v1/blog/"
PAGES, SITE, REDIRECTS = f"{BLOG}pages/", f"{BLOG}site/", f"{BLOG}redirects/"
CALLERS = ("author", "publisher", "editor", "admin")
DUE = datetime(2999, 1, 1, tzinfo=UTC)
TIMES = {"published_at": DUE.isoformat()}
PUBLIC = ("published", "unlisted", "scheduled")
STATES = ("draft", "archived", "deleted", *PUBLIC)
PIXEL = make_picture("red")

FIELDS = "*,html,head,excerpt,translations,custom,links,authors,published_at,working_copy,editor"
# What a reader can read, apart from single items.
VIEW = (
    *(
        f"{ARTICLES}?fields={FIELDS}",
        f"{ARTICLES}?q=words",
        PAGES,
        CATEGORIES,
        TAGS,
        AUTHORS,
        SITE,
        REDIRECTS,
    ),
    *(f"{BLOG}archive/", f"{BLOG}changes/?limit=100", "/feeds/rss.xml", "/feeds/atom.xml"),
    *("/feeds/feed.json", "/sitemap.xml", "/robots.txt"),
)
# The changes of an article; those that begin with `status` publish it.
CHANGES = {
    **{name: {name: "Changed"} for name in ("title", "subtitle", "content", "excerpt")},
    **{"slug": {"slug": "changed"}, "nothing": {}, "language": {"language": "de"}, "tags": {"tags": []}},
    **{"cover": {"cover_image": "https://pictures.example/x.png"}, "seo": {"seo": {"title": "Changed"}}},
    **{"featured": {"featured": True}, "key": {"translation_key": "other"}, "robots": {"robots": "noindex"}},
    "status published": {"status": "published"},
    "status unlisted": {"status": "unlisted"},
    "status scheduled": {"status": "scheduled", **TIMES},
    "status published in the past": {"status": "published", "published_at": "2020-01-01T00:00:00Z"},
}
# What changes the status of an item without publishing it; the conflicts are those of other callers, too.
WITHDRAWALS = {
    "draft": {"status": "draft"},
    "archived": {"status": "archived"},
    "time": {"published_at": None},
}
# What no key of the scope may send, with the path below the item and the body.
CLOSED = (
    *(("DELETE", "", None), ("POST", "restore/", None), ("POST", "revisions/1/restore/", None)),
    *(("POST", "revisions/", {"name": "N", "title": "V"}), ("PATCH", "revisions/1/", {"name": "N"})),
    *(("POST", "working-copy/publish/", None), ("POST", "working-copy/publish/", {"status": "published"})),
    *(("DELETE", "working-copy/", None), ("POST", "preview/", None), ("POST", "open/", None)),
)


@pytest.fixture
def as_drafts(as_role):
    """Return a function that returns the client of a caller, by a key of the scope (default: `drafts`)."""

    def as_drafts(caller, scope="drafts"):
        is_publisher = caller == "publisher"
        return as_role(Role.AUTHOR if is_publisher else Role(caller), scope, can_publish=is_publisher)

    return as_drafts


@pytest.fixture
def items(app, people, fill_blog, as_admin, as_login, as_drafts, make_article, make_tag):
    """Return a function that fills the blog, with an own and another's article of each state: their uuids."""

    def fill(caller):
        as_drafts(caller)
        as_login.patch(SITE, json={"title": "S", "url": "https://blog.example"})
        with app.app_context():
            account = users.get_user_by_name(caller)
        tag, found = make_tag("rye"), {}
        for whose, owner in (("own", account), ("other", people.admin)):
            for state in STATES:
                status = state if state in ("published", "unlisted") else "draft"
                title = f"{whose} {state}"
                article = make_article(title=title, author=owner, status=status, tags=(tag,))
                path = f"{ARTICLES}{article.uuid}/"
                found[title] = str(article.uuid)
                as_admin.patch(path, json={"subtitle": "words", "translation_key": "k"})
                if state == "scheduled":
                    as_admin.patch(path, json={"status": "scheduled", **TIMES})
                if state == "archived":
                    as_admin.patch(path, json={"status": "published"})
                    as_admin.patch(path, json={"slug": f"{whose}-put-away"})
                    as_admin.patch(path, json={"status": "archived"})
                if state == "deleted":
                    as_admin.delete(path)
        renamed = f"{ARTICLES}{found['other published']}/"
        assert as_admin.patch(renamed, json={"slug": "new-name"}).status_code == 200
        return found

    return lambda caller: fill_blog(f"drafts keys of {caller}", lambda: fill(caller))


@pytest.fixture
def look(as_published_member):
    """Return a function that returns what a reader sees: the lists and feeds, and these articles."""

    def look(uuids=()):
        single = [
            f"{ARTICLES}{uuid}/{query}"
            for uuid in uuids
            for query in ("", f"?fields={FIELDS},previous,next,related")
        ]
        answers = {path: as_published_member.get(path) for path in (*VIEW, *single)}
        return {path: (one.status_code, one.data, one.headers.get("ETag")) for path, one in answers.items()}

    return look


def without_cursor(view):
    """Return the view without the cursor of the changes, which changes when a test sets the clock back."""
    changed = {path: json.loads(view[path][1])["changes"] for path in view if "/changes/" in path}
    return view | changed


def expect(caller, whose, state, change):
    """Return the status and the error code of a PATCH of an item by a key of the scope `drafts`."""
    is_other = whose == "other" and caller in ("author", "publisher")
    if state == "deleted" or (is_other and state not in ("published", "unlisted")):
        return 404, "not_found"
    if is_other:
        return 403, "forbidden"
    if state in PUBLIC or change.startswith("status"):
        return 403, "forbidden" if caller == "author" else "scope_missing"
    return 200, None


@pytest.mark.parametrize("caller", CALLERS)
def test_no_change_of_an_article_reaches_readers(items, as_drafts, look, caller):
    uuids = items(caller)
    before, client = look(uuids.values()), as_drafts(caller)
    for item, uuid in uuids.items():
        whose, state = item.split()
        path = f"{ARTICLES}{uuid}/"
        for name, change in CHANGES.items():
            answer = client.patch(path, json=change)
            assert outcome(answer) == expect(caller, whose, state, name), (item, name)
        for name, change in WITHDRAWALS.items():
            answer = client.patch(path, json=change)
            if expect(caller, whose, state, name)[0] == 200:
                assert answer.status_code in (200, 409), (item, name)
            else:
                assert outcome(answer) == expect(caller, whose, state, name), (item, name)
        for name, change in CHANGES.items():
            status = {} if name.startswith("status") else {"status": "draft"}
            answer = client.put(path, json={"title": "Replaced", **status, **change})
            expected = expect(caller, whose, state, name)
            if state == "deleted" and not (whose == "other" and caller in ("author", "publisher")):
                expected = 409, "deleted"
            assert outcome(answer) == expected, (item, name)
        for method, end, body in CLOSED:
            answer = client.open(f"{path}{end}", method=method, json=body)
            assert outcome(answer) == (403, "scope_missing"), (item, method, end)
        for method, query, body in (
            *(("PUT", "", [{"uuid": uuid, "title": "T"}]), ("PATCH", "", [{"uuid": uuid, "title": "T"}])),
            ("DELETE", f"?uuid={uuid}", None),
        ):
            answer = client.open(f"{ARTICLES}{query}", method=method, json=body)
            assert outcome(answer)[0] == 403, (item, method)
    assert look(uuids.values()) == before


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("caller", CALLERS)
def test_a_save_is_a_working_copy_also_after_the_time_of_publication(
    items, as_drafts, look, set_clock, caller, method
):
    uuids = items(caller)
    before = look(uuids.values())
    set_clock(DUE + timedelta(days=1))
    then = without_cursor(look(uuids.values()))
    assert then != without_cursor(before)
    set_clock(datetime(2998, 1, 1, tzinfo=UTC))
    client = as_drafts(caller)
    for name, uuid in uuids.items():
        whose, state = name.split()
        path = f"{ARTICLES}{uuid}/"
        expected = expect(caller, whose, state, "title")
        if (
            state in PUBLIC
            and expected[1] != "not_found"
            and (whose == "own" or expected[1] == "scope_missing")
        ):
            expected = 200, None
        if caller == "author" and whose == "own" and state != "deleted":
            expected = 200, None
        saved = client.open(f"{path}working-copy/", method=method, json={"title": "Edits", "slug": "edits"})
        assert outcome(saved) == ((201, None) if expected[0] == 200 else expected), name
        if saved.status_code == 201:
            assert client.get(f"{path}working-copy/").json["title"] == "Edits"
            etag = {"If-Match": saved.headers["ETag"]}
            again = client.open(
                f"{path}working-copy/", method=method, json={"title": "More edits"}, headers=etag
            )
            assert again.status_code == 200
    set_clock(DUE + timedelta(days=1))
    assert without_cursor(look(uuids.values())) == then


@pytest.mark.parametrize("caller", CALLERS)
def test_nothing_is_created_in_public(items, as_drafts, look, caller):
    uuids = items(caller)
    before, client = look(uuids.values()), as_drafts(caller)
    refused = 403, "forbidden" if caller == "author" else "scope_missing"
    for name, change in CHANGES.items():
        body = {"title": "New", **change, "category": "shelf"}
        expected = refused if name.startswith("status") else (201, None)
        assert outcome(client.post(ARTICLES, json=body)) == expected, name
        answer = client.put(f"{ARTICLES}{OTHER_UUID}/", json=body)
        assert outcome(answer) in (expected, (200, None)), name
    # The slugs of public articles, also former ones, and their translations.
    for slug in ("new-name", "other-published", "other-unlisted"):
        body = {"title": "New", "slug": slug, "category": "shelf", "translation_key": "k", "language": "de"}
        made = client.post(ARTICLES, json=body)
        assert made.json["slug"] == f"{slug}-{made.json['uuid'][:8]}"
        renamed = client.patch(made.headers["Location"], json={"slug": "new-name"})
        assert renamed.json["slug"] == f"new-name-{made.json['uuid'][:8]}"
        etag = {"If-Match": renamed.headers["ETag"]}
        assert client.patch(made.headers["Location"], json={"title": "N"}, headers=etag).status_code == 200
    shown = client.post(f"{BLOG}render/", json={"content": "x", "title": "New name"}).json
    assert (shown["slug"], shown["free_slug"]) == ("new-name", None)
    assert look(uuids.values()) == before


@pytest.mark.parametrize("caller", CALLERS)
def test_what_an_editor_publishes_later_gets_a_slug_without_the_end(items, as_drafts, as_admin, caller):
    items(caller)
    made = as_drafts(caller).post(ARTICLES, json={"title": "Quiet harbour", "category": "shelf"})
    published = as_admin.patch(made.headers["Location"], json={"status": "published"})
    assert published.json["slug"] == "quiet-harbour"


# An empty blog


@pytest.mark.parametrize("caller", CALLERS)
def test_no_category_is_created_in_an_empty_blog(as_drafts, as_admin, look, caller):
    client, new = as_drafts(caller), f"{ARTICLES}{OTHER_UUID}/"
    before = look()
    for send in (
        lambda: client.post(ARTICLES, json={"title": "T"}),
        lambda: client.put(new, json={"title": "T"}),
    ):
        refused = send()
        assert outcome(refused) == (422, "invalid_fields")
        assert list(refused.json["errors"]) == ["category"]
    assert look() == before
    as_admin.post(CATEGORIES, json={"name": "Kitchen"})
    (message,) = client.post(ARTICLES, json={"title": "T"}).json["errors"]["category"]
    assert "kitchen" in message
    assert client.post(ARTICLES, json={"title": "T", "category": "kitchen"}).status_code == 201
    as_admin.post(CATEGORIES, json={"name": "Uncategorised"})
    before = look()
    made = client.post(ARTICLES, json={"title": "T"})
    assert (made.status_code, made.json["category"]["slug"]) == (201, "uncategorised")
    assert look() == before


def test_a_write_key_still_creates_the_default_category(as_editor):
    assert as_editor.post(ARTICLES, json={"title": "T"}).json["category"]["slug"] == "uncategorised"


# Edits of somebody else


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_edits_are_overwritten_only_by_who_has_read_them(as_drafts, as_admin, make_article, method):
    path = f"{ARTICLES}{make_article(title='One').uuid}/"
    client, copy = as_drafts("editor"), f"{path}working-copy/"

    def save(title, etag=""):
        headers = {"If-Match": etag} if etag else {}
        return client.open(copy, method=method, json={"title": title}, headers=headers)

    item = as_admin.get(path).headers["ETag"]
    as_admin.put(copy, json={"title": "Hers"})
    for etag in ("", "*"):
        assert outcome(save("Mine", etag)) == (428, "if_match_required")
    assert outcome(save("Mine", item)) == (412, "stale")
    assert as_admin.get(copy).json["title"] == "Hers"
    saved = save("Mine", client.get(copy).headers["ETag"])
    assert saved.status_code == 200
    assert outcome(save("Mine again")) == (428, "if_match_required")
    # Other callers need the header only with the setting REQUIRE_IF_MATCH.
    assert as_admin.put(copy, json={"title": "Hers"}).status_code == 200


@pytest.mark.parametrize("with_etag", [True, False])
def test_a_first_save_needs_the_etag_of_the_item_or_none(as_drafts, make_article, with_etag):
    path, client = f"{ARTICLES}{make_article().uuid}/", as_drafts("editor")
    headers = {"If-Match": client.get(path).headers["ETag"]} if with_etag else {}
    assert client.patch(f"{path}working-copy/", json={"title": "T"}, headers=headers).status_code == 201


# Files, and everything else; `tests/contracts/test_roles.py` calls each operation with keys of each scope.


@pytest.mark.parametrize("status", ["draft", "published"])
@pytest.mark.parametrize("caller", CALLERS)
def test_pages_stay_closed(as_drafts, as_admin, look, caller, status):
    page = as_admin.post(PAGES, json={"title": "Imprint", "status": status}).headers["Location"]
    client, before, hidden = as_drafts(caller), look(), as_admin.get(page).data
    body = {"title": "Changed"}
    expected = (403, "forbidden") if caller in ("author", "publisher") else (403, "scope_missing")
    for method, path in (("POST", PAGES), ("PUT", page), ("PATCH", page), ("PATCH", f"{page}working-copy/")):
        assert outcome(client.open(path, method=method, json=body)) == expected
    as_article = page.replace("/pages/", "/articles/")
    for method, end in (("PUT", ""), ("PATCH", ""), ("PUT", "working-copy/"), ("PATCH", "working-copy/")):
        assert client.open(f"{as_article}{end}", method=method, json=body).status_code in (403, 404)
    assert (look(), as_admin.get(page).data) == (before, hidden)
    assert as_admin.get(f"{page}working-copy/").status_code == 404


@pytest.mark.parametrize("caller", CALLERS)
def test_an_upload_changes_no_file(items, as_drafts, as_admin, look, caller):
    uuids = items(caller)
    owner = as_drafts(caller, "write")
    file = owner.post(MEDIA, query_string={"name": "cat.png"}, data=PIXEL).json
    image = f'<img src="{file["url"]}"><img src="media:{file["uuid"]}">'
    body = {"title": "Shows it", "content": image, "status": "published", "category": "shelf"}
    shown = as_admin.post(ARTICLES, json=body).json["uuid"]
    texts = {"name": "cat.png", "alt": "Other words", "caption": "More"}
    client, before = as_drafts(caller), look((*uuids.values(), shown))
    again = client.post(MEDIA, query_string=texts, data=PIXEL)
    assert (again.status_code, again.json["alt"], again.json["caption"]) == (200, "", "")
    assert look((*uuids.values(), shown)) == before
    as_admin.put(f"{MEDIA}{file['uuid']}/content/", data=make_picture("blue"))
    before = look((*uuids.values(), shown))
    former = client.post(MEDIA, query_string=texts, data=PIXEL)
    is_editor = caller in ("editor", "admin")
    assert outcome(former) == (403, "scope_missing" if is_editor else "forbidden")
    assert look((*uuids.values(), shown)) == before
    made = client.post(MEDIA, query_string=texts, data=make_picture("green"))
    assert (made.status_code, made.json["alt"]) == (201, "Other words")
    for method, end, body in (("PATCH", "", {"alt": "A"}), ("DELETE", "", None), ("PUT", "content/", None)):
        answer = client.open(f"{MEDIA}{made.json['uuid']}/{end}", method=method, json=body)
        assert outcome(answer) == (403, "scope_missing")
    assert look((*uuids.values(), shown)) == before


def test_a_file_that_is_uploaded_again_after_its_deletion_stays_out_of_public_html(
    as_drafts, as_admin, look, make_article
):
    file = as_admin.post(MEDIA, query_string={"name": "cat.png"}, data=PIXEL).json
    shown = make_article(content=f'<img src="{file["url"]}">').uuid
    as_admin.delete(f"{MEDIA}{file['uuid']}/?force=true")
    assert as_admin.get(f"{MEDIA}{file['uuid']}/").status_code == 404
    before = look([shown])
    answer = as_drafts("editor").post(MEDIA, query_string={"name": "cat.png", "alt": "W"}, data=PIXEL)
    assert answer.status_code == 201
    assert look([shown]) == before


@pytest.mark.parametrize("caller", CALLERS)
def test_a_key_creates_no_wider_key_and_deletes_only_itself(as_drafts, as_stranger, caller):
    client, anonymous = as_drafts(caller), as_stranger.post(KEYS).json["uuid"]
    wider = as_drafts(caller, "write").get("/api/v1/auth/me/").json["key"]
    assert outcome(client.post(KEYS, json={"scopes": ["write"]})) == (403, "scope_missing")
    made = client.post(KEYS, json={"scopes": ["drafts"], "name": "n"})
    assert made.status_code == 201
    for uuid in (wider, made.json["uuid"], anonymous):
        assert outcome(client.delete(f"{KEYS}{uuid}/")) == (403, "scope_missing")
        assert outcome(client.patch(f"{KEYS}{uuid}/", json={"name": "x"})) == (403, "scope_missing")
        assert outcome(client.post(f"{KEYS}{uuid}/rotate/")) == (403, "scope_missing")
    own = client.get("/api/v1/auth/me/").json["key"]
    assert client.delete(f"{KEYS}{own}/").status_code == 204


@pytest.mark.parametrize("caller", ["editor", "admin"])
def test_the_error_says_where_the_owner_publishes(as_drafts, make_article, caller):
    uuid = make_article().uuid
    refused = as_drafts(caller).patch(f"{ARTICLES}{uuid}/", json={"title": "T"})
    assert f"/admin/articles/{uuid}/" in refused.json["detail"]
