"""Uploads, lists, changes and deletions of files through the API."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import pytest
from sqlalchemy import null
from werkzeug.datastructures import MultiDict

from blogapi.accounts.users import service as users
from blogapi.content.articles.writing import rerendering
from blogapi.content.media import affected_items, editing, queries, removal
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import FormerHash, Media, MediaPath, MediaUse
from blogapi.storage.database import db, transaction
from tests.content.media.rows import MEDIA, SCALABLE, add_media, make_hash
from tests.contracts.client import outcome
from tests.pictures import make_picture

SITE = "/api/v1/blog/site/"
RED = make_picture("red")
HASH = hashlib.sha256(RED).hexdigest()


def part(content=RED, name="cat.png"):
    return io.BytesIO(content), name


def upload(client, content=RED, name="cat.png", **texts):
    return client.post(MEDIA, data={"file": part(content, name), **texts})


def list_files(app):
    """Return the names of all files in the media folder, with those of unfinished uploads."""
    with app.app_context():
        return sorted(path.name for path in get_folder().root.rglob("*") if path.is_file())


def test_an_upload_creates_a_file(app, as_admin, people):
    created = upload(as_admin, alt="A cat", caption="Mimi")
    assert created.status_code == 201
    shown = created.json
    assert created.headers["Location"] == f"{MEDIA}{shown['uuid']}/"
    assert {name: shown[name] for name in shown if name not in ("uuid", "created", "last_updated")} == {
        **{"name": "cat.png", "alt": "A cat", "caption": "Mimi", "type": "image/png", "size": len(RED)},
        **{"width": 40, "height": 30, "url": f"/media/{HASH}/cat.png", "renditions": []},
        "decorative": False,
        "user": {"uuid": str(people.admin.uuid), "username": "ada"},
    }
    found = as_admin.get(created.headers["Location"])
    assert (found.json, found.headers["ETag"]) == (shown, created.headers["ETag"])
    assert list_files(app) == [f"{HASH}.png"]


@pytest.mark.parametrize(
    ("query", "header", "name"),
    [
        ("?name=cat.png&alt=A%20cat&caption=Mimi", None, "cat.png"),
        ("?alt=A cat&caption=Mimi", 'attachment; filename="dog.png"', "dog.png"),
        ("?alt=A cat&caption=Mimi", "attachment; filename*=UTF-8''%E7%8C%AB.png", "猫.png"),
        (
            "?name=%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80.png&alt=A cat&caption=Mimi",
            None,
            "हिन्दी.png",
        ),
        ("?alt=A cat&caption=Mimi", 'attachment; filename="猫.png"'.encode().decode("latin-1"), "猫.png"),
        ("?name=cat.png&alt=A cat&caption=Mimi", 'attachment; filename="dog.png"', "cat.png"),
    ],
)
def test_the_body_can_be_the_file_itself(as_admin, query, header, name):
    headers = {"Content-Disposition": header} if header else {}
    # The type in the request is ignored.
    created = as_admin.post(MEDIA + query, data=RED, headers=headers, content_type="image/jpeg")
    shown = created.json
    assert (created.status_code, shown["name"], shown["type"]) == (201, name, "image/png")
    assert (shown["alt"], shown["caption"]) == ("A cat", "Mimi")


@pytest.mark.parametrize(("element", "header"), [("foreignObject", "<foreignObject>"), ("script", "")])
def test_a_response_says_whether_a_drawing_has_lost_text(as_admin, element, header):
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg"><{element}>a</{element}></svg>'.encode()
    created = as_admin.post(f"{MEDIA}?name=a.svg", data=drawing, content_type="image/svg+xml")
    other = drawing.replace(b">a<", b">b<")
    replaced = as_admin.put(
        f"{MEDIA}{created.json['uuid']}/content/", data=other, content_type="image/svg+xml"
    )
    assert (created.status_code, replaced.status_code) == (201, 200)
    for answer in (created, replaced):
        assert header in answer.headers.get("X-Warning", "") and ("X-Warning" in answer.headers) == bool(
            header
        )


def test_a_file_outlives_the_user_who_uploaded_it(app, as_admin, people, make_client):
    as_grace = make_client(app, people.key(people.other_admin, "write"))
    path = f"{MEDIA}{upload(as_grace).json['uuid']}/"
    user = {"uuid": str(people.other_admin.uuid), "username": "grace"}
    assert upload(as_admin, alt="Again").json["user"] == user
    found = as_admin.get(f"{path}?fields=name,user")
    assert found.json == {"name": "cat.png", "user": user}
    assert as_admin.get(f"{MEDIA}?fields=user").json == [{"user": user}]
    assert as_admin.patch(path, json={"user": user}).status_code == 200
    assert as_admin.patch(path, json={"user": None}).status_code == 422
    with app.app_context():
        users.delete_user_by_name("grace")
    assert as_admin.get(path).json["user"] is None
    # The ETag covers the user.
    stale = {"If-Match": found.headers["ETag"]}
    assert as_admin.patch(path, json={"alt": "x"}, headers=stale).status_code == 412


def test_a_repeated_upload_returns_the_present_file_and_fills_in_empty_texts(app, as_admin):
    first = upload(as_admin, alt="A cat")
    second = upload(as_admin, name="other.png", alt="Other", caption="Mimi")
    assert (second.status_code, "Location" in second.headers) == (200, False)
    assert second.json == first.json | {"caption": "Mimi", "last_updated": second.json["last_updated"]}
    assert upload(as_admin, caption="Other").json == second.json
    assert list_files(app) == [f"{HASH}.png"]


def test_an_upload_of_a_file_that_is_deleted_before_the_response_is_asked_for_again(as_admin, monkeypatch):
    add = editing.add_file

    def add_and_delete(*args, **texts):
        media, created = add(*args, **texts)
        # Another request has a session of its own.
        db.session.expunge(media)
        removal.delete_file(media.uuid)
        return media, created

    monkeypatch.setattr(editing, "add_file", add_and_delete)
    assert outcome(upload(as_admin)) == (503, "unavailable")


MALFORMED, INVALID = (400, "malformed"), (422, "invalid_fields")
LARGE = (413, "too_large")
REFUSED = (415, "unsupported_media_type")
BAD_UPLOADS = {
    "JSON": (lambda: {"json": {"file": "x"}}, REFUSED, None),
    "a form": (lambda: {"data": RED, "content_type": "application/x-www-form-urlencoded"}, REFUSED, None),
    "another multipart type": (
        lambda: {"data": RED, "content_type": "multipart/mixed; boundary=x"},
        REFUSED,
        None,
    ),
    "no boundary": (lambda: {"data": RED, "content_type": "multipart/form-data"}, MALFORMED, None),
    "a wrong boundary": (
        lambda: {"data": RED, "content_type": "multipart/form-data; boundary=x"},
        MALFORMED,
        None,
    ),
    "a boundary outside ASCII": (
        lambda: {"data": RED, "content_type": "multipart/form-data; boundary=é"},
        MALFORMED,
        None,
    ),
    "a cut body": (
        lambda: {
            "data": b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + RED,
            "content_type": "multipart/form-data; boundary=x",
        },
        MALFORMED,
        None,
    ),
    "no part": (
        lambda: {"data": b"--x--\r\n", "content_type": "multipart/form-data; boundary=x"},
        INVALID,
        "file",
    ),
    "no file": (lambda: {"data": {"alt": "A cat"}, "content_type": "multipart/form-data"}, INVALID, "file"),
    "a text as the file": (
        lambda: {"data": {"file": "text"}, "content_type": "multipart/form-data"},
        INVALID,
        "file",
    ),
    "two files": (lambda: {"data": MultiDict([("file", part()), ("file", part())])}, INVALID, "file"),
    "a file in another part": (lambda: {"data": {"picture": part()}}, INVALID, "picture"),
    "an unknown part": (lambda: {"data": {"file": part(), "title": "x"}}, INVALID, "title"),
    "a repeated part": (lambda: {"data": {"file": part(), "alt": ["a", "b"]}}, INVALID, "alt"),
    "a control character": (lambda: {"data": {"file": part(), "alt": "a\x1eb"}}, INVALID, "alt"),
    "a long text": (lambda: {"data": {"file": part(), "caption": "x" * 10_001}}, INVALID, "caption"),
    "a very long text": (lambda: {"data": {"file": part(), "caption": "x" * 300_000}}, LARGE, None),
    "many parts": (lambda: {"data": {"file": part(), "alt": ["x"] * 20}}, LARGE, None),
    "an empty part": (lambda: {"data": {"file": part(b"")}}, INVALID, "file"),
    "a part without a name": (lambda: {"data": {"file": part(RED, "")}}, INVALID, "name"),
    "an empty body": (lambda: {"query_string": "name=cat.png", "data": b""}, INVALID, "file"),
    "no name": (lambda: {"data": RED}, INVALID, "name"),
    "an unknown type": (lambda: {"query_string": "name=cat.xyz", "data": b"\0\1\2\3"}, INVALID, "file"),
    "a large body": (lambda: {"query_string": "name=cat.png", "data": bytes(1001)}, LARGE, None),
    "a large part": (lambda: {"data": {"file": part(bytes(1001))}}, LARGE, None),
    "an unknown parameter": (
        lambda: {"query_string": "name=cat.png&title=x", "data": RED},
        (400, "invalid_query"),
        "title",
    ),
    "a repeated parameter": (lambda: {"query_string": "name=a.png&name=b.png"}, (400, "invalid_query"), None),
    "an Idempotency-Key": (
        lambda: {"query_string": "name=a.png", "headers": {"Idempotency-Key": "x"}},
        MALFORMED,
        None,
    ),
    "If-Match": (
        lambda: {"query_string": "name=a.png", "headers": {"If-Match": '"x"'}},
        (412, "stale"),
        None,
    ),
}


@pytest.mark.parametrize("name", BAD_UPLOADS)
def test_a_bad_upload_is_refused_and_leaves_nothing_behind(app, as_admin, name):
    request, expected, field = BAD_UPLOADS[name]
    app.config["MAX_MEDIA_SIZE"] = 1000
    response = as_admin.post(MEDIA, **request())
    assert outcome(response) == expected, response.text
    if field is not None:
        assert field in response.json["errors"]
    assert as_admin.get(MEDIA).json == []
    assert list_files(app) == []


@pytest.mark.parametrize("content", [bytes(1001), bytes(200_000)])
def test_a_large_body_without_a_content_length_is_refused(app, as_admin, content):
    app.config["MAX_MEDIA_SIZE"] = 1000
    response = as_admin.post(
        f"{MEDIA}?name=cat.png",
        input_stream=io.BytesIO(content),
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert outcome(response) == LARGE
    assert list_files(app) == []


def test_the_limit_on_json_bodies_does_not_apply_to_uploads(app, as_admin):
    app.config["MAX_CONTENT_LENGTH"] = 50
    assert upload(as_admin).status_code == 201
    assert as_admin.post(f"{MEDIA}?name=cat.png", data=RED).status_code == 200


def test_a_page_of_another_origin_cannot_upload_with_a_login(as_login):
    headers = {"Origin": "https://evil.example"}
    response = as_login.post(f"{MEDIA}?name=cat.png", data=RED, headers=headers)
    assert outcome(response) == (403, "cross_origin")
    own = {"Origin": "http://localhost"}
    assert as_login.post(f"{MEDIA}?name=cat.png", data=RED, headers=own).status_code == 201


def test_the_library_refuses_files_above_its_limit(app, as_admin):
    # Each file counts as at least 4096 bytes.
    app.config["MEDIA_GIGABYTES"] = 2 * 4096 / 10**9
    statuses = [upload(as_admin, make_picture(colour)).status_code for colour in ("red", "green")]
    refused = upload(as_admin, make_picture("blue"))
    assert (statuses, outcome(refused)) == ([201, 201], (507, "media_full"))
    assert (len(list_files(app)), len(as_admin.get(MEDIA).json)) == (2, 2)
    # A repeated upload needs no room.
    assert upload(as_admin, make_picture("red")).status_code == 200


def test_the_limit_on_requests_per_key_applies_to_uploads(make_app, instance, people, make_client):
    app = make_app(REQUEST_KEY_LIMIT="2 per minute")
    client = make_client(app, people.key(people.admin, "write"))
    statuses = [client.post(f"{MEDIA}?name=cat.png", data=RED).status_code for _ in range(4)]
    assert statuses == [201, 200, 429, 429]


def names(response):
    assert response.status_code == 200, response.text
    return [item["name"] for item in response.json]


def test_the_list_shows_the_newest_files_first_by_page(app, as_admin):
    for number in range(5):
        add_media(app, name=f"{number}.png")
    assert names(as_admin.get(MEDIA)) == ["4.png", "3.png", "2.png", "1.png", "0.png"]
    page = as_admin.get(f"{MEDIA}?page=2&page_size=2")
    assert (names(page), page.headers["X-Total-Count"]) == (["2.png", "1.png"], "5")
    assert f'<{MEDIA}?page=3&page_size=2>; rel="last"' in page.headers["Link"]
    beyond = as_admin.get(f"{MEDIA}?page=9")
    assert (beyond.json, beyond.headers["X-Total-Count"]) == ([], "5")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=CAT", ["100%.png", "cat_1.png"]),
        ("q=%25", ["100%.png"]),
        ("q=_", ["cat_1.png", "song.mp3"]),
        ("q=it's", ["song.mp3"]),
        ('q="', ["cat_1.png"]),
        ("q=\\", ["100%.png"]),
        ("q=Ü", ["cat_1.png"]),
        ("q=über", ["cat_1.png"]),
        ("q=ärger", ["song.mp3"]),
        ("q=ÄRGER", ["song.mp3"]),
        ("q=nothing", []),
        ("type=audio", ["song.mp3"]),
        ("type=image/png", ["100%.png", "cat_1.png"]),
        ("type=image/p", []),
        ("unused=true", ["100%.png", "cat_1.png"]),
        ("alt=missing", ["100%.png", "cat_1.png"]),
        ("alt=missing&q=100", ["100%.png"]),
        ("unused=false&type=audio", ["song.mp3"]),
        ("unused=false&type=image", []),
    ],
)
def test_filters_select_files(app, as_admin, query, found):
    add_media(app, name="cat_1.png", caption='"Über"', size=3)
    add_media(app, name="song.mp3", type="audio/mpeg", alt="it's _ Ärger", unused_since=null(), size=2)
    add_media(app, name="100%.png", caption="A Cat\\", size=1)
    key, _, value = query.partition("=")
    path = f"{MEDIA}?{key}={value if '&' in value or '%25' in value else quote(value)}"
    assert sorted(names(as_admin.get(path))) == found
    page = as_admin.get(f"{path}&page=1")
    assert (sorted(names(page)), page.headers["X-Total-Count"]) == (found, str(len(found)))


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        ("created", "bca"),
        ("-created", "acb"),
        ("name", "abc"),
        ("-name", "cba"),
        ("size", "cab"),
        ("-size", "bac"),
    ],
)
def test_ordering_sorts_the_list(app, as_admin, ordering, expected):
    for name, size in (("b", 3), ("c", 1), ("a", 2)):
        add_media(app, name=f"{name}.png", size=size)
    listed = names(as_admin.get(f"{MEDIA}?ordering={ordering}"))
    assert "".join(name[0] for name in listed) == expected


@pytest.mark.parametrize(
    "query",
    [
        *(f"q={'x' * 201}", "type=Image", "type=image/", "type=%25", "unused=1", "ordering=alt"),
        *("page=0", "page_size=101", "fields=hash", "search=x"),
    ],
)
def test_an_invalid_parameter_of_the_list_is_refused(as_admin, query):
    assert outcome(as_admin.get(f"{MEDIA}?{query}")) == (400, "invalid_query")


@pytest.mark.parametrize("query", ["", "?fields=uuid,alt", "?fields=alt&q=picture", "?fields=alt&type=image"])
def test_a_long_list_is_streamed_with_the_same_content_and_an_etag(app, as_admin, monkeypatch, query):
    uuids = [add_media(app, **SCALABLE) for _ in range(7)]
    whole = as_admin.get(MEDIA + query)
    monkeypatch.setattr(queries, "CHUNK_SIZE", 3)
    streamed = as_admin.get(MEDIA + query)
    assert (streamed.data, streamed.headers["X-Total-Count"]) == (whole.data, "7")
    again = {"If-None-Match": streamed.headers["ETag"]}
    assert as_admin.get(MEDIA + query, headers=again).status_code == 304
    as_admin.patch(f"{MEDIA}{uuids[3]}/", json={"alt": "Changed"})
    changed = as_admin.get(MEDIA + query, headers=again)
    assert (changed.status_code, [item["alt"] for item in changed.json].count("Changed")) == (200, 1)


def test_addresses_are_absolute_if_the_site_has_a_service_url(app, as_admin, as_login):
    path = f"{MEDIA}{add_media(app, name='cat.png', hash=HASH, **SCALABLE)}/"
    relative = as_admin.get(path)
    as_login.patch(SITE, json={"service_url": "https://api.blog.example"})
    shown = as_admin.get(path).json
    assert (relative.json["url"], shown["url"]) == (
        f"/media/{HASH}/cat.png",
        f"https://api.blog.example/media/{HASH}/cat.png",
    )
    assert shown["renditions"][0]["url"].startswith("https://api.blog.example/media/")
    assert shown["renditions"][0]["url"].endswith("/w400.webp")
    assert as_admin.get(MEDIA).json == [shown]
    # What a GET returned is a valid body, and changes nothing.
    assert as_admin.patch(path, json=shown).json == shown


def test_texts_with_an_escaped_control_character_stay_as_they_are(app, as_admin, as_login):
    as_login.patch(SITE, json={"service_url": "https://api.blog.example"})
    path = f"{MEDIA}{add_media(app)}/"
    alt = '\\u001e "\\u001e :"\\u001e/media/'
    assert as_admin.patch(path, json={"alt": alt}).json["alt"] == as_admin.get(path).json["alt"] == alt


def test_patch_changes_the_texts_and_the_name(app, as_admin):
    path = f"{MEDIA}{add_media(app, name='cat.png', hash=HASH, **SCALABLE)}/"
    before = as_admin.get(path)
    changes = {"alt": "A cat", "caption": "Mimi", "name": "mimi-2.png"}
    changed = as_admin.patch(path, json=changes, headers={"If-Match": before.headers["ETag"]})
    assert changed.json["url"] == f"/media/{HASH}/mimi-2.png"
    assert {name: changed.json[name] for name in changes} == changes
    assert changed.json["last_updated"] > before.json["last_updated"]
    stale = as_admin.patch(path, json={"alt": ""}, headers={"If-Match": before.headers["ETag"]})
    assert outcome(stale) == (412, "stale")
    unchanged = as_admin.patch(path, json=changes, headers={"If-Match": changed.headers["ETag"]})
    assert unchanged.json == as_admin.get(path).json == changed.json


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", name) for name in ("cat.jpg", "cat", ".png", "a b.png", "../cat.png", "cat.svg.png", "")),
        *(("alt", value) for value in ("x" * 1001, None, 1, "\x1e")),
        *(("type", "text/html"), ("size", 1), ("renditions", []), ("url", "/x"), ("width", None)),
        ("hash", HASH),
    ],
)
def test_patch_refuses_an_invalid_field(app, as_admin, field, value):
    path = f"{MEDIA}{add_media(app, **SCALABLE)}/"
    before = as_admin.get(path).json
    response = as_admin.patch(path, json={"caption": "Changed", field: value})
    assert (outcome(response), list(response.json["errors"])) == ((422, "invalid_fields"), [field])
    assert as_admin.get(path).json == before


@pytest.mark.parametrize("tail", ["", "uses/"])
@pytest.mark.parametrize("id", ["3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d", "cat.png"])
def test_an_unknown_file_gets_a_404(as_admin, id, tail):
    assert outcome(as_admin.get(f"{MEDIA}{id}/{tail}")) == (404, "not_found")
    if not tail:
        assert outcome(as_admin.patch(f"{MEDIA}{id}/", json={"alt": "x"})) == (404, "not_found")
        assert outcome(as_admin.delete(f"{MEDIA}{id}/")) == (404, "not_found")


@pytest.fixture
def used(app, as_admin, make_article, make_guest):
    """The path of a file that an article, a deleted article, an author and the site use."""
    site, article = as_admin.get(SITE).json["uuid"], make_article(title="Bread")
    gone = make_article(title="Gone")
    as_admin.delete(f"/api/v1/blog/articles/{gone.uuid}/")
    people = [("author", make_guest("Grete").uuid), ("site", UUID(site))]
    media = add_media(app)
    with app.app_context(), transaction():
        for article_id, path in (
            (article.uuid, "a.png"),
            (gone.uuid, "a.png"),
            (UUID(HASH[:32]), "b.png"),
        ):
            db.session.add(MediaPath(article_id=article_id, path=path, media_id=media))
        db.session.flush()
        for kind, item_id in (("article", article.uuid), ("article", gone.uuid), *people):
            db.session.add(MediaUse(media_id=media, kind=kind, item_id=item_id, current=True))
    return f"{MEDIA}{media}/"


def test_uses_shows_each_item_once_the_current_uses_first(as_admin, as_login, used):
    as_login.patch(SITE, json={"title": "The blog"})
    uses = as_admin.get(f"{used}uses/")
    shown = [(use["kind"], use["title"], use["current"]) for use in uses.json]
    assert sorted(shown[:4], key=str) == [
        ("article", "Bread", True),
        ("article", None, True),
        ("author", "Grete", True),
        ("site", "The blog", True),
    ]
    assert shown[4:] == [("article", None, False)]
    page = as_admin.get(f"{used}uses/?page=2&page_size=3")
    assert (page.json, page.headers["X-Total-Count"]) == (uses.json[3:], "5")
    assert as_admin.get(f"{used}uses/?page=9").json == []


def test_a_used_file_is_deleted_only_by_force(app, as_admin, used, monkeypatch):
    monkeypatch.setattr(removal, "MAX_LISTED_USES", 2)
    refused = as_admin.delete(used)
    assert outcome(refused) == (409, "media_in_use")
    assert refused.json["detail"].startswith("5 items use this file; ")
    assert len(refused.json["errors"]["uses"]) == 2
    assert as_admin.get(used).status_code == 200
    assert outcome(as_admin.delete(f"{used}?force=1")) == (400, "invalid_query")
    assert as_admin.delete(f"{used}?force=true").status_code == 204
    assert outcome(as_admin.get(used)) == (404, "not_found")


def test_deleting_a_file_deletes_the_stored_files_that_nothing_else_needs(app, as_admin):
    location = upload(as_admin).headers["Location"]
    etag = as_admin.get(location).headers["ETag"]
    assert outcome(as_admin.delete(location, headers={"If-Match": '"x"'})) == (412, "stale")
    assert list_files(app) == [f"{HASH}.png"]
    assert as_admin.delete(location, headers={"If-Match": f"{etag}"}).status_code == 204
    assert list_files(app) == []


def test_the_file_of_a_stored_rendition_is_deleted_with_its_picture(app, as_admin):
    small, shared = make_hash("small"), make_hash("shared")
    picture = add_media(app, **SCALABLE)
    other = add_media(app, name="other.webp", type="image/webp", hash=shared)
    with app.app_context(), transaction():
        for hash, width in ((small, 400), (shared, 800)):
            db.session.add(FormerHash(hash=hash, media_id=picture, width=width))
            path = get_folder().get_path(hash, "webp")
            path.parent.mkdir(parents=True)
            path.write_bytes(b"x")
    assert as_admin.delete(f"{MEDIA}{picture}/").status_code == 204
    # The file of another entry stays.
    assert list_files(app) == [f"{shared}.webp"]
    assert as_admin.delete(f"{MEDIA}{other}/").status_code == 204
    assert list_files(app) == []


def test_a_file_that_is_uploaded_again_during_its_deletion_stays(app, as_admin, monkeypatch):
    location = upload(as_admin).headers["Location"]
    delete_unreferenced = removal.delete_unreferenced_files

    def upload_first(stored_files):
        monkeypatch.setattr(removal, "delete_unreferenced_files", delete_unreferenced)
        assert upload(as_admin).status_code == 201
        return delete_unreferenced(stored_files)

    monkeypatch.setattr(removal, "delete_unreferenced_files", upload_first)
    assert as_admin.delete(location).status_code == 204
    assert list_files(app) == [f"{HASH}.png"]


def test_a_stored_file_that_cannot_be_deleted_is_logged(app, as_admin, monkeypatch, caplog):
    location = upload(as_admin).headers["Location"]

    def fail(self, hash, extension):
        raise PermissionError("no")

    monkeypatch.setattr("blogapi.content.media.folder.MediaFolder.delete_file", fail)
    assert as_admin.delete(location).status_code == 204
    assert "remain in the media folder" in caplog.text
    assert as_admin.get(MEDIA).json == []


@pytest.fixture
def calls(monkeypatch):
    """The calls of the functions that prepare and render articles."""
    made = []

    def render(session, media_ids):
        gone = session.get(Media, next(iter(media_ids))) is None
        made.append(
            (
                "gone" if gone else "changed",
                affected_items.find_items_using_files(session, "article", media_ids),
            )
        )

    monkeypatch.setattr(rerendering, "rerender_articles_using_files", render)
    monkeypatch.setattr(
        rerendering,
        "prerender_articles_using_files",
        lambda media_ids: made.append(("prepared", len(media_ids))),
    )
    return made


def test_articles_are_rendered_after_a_change_and_a_deletion_of_a_file(app, as_admin, make_article, calls):
    article = make_article().uuid
    path = f"{MEDIA}{add_media(app, uses=[('article', article)])}/"
    as_admin.patch(path, json={"alt": "Changed"})
    assert calls == [("prepared", 1), ("changed", {article})]
    calls.clear()
    as_admin.patch(path, json={"alt": "Changed"})
    assert calls == [("prepared", 1)]
    calls.clear()
    as_admin.delete(f"{path}?force=true")
    assert calls == [("prepared", 1), ("gone", {article})]


def test_articles_are_rendered_after_an_upload_that_fills_in_texts(as_admin, calls):
    assert upload(as_admin).status_code == 201
    assert calls == []
    assert upload(as_admin, alt="A cat").status_code == 200
    assert ("changed", set()) in calls


def test_an_upload_is_never_completely_in_memory(app, as_admin, monkeypatch):
    sizes = []
    open_file = Path.open

    class Recorder(io.FileIO):
        def write(self, data):
            sizes.append(len(data))
            return super().write(data)

    monkeypatch.setattr(
        *(Path, "open"),
        lambda self, mode="r", *rest, **options: (
            Recorder(self, mode) if mode == "wb" else open_file(self, mode, *rest, **options)
        ),
    )
    # Random bytes would be slower, and an unknown type is refused only after it was received.
    assert upload(as_admin, bytes(400_000), "zero.xyz").status_code == 422
    assert sum(sizes) == 400_000 and max(sizes) <= 128 * 1024
