"""Late and failed backups, who is told of them, and the command that runs after each backup."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from blogapi.accounts.users import service as users
from blogapi.delivery.webhooks import delivery
from blogapi.operations import backups
from blogapi.operations.backups import backup_command, daily, service, status
from blogapi.operations.doctor import quick_checks
from blogapi.storage import files
from blogapi.web.access import Role
from blogapi.web.errors import Conflict
from tests.contracts.client import outcome
from tests.delivery.webhooks.receiver import receive
from tests.mail_server import run_mail_server
from tests.operations.backups.conftest import join_backup_threads

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
EARLY, LATE = NOW + timedelta(hours=35, minutes=59), NOW + timedelta(hours=36)
GUIDE = Path(backups.__file__).parents[2] / "docs" / "guide" / "backups.md"
LATE_SENTENCE = "No good backup for 36 hours"


@pytest.fixture
def fail(monkeypatch):
    """Lets each following backup fail."""

    def refuse(*arguments, **options):
        raise Conflict("The database is damaged.")

    return lambda: monkeypatch.setattr(service, "create_backup", refuse)


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Sets BACKUP_COMMAND to a Python program; returns a function that does it."""

    def set_command(code):
        script = tmp_path / "a script.py"
        script.write_text(f"import os, sys, time\n{code}\n", encoding="utf-8")
        monkeypatch.setenv("BLOGAPI_BACKUP_COMMAND", f"'{sys.executable}' '{script}' \"two words\"")

    return set_command


def make_daily(home, time=NOW):
    return daily.create_backup_if_missing(home, keep=3, today=time.date())


def test_without_backups_nothing_is_late(as_stranger, app, set_clock):
    app.config["DAILY_BACKUPS"] = 3
    set_clock(LATE)
    assert as_stranger.get("/health/").json == {"status": "ok"}


def test_a_late_backup_is_a_warning_and_a_new_one_ends_it(
    as_stranger, app, blog, set_clock, fail, monkeypatch
):
    app.config["DAILY_BACKUPS"] = 3
    for now, warnings in ((NOW, None), (EARLY, None), (LATE, ["backup_late"])):
        set_clock(now)
        if now == NOW:
            make_daily(blog)
        answer = as_stranger.get("/health/")
        assert (answer.status_code, answer.json.get("warnings")) == (200, warnings)
    app.config["DAILY_BACKUPS"] = 0
    assert "warnings" not in as_stranger.get("/health/").json
    app.config["DAILY_BACKUPS"] = 3
    assert as_stranger.get("/health/").json["warnings"] == ["backup_late"]
    assert make_daily(blog, LATE) is not None
    assert as_stranger.get("/health/").json == {"status": "ok"}


def test_failures_alone_are_late_after_36_hours_too(blog, set_clock, fail):
    fail()
    for now in (NOW, EARLY):
        set_clock(now)
        with pytest.raises(Conflict):
            make_daily(blog)
        found = status.read_status(blog)
        assert (found.failing_since, found.is_overdue(3)) == (NOW, False)
    set_clock(LATE)
    assert status.read_status(blog).is_overdue(3)


def test_a_backup_by_command_or_request_ends_the_lateness(run, blog, tmp_path, as_login, set_clock, fail):
    for make in (
        lambda: run("backup", tmp_path / "one.zip"),
        lambda: run("backup", f"{tmp_path / 'folder'}{os.sep}"),
        lambda: as_login.post("/api/v1/backups/"),
    ):
        (blog / "backups").mkdir(exist_ok=True)
        (blog / "backups" / "status.json").write_text(
            json.dumps({"last_success": "2020-01-01T00:00:00+00:00", "reason": ""}), encoding="utf-8"
        )
        assert status.read_status(blog).is_overdue(3)
        make()
        assert not status.read_status(blog).is_overdue(3)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"last_success": 3, "reason": ""}', "\0"])
