"""The id of a request."""

from __future__ import annotations

import re

import pytest

from blogapi.web import request_id
from tests.conftest import ARTICLES, TAGS

KEY = f"blogapi_{'0' * 38}"


@pytest.mark.parametrize("given", ["a", "A-b_c.9", "x" * 64])
def test_a_well_formed_id_comes_back(as_reader, given):
    assert as_reader.get(ARTICLES, headers={"X-Request-ID": given}).headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", 'a"b', "a,b", "ä", "a\tb", "a%0a", "a/b", "٣", KEY])
def test_any_other_id_is_replaced(given):
    assert re.fullmatch("[0-9a-f]{16}", request_id.choose_request_id(given))


def test_ids_differ(as_stranger):
    assert len({as_stranger.get("/health").headers["X-Request-ID"] for _ in range(5)}) == 5


def test_an_answer_given_again_has_the_id_of_its_own_request(as_reader):
    names = ["first", "second", "third"]
    told = [as_reader.get(TAGS, headers={"X-Request-ID": name}) for name in names]
    assert [answer.headers.getlist("X-Request-ID") for answer in told] == [[name] for name in names]


def test_a_failure_is_known_by_the_id_of_the_request(as_reader, monkeypatch, caplog):
    from blogapi.articles import queries

    def fail(*_, **__):
        raise RuntimeError("why")

    monkeypatch.setattr(queries, "list_published", fail)
    answer = as_reader.get(ARTICLES, headers={"X-Request-ID": "mine"})
    assert answer.json["detail"].endswith(" under incident mine.")
    assert "incident mine" in caplog.text
