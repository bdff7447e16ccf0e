"""`whole_blogs` compares all answers of two versions, and finds what differs."""

from __future__ import annotations

import json

import pytest

from tests.contracts import whole_blogs
from tests.contracts.read_requests import API
from tests.contracts.whole_blogs import ROOT, compare, compare_exports, describe_difference
from tests.databases import SERVER_URL


@pytest.mark.parametrize(
    ("former", "current", "differences"),
    [
        ({"a": [1]}, {"a": [1]}, []),
        ({"a": [{"b": "x", "c": 1}]}, {"a": [{"b": "x"}]}, ["$.a[0].c is missing in this version: 1"]),
        ({}, {"b": None}, ["$.b is only in this version: null"]),
        ([1, 2], [2, 1], ["$: the same elements in another order"]),
        ([1, 2], [1], ["$: 2 → 1 elements"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ["$: order of names: a, b → b, a"]),
        ({"html": "<p>a</p>"}, {"html": "<p>é</p>"}, ['$.html: "<p>a</p>" → "<p>é</p>"']),
        ([1], [True], ["$[0]: 1 → true"]),
    ],
)
def test_a_difference_of_json_is_a_path_and_both_values(former, current, differences):
    one, two = (json.dumps(value).encode() for value in (former, current))
    assert describe_difference(one, two) == differences


@pytest.mark.parametrize(
    ("former", "current", "differences"),
    [
        (b"a\nb\n", b"a\nc\n", ["@@ -2 +2 @@", "-b", "+c"]),
        (b"a\r\n", b"a\n", ["differs in the ends of its lines"]),
        (b"a", None, ["is missing in this version"]),
        (None, b"a", ["is missing in the former version"]),
        (b'{"a": 1}', b'{"a":1}', ['the same JSON in another form: {"a": 1} → {"a":1}']),
    ],
)
def test_other_texts_are_compared_by_byte(former, current, differences):
    assert describe_difference(former, current) == differences


@pytest.fixture(scope="module")
def filled():
    """The databases, and the odd blog, which no test changes."""
    with whole_blogs.open_databases(SERVER_URL) as databases:
        yield databases, whole_blogs.fill(databases.create(ROOT), None)


@pytest.mark.slow
def test_a_version_has_no_differences_from_itself(filled):
    databases, blog = filled
    differences = []
    former, current = databases.copy(blog, ROOT), databases.copy(blog, ROOT)
    compare_exports(former, current, differences.append)
    counts = compare(former, current, differences.append)
    assert differences == []
    # Only filters by a field of admins are invalid.
    assert counts["GET 400"] == 2
    assert counts["GET 200"] > 1000 and counts["PUT 200"] == counts["DELETE 204"] == 10
    # Redirects from former slugs, hidden and deleted items, and operations that readers may not use.
    assert all(counts[f"GET {status}"] for status in (308, 403, 404))


@pytest.mark.slow
def test_each_difference_is_found_in_all_answers_that_show_it(filled):
    databases, blog = filled
    former, current = databases.copy(blog, ROOT), databases.copy(blog, ROOT)
    with current.serve() as client:
        article = next(one for one in client.read(f"{API}articles/") if one["slug"] == "markdown")
        client.send("PATCH", f"{API}articles/{article['uuid']}/", {"content": "Other bread"})
    differences = []
    compare_exports(former, current, differences.append)
    compare(former, current, differences.append)
    for start in (
        "export --drafts ",
        "export --drafts --for hugo ",
        f"GET {API}articles/ (anonymous): $[",
        f"GET {API}articles/{article['uuid']}/ (anonymous): $.content: ",
        f"GET {API}articles/{article['uuid']}/revisions/ (admin): $: 1 → 2 elements",
        f"GET {API}changes/?since=0 (anonymous): $",
        "GET /feeds/rss.xml (no key): ",
    ):
        assert any(difference.startswith(start) for difference in differences), start