def test_a_status_that_cannot_be_read_is_late(blog, as_stranger, app, content):
    app.config["DAILY_BACKUPS"] = 3
    (blog / "backups").mkdir()
    path = blog / "backups" / "status.json"
    path.write_text(content, encoding="utf-8")
    assert status.read_status(blog).reason == f"{path} cannot be read."
    assert as_stranger.get("/health/").json["warnings"] == ["backup_late"]
    make_daily(blog)
    assert as_stranger.get("/health/").json == {"status": "ok"}


def test_a_command_that_a_kill_has_interrupted_runs_again(blog, tmp_path, command):
    command(f"open({str(tmp_path / 'said')!r}, 'a').write('x')")
    with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr(backup_command, "_run_process", interrupt)
        make_daily(blog)
    assert (blog / "backups" / "daily-2026-03-04.zip").is_file() and not (tmp_path / "said").exists()
    make_daily(blog)
    make_daily(blog)
    assert (tmp_path / "said").read_text() == "x"


def interrupt(*_):
    raise KeyboardInterrupt


def test_failures_are_remembered_while_no_status_can_be_stored(
    app, blog, set_clock, fail, alarm, make_webhook, receiver, monkeypatch, caplog
):
    make_webhook(preset="standard", mode="each", events=["backup.*"])
    monkeypatch.setattr(status, "_write_status", lambda *_: None)
    fail()
    set_clock(NOW)
    with caplog.at_level(logging.ERROR):
        alarm()
        wait_for(lambda: caplog.text.count("the daily backup failed") > 2)
        assert not receiver.calls
        set_clock(LATE)
        receiver.wait_for(1)
        seen = caplog.text.count("the daily backup failed")
        wait_for(lambda: caplog.text.count("the daily backup failed") > seen + 3)
    (call,) = receiver.calls
    assert call.json["data"] == {"last_success": None, "reason": "The database is damaged."}


def test_a_restart_sends_no_second_alarm_within_a_day(
    app, blog, set_clock, fail, alarm, make_webhook, receiver, caplog
):
    make_webhook(preset="standard", mode="each", events=["backup.*"])
    set_clock(NOW)
    make_daily(blog)
    fail()
    with caplog.at_level(logging.ERROR):
        for now, count in ((LATE, 1), (LATE + timedelta(hours=23), 1), (LATE + timedelta(hours=24), 2)):
            set_clock(now)
            stop = alarm()
            receiver.wait_for(count)
            seen = caplog.text.count("the daily backup failed")
            wait_for(lambda: caplog.text.count("the daily backup failed") > seen + 3)  # noqa: B023
            stop.set()
            assert len(receiver.calls) == count
            wait_for(lambda: not [one for one in threading.enumerate() if one.name == "daily backup"])


def test_a_failed_manual_backup_is_recorded(run, blog, tmp_path, as_login, fail):
    fail()
    run("backup", tmp_path / "one.zip")
    assert status.read_status(blog).reason == "The database is damaged."
    (blog / "backups" / "status.json").unlink()
    as_login.post("/api/v1/backups/")
    assert status.read_status(blog).reason == "The database is damaged."


def test_a_pass_that_makes_no_backup_records_the_time_of_the_daily_backup(run, blog, tmp_path, fail):
    time = datetime.now(UTC)
    path = make_daily(blog, time).path
    made = (time - timedelta(hours=20)).replace(microsecond=0)
    os.utime(path, (made.timestamp(), made.timestamp()))
    fail()
    assert run("backup", tmp_path / "one.zip").exit_code == 1
    assert make_daily(blog, time) is None
    found = status.read_status(blog)
    assert (found.last_success, found.failing_since) == (made, None)


