"""The version of the renderer changes with what it stores."""

from __future__ import annotations

import ast
import json
from importlib.metadata import packages_distributions, version
from pathlib import Path

import blogapi
from blogapi.content.articles.renderer_version import LIBRARIES, RENDERER_NUMBER, get_renderer_version
from tests.content.articles.golden_rendering import EXPECTED, render_articles

PACKAGES = ("content/articles", "rendering", "content/search", "web")
# These libraries do not change what is stored.
ENGINES = {"click", "flask", "flask-smorest", "prometheus_client", "sqlalchemy", "webargs", "werkzeug"}


def test_other_renderings_have_another_number():
    """After a change, increase RENDERER_NUMBER; run `python -m tests.content.articles.golden_rendering`."""
    expected, found = json.loads(EXPECTED.read_text(encoding="utf-8")), render_articles()
    assert expected["number"] == RENDERER_NUMBER
    assert found == expected


def test_the_version_names_the_libraries_that_render():
    folder = Path(blogapi.__file__).parent
    names = {
        name.split(".")[0]
        for package in PACKAGES
        for path in (folder / package).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
    }
    distributions = packages_distributions()
    used = {distributions[name][0].lower() for name in names if name in distributions}
    assert used - ENGINES - {"blogapi"} <= set(LIBRARIES)
    assert get_renderer_version().split(" ")[1:] == [f"{name}={version(name)}" for name in LIBRARIES]
