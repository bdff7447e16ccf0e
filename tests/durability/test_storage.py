"""Full disks and removed or damaged files are reported, and never give a wrong response."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from blogapi import create_app
from blogapi.backups import restoring
from blogapi.backups import service as backups
from blogapi.config import CannotStart
from blogapi.storage.database import db
from blogapi.storage.files import side_files
from blogapi.tags.models import Tag
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS, close_connections
from tests.durability.conftest import Client, Response, get_repetitions, is_intact
from tests.durability.test_processes import WSGI
from tests.serving.test_limits import wait_until

pytestmark = pytest.mark.sqlite("its file and its log")

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows cannot remove an open file")

PAGE_SIZE = 4096

# How many pages to damage in turn, and how many of those with the text of articles.
PAGE_COUNT = get_repetitions("PAGES", 8)
JUNK = (b"\xff" * PAGE_SIZE, bytes(PAGE_SIZE), os.urandom(PAGE_SIZE))
LISTS = (
    TAGS,
    CATEGORIES,
    ARTICLES,
    f"{ARTICLES}?fields=html,excerpt",
    f"{ARTICLES}?q=title",
    f"{ARTICLES}author/me/",
)

# File modes do not restrict root: this program drops that privilege (PR_CAPBSET_DROP of CAP_DAC_OVERRIDE) and
# runs another program.
DROP_PRIVILEGE = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
UNPRIVILEGED = [sys.executable, "-c", DROP_PRIVILEGE, *WSGI]


@pytest.fixture
def blog(instance, make_article, make_tag) -> Path:
    """The file of a blog with long and short articles."""
    for number in range(12):
        make_article(title=f"Title {number}", content="<p>Words.</p>" * 60 * number, tags=(make_tag(),))
    return instance / "blog.db"


@pytest.fixture
def small_disk(instance) -> Iterator[Path]:
    """The instance folder, on a disk of 8 MB."""
    instance.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(instance)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root on Linux can mount a small disk")
    yield instance
    subprocess.run(["umount", "--lazy", str(instance)], check=True)


def fill_disk(folder: Path) -> Path:
    """Fill the disk of the folder; return the file that takes the space."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * PAGE_SIZE):
            pass
    return filler


