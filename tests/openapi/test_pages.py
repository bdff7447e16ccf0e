"""The interactive page: complete, offline, and working in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from blogapi.openapi.pages import ASSETS
from tests.live import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def test_the_page_loads_its_own_parts_only(as_stranger):
    page = as_stranger.get("/docs/").get_data(as_text=True)
    parts = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert parts and all(part.startswith(("/docs/", "/openapi.json")) for part in parts)
    assert "<script>" not in page and "onload" not in page


@pytest.mark.parametrize("name", ASSETS)
def test_every_part_is_there(as_stranger, name):
    answer = as_stranger.get(f"/docs/{name}")
    assert answer.status_code == 200 and answer.data


def test_the_page_may_run_nothing_else(as_stranger):
    policy = as_stranger.get("/docs/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy


@pytest.mark.parametrize("name", ["secret.txt", "..%2f..%2fdocument.py", "index.html"])
def test_nothing_else_is_served(as_stranger, name):
    assert as_stranger.get(f"/docs/{name}").status_code == 404


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_every_operation(app, tmp_path):
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
