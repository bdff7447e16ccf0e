"""Uploads are checked, named and stored; what fails leaves nothing behind."""

from __future__ import annotations

import errno
import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from blogapi.config import CannotStart
from blogapi.content.media import folder as folders
from blogapi.content.media import images, queries, service
from blogapi.content.media.models import Media
from blogapi.content.media.service import make_file_name
from blogapi.rendering.media_types import TYPES_BY_EXTENSION
from blogapi.storage import files
from blogapi.storage.database import db, savepoint, transaction
from blogapi.web.errors import Invalid, Problem, StorageFull, Unavailable
from tests.content.media.image_files import draw, encode, make_exif, make_image, make_photo

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("image_processes")]

MP3 = b"ID3\x04\0\0\0\0\0\0" + bytes(50)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
PDF = b"%PDF-1.7\n1 0 obj\n<< /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>\nendobj\n%%EOF\n"


@pytest.fixture
def in_app(app):
    """The context of the application."""
    with app.app_context():
        yield app


@pytest.fixture
def source(tmp_path) -> Callable[[bytes], Path]:
    """Writes an upload."""

    def write(data: bytes) -> Path:
        (tmp_path / "source").write_bytes(data)
        return tmp_path / "source"

    return write


@pytest.fixture
def upload(in_app, source) -> Callable[..., tuple[Media, bool]]:
    """Prepares and stores a file."""

    def upload(data: bytes, name: str = "file", **fields: str) -> tuple[Media, bool]:
        with service.prepare_file(source(data), name) as prepared:
            return service.store_file(prepared, **fields)

    return upload


def list_files() -> dict[str, int]:
    """Return the sizes of all files in the media folder, and of what is not yet deleted."""
    root = folders.get_folder().root
    return {path.name: path.stat().st_size for path in root.rglob("*") if path.is_file()}


def count(model: Any) -> int:
    return db.session.scalar(select(func.count()).select_from(model)) or 0


def assert_nothing_is_left() -> None:
    db.session.rollback()
    assert (list_files(), count(Media)) == ({}, 0)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_an_image_is_stored(upload):
    data = make_image("png", 401, 30)
    media, is_new = upload(data, "My Cat.PNG", alt="A cat", caption="Mine")
    assert is_new
    assert (media.name, media.type, media.size) == ("my-cat.png", "image/png", len(data))
    assert (media.hash, media.upload_hash) == (digest(data), digest(data))
    assert (media.width, media.height, media.alt, media.caption) == (401, 30, "A cat", "Mine")
    assert folders.get_folder().get_path(media.hash, "png").read_bytes() == data
    assert len(list_files()) == 1


@pytest.mark.parametrize(
    ("size", "orientation", "expected"),
    [((401, 30), 1, True), ((400, 30), 1, False), ((401, 30), 6, False), ((30, 401), 6, True)],
)
def test_only_a_picture_of_more_than_400_pixels_gets_other_widths(upload, size, orientation, expected):
    photo = encode(draw(*size), "jpg", exif=make_exif(orientation))
    assert upload(photo)[0].is_scalable is expected


def test_a_photo_is_stored_without_metadata_and_known_when_it_comes_again(upload, monkeypatch):
    data = make_photo("jpg", orientation=6)
    media, _ = upload(data, "photo")
    assert (media.upload_hash, media.width, media.height) == (digest(data), 30, 40)
    assert media.hash != media.upload_hash
    monkeypatch.setattr(images, "process_image", None)
    assert upload(data, "other", alt="new") == (media, False)
    assert (media.name, media.alt, len(list_files())) == ("photo.jpg", "", 1)


def test_two_photos_that_differ_in_their_metadata_are_one_file(upload):
    media, _ = upload(make_image("png"), "one")
    assert upload(make_image("png", exif=b"Exif\0\0secret"), "two") == (media, False)
    assert len(list_files()) == 1


@pytest.mark.parametrize(
    ("data", "name", "type"),
    [
        (PDF, "paper.pdf", "application/pdf"),
        (MP3, "song.exe", "audio/mpeg"),
        (b"\xff\xfb\x90\0" + bytes(50), "song", "audio/mpeg"),
        (b"\0\0\0\x20ftypM4A \0\0\0\0", "song.mp4", "audio/mp4"),
        (b"OggS\0\2", "song.html", "audio/ogg"),
        (b"RIFF\0\0\0\0WAVEfmt ", "song.wav", "audio/wav"),
        (b"fLaC\0\0", "song.flac", "audio/flac"),
    ],
)
def test_other_files_are_stored_unchanged(upload, data, name, type):
    media, _ = upload(data, name)
    assert (media.type, media.hash, media.width, media.height) == (type, digest(data), None, None)
    extension = next(item.extension for item in TYPES_BY_EXTENSION.values() if item.name == type)
    assert media.name == f"{name.split('.')[0]}.{extension}"
    assert folders.get_folder().get_path(media.hash, extension).read_bytes() == data


