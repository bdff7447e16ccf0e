"""The command `health`: what it prints, and its exit status."""

from __future__ import annotations

import json
import socket

import pytest
from click.testing import CliRunner

from blogapi.__main__ import main
from blogapi.operations.health import commands
from blogapi.serving import listening, upgrade_responses
from blogapi.web.errors import DAMAGE_KEY
from tests.live_server import serve


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine may take longer to answer than a supervisor waits."""
    monkeypatch.setattr(commands, "_TIMEOUT_SECONDS", 60)


def ask(port: int, path: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(main, ["health", "--url", f"http://127.0.0.1:{port}{path}"])
    return result.exit_code, result.output


@pytest.mark.parametrize("path", ["", "/"])
def test_a_healthy_service_is_0(app, path):
    with serve(app) as port:
        assert ask(port, path) == (0, '{"status":"ok"}\n')


def test_a_service_with_a_problem_is_1(app):
    app.extensions[DAMAGE_KEY] = "damage"
    with serve(app) as port:
        status, output = ask(port)
    assert (status, json.loads(output)["code"]) == (1, "damaged")


def test_a_service_that_upgrades_is_0():
    with listening.bind_address("127.0.0.1", 0) as bound, upgrade_responses.serve_upgrade_responses(bound):
        status, output = ask(bound.getsockname()[1])
    assert (status, json.loads(output)["code"]) == (0, "upgrading")


def test_a_closed_port_is_1():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    status, output = ask(port)
    assert (status, output.startswith(f"Error: http://127.0.0.1:{port} does not answer: ")) == (1, True)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://[::1]", ("::1", 80)),
        ("http://[::1]:8000/blog", ("::1", 8000)),
        ("http://a@localhost", ("localhost", 80)),
    ],
)
def test_the_host_and_the_port_are_those_of_the_address(monkeypatch, url, address):
    asked = []

    def connect(address, *options):
        asked.append(address)
        raise OSError("no route to host")

    monkeypatch.setattr(socket, "create_connection", connect)
    result = CliRunner().invoke(main, ["health", "--url", url])
    assert (result.exit_code, result.output) == (
        1,
        f"Error: {url} does not answer: no route to host. Is --url right?\n",
    )
    assert asked == [address]


def test_a_service_that_does_not_answer_is_1(monkeypatch):
    monkeypatch.setattr(commands, "_TIMEOUT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        status, output = ask(silent.getsockname()[1])
    assert (status, "does not answer" in output) == (1, True)


@pytest.mark.parametrize(("body", "status"), [(b"[]", 1), (b"<html>", 1), (b'{"status":"ok"}', 0), (b"", 1)])
def test_another_answer_is_1(app, monkeypatch, body, status):
    monkeypatch.setattr(commands, "_fetch_health", lambda _, found: found.append(body))
    assert ask(1)[0] == status


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://a", "http://", "http://[::1"])
def test_another_address_is_wrong_usage(url):
    assert CliRunner().invoke(main, ["health", "--url", url]).exit_code == 2
