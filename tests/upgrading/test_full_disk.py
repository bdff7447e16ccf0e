"""`upgrade` and `rollback` on a disk that becomes full: nothing is lost, and they can be repeated."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from blogapi.storage import migration_names
from tests.durability.conftest import get_repetitions, is_intact
from tests.durability.test_processes import TIMEOUT
from tests.small_disks import fill_disk, mount_small_disk
from tests.upgrading.conftest import dump, list_temporary, read_migration, replace_content

pytestmark = [
    pytest.mark.slow,
    pytest.mark.release,
    pytest.mark.sqlite("its file and its log"),
]
TURNS = 6 * get_repetitions("MIGRATIONS", 1)
# The commands write less than this.
MAX_WRITTEN = 2 * 1024**2

# Other programs fill the disk after the command has measured the free space.
COMMAND = """
import shutil, sys
from blogapi.__main__ import main
measure = shutil.disk_usage
shutil.disk_usage = lambda path: measure(path)._replace(free=2**40)
main(sys.argv[1:])
"""


def run_with_space(disk: Path, free: int, command: str) -> bool:
    """Run the command with this number of free bytes; return whether it succeeds.

    An error must say that the disk is full.
    """
    filler = fill_disk(disk)
    os.truncate(filler, filler.stat().st_size - free)
    result = subprocess.run(
        [sys.executable, "-c", COMMAND, command], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    filler.unlink()
    if result.returncode:
        assert "Traceback" not in result.stderr, result.stderr
        assert "disk is full" in result.stderr or "No space left on device" in result.stderr, result.stderr
    return result.returncode == 0


def check_blog(run) -> None:
    lines = run("doctor", "--full").output.splitlines()
    assert "ok" in {line.split()[0] for line in lines}
    # The disk is small even if it is empty.
    assert [line for line in lines if line.startswith("wrong") and " disk: " not in line] == []


def choose_spaces() -> list[int]:
    """Return no space and random numbers of bytes, half of them small."""
    limits = (MAX_WRITTEN, MAX_WRITTEN // 4)
    return [0, *(secrets.randbelow(limits[turn % 2]) for turn in range(TURNS))]


def test_an_upgrade_on_a_full_disk_can_be_repeated(old_blog, run, instance):
    before = dump(old_blog / "blog.db")
    with mount_small_disk(instance):
        for free in choose_spaces():
            replace_content(instance, old_blog)
            is_done = run_with_space(instance, free, "upgrade")
            assert not is_done or free
            assert is_intact(instance / "blog.db")
            # The schema and the articles are upgraded in separate transactions.
            is_upgraded = read_migration(instance / "blog.db") == migration_names.list_migrations()[-1]
            assert is_upgraded or dump(instance / "blog.db") == before
            assert [path.suffix for path in instance.glob("backups/*")] == [".db"] * is_upgraded
            assert run("upgrade").exit_code == 0
            check_blog(run)
            assert run("rollback").exit_code == 0
            assert dump(instance / "blog.db") == before


def test_a_rollback_on_a_full_disk_can_be_repeated(old_blog, new_blog, run, instance):
    before, after = dump(old_blog / "blog.db"), dump(new_blog / "blog.db")
    with mount_small_disk(instance):
        for free in choose_spaces():
            replace_content(instance, new_blog)
            is_done = run_with_space(instance, free, "rollback")
            assert not is_done or free
            assert is_intact(instance / "blog.db")
            assert dump(instance / "blog.db") == (before if is_done else after)
            if not is_done:
                assert not list(instance.glob("backups/before-rollback-*"))
                check_blog(run)
                assert run("rollback").exit_code == 0
            assert dump(instance / "blog.db") == before
            folders = [path for path in instance.glob("backups/since-upgrade-*") if path.is_dir()]
            assert folders and all(list(path.glob("articles/**/since.md")) for path in folders)
            assert list_temporary(instance) == []
