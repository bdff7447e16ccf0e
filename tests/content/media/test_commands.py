"""`media prune`."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import null

from blogapi.content.media import removal
from blogapi.content.media.folder import get_folder
from tests.content.media.rows import MEDIA, add_media, make_hash

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = 86_400


@pytest.fixture
def prune(app, set_clock):
    """Return a function that runs the command on 2026-06-01 and returns its output."""

    def run(*arguments):
        set_clock(NOW)
        result = app.test_cli_runner().invoke(args=["media", "prune", *arguments])
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return result.stdout

    return run


def unused_for(days):
    return {"unused_since": NOW - timedelta(days=days)}


def store(app, name, *, days=0):
    """Write a file into the media folder that was last changed some days ago."""
    with app.app_context():
        path = get_folder().root / name[:2] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"12345")
    os.utime(path, (time.time() - days * DAY,) * 2)
    return path


def list_names(client):
    return sorted(item["name"] for item in client.get(MEDIA).json)


def test_prune_deletes_what_nothing_has_used_for_30_days(app, as_admin, prune, make_article, monkeypatch):
    # Each transaction deletes at most two files.
    monkeypatch.setattr(removal, "BATCH_SIZE", 2)
    article = make_article().uuid
    for number in range(5):
        add_media(app, name=f"old-{number}.png", **unused_for(31))
    add_media(app, name="new.png", **unused_for(29))
    add_media(app, name="used.png", unused_since=null(), uses=[("article", article)])
    # A use that another program stored counts, even if the time was not cleared.
    add_media(app, name="inconsistent.png", uses=[("article", article)], **unused_for(99))
    path = store(app, f"{make_hash('old')}.png")
    add_media(app, name="stored.png", hash=make_hash("old"), **unused_for(40))
    assert prune() == f"Deleted 6 files with {6 * 100} bytes.\n"
    assert list_names(as_admin) == ["inconsistent.png", "new.png", "used.png"]
    assert not path.exists()
    assert prune() == "Deleted 0 files with 0 bytes.\n"
    assert prune("--days", "0") == "Deleted 1 files with 100 bytes.\n"


def test_a_dry_run_lists_the_files_and_deletes_nothing(app, as_admin, prune, monkeypatch):
    monkeypatch.setattr(removal, "BATCH_SIZE", 2)
    uuids = [add_media(app, name=f"{number}.png", **unused_for(31)) for number in range(3)]
    orphan = store(app, f"{make_hash('orphan')}.png", days=2)
    lines = prune("--dry-run").splitlines()
    assert sorted(lines[:3]) == sorted(f"{uuid} 100 bytes {number}.png" for number, uuid in enumerate(uuids))
    assert lines[3:] == [f"abandoned 5 bytes {orphan.name}", "Would delete 4 files with 305 bytes."]
    assert json.loads(prune("--dry-run", "--json")) == {"files": 4, "bytes": 305, "dry_run": True}
    assert list_names(as_admin) == ["0.png", "1.png", "2.png"]
    assert orphan.exists()
    assert json.loads(prune("--json")) == {"files": 4, "bytes": 305, "dry_run": False}


def test_prune_deletes_old_stored_files_without_rows(app, prune, monkeypatch):
    monkeypatch.setattr(removal, "BATCH_SIZE", 2)
    owned, other = make_hash("owned"), make_hash("other")
    add_media(app, name="owned.png", hash=owned, **unused_for(1))
    kept = [
        store(app, f"{owned}.png", days=2),
        store(app, f"{make_hash('recent')}.png"),
        store(app, "00/notes.txt", days=9),
        store(app, f"{make_hash('x')[:60]}.png", days=9),
    ]
    # The type of the file differs from that of the row with the same hash.
    abandoned = [store(app, f"{hash}.{end}", days=2) for hash, end in ((owned, "jpg"), (other, "png"))]
    abandoned += [store(app, f"{make_hash(str(number))}.webp", days=2) for number in range(3)]
    assert prune() == "Deleted 5 files with 25 bytes.\n"
    assert not any(path.exists() for path in abandoned)
    assert all(path.exists() for path in kept)


def test_a_file_that_is_used_or_stored_during_the_command_stays(app, prune, monkeypatch):
    name = f"{make_hash('late')}.png"
    path = store(app, name, days=2)
    delete_unreferenced = removal.delete_unreferenced_files

    def store_first(stored_files):
        add_media(app, name="late.png", hash=make_hash("late"), **unused_for(0))
        return delete_unreferenced(stored_files)

    monkeypatch.setattr(removal, "delete_unreferenced_files", store_first)
    assert prune() == "Deleted 0 files with 0 bytes.\n"
    assert path.exists()


def test_prune_works_without_a_media_folder(prune):
    assert prune() == "Deleted 0 files with 0 bytes.\n"
