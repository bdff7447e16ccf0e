"""`create_app` assembles the application: settings, views, database and WSGI middleware."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Flask

# No alias may have the name of a subpackage of blogapi, because the alias would hide the subpackage.
from blogapi import authentication, blog_folder, blog_owner, blueprints, config
from blogapi.accounts import mail
from blogapi.accounts.api_keys import service as api_key_service
from blogapi.blueprints import build_access_matrix
from blogapi.content import dependencies
from blogapi.content.articles.writing import rerendering
from blogapi.content.media import delivery, folder, images, resized_copies, types
from blogapi.delivery.feeds import routes as feed_routes
from blogapi.delivery.response_cache import middleware as response_cache_middleware
from blogapi.mcp import routes as mcp_routes
from blogapi.operations.backups import restoring
from blogapi.reader_site import doctor_checks, theme
from blogapi.reader_site import routes as site_routes
from blogapi.site import served_paths
from blogapi.storage import database, releases
from blogapi.version import __version__
from blogapi.web import error_handlers, inner_requests, logs, media_addresses, metrics, request_environ
from blogapi.web.rate_limits import limiter
from blogapi.web.rate_limits import middleware as rate_limit_middleware


def create_app(settings: Mapping[str, Any] | None = None) -> Flask:
    """Return the application with its database ready for use.

    `settings` overrides every other source of settings; it can also contain Flask's own settings. Raises
    CannotStart if the application cannot start; the message says what to do.
    """
    app = Flask("blogapi", instance_path=str(blog_folder.find_instance()), static_folder=None)
    # Load the settings first, because all other calls read them.
    config.load_settings(app, settings)
    logs.configure_logging(app.config)
    owner = blog_owner.find_non_root_owner(Path(app.instance_path))
    if owner and not blog_owner.WARNING_SHOWN.get():
        app.logger.warning("blogapi runs as root, but %s belongs to %s", app.instance_path, owner.pw_name)
    for sentence in config.describe_removed_settings(Path(app.instance_path)):
        app.logger.warning(sentence)

    # These calls register views and functions, and create objects in memory that the calls below use. Their
    # order does not matter, with one exception: the hook of `mcp`, which returns 404 while MCP is off, runs
    # before the hook of `authentication`, which asks for a key.
    error_handlers.init_app(app)
    mcp_routes.init_app(app)
    authentication.init_app(app)
    blueprints.init_app(app, version=__version__)
    mail.init_app(app)
    types.init_app(app)
    images.init_app(app)
    resized_copies.init_app(app)
    dependencies.init_app(app)
    site_routes.init_app(app)
    doctor_checks.init_app(app)

    if not app.config["DATABASE_URL"]:
        blog_folder.refuse_lost_database(Path(app.instance_path))
    # Keep this order: after an update, the tables are upgraded, and then the articles are rendered again.
    database.init_app(app, write_events=dependencies.write_events)
    rerendering.init_app(app)
    app.config["SECRET_KEY"] = app.config["SECRET_KEY"] or config.load_secret_key(app.instance_path)
    limiter.init_app(app)

    # These calls use the database or the folders of the blog; their order does not matter.
    restoring.init_app(app)
    folder.init_app(app)
    metrics.init_app(app)
    with app.app_context():
        api_key_service.delete_expired_anonymous_keys()
        releases.record_release(build_access_matrix(app))

    # Keep this order: the WSGI middleware that is added last is the outermost. All others read the environ
    # that `request_environ` prepares. The rate limits also count requests for files and cached responses, but
    # no inner requests. The cache reads the list of routes when it is created, so it is created after the
    # routes are registered: with an empty list, it would store nothing for callers without a key.
    delivery.init_app(app)
    response_cache_middleware.init_app(app, lambda: theme.get_theme(app).generation)
    inner_requests.init_app(app)
    rate_limit_middleware.init_app(app)
    parameters = {media_addresses.MEDIA_PREFIX: (), **feed_routes.QUERY_PARAMETERS}
    request_environ.init_app(app, parameters, served_paths.find_page_parameters)
    return app
