"""nginx with the configurations of the guide for one server and for several servers."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time
from contextlib import ExitStack

import pytest

from tests.conftest import ARTICLES, KEYS, TAGS
from tests.durability.test_processes import WSGI, start_server_process
from tests.shared_caches.postgresql import PG_CTL, run_cluster
from tests.shared_caches.recipes import NGINX, read_recipe, replace_each, run_recipe, send

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


def test_one_server(folder, port, people):
    recipe = replace_each(read_recipe("nginx", "services.md"), {"127.0.0.1:8000": f"127.0.0.1:{port}"})
    recipe = f"server {{ listen 80; {recipe} }}"
    with run_recipe(folder, recipe) as connect:
        connection = connect()
        plain, packed = (send(connection, "/docs/", Accept_Encoding=name) for name in ("", "gzip"))
        assert gzip.decompress(packed.body) == plain.body
        # A login of a page on another port passes the check of the origin only with the port.
        headers = {"Host": "blog.example:8443", "Origin": "http://blog.example:8443"}
        body = json.dumps({"username": "nobody", "password": "wrong"})
        for origin, status in (("http://blog.example:8443", 401), ("http://blog.example", 403)):
            headers |= {"Origin": origin, "Content-Type": "application/json"}
            connection.request("POST", "/api/v1/auth/login/", body, headers)
            response = connection.getresponse()
            assert (response.status, bool(response.read())) == (status, True)
        connection.close()


@pytest.fixture
def cluster():
    """A PostgreSQL server that can be restarted."""
    with run_cluster() as started:
        yield started


@pytest.fixture
def two_servers(cluster, folder, tmp_path, instance, monkeypatch):
    """nginx in front of two servers; the fixture is a new connection, and the processes of the servers."""
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", cluster.url)
    with ExitStack() as stack:
        # The first one creates the tables.
        servers = [stack.enter_context(start_server_process(WSGI, tmp_path)) for _ in range(2)]
        changes = {f"10.0.0.1{n}:8000": f"127.0.0.1:{port}" for n, (port, _) in enumerate(servers, 1)}
        recipe = replace_each(
            read_recipe("nginx", "postgresql.md"), changes | {"read_timeout 30s": "read_timeout 5s"}
        )
        connection = stack.enter_context(run_recipe(folder, recipe))()
        yield connection, [process.process for _, process in servers]
        connection.close()


needs_cluster = pytest.mark.skipif(PG_CTL is None, reason="pg_ctl is not installed")


@pytest.mark.slow
@needs_cluster
def test_several_servers_survive_a_restart_of_postgresql_and_a_paused_server(cluster, two_servers):
    connection, processes = two_servers
    created = send(connection, KEYS, "POST")
    key = json.loads(created.body)["public_state"]

    def read():
        response = send(connection, TAGS, X_API_KEY=key)
        return response.status, json.loads(response.body)

    assert [read() for _ in range(4)] == [(200, [])] * 4
    cluster.stop()
    refused = [read() for _ in range(6)]
    assert {(status, body["code"]) for status, body in refused} == {(503, "unavailable")}
    cluster.start()
    # The servers connect again; an answer of nginx itself would not be JSON.
    deadline = time.monotonic() + 60
    while [read()[0] for _ in range(4)] != [200] * 4:
        assert time.monotonic() < deadline
    os.kill(processes[0].pid, signal.SIGSTOP)
    try:
        assert [read() for _ in range(6)] == [(200, [])] * 6
    finally:
        os.kill(processes[0].pid, signal.SIGCONT)
    assert send(connection, ARTICLES, X_API_KEY=key).status == 200
