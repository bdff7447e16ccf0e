"""Files: what stands under a name stays there."""

from __future__ import annotations

import os
import stat

import pytest

from blogapi.storage import files


@pytest.mark.skipif(os.name == "nt", reason="a folder cannot be opened there")
def test_a_file_that_replaces_another_is_on_the_disk_before_its_name(tmp_path, monkeypatch):
    source, target = tmp_path / "source", tmp_path / "folder" / "target"
    target.parent.mkdir()
    source.write_text("new", encoding="utf-8")
    synced, fsync = [], os.fsync

    def note(handle):
        found = os.fstat(handle)
        synced.append((found.st_ino, stat.S_ISDIR(found.st_mode), target.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    file = source.stat().st_ino
    files.replace(source, target)
    assert synced == [(file, False, False), (target.parent.stat().st_ino, True, True)]
