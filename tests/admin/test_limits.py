"""The admin pages stay small: what they load first, and their own code."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import blogapi
from blogapi.admin import assets
from tests.admin.browsing import wait_for_page

pytestmark = pytest.mark.sqlite("the pages use the API alone")

ADMIN = Path(blogapi.__file__).parent / "admin"
MAX_LIST_BYTES = 100_000
MAX_EDITOR_BYTES = 300_000
MAX_MODULE_LINES = 3_000
MAX_PYTHON_LINES = 500
MAX_LINE_LENGTH = 110


def count_lines(paths):
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def list_modules():
    return [path for path in assets.STATIC.rglob("*.js") if "vendor" not in path.parts]


def test_the_own_code_of_the_pages_is_small():
    assert count_lines(list_modules()) <= MAX_MODULE_LINES
    assert count_lines(ADMIN.rglob("*.py")) <= MAX_PYTHON_LINES


@pytest.mark.parametrize("path", list_modules(), ids=lambda path: path.relative_to(assets.STATIC).as_posix())
def test_lines_of_modules_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > MAX_LINE_LENGTH] == []


@pytest.mark.parametrize(
    ("path", "ready", "limit"),
    [
        ("/admin/articles/", "document.querySelector('main')", MAX_LIST_BYTES),
        ("/admin/articles/{article}/", "document.querySelector('.cm-content')", MAX_EDITOR_BYTES),
    ],
)
def test_the_first_load_is_small(api, open_admin, path, ready, limit):
    article = api.post(
        "blog/articles/", {"title": f"Tide {limit}", "content": "The *tide*.", "content_type": "markdown"}
    )
    responses = []
    page = open_admin("/docs/")
    page.on("response", responses.append)
    page.goto(path.format(article=article["uuid"]))
    wait_for_page(page, ready)
    sizes = {
        response.url.removeprefix(open_admin.origin): len(gzip.compress(response.body(), 9))
        for response in responses
        if response.status == 200
    }
    assert any(name.endswith("/vendor/lit.js") for name in sizes)
    assert sum(sizes.values()) <= limit, sizes
