"""The names of backups, and the choice of the old backups to delete."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from blogapi.backups import naming
from blogapi.backups.naming import Kind

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
MADE = naming.daily_backup_name(date(2026, 3, 4))


def test_the_name_of_a_backup_contains_the_time_of_the_backup():
    assert naming.manual_backup_name(NOW) == "blogapi-20260301T120000000005Z.zip"
    assert naming.daily_backup_name(NOW.date()) == "daily-2026-03-01.zip"


@pytest.mark.parametrize(
    ("keep", "gone"),
    [(4, []), (3, ["daily-2026-03-01.zip"]), (1, [f"daily-2026-03-0{day}.zip" for day in (1, 2, 3)])],
)
def test_the_oldest_backups_are_deleted(keep, gone):
    names = [f"daily-2026-03-0{day}.zip" for day in (3, 1, 2, 4)]
    assert naming.select_surplus(names, Kind.DAILY, keep=keep, created=MADE) == gone


def test_files_that_the_command_did_not_write_are_kept():
    names = [
        *("blog.zip", "daily-2026-03-01.zip.old", "daily.zip", "before-restore-20260301T120000000005.zip"),
        *("blogapi-20260301T120000000005Z.zip", "xdaily-2026-03-01.zip", "daily-٢٠٢٦-03-01.zip"),
    ]
    assert naming.select_surplus(names, Kind.DAILY, keep=1, created=MADE) == []


def test_a_new_backup_is_kept_even_if_another_backup_has_a_future_date():
    names = ["daily-2036-01-01.zip", MADE]
    assert naming.select_surplus(names, Kind.DAILY, keep=1, created=MADE) == ["daily-2036-01-01.zip"]


def test_the_error_for_a_later_migration_in_a_backup_mentions_a_newer_version():
    assert naming.explain_unknown_migration("0001", ("0001", "0002")) == ""
    assert "newer version" in naming.explain_unknown_migration("0003", ("0001", "0002"))
