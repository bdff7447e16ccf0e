"""Bytes in and out: strict JSON, and reads that nothing changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.web import json as web_json
from blogapi.web.errors import Malformed, Problem

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is not JSON"),
        (b" ", "is not JSON"),
        (b"{", "is not JSON"),
        (b"{'a': 1}", "is not JSON"),
        (b'{"a": 1,}', "is not JSON"),
        (b"{} {}", "is not JSON"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b'"\n"', "is not JSON"),
        (b"01", "is not JSON"),
        (b'{"a": 1, "a": 1}', "same key twice"),
        (b'[{"b": {"a": 1, "\\u0061": 2}}]', "same key twice"),
        (b"NaN", "NaN is not JSON"),
        (b"[Infinity]", "Infinity is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"9" * 5000, "too long"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ("{}".encode("utf-32-le"), "is not JSON"),
        (b'"\xff"', "not UTF-8 (byte 1)"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b'"\xc0\xaf"', "not UTF-8"),
    ],
)
def test_what_is_not_strict_json_is_refused(data, told):
    with pytest.raises(Malformed) as raised:
        web_json.parse_json(data)
    assert told in raised.value.detail


@settings(deadline=None)
@given(st.binary())
def test_no_bytes_raise_anything_but_a_problem(data):
    try:
        web_json.parse_json(data)
    except Problem as error:
        assert (error.status, error.code) == (400, "malformed")


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:0123456789.eE+-\\u \n\ttruefalsnN', max_size=40))
def test_no_near_json_raises_anything_but_a_problem(text):
    try:
        web_json.parse_json(text.encode())
    except Problem as error:
        assert error.detail


@settings(deadline=None)
@given(JSON)
def test_what_is_written_is_read_the_same(value):
    written = web_json.to_json_bytes(value)
    assert web_json.parse_json(written) == value
    assert json.loads(written) == value


def test_json_is_written_compactly_and_unescaped():
    assert web_json.to_json_bytes({"a": ["é", "日", 1]}) == '{"a":["é","日",1]}'.encode()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("{etag}", 304),
        ("W/{etag}", 304),
        ('"other", {etag}', 304),
        ("*", 304),
        ('"other"', 200),
        ("", 200),
        ('"', 200),
        ("garbage, \\ \t;;=,,", 200),
        ('"a' * 500, 200),
        ("{etag}x", 200),
        ("é", 200),
    ],
)
def test_if_none_match_is_304_for_the_same_tag_and_never_an_error(as_stranger, sent, status):
    etag = as_stranger.get("/openapi.json").headers["ETag"]
    answer = as_stranger.get("/openapi.json", headers={"If-None-Match": sent.format(etag=etag)})
    assert (answer.status_code, answer.headers["ETag"]) == (status, etag)
    assert bool(answer.data) is (status == 200)
