"""Strict JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.web import json as web_json
from blogapi.web.errors import Malformed, Problem
from blogapi.web.json import JsonBody

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("data", "detail"),
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
        (b"9" * 5000, "too many digits"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ("{}".encode("utf-32-le"), "is not JSON"),
        (b'"\xff"', "not UTF-8 (byte 1)"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b'"\xc0\xaf"', "not UTF-8"),
    ],
)
def test_invalid_json_is_refused(data, detail):
    with pytest.raises(Malformed) as raised:
        web_json.parse_json(data)
    assert detail in raised.value.detail


@settings(deadline=None)
@given(st.binary())
def test_parsing_any_bytes_returns_a_value_or_raises_a_problem(data):
    try:
        web_json.parse_json(data)
    except Problem as error:
        assert (error.status, error.code) == (400, "malformed")


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:0123456789.eE+-\\u \n\ttruefalsnN', max_size=40))
def test_parsing_text_similar_to_json_returns_a_value_or_raises_a_problem(text):
    try:
        web_json.parse_json(text.encode())
    except Problem as error:
        assert error.detail


@settings(deadline=None)
@given(JSON)
def test_serialized_json_parses_to_the_same_value(value):
    written = web_json.to_json_bytes(value)
    assert web_json.parse_json(written) == value
    assert json.loads(written) == value


def test_json_is_serialized_compactly_and_unescaped():
    assert web_json.to_json_bytes({"a": ["é", "日", 1]}) == '{"a":["é","日",1]}'.encode()


@pytest.mark.parametrize("members", [{}, {"a": 1}])
def test_a_member_is_added_to_an_object(members):
    short = web_json.append_member(members, "more", JsonBody(b"[1]", "2"), item_state="1")
    long = web_json.append_member(members, "more", JsonBody(iter([b"[", b"1]"]), state="3"), item_state="1")
    expected = members | {"more": [1]}
    assert json.loads(short.body) == json.loads(b"".join(long.body)) == expected
    assert list(json.loads(short.body)) == list(expected)


def test_the_etag_depends_on_the_body_and_on_every_part_of_the_state():
    bodies = [
        JsonBody(b"[]"),
        JsonBody(b"[]", "1"),
        JsonBody(b"[1]"),
        JsonBody(iter(()), state="[1] 1"),
        JsonBody(iter(()), state="[1] 2"),
        JsonBody(iter(()), "hidden", state="[1] 2"),
        web_json.append_member({}, "more", JsonBody(iter(()), state="1"), item_state=""),
        web_json.append_member({"name": "a"}, "more", JsonBody(iter(()), state="1"), item_state=""),
        web_json.append_member({"name": "a"}, "more", JsonBody(iter(()), state="1"), item_state="slug"),
    ]
    etags = [body.compute_etag() for body in bodies] + [bodies[0].compute_etag("unlisted")]
    assert len(set(etags)) == len(etags)
