"""The metrics that packages read from the database, the folders and their own counters."""

from __future__ import annotations

import shutil
from collections import namedtuple
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from blogapi import blog_folder
from blogapi.accounts import mail
from blogapi.accounts.users import service as users
from blogapi.importing.jobs.queries import JobStatus
from blogapi.importing.models import ImportJob
from blogapi.operations.backups import status
from blogapi.operations.doctor import quick_checks
from blogapi.publication import event_writer
from blogapi.storage.database import db, transaction
from blogapi.storage.migration_names import list_migrations
from blogapi.web import metrics
from tests.conftest import CLOCK
from tests.contracts.client import outcome
from tests.mail_server import run_mail_server
from tests.web.metrics.scrape import parse_metrics, read_metrics

LOGIN = "/api/v1/auth/login/"
PASSWORD = "a long pass phrase"
USAGE = namedtuple("usage", "total used free")


def get(client, name, *labels):
    return read_metrics(client).get((f"blogapi_{name}", *sorted(labels)))


def test_the_program_and_the_schema_are_labels(as_admin):
    build = blog_folder.get_versions()
    labels = (build[name] or "" for name in ("version", "commit", "python", "sqlite"))
    assert get(as_admin, "build_info", *labels) == 1
    assert get(as_admin, "schema_info", list_migrations()[-1]) == 1


def test_failed_logins_are_counted(app, as_admin, as_stranger, people):
    with app.app_context():
        users.set_password(people.admin.username, PASSWORD)
    app.config["LOGIN_ACCOUNT_LIMIT"] = "1 per minute"
    before = get(as_admin, "login_failures_total")

    def log_in(password):
        return outcome(as_stranger.post(LOGIN, json={"username": "ada", "password": password}))

    assert log_in(PASSWORD)[0] == 200
    assert get(as_admin, "login_failures_total") == before
    assert log_in("a wrong pass phrase") == (401, "login_failed")
    assert get(as_admin, "login_failures_total") == before + 1
    assert log_in(PASSWORD)[0] == 429
    assert get(as_admin, "login_failures_total") == before + 2


def test_emails_that_were_not_sent_are_counted(app, as_admin):
    before = get(as_admin, "mail_failures_total")
    with run_mail_server() as server, app.app_context():
        app.config.update(server.settings())
        mail.send_email("henrik@blog.example", "Hello", "Text")
        assert get(as_admin, "mail_failures_total") == before
        server.recipient_answer = "550 no such user"
        with pytest.raises(mail.EmailNotSent):
            mail.send_email("henrik@blog.example", "Hello", "Text")
    assert get(as_admin, "mail_failures_total") == before + 1


def test_imports_are_counted_by_status(app, as_admin, people):
    statuses = [JobStatus.FINISHED, JobStatus.FAILED, JobStatus.FAILED, JobStatus.IMPORTING]
    with app.app_context(), transaction():
        for job_status in statuses:
            db.session.add(
                ImportJob(uuid=uuid4(), user_id=people.admin.uuid, name="a.zip", size=1, status=job_status)
            )
    numbers = {name: get(as_admin, "imports", name) for name in JobStatus}
    # No server runs the job, so it is interrupted.
    expected = {JobStatus.FINISHED: 1, JobStatus.FAILED: 2, JobStatus.INTERRUPTED: 1}
    assert numbers == dict.fromkeys(JobStatus, 0) | expected


def test_the_free_space_of_each_folder_is_reported(app, as_admin, instance, tmp_path, monkeypatch):
    app.config["MEDIA_PATH"] = str(tmp_path / "media")
    free = {instance: 1000, tmp_path: 2000, tmp_path / "media": 3000}
    monkeypatch.setattr(shutil, "disk_usage", lambda path: USAGE(0, 0, free[path]))
    assert get(as_admin, "disk_free_bytes", "instance") == 1000
    assert get(as_admin, "disk_free_bytes", "media") == 2000
    (tmp_path / "media").mkdir()
    assert get(as_admin, "disk_free_bytes", "media") == 3000


def test_a_disk_that_cannot_be_read_has_no_value(as_admin, monkeypatch, caplog):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    metrics = read_metrics(as_admin)
    assert ("blogapi_disk_free_bytes", "instance") not in metrics
    assert metrics["blogapi_database_up",] == 1
    assert "the metric disk_free_bytes cannot be read: [Errno 13] Permission denied" in caplog.text


def test_the_findings_of_the_last_checks_are_counted(app, as_admin, as_login):
    app.extensions.pop(quick_checks._REPORT_KEY, None)
    assert get(as_admin, "doctor_findings", "ok") is None
    levels = [finding["level"] for finding in as_login.post("/api/v1/doctor/").json["findings"]]
    assert len(levels) > 2
    for level in ("ok", "hint", "wrong"):
        assert get(as_admin, "doctor_findings", level) == levels.count(level)


def test_the_lag_of_a_due_item_ends_with_its_event(app, as_admin, make_article, set_clock):
    # Within a few minutes, the use of the key is not stored again: that would write the event.
    start = CLOCK()
    set_clock(start)
    make_article(published_at=(start + timedelta(seconds=60)).isoformat())
    assert get(as_admin, "due_items_lag_seconds") == 0
    set_clock(start + timedelta(seconds=150))
    assert get(as_admin, "due_items_lag_seconds") == 90
    with app.app_context():
        event_writer.write_due_events()
    assert get(as_admin, "due_items_lag_seconds") == 0


def test_the_last_backups_are_reported(app, as_admin, instance, set_clock):
    app.config["DAILY_BACKUPS"] = 3

    def read():
        names = ("backup_last_success_timestamp_seconds", "backup_last_failed", "backup_late")
        return [get(as_admin, name) for name in names]

    assert read() == [None, 0, 0]
    status.record_success(instance)
    made = status.read_status(instance).last_success.timestamp()
    assert read() == [made, 0, 0]
    with pytest.raises(OSError, match="refused"), status.record_attempt(instance):
        raise OSError("refused")
    assert read() == [made, 1, 0]
    set_clock(CLOCK() + timedelta(hours=37))
    assert read() == [made, 1, 1]


def test_a_write_of_another_connection_does_not_delay_the_metrics(app, as_reading_admin):
    with app.app_context(), transaction():
        metrics = read_metrics(as_reading_admin)
    assert metrics["blogapi_database_up",] == 1
    assert metrics["blogapi_due_items_lag_seconds",] == 0


def test_without_the_database_other_metrics_remain(app, as_admin):
    attempts = []

    def refuse(connection):
        attempts.append(connection)
        raise OperationalError("BEGIN", None, Exception("the database is locked"))

    assert get(as_admin, "schema_info", list_migrations()[-1]) == 1
    with app.app_context():
        event.listen(db.engine, "begin", refuse)
        try:
            found = parse_metrics(metrics.get_metrics(app).render().decode())
        finally:
            event.remove(db.engine, "begin", refuse)
    # Each attempt can take seconds.
    assert len(attempts) == 1
    assert found["blogapi_database_up",] == 0
    assert ("blogapi_schema_info", list_migrations()[-1]) not in found
    assert ("blogapi_due_items_lag_seconds",) not in found
    assert found["blogapi_disk_free_bytes", "instance"] > 0
    assert found["blogapi_cache_misses_total",] >= 0
    assert get(as_admin, "database_up") == 1