@pytest.mark.parametrize(
    ("given", "stem"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot"),
        ("a.php.jpg", "a-php"),
        ("con.png", "con-file"),
        ("COM¹.jpg", "com1-file"),
        ("a\0b.jpg", "a-b"),
        ("a\r\nX-Header: 1.jpg", "a-x-header-1"),
        ("x" * 300 + ".jpg", "x" * 80),
        ("🎉🎉.jpg", "file"),
        ("", "file"),
        (".", "file"),
        (".htaccess", "htaccess"),
        ("gpj\u202eexe.jpg", "gpj-exe"),
        ("<img src=x onerror=alert(1)>.jpg", "img-src-x-onerror-alert-1"),
        ("\udcff.jpg", "file"),
        ("Größe 2.jpeg", "grosse-2"),
        ("фото.jpg", "фото"),
        ("-rf *.jpg", "rf"),
        ("%2e%2e%2fpasswd", "2e-2e-2fpasswd"),
    ],
)
def test_a_name_is_harmless(given, stem):
    assert make_file_name(given, TYPES_BY_EXTENSION["jpg"]) == f"{stem}.jpg"


def test_a_drawing_is_stored_without_its_scripts(upload):
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><g onclick="a()"/></svg>'
    media, _ = upload(drawing, "a.png")
    assert (media.name, media.type, media.width, media.height) == ("a.svg", "image/svg+xml", 24, 12)
    assert not media.is_scalable
    stored = folders.get_folder().get_path(media.hash, "svg").read_bytes()
    assert stored.startswith(b"<svg ") and b"onclick" not in stored


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (PDF[:40], "incomplete"),
        (b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>", "entities"),
        (b"<?xml version='1.0'?><!DOCTYPE svg:svg><svg:svg/>", "SVG"),
        (b"<!DOCTYPE html><p>Hello", "HTML"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"PK\x03\x04", "avif, svg, pdf"),
        (bytes(1000), "not accepted"),
    ],
)
def test_other_types_are_refused_with_advice(upload, data, word):
    with pytest.raises(Invalid) as raised:
        upload(data, "picture.jpg")
    assert word in raised.value.detail
    assert raised.value.errors == {"file": [raised.value.detail]}
    assert_nothing_is_left()


def test_a_large_file_is_refused(upload, in_app):
    in_app.config["MAX_MEDIA_SIZE"] = len(MP3)
    upload(MP3)
    with pytest.raises(Invalid, match="more than 60 bytes"):
        upload(MP3 + b"x")


def test_a_configured_type_is_recognised_by_its_extension(upload, in_app):
    in_app.config["MEDIA_TYPES"] = ("epub=application/epub+zip", "zip=application/zip")
    media, _ = upload(b"PK\x03\x04", "Book.EPUB")
    assert (media.name, media.type) == ("book.epub", "application/epub+zip")
    assert folders.get_folder().get_path(media.hash, "epub").is_file()
    # The first bytes decide if they are known.
    assert upload(MP3, "song.zip")[0].type == "audio/mpeg"
    assert upload(b"PK\x03\x04", "again.zip") == (media, False)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("epub", "must list items such as"),
        ("e/p=application/x", "must list items such as"),
        ("a=text/html", "browsers run the scripts"),
        ("a=image/SVG+xml", "browsers run the scripts"),
        ("a=application/javascript", "browsers run the scripts"),
        ("a=text/javascript1.5", "browsers run the scripts"),
        ("html=application/octet-stream", "browsers run the scripts"),
        ("a=a/b, A=a/c", "each extension once"),
        ("jpg=application/zip", "is built in"),
    ],
)
def test_an_unsafe_configured_type_prevents_the_start(make_app, value, message):
    with pytest.raises(CannotStart, match=message):
        make_app(MEDIA_TYPES=value)


def test_a_missing_or_damaged_file_is_replaced(upload):
    data = make_image("png", 401, 30)
    media, _ = upload(data)
    for name, size in list_files().items():
        path = folders.get_folder().get_path(*name.split("."))
        for damage in (path.unlink, lambda path=path: path.write_bytes(b"x")):
            damage()
            assert upload(data) == (media, False)
            assert list_files()[name] == size


