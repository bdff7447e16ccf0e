"""The command `serve`, up to the start of the server."""

from __future__ import annotations

import re
import signal
import socket

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.cli import ScriptInfo
from sqlalchemy.exc import OperationalError

from blogapi import create_app
from blogapi.__main__ import main
from blogapi.accounts.users import links
from blogapi.accounts.users import service as users
from blogapi.operations.backups import backup_command
from blogapi.serving import commands, listening, server
from blogapi.storage.database import db
from blogapi.web.access import Role
from tests.databases import close_connections

# On Windows, SIGBREAK ends a program in another console group. Other systems do not have SIGBREAK, so SIGUSR1
# is used instead.
BREAK = getattr(signal, "SIGBREAK", None) or signal.SIGUSR1


@pytest.fixture
def started_servers() -> list[server.Server]:
    """The servers that `serve` has created."""
    return []


@pytest.fixture
def serve(monkeypatch, started_servers, instance):
    """Runs the command `serve` on a free port, but closes the server instead of starting its loop."""
    instance.mkdir(exist_ok=True)
    (instance / "config.toml").touch()

    def run(self: server.Server) -> None:
        started_servers.append(self)
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(server.Server, "run", run)
    apps: list[Flask] = []

    def create() -> Flask:
        apps.append(create_app())
        return apps[-1]

    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, BREAK)}

    def invoke(*options: str):
        # Each run needs its own application, as in a new process.
        script_info = ScriptInfo(create_app=create)
        return CliRunner().invoke(main, ["serve", "--port", "0", *options], obj=script_info)

    yield invoke
    for number, handler in former.items():
        signal.signal(number, handler)
    for app in apps:
        close_connections(app)
    assert len(started_servers) <= 2


def count_articles(app) -> int:
    with app.app_context():
        return db.session.scalar(db.text("SELECT count(*) FROM article WHERE type = 'article'"))


def test_the_next_steps_are_printed_for_an_empty_blog(serve):
    result = serve()
    assert result.exit_code == 0
    assert "The blog is empty." in result.output
    for command in ("user create NAME --admin", "import PATH", "key create", "--demo"):
        assert command in result.output


def test_the_address_is_printed(serve, instance):
    last = serve().output.splitlines()[-1]
    assert last.startswith(f"Serving {instance} at http://127.0.0.1:")
    assert last.endswith("/  (Ctrl-C ends)") and ":0/" not in last


def test_no_next_steps_are_printed_for_a_blog_with_articles(serve, make_article):
    make_article()
    result = serve()
    assert (result.exit_code, "The blog is empty." in result.output) == (0, False)


def test_the_first_line_leads_to_the_admin_pages(serve, app):
    with app.app_context():
        users.create_user("ada", "correct horse battery", role=Role.ADMIN)
    first, *others = serve().output.splitlines()
    assert re.fullmatch(r"Write here: http://127\.0\.0\.1:\d+/admin/", first)
    assert commands.FIRST_ADMIN_TEXT not in others


def test_a_server_on_all_addresses_prints_an_address_that_a_browser_can_open(serve):
    result = serve("--host=0.0.0.0")
    assert re.match(r"Write here: http://127\.0\.0\.1:\d+/admin/\n", result.output)
    assert "http://0.0.0.0:" in result.output.splitlines()[-1]


def test_the_link_that_is_printed_creates_the_first_admin(serve, people, as_stranger):
    lines = serve().output.splitlines()
    link = lines[lines.index(commands.FIRST_ADMIN_TEXT) + 1]
    token = re.fullmatch(r"  http://127\.0\.0\.1:\d+/admin/setup/#(.+)", link)[1]
    body = {"token": token, "username": "lin", "password": "correct horse battery"}
    assert as_stranger.post("/api/v1/auth/setup/", json=body).json["role"] == "admin"
    again = serve()
    assert (again.exit_code, commands.FIRST_ADMIN_TEXT in again.output) == (0, False)


def test_behind_a_proxy_the_link_has_the_public_address(serve, app, as_login):
    as_login.patch("/api/v1/blog/site/", json={"service_url": "https://api.blog.example"})
    output = serve("--trusted-proxy", "10.0.0.0/8").output
    assert output.startswith("Write here: https://api.blog.example/admin/\n")
    assert "\n  https://api.blog.example/admin/setup/#" in output


def test_no_link_is_printed_without_the_admin_pages(serve, monkeypatch):
    monkeypatch.setenv("BLOGAPI_ADMIN_PAGES", "false")
    output = serve().output
    assert "/admin" not in output and output.splitlines()[-1].startswith("Serving ")


def test_a_database_that_refuses_writes_can_be_served(serve, monkeypatch):
    def refuse():
        raise OperationalError("INSERT", {}, Exception("read-only"))

    monkeypatch.setattr(links, "create_setup_link", refuse)
    result = serve()
    assert result.exit_code == 0 and commands.FIRST_ADMIN_TEXT not in result.output


