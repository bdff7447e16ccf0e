"""`upgrade` and `rollback` can be killed at any time: the blog is as before or as after, and works."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections import defaultdict

import pytest

from blogapi.storage import migration_names
from tests.durability.conftest import get_repetitions, is_intact
from tests.durability.test_processes import TIMEOUT
from tests.upgrading.conftest import dump, list_temporary, read_migration, replace_content

pytestmark = [
    pytest.mark.slow,
    pytest.mark.release,
    pytest.mark.sqlite("its file is copied first"),
]
KILLS = get_repetitions("MIGRATIONS", 1)
# Tables with the time of the upgrade, or with random tags.
TIMED = {"commit_counter", "event", "release"}
LAST = migration_names.list_migrations()[-1]

# Runs a command. The process kills itself argv[2] milliseconds after event number argv[1]. An event is an SQL
# statement or a change of the file system. If argv[1] is 0, the process prints the names of the events.
KILLED_COMMAND = """
import json, os, signal, sqlite3.dbapi2, sys, threading, time
last, after, seen = int(sys.argv[1]), int(sys.argv[2]) / 1000, []
def kill():
    time.sleep(after)
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
def count(name):
    seen.append(name)
    if len(seen) == last:
        threading.Thread(target=kill).start() if after else kill()
def connect(*arguments, original=sqlite3.connect, **options):
    connection = original(*arguments, **options)
    connection.set_trace_callback(lambda statement: count(statement.split()[0]))
    return connection
sqlite3.connect = sqlite3.dbapi2.connect = connect
def count_event(event, arguments):
    if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir") or (
        event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    ):
        count(event)
sys.addaudithook(count_event)
from blogapi.__main__ import main
try:
    main(sys.argv[3:])
finally:
    print(json.dumps(seen))
"""


def run_and_kill(*command: str, kill_at: int = 0, milliseconds: int = 0) -> list[str]:
    """Run the command in a process of its own; return the names of its events."""
    program = [sys.executable, "-c", KILLED_COMMAND, str(kill_at), str(milliseconds), *command]
    result = subprocess.run(program, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == 0 or kill_at, result.stderr
    return json.loads(result.stdout.splitlines()[-1]) if result.returncode == 0 else []


def choose_kills(events: list[str]) -> list[tuple[int, int]]:
    """Return the number of an event of each name and up to 4 ms, `KILLS` times."""
    numbers = defaultdict(list)
    for number, name in enumerate(events, 1):
        numbers[name].append(number)
    return [(secrets.choice(found), secrets.randbelow(5)) for _ in range(KILLS) for found in numbers.values()]


def test_an_upgrade_that_is_killed_can_be_repeated(old_blog, run, instance):
    before = dump(old_blog / "blog.db")
    events = run_and_kill("upgrade")
    upgraded = dump(instance / "blog.db")
    for number, milliseconds in choose_kills(events):
        replace_content(instance, old_blog)
        run_and_kill("upgrade", kill_at=number, milliseconds=milliseconds)
        assert is_intact(instance / "blog.db")
        is_upgraded = read_migration(instance / "blog.db") == LAST
        assert is_upgraded or dump(instance / "blog.db") == before, number
        for copy in instance.glob("backups/before-upgrade-*"):
            assert dump(copy) == before
        result = run("upgrade")
        assert result.exit_code == 0, result.output
        after = dump(instance / "blog.db")
        for table in upgraded.keys() - TIMED:
            assert after[table] == upgraded[table], (number, events[number - 1], table)
        assert run("doctor", "--full").exit_code == 0
        assert list_temporary(instance) == []
        result = run("rollback", "--no-export")
        assert result.exit_code == 0, result.output
        assert dump(instance / "blog.db") == before


def test_a_rollback_that_is_killed_can_be_repeated(old_blog, new_blog, run, instance):
    before, after = dump(old_blog / "blog.db"), dump(new_blog / "blog.db")
    events = run_and_kill("rollback")
    assert dump(instance / "blog.db") == before
    for number, milliseconds in choose_kills(events):
        replace_content(instance, new_blog)
        run_and_kill("rollback", kill_at=number, milliseconds=milliseconds)
        assert is_intact(instance / "blog.db")
        found = dump(instance / "blog.db")
        assert found in (before, after), (number, events[number - 1])
        if found == after:
            assert run("doctor", "--full").exit_code == 0
            result = run("rollback")
            assert result.exit_code == 0, result.output
        assert dump(instance / "blog.db") == before
        # Each export is complete.
        folders = [path for path in instance.glob("backups/since-upgrade-*") if path.is_dir()]
        assert folders and all(list(path.glob("articles/**/since.md")) for path in folders)
        assert any(dump(path) == after for path in instance.glob("backups/before-rollback-*.db"))
        result = run("rollback")
        assert result.exit_code == 1 and "already in the state before the upgrade" in result.output
        assert list_temporary(instance) == []