def test_a_file_that_is_already_in_the_folder_is_adopted(upload, monkeypatch):
    path = folders.get_folder().get_path(digest(MP3), "mp3")
    path.parent.mkdir(parents=True)
    path.write_bytes(MP3)
    monkeypatch.setattr(files, "replace_file", None)
    assert upload(MP3)[0].hash == digest(MP3)


def test_nothing_remains_if_the_transaction_is_rolled_back(in_app, source):
    data = make_image("png", 401, 30)
    with pytest.raises(ZeroDivisionError), service.prepare_file(source(data), "a") as prepared, transaction():
        with transaction():
            service.store_file(prepared)
        assert f"{prepared.hash}.png" in list_files()
        raise ZeroDivisionError
    assert_nothing_is_left()


def test_nothing_remains_if_a_savepoint_is_rolled_back(in_app, source):
    def fail():
        with service.prepare_file(source(make_image("png")), "b") as prepared, savepoint():
            service.store_file(prepared)
            raise ZeroDivisionError

    with service.prepare_file(source(MP3), "a") as prepared, transaction():
        service.store_file(prepared)
        with pytest.raises(ZeroDivisionError):
            fail()
    assert (list(list_files()), count(Media)) == ([f"{digest(MP3)}.mp3"], 1)


def test_a_rollback_keeps_a_file_that_is_stored(upload, in_app, source):
    media, _ = upload(MP3)
    folders.get_folder().delete_file(media.hash, "mp3")
    with pytest.raises(ZeroDivisionError), service.prepare_file(source(MP3), "a") as prepared, transaction():
        service.store_file(prepared)
        raise ZeroDivisionError
    assert list(list_files()) == [f"{digest(MP3)}.mp3"]


def test_a_failed_cleanup_is_logged(in_app, source, monkeypatch, caplog):
    def fail(*_):
        raise OperationalError("", {}, Exception("busy"))

    monkeypatch.setattr(queries, "find_stored_files", fail)
    with pytest.raises(ZeroDivisionError), service.prepare_file(source(MP3), "a") as prepared, transaction():
        service.store_file(prepared)
        raise ZeroDivisionError
    assert "remain in the media folder" in caplog.text


def test_a_file_that_was_deleted_meanwhile_is_asked_for_again(upload, in_app, source):
    media, _ = upload(MP3)
    with service.prepare_file(source(MP3), "a") as prepared:
        with transaction():
            db.session.delete(db.session.get(Media, media.uuid))
        with pytest.raises(Unavailable):
            service.store_file(prepared)


def test_storing_takes_few_statements(in_app, source, record_statements):
    with (
        service.prepare_file(source(make_image("png", 801, 30)), "a") as prepared,
        record_statements() as statements,
    ):
        service.store_file(prepared)
    # The file is looked up, the sizes are added up, two tables get rows, the address of the service is
    # read, the JSON is stored, and the hashes are no former hashes any more.
    assert len(statements) <= 7, statements


def test_the_library_has_a_limit(upload, in_app):
    in_app.config["MEDIA_GIGABYTES"] = service.MIN_COUNTED_SIZE / 10**9
    media, _ = upload(MP3)
    with pytest.raises(StorageFull) as raised:
        upload(MP3 + b"x")
    assert raised.value.code == "media_full"
    # A stored file takes no more room.
    assert upload(MP3) == (media, False)
    assert len(list_files()) == 1


def test_the_same_file_at_once_becomes_one_entry(in_app, tmp_path, monkeypatch):
    (tmp_path / "source").write_bytes(make_image("png", 401, 30))
    barrier = threading.Barrier(4)

    def upload(_: int) -> bool:
        with in_app.app_context(), service.prepare_file(tmp_path / "source", "a") as prepared:
            barrier.wait(120)
            return service.store_file(prepared)[1]

    monkeypatch.setattr(images._UPLOAD_QUEUE.get(in_app), "_wait_seconds", 120)
    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(upload, range(4))) == [False, False, False, True]
    assert (count(Media), len(list_files())) == (1, 1)


def fail_with(number: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, "failed")

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize(
    "target",
    [
        "blogapi.storage.files.sync_file",
        "blogapi.storage.files.replace_file",
        "shutil.copyfile",
        "pathlib.Path.mkdir",
    ],
)
def test_a_full_disk_is_reported(upload, monkeypatch, number, target):
    folders.get_folder().root.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(target, fail_with(number))
        with pytest.raises(StorageFull, match="disk is full"):
            upload(MP3)
    assert_nothing_is_left()
    upload(MP3)


