"""A blog that is open to assistants, and a client that calls its tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from blogapi.mcp.protocol import CAPABILITIES_KEY, MODERN_VERSION, VERSION_KEY
from blogapi.site.models import Site
from blogapi.storage.database import db, table_of
from blogapi.web.access import Role
from tests.conftest import People

META = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}}


def open_door(app: Flask) -> None:
    """Let assistants call the blog."""
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(update(table_of(Site)).values(mcp=True))


@pytest.fixture
def door(app: Flask, people: People) -> Flask:
    """The application, open to assistants."""
    open_door(app)
    return app


class Assistant:
    """A client with a key that speaks revision 2026-07-28."""

    def __init__(self, app: Flask, key: str) -> None:
        self.app, self.key = app, key

    def post(self, message: Any, **headers: str) -> TestResponse:
        """Send a message; the underscores in the names of headers become hyphens."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = message if isinstance(message, str | bytes) else json.dumps(message)
        return self.app.test_client().post("/mcp", data=data, headers=sent)

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of a method."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **params}}
        headers = {"MCP_Protocol_Version": MODERN_VERSION, "Mcp_Method": method}
        if "name" in params:
            headers["Mcp_Name"] = params["name"]
        response = self.post(message, **headers)
        assert response.status_code == 200, response.text
        return response.json.get("result") or response.json["error"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Return the result of a tool: the value in its JSON, or the text of an error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        (content,) = result["content"]
        return content["text"] if result["isError"] else json.loads(content["text"])

    def list_tools(self) -> list[str]:
        """Return the names of the tools."""
        return [tool["name"] for tool in self.ask("tools/list")["tools"]]


@pytest.fixture
def make_assistant(door: Flask, as_role: Callable[..., Any]) -> Callable[..., Assistant]:
    """Return a function that returns an assistant with the key of a user."""

    def make(role: Role = Role.ADMIN, scope: str = "write", **options: Any) -> Assistant:
        key = as_role(role, scope, **options).key
        assert key is not None
        return Assistant(door, key)

    return make


@pytest.fixture
def assistant(make_assistant: Callable[..., Assistant]) -> Assistant:
    """An assistant with the `write` key of an admin."""
    return make_assistant()
