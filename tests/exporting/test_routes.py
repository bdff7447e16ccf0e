"""Exports over HTTP."""

from __future__ import annotations

import errno
import io
import os
import zipfile

import pytest

from blogapi.content.media.folder import get_folder
from blogapi.exporting import service
from blogapi.storage import files
from blogapi.web.access import Role
from blogapi.web.errors import StorageFull
from tests.contracts.client import outcome
from tests.stored_pictures import store_picture

EXPORT = "/api/v1/export/"


def list_names(answer):
    assert outcome(answer) == (200, None)
    return set(zipfile.ZipFile(io.BytesIO(answer.data)).namelist())


@pytest.fixture
def blog(make_article):
    """A blog with a published article and a draft."""
    make_article(title="Bread", slug="bread")
    make_article(title="Secret", slug="secret", status="draft")


def test_an_export_is_a_zip_archive_that_is_deleted_after_it_was_sent(as_login, blog, instance):
    answer = as_login.get(EXPORT)
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=blog-default-")
    names = list_names(answer)
    assert "articles/bread.html" in names
    assert not any("secret" in name for name in names)
    assert not list(instance.glob(".export-*"))


def test_an_export_can_be_for_another_system_and_with_drafts(as_login, blog):
    names = list_names(as_login.get(EXPORT, query_string={"format": "hugo", "drafts": "true"}))
    assert {name for name in names if "/posts/" in name} == {
        *("content/posts/bread.html", "content/posts/secret.html"),
    }


def test_one_export_runs_at_a_time(as_login, blog, instance):
    abandoned = instance / ".export-abandoned"
    abandoned.mkdir()
    with files.lock_file(instance / ".export-lock"):
        assert outcome(as_login.get(EXPORT)) == (409, "conflict")
    assert outcome(as_login.get(EXPORT)) == (200, None)
    assert not abandoned.exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_an_export_that_cannot_be_written_shows_no_path_of_the_server(
    as_role, blog, instance, monkeypatch, number
):
    def fail(items, target, *_):
        raise OSError(number, os.strerror(number), str(target))

    monkeypatch.setattr(service, "write_zip", fail)
    response = as_role(Role.EDITOR, "login").get(EXPORT)
    assert response.status_code == (507 if number == errno.ENOSPC else 409)
    assert "export.zip" in response.json["detail"] and str(instance) not in response.text


def test_a_failed_export_leaves_no_file(as_login, blog, instance, monkeypatch):
    def fail(*words, **options):
        raise StorageFull("The disk is full.")

    monkeypatch.setattr(service, "write_export", fail)
    assert outcome(as_login.get(EXPORT)) == (507, "storage_full")
    assert not list(instance.glob(".export-*"))
    assert outcome(as_login.get(EXPORT, query_string={"format": "ghost"})) == (400, "invalid_query")


def test_an_export_without_some_files_names_them(as_login, app, make_article, caplog, tmp_path):
    pictures = [store_picture(app, colour) for colour in ("red", "blue")]
    content = " ".join(f"![loaf](media:{picture.uuid})" for picture in pictures)
    make_article(slug="bread", content=content, content_type="markdown")
    with app.app_context():
        get_folder().get_path(pictures[0].hash, "png").unlink()
    answer = as_login.get(EXPORT)
    names = list_names(answer)
    assert {"articles/bread.md", "media/blue.png"} <= names and "media/red.png" not in names
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        missing = archive.read("_MISSING_FILES").decode()
        assert b"_MISSING_FILES" in archive.read("SHA256SUMS")
    assert missing == "media/red.png: It is missing in the media folder; `doctor` says what to do.\n"
    path = tmp_path / "blog.zip"
    path.write_bytes(answer.data)
    report = app.test_cli_runner().invoke(args=["import", str(path), "--author", "ada"]).output
    assert "0 created, 0 updated, 1 unchanged, 1 skipped, 0 refused" in report
    assert "the export lacks 1 files: media/red.png: It is missing" in caplog.text