def test_doctor_and_the_overview_say_why(app, run, blog, set_clock, fail, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DAILY_BACKUPS", "3")
    app.config["DAILY_BACKUPS"] = 3
    make_daily(blog, datetime.now(UTC))
    assert "backup: The last good backup was made at" in run("doctor").output
    fail()
    set_clock(datetime.now(UTC) + timedelta(hours=37))
    with pytest.raises(Conflict):
        make_daily(blog, datetime.now(UTC) + timedelta(hours=37))
    result = run("doctor")
    assert (
        "wrong     backup: There has been no good backup for 36 hours. The database is damaged."
        in result.output
    )
    assert result.exit_code == 1
    with app.app_context():
        (found,) = [one for one in quick_checks.update_last_report().findings if one.title == LATE_SENTENCE]
    assert (found.check, found.level.value, found.detail) == ("backup", "wrong", "The database is damaged.")


@pytest.fixture
def receiver():
    """A receiver of webhooks, which answers 204."""
    with receive() as running:
        yield running


@pytest.fixture
def make_webhook(app, as_login, receiver):
    """Creates a webhook that calls the receiver."""
    app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)

    def make(**fields):
        answer = as_login.post("/api/v1/webhooks/", json={"name": "hook", "url": receiver.url} | fields)
        assert answer.status_code == 201, answer.json
        return answer.json

    return make


@pytest.fixture
def alarm(app, monkeypatch):
    """Starts the thread of the daily backups, whose checks follow one another quickly."""
    monkeypatch.setattr(daily, "FIRST_CHECK_SECONDS", 0)
    monkeypatch.setattr(daily, "CHECK_SECONDS", 0.01)
    app.config["DAILY_BACKUPS"] = 3
    stops = []

    def start():
        stops.append(daily.start_daily_backups(app))
        return stops[-1]

    yield start
    for stop in stops:
        stop.set()
    # It would use the blog of the next test.
    join_backup_threads()


def wait_for(found):
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("events", [["backup.*"], ["backup.failed", "article.*"], ["*", "backup.failed"]])
def test_the_alarm_reaches_admins_and_the_webhooks_that_chose_it(
    app,
    blog,
    set_clock,
    fail,
    alarm,
    make_webhook,
    receiver,
    events,
    caplog,
):
    make_webhook(preset="standard", mode="each", events=["*"], name="all changes")
    make_webhook(preset="standard", mode="each", events=events, name="backups")
    with app.app_context():
        for name, role in (("zoe", Role.ADMIN), ("ben", Role.EDITOR)):
            user = users.create_user(name, "a long pass phrase", role=role)
            users.change_user(user.uuid, {"email": f"{name}@harbour.example"})
    set_clock(NOW)
    make_daily(blog)
    fail()
    set_clock(LATE)
    with run_mail_server() as server, caplog.at_level(logging.ERROR):
        app.config.update(server.settings())
        alarm()
        receiver.wait_for(1)
        wait_for(lambda: caplog.text.count("the daily backup failed") > 5)
        assert [to for (to,) in server.recipients] == ["zoe@harbour.example"]
        (message,) = server.messages
    assert "no good backup for 36 hours" in message.get_content()
    assert "The database is damaged." in message.get_content()
    (call,) = receiver.calls
    assert call.json["type"] == "backup.failed"
    assert call.json["data"] == {"last_success": NOW.isoformat(), "reason": "The database is damaged."}
    assert "no good backup for 36 hours" in caplog.text


def test_the_alarm_is_tried_again_while_it_reaches_nobody(
    app,
    blog,
    set_clock,
    fail,
    alarm,
    make_webhook,
    receiver,
    caplog,
):
    make_webhook(preset="standard", mode="each", events=["backup.*"])
    for _ in range(2):
        receiver.answer(500)
    set_clock(NOW)
    make_daily(blog)
    fail()
    set_clock(LATE)
    with caplog.at_level(logging.ERROR):
        alarm()
        receiver.wait_for(3)
        wait_for(lambda: caplog.text.count("the daily backup failed") > 6)
    assert len(receiver.calls) == 3


def test_a_build_hook_hears_of_no_backups(as_login, make_webhook):
    hook = make_webhook(preset="netlify")
    path = f"/api/v1/webhooks/{hook['uuid']}/"
    assert outcome(as_login.patch(path, json={"events": ["backup.*"]})) == (422, "invalid_fields")
    other = make_webhook(preset="standard", mode="combined", events=["backup.failed", "*"])
    path = f"/api/v1/webhooks/{other['uuid']}/"
    assert outcome(as_login.patch(path, json={"preset": "netlify"})) == (422, "invalid_fields")
    assert outcome(as_login.patch(path, json={"preset": "netlify", "events": ["*"]})) == (200, None)


