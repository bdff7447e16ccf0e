"""Fixtures for the site for readers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blogapi.reader_site import theme
from blogapi.site.theme_files import THEME_FOLDER
from tests.delivery.previews.conftest import make_link, set_site  # noqa: F401

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
URL = "https://blog.example"


@pytest.fixture
def turn_on(set_site):  # noqa: F811
    """Return a function that turns the site on, and sets other fields of it."""

    def change(**fields):
        set_site(**{"built_in": True, "url": URL, "title": "The Bread Blog"} | fields)

    return change


@pytest.fixture
def site(turn_on):
    """Turn the site on."""
    turn_on()


@pytest.fixture
def get_page(as_stranger):
    """Return a function that asks for a page as a browser does."""

    def get(path, status=200, **headers):
        response = as_stranger.get(path, headers=BROWSER | headers)
        assert response.status_code == status, response.text[:500]
        return response

    return get


@pytest.fixture
def theme_folder(app):
    """Yield the empty folder of the theme."""
    folder = Path(app.instance_path) / THEME_FOLDER
    folder.mkdir()
    yield folder
    # The next test can use the same application, which would show this theme for a second.
    shutil.rmtree(folder, ignore_errors=True)
    theme.init_app(app)
