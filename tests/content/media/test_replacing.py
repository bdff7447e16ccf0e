"""Replacing files through the API, and the addresses of the replaced files."""

from __future__ import annotations

import hashlib
import io
from urllib.parse import quote

import pytest
from PIL import Image
from sqlalchemy import select

from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import FormerHash
from blogapi.content.revisions import service as revisions
from blogapi.storage.database import db
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES
from tests.contracts.client import outcome
from tests.pictures import make_picture

pytestmark = pytest.mark.slow

MEDIA = "/api/v1/blog/media/"
SITE = "/api/v1/blog/site/"
OLD = make_picture("red", size=(900, 600))
NEW = make_picture("blue", "JPEG", size=(1000, 500))
OTHER = make_picture("green")


def upload(client, content=OLD, **texts):
    created = client.post(MEDIA, query_string={"name": "cat.png", **texts}, data=content)
    assert created.status_code == 201, created.json
    return created.json


def replace(client, media, content=NEW, headers=(), **query):
    path = f"{MEDIA}{media['uuid']}/content/"
    return client.put(path, data=content, query_string=query, headers=dict(headers))


def list_files(app):
    with app.app_context():
        return {path.name for path in get_folder().root.rglob("*") if path.is_file()}


def list_urls(media):
    return [media["url"], *(rendition["url"] for rendition in media["renditions"])]


@pytest.fixture
def media(as_admin):
    """A picture with two renditions."""
    created = upload(as_admin, alt="A cat", caption="Mimi")
    assert [rendition["width"] for rendition in created["renditions"]] == [400, 800]
    return created


def test_a_replaced_file_keeps_its_uuid_its_texts_and_the_stem_of_its_name(app, as_admin, media):
    answer = replace(as_admin, media)
    assert outcome(answer) == (200, None)
    new, digest = answer.json, hashlib.sha256(NEW).hexdigest()
    kept = ("uuid", "alt", "caption", "created", "user")
    assert {name: new[name] for name in kept} == {name: media[name] for name in kept}
    assert (new["name"], new["type"], new["size"]) == ("cat.jpg", "image/jpeg", len(NEW))
    assert (new["width"], new["height"], new["url"]) == (1000, 500, f"/media/{digest}/cat.jpg")
    assert [rendition["width"] for rendition in new["renditions"]] == [400, 800]
    assert not set(list_urls(new)) & set(list_urls(media))
    found = as_admin.get(f"{MEDIA}{media['uuid']}/")
    assert (found.json, found.headers["ETag"]) == (new, answer.headers["ETag"])
    assert as_admin.get(MEDIA).json == [new]
    # The old stored file is deleted.
    assert list_files(app) == {f"{digest}.jpg"}
    assert as_admin.get(new["url"]).data == NEW


def test_a_name_and_a_form_are_accepted_too(as_admin, media):
    form = {"file": (io.BytesIO(NEW), "other.jpeg")}
    assert as_admin.put(f"{MEDIA}{media['uuid']}/content/", data=form).json["name"] == "cat.jpg"
    assert replace(as_admin, media, OTHER, name="Mimi asleep.gif").json["name"] == "mimi-asleep.png"
    text = as_admin.put(f"{MEDIA}{media['uuid']}/content/", data={"file": (io.BytesIO(OLD), "a"), "alt": "x"})
    assert outcome(text) == (422, "invalid_fields")
    assert outcome(replace(as_admin, media, b"<html>")) == (422, "invalid_fields")
    assert outcome(replace(as_admin, media, alt="x")) == (400, "invalid_query")
    assert outcome(replace(as_admin, {"uuid": "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"})) == (404, "not_found")


