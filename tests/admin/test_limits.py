"""The admin pages stay small: what they load first, and their own code."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import blogapi
from blogapi import authentication
from tests.admin.blogs import SOURCE
from tests.admin.browsing import wait_for_page

pytestmark = pytest.mark.sqlite("the pages use the API alone")

ADMIN = Path(blogapi.__file__).parent / "admin"
MAX_LIST_BYTES = 105_000
MAX_EDITOR_BYTES = 200_000
MAX_FILES = 12
MAX_LINES_OF_MODULES = 9_165
MAX_LINES_OF_PYTHON = 500
MAX_LINE_LENGTH = 120
COMMENT = re.compile(r"^ */\*(?:(?!\*/).)*\*/$", re.MULTILINE | re.DOTALL)


def list_modules():
    return list(SOURCE.rglob("*.js"))


def list_lines_of_code(path):
    """Return the lines of a module without comments and blank lines."""
    code = COMMENT.sub("", path.read_text(encoding="utf-8"))
    return [line for line in map(str.strip, code.splitlines()) if line and not line.startswith("//")]


def test_the_own_code_of_the_pages_is_small():
    """Lines of code are counted: without comments and blank lines in modules."""
    assert sum(len(list_lines_of_code(path)) for path in list_modules()) <= MAX_LINES_OF_MODULES
    python = [path.read_text(encoding="utf-8") for path in ADMIN.rglob("*.py")]
    assert sum(len(text.splitlines()) for text in python) <= MAX_LINES_OF_PYTHON


def test_lines_of_modules_are_short():
    long_lines = [
        f"{path.relative_to(SOURCE).as_posix()}:{number}"
        for path in list_modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MAX_LINE_LENGTH
    ]
    assert long_lines == []


@pytest.mark.parametrize(
    ("path", "ready", "limit"),
    [
        ("/admin/articles/", "document.querySelector('main')", MAX_LIST_BYTES),
        ("/admin/articles/{article}/", "document.querySelector('.cm-content')", MAX_EDITOR_BYTES),
    ],
)
def test_the_first_load_is_small(blog, api, open_admin, path, ready, limit):
    text = {"title": f"Tide {limit}", "content": "The *tide*.", "content_type": "markdown"}
    page = open_admin(path.format(article=api.post("blog/articles/", text)["uuid"]))
    wait_for_page(page, ready)
    loaded = page.evaluate(
        "[location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]"
    )
    client = blog.app.test_client()
    client.set_cookie(authentication.SESSION_COOKIE, blog.log_in())
    paths = {url.removeprefix(open_admin.origin).partition("#")[0] for url in loaded}
    sizes = {path: len(gzip.compress(client.get(path).data, 9)) for path in paths}
    assert any(path.endswith("/vendor/lit.js") for path in paths)
    assert any(path.startswith("/api/") for path in paths)
    files = [path for path in paths if not path.startswith("/api/")]
    assert len(files) <= MAX_FILES, files
    assert sum(sizes.values()) <= limit, sizes
