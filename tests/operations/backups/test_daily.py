"""The daily backup."""

from __future__ import annotations

import logging
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from blogapi.operations.backups import daily, restoring, service
from blogapi.serving import server
from tests.operations.backups.conftest import join_backup_threads

TODAY = date(2026, 3, 4)


@pytest.fixture
def start(make_app, blog, monkeypatch):
    """Starts the backup thread with the given settings. Backups are checked immediately, then every 10 ms."""
    monkeypatch.setattr(daily, "FIRST_CHECK_SECONDS", 0)
    monkeypatch.setattr(daily, "CHECK_SECONDS", 0.01)
    started = []

    def start(**settings):
        started.append(daily.start_daily_backups(make_app(**settings)))
        return started[-1]

    yield start
    for stop in started:
        if stop is not None:
            stop.set()
    join_backup_threads()


def wait_for(found, seconds=60):
    end = time.monotonic() + seconds
    while not (it := found()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return it


def list_backups(blog):
    return sorted(path.name for path in (blog / "backups").glob("*.zip"))


def test_without_the_setting_no_backups_are_made(start):
    assert start() is None


def test_repeated_checks_make_one_backup_a_day(start, blog, set_clock):
    set_clock(datetime.now(UTC))
    start(DAILY_BACKUPS=3)
    (name,) = wait_for(lambda: list_backups(blog))
    time.sleep(0.2)
    assert list_backups(blog) == [name]
    assert restoring.verify_backup(blog / "backups" / name, blog).manifest.rows["article"] == 2


def test_a_restart_on_the_same_day_makes_no_second_backup(blog):
    first = daily.create_backup_if_missing(blog, keep=3, today=TODAY)
    content = first.path.read_bytes()
    assert daily.create_backup_if_missing(blog, keep=3, today=TODAY) is None
    assert first.path.read_bytes() == content


def test_the_newest_backups_are_kept(blog):
    (blog / "backups").mkdir()
    (blog / "backups" / "mine.zip").write_text("named by a person")
    for day in range(1, 5):
        daily.create_backup_if_missing(blog, keep=2, today=date(2026, 3, day))
    assert list_backups(blog) == ["daily-2026-03-03.zip", "daily-2026-03-04.zip", "mine.zip"]


def test_a_backup_that_is_downloaded_on_windows_is_deleted_with_a_later_one(blog, monkeypatch):
    for day in (1, 2):
        daily.create_backup_if_missing(blog, keep=2, today=date(2026, 3, day))
    unlink = Path.unlink

    def refuse(self, missing_ok=False):
        if self.name == "daily-2026-03-01.zip":
            raise PermissionError(13, "in use")
        unlink(self, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        assert daily.create_backup_if_missing(blog, keep=2, today=date(2026, 3, 3))
    assert len(list_backups(blog)) == 3
    daily.create_backup_if_missing(blog, keep=2, today=date(2026, 3, 4))
    assert list_backups(blog) == ["daily-2026-03-03.zip", "daily-2026-03-04.zip"]


def test_backups_from_the_future_take_no_place(blog):
    days = [date(2026, 3, 2), date(2026, 3, 3), date(2027, 1, 1), date(2026, 3, 4), date(2026, 3, 5)]
    for day in days:
        daily.create_backup_if_missing(blog, keep=2, today=day)
    assert list_backups(blog) == ["daily-2026-03-04.zip", "daily-2026-03-05.zip", "daily-2027-01-01.zip"]
    daily.create_backup_if_missing(blog, keep=2, today=date(2027, 1, 2))
    assert list_backups(blog) == ["daily-2027-01-01.zip", "daily-2027-01-02.zip"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("odd")])
def test_a_failed_backup_is_logged_and_tried_again(start, blog, monkeypatch, caplog, error):
    make_backup = service.create_backup
    failed = []

    def make(*arguments, **options):
        if len(failed) < 2:
            failed.append(1)
            with service.convert_errors(blog):
                raise error
        return make_backup(*arguments, **options)

    monkeypatch.setattr(service, "create_backup", make)
    with caplog.at_level(logging.ERROR):
        start(DAILY_BACKUPS=1)
        wait_for(lambda: list_backups(blog))
    assert caplog.text.count("the daily backup failed") == 2


def test_serve_starts_the_daily_backup(app, monkeypatch):
    begun = []
    monkeypatch.setattr(daily, "start_daily_backups", begun.append)
    monkeypatch.setattr(server.Server, "run", lambda self: (self.task_dispatcher.shutdown(), self.close()))
    assert app.test_cli_runner().invoke(args=["serve", "--port", "0"]).exit_code == 0
    assert begun == [app]
