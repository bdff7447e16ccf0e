"""Fixtures: a served blog for the tests of a module, and tabs in which a user is signed in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.admin.blogs import Blog, Client, create_users, open_app, serve_blog
from tests.admin.browsing import AdminPages
from tests.admin.writing import ARTICLES, TEXT, get_text
from tests.browser import launch_browser, wait_until


@pytest.fixture(scope="session")
def blog_with_users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The instance folder of a blog that contains only users."""
    folder = tmp_path_factory.mktemp("blog_with_users") / "instance"
    with open_app(folder) as app:
        create_users(app)
    return folder


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """The browser of this package. Starting one for each module would take a sixth of the time."""
    with launch_browser() as running:
        yield running


@pytest.fixture(scope="module")
def make_blog(
    blog_with_users: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Blog]]:
    """Return a function that serves a new blog, which contains only users, with settings."""
    with ExitStack() as running:

        def make(**settings: Any) -> Blog:
            folder = tmp_path_factory.mktemp("blog") / "instance"
            shutil.copytree(blog_with_users, folder)
            return running.enter_context(serve_blog(folder, **settings))

        yield make


@pytest.fixture(scope="module")
def blog(make_blog: Callable[..., Blog]) -> Blog:
    """The served blog of the module: Ida and Marit (admins), Tomas (a member), and what tests have added."""
    return make_blog()


@pytest.fixture(scope="module")
def api(blog: Blog) -> Client:
    """Ida's client of the API."""
    return blog.client("ida")


@pytest.fixture(scope="module")
def admin_browser(browser: Any, blog: Blog) -> Iterator[AdminPages]:
    """The browser profiles of the module, which keep the files of the pages."""
    pages = AdminPages(browser, blog)
    yield pages
    pages.close()


@pytest.fixture
def open_admin(admin_browser: AdminPages) -> Iterator[AdminPages]:
    """A function that opens a page in a new tab, signed in as Ida; the test fails if a page has a fault."""
    admin_browser.faults.clear()
    yield admin_browser
    admin_browser.close_tabs()
    assert admin_browser.faults == []


@pytest.fixture
def make(api: Client) -> Callable[..., str]:
    """Return a function that creates an article and returns its path."""

    def create(title: str, **fields: Any) -> str:
        article = {"title": title, "content": TEXT, "content_type": "markdown", **fields}
        return f"{ARTICLES}{api.post(ARTICLES, article)['uuid']}/"

    return create


@pytest.fixture
def write(open_admin: AdminPages) -> Callable[..., Any]:
    """Return a function that opens the editor of an article."""

    def open_editor(path: str, **options: Any) -> Any:
        page = open_admin(f"/admin/articles/{path.split('/')[2]}/", **options)
        get_text(page).wait_for()
        wait_until(page, "document.querySelector('.cm-content') !== null")
        return page

    return open_editor
