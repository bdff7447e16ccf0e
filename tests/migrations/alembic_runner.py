"""Run Alembic up to a given migration."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

from blogapi.storage import migration_names


def migrate_to(engine: Engine, last: str) -> None:
    """Run the migrations up to `last` on an empty database."""
    settings = Config()
    settings.set_main_option("script_location", str(migration_names.MIGRATIONS_FOLDER).replace("%", "%%"))
    with engine.begin() as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, last)
