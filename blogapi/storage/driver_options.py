"""The options of the database driver in `DATABASE_URL`, such as `?prepare_threshold=0`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL

from blogapi.config import CannotStart


def get_typed_options(url: URL) -> dict[str, Any]:
    """Return the options that psycopg does not accept as text, as Python values.

    Raises CannotStart if a value is invalid.
    """
    value = url.query.get("prepare_threshold")
    if value is None or not url.drivername.startswith("postgresql"):
        return {}
    if str(value).lower() == "none":
        return {"prepare_threshold": None}
    if not (isinstance(value, str) and value.isdecimal()):
        raise CannotStart("In DATABASE_URL, prepare_threshold must be a number or none.")
    return {"prepare_threshold": int(value)}
