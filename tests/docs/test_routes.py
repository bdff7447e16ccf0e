"""The interactive page is complete, needs no network, and works in a browser."""

from __future__ import annotations

import ast
import mimetypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import blogapi
from blogapi.docs.routes import ASSETS, CONTENT_TYPES
from tests.contracts.client import outcome
from tests.live_server import serve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def wrong_mime_types():
    """Map all suffixes to text/plain, as the registry of a Windows machine can do."""
    for suffix in (*CONTENT_TYPES, ".html", ".json"):
        mimetypes.add_type("text/plain", suffix)
    yield
    mimetypes.init()


def test_the_page_loads_only_its_own_assets(as_stranger):
    page = as_stranger.get("/docs/").get_data(as_text=True)
    urls = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert urls and all(url.startswith(("/docs/", "/openapi.json")) for url in urls)
    assert "<script>" not in page and "onload" not in page


@pytest.mark.parametrize("name", ASSETS)
def test_every_asset_is_served_with_its_content_type(as_stranger, wrong_mime_types, name):
    response = as_stranger.get(f"/docs/{name}")
    assert response.status_code == 200 and response.data
    content_types = {
        "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "png": "image/png",
    }
    assert response.headers["Content-Type"] == content_types[name.rpartition(".")[2]]


def test_every_static_file_has_a_known_content_type():
    static = [path for path in Path(blogapi.__file__).parent.rglob("static/**/*") if path.is_file()]
    assert {path.suffix for path in static} <= {*CONTENT_TYPES, ".html"}


def test_no_module_uses_the_content_types_of_the_operating_system():
    forbidden = {"mimetypes", "send_file", "send_from_directory", "guess_type"}
    for path in Path(blogapi.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                assert not names & forbidden, path


def test_the_content_security_policy_allows_only_scripts_of_the_service(as_stranger):
    policy = as_stranger.get("/docs/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy


@pytest.mark.parametrize("name", ["secret.txt", "..%2f..%2fdocument.py", "index.html"])
def test_a_path_that_is_not_an_asset_gets_a_404(as_stranger, name):
    assert outcome(as_stranger.get(f"/docs/{name}")) == (404, "not_found")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_every_operation(app, tmp_path, wrong_mime_types):
    with serve(app) as port:
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
