"""A fixture that imports a blog of one article."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def source_folder(tmp_path):
    """The folder of the folder `blog`, which `blog` imports."""
    return tmp_path


@pytest.fixture
def blog(app, people, source_folder):
    """A function that writes a file and imports its folder with options; it returns the report."""

    def run(name, text, *options, status=0):
        path = source_folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        words = ["import", str(source_folder / "blog"), "--author", "ada", "--json", *options]
        result = app.test_cli_runner().invoke(args=words)
        assert result.exit_code == status, result.output
        return json.loads(result.stdout)

    return run
