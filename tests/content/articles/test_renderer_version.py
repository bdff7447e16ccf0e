"""The version of the renderer changes with what it stores."""

from __future__ import annotations

import json
from importlib import reload

from blogapi.content.articles import renderer_version
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from tests.content.articles.golden_rendering import EXPECTED, render_articles


def test_other_renderings_have_another_number():
    """After a change, increase RENDERER_VERSION; run `python -m tests.content.articles.golden_rendering`."""
    expected, found = json.loads(EXPECTED.read_text(encoding="utf-8")), render_articles()
    assert expected["number"] == int(RENDERER_VERSION)
    assert found == expected


def test_a_wheel_and_a_checkout_with_other_libraries_have_one_version(monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.0")
    assert reload(renderer_version).RENDERER_VERSION == RENDERER_VERSION