def test_the_command_gets_the_path_and_its_arguments(run, blog, tmp_path, command, as_login):
    says = "os.environ['BLOGAPI_BACKUP'] + ' ' + sys.argv[1] + '\\n'"
    command(f"open({str(tmp_path / 'said')!r}, 'a').write({says})")
    assert run("backup", tmp_path / "one.zip").exit_code == 0
    name = as_login.post("/api/v1/backups/").json["name"]
    make_daily(blog)
    assert (tmp_path / "said").read_text().splitlines() == [
        f"{path} two words"
        for path in (
            tmp_path / "one.zip",
            (blog / "backups" / name).resolve(),
            (blog / "backups" / "daily-2026-03-04.zip").resolve(),
        )
    ]


def test_a_failed_command_is_a_failed_backup_and_runs_again(run, blog, tmp_path, command, as_login):
    command("sys.exit('no route to host')")
    result = run("backup", tmp_path / "one.zip")
    assert (
        result.exit_code == 1
        and "BACKUP_COMMAND failed: its exit status is 1. no route to host." in result.output
    )
    assert (tmp_path / "one.zip").is_file()
    assert outcome(as_login.post("/api/v1/backups/"))[0] == 409
    with pytest.raises(Conflict, match="no route to host"):
        make_daily(blog)
    assert status.read_status(blog).reason.endswith("no route to host.")
    made = (blog / "backups" / "daily-2026-03-04.zip").stat()
    command(f"open({str(tmp_path / 'said')!r}, 'a').write('x')")
    assert make_daily(blog) is None
    assert (tmp_path / "said").read_text() == "x"
    assert (blog / "backups" / "daily-2026-03-04.zip").stat().st_mtime_ns == made.st_mtime_ns
    assert status.read_status(blog).last_success and not status.read_status(blog).reason
    make_daily(blog)
    assert (tmp_path / "said").read_text() == "x"


def test_a_command_that_does_not_end_is_ended_with_its_children(run, blog, tmp_path, command, monkeypatch):
    monkeypatch.setattr(backup_command, "MAX_COMMAND_SECONDS", 1)
    touch = f"pathlib.Path({str(tmp_path / 'alive')!r}).touch()"
    lasts = f"import time, pathlib\nfor _ in range(100): {touch}; time.sleep(0.05)"
    command(f"import subprocess\nsubprocess.run([sys.executable, '-c', {lasts!r}])")
    result = run("backup", tmp_path / "one.zip")
    assert result.exit_code == 1 and "it did not end within 0 minutes" in result.output
    if os.name == "posix":
        (tmp_path / "alive").unlink(missing_ok=True)
        time.sleep(0.3)
        assert not (tmp_path / "alive").exists()


def test_only_one_command_runs_at_a_time(run, blog, tmp_path, command):
    command("pass")
    (blog / "backups").mkdir()
    with files.lock_file(blog / "backups" / ".command.lock"):
        assert "the command of another backup is running" in run("backup", tmp_path / "one.zip").output
    assert run("backup", tmp_path / "two.zip").exit_code == 0


@pytest.mark.parametrize(
    ("value", "says"),
    [("no-such-program -x", "no-such-program: No such file"), ("'open", "No closing quotation")],
)
def test_a_wrong_command(run, blog, tmp_path, monkeypatch, value, says):
    monkeypatch.setenv("BLOGAPI_BACKUP_COMMAND", value)
    result = run("backup", tmp_path / "one.zip")
    assert result.exit_code == 1 and says.lower() in result.output.lower()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups")
