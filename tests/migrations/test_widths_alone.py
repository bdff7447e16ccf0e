"""The migration that drops stored renditions: their addresses and the references to them stay valid."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select

from blogapi.content.media import images, removal
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import FormerHash
from blogapi.storage.database import db
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, AUTHORS, close_connections
from tests.databases import SERVER_URL
from tests.migrations.record_blog import LATER
from tests.migrations.test_landed import BLOGS, copy_to_server
from tests.pictures import make_picture

pytestmark = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")

MEDIA = "/api/v1/blog/media/"
TIME = "2026-01-01 06:00:00.000000"
CAT, ICON = make_picture("red", size=(1000, 500)), make_picture("green", size=(40, 30))
# Two pictures have the same rendition of 400 pixels; the rendition of 800 pixels was uploaded as a file too.
SMALL, LARGE = (make_picture("red", "WEBP", (width, width // 2)) for width in (400, 800))
OTHER = make_picture("red", size=(500, 250))


def get_hash(content):
    return hashlib.sha256(content).hexdigest()


def make_path(content, name):
    return f"/media/{get_hash(content)}/{name}"


def add_pictures(connection):
    """Store pictures, and let an article and its author show renditions of one."""

    def insert(table, *values):
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608

    def add(number, name, content, sizes):
        columns = (f"{number:032}", TIME, TIME, name, f"image/{name[-4:].strip('.')}", len(content))
        insert("media", *columns, *[get_hash(content)] * 2, *sizes, "", "", TIME, None, b"")

    add(1, "cat.png", CAT, (1000, 500))
    add(2, "other.png", OTHER, (500, 250))
    add(3, "icon.png", ICON, (40, 30))
    add(4, "large.webp", LARGE, (800, 400))
    for number, width, content in ((1, 400, SMALL), (1, 800, LARGE), (2, 400, SMALL)):
        insert("media_rendition", f"{number:032}", width, width // 2, len(content), get_hash(content))
    article = "(SELECT uuid FROM article WHERE title = 'html')"
    shown = f'<img src="{make_path(SMALL, "cat-400.webp")}">'
    connection.execute(
        f"UPDATE article SET content = ?, cover_image = ? WHERE uuid = {article}",  # noqa: S608
        (shown, make_path(CAT, "cat.png")),
    )
    connection.execute(f"INSERT INTO media_use VALUES ('{1:032}', 'article', {article}, 1)")  # noqa: S608
    connection.execute("UPDATE author SET avatar = ? WHERE name = 'ada'", (make_path(SMALL, "cat-400.webp"),))
    connection.execute(
        f"INSERT INTO media_use SELECT '{1:032}', 'author', uuid, 1 FROM author WHERE name = 'ada'"  # noqa: S608
    )


@pytest.fixture
def app(tmp_path, instance, databases, make_app, set_clock):
    """The upgraded blog, with the stored files."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript((BLOGS / "0034.sql").read_text(encoding="utf-8"))
        add_pictures(connection)
    instance.mkdir(exist_ok=True)
    if SERVER_URL:
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            copy_to_server(connection, databases, tmp_path, "0034", instance)
        engine.dispose()
    else:
        with allow_opening():
            shutil.copy(path, instance / "blog.db")
        (instance / "blog.db").chmod(0o600)
    for content, extension in ((CAT, "png"), (OTHER, "png"), (ICON, "png"), (SMALL, "webp"), (LARGE, "webp")):
        stored = instance / "media" / get_hash(content)[:2] / f"{get_hash(content)}.{extension}"
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(content)
        os.utime(stored, (0, 0))
    set_clock(LATER + timedelta(minutes=1))
    app = make_app()
    yield app
    close_connections(app)


@pytest.fixture
def keys():
    """The values of the recorded keys."""
    return json.loads((BLOGS / "0034.json").read_text(encoding="utf-8"))["keys"]


def list_files(app):
    with app.app_context():
        return {path.name for path in get_folder().root.glob("??/*")}


