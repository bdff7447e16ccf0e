"""The time zones of the IANA database."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import tzdata


@cache
def list_time_zones() -> frozenset[str]:
    """Return the names of all time zones.

    They come from the package tzdata, so that every machine has the same names. `zoneinfo` also lists files
    of the operating system, such as `localtime`.
    """
    names = resources.files(tzdata).joinpath("zones").read_text(encoding="utf-8")
    return frozenset(names.split())


def to_time_zone(time: datetime, name: str) -> datetime:
    """Return the time (aware) in the time zone with this name.

    A time within a day of the first or the last time that Python can represent is returned unchanged.
    """
    try:
        # A zone that the operating system lacks comes from the package tzdata.
        return time.astimezone(ZoneInfo(name))
    except OverflowError:
        return time
