"""The memory limit of the cache, the order of eviction, and the responses that it does not return."""

from __future__ import annotations

import threading
import tracemalloc
from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.delivery.response_cache.commit_version import CommitVersion
from blogapi.delivery.response_cache.lru_cache import OVERHEAD_BYTES, CachedResponse, LRUCache

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
MAX_BYTES = 100_000


def make_version(number):
    """Return a commit version after `number` commits that readers can notice."""
    return CommitVersion(number, number)


def make_response(body=b"[]", *, created_at=NOON, valid_until=LATER, headers=()):
    return CachedResponse("200 OK", list(headers), body, created_at, valid_until, make_version(1))


def put(cache, key, version, response, *, shows_drafts=False):
    version = make_version(version) if isinstance(version, int) else version
    cache.put(key, replace(response, version=version, shows_drafts=shows_drafts))


def get_body(cache, key, version=1, now=NOON):
    version = make_version(version) if isinstance(version, int) else version
    response = cache.get(key, version, now)
    return response and response.body


@pytest.fixture
def cache():
    """An empty cache with a memory limit of 100 kB."""
    return LRUCache(MAX_BYTES)


def test_an_empty_cache_returns_nothing(cache):
    assert (get_body(cache, "a"), len(cache), cache.used_bytes) == (None, 0, 0)


def test_a_stored_response_is_returned_unchanged(cache):
    response = make_response(b"body", headers=[("ETag", '"1"'), ("Vary", "Accept"), ("Vary", "origin")])
    put(cache, "a", 1, response)
    assert cache.get("a", make_version(1), NOON) == response
    assert get_body(cache, "b") is None


def test_a_later_response_replaces_an_earlier_one(cache):
    put(cache, "a", 1, make_response(b"old" * 100))
    put(cache, "a", 1, make_response(b"new"))
    assert (get_body(cache, "a"), len(cache), cache.used_bytes) == (b"new", 1, OVERHEAD_BYTES + 3)


# Commit versions


@pytest.mark.parametrize("version", [0, 2, 100])
def test_a_response_of_another_commit_version_is_not_returned(cache, version):
    put(cache, "a", 1, make_response())
    assert get_body(cache, "a", version) is None
    assert get_body(cache, "a", 1) == b"[]"


def test_the_first_response_of_a_new_version_evicts_all_older_ones(cache):
    put(cache, "a", 1, make_response(b"old" * 1000))
    put(cache, "b", 1, make_response(b"old" * 1000))
    put(cache, "c", 2, make_response(b"new"))
    assert [get_body(cache, name, version) for name in "abc" for version in (1, 2)] == [None] * 5 + [b"new"]
    assert (len(cache), cache.used_bytes) == (1, OVERHEAD_BYTES + 3)


def test_a_response_of_an_older_version_is_not_stored(cache):
    put(cache, "a", 2, make_response(b"new"))
    put(cache, "a", 1, make_response(b"old"))
    put(cache, "b", 1, make_response(b"old"))
    assert [get_body(cache, name, version) for name in "ab" for version in (1, 2)] == [
        None,
        b"new",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("version", "bodies"),
    [
        (CommitVersion(5, 2), [b"public", b"drafts"]),
        # This commit changes nothing that readers can see.
        (CommitVersion(6, 2), [b"public", None]),
        (CommitVersion(6, 3), [None, None]),
        # Another request has read this older version.
        (CommitVersion(4, 2), [b"public", None]),
        (CommitVersion(4, 1), [None, None]),
    ],
)
def test_a_commit_that_readers_cannot_notice_invalidates_only_responses_with_drafts(cache, version, bodies):
    put(cache, "a", CommitVersion(5, 2), make_response(b"public"))
    put(cache, "b", CommitVersion(5, 2), make_response(b"drafts"), shows_drafts=True)
    assert [get_body(cache, name, version) for name in "ab"] == bodies


def test_a_response_of_an_older_version_does_not_replace_a_newer_one(cache):
    put(cache, "a", CommitVersion(5, 2), make_response(b"new"), shows_drafts=True)
    put(cache, "a", CommitVersion(4, 2), make_response(b"old"), shows_drafts=True)
    assert get_body(cache, "a", CommitVersion(5, 2)) == b"new"


# Time