def test_all_that_refers_to_a_replaced_file_shows_the_new_one(
    app, as_admin, as_login, make_article, make_category, make_guest, media
):
    small = media["renditions"][0]["url"]
    texts = [
        f"![](media:{media['uuid']})",
        f"![]({media['url']})",
        f'<a href="https://x.example{media["url"]}#a">a</a> <img src="{small}" srcset="{small} 400w">',
    ]
    articles = [make_article(content=text, content_type="markdown", status="published") for text in texts]
    articles.append(make_article(cover_image=media["url"], seo={"og_image": media["url"]}))
    paths = [f"{ARTICLES}{article.uuid}/?fields=*,cover,html,last_updated" for article in articles]
    others = [
        (f"{CATEGORIES}{make_category(name='Cats').uuid}/", "cover_image"),
        (f"{AUTHORS}{make_guest('Grete').uuid}/", "avatar"),
        (SITE, "logo"),
    ]
    for path, name in others:
        assert as_login.patch(path, json={name: media["url"]}).status_code == 200
    before = [as_admin.get(path).json for path in paths]
    uses = as_admin.get(f"{MEDIA}{media['uuid']}/uses/").json
    assert len(uses) == 7
    cursor = as_admin.get("/api/v1/blog/changes/").json["cursor"]

    new = replace(as_admin, media).json
    after = [as_admin.get(path).json for path in paths]
    for shown in after[:3]:
        assert not any(url in shown["html"] for url in list_urls(media))
    # The other sizes have addresses of their own, with the hash of the new file.
    assert all(
        address in after[0]["html"] for address in (new["url"], new["url"].replace(new["name"], "w400"))
    )
    assert f'href="https://x.example{new["url"]}' not in after[2]["html"]
    assert f'href="{new["url"]}#a"' in after[2]["html"]
    assert f'srcset="{new["renditions"][0]["url"]} 400w"' in after[2]["html"]
    assert after[3]["cover_image"] == after[3]["seo"]["og_image"] == after[3]["cover"]["url"] == new["url"]
    # The texts and their times stay, and there is no new version.
    for name in ("content", "last_updated"):
        assert [one[name] for one in after] == [one[name] for one in before]
    assert as_admin.get(f"{ARTICLES}{articles[3].uuid}/revisions/").json == []
    for path, name in others:
        assert as_login.get(path).json[name] == new["url"]
    assert as_admin.get(f"{MEDIA}{media['uuid']}/uses/").json == uses
    changed = as_admin.get(f"/api/v1/blog/changes/?since={quote(cursor)}").json["changes"]
    assert sorted(change["kind"] for change in changed) == ["article"] * 4 + ["author", "category", "site"]
    result = app.test_cli_runner().invoke(args=["doctor", "--full"])
    levels = {line.split()[0] for line in result.output.splitlines() if " media: " in line}
    assert "ok" in levels and "wrong" not in levels, result.output


def test_old_addresses_redirect_to_the_new_file(as_stranger, as_admin, media):
    old, small, large = list_urls(media)
    second = replace(as_admin, media).json
    third = replace(as_admin, media, OTHER, name="Mimi ü.png").json
    for url in (*list_urls(media), *list_urls(second), f"{old}x", f"{old[:72]}other.png"):
        answer = as_stranger.get(url)
        assert (answer.status_code, answer.headers["Location"]) == (302, quote(third["url"]))
        assert "no-cache" in answer.headers["Cache-Control"]
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert as_stranger.head(old).status_code == 302
    fourth = replace(as_admin, media, make_picture("blue", size=(1700, 900))).json
    sizes = {url: as_stranger.get(url).headers["Location"] for url in (old, small, large)}
    assert sizes == dict(zip((old, small, large), list_urls(fourth)[:3], strict=True))
    # A restored file has its own address again.
    assert replace(as_admin, media, OLD, name="cat.png").json["url"] == old
    assert as_stranger.get(old).data == OLD
    assert as_stranger.get(third["url"]).headers["Location"] == old
    assert as_admin.delete(f"{MEDIA}{media['uuid']}/?force=true").status_code == 204
    assert as_stranger.get(third["url"]).status_code == 404


def test_a_file_that_the_library_has_is_refused(app, as_admin, media):
    other, files = upload(as_admin, NEW), list_files(app)
    answer = replace(as_admin, media, NEW)
    assert outcome(answer) == (409, "media_exists")
    assert other["uuid"] in answer.json["detail"]
    assert as_admin.get(f"{MEDIA}{media['uuid']}/").json == media
    assert list_files(app) == files


def test_the_same_file_changes_nothing(app, as_admin, media):
    files = list_files(app)
    assert replace(as_admin, media, OLD).json == media
    # A stored file that is missing is restored.
    with app.app_context():
        get_folder().delete_file(media["url"].split("/")[2], "png")
    assert replace(as_admin, media, OLD).json == media
    assert list_files(app) == files
    assert replace(as_admin, media, OLD, name="b.png").json["name"] == "b.png"


def test_if_match_is_checked_and_a_refused_file_leaves_nothing_behind(app, as_admin, media, monkeypatch):
    files, stale = list_files(app), {"If-Match": '"x"'}
    assert outcome(replace(as_admin, media, headers=stale)) == (412, "stale")
    app.config["MEDIA_GIGABYTES"] = 0
    assert outcome(replace(as_admin, media, make_picture("blue", size=(1700, 900)))) == (507, "media_full")
    assert list_files(app) == files
    assert as_admin.get(f"{MEDIA}{media['uuid']}/").json == media
    # A smaller file fits.
    etag = as_admin.get(f"{MEDIA}{media['uuid']}/").headers["ETag"]
    assert replace(as_admin, media, OTHER, headers={"If-Match": etag}).status_code == 200


def test_an_old_address_belongs_to_a_new_upload_of_the_old_file(as_admin, as_stranger, make_article, media):
    by_uuid = make_article(content=f"![](media:{media['uuid']})", content_type="markdown")
    by_path = make_article(content=f"![]({media['url']})", content_type="markdown")
    new = replace(as_admin, media).json
    again = upload(as_admin)
    assert (again["url"], again["uuid"] == media["uuid"]) == (media["url"], False)
    html = [as_admin.get(f"{ARTICLES}{one.uuid}/?fields=html").json["html"] for one in (by_uuid, by_path)]
    assert new["url"] in html[0] and again["url"] in html[1]
    uses = as_admin.get(f"{MEDIA}{again['uuid']}/uses/").json
    assert [(use["uuid"], use["current"]) for use in uses] == [(str(by_path.uuid), True)]
    assert as_stranger.get(media["url"]).data == OLD


