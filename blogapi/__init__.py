"""blogapi: a self-hosted headless blog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask

from blogapi.core import config

__version__ = "0.1.0"


def create_app(settings: Mapping[str, Any] | None = None) -> Flask:
    """Return the application, its database ready for use.

    `settings` wins over every other source; Flask's usual names work in it beside our own. Raises
    CannotStart, with a sentence on what to do, where it cannot run.
    """
    from blogapi import hooks, registry, replay, throttle
    from blogapi.api_keys import service as api_keys
    from blogapi.articles import rendering
    from blogapi.backups import staging
    from blogapi.core import changes, database, errors, figures, limits, log, pieces
    from blogapi.metrics import queries as metrics

    app = Flask(__name__, instance_path=config.instance_path(), static_folder=None)
    config.load(app, settings)
    figures.init_app(app)
    errors.init_app(app)
    hooks.init_app(app)
    registry.init_app(app, version=__version__)
    limits.init_app(app)
    database.init_app(app)
    staging.init_app(app)
    changes.init_app()
    pieces.init_app()
    rendering.init_app(app)
    replay.init_app(app)
    throttle.init_app(app)
    log.init_app(app)
    metrics.init_app(app)
    with app.app_context():
        api_keys.sweep()
    return app
