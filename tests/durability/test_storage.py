"""A disk that is full, files that were taken away or damaged: told, and never a wrong answer."""

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
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS, release
from tests.durability.conftest import Answer, Client, is_whole, times
from tests.durability.test_processes import WSGI
from tests.serving.test_limits import until

pytestmark = pytest.mark.sqlite("its file and its log")

POSIX = pytest.mark.skipif(os.name == "nt", reason="What is open cannot be taken away there")

PAGE = 4096

# Pages that are damaged in turn, and as many of those with texts.
PAGES = times("PAGES", 8)
JUNK = (b"\xff" * PAGE, bytes(PAGE), os.urandom(PAGE))
LISTS = (
    TAGS,
    CATEGORIES,
    ARTICLES,
    f"{ARTICLES}?fields=html,excerpt",
    f"{ARTICLES}?q=title",
    f"{ARTICLES}author/me/",
)

# The modes of files hold nobody back who is root: this program gives that up (PR_CAPBSET_DROP of
# CAP_DAC_OVERRIDE) and runs another.
WITHOUT_RIGHTS = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
RESTRAINED = [sys.executable, "-c", WITHOUT_RIGHTS, *WSGI]


@pytest.fixture
def blog(instance, make_article, make_tag) -> Path:
    """The file of a blog with long and short articles."""
    for number in range(12):
        make_article(title=f"Title {number}", content="<p>Words.</p>" * 60 * number, tags=(make_tag(),))
    return instance / "blog.db"


@pytest.fixture
def small_disk(instance) -> Iterator[Path]:
    """The instance folder, on a disk of its own of a few megabytes."""
    instance.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(instance)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root of a Linux makes a small disk")
    yield instance
    subprocess.run(["umount", "--lazy", str(instance)], check=True)


def fill(folder: Path) -> Path:
    """Leave no byte free on the disk of the folder; return the file that takes them."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * PAGE):
            pass
    return filler


def overwrite(path: Path, start: int, junk: bytes = b"garbage") -> bytes:
    """Write over a part of the file; return all of it."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(junk)
    return path.read_bytes()


def code(answer: Answer) -> tuple[int, str]:
    return answer.status, "" if isinstance(answer.json, list) else answer.json.get("code", "")


def test_a_full_disk_is_told_and_when_there_is_room_again_writes_go_on(small_disk, blog, serve):
    with serve() as (ask, running):
        stranger, numbers = Client(ask.port), count()

        def write() -> Answer:
            return ask("POST", TAGS, {"name": f"{next(numbers)}"})

        known = {tag["uuid"] for tag in ask("GET", TAGS).json}
        key = Client(ask.port, stranger("POST", KEYS).json["public_state"])
        filler = fill(small_disk)
        heard = []
        # What the log has taken before, it takes again.
        for _ in range(2000):
            heard.append(write())
            if heard[-1].status != 201:
                break
        assert code(heard[-1]) == (507, "storage_full")
        for path in LISTS:
            assert ask("GET", path).status == 200
        assert (key("GET", TAGS).status, key("GET", ARTICLES).status) == (200, 200)
        assert code(stranger("GET", "/health/")) == (503, "storage_full")
        refused = [write() for _ in range(5)]
        assert {answer.status for answer in refused} <= {201, 507}
        filler.unlink()
        assert write().status == 201
        assert stranger("GET", "/health/").status == 200
        acknowledged = {answer.json["uuid"] for answer in (*heard, *refused) if answer.status == 201}
        running.process.kill()
    with serve() as (ask, _):
        found = {tag["uuid"] for tag in ask("GET", TAGS).json}
        assert known | acknowledged < found
        assert len(found) == len(known | acknowledged) + 1
    assert is_whole(blog)


def refusal(**settings: Any) -> str:
    """Return the one sentence with which a start ends."""
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def test_a_start_on_a_full_disk_is_refused_and_the_next_one_is_not(small_disk, blog, app):
    release(app)
    (small_disk / "secret_key").write_text("s" * 64, encoding="ascii")
    filler = fill(small_disk)
    assert "the disk is full" in refusal()
    filler.unlink()
    release(create_app())
    assert is_whole(blog)


