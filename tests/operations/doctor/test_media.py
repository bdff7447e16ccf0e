"""What `doctor` says about the media folder."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from sqlalchemy import delete, insert, select, update

from blogapi.content.media import queries
from blogapi.content.media.models import Media, MediaUse
from blogapi.operations.backups import daily
from blogapi.operations.doctor import media_checks
from blogapi.storage.database import db, transaction
from tests.stored_pictures import list_stored_files, store_picture


@pytest.fixture
def pictures(app):
    """The files of the pictures `black`, `blue` and `red`, in this order."""
    for colour in ("black", "blue", "red"):
        store_picture(app, colour)
    return list_stored_files(app)


@pytest.fixture
def media(instance):
    """The media folder."""
    return instance / "media"


@pytest.fixture
def find(app):
    """Return a function that runs the checks and returns the level and the text of each finding."""

    def find(**options):
        with app.app_context():
            found = list(media_checks.run_checks(**options))
            db.session.remove()
            assert {one.check for one in found} == {"media"}
            return [(one.level.value, one.says, one.do) for one in found]

    return find


@pytest.fixture
def run_doctor(app, instance):
    """Return a function that runs the command and returns the level and the text of each finding."""

    def run(*words):
        result = app.test_cli_runner().invoke(args=["doctor", "--json", *words])
        return [(one["level"], one["says"]) for one in json.loads(result.stdout)["findings"]]

    return run


def get_faults(findings) -> list[tuple[str, str, str]]:
    return [one for one in findings if one[0] != "ok"]


def test_intact_media_pass_all_checks(find, pictures, media):
    says = f"3 media files (0.0 MB) in {media} have the right sizes and digests."
    assert ("ok", says, "") in find(full=True)
    assert get_faults(find()) == []


def test_missing_and_damaged_files_are_reported_with_their_names(find, pictures, media):
    black, blue, red = pictures
    (media / black.path).unlink()
    (media / blue.path).write_bytes(b"")
    (media / red.path).write_bytes(b"x" * red.size)
    ((level, says, do),) = get_faults(find(full=True))
    assert level == "wrong" and f"3 media files in {media} are missing or damaged (" in says
    for file, fault in ((black, "missing"), (blue, "damaged"), (red, "damaged")):
        assert f"{file.path} ({file.label}): {fault}" in says
    assert "copy these files from the folder `media` of a backup" in do


def test_with_the_full_option_the_digests_of_all_files_are_checked(find, pictures, media):
    (media / pictures[2].path).write_bytes(b"x" * pictures[2].size)
    assert get_faults(find()) == []
    assert "red.png" in get_faults(find(full=True))[0][1]


def test_files_that_belong_to_no_media_are_a_hint(find, pictures, media):
    lone = media / "ab" / f"{'ab' * 32}.png"
    lone.parent.mkdir(exist_ok=True)
    lone.write_bytes(b"x" * 2**20)
    (media / "notes.txt").write_text("mine", encoding="utf-8")
    ((level, says, do),) = get_faults(find(repair=True))
    assert (level, says) == (
        "hint",
        f"1 files (1.0 MB) in {media} belong to no media ({lone.name}).",
    )
    # `rollback` needs the files that the former version stored.
    assert do.startswith("run `media prune` to delete them")
    assert lone.exists()


def test_old_unfinished_files_are_deleted_by_a_repair(find, pictures, media):
    old, new = media / ".copy.00000001.partial", media / ".copy.00000002.partial"
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (time.time() - 2 * 86_400,) * 2)
    says = f"1 unfinished files in {media} were left by killed processes."
    assert get_faults(find()) == [("hint", says, "doctor --repair")]
    assert get_faults(find(repair=True)) == [("repaired", says, "")]
    assert (old.exists(), new.exists()) == (False, True)


def test_a_media_folder_that_does_not_exist_is_reported(app, find, tmp_path):
    assert get_faults(find()) == []
    app.config["MEDIA_PATH"] = str(tmp_path / "mount")
    ((level, says, do),) = get_faults(find())
    assert (level, says) == ("wrong", f"The media folder {tmp_path / 'mount'} does not exist.")
    assert "MEDIA_PATH" in do


def test_a_media_folder_that_is_not_writable_is_reported(find, pictures, media, monkeypatch):
    monkeypatch.setattr(media_checks.os, "access", lambda *_: False)
    ((level, says, _),) = get_faults(find())
    assert (level, says) == ("wrong", f"{media} is not writable.")


def test_a_wrong_unused_since_is_reported_and_repaired(app, find, pictures):
    with app.app_context(), transaction():
        media = queries.find_file_by_hash(pictures[2].hash)
        media.unused_since = None
        db.session.flush()
        updated = media.last_updated
    says = "1 media have a wrong `unused_since` (red.png)."
    assert get_faults(find()) == [("wrong", says, "doctor --repair")]
    assert ("repaired", says, "") in find(repair=True)
    with app.app_context():
        media = queries.find_file_by_hash(pictures[2].hash)
        assert media.unused_since is not None and media.last_updated == updated
    assert get_faults(find()) == []


def write(app, statement) -> None:
    with app.app_context(), transaction():
        db.session.execute(statement)


def read_uses(app) -> set[tuple]:
    with app.app_context():
        return set(db.session.execute(select(MediaUse.kind, MediaUse.item_id, MediaUse.current)).all())


def test_wrong_uses_by_articles_are_reported_and_repaired(app, run_doctor, pictures, make_article):
    blue = pictures[1]
    article = make_article(content=f"<img src='/media/{blue.hash}/blue.png'>", slug="bread")
    before = read_uses(app)
    assert before == {("article", article.uuid, True)}
    write(app, delete(MediaUse))
    write(app, update(Media).values(unused_since=datetime.now(UTC)))
    says = "uses of media by articles: 1 differ from a new rendering (bread)."
    assert ("wrong", says) in run_doctor("--full")
    repaired = run_doctor("--repair")
    assert ("repaired", says) in repaired and not [one for one in repaired if one[0] == "wrong"]
    assert read_uses(app) == before
    assert "wrong" not in {level for level, _ in run_doctor()}


def test_wrong_uses_by_other_items_are_reported_and_repaired(
    app, as_admin, as_login, find, pictures, make_guest, make_article
):
    _, blue, red = pictures
    guest = make_guest(avatar=f"/media/{blue.hash}/blue.png")
    as_login.patch("/api/v1/blog/site/", json={"logo": f"/media/{red.hash}/red.png"})
    article = make_article()
    copy = {"title": "T", "content": f'<img src="/media/{red.hash}/red.png">'}
    as_admin.put(f"/api/v1/blog/articles/{article.uuid}/working-copy/", json=copy)
    thrown = make_article(content=f"<img src='/media/{blue.hash}/blue.png'>")
    assert as_admin.delete(f"/api/v1/blog/articles/{thrown.uuid}/").status_code == 204
    before = read_uses(app)
    assert {kind for kind, *_ in before} == {"author", "site", "working_copy", "deleted_item", "article"}
    assert get_faults(find()) == []
    gone, former = uuid4(), uuid4()
    for kind, item in (("author", gone), ("article", former)):
        with app.app_context():
            media = queries.find_file_by_hash(red.hash)
        values = {"media_id": media.uuid, "kind": kind, "item_id": item, "current": True}
        write(app, insert(MediaUse).values(values))
    write(app, delete(MediaUse).where(MediaUse.item_id.in_([guest.uuid, article.uuid])))
    write(app, delete(MediaUse).where(MediaUse.kind == "deleted_item"))
    (wrong, *_) = get_faults(find())
    assert (wrong[0], wrong[2]) == ("wrong", "doctor --repair")
    assert "The uses of media by 5 items are wrong (" in wrong[1] and f"author {guest.uuid}" in wrong[1]
    assert get_faults(find(repair=True))[0][0] == "repaired"
    assert read_uses(app) == before | {("article", former, False)}
    assert get_faults(find()) == []


@pytest.mark.sqlite("a server is backed up by its own means")
def test_a_repair_copies_lost_files_from_the_daily_backups(app, find, pictures, media, instance):
    daily.create_backup_if_missing(instance, keep=1, today=date(2026, 3, 1))
    (media / pictures[0].path).unlink()
    (media / pictures[1].path).write_bytes(b"x" * pictures[1].size)
    (media / pictures[2].path).unlink()
    (instance / "backups" / "media" / pictures[2].path).write_bytes(b"x" * pictures[2].size)
    copied, _ = get_faults(find(repair=True, full=True))
    says = f"2 media files were copied from {instance / 'backups' / 'media'} ("
    assert copied[0] == "repaired" and copied[1].startswith(says)
    ((level, says, _),) = get_faults(find())
    assert (level, "1 media files" in says, "red.png" in says) == ("wrong", True, True)


@pytest.mark.sqlite("a server is backed up by its own means")
def test_a_repair_copies_no_files_into_a_media_folder_that_does_not_exist(
    app, find, pictures, instance, tmp_path
):
    daily.create_backup_if_missing(instance, keep=1, today=date(2026, 3, 1))
    app.config["MEDIA_PATH"] = str(tmp_path / "mount")
    missing, lost = get_faults(find(repair=True))
    assert (missing[0], "mount it" in missing[2]) == ("wrong", True)
    assert (lost[0], lost[1].startswith("3 media files in")) == ("wrong", True)
    assert not (tmp_path / "mount").exists()


def test_the_command_checks_media(run_doctor, pictures, media):
    (media / pictures[2].path).unlink()
    assert any(level == "wrong" and "red.png" in says for level, says in run_doctor("--full"))