def overwrite(path: Path, start: int, junk: bytes = b"garbage") -> bytes:
    """Overwrite a part of the file; return its new content."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(junk)
    return path.read_bytes()


def get_status_and_code(response: Response) -> tuple[int, str]:
    return response.status, "" if isinstance(response.json, list) else response.json.get("code", "")


def test_a_full_disk_is_reported_and_writes_succeed_once_there_is_space(small_disk, blog, serve):
    with serve() as (client, server_process):
        stranger, numbers = Client(client.port), count()

        def write() -> Response:
            return client("POST", TAGS, {"name": f"{next(numbers)}"})

        known = {tag["uuid"] for tag in client("GET", TAGS).json}
        key = Client(client.port, stranger("POST", KEYS).json["public_state"])
        filler = fill_disk(small_disk)
        writes = []
        # The log reuses the space it already has, so the first writes succeed.
        for _ in range(2000):
            writes.append(write())
            if writes[-1].status != 201:
                break
        assert get_status_and_code(writes[-1]) == (507, "storage_full")
        for path in LISTS:
            assert client("GET", path).status == 200
        assert (key("GET", TAGS).status, key("GET", ARTICLES).status) == (200, 200)
        assert get_status_and_code(stranger("GET", "/health/")) == (503, "storage_full")
        refused = [write() for _ in range(5)]
        assert {response.status for response in refused} <= {201, 507}
        filler.unlink()
        assert write().status == 201
        assert stranger("GET", "/health/").status == 200
        acknowledged = {response.json["uuid"] for response in (*writes, *refused) if response.status == 201}
        server_process.process.kill()
    with serve() as (client, _):
        found = {tag["uuid"] for tag in client("GET", TAGS).json}
        assert known | acknowledged < found
        assert len(found) == len(known | acknowledged) + 1
    assert is_intact(blog)


def get_start_error(**settings: Any) -> str:
    """Return the sentence with which the start is refused."""
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def test_a_start_on_a_full_disk_is_refused_until_there_is_space(small_disk, blog, app):
    close_connections(app)
    (small_disk / "secret_key").write_text("s" * 64, encoding="ascii")
    filler = fill_disk(small_disk)
    assert "the disk is full" in get_start_error()
    filler.unlink()
    close_connections(create_app())
    assert is_intact(blog)


def move_away(file: Path) -> Callable[[], None]:
    """Move the instance folder away; return a function that brings it back."""
    away = file.parent.with_name("away")
    file.parent.rename(away)
    return lambda: away.rename(file.parent)


def replace_by_copy(file: Path) -> Callable[[], None]:
    """Replace the file with a copy; return a function that brings the original back."""
    away = file.parent.with_name("away")
    shutil.copytree(file.parent, away)
    file.rename(away / "own.db")
    shutil.copy(away / "blog.db", file)

    def restore() -> None:
        (away / "own.db").replace(file)
        shutil.rmtree(away)

    return restore


@POSIX
@pytest.mark.parametrize("hide_file", [move_away, replace_by_copy])
def test_nothing_is_stored_in_a_removed_or_replaced_file(serve, blog, hide_file):
    with serve() as (client, _):
        before = {path: client("GET", path).json for path in LISTS}
        restore = hide_file(blog)
        left = sorted(blog.parent.glob("*"))
        # The response cache serves its responses a little longer.
        wait_until(lambda: {client("GET", path).status for path in LISTS} == {503})
        for path in (TAGS, KEYS):
            assert client("POST", path, {"name": "one more"}).status == 503
        assert get_status_and_code(client("GET", "/health/")) == (503, "missing")
        assert sorted(blog.parent.glob("*")) == left
        restore()
        assert {path: client("GET", path).json for path in LISTS} == before
        assert client("POST", TAGS, {"name": "one more"}).status == 201
        assert client("GET", "/health/").status == 200


@POSIX
def test_a_read_only_file_is_reported_and_still_read(serve, blog, tmp_path, app):
    with serve(command=UNPRIVILEGED) as (client, _):
        before = client("GET", ARTICLES).json
        blog.chmod(0o400)
        blog.parent.chmod(0o500)
        try:
            assert get_status_and_code(client("GET", "/health/")) == (503, "read_only")
            assert client("GET", ARTICLES).json == before
            responses = [client("POST", TAGS, {"name": f"more {number}"}) for number in range(5)]
            assert {response.status for response in responses} <= {201, 503}
        finally:
            blog.parent.chmod(0o700)
            blog.chmod(0o600)
        assert client("GET", "/health/").status == 200
        found = {tag["uuid"] for tag in client("GET", TAGS).json}
        assert {response.json["uuid"] for response in responses if response.status == 201} <= found


@POSIX
def test_a_start_on_a_read_only_file_is_refused(blog, app, tmp_path):
    close_connections(app)
    blog.chmod(0o400)
    try:
        result = subprocess.run(
            [*UNPRIVILEGED, "--port", "0"], capture_output=True, text=True, timeout=30, cwd=tmp_path
        )
    finally:
        blog.chmod(0o600)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"Error: The database {blog} cannot be opened: Permission denied.\n"


@pytest.fixture
def expected_responses(blog, app, as_admin) -> list[bytes]:
    """The responses of the blog before any damage; no process uses it."""
    found = [as_admin.get(path) for path in LISTS]
    assert {response.status_code for response in found} == {200}
    close_connections(app)
    return [response.data for response in found]


def sample(starts: Sequence[int]) -> Sequence[int]:
    return starts[:: max(1, len(starts) // PAGE_COUNT)]


def test_a_damaged_page_gives_no_wrong_response(blog, expected_responses, write_key):
    whole = blog.read_bytes()
    starts = range(0, len(whole), PAGE_SIZE)
    texts = [start for start in starts if b"Words." in whole[start : start + PAGE_SIZE]]
    for number, start in enumerate((*sample(starts), *sample(texts))):
        for leftover in blog.parent.glob("blog.db-*"):
            leftover.unlink()
        blog.write_bytes(whole[:start] + JUNK[number % len(JUNK)] + whole[start + PAGE_SIZE :])
        try:
            test_client = create_app().test_client()
        except CannotStart as error:
            assert error.message.endswith(".") and "\n" not in error.message
            continue
        for expected, path in zip(expected_responses, LISTS, strict=True):
            response = test_client.get(path, headers={"X-API-KEY": write_key})
            assert response.status_code in (500, 503) or response.data == expected, (start, path)
            # SQLite reports an I/O error for a page number past the end of the file.
            if response.status_code == 503 and response.json["code"] == "damaged":
                assert test_client.get("/health/").json["code"] == "damaged"
        close_connections(test_client.application)


def test_damage_that_the_start_meets_is_reported_in_one_sentence(blog, app):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'article_tally'"))
    close_connections(app)
    overwrite(blog, (page - 1) * PAGE_SIZE, JUNK[0])
    assert (
        get_start_error()
        == f"The database sqlite:///{blog} cannot be used: database disk image is malformed."
    )


def test_pages_that_are_damaged_while_serving_give_no_wrong_response(serve, blog, expected_responses):
    with serve() as (client, _):
        pages = blog.stat().st_size // PAGE_SIZE
        overwrite(blog, pages // 3 * PAGE_SIZE, os.urandom((pages - pages // 3) * PAGE_SIZE))
        responses = [client("GET", path) for path in LISTS]
        assert get_status_and_code(client("GET", "/health/")) == (503, "damaged")
    assert (503, "damaged") in map(get_status_and_code, responses)
    for response, expected in zip(responses, expected_responses, strict=True):
        assert response.status in (500, 503) or response.json == json.loads(expected)


@pytest.fixture
def killed_database(app, make_tag, instance, tmp_path) -> Path:
    """The file of a blog whose server was killed after it had created thirty tags, with its log."""
    for number in range(30):
        make_tag(f"tag {number}")
    database = instance / "blog.db"
    for file in (database, side_files(database).log):
        shutil.copy(file, tmp_path)
    close_connections(app)
    for file in (database, side_files(database).log):
        shutil.copy(tmp_path / file.name, file)
    return database


def list_tag_names() -> list[str]:
    """Return the names of all tags that a new start finds."""
    app = create_app()
    with app.app_context():
        found = list(db.session.scalars(select(Tag.name)))
    close_connections(app)
    return found


def test_the_log_of_a_killed_server_is_read_to_its_end(killed_database):
    assert len(list_tag_names()) == 30


def test_a_last_write_that_a_power_failure_cut_off_is_dropped(killed_database):
    log = side_files(killed_database).log
    overwrite(log, log.stat().st_size - 100)
    assert len(list_tag_names()) == 29


@pytest.mark.parametrize("where", ["head", "middle"])
def test_a_damaged_log_is_refused_until_doctor_drops_the_lost_writes(
    killed_database, where, app, instance, tmp_path
):
    def run(*words: str) -> tuple[int, str]:
        result = app.test_cli_runner().invoke(args=list(words))
        return result.exit_code, result.output

    log = side_files(killed_database).log
    damaged = overwrite(log, 3 if where == "head" else log.stat().st_size // 2)
    for _ in range(2):
        assert f"{log} is damaged: " in get_start_error() and "doctor --repair" in get_start_error()
    for words in (("backup", str(tmp_path / "backup.zip")), ("doctor",)):
        status, output = run(*words)
        assert status == 1 and f"{log} is damaged: " in output
    assert log.read_bytes() == damaged
    assert run("doctor", "--repair")[0] == 0
    close_connections(app)
    (kept,) = (instance / "backups").glob("*.db")
    assert side_files(kept).log.read_bytes() == damaged
    found = list_tag_names()
    assert found == [f"tag {number}" for number in range(len(found))]
    assert len(found) < 30 and (found or where == "head")
    assert is_intact(killed_database)


def test_a_backup_can_be_restored_over_a_blog_with_a_damaged_log(killed_database, app, instance, tmp_path):
    log = side_files(killed_database).log
    intact = log.read_bytes()
    backups.create_backup(instance, tmp_path / "backup.zip")
    shutil.copy(tmp_path / "blog.db", killed_database)
    log.write_bytes(intact)
    damaged = overwrite(log, len(intact) // 2)
    restored = restoring.restore(tmp_path / "backup.zip", instance)
    assert restored.unreadable and restored.former_copy is not None
    assert side_files(restored.former_copy).log.read_bytes() == damaged
    assert len(list_tag_names()) == 30
