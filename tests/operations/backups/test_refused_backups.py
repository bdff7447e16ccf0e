"""Damaged backups, other files and backups with a different schema are refused without changes."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import zipfile
import zlib
from contextlib import closing, suppress

import pytest

from blogapi.content.media import stored_files
from blogapi.operations.backups import archive, service
from blogapi.operations.backups.manifest import MEDIA_LIST_FILE, MediaList
from tests.operations.backups.databases import create_older_blog, execute
from tests.stored_pictures import store_picture

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")


def write_altered(backup_file, target, without=(), members=None, without_files=(), **manifest):
    """Write a copy of the backup with another manifest, `without` some of its fields."""
    with zipfile.ZipFile(backup_file) as source, zipfile.ZipFile(target, "w") as zip_file:
        for name in [one for one in members or source.namelist() if one not in without_files]:
            content = source.read(name)
            if name == "manifest.json":
                fields = {
                    name: one for name, one in json.loads(content).items() if name not in without
                } | manifest
                content = json.dumps(fields).encode()
            zip_file.writestr(name, content)
    return target


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def blank(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content) - 600)
    return content[:place] + b"\0" * 600 + content[place + 600 :]


def flip(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


def read_members(content: bytes) -> dict[str, bytes]:
    """Return the members of a zip file; those that its checksums refuse have no content."""
    members = {}
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        for name in source.namelist():
            members[name] = b""
            with suppress(zipfile.BadZipFile, zlib.error, EOFError):
                members[name] = source.read(name)
    return members


def flip_in_database(content: bytes, chance: random.Random) -> bytes:
    """Flip a bit in the compressed database; a few bits of the format change no content."""
    start = content.index(b"blog.db") + 100
    end = content.index(b"PK\3\4", start) - 100
    while True:
        flipped = flip(content, chance.randrange(start, end), chance.randrange(8))
        if read_members(flipped) != read_members(content):
            return flipped


@pytest.mark.parametrize("damage", [cut, flip_in_database, blank])
def test_a_damaged_backup_is_refused_without_changes(run, backup_file, fingerprint, tmp_path, damage):
    before, whole = fingerprint(), backup_file.read_bytes()
    for seed in range(25):
        (tmp_path / "spoilt.zip").write_bytes(damage(whole, random.Random(seed)))  # noqa: S311
        for words in (("restore",), ("backup", "--verify")):
            result = run(*words, tmp_path / "spoilt.zip")
            assert result.exit_code == 1, (seed, words)
            assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert fingerprint() == before


def test_a_bit_that_no_checksum_covers_damages_no_content(run, backup_file, tmp_path):
    whole, path = backup_file.read_bytes(), tmp_path / "spoilt.zip"
    contents = set(read_members(whole).values())
    accepted = 0
    for place in range(whole.index(b"PK\1\2"), len(whole), 5):
        path.write_bytes(flip(whole, place, 2))
        if run("backup", "--verify", path).exit_code == 0:
            accepted += 1
            assert set(read_members(path.read_bytes()).values()) <= contents
    assert accepted


def write_zip(path, backup_file):
    with zipfile.ZipFile(path, "w") as zip_file:
        zip_file.writestr("manifest.json", '{"format": "blogapi-backup"}')


def write_other_zip(path, backup_file):
    write_altered(backup_file, path, members=["blog.db"])


def write_database(path, backup_file):
    execute(path, "CREATE TABLE article (x)")


def write_own_database(path, backup_file):
    with zipfile.ZipFile(backup_file) as source:
        path.write_bytes(source.read("blog.db"))


def write_other_program(path, backup_file):
    write_altered(backup_file, path, format="other")


def write_newer_format(path, backup_file):
    write_altered(backup_file, path, version=6)


def write_newer_migration(path, backup_file):
    write_altered(backup_file, path, step="9999")


def write_other_counts(path, backup_file):
    write_altered(backup_file, path, rows={"article": 3})


def write_without_database(path, backup_file):
    write_altered(backup_file, path, members=["config.toml", "manifest.json"])


def write_without_manifest(path, backup_file):
    write_altered(backup_file, path, created=None, unknown=1)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path, _: path.write_bytes(b""), "not a complete backup"),
        (lambda path, _: path.write_bytes(b"Dear reader, " * 100), "not a complete backup"),
        (write_zip, "manifest cannot be read"),
        (write_other_zip, "not a complete backup"),
        (write_database, "not a complete backup"),
        (write_own_database, "not a complete backup"),
        (write_other_program, "not a backup of blogapi"),
        (write_newer_format, "newer than this version"),
        (write_newer_migration, "newer version of blogapi (migration 9999)"),
        (write_other_counts, "does not match its manifest"),
        (write_without_database, "contains no database"),
        (write_without_manifest, "manifest cannot be read"),
    ],
)
def test_a_file_that_is_not_a_backup_is_refused_without_changes(
    run, backup_file, fingerprint, tmp_path, make, reason
):
    make(tmp_path / "other", backup_file)
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other")
        assert (result.exit_code, reason in result.stderr) == (1, True), result.output
    assert fingerprint() == before


OTHER_SCHEMAS = {
    "a trigger": (
        "CREATE TRIGGER other AFTER INSERT ON api_key BEGIN UPDATE account SET role = 'admin'; END",
        "trigger other is unknown",
    ),
    "a view": ("CREATE VIEW other AS SELECT * FROM account", "view other is unknown"),
    "a table": ("CREATE TABLE other (x)", "table other is unknown"),
    "a column less": ("ALTER TABLE article DROP COLUMN seo_og_image", "table article lacks: seo_og_image"),
    "a column more": ("ALTER TABLE tag ADD COLUMN motto TEXT", "table tag also has: motto TEXT"),
    "an index less": ("DROP INDEX ix_event_due", "index ix_event_due is missing"),
    "a trigger less": ("DROP TRIGGER search_entry_gone", "trigger search_entry_gone is missing"),
    "a view in the place of a table": (
        "ALTER TABLE article_stats RENAME TO article_stat; "
        "CREATE VIEW article_stats AS SELECT * FROM article_stat",
        "view article_stats is unknown",
    ),
}


def make_backup_of(path, target, statement):
    """Execute the statement on a copy of the blog's database, and write a valid backup of this copy."""
    home = target.with_suffix("")
    home.mkdir()
    service.copy_database(path, home / "blog.db")
    with closing(sqlite3.connect(home / "blog.db")) as connection:
        connection.executescript(statement)
    service.create_backup(home, target)


