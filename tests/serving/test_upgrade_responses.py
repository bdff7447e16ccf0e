"""The answers while `serve` upgrades the blog, and the server that follows on the same socket."""

from __future__ import annotations

import json
import threading

import pytest
from click.testing import CliRunner
from flask.cli import ScriptInfo
from sqlalchemy import update

from blogapi import create_app
from blogapi.__main__ import main
from blogapi.content.articles.models import RendererState
from blogapi.serving import commands, listening, server, upgrade_responses
from blogapi.storage import upgrade_progress
from blogapi.storage.database import db, transaction
from tests.databases import close_connections
from tests.serving.sockets import (
    Response,
    assert_problem,
    assert_shared_headers,
    connect,
    parse_response,
    read_all,
    send,
)

READ = "GET /api/v1/blog/articles/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"


def ask(port: int, request: str = READ, headers: str = "") -> Response:
    return send(port, f"{request}{headers}\r\n".encode())


@pytest.fixture
def listening_socket():
    with listening.bind_address("127.0.0.1", 0) as bound:
        yield bound


@pytest.fixture
def port(listening_socket):
    return listening_socket.getsockname()[1]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_each_request_gets_503_upgrading_with_the_progress(listening_socket, port, method):
    request = READ.replace("GET", method)
    with upgrade_responses.serve_upgrade_responses(listening_socket):
        before = ask(port, request)
        upgrade_progress.report_progress("articles", 200, 1000)
        response = ask(port, request)
    assert_problem(response, 503, "upgrading")
    assert_shared_headers(response)
    assert (response.headers["Retry-After"], response.headers["Cache-Control"]) == ("5", "no-store")
    assert "progress" not in json.loads(before.body)
    assert json.loads(response.body)["progress"] == {"step": "articles", "done": 200, "total": 1000}


def test_a_browser_gets_a_page_that_loads_again(listening_socket, port):
    with upgrade_responses.serve_upgrade_responses(listening_socket):
        upgrade_progress.report_progress("migrations", 3, 36)
        response = ask(port, headers="Accept: text/html,*/*;q=0.8\r\n")
        head = ask(port, READ.replace("GET", "HEAD"), headers="Accept: text/html\r\n")
    assert (response.status, head.status, head.body) == (503, 503, b"")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert b'http-equiv="refresh" content="5"' in response.body
    assert b"migrations: 3 of 36" in response.body
    assert_shared_headers(response)


@pytest.mark.parametrize("size", [100_000, 10_000_000])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_large_body_gets_the_same_answer(listening_socket, port, size, is_chunked):
    head = READ.replace("GET", "PUT").replace("Connection: close\r\n", "")
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {size}"
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size) if is_chunked else b"x" * size
    with upgrade_responses.serve_upgrade_responses(listening_socket):
        response = send(port, f"{head}{length}\r\n\r\n".encode() + body)
    assert_problem(response, 503, "upgrading")
    assert_shared_headers(response)
    assert (response.headers["Retry-After"], response.headers["Connection"]) == ("5", "close")


def test_a_malformed_request_is_refused(listening_socket, port):
    with upgrade_responses.serve_upgrade_responses(listening_socket):
        assert_problem(ask(port, "GET / HTTP/1.1\r\n"), 400, "malformed")


def test_the_server_that_follows_answers_connections_that_were_made_meanwhile(app, listening_socket, port):
    with upgrade_responses.serve_upgrade_responses(listening_socket):
        assert ask(port).status == 503
    http_server = server.create_server(app, listening_socket=listening_socket, threads=2)
    waiting = connect(port)
    waiting.sendall(b"GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    thread = threading.Thread(target=http_server.run)
    thread.start()
    assert parse_response(read_all(waiting)).status == 200
    waiting.close()
    http_server.stop()
    thread.join()


@pytest.mark.skipif(not listening.HAS_UNIX_SOCKETS, reason="Windows has no Unix sockets")
def test_the_socket_file_stays_for_the_server_that_follows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with listening.bind_unix_socket(tmp_path / "s") as bound:
        with upgrade_responses.serve_upgrade_responses(bound):
            pass
        assert (tmp_path / "s").exists()


@pytest.mark.parametrize("is_old", [True, False])
def test_serve_answers_while_it_upgrades(app, instance, make_article, monkeypatch, is_old):
    make_article()
    with app.app_context(), transaction():
        if is_old:
            db.session.execute(update(RendererState).values(renderer="old"))
    ports, answers, created = [], [], []

    def bind(*arguments):
        bound = listening.bind_address(*arguments)
        ports.append(bound.getsockname()[1])
        return bound

    def create():
        if is_old:
            answers.append(ask(ports[0]))
        created.append(create_app())
        return created[0]

    def run(self):
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(commands.listening, "open_socket", lambda host, port, _: bind(host, port))
    monkeypatch.setattr(commands, "_stop_on_signals", lambda app, own: setattr(own, "run", lambda: run(own)))
    result = CliRunner().invoke(main, ["serve", "--port", "0"], obj=ScriptInfo(create_app=create))
    close_connections(created[0])
    assert result.exit_code == 0, result.output
    assert [answer.status for answer in answers] == ([503] if is_old else [])


def test_the_progress_is_reported_for_each_batch_of_articles(app, make_article, monkeypatch):
    from blogapi.content.articles.writing import rerendering

    monkeypatch.setattr(rerendering, "_ARTICLES_PER_TRANSACTION", 1)
    for _ in range(3):
        make_article()
    found = []
    monkeypatch.setattr(upgrade_progress, "report_progress", lambda *progress: found.append(progress))
    with app.app_context():
        rerendering.rerender_all_articles()
    assert found == [("articles", done, 3) for done in range(3)]