@pytest.mark.parametrize(
    ("now", "valid"),
    [
        (NOON, True),
        (NOON + timedelta(minutes=59), True),
        (LATER - timedelta.resolution, True),
        (LATER, False),
        (LATER + timedelta(days=1), False),
        # The clock was set back to before the response was created.
        (NOON - timedelta.resolution, False),
    ],
)
def test_a_response_is_valid_from_its_creation_until_its_expiry(cache, now, valid):
    put(cache, "a", 1, make_response())
    assert get_body(cache, "a", now=now) == (b"[]" if valid else None)


def test_an_expired_response_can_be_replaced(cache):
    put(cache, "a", 1, make_response(b"old"))
    put(cache, "a", 1, make_response(b"new", created_at=LATER, valid_until=LATER + timedelta(hours=1)))
    assert (get_body(cache, "a", now=LATER), get_body(cache, "a", now=NOON)) == (b"new", None)


# Limits


@pytest.mark.parametrize(("new", "evicted"), [(1, "1"), (2, "13"), (3, "134"), (4, "1345")])
def test_the_least_recently_used_responses_are_evicted_first(cache, new, evicted):
    for name in "01234567":
        put(cache, name, 1, make_response(name.encode() * 10_000))
    for name in "02":
        cache.get(name, make_version(1), NOON)
    for number in range(new):
        put(cache, f"new {number}", 1, make_response(b"%d" % number * 10_001))
    assert [name for name in "01234567" if get_body(cache, name) is None] == list(evicted)


@pytest.mark.parametrize("large_part", ["body", "headers"])
@pytest.mark.parametrize(
    ("number", "evicted", "evicted_large"), [(1, 3, 0), (2, 10, 0), (7, 49, 0), (8, 50, 1), (20, 50, 13)]
)
def test_as_many_small_responses_are_evicted_as_large_ones_need(
    cache, large_part, number, evicted, evicted_large
):
    for name in range(50):
        put(cache, name, 1, make_response(b"%02d" % name))
    assert len(cache) == 50
    for place in range(number):
        text = f"{place:012000}"
        large = {"body": text.encode()} if large_part == "body" else {"headers": [("Link", text)]}
        put(cache, f"large {place}", 1, make_response(**large))
        assert cache.used_bytes <= MAX_BYTES
    found = [name for name in range(50) if get_body(cache, name) == b"%02d" % name]
    assert found == list(range(evicted, 50))
    found = [place for place in range(number) if get_body(cache, f"large {place}")]
    assert found == list(range(evicted_large, number))


def test_getting_an_expired_response_does_not_count_as_use(cache):
    for name in "abcdefgh":
        put(cache, name, 1, make_response(name.encode() * 10_000))
    assert get_body(cache, "a", now=LATER) is None
    put(cache, "new", 1, make_response(b"n" * 10_000))
    assert get_body(cache, "a") is None


