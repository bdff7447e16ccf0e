"""Fixtures: a blog on a live server, and a static site on another port."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import queries as users
from blogapi.operations.demo import seed
from tests.browser import PageOpener
from tests.conftest import close_connections
from tests.databases import create_test_app
from tests.frontend.static_server import serve_folder
from tests.live_server import serve

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
SITE = {
    "title": "Harbour & Home",
    "description": "Bread, boats <and> radios",
    "language": "en-GB",
    "time_zone": "Europe/Berlin",
}


@dataclass(frozen=True, slots=True)
class Blog:
    """A blog on a live server, and the site that shows it: the files of a folder on another origin."""

    app: Flask
    service_url: str
    site_url: str
    folder: Path
    admin: FlaskClient

    def create_key(self) -> str:
        """Create an anonymous key, as a developer does."""
        request = urllib.request.Request(f"{self.service_url}/api/v1/auth/api-key/", method="POST")
        with urllib.request.urlopen(request) as response:
            key: str = json.load(response)["public_state"]
            return key

    def run(self, *command: str) -> None:
        """Run a command of blogapi."""
        result = self.app.test_cli_runner().invoke(args=command)
        assert result.exit_code == 0, result.output

    def import_corpus(self) -> None:
        """Import a real blog in Chinese, which is not in the repository."""
        self.run("import", str(Path(CORPUS) / "markdown-i18n" / "sofastack-zh"), "--author", "demo")

    def set_site(self, **fields: str) -> None:
        """Set fields of the site, and a navigation with one entry."""
        entries = (f"{name}={value}" for name, value in (SITE | fields).items())
        self.run("site", "set", *entries, "--navigation", f"Start={self.site_url}/")


@contextmanager
def open_blog(folder: Path) -> Iterator[Blog]:
    """Serve the sample blog, and the folder `site` on another port; the blog allows the site's origin."""
    site = folder / "site"
    site.mkdir()
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("BLOGAPI_INSTANCE_PATH", str(folder))
        site_url = stack.enter_context(serve_folder(site))
        app = create_test_app(f"sqlite:///{folder / 'blog.db'}", CORS_ORIGINS=(site_url,))
        stack.callback(close_connections, app)
        with app.app_context():
            assert seed.fill_empty_blog() > 0
            demo = users.get_user_by_name(seed.AUTHOR_NAME).uuid
            key = api_keys.issue_key(demo, "write").value
        admin = app.test_client()
        admin.environ_base["HTTP_X_API_KEY"] = key
        port = stack.enter_context(serve(app))
        blog = Blog(app, f"http://127.0.0.1:{port}", site_url, site, admin)
        blog.set_site(url=site_url, service_url=blog.service_url)
        yield blog


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Blog]:
    """The sample blog of this module."""
    with open_blog(tmp_path_factory.mktemp("blog")) as opened:
        yield opened


@pytest.fixture
def open_site(browser: Any, blog: Blog) -> Iterator[PageOpener]:
    """A function that opens a path of the site in Chromium; the test fails if a page has a fault."""
    opener = PageOpener(browser, blog.site_url, other_origins=[blog.service_url])
    yield opener
    opener.close()
    assert opener.faults == []
