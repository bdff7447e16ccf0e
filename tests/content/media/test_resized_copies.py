"""Pictures in other widths and formats, by address."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image

from blogapi.content.media import folder, images, removal, resized_copies
from blogapi.content.media.addresses import ALLOWED_WIDTHS
from blogapi.content.media.folder import get_folder
from blogapi.settings import parse_limit_setting
from blogapi.storage import files
from tests.conftest import ARTICLES
from tests.contracts.client import HEADERS, outcome

MEDIA = "/api/v1/blog/media/"
OLD = 1_000_000_000


def draw(width=900, height=450, format="JPEG", **options):
    """Return a picture as a file."""
    data = BytesIO()
    Image.effect_noise((width, height), 40).convert("RGB").save(data, format, **options)
    return data.getvalue()


@pytest.fixture
def upload(as_admin):
    """Uploads a picture and returns its fields."""

    def send(content=None, name="cat.jpg"):
        answer = as_admin.post(f"{MEDIA}?name={name}", data=content or draw())
        assert answer.status_code == 201, answer.json
        return answer.json

    return send


@pytest.fixture
def run_counter(monkeypatch):
    """The arguments of each run of the worker that makes a width."""
    runs, scale = [], images.scale_picture

    def count(*args):
        runs.append(args[2:])
        scale(*args)

    monkeypatch.setattr(images, "scale_picture", count)
    return runs


def address(media, name):
    """Return the address of a width."""
    return f"/media/{media['url'].split('/')[2]}/{name}"


def list_widths(app):
    """Return the paths of the widths that are stored."""
    return sorted(get_folder(app).root.glob(".widths/*/*/*"))


def test_a_width_is_made_once_and_served(as_stranger, upload, run_counter):
    path = address(upload(), "w640.webp")
    made, served = as_stranger.get(path), as_stranger.get(path)
    assert run_counter == [(640, "webp")]
    hash = path.split("/")[2]
    expected = HEADERS | {
        "Content-Type": "image/webp",
        "Content-Length": str(len(made.data)),
        "Cache-Control": "public, max-age=31536000, immutable",
        "ETag": f'"{hash}-w640.webp"',
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": "sandbox",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    for response in (made, served):
        assert response.status_code == 200 and response.data == made.data
        assert expected == {name: value for name, value in response.headers.items() if name != "X-Request-ID"}
    assert Image.open(BytesIO(made.data)).size == (640, 320)
    unchanged = as_stranger.get(path, headers={"If-None-Match": made.headers["ETag"]})
    assert unchanged.status_code == 304


@pytest.mark.parametrize(
    ("name", "format"), [("w200.avif", "AVIF"), ("w320.webp", "WEBP"), ("w400.jpg", "JPEG")]
)
def test_a_width_has_the_format_of_its_extension(as_stranger, upload, name, format):
    image = Image.open(BytesIO(as_stranger.get(address(upload(), name)).data))
    assert (image.format, image.width) == (format, int(name[1:4]))


@pytest.mark.parametrize("format", ["PNG", "WEBP", "AVIF"])
def test_a_picture_of_each_format_can_be_scaled(as_stranger, upload, format):
    media = upload(draw(500, 250, format), f"a.{format.lower()}")
    image = Image.open(BytesIO(as_stranger.get(address(media, f"w200.{format.lower()}")).data))
    assert (image.format, image.size) == (format, (200, 100))


@pytest.mark.parametrize(
    "name",
    ["w641.webp", "w0640.webp", "w640.png", "w640.gif", "w640.svg", "w640.mp3", "w99999.webp", "w-1.webp"],
)
def test_there_are_no_other_widths_and_formats(app, as_stranger, upload, run_counter, name):
    assert as_stranger.get(address(upload(), name)).status_code in (200, 404)
    assert run_counter == [] and list_widths(app) == []


def test_a_picture_is_not_enlarged(as_stranger, upload, run_counter):
    media, small = upload(), upload(draw(640, 320))
    for picture, name in ((media, "w960.webp"), (media, "w2400.avif"), (small, "w640.webp")):
        answer = as_stranger.get(address(picture, name))
        assert (answer.status_code, answer.headers["Location"]) == (302, picture["url"])
    assert run_counter == []


def test_drawings_and_animations_are_shown_as_they_are(as_stranger, upload, run_counter):
    frames = [Image.new("RGB", (500, 300), color) for color in ("red", "blue")]
    data = BytesIO()
    frames[0].save(data, "GIF", save_all=True, append_images=frames[1:])
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"></svg>'
    for media in (upload(data.getvalue(), "a.gif"), upload(drawing, "b.svg")):
        assert as_stranger.get(address(media, "w200.webp")).headers["Location"] == media["url"]
    assert run_counter == []


def test_concurrent_requests_make_a_width_once(app, upload, run_counter, monkeypatch):
    path = address(upload(), "w640.webp")
    # All four wait for their turn before one of them makes the picture, however long that takes.
    images._SCALING_QUEUE.set(app, images.ImageQueue(4, 90, workers=1))
    wait_for_turn, all_wait = images.wait_for_scaling_turn, threading.Barrier(4, timeout=90)

    def wait_together():
        all_wait.wait()
        return wait_for_turn()

    monkeypatch.setattr(images, "wait_for_scaling_turn", wait_together)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: app.test_client().get(path).status_code, range(4)))
    assert answers == [200] * 4 and len(run_counter) == 1


def test_a_busy_server_shows_the_next_larger_width(app, as_stranger, upload, monkeypatch):
    media = upload()
    queue = images.ImageQueue(1, 0.01, workers=1)
    images._SCALING_QUEUE.set(app, queue)
    made = [address(media, name) for name in ("w400.webp", "w640.webp", "w800.avif")]
    assert [as_stranger.get(path).status_code for path in made] == [200] * 3
    shown = {"w320.webp": made[0], "w480.webp": made[1], "w640.avif": made[2]}
    shown |= dict.fromkeys(("w800.webp", "w320.jpg"), media["url"])
    with queue.wait_for_turn():
        for name, stored in shown.items():
            answer = as_stranger.get(address(media, name))
            assert (answer.status_code, answer.headers["Location"]) == (302, stored), name
            assert answer.headers["Cache-Control"] == "private, no-cache"
        assert as_stranger.get(made[1]).status_code == 200
    assert as_stranger.get(address(media, "w800.webp")).status_code == 200


def test_a_stranger_makes_a_limited_number(app, as_stranger, upload, run_counter):
    app.config["PICTURE_LIMIT"] = parse_limit_setting("2 per hour")
    media = upload()
    statuses = [as_stranger.get(address(media, f"w{width}.webp")).status_code for width in ALLOWED_WIDTHS[:4]]
    assert statuses == [200, 200, 302, 302] and len(run_counter) == 2
    assert as_stranger.get(address(media, f"w{ALLOWED_WIDTHS[0]}.webp")).status_code == 200


def test_callers_with_a_login_are_not_counted(app, as_login, as_stranger, upload, run_counter):
    app.config["PICTURE_LIMIT"] = parse_limit_setting("1 per hour")
    media = upload()
    answers = [as_login.get(address(media, f"w{width}.webp")) for width in ALLOWED_WIDTHS[:3]]
    assert [answer.status_code for answer in answers] == [200] * 3 and len(run_counter) == 3
    statuses = [
        as_stranger.get(address(media, f"w{width}.webp")).status_code for width in ALLOWED_WIDTHS[3:5]
    ]
    assert statuses == [200, 302]
    # A login that has ended is like none.
    assert as_login.post("/api/v1/auth/logout/").status_code < 300
    ended = as_stranger.application.test_client()
    ended.set_cookie("blogapi_session", "invalid")
    for client in (as_login, ended):
        assert client.get(address(media, "w800.webp")).status_code == 302


def test_unknown_hashes_make_nothing(app, as_stranger):
    assert outcome(as_stranger.get(f"/media/{'0' * 64}/w640.webp")) == (404, "not_found")
    assert outcome(as_stranger.get("/media/abc/w640.webp")) == (404, "not_found")
    assert list_widths(app) == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_only_pictures_have_widths(app, as_stranger, upload, run_counter, method):
    picture, document = upload(), upload(b"%PDF-1.4\n%%EOF\n", "a.pdf")
    paths = (
        address(document, "w640.webp"),
        address(document, "w640.pdf"),
        address(picture, "w641.webp"),
        f"/media/{'0' * 64}/w640.avif",
    )
    assert [as_stranger.open(path, method=method).status_code for path in paths] == [404] * 4
    assert run_counter == [] and list_widths(app) == []


def test_the_widths_of_a_deleted_picture_are_deleted(app, as_admin, as_stranger, upload):
    media = upload()
    path = address(media, "w640.webp")
    assert as_stranger.get(path).status_code == 200
    assert as_admin.delete(f"{MEDIA}{media['uuid']}/").status_code == 204
    assert list_widths(app) == []
    assert as_stranger.get(path).status_code == 404


def test_a_picture_whose_width_windows_cannot_delete_now_is_deleted_later(
    app, as_admin, as_stranger, upload, monkeypatch, caplog
):
    media, rmtree = upload(), shutil.rmtree
    assert as_stranger.get(address(media, "w640.webp")).status_code == 200

    def refuse(path, ignore_errors=False):
        if not ignore_errors:
            raise PermissionError(13, "in use")
        rmtree(path, ignore_errors=True)

    with monkeypatch.context() as patch:
        patch.setattr(folder.shutil, "rmtree", refuse)
        assert as_admin.delete(f"{MEDIA}{media['uuid']}/").status_code == 204
    assert "remain in the media folder until `media prune`: [Errno 13] in use" in caplog.text
    assert as_stranger.get(media["url"]).status_code == 200
    with app.app_context():
        removal.delete_unreferenced_files([(media["url"].split("/")[2], "jpg")])
    assert list_widths(app) == []
    assert as_stranger.get(media["url"]).status_code == 404


def test_a_picture_that_is_deleted_while_a_width_is_made_leaves_nothing(
    app, as_stranger, upload, monkeypatch
):
    media, scale = upload(), images.scale_picture

    def delete_first(source, *args):
        scale(source, *args)
        source.unlink()

    monkeypatch.setattr(images, "scale_picture", delete_first)
    assert as_stranger.get(address(media, "w640.webp")).status_code == 404
    assert list_widths(app) == []


def test_a_picture_that_is_deleted_while_a_width_is_moved_is_not_found(app, as_stranger, upload, monkeypatch):
    media, rename = upload(), files.rename_file

    def delete_first(source, target):
        get_folder(app).delete_file(media["url"].split("/")[2], "jpg")
        rename(source, target)

    monkeypatch.setattr(files, "rename_file", delete_first)
    assert as_stranger.get(address(media, "w640.webp")).status_code == 404
    assert list_widths(app) == []


def test_a_width_whose_folder_is_deleted_while_it_is_moved_leads_to_the_picture(
    app, as_stranger, upload, monkeypatch
):
    media, rename = upload(), files.rename_file

    def delete_first(source, target):
        target.parent.rmdir()
        rename(source, target)

    monkeypatch.setattr(files, "rename_file", delete_first)
    answer = as_stranger.get(address(media, "w640.webp"))
    assert (answer.status_code, answer.headers["Location"]) == (302, media["url"])


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_width_that_is_deleted_before_it_is_sent_is_not_found(
    as_admin, as_stranger, upload, monkeypatch, is_replaced
):
    media, find_or_make_copy = upload(), resized_copies.find_or_make_copy
    new = as_admin.put(f"{MEDIA}{media['uuid']}/content/?name=cat.jpg", data=draw(1000, 500)).json

    def delete_after(hash, copy_format):
        found = find_or_make_copy(new["url"].split("/")[2], copy_format)
        found.unlink()
        return found

    monkeypatch.setattr(resized_copies, "find_or_make_copy", delete_after)
    answer = as_stranger.get(address(media if is_replaced else new, "w640.webp"))
    assert answer.status_code == (302 if is_replaced else 404)
    assert answer.headers.get("Location") == (address(new, "w640.webp") if is_replaced else None)


def test_the_widths_of_a_replaced_picture_lead_to_the_new_one(as_admin, as_stranger, upload):
    media = upload()
    new = as_admin.put(f"{MEDIA}{media['uuid']}/content/?name=cat.jpg", data=draw(1000, 500)).json
    answer = as_stranger.get(address(media, "w640.webp"))
    assert (answer.status_code, answer.headers["Location"]) == (302, address(new, "w640.webp"))


def test_the_widths_that_were_not_requested_for_the_longest_time_are_deleted_first(app, as_stranger, upload):
    media = upload()
    hash = media["url"].split("/")[2]
    for number, width in enumerate(ALLOWED_WIDTHS[:4]):
        assert as_stranger.get(address(media, f"w{width}.webp")).status_code == 200
        os.utime(get_folder(app).get_copies_folder(hash) / f"w{width}.webp", (OLD + number, OLD + number))
    # A request counts as a use.
    assert as_stranger.get(address(media, "w200.webp")).status_code == 200
    sizes = {path.name: path.stat().st_size for path in list_widths(app)}
    cache = resized_copies.ResizedCopyCache(get_folder(app), sum(sizes.values()))
    source = Path(app.instance_path) / "new"
    source.write_bytes(b"x" * sizes["w320.webp"])
    cache.place_copy(source, hash, resized_copies.CopyFormat(800, "webp"))
    left = {path.name for path in list_widths(app)}
    assert "w320.webp" not in left and {"w200.webp", "w800.webp"} <= left
    assert sum(path.stat().st_size for path in list_widths(app)) <= sum(sizes.values())


def test_a_file_with_the_name_of_a_width_gets_another_name(as_stranger, upload):
    media = upload(name="w640.jpg")
    assert media["name"] == "w640-file.jpg"
    assert as_stranger.get(media["url"]).status_code == 200


def test_the_srcset_of_an_article_names_widths(as_admin, as_reader, upload, make_category):
    media = upload()
    body = {"title": "T", "content": f"![A](media:{media['uuid']})", "content_type": "markdown"}
    created = as_admin.post(
        ARTICLES, json={**body, "status": "published", "category": {"uuid": str(make_category().uuid)}}
    )
    html = as_reader.get(f"{ARTICLES}{created.json['uuid']}/?fields=html").json["html"]
    expected = [f"{address(media, f'w{width}.webp')} {width}w" for width in (400, 640, 800)]
    srcset = ", ".join([*expected, f"{media['url']} 900w"])
    assert f'srcset="{srcset}"' in html


@pytest.mark.sqlite("a blog on a server has no backups of its own")
def test_backups_and_checks_leave_the_widths_alone(app, as_stranger, upload, tmp_path):
    assert as_stranger.get(address(upload(), "w640.webp")).status_code == 200
    runner, target = app.test_cli_runner(), tmp_path / "copy.zip"
    results = [
        runner.invoke(args=["media", "prune", "--days", "30"]),
        runner.invoke(args=["doctor", "--full"]),
        runner.invoke(args=["backup", str(target)]),
    ]
    assert [result.exit_code for result in results] == [0, 0, 0], [result.output for result in results]
    assert not any("w640" in result.output for result in results)
    assert not any("w640" in name for name in ZipFile(target).namelist())
    assert len(list_widths(app)) == 1