def gone(file: Path) -> Callable[[], None]:
    """Take the instance folder away; return what brings it back."""
    away = file.parent.with_name("away")
    file.parent.rename(away)
    return lambda: away.rename(file.parent)


def another(file: Path) -> Callable[[], None]:
    """Put another blog in the place of the file; return what brings it back."""
    away = file.parent.with_name("away")
    shutil.copytree(file.parent, away)
    file.rename(away / "own.db")
    shutil.copy(away / "blog.db", file)

    def back() -> None:
        (away / "own.db").replace(file)
        shutil.rmtree(away)

    return back


@POSIX
@pytest.mark.parametrize("taken", [gone, another])
def test_nothing_is_stored_in_a_file_that_was_taken_away(serve, blog, taken):
    with serve() as (ask, _):
        before = {path: ask("GET", path).json for path in LISTS}
        back = taken(blog)
        left = sorted(blog.parent.glob("*"))
        # What is given again from memory is so for a moment longer.
        until(lambda: {ask("GET", path).status for path in LISTS} == {503})
        for path in (TAGS, KEYS):
            assert ask("POST", path, {"name": "one more"}).status == 503
        assert code(ask("GET", "/health/")) == (503, "missing")
        assert sorted(blog.parent.glob("*")) == left
        back()
        assert {path: ask("GET", path).json for path in LISTS} == before
        assert ask("POST", TAGS, {"name": "one more"}).status == 201
        assert ask("GET", "/health/").status == 200


@POSIX
def test_a_file_that_may_not_be_written_to_is_told_and_read(serve, blog, tmp_path, app):
    with serve(command=RESTRAINED) as (ask, _):
        before = ask("GET", ARTICLES).json
        blog.chmod(0o400)
        blog.parent.chmod(0o500)
        try:
            assert code(ask("GET", "/health/")) == (503, "read_only")
            assert ask("GET", ARTICLES).json == before
            answers = [ask("POST", TAGS, {"name": f"more {number}"}) for number in range(5)]
            assert {answer.status for answer in answers} <= {201, 503}
        finally:
            blog.parent.chmod(0o700)
            blog.chmod(0o600)
        assert ask("GET", "/health/").status == 200
        found = {tag["uuid"] for tag in ask("GET", TAGS).json}
        assert {answer.json["uuid"] for answer in answers if answer.status == 201} <= found


@POSIX
def test_a_start_on_a_file_that_may_not_be_written_to_is_refused(blog, app, tmp_path):
    release(app)
    blog.chmod(0o400)
    try:
        told = subprocess.run(
            [*RESTRAINED, "--port", "0"], capture_output=True, text=True, timeout=30, cwd=tmp_path
        )
    finally:
        blog.chmod(0o600)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == f"Error: The database {blog} cannot be opened: Permission denied.\n"


@pytest.fixture
def true(blog, app, as_admin) -> list[bytes]:
    """What the blog answers as long as it is whole; nobody serves it."""
    found = [as_admin.get(path) for path in LISTS]
    assert {answer.status_code for answer in found} == {200}
    release(app)
    return [answer.data for answer in found]