def test_other_errors_of_the_disk_are_not_hidden(upload, monkeypatch):
    monkeypatch.setattr(files, "replace_file", fail_with(errno.EIO))
    with pytest.raises(OSError, match="failed"):
        upload(MP3)
    assert_nothing_is_left()


def make_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    (tmp_path / "worker.py").write_text(f"import os, sys, time\n{program}\n", encoding="utf-8")
    monkeypatch.setattr(images, "_WORKER_FILE", tmp_path / "worker.py")


@pytest.mark.parametrize(
    ("program", "kind", "word"),
    [
        ('sys.stdin.readline(); print(\'{"error": "storage_full"}\')', StorageFull, "disk"),
        ('sys.stdin.readline(); print(\'{"error": "too_large"}\')', Invalid, "pixels"),
        ("os.abort()", Invalid, "damaged"),
        # The system ends a worker so if it uses too much processor time, or if the memory is full.
        ("print('{\"wi', end='', flush=True); os.kill(os.getpid(), 9)", Invalid, "too long"),
        ("sys.exit(1)", Unavailable, "log"),
        ("import missing", Unavailable, "log"),
    ],
)
def test_a_failure_of_the_worker_is_reported(upload, tmp_path, monkeypatch, program, kind, word):
    make_worker(tmp_path, monkeypatch, program)
    with pytest.raises(kind, match=word):
        upload(make_image("png"))
    assert_nothing_is_left()


@pytest.mark.parametrize("data", [make_image("png"), SVG], ids=["png", "svg"])
def test_a_worker_that_takes_too_long_is_ended(upload, tmp_path, monkeypatch, data):
    make_worker(tmp_path, monkeypatch, "time.sleep(100)")
    monkeypatch.setattr(images, "_WORKER_SECONDS", 0.1)
    with pytest.raises(Unavailable, match="too long"):
        upload(data)
    assert_nothing_is_left()


def test_the_worker_gets_no_settings(upload, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_SECRET_KEY", "secret")
    program = (
        "error = 'too_large' if 'BLOGAPI_SECRET_KEY' in os.environ else 'storage_full'\n"
        "sys.stdin.readline()\n"
        "print('{\"error\": \"' + error + '\"}', flush=True)"
    )
    make_worker(tmp_path, monkeypatch, program)
    with pytest.raises(StorageFull):
        upload(make_image("png"))


def test_a_worker_that_cannot_start_is_reported(upload, monkeypatch):
    monkeypatch.setattr(images.subprocess, "run", fail_with(errno.EAGAIN))
    with pytest.raises(Unavailable):
        upload(make_image("png"))


@pytest.mark.parametrize(("threads", "allowed"), [(1, 1), (4, 2), (8, 4), (None, 4)])
@pytest.mark.parametrize("picture", [make_image("png"), SVG], ids=["png", "svg"])
def test_few_uploads_wait_for_a_worker_and_the_others_are_refused(
    in_app, source, monkeypatch, picture, threads, allowed
):
    """Of 64 uploads at once, each is processed or refused with `Retry-After`; some threads stay free."""
    data, release = source(picture), threading.Event()
    running, refused, most = [0], threading.Semaphore(0), [0]

    def work(job: dict[str, Any]) -> dict[str, Any]:
        running[0] += 1
        most[0] = max(most[0], running[0])
        release.wait(120)
        running[0] -= 1
        return {"error": "damaged"}

    def upload(_: int) -> type[Problem]:
        with in_app.app_context():
            try:
                with service.prepare_file(data, "a"):
                    raise AssertionError("the worker refuses all images")
            except Problem as problem:
                refused.release()
                assert "Retry-After" in problem.headers or isinstance(problem, Invalid)
                return type(problem)

    monkeypatch.setattr(images, "_run_worker", work)
    images.init_app(in_app, threads=threads)
    # On a busy machine, it takes long until all others are refused.
    monkeypatch.setattr(images._UPLOAD_QUEUE.get(in_app), "_wait_seconds", 120)
    with ThreadPoolExecutor(64) as pool:
        uploads = pool.map(upload, range(64))
        for _ in range(64 - allowed):
            assert refused.acquire(timeout=120)
        release.set()
        kinds = list(uploads)
    images.init_app(in_app)
    assert (kinds.count(Unavailable), kinds.count(Invalid)) == (64 - allowed, allowed)
    assert most[0] == min(2, allowed)


def test_an_upload_waits_for_a_worker_for_a_limited_time(in_app):
    queue = images.ImageQueue(3, wait_seconds=0.01)
    with queue.wait_for_turn(), queue.wait_for_turn(), pytest.raises(Unavailable), queue.wait_for_turn():
        pass
    with queue.wait_for_turn():
        pass