@pytest.mark.parametrize(("statement", "says"), OTHER_SCHEMAS.values(), ids=OTHER_SCHEMAS)
def test_a_backup_with_a_different_schema_is_refused_without_changes(
    run, blog, fingerprint, tmp_path, statement, says
):
    make_backup_of(blog / "blog.db", tmp_path / "other.zip", statement)
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other.zip")
        assert (result.exit_code, says in result.stderr) == (1, True), result.output
        assert result.stderr.count("\n") == 1
    assert fingerprint() == before


def test_an_older_backup_with_an_unknown_trigger_is_refused_without_changes(run, blog, fingerprint, tmp_path):
    older = create_older_blog(tmp_path) / "blog.db"
    make_backup_of(
        older, tmp_path / "other.zip", "CREATE TRIGGER other AFTER INSERT ON tag BEGIN SELECT 1; END"
    )
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other.zip")
        assert (result.exit_code, "trigger other is unknown" in result.stderr) == (1, True), result.output
    assert fingerprint() == before


def test_a_copy_from_before_an_upgrade_with_an_unknown_sql_view_is_refused(run, blog, fingerprint, tmp_path):
    aside = tmp_path / "before-upgrade-from-0003-20260101T000000.db"
    service.copy_database(blog / "blog.db", aside)
    execute(aside, "CREATE VIEW other AS SELECT 1")
    before = fingerprint()
    result = run("restore", aside)
    assert (result.exit_code, "view other is unknown" in result.stderr) == (1, True), result.output
    assert fingerprint() == before


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 1000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_an_upgrade_copy_that_cannot_be_read_is_refused(run, blog, fingerprint, tmp_path, content):
    aside = tmp_path / "before-upgrade-from-0003-20260101T000000.db"
    aside.write_bytes(content)
    before = fingerprint()
    result = run("restore", aside)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
    assert fingerprint() == before


@pytest.mark.parametrize("limit", ["list", "directory"])
def test_a_backup_that_could_not_be_restored_is_not_made(app, run, blog, tmp_path, monkeypatch, limit):
    store_picture(app, "blue")
    if limit == "list":
        monkeypatch.setitem(archive._MAX_FILE_SIZES, MEDIA_LIST_FILE, 10)
    else:
        monkeypatch.setattr(archive, "_MAX_DIRECTORY_BYTES", 10)
    for target in (tmp_path / "saved.zip", tmp_path):
        result = run("backup", target)
        assert (result.exit_code, "cannot be restored: it" in result.stderr) == (1, True)
    assert not list(tmp_path.glob("*.zip"))


def test_a_backup_of_a_million_media_files_can_be_read():
    paths = [stored_files.StoredFile(f"{number:064x}", "jpeg", 1).path for number in range(1000)]
    content = MediaList(dict.fromkeys(paths, 10_000_000)).to_json()
    directory = sum(zipfile.sizeCentralDir + len(f"{archive.MEDIA_FOLDER}/{path}") for path in paths)
    assert len(content) * 1000 < archive._MAX_FILE_SIZES[MEDIA_LIST_FILE]
    assert directory * 1000 < archive._MAX_DIRECTORY_BYTES


def test_a_directory_of_millions_of_files_is_refused_before_it_is_read(
    run, backup_file, tmp_path, monkeypatch
):
    assert run("backup", "--verify", backup_file).exit_code == 0
    target = tmp_path / "many.zip"
    with zipfile.ZipFile(target, "w") as zip_file:
        zip_file.writestr("manifest.json", b"{}")
    # The end of the file says how long the directory is; that of more than a million files would have 250 MB.
    content = bytearray(target.read_bytes())
    content[-10:-6] = (250_000_000).to_bytes(4, "little")
    content[-6:-2] = bytes(4)
    with target.open("wb") as output:
        output.seek(250_000_000)
        output.write(content)
    monkeypatch.setattr(zipfile, "is_zipfile", lambda path: True)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    result = run("backup", "--verify", target)
    assert result.exit_code == 1 and "it contains too many files" in result.stderr