def test_the_renditions_are_widths_and_all_references_lead_to_them(app, make_client, keys):
    as_admin, as_reader = make_client(app, keys["write"]), make_client(app, keys["anonymous"])
    media = {item["name"]: item for item in as_admin.get(MEDIA).json}
    widths = [
        {"width": width, "height": width // 2, "url": make_path(CAT, f"w{width}.webp")}
        for width in (400, 800)
    ]
    assert media["cat.png"]["renditions"] == widths
    assert media["other.png"]["renditions"] == [widths[0] | {"url": make_path(OTHER, "w400.webp")}]
    assert media["icon.png"]["renditions"] == media["large.webp"]["renditions"] == []
    (article,) = (one for one in as_reader.get(f"{ARTICLES}?fields=title,html,cover").json if one["cover"])
    assert article["cover"]["renditions"] == widths
    assert f'src="{make_path(CAT, "cat.png")}" srcset="{make_path(CAT, "w400.webp")} 400w' in article["html"]
    uses = as_admin.get(f"{MEDIA}{media['cat.png']['uuid']}/uses/").json
    assert sorted(use["kind"] for use in uses) == ["article", "author"]
    found = app.test_cli_runner().invoke(args=["doctor", "--full"]).stdout.splitlines()
    # The files are newer than the clock of the test.
    assert [line for line in found if line.startswith("wrong") and " clock: " not in line] == [], found
    assert any(" run `media prune`" in line for line in found), found


def test_a_stored_rendition_is_the_first_content_of_its_width(app, make_client, keys, monkeypatch):
    as_stranger, as_admin = make_client(app), make_client(app, keys["write"])
    scale, scaled = images.scale_picture, []
    monkeypatch.setattr(images, "scale_picture", lambda *args: scaled.append(args[2:]) or scale(*args))
    assert as_stranger.get(make_path(CAT, "w400.webp")).data == SMALL
    assert scaled == [] and f"{get_hash(SMALL)}.webp" in list_files(app)
    # Three widths are made: one whose rendition another picture has too, one whose rendition is a file of
    # the library, and one in another format.
    for path in (make_path(OTHER, "w400.webp"), make_path(CAT, "w800.webp"), make_path(CAT, "w400.avif")):
        assert as_stranger.get(path).status_code == 200
    assert scaled == [(400, "webp"), (800, "webp"), (400, "avif")]
    # The new file of a replaced picture is not shown as the former one, even if that could not be deleted.
    monkeypatch.setattr(removal, "delete_unreferenced_files", lambda files: set())
    (cat,) = (item for item in as_admin.get(MEDIA).json if item["name"] == "cat.png")
    new = make_picture("blue", size=(900, 450))
    assert as_admin.put(f"{MEDIA}{cat['uuid']}/content/?name=cat.png", data=new).status_code == 200
    assert f"{get_hash(SMALL)}.webp" in list_files(app)
    assert as_stranger.get(make_path(new, "w400.webp")).data != SMALL
    assert scaled[3:] == [(400, "webp")]


def test_the_old_addresses_stay_and_prune_deletes_the_files_alone(app, make_client, keys):
    as_stranger, before = make_client(app), list_files(app)
    address = make_path(SMALL, "cat-400.webp")
    assert as_stranger.get(address).data == SMALL
    avatar = make_client(app, keys["anonymous"]).get(f"{AUTHORS}ada/").json["avatar"]
    assert avatar == address
    pruned = app.test_cli_runner().invoke(args=["media", "prune", "--days", "36500"])
    assert pruned.stdout == f"Deleted 1 files with {len(SMALL)} bytes.\n"
    assert before - list_files(app) == {f"{get_hash(SMALL)}.webp"}
    answer = as_stranger.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (302, make_path(CAT, "w400.webp"))
    assert as_stranger.get(answer.headers["Location"]).status_code == 200
    # The other rendition is a file of the library, which keeps its address.
    assert as_stranger.get(make_path(LARGE, "cat-800.webp")).data == LARGE
    with app.app_context():
        rows = db.session.execute(select(FormerHash.hash, FormerHash.media_id, FormerHash.width)).all()
    assert [(hash, uuid.int, width) for hash, uuid, width in rows] == [(get_hash(SMALL), 1, 400)]