def test_the_integrity_check_runs_when_the_server_starts(serve, monkeypatch):
    checked: list[object] = []
    monkeypatch.setattr(commands, "start_integrity_check", checked.append)
    assert serve().exit_code == 0
    assert len(checked) == 1


def test_the_demo_fills_an_empty_blog_once(serve, app):
    first = serve("--demo").output
    stored = count_articles(app)
    assert f"Created a sample blog: {stored} articles by the admin 'demo'." in first
    assert "The blog already has articles; no sample was added." in serve("--demo").output
    assert count_articles(app) == stored > 0


def test_the_demo_does_not_change_a_blog_with_articles(serve, make_article, app):
    make_article()
    serve("--demo")
    assert count_articles(app) == 1


def test_a_port_in_use_gives_a_one_sentence_error_and_creates_no_articles(serve, app):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = serve("--port", str(port), "--demo")
    assert result.exit_code == 1
    assert re.fullmatch(
        rf"Error: Cannot listen on 127\.0\.0\.1:{port}: .+\. Choose another --port\.\n", result.output
    )
    assert count_articles(app) == 0


@pytest.mark.parametrize("host", ["nowhere.invalid", "a..b", "256.1.1.1", "192.0.2.1"])
def test_the_error_for_an_unusable_host_is_one_sentence(serve, host):
    result = serve("--host", host)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: Cannot listen on {host}:0: ") and result.output.count("\n") == 1


def test_an_ipv6_address_is_printed_in_brackets(serve):
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    result = serve("--host", "::1")
    if result.exit_code:
        pytest.skip("no IPv6 address here")
    assert "http://[::1]:" in result.output


@pytest.mark.parametrize(
    "options", [["--port", "65536"], ["--port", "-1"], ["--port", "x"], ["--threads", "0"], ["--nonsense"]]
)
def test_wrong_usage_exits_with_status_2(options):
    assert CliRunner().invoke(main, ["serve", *options]).exit_code == 2


def test_the_error_for_an_invalid_setting_is_one_sentence(serve, monkeypatch):
    monkeypatch.setenv("BLOGAPI_SESSION_DAYS", "many")
    result = serve()
    assert result.exit_code == 1
    assert (
        result.output
        == "Error: The setting SESSION_DAYS in the environment must be a whole number from 1 to 3650.\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, BREAK])
def test_a_first_signal_stops_the_server_and_a_second_signal_ends_it_immediately(serve, monkeypatch, number):
    monkeypatch.setattr(signal, "SIGBREAK", BREAK, raising=False)

    def run(self: server.Server) -> None:
        # This test replaces the server loop, so the signal is raised here.
        signal.raise_signal(number)
        assert self.stopping
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(server.Server, "run", run)
    assert serve().exit_code == 0
    with pytest.raises(SystemExit) as ended:
        signal.raise_signal(number)
    assert ended.value.code == 128 + number


def test_a_signal_ends_the_backup_command_with_a_line_in_the_log(serve, monkeypatch, caplog):
    def run(self: server.Server) -> None:
        signal.raise_signal(signal.SIGTERM)
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(server.Server, "run", run)
    monkeypatch.setattr(backup_command, "stop_running_command", lambda: True)
    assert serve().exit_code == 0
    assert "BACKUP_COMMAND was ended, because the server stops" in caplog.messages


def test_the_options_are_passed_to_the_server(serve, started_servers):
    result = serve("--url-scheme", "https", "--trusted-proxy", "10.0.0.0/8")
    assert result.exit_code == 0
    (server_started,) = started_servers
    assert server_started.adj.url_scheme == "https" and server_started.get_client_key(("10.1.2.3", 1)) == ""


@pytest.mark.parametrize("options", [["--trusted-proxy", "somebody"], ["--url-scheme", "gopher"]])
def test_an_invalid_option_exits_with_status_2(serve, options):
    result = serve(*options)
    assert result.exit_code == 2 and "Traceback" not in result.output


@pytest.mark.skipif(not listening.HAS_UNIX_SOCKETS, reason="Windows has no Unix sockets")
def test_the_path_of_a_socket_file_is_printed(serve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = serve("--unix-socket", "s")
    assert result.exit_code == 0 and " at s  (Ctrl-C ends)" in result.output
    (tmp_path / "s").touch()
    result = serve("--unix-socket", "s")
    assert result.exit_code == 1
    assert result.output == "Error: Cannot listen on s: a file of that name exists and is not a socket.\n"


def test_a_socket_file_is_refused_on_a_system_without_unix_sockets(serve, monkeypatch):
    monkeypatch.setattr(listening, "HAS_UNIX_SOCKETS", False)
    result = serve("--unix-socket", "s")
    assert result.exit_code == 2 and "this operating system has no Unix sockets" in result.output
