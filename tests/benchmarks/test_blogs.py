"""The blogs that the benchmark measures are right, and each measured request finds something in them."""

from __future__ import annotations

import gc
import json

import pytest

pytest.importorskip("psutil", reason="psutil is not installed")

from tests.benchmarks import blogs, copies, size_requests
from tests.benchmarks.in_process import take_samples
from tests.benchmarks.plan import ARTICLES, CATEGORIES, LIST_OF_20, TAGS
from tests.benchmarks.wsgi_calls import call, find_problem
from tests.conftest import close_connections

DISTINCT, COPIES = 150, 50


@pytest.fixture
def blog(instance, monkeypatch, databases):
    """The record of a small blog whose last articles are copies."""
    databases.prepare(instance)
    monkeypatch.setattr(blogs, "DISTINCT_ARTICLES", DISTINCT)
    monkeypatch.setattr(blogs, "RARE_EVERY", 50)
    monkeypatch.setattr(copies, "ROWS_PER_TRANSACTION", COPIES - 10)
    thresholds = gc.get_threshold()
    blogs.fill_blog(instance, DISTINCT + COPIES, 2_000)
    gc.set_threshold(*thresholds)
    return json.loads((instance / blogs.RECORD_FILE).read_text(encoding="utf-8"))


@pytest.mark.release
@pytest.mark.slow
def test_each_request_of_the_part_size_finds_something_in_a_blog_that_doctor_accepts(blog, make_app):
    app = make_app()
    headers = {"X-API-KEY": blog["admin_key"]}
    reads = size_requests.list_reads(blog["newest"], DISTINCT + COPIES)
    problems = {name: call(app, ("GET", path, None), headers).problem for name, path in reads.items()}
    assert len(problems) > 70
    assert {name: problem for name, problem in problems.items() if problem} == {}

    task = {"key": blog["admin_key"], "tag": blog["tag"], "samples": 2, "clock": "cpu"}
    written = size_requests.Meter(app, task).measure_writes()
    assert {name: problem for name, (_, problem) in written.items() if problem} == {}

    client = app.test_client()
    listed = client.get(f"{ARTICLES}?page=1&page_size=1", headers=headers)
    assert listed.headers["X-Total-Count"] == str(DISTINCT + COPIES)
    assert client.get(f"{ARTICLES}{blog['newest']}/", headers={"X-API-KEY": blog["key"]}).status_code == 200
    checked = app.test_cli_runner().invoke(args=["doctor", "--full"])
    lines = checked.stdout.splitlines()
    assert [line for line in lines if line.startswith("wrong")] == [] and len(lines) > 10, lines
    close_connections(app)


def test_a_read_that_fails_or_finds_nothing_is_not_measured(app, people, make_tag, as_admin):
    tag, headers = make_tag().uuid, {"X-API-KEY": people.key(people.admin)}
    for path, problem in (
        (f"{ARTICLES}?page=1&page_size=1000", "answered 400"),
        (f"{ARTICLES}{tag}/", "answered 404"),
        (LIST_OF_20, "the response is empty"),
        (f"{CATEGORIES}?slug=unknown", "the response is empty"),
        ("/feeds/atom.xml", "answered 404"),
    ):
        cold = take_samples(app, tag, path, headers, 2)
        assert (cold.problem, cold.wsgi_ms) == (problem, 0.0), path
    cold = take_samples(app, tag, TAGS, headers, 2)
    assert cold.problem == "" and cold.wsgi_ms > 0 and cold.view_ms > 0


@pytest.mark.parametrize(
    ("method", "status", "body", "is_valid"),
    [
        ("GET", 200, b'[{"title":"Bread"}]', True),
        ("GET", 200, b'{"title":"Bread","tags":[]}', True),
        ("GET", 200, b"[]", False),
        ("GET", 200, b"[]\n", False),
        ("GET", 200, b"{}", False),
        ("GET", 200, b"", False),
        ("GET", 200, b'{"changes":[],"cursor":"5fa31c07-p0","more":false}', False),
        ("GET", 200, b'{"changes":[{"kind":"tag"}],"cursor":"5fa31c07-p1"}', True),
        ("GET", 200, b'<?xml version="1.0"?><feed><title>Blog</title></feed>', False),
        ("GET", 200, b'<?xml version="1.0"?><feed><entry></entry></feed>', True),
        ("GET", 200, b'<?xml version="1.0"?><urlset></urlset>', False),
        ("GET", 304, b"", False),
        ("GET", 404, b'{"code":"not_found"}', False),
        ("PATCH", 200, b"[]", False),
        ("PATCH", 422, b'{"code":"invalid_fields"}', False),
        ("POST", 201, b'{"title":"Bread"}', True),
        ("DELETE", 204, b"", True),
        ("DELETE", 404, b'{"code":"not_found"}', False),
    ],
)
def test_only_a_success_with_content_is_measured(method, status, body, is_valid):
    assert (find_problem(method, status, body) == "") == is_valid
