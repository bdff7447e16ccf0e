"""Values of which each application has its own, such as the functions that `blogapi.dependencies` sets."""

from __future__ import annotations

from typing import Generic, TypeVar

from flask import Flask, current_app

Value = TypeVar("Value")


class AppState(Generic[Value]):
    """A value in `app.extensions`, with its type."""

    def __init__(self, name: str) -> None:
        self._key = f"blogapi-{name}"

    def set(self, app: Flask, value: Value) -> None:
        """Set the value of the application."""
        app.extensions[self._key] = value

    def get(self, app: Flask | None = None) -> Value:
        """Return the value of the application, by default of the current one."""
        value: Value = (app or current_app).extensions[self._key]
        return value
