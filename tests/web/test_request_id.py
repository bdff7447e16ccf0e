"""The id of a request."""

from __future__ import annotations

import re

import pytest

from blogapi.content.articles.responses import article_bodies
from blogapi.web import request_environ
from tests.conftest import ARTICLES, TAGS

KEY = f"blogapi_{'0' * 38}"


@pytest.mark.parametrize("given", ["a", "A-b_c.9", "x" * 64])
def test_a_well_formed_request_id_is_returned(as_reader, given):
    assert as_reader.get(ARTICLES, headers={"X-Request-ID": given}).headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", 'a"b', "a,b", "ä", "a\tb", "a%0a", "a/b", "٣", KEY])
def test_a_malformed_request_id_is_replaced(given):
    assert re.fullmatch("[0-9a-f]{16}", request_environ.choose_request_id(given))


def test_generated_request_ids_differ(as_stranger):
    assert len({as_stranger.get("/health").headers["X-Request-ID"] for _ in range(5)}) == 5


def test_a_replayed_response_has_the_id_of_its_own_request(as_reader):
    names = ["first", "second", "third"]
    responses = [as_reader.get(TAGS, headers={"X-Request-ID": name}) for name in names]
    assert [response.headers.getlist("X-Request-ID") for response in responses] == [[name] for name in names]


def test_an_incident_has_the_id_of_its_request(as_reader, monkeypatch, caplog):
    pass

    def fail(*_, **__):
        raise RuntimeError("why")

    monkeypatch.setattr(article_bodies, "list_published_items", fail)
    response = as_reader.get(ARTICLES, headers={"X-Request-ID": "mine"})
    assert response.json["detail"].endswith(" under incident mine.")
    assert "incident mine" in caplog.text
