"""Each part of the benchmark measures a tiny blog, so that no part rots; no time is judged."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("psutil", reason="psutil is not installed")

from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import drafts, large, load, media, nginx, pictures, recorded_responses, webhooks
from tests.benchmarks.framework import SERVER_NAME
from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import MeasurementError, free_port, run_server
from tests.databases import SERVER_URL

TINY = {
    **{"rounds": 1, "seconds": 0.5, "sizes": (200,), "samples": 2, "articles": 200, "writes": 4},
    **{"uploads": 1, "files": 60, "imports": 2, "starts": 1},
}
# The titles of the tables of each part.
TABLES = {
    "hot": ["Hot reads"],
    "cold": ["First reads after a write"],
    "writes": ["Writes"],
    "size": ["Size, "],
    "large": ["A large blog", "Searches in 200 articles"],
    "media": ["The media library"],
    "start": ["Start"],
    "webhooks": ["Webhooks"],
    "postgresql": ["Hot reads, on", "First reads after a write", "Writes, on"],
}
ON_SQLITE = pytest.mark.sqlite("the part measures SQLite")
needs_server = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")
needs_wrk = pytest.mark.skipif(load.WRK is None, reason="wrk is not installed")
needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="Matplotlib is not installed"
)
MARKS = {"postgresql": needs_server, "size": (), "large": ()}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder with the blogs, which all tests of this module measure."""
    folder = tmp_path_factory.mktemp("benchmarks")
    yield folder
    if SERVER_URL:
        benchmarks.delete_databases(folder, SERVER_URL)


@pytest.fixture
def measure(home, tmp_path, monkeypatch):
    """Return a function that measures parts, and returns the result and the written document."""
    monkeypatch.setattr(benchmarks, "QUICK", TINY)
    monkeypatch.setattr(drafts, "FIRST_SECONDS", 0.05)
    monkeypatch.setattr(webhooks, "PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(webhooks, "SCHEDULE_SECONDS", 1.0)
    monkeypatch.setattr(pictures, "SIZE", (1200, 900))
    for module in (large, media):
        monkeypatch.setattr(module, "BASELINE_SECONDS", 0.2)

    def measure(*words):
        file = tmp_path / "results.json"
        options = ["--quick", "--keep", str(home), "--json", str(file), "--markdown"]
        result = CliRunner().invoke(benchmarks.measure, [*words, *options, "--no-wrk"])
        return result, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    return measure


def test_each_part_has_its_tables():
    assert TABLES.keys() == benchmarks.PARTS.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [pytest.param(name, marks=MARKS.get(name, ON_SQLITE)) for name in benchmarks.PARTS]
)
def test_each_part_can_be_measured(measure, part):
    result, document = measure(part)
    assert result.exit_code == 0, result.output
    rows = document["parts"][part]
    assert rows and [row for row in rows if row.get("problem")] == []
    for title in TABLES[part]:
        assert f"**{title}" in result.stdout
    assert "invalid" not in result.stdout
    if part == "hot" and nginx.PROGRAM:
        assert {row["server"] for row in rows} >= {"blogapi", "bare waitress", "minimal Flask", "nginx"}
    if part == "webhooks":
        (due,) = [row["value"] for row in rows if row["name"].startswith("from the time of a scheduled")]
        assert due >= 0, "an earlier call was measured"


@pytest.mark.slow
@pytest.mark.parametrize("wrk", [False, pytest.param(True, marks=needs_wrk)])
def test_a_load_counts_responses_and_errors(tmp_path, wrk):
    """wrk and the client in Python read from a server that has one response."""
    port, file = free_port(), tmp_path / "responses.json"
    recorded_responses.save(file, {"/known": Response(200, [("Content-Type", "text/plain")], b"words")})
    command = [sys.executable, "-m", "tests.benchmarks.bare", str(file), str(port), "2"]
    with run_server("bare", command, port, tmp_path, "/known", ""):
        known, unknown = (load.generate_load(port, path, "", 0.5, wrk=wrk) for path in ("/known", "/unknown"))
    assert known.requests > 10 and known.errors == 0 and 0 < known.p50_ms <= known.p99_ms
    assert unknown.errors > 0


@pytest.mark.slow
@ON_SQLITE
def test_django_rest_framework_is_measured_beside(measure):
    result, document = measure("writes", "--drf")
    notes = " ".join(document["notes"] if document else [])
    if "No matching distribution" in notes or "ConnectionError" in notes or "timed out" in notes:
        pytest.skip(f"the package registry cannot be reached: {notes}")
    assert result.exit_code == 0, result.output
    assert {row["server"] for row in document["parts"]["writes"]} == {"blogapi", SERVER_NAME}, notes


@pytest.mark.slow
@needs_matplotlib
@ON_SQLITE
def test_a_chart_is_drawn(measure, tmp_path):
    result, _ = measure("cold", "--sizes", "150,200", "--plot", str(tmp_path / "chart.svg"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<?xml")


# What fails


@dataclass(frozen=True)
class Row:
    """A row of a part that replaces the others."""

    problem: str


class Part:
    """A part that measures nothing, and has a row with a problem or an error."""

    def __init__(self, problem="", error=""):
        self.problem, self.error = problem, error

    def run(self, plan):
        if self.error:
            raise MeasurementError(self.error)
        return [Row(self.problem)]

    def make_tables(self, rows):
        return []


@pytest.mark.parametrize(
    ("part", "status", "says"),
    [
        (Part(), 0, ""),
        (Part(problem="answered 400"), 1, "Invalid: webhooks: Row(problem='answered 400'): answered 400."),
        (Part(error="doctor failed"), 1, "webhooks: not measured: doctor failed"),
    ],
)
def test_a_part_that_measures_an_error_fails(measure, monkeypatch, part, status, says):
    monkeypatch.setitem(benchmarks.PARTS, "webhooks", part)
    monkeypatch.delenv("BLOGAPI_TEST_DATABASE_URL", raising=False)
    result, _ = measure("webhooks")
    assert (result.exit_code, says in result.output) == (status, True), result.output


MODULES = sorted(path.stem for path in Path(benchmarks.__file__).parent.glob("[a-z]*.py"))
# They need packages that the tests do not.
OTHERS = {"plot": "matplotlib"}


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("test_")])
def test_each_module_can_be_imported(name):
    if name in OTHERS and importlib.util.find_spec(OTHERS[name]) is None:
        pytest.skip("Matplotlib is not installed")
    assert importlib.import_module(f"tests.benchmarks.{name}")
