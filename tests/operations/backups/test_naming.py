"""The names of backups, and the choice of the old backups to delete."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.operations.backups import folder_backups, naming
from blogapi.operations.backups.naming import BackupKind

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)


@pytest.fixture
def rotate(tmp_path):
    """Makes empty files, keeps a number of daily backups, and returns the names of the deleted files."""

    def rotate_files(names, *, keep):
        for name in names:
            (tmp_path / name).touch()
        created = tmp_path / "daily-2026-03-04.zip"
        deleted = folder_backups._delete_old_backups(tmp_path, BackupKind.DAILY, keep=keep, created=created)
        assert {path.name for path in tmp_path.iterdir()} == {*names} - {path.name for path in deleted}
        return [path.name for path in deleted]

    return rotate_files


def test_the_name_of_a_backup_contains_the_time_of_the_backup():
    assert naming.make_manual_backup_name(NOW) == "blogapi-20260301T120000000005Z.zip"
    assert naming.make_daily_backup_name(NOW.date()) == "daily-2026-03-01.zip"


@pytest.mark.parametrize(
    ("keep", "gone"),
    [(4, []), (3, ["daily-2026-03-01.zip"]), (1, [f"daily-2026-03-0{day}.zip" for day in (1, 2, 3)])],
)
def test_the_oldest_backups_are_deleted(rotate, keep, gone):
    assert rotate([f"daily-2026-03-0{day}.zip" for day in (3, 1, 2, 4)], keep=keep) == gone


def test_files_that_the_command_did_not_write_are_kept(rotate):
    names = [
        *("blog.zip", "daily-2026-03-01.zip.old", "daily.zip", "before-restore-20260301T120000000005.zip"),
        *("blogapi-20260301T120000000005Z.zip", "xdaily-2026-03-01.zip", "daily-٢٠٢٦-03-01.zip"),
    ]
    assert rotate(names, keep=1) == []


def test_a_backup_with_a_future_date_takes_the_place_of_no_other_one(rotate):
    names = ["daily-2036-01-01.zip", "daily-2026-03-03.zip", "daily-2026-03-04.zip"]
    assert rotate(names, keep=1) == ["daily-2026-03-03.zip"]
    assert rotate([names[0], names[2]], keep=1) == []