def test_a_stopping_server_ends_the_command_and_what_it_has_started(blog, tmp_path, command):
    started = tmp_path / "started"
    child = (
        "import subprocess; one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    )
    command(
        f"{child}; open({str(started)!r} + '.x', 'w').write(str(one.pid))\n"
        f"os.rename({str(started)!r} + '.x', {str(started)!r}); time.sleep(600)"
    )
    assert not backup_command.stop_running_command()
    with ThreadPoolExecutor() as pool:
        backup = pool.submit(make_daily, blog)
        while not started.exists():
            time.sleep(0.01)
        assert backup_command.stop_running_command()
        assert "its exit status is -9" in str(backup.exception(timeout=60))
    number = int(started.read_text())
    # The child has no parent now; init reaps it.
    while Path(f"/proc/{number}/stat").exists() and " Z " not in Path(f"/proc/{number}/stat").read_text():
        time.sleep(0.01)


def test_verify_runs_no_command(run, backup_file, tmp_path, command):
    command(f"open({str(tmp_path / 'said')!r}, 'a')")
    assert run("backup", "--verify", backup_file).exit_code == 0
    assert not Path(tmp_path / "said").exists()


def test_the_recipe_for_restic(run, blog, tmp_path, monkeypatch):
    restic = shutil.which("restic") or pytest.skip("restic is not installed")
    repository, password = tmp_path / "restic", tmp_path / "password"
    password.write_text("harbour", encoding="utf-8")
    options = ["--repo", str(repository), "--password-file", str(password), "--no-cache"]
    subprocess.run([restic, *options, "init"], check=True, capture_output=True)
    use_recipe(monkeypatch, "restic", blog, {"/mnt/restic": repository, "/etc/blogapi/restic": password})
    make_daily(blog)
    restored = tmp_path / "restored"
    subprocess.run(
        [restic, *options, "restore", "latest", "--target", restored], check=True, capture_output=True
    )
    (copy,) = restored.rglob("daily-2026-03-04.zip")
    assert run("backup", "--verify", copy).exit_code == 0
    password.write_text("wrong", encoding="utf-8")
    with pytest.raises(Conflict, match="wrong password"):
        make_daily(blog, NOW + timedelta(days=1))


def test_the_recipe_for_rclone(run, blog, tmp_path, monkeypatch):
    if shutil.which("rclone") is None:
        pytest.skip("rclone is not installed")
    monkeypatch.setenv("RCLONE_CONFIG_OFFSITE_TYPE", "alias")
    monkeypatch.setenv("RCLONE_CONFIG_OFFSITE_REMOTE", str(tmp_path / "offsite"))
    monkeypatch.setenv("RCLONE_CONFIG", os.devnull)
    use_recipe(monkeypatch, "rclone", blog, {})
    make_daily(blog)
    assert run("backup", "--verify", tmp_path / "offsite" / "my-blog" / "daily-2026-03-04.zip").exit_code == 0
    monkeypatch.setenv("RCLONE_CONFIG_OFFSITE_TYPE", "nowhere")
    with pytest.raises(Conflict, match="BACKUP_COMMAND failed"):
        make_daily(blog, NOW + timedelta(days=1))


def use_recipe(monkeypatch, program, blog, paths):
    """Set the BACKUP_COMMAND of the guide, with other paths."""
    (line,) = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if f'= "{program} ' in line]
    command = tomllib.loads(line)["BACKUP_COMMAND"]
    for given, path in {"/srv/my-blog/instance": blog, **paths}.items():
        assert given in command
        command = command.replace(given, path.as_posix())
    monkeypatch.setenv("BLOGAPI_BACKUP_COMMAND", command)


def test_a_call_that_cannot_be_stored_has_reached_the_receiver(
    app, blog, set_clock, fail, alarm, make_webhook, receiver, monkeypatch, caplog
):
    make_webhook(preset="standard", mode="each", events=["backup.*"])
    set_clock(NOW)
    make_daily(blog)
    fail()
    set_clock(LATE)

    def refuse(_):
        raise OperationalError("COMMIT", {}, sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(delivery, "store_delivery", refuse)
    with caplog.at_level(logging.WARNING):
        alarm()
        receiver.wait_for(1)
        wait_for(lambda: caplog.text.count("the daily backup failed") > 5)
    assert len(receiver.calls) == 1 and "is not stored" in caplog.text
