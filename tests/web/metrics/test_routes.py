"""The metrics of the process."""

from __future__ import annotations

import pytest

from blogapi.serving import access_log
from blogapi.web import metrics
from tests.conftest import ARTICLES, TAGS
from tests.live_server import start_server
from tests.serving.sockets import connect, wait_until
from tests.serving.test_access_log import make_entry
from tests.web.metrics.scrape import read_metrics


def test_the_response_has_the_text_format_of_prometheus(as_reading_admin):
    response = as_reading_admin.get("/metrics/")
    assert response.content_type == "text/plain; version=1.0.0; charset=utf-8"
    assert "# HELP blogapi_cache_bytes " in response.text


def test_metrics_are_off_by_default(make_app, make_client, people):
    app = make_app()
    response = make_client(app, people.key(people.admin)).get("/metrics")
    assert (response.status_code, response.json["code"]) == (404, "not_found")
    assert metrics.get_metrics(app) is None


def test_requests_are_counted_by_route_method_and_status(as_admin, app):
    count = access_log.make_count_handler(metrics.get_metrics(app).count_request)
    before = read_metrics(as_admin)
    count(
        [
            make_entry(),
            make_entry(seconds=20),
            make_entry(method="BREW", route="", status="405 Method Not Allowed"),
        ]
    )
    after = read_metrics(as_admin)

    def get_growth(*name):
        return after[name] - before.get(name, 0)

    assert get_growth("blogapi_requests_total", *sorted(("GET", "200", ARTICLES))) == 2
    assert get_growth("blogapi_requests_total", *sorted(("other", "405", "none"))) == 1
    assert get_growth("blogapi_request_seconds_bucket", *sorted((ARTICLES, "+Inf"))) == 2
    assert get_growth("blogapi_request_seconds_bucket", *sorted((ARTICLES, "10.0"))) == 1


def test_hits_of_the_response_cache_are_counted(as_reader, as_admin):
    read_metrics(as_admin)
    # The first request stores the last use of the key, so only the second response is cached.
    for _ in range(2):
        as_reader.get(TAGS)
    before = read_metrics(as_admin)
    for _ in range(3):
        as_reader.get(TAGS)
    after = read_metrics(as_admin)
    assert after["blogapi_cache_hits_total",] - before["blogapi_cache_hits_total",] == 3
    assert after["blogapi_cache_misses_total",] == before["blogapi_cache_misses_total",] > 0
    assert after["blogapi_cache_bytes",] > 0


def test_the_time_in_which_writes_hold_the_lock_is_counted(as_admin, make_tag):
    before = read_metrics(as_admin)["blogapi_write_lock_seconds_total",]
    assert read_metrics(as_admin)["blogapi_write_lock_seconds_total",] == before
    make_tag()
    assert read_metrics(as_admin)["blogapi_write_lock_seconds_total",] > before


def test_the_database_connections_are_reported(as_admin):
    assert read_metrics(as_admin)["blogapi_database_pool_checkedout",] >= 0


@pytest.mark.sqlite("its write-ahead log")
def test_the_size_of_the_write_ahead_log_is_reported(as_admin, make_article):
    make_article()
    assert read_metrics(as_admin)["blogapi_wal_bytes",] > 0


def test_the_connections_of_the_server_are_reported(app, as_admin):
    with start_server(app) as server, connect(server.effective_port):
        wait_until(lambda: server.active_channels)
        metrics = read_metrics(as_admin)
    assert (metrics["blogapi_connections",], metrics["blogapi_queue_depth",]) == (1, 0)


@pytest.mark.parametrize(
    ("access_log", "metrics", "listeners"), [("off", False, 0), ("text", True, 2), ("off", True, 1)]
)
def test_serve_counts_requests_if_metrics_are_on(make_app, monkeypatch, access_log, metrics, listeners):
    from blogapi.serving import commands

    journal = commands._open_access_log(make_app(ACCESS_LOG=access_log, METRICS=metrics))
    assert (len(journal._handlers) if journal else 0) == listeners
    if journal:
        journal.close()