@pytest.mark.parametrize(
    ("length", "stored"), [(MAX_BYTES // 8, True), (MAX_BYTES // 8 + 1, False), (MAX_BYTES * 2, False)]
)
def test_a_response_uses_at_most_an_eighth_of_the_memory(cache, length, stored):
    put(cache, "small", 1, make_response(b"small"))
    put(cache, "large", 1, make_response(b"x" * length))
    assert (get_body(cache, "large") is not None) is stored
    assert get_body(cache, "small") == b"small"


def test_headers_count_towards_the_memory_limit(cache):
    put(cache, "a", 1, make_response(headers=[("Link", "x" * 10_000)]))
    assert cache.used_bytes >= 10_000 + OVERHEAD_BYTES
    for number in range(50):
        put(cache, number, 1, make_response(headers=[("Link", str(number).zfill(10_000))]))
    assert cache.used_bytes <= MAX_BYTES
    assert len(cache) < MAX_BYTES // 10_000


def test_a_response_with_too_large_headers_is_not_stored(cache):
    put(cache, "a", 1, make_response(headers=[("Link", "x" * MAX_BYTES)]))
    assert (len(cache), cache.used_bytes) == (0, 0)


def test_a_cache_without_memory_stores_nothing():
    cache = LRUCache(10)
    put(cache, "a", 1, make_response(b""))
    assert (len(cache), cache.used_bytes, get_body(cache, "a")) == (0, 0, None)


# Shared bodies


def test_a_body_that_responses_share_is_stored_once(cache):
    for name in "abc":
        put(cache, name, 1, make_response(bytes(bytearray(b"x" * 10_000))))
    assert cache.used_bytes == 3 * OVERHEAD_BYTES + 10_000
    assert len({id(cache.get(name, make_version(1), NOON).body) for name in "abc"}) == 1


def test_a_shared_body_is_evicted_with_the_last_response_that_has_it(cache):
    for name in "ab":
        put(cache, name, 1, make_response(b"x" * 10_000))
    put(cache, "a", 1, make_response(b"y"))
    assert (get_body(cache, "b"), cache.used_bytes) == (b"x" * 10_000, 2 * OVERHEAD_BYTES + 10_001)
    put(cache, "b", 1, make_response(b"y"))
    assert cache.used_bytes == 2 * OVERHEAD_BYTES + 1


def test_the_counted_memory_is_close_to_the_actual_memory():
    cache = LRUCache(64 * 2**20)
    names = ("Content-Type", "Content-Length", "ETag", "Allow", "Vary", "Cache-Control", "X-Total-Count")
    more = ("X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(500):
            headers = [(name, f"{number:040}") for name in (*names, *more)]
            put(cache, b"%032d" % number, 1, make_response(b"%0500d" % number, headers=headers))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.6 * cache.used_bytes < after - before < cache.used_bytes


# Comparison with a simple model

BODIES = [b"", b"a" * 100, b"b" * 4_000, b"c" * 6_000, b"d" * 12_500, b"e" * 12_501]
# Every second commit changes something that readers can see.
VERSIONS = st.sampled_from([CommitVersion(commit, commit // 2) for commit in range(6)])
PUT = st.tuples(
    *(st.integers(0, 9), VERSIONS, st.booleans(), st.sampled_from(BODIES)),
    *(st.integers(0, 3), st.integers(0, 6)),
)
GET = st.tuples(st.integers(0, 9), VERSIONS, st.integers(0, 6))


@given(st.lists(PUT | GET, max_size=80))
def test_after_any_sequence_of_reads_and_writes_the_cache_equals_a_simple_model(uses):
    cache, model, newest = LRUCache(MAX_BYTES // 4), OrderedDict(), CommitVersion(-1, -1)
    cache.max_response_bytes = MAX_BYTES // 8
    for use in uses:
        if len(use) == 3:
            key, version, minute = use
            now = NOON + timedelta(minutes=minute)
            expected = None
            if key in model:
                body, stored, drafts, created_at, valid_until = model[key]
                current = stored.commit == version.commit if drafts else stored.public == version.public
                expected = body if current and created_at <= now < valid_until else None
            if expected is not None:
                model.move_to_end(key)
            assert get_body(cache, key, version, now) == expected
        else:
            key, version, drafts, body, *minutes = use
            created_at, valid_until = (NOON + timedelta(minutes=minute) for minute in minutes)
            response = make_response(body, created_at=created_at, valid_until=valid_until)
            put(cache, key, version, response, shows_drafts=drafts)
            is_old = version.commit < newest.commit if drafts else version.public < newest.public
            if is_old or len(body) > MAX_BYTES // 8:
                continue
            if version.public > newest.public:
                model.clear()
            newest = max(version, newest)
            model.pop(key, None)
            model[key] = (body, version, drafts, created_at, valid_until)
            while count_bytes(model) > MAX_BYTES // 4:
                model.popitem(last=False)
        assert (len(cache), cache.used_bytes) == (len(model), count_bytes(model))


def count_bytes(model):
    return len(model) * OVERHEAD_BYTES + sum(len(body) for body in {body for body, *_ in model.values()})


def test_the_counted_memory_is_correct_after_concurrent_use():
    cache = LRUCache(MAX_BYTES)
    failures = []

    def put_and_get(seed):
        try:
            for turn in range(2000):
                number = (seed * 7919 + turn * 104_729) % 97
                put(cache, number, turn // 500, make_response(b"%d" % (number % 13) * 2_000))
                body = get_body(cache, number, turn // 500)
                assert body is None or body == b"%d" % (number % 13) * 2_000
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=put_and_get, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failures
    stored = [response for number in range(97) if (response := cache.get(number, make_version(3), NOON))]
    bodies = {response.body for response in stored}
    assert len(stored) == len(cache)
    assert cache.used_bytes == len(cache) * OVERHEAD_BYTES + sum(map(len, bodies)) <= MAX_BYTES
    # Every stored body belongs to a stored response.
    for number in range(97):
        put(cache, number, 3, make_response(b""))
    assert cache.used_bytes == len(cache) * OVERHEAD_BYTES
