"""A scrape of a running server, and promtool."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.live_server import start_server
from tests.web.metrics.scrape import PROCESS_METRICS


@pytest.fixture
def scraped(app: Flask, as_reading_admin: Any) -> str:
    """The text of a scrape of a running server."""
    with start_server(app):
        response = as_reading_admin.get("/metrics")
    assert response.status_code == 200
    return str(response.text)


@pytest.fixture
def names(scraped: str) -> set[str]:
    """The names of all metrics, without the names of the samples of a histogram."""
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", scraped, re.MULTILINE))
    assert types["blogapi_request_seconds"] == "histogram"
    return {*types} | PROCESS_METRICS


@pytest.fixture
def run_promtool() -> Callable[..., str]:
    """Returns a function that runs promtool, which must succeed."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed")

    def run(*arguments: str, text: str | None = None) -> str:
        done = subprocess.run([program, *arguments], input=text, capture_output=True, encoding="utf-8")
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done.stdout

    return run
