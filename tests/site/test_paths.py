"""The paths of pages as they are stored and compared."""

from __future__ import annotations

import pytest

from blogapi.site.paths import MAX_PATH_BYTES, extract_former_path, extract_path, is_same_address, strip_slash


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://blog.example/2009/a%20b/", "/2009/a b/"),
        ("/2009/%E9%9D%A2", "/2009/面"),
        ("https://blog.example", None),
        ("https://[blog.example/a", None),
        ("/?p=12", None),
        ("/a#b", None),
        ("/a//b", None),
        ("/a/%2e%2e/b", None),
        ("/a%00", None),
    ],
)
def test_the_path_of_an_address(address, path):
    assert extract_path(address) == path


def test_the_first_page_and_long_paths_are_not_stored():
    assert extract_former_path("https://blog.example/") is None
    assert extract_former_path(f"/{'a' * (MAX_PATH_BYTES - 1)}") == f"/{'a' * (MAX_PATH_BYTES - 1)}"
    assert extract_former_path(f"/{'a' * MAX_PATH_BYTES}") is None


def test_a_slash_at_the_end_is_ignored():
    assert (strip_slash("/a/"), strip_slash("/")) == ("/a", "/")


URL = "https://blog.example/a%20b/caf%C3%A9/"


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("https://blog.example/a%20b/caf%c3%a9", True),
        ("https://blog.example/a b/café/", True),
        ("https://BLOG.example:443/a%20b/caf%C3%A9/", True),
        ("https://blog.example./a%20b/caf%C3%A9/", True),
        ("http://blog.example/a%20b/caf%C3%A9/", True),
        ("https://blog.example:8443/a%20b/caf%C3%A9/", False),
        ("https://blog.example/A%20b/caf%C3%A9/", False),
        ("https://blog.example/a+b/caf%C3%A9/", False),
        ("https://blog.example/a%20b/caf%C3%A9/?page=2", False),
        ("https://other.example/a%20b/caf%C3%A9/", False),
        ("https://[blog.example/a%20b/caf%C3%A9/", False),
    ],
)
def test_addresses_are_compared_apart_from_their_spelling(other, is_same):
    assert is_same_address(URL, other) == is_same_address(other, URL) == is_same
