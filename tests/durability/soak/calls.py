"""The calls that a webhook must make: the public events of the blog, and the calls that were accepted."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import create_engine, select

from blogapi.publication.models import ChangeType, Event
from tests.benchmarks import databases
from tests.benchmarks.blogs import Blog
from tests.benchmarks.databases import SQLITE
from tests.delivery.webhooks.receiver import Call
from tests.durability.soak.samples import DATABASE_FILE

# After two failed calls, a webhook waits for five minutes.
DRAIN_SECONDS = 420


def wait_for_calls(blog: Blog, begin: int, accepted: Sequence[str]) -> list[str]:
    """Wait until the receiver has accepted the last event; return the ids of all calls."""
    expected = [name for _, name in read_events(blog, begin)]
    deadline = time.monotonic() + DRAIN_SECONDS
    while expected and expected[-1] not in accepted and time.monotonic() < deadline:
        time.sleep(1)
    return expected


def read_events(blog: Blog, begin: int) -> list[tuple[int, str]]:
    """Return the position and the id of the call of each public event after a position, in order."""
    url = (
        f"sqlite:///{blog.folder / DATABASE_FILE}"
        if blog.engine == SQLITE
        else databases.read_url(blog.folder)
    )
    is_reported = (
        Event.position > begin,
        Event.public_position.is_not(None),
        Event.change != ChangeType.RENDERED,
    )
    engine = create_engine(url)
    columns = (Event.position, Event.tag, Event.public_position)
    try:
        with engine.connect() as connection:
            rows = connection.execute(select(*columns).where(*is_reported).order_by(Event.position)).all()
    finally:
        engine.dispose()
    return [(position, f"msg_{tag}_{public}") for position, tag, public in rows]


def get_id(call: Call) -> str:
    """Return the id of the message, which is the same if the call is repeated."""
    return call.headers["webhook-id"]
