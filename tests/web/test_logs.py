"""The logging configuration: the format of lines, what they say of the request, and what they hide."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import sqlite3
import subprocess
import sys
from http.client import HTTPConnection

import pytest

from blogapi import config
from blogapi.web import logs
from tests.conftest import ARTICLES, CATEGORIES
from tests.durability.test_processes import BLOGAPI, make_environment, run_command, start_server_process

KEY = "blogapi_" + "aB3dE6" + "x" * 32
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture
def log(monkeypatch):
    """Configures logging with settings, and returns a function that returns the line of a message."""
    for module, name in ((sys, "excepthook"), (logs.threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    levels = [(one, one.level) for one in (logging.getLogger(), logs.logger)]
    captured = []

    def configure(**settings):
        defaults = {
            name: config.get_setting_default(name) for name in ("LOG_FORMAT", "LOG_LEVEL", "ACCESS_LOG")
        }
        secret = {"SECRET_KEY": "", "SMTP_PASSWORD": "", "DATABASE_URL": "", "LIMITS_URL": ""}
        monkeypatch.setattr(logging.getLogger(), "handlers", [])
        logs.configure_logging(defaults | secret | settings)
        (handler,) = logging.getLogger().handlers
        handler.emit = lambda record: captured.append(handler.format(record))

        def write(*words, level=logging.WARNING, name="blogapi.some", **options):
            logging.getLogger(name).log(level, *words, **options)
            return captured.pop() if captured else None

        return write

    yield configure
    logging.captureWarnings(False)
    for logger, level in levels:
        logger.setLevel(level)


def test_a_line_of_text(log):
    assert re.fullmatch(rf"{TIME} WARNING blogapi\.some: 3 fish", log()("%d fish", 3))


def test_a_line_of_json(log):
    for settings in ({"LOG_FORMAT": "json"}, {"ACCESS_LOG": "json"}):
        line = log(**settings)("%s", "a\nb")
        assert "\n" not in line
        fields = json.loads(line)
        assert re.fullmatch(TIME, fields.pop("time"))
        assert fields == {"level": "warning", "logger": "blogapi.some", "message": "a\nb"}


def test_further_lines_of_text_are_indented(log):
    forged = "harbour\n2026-03-04T00:00:00.000Z ERROR blogapi: forged\rand\x85more"
    lines = log()(forged).splitlines()
    assert len(lines) == 4 and all(line.startswith("  ") for line in lines[1:])


def test_a_traceback_belongs_to_its_message(log):
    for settings in ({}, {"LOG_FORMAT": "json"}):
        write = log(**settings)
        try:
            raise ValueError("odd")
        except ValueError:
            line = write("failed", exc_info=True)
        traceback = json.loads(line)["traceback"] if settings else line
        assert "Traceback" in traceback and "ValueError: odd" in traceback


def test_the_level_is_that_of_blogapi_and_of_libraries_at_least_a_warning(log):
    write = log(LOG_LEVEL="debug")
    assert write("x", level=logging.DEBUG) and not write("x", level=logging.INFO, name="sqlalchemy.engine")
    assert write("x", name="waitress")
    write = log(LOG_LEVEL="error")
    assert not write("x") and not write("x", name="waitress") and write("x", level=logging.ERROR)


def test_the_handlers_of_an_outer_program_stay(log, monkeypatch):
    outer = logging.StreamHandler()
    monkeypatch.setattr(logging.getLogger(), "handlers", [outer])
    logs.configure_logging({"LOG_FORMAT": "json", "LOG_LEVEL": "info", "ACCESS_LOG": "off"})
    assert logging.getLogger().handlers == [outer]


def test_a_line_names_the_request(log, app):
    environ = {logs.REQUEST_ID_KEY: "id-1", logs.ROUTE_KEY: "/x/<id>/", logs.USERNAME_KEY: "zoe"}
    environ["REMOTE_ADDR"] = "127.0.0.1"
    headers = {"X-API-KEY": KEY}
    with app.test_request_context("/x/secret/?q=secret", environ_overrides=environ, headers=headers):
        words = "request_id id-1, method GET, route /x/<id>/, client 127.0.0.1, user zoe, key blogapi_aB3dE6"
        assert log()("fish").endswith(f"fish ({words})")
        fields = json.loads(log(LOG_FORMAT="json")("fish"))
    assert (fields["request_id"], fields["client"], fields["key"]) == ("id-1", "127.0.0.1", "blogapi_aB3dE6")


def test_secrets_are_hidden_in_messages_and_tracebacks(log):
    settings = {
        "SECRET_KEY": "s3cret-key",
        "SMTP_PASSWORD": "mail.word",
        "DATABASE_URL": "postgresql://blog:p%40ss[/word@db/blog?sslpassword=k3y-word",
        "LIMITS_URL": "redis://:r3dis@127.0.0.1/0",
    }
    secrets = ["s3cret-key", "mail.word", "p%40ss[/word", "p@ss[/word", ":r3dis@", "k3y-word", KEY]
    for form in ("text", "json"):
        write = log(LOG_FORMAT=form, **settings)
        try:
            raise ValueError(" ".join(secrets))
        except ValueError:
            line = write("failed: %s", secrets, exc_info=True)
        assert "failed" in line and "ValueError" in line and "blogapi_aB3dE6*" in line
        assert not [secret for secret in secrets if secret in line]


def test_an_error_of_a_command_is_a_line_of_a_json_log(caplog):
    settings = {"LOG_FORMAT": "json", "ACCESS_LOG": "off"}
    with pytest.raises(SystemExit) as ended, logs.log_command_errors(settings):
        raise config.CannotStart("The port is in use.")
    assert ended.value.code == 1 and caplog.messages == ["The port is in use."]
    with pytest.raises(config.CannotStart), logs.log_command_errors(settings | {"LOG_FORMAT": "text"}):
        raise config.CannotStart("The port is in use.")


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.sqlite("a table is dropped")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_process_logs_in_one_format_and_no_secret(tmp_path, instance, monkeypatch, form):
    """The start, requests, warnings and tracebacks, while Redis is down."""
    secrets = {
        "BLOGAPI_SECRET_KEY": "a-secret-key-of-at-least-32-characters",
        "BLOGAPI_LIMITS_URL": "redis://:redis-word@127.0.0.1:1/0",
        "BLOGAPI_SMTP_PASSWORD": "smtp-word",
        "BLOGAPI_SMTP_HOST": "127.0.0.1",
        "BLOGAPI_SMTP_PORT": "1",
        "BLOGAPI_SMTP_SENDER": "blog@harbour.example",
        "BLOGAPI_SMTP_USER": "blog",
        "BLOGAPI_UNREAD_MEGABYTES": "3",
        "BLOGAPI_LOG_FORMAT": form,
        "BLOGAPI_KEY_LIMIT": "9 per minute",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    run_command("init", str(instance.parent), cwd=tmp_path)
    create = ("user", "create", "zoe", "--admin", "--password-stdin")
    subprocess.run(
        [*BLOGAPI, *create],
        cwd=tmp_path,
        env=make_environment(),
        input="a long pass phrase\n",
        encoding="utf-8",
        check=True,
    )
    with start_server_process([*BLOGAPI, "serve"], tmp_path) as (port, server_process):

        def send(method, path, body=None, **headers):
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            content = json.dumps(body) if body is not None else None
            connection.request(method, path, content, {"Content-Type": "application/json"} | headers)
            response = connection.getresponse()
            answer = response.read()
            connection.close()
            return response, answer

        response, answer = send("POST", "/api/v1/auth/api-key/")
        key = json.loads(answer)["public_state"]
        send("GET", f"{ARTICLES}?q=secret-search", **{"X-API-KEY": key})
        send("POST", "/api/v1/auth/login/", {"username": "zoe", "password": "wrong-pass-phrase"})
        login = {"username": "zoe", "password": "a long pass phrase"}
        response, _ = send("POST", "/api/v1/auth/login/", login)
        assert response.status == 200, answer
        cookie = response.headers["Set-Cookie"].partition(";")[0]
        send("GET", "/api/v1/preview/" + "preview-token" * 4 + "/")
        send("GET", f"/{key}")
        send("POST", "/api/v1/auth/forgot-password/", {"username": "zoe"})
        send("GET", "/api/v1/auth/me/", Cookie=cookie, **{"X-Request-ID": "of-zoe"})
        database = sqlite3.connect(instance / "blog.db")
        database.execute("DROP TABLE category")
        database.close()
        response, _ = send("GET", CATEGORIES, **{"X-API-KEY": key, "X-Request-ID": "incident-1"})
        assert response.status == 500
        if os.name == "posix":
            server_process.process.send_signal(signal.SIGTERM)
            assert server_process.process.wait(60) == 0
        else:
            server_process.process.terminate()
        server_process.output_reader.join(60)
    output = "".join([*server_process.output, *server_process.lines.queue])
    for secret in (
        *(value for name, value in secrets.items() if re.search("KEY$|PASSWORD", name)),
        *("redis-word", key, cookie.partition("=")[2], "a long pass phrase", "wrong-pass-phrase"),
        *("secret-search", "preview-token", "/setup/" if form == "json" else "no-setup"),
    ):
        assert secret not in output, secret
    assert "no such table: category" in output and "UNREAD_MEGABYTES" in output
    if form == "json":
        lines = [json.loads(line) for line in output.splitlines()]
        (incident,) = [line for line in lines if "traceback" in line]
        assert incident["request_id"] == "incident-1" and incident["key"] == key[:14]
        assert incident["route"] == CATEGORIES and incident["client"] == "127.0.0.1"
        (request,) = [line for line in lines if line.get("request_id") == "of-zoe"]
        assert (request["user"], request["client"], request["status"]) == ("zoe", "127.0.0.1", 200)
        assert [line for line in lines if "Redis" in line.get("message", "")]
    else:
        assert re.search(
            rf"(?m)^{TIME} GET /api/v1/auth/me/ \S+ 200 \S+ \S+ of-zoe zoe 127\.0\.0\.1$", output
        )
        assert re.search(rf"(?m)^{TIME} ERROR blogapi: incident incident-1 \(request_id", output)
