"""The interactive page: complete, offline, and working in a browser."""

from __future__ import annotations

import ast
import mimetypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import blogapi
from blogapi.docs.pages import ASSETS, TYPES
from tests.contracts.client import outcome
from tests.live import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def wrong_registry():
    """Types of files as a Windows registry may have them."""
    for suffix in (*TYPES, ".html", ".json"):
        mimetypes.add_type("text/plain", suffix)
    yield
    mimetypes.init()


def test_the_page_loads_its_own_parts_only(as_stranger):
    page = as_stranger.get("/docs/").get_data(as_text=True)
    parts = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert parts and all(part.startswith(("/docs/", "/openapi.json")) for part in parts)
    assert "<script>" not in page and "onload" not in page


@pytest.mark.parametrize("name", ASSETS)
def test_every_part_is_there_with_its_own_type(as_stranger, wrong_registry, name):
    answer = as_stranger.get(f"/docs/{name}")
    assert answer.status_code == 200 and answer.data
    kinds = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "png": "image/png"}
    assert answer.headers["Content-Type"] == kinds[name.rpartition(".")[2]]


def test_every_static_file_has_a_known_type():
    static = [path for path in Path(blogapi.__file__).parent.rglob("static/**/*") if path.is_file()]
    assert {path.suffix for path in static} <= {*TYPES, ".html"}


def test_no_module_asks_the_machine_for_types():
    guessing = {"mimetypes", "send_file", "send_from_directory", "guess_type"}
    for path in Path(blogapi.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                assert not names & guessing, path


def test_the_page_may_run_nothing_else(as_stranger):
    policy = as_stranger.get("/docs/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy


@pytest.mark.parametrize("name", ["secret.txt", "..%2f..%2fdocument.py", "index.html"])
def test_nothing_else_is_served(as_stranger, name):
    assert outcome(as_stranger.get(f"/docs/{name}")) == (404, "not_found")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_every_operation(app, tmp_path, wrong_registry):
    with running(app) as port:
        page = subprocess.run(
            [
                *(
                    CHROMIUM,
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-quic",
                    "--no-first-run",
                ),
                *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
                *(f"--user-data-dir={tmp_path}", "--virtual-time-budget=10000", "--dump-dom"),
                f"http://127.0.0.1:{port}/docs/",
            ],
            capture_output=True,
            timeout=60,
            check=True,
            encoding="utf-8",
        ).stdout
    for path in ("/api/v1/auth/api-key/", "/api/v1/blog/articles/author/me/"):
        assert path.replace("/", "/\u200b") in page or path in page
