"""blogapi: a self-hosted headless blog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from blogapi.version import __version__

if TYPE_CHECKING:
    from flask import Flask

__all__ = ["__version__", "create_app"]


def create_app(settings: Mapping[str, Any] | None = None) -> Flask:
    """Return the application with its database ready for use; see `application.create_app`."""
    # Imported here, because the imports take about a second, and commands such as `--help` do not need them.
    from blogapi import application, commands

    app = application.create_app(settings)
    app.cli = commands.CommandGroup()
    return app