def some(starts: Sequence[int]) -> Sequence[int]:
    return starts[:: max(1, len(starts) // PAGES)]


def test_a_damaged_page_gives_no_wrong_answer(blog, true, write_key):
    whole = blog.read_bytes()
    starts = range(0, len(whole), PAGE)
    texts = [start for start in starts if b"Words." in whole[start : start + PAGE]]
    for number, start in enumerate((*some(starts), *some(texts))):
        for leftover in blog.parent.glob("blog.db-*"):
            leftover.unlink()
        blog.write_bytes(whole[:start] + JUNK[number % len(JUNK)] + whole[start + PAGE :])
        try:
            client = create_app().test_client()
        except CannotStart as error:
            assert error.message.endswith(".") and "\n" not in error.message
            continue
        for right, path in zip(true, LISTS, strict=True):
            answer = client.get(path, headers={"X-API-KEY": write_key})
            assert answer.status_code in (500, 503) or answer.data == right, (start, path)
            # A page that leads past the end of the file is an I/O error to SQLite.
            if answer.status_code == 503 and answer.json["code"] == "damaged":
                assert client.get("/health/").json["code"] == "damaged"
        release(client.application)


def test_a_page_that_the_start_needs_is_told_in_one_sentence(blog, app):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'article_tally'"))
    release(app)
    overwrite(blog, (page - 1) * PAGE, JUNK[0])
    assert refusal() == f"The database sqlite:///{blog} cannot be used: database disk image is malformed."


def test_pages_that_are_damaged_under_a_server_give_no_wrong_answer(serve, blog, true):
    with serve() as (ask, _):
        pages = blog.stat().st_size // PAGE
        overwrite(blog, pages // 3 * PAGE, os.urandom((pages - pages // 3) * PAGE))
        answers = [ask("GET", path) for path in LISTS]
        assert code(ask("GET", "/health/")) == (503, "damaged")
    assert (503, "damaged") in map(code, answers)
    for answer, right in zip(answers, true, strict=True):
        assert answer.status in (500, 503) or answer.json == json.loads(right)


@pytest.fixture
def cut_short(app, make_tag, instance, tmp_path) -> Path:
    """The file of a blog whose server was killed after it had created thirty tags: its log is still there."""
    for number in range(30):
        make_tag(f"tag {number}")
    database = instance / "blog.db"
    for file in (database, side_files(database).log):
        shutil.copy(file, tmp_path)
    release(app)
    for file in (database, side_files(database).log):
        shutil.copy(tmp_path / file.name, file)
    return database


def tags() -> list[str]:
    """Return the names of all tags that a new start finds."""
    app = create_app()
    with app.app_context():
        found = list(db.session.scalars(select(Tag.name)))
    release(app)
    return found


def test_a_log_that_nobody_has_emptied_is_read_to_its_end(cut_short):
    assert len(tags()) == 30


def test_the_last_write_may_be_torn_by_a_power_cut(cut_short):
    log = side_files(cut_short).log
    overwrite(log, log.stat().st_size - 100)
    assert len(tags()) == 29


@pytest.mark.parametrize("where", ["head", "middle"])
def test_a_damaged_log_is_refused_until_its_owner_gives_up_what_is_lost(
    cut_short, where, app, instance, tmp_path
):
    def run(*words: str) -> tuple[int, str]:
        told = app.test_cli_runner().invoke(args=list(words))
        return told.exit_code, told.output

    log = side_files(cut_short).log
    damaged = overwrite(log, 3 if where == "head" else log.stat().st_size // 2)
    for _ in range(2):
        assert f"{log} is damaged: " in refusal() and "doctor --mend" in refusal()
    for words in (("backup", str(tmp_path / "backup.zip")), ("doctor",)):
        status, told = run(*words)
        assert status == 1 and f"{log} is damaged: " in told
    assert log.read_bytes() == damaged
    status, told = run("doctor", "--mend")
    assert status == 0 and "mended  log" in told
    release(app)
    (kept,) = (instance / "backups").glob("*.db")
    assert side_files(kept).log.read_bytes() == damaged
    found = tags()
    assert found == [f"tag {number}" for number in range(len(found))]
    assert len(found) < 30 and (found or where == "head")
    assert is_whole(cut_short)


def test_a_backup_takes_the_place_of_a_blog_with_a_damaged_log(cut_short, app, instance, tmp_path):
    log = side_files(cut_short).log
    sound = log.read_bytes()
    backups.make(instance, tmp_path / "backup.zip")
    shutil.copy(tmp_path / "blog.db", cut_short)
    log.write_bytes(sound)
    damaged = overwrite(log, len(sound) // 2)
    restored = restoring.restore(tmp_path / "backup.zip", instance)
    assert restored.unreadable and restored.kept is not None
    assert side_files(restored.kept).log.read_bytes() == damaged
    assert len(tags()) == 30
