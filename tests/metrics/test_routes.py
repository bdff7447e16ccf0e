"""The figures of the process."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from blogapi.metrics import exposition
from blogapi.serving import log
from tests.conftest import ARTICLES, TAGS
from tests.live import server as live
from tests.serving.test_limits import until
from tests.serving.test_log import served
from tests.serving.test_server import connected


def figures(client):
    answer = client.get("/metrics")
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_the_text_is_that_of_prometheus(as_reading_admin):
    answer = as_reading_admin.get("/metrics/")
    assert answer.content_type == "text/plain; version=1.0.0; charset=utf-8"
    assert "# HELP blogapi_replay_bytes " in answer.text


def test_they_are_off_unless_asked_for(make_app, make_client, people):
    app = make_app()
    answer = make_client(app, people.key(people.admin)).get("/metrics")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert exposition.get_request_metrics(app) is None


def test_requests_are_counted_by_route_method_and_status(as_admin, app):
    count = log.count_requests(exposition.get_request_metrics(app).count)
    before = figures(as_admin)
    count([served(), served(seconds=20), served(method="BREW", route="", status="405 Method Not Allowed")])
    told = figures(as_admin)

    def grown(*name):
        return told[name] - before.get(name, 0)

    assert grown("blogapi_requests_total", *sorted(("GET", "200", ARTICLES))) == 2
    assert grown("blogapi_requests_total", *sorted(("other", "405", "none"))) == 1
    assert grown("blogapi_request_seconds_bucket", *sorted((ARTICLES, "+Inf"))) == 2
    assert grown("blogapi_request_seconds_bucket", *sorted((ARTICLES, "10.0"))) == 1


def test_answers_given_again_are_counted(as_reader, as_admin):
    figures(as_admin)
    # The first use of a key is noted, which is a change; from the second on nothing changes.
    for _ in range(2):
        as_reader.get(TAGS)
    before = figures(as_admin)
    for _ in range(3):
        as_reader.get(TAGS)
    told = figures(as_admin)
    assert told["blogapi_replay_hits_total",] - before["blogapi_replay_hits_total",] == 3
    assert told["blogapi_replay_misses_total",] == before["blogapi_replay_misses_total",] > 0
    assert told["blogapi_replay_bytes",] > 0


def test_the_database_is_told(as_admin):
    assert figures(as_admin)["blogapi_database_pool_checkedout",] >= 0


@pytest.mark.sqlite("its write-ahead log")
def test_the_log_of_sqlite_is_told(as_admin, make_article):
    make_article()
    assert figures(as_admin)["blogapi_wal_bytes",] > 0


def test_the_server_is_told(app, as_admin):
    with live(app) as made, connected(made.effective_port):
        until(lambda: made.active_channels)
        told = figures(as_admin)
    assert (told["blogapi_connections",], told["blogapi_queue_depth",]) == (1, 0)


@pytest.mark.parametrize(("form", "on", "takers"), [("off", False, 0), ("text", True, 2), ("off", True, 1)])
def test_serve_counts_where_it_is_on(make_app, monkeypatch, form, on, takers):
    from blogapi.serving import commands

    journal = commands._journal(make_app(ACCESS_LOG=form, METRICS=on))
    assert (len(journal._takers) if journal else 0) == takers
    if journal:
        journal.close()
