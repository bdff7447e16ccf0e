"""A public blog, and the credentials of requests to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import People
from tests.delivery.response_cache.cached_blog import create_deleted_key
from tests.live_server import serve


@pytest.fixture
def app(make_app: Callable[..., Any]) -> Any:
    """The application with the setting PUBLIC_READS."""
    return make_app(PUBLIC_READS=True)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a short path, because that of a socket has at most 107 bytes."""
    return tmp_path_factory.mktemp("c")


@pytest.fixture
def port(app: Any) -> Iterator[int]:
    """The port of the blog."""
    with serve(app) as found:
        yield found


@pytest.fixture
def deleted_key(app: Any) -> str:
    """The value of a key that was deleted."""
    return create_deleted_key(app)


@pytest.fixture
def admin_cookie(people: People, log_in: Callable[..., Any]) -> str:
    """The Cookie header of an admin who is logged in."""
    return f"blogapi_session={log_in(people.admin).get_cookie('blogapi_session').value}"