def test_a_former_version_with_the_old_address_still_uses_the_file(app, as_admin, make_article, media):
    article = make_article(content=f"![]({media['url']})", content_type="markdown")
    replace(as_admin, media)
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(path, json={"content": "Words"})
    as_admin.patch(path, json={"content": "Other words"})
    uses = as_admin.get(f"{MEDIA}{media['uuid']}/uses/").json
    assert [(use["uuid"], use["current"]) for use in uses] == [(str(article.uuid), False)]
    with app.app_context():
        revisions.prune_revisions(2)
    assert as_admin.get(f"{MEDIA}{media['uuid']}/uses/").json == uses
    with app.app_context():
        revisions.prune_revisions(0)
    assert as_admin.get(f"{MEDIA}{media['uuid']}/uses/").json == []


@pytest.mark.parametrize("address", [lambda one: one["url"], lambda one: one["renditions"][1]["url"]])
@pytest.mark.parametrize("replacements", [1, 2])
def test_a_kept_version_keeps_the_file_that_it_shows_by_a_former_address(
    app, as_admin, as_stranger, make_article, media, address, replacements
):
    article = make_article(content="First", content_type="markdown")
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(path, json={"content": f"![]({address(media)})"})
    for content in (NEW, OTHER)[:replacements]:
        assert replace(as_admin, media, content).status_code == 200
    as_admin.patch(path, json={"content": "Words"})
    with app.app_context():
        # Of the two former versions, the one without the picture is deleted.
        assert revisions.prune_revisions(1) == 1
    result = app.test_cli_runner().invoke(args=["media", "prune", "--days", "0"])
    assert result.exit_code == 0, result.output
    (version,) = as_admin.get(f"{path}revisions/").json
    assert as_admin.post(f"{path}revisions/{version['number']}/restore/").status_code == 200
    shown = as_admin.get(f"{path}?fields=html").json["html"]
    current = as_admin.get(f"{MEDIA}{media['uuid']}/").json
    assert current["url"] in shown
    assert as_stranger.get(current["url"]).status_code == 200


def test_an_old_address_that_is_sent_again_is_stored_as_the_new_one(as_admin, make_article, media):
    new = replace(as_admin, media).json
    article = make_article()
    answer = as_admin.patch(
        f"{ARTICLES}{article.uuid}/", json={"cover_image": f"https://x.example{media['url']}"}
    )
    assert answer.json["cover_image"] == new["url"]


@pytest.mark.parametrize("kind", ["article", "category", "author"])
def test_replacing_takes_the_same_statements_for_any_number_of_items(
    app, as_admin, make_article, make_category, make_guest, media, record_statements, kind
):
    numbers = []

    def use(count):
        for number in range(count):
            name = f"{kind} {count} {number} {len(numbers)}"
            if kind == "article":
                make_article(title=name, content=f"![]({media['url']})", cover_image=media["url"])
            elif kind == "category":
                path = f"{CATEGORIES}{make_category(name=name).uuid}/"
                as_admin.patch(path, json={"cover_image": media["url"]})
            else:
                as_admin.patch(f"{AUTHORS}{make_guest(name).uuid}/", json={"avatar": media["url"]})

    use(1)
    for content in (make_picture("blue", size=(900, 600)), make_picture("green", size=(900, 600))):
        use(5)
        with record_statements() as statements:
            assert replace(as_admin, media, content).status_code == 200
        numbers.append(len(statements))
    # The second replacement has more former hashes.
    assert numbers[1] == numbers[0]
    with app.app_context():
        assert len(db.session.scalars(select(FormerHash)).all()) == 2


def test_another_import_keeps_the_replacement(app, as_admin, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "bread.md").write_text("---\ntitle: Bread\ndate: 2024-05-01\n---\n![Oven](a.jpg)\n")
    # The library removes the comment, so that the stored file is another one.
    content = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(content, "JPEG", comment=b"Secret")
    (site / "a.jpg").write_bytes(content.getvalue())

    def run_import():
        result = app.test_cli_runner().invoke(args=["import", str(site), "--author", "ada"])
        assert result.exit_code == 0, result.output
        (article,) = as_admin.get(f"{ARTICLES}?fields=html").json
        return article["html"]

    run_import()
    (imported,) = as_admin.get(MEDIA).json
    assert hashlib.sha256(content.getvalue()).hexdigest() not in imported["url"]
    new = replace(as_admin, imported, OTHER).json
    assert new["url"] in run_import()
    assert as_admin.get(MEDIA).json == [new]
