"""Decorative pictures need no alternative text, and nothing reports one as missing."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select, update

from blogapi.content.media.models import Media
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from tests.pictures import make_picture

MEDIA = "/api/v1/blog/media/"
ARTICLES = "/api/v1/blog/articles/"
RED = make_picture("red")


def upload(client, **texts):
    """Upload a picture, and return its JSON."""
    answer = client.post(MEDIA, query_string={"name": "line.png", **texts}, data=RED)
    assert answer.status_code in (200, 201), answer.json
    return answer.json


@pytest.fixture
def path(as_admin):
    """The path of a picture."""
    return f"{MEDIA}{upload(as_admin)['uuid']}/"


# The texts before a change, the body, and the texts after it.
WORDS, NONE, DECORATIVE = ("Words", False), ("", False), ("", True)
CHANGES = [
    (WORDS, {"decorative": True}, DECORATIVE),
    (WORDS, {"decorative": True, "alt": ""}, DECORATIVE),
    (WORDS, {"decorative": False}, WORDS),
    (WORDS, {"alt": ""}, NONE),
    (NONE, {"decorative": True}, DECORATIVE),
    (NONE, {"alt": "Words"}, WORDS),
    (DECORATIVE, {"alt": "Words"}, WORDS),
    (DECORATIVE, {"alt": "Words", "decorative": False}, WORDS),
    (DECORATIVE, {"alt": ""}, DECORATIVE),
    (DECORATIVE, {"caption": "C"}, DECORATIVE),
    (DECORATIVE, {"decorative": False}, NONE),
]


@pytest.mark.parametrize(("before", "body", "after"), CHANGES)
def test_a_decorative_picture_has_no_alternative_text(app, as_admin, path, before, body, after):
    alt, decorative = before
    with app.app_context(), transaction():
        db.session.execute(update(Media).values(alt=alt, decorative=decorative))
    changed = as_admin.patch(path, json=body)
    assert (changed.status_code, changed.json["alt"], changed.json["decorative"]) == (200, *after)
    assert as_admin.get(path).json == changed.json
    # What a GET returns is a valid body, and changes nothing.
    again = as_admin.patch(path, json=changed.json)
    assert (again.status_code, again.json) == (200, changed.json)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"decorative": True, "alt": "Words"}, 422),
        *(({"decorative": value}, 422) for value in (None, "true", 2, [])),
    ],
)
def test_bad_values_change_nothing(as_admin, path, body, status):
    before = as_admin.get(path).json
    answer = as_admin.patch(path, json={**body, "caption": "Changed"})
    assert (answer.status_code, list(answer.json["errors"])) == (status, ["decorative"])
    assert as_admin.get(path).json == before


def test_who_may_change_alt_may_change_it(as_author, as_role, as_admin, as_reader, as_stranger, path):
    own = make_picture("green")
    mine = f"{MEDIA}{as_author.post(MEDIA, query_string={'name': 'g.png'}, data=own).json['uuid']}/"
    body = {"decorative": True}
    for client, expected in ((as_stranger, 401), (as_reader, 403), (as_role(Role.EDITOR, "read"), 403)):
        assert client.patch(path, json=body).status_code == expected
    assert as_author.patch(path, json=body).status_code in (403, 404)
    assert as_admin.get(path).json["decorative"] is False
    for client, file in ((as_author, mine), (as_role(Role.EDITOR), path)):
        assert client.patch(file, json=body).json["decorative"] is True


def test_it_is_not_missing_a_text(as_admin, path):
    assert len(as_admin.get(f"{MEDIA}?alt=missing").json) == 1
    as_admin.patch(path, json={"decorative": True})
    missing = as_admin.get(f"{MEDIA}?alt=missing&page=1")
    assert (missing.json, missing.headers["X-Total-Count"]) == ([], "0")
    assert as_admin.get(f"{MEDIA}?fields=decorative").json == [{"decorative": True}]


def test_a_repeated_upload_leaves_it(as_admin, path):
    as_admin.patch(path, json={"decorative": True})
    again = upload(as_admin, alt="Words", caption="Caption")
    assert (again["decorative"], again["alt"], again["caption"]) == (True, "", "Caption")


def test_public_answers_have_an_empty_text_and_not_the_field(as_admin, as_reader, path):
    uuid = path.split("/")[-2]
    as_admin.patch(path, json={"decorative": True})
    fields = {"cover_image": as_admin.get(path).json["url"], "content": f'<img src="media:{uuid}">'}
    article = as_admin.post(ARTICLES, json={"title": "T", "status": "published", **fields}).json
    shown = as_reader.get(f"{ARTICLES}{article['uuid']}/?fields=*,html,cover,head").json
    assert shown["cover"]["alt"] == "" and ' alt=""' in shown["html"]
    assert "decorative" not in json.dumps(shown)


def test_an_import_of_another_blog_leaves_it(app, as_admin, path, tmp_path):
    as_admin.patch(path, json={"decorative": True})
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "line.png").write_bytes(RED)
    (folder / "post.md").write_text("---\ntitle: Post\n---\n\n![Words](line.png)\n", encoding="utf-8")
    result = app.test_cli_runner().invoke(args=["import", str(folder), "--author", "ada"])
    assert result.exit_code == 0, result.output
    assert len(as_admin.get(f"{path}uses/").json) == 1
    shown = as_admin.get(path).json
    assert (shown["alt"], shown["decorative"]) == ("", True)


@pytest.mark.parametrize("alt", ["", "Words"])
def test_an_export_keeps_it(app, as_admin, path, tmp_path, alt):
    as_admin.patch(path, json={"decorative": True})
    other = as_admin.post(MEDIA, query_string={"name": "b.png"}, data=make_picture("blue")).json["uuid"]
    runner = app.test_cli_runner()
    assert runner.invoke(args=["export", "--drafts", str(tmp_path / "out")]).exit_code == 0
    description = tmp_path / "out" / "media.yaml"
    text = description.read_text(encoding="utf-8")
    assert text.count("decorative: true") == 1 and "decorative: false" not in text
    # A text that somebody adds to the file by hand wins.
    words = text.replace("decorative: true", f'decorative: true\n  alt: "{alt}"') if alt else text
    description.write_text(words, encoding="utf-8")
    for file in (path, f"{MEDIA}{other}/"):
        assert as_admin.delete(file).status_code == 204
    imported = runner.invoke(args=["import", str(tmp_path / "out"), "--author", "ada"])
    assert imported.exit_code == 0, imported.output
    shown = as_admin.get(path).json
    assert (shown["alt"], shown["decorative"]) == (alt, not alt)
    assert as_admin.get(f"{MEDIA}{other}/").json["decorative"] is False


@pytest.mark.sqlite("the backup of a file")
def test_a_backup_keeps_it(app, as_admin, path, tmp_path):
    as_admin.patch(path, json={"decorative": True})
    runner = app.test_cli_runner()
    assert runner.invoke(args=["backup", str(tmp_path / "copy.tar")]).exit_code == 0
    as_admin.patch(path, json={"alt": "Words"})
    restored = runner.invoke(args=["restore", str(tmp_path / "copy.tar"), "--yes"])
    assert restored.exit_code == 0, restored.output
    with app.app_context():
        assert db.session.execute(select(Media.alt, Media.decorative)).one() == ("", True)
