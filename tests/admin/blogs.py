"""Blogs that are served for a browser, and clients of their API that have a login."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogapi import authentication, config, create_app
from blogapi.accounts.users import queries as user_queries
from blogapi.accounts.users import service as users
from blogapi.admin import assets
from blogapi.storage.database import db
from blogapi.web.access import Role
from tests.live_server import serve

API = "/api/v1/"
USERS = {"ida": Role.ADMIN, "marit": Role.ADMIN, "tomas": Role.READER}
PASSWORD = "three-strand rope"


class Client:
    """A client of the API that has the login of a user. Paths are below /api/v1/; it returns JSON."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client

    def get(self, path: str, **options: Any) -> Any:
        """Return the JSON of a GET request."""
        return self.send("GET", path, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> Any:
        """Return the JSON of a POST request."""
        return self.send("POST", path, json=json, **options)

    def put(self, path: str, json: Any = None, **options: Any) -> Any:
        """Return the JSON of a PUT request."""
        return self.send("PUT", path, json=json, **options)

    def patch(self, path: str, json: Any = None, **options: Any) -> Any:
        """Return the JSON of a PATCH request."""
        return self.send("PATCH", path, json=json, **options)

    def delete(self, path: str, **options: Any) -> Any:
        """Return the JSON of a DELETE request; None if the answer has no body."""
        return self.send("DELETE", path, **options)

    def send(self, method: str, path: str, **options: Any) -> Any:
        """Send a request that must succeed."""
        response = self._client.open(f"{API}{path}", method=method, **options)
        assert response.status_code < 400, response.get_data(as_text=True)
        return response.json if response.data else None


@dataclass
class Blog:
    """A served blog with the users of USERS, who all have the password PASSWORD."""

    app: Flask
    origin: str

    def log_in(self, name: str = "ida") -> str:
        """Return the session cookie of a new login of the user."""
        with self.app.app_context():
            token = users.start_login(user_queries.get_user_by_name(name), lifetime=timedelta(days=1))
        serializer = authentication.SessionInterface().get_signing_serializer(self.app)
        assert serializer is not None
        return str(serializer.dumps({"token": token}))

    def client(self, name: str = "ida") -> Client:
        """Return a client of the API with a login of the user."""
        client = self.app.test_client()
        client.set_cookie(authentication.SESSION_COOKIE, self.log_in(name))
        return Client(client)


def create_users(app: Flask) -> None:
    """Create the users of USERS."""
    with app.app_context():
        for name, role in USERS.items():
            users.create_user(name, PASSWORD, role=role)


@contextmanager
def open_app(folder: Path, **settings: Any) -> Iterator[Flask]:
    """Create the application of an instance folder, and close its connections at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(config.INSTANCE_PATH_VARIABLE, str(folder))
        app = create_app({"SECRET_KEY": "x" * 32} | settings)
    try:
        yield app
    finally:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


@contextmanager
def serve_blog(folder: Path, **settings: Any) -> Iterator[Blog]:
    """Serve the blog of an instance folder."""
    with open_app(folder, **settings) as app, serve(app) as port:
        yield Blog(app, f"http://127.0.0.1:{port}")


SOURCE = assets.STATIC_FOLDER.with_name("source")


@contextmanager
def serve_modules(**replaced: bytes) -> Iterator[None]:
    """Serve the modules of the bundles, too, below `source/` of the assets, and those that they import.

    `replaced` are other contents of modules, by their names; pages are modules instead of a bundle then, so
    use it before a browser keeps the bundle.
    """
    modules = {f"source/{path.relative_to(SOURCE).as_posix()}": path for path in SOURCE.rglob("*.js")}
    modules |= {f"static/vendor/{path.name}": path for path in (assets.STATIC_FOLDER / "vendor").glob("*.js")}
    files = {name: path.read_bytes() for name, path in modules.items()}
    files |= {f"source/{name}": content for name, content in replaced.items()}
    if replaced:
        files["pages.js"] = b"import(`./source/pages/${document.body.dataset.module}.js`);"
    with pytest.MonkeyPatch.context() as patch:
        assets.get_digest()
        for name, content in files.items():
            patch.setitem(assets.read_files(), name, content)
        assets.compress_file.cache_clear()
        yield
    assets.compress_file.cache_clear()
