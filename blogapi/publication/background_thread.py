"""The background thread of a server: writes the events of due items, and runs daily tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

from flask import Flask
from sqlalchemy import delete, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import InstrumentedAttribute

from blogapi import clock
from blogapi.publication import event_writer
from blogapi.publication.models import Event
from blogapi.storage.database import CommitCounter, current_time, db, transaction
from blogapi.storage.version_check import NewerSchema

# The seconds between two checks for due items, and the maximum seconds that a stopping server waits.
CHECK_SECONDS, STOP_SECONDS = 1.0, 5.0
# The time until the next check after an unexpected error, which the log then does not repeat each second.
_ERROR_PAUSE_SECONDS = 300.0

# The time for which an event is kept after a newer event of the same item. A request with the cursor of a
# deleted event is refused.
EVENT_LIFETIME = timedelta(days=30)
_DAY_SECONDS = 86_400
_EVENTS_PER_TRANSACTION = 5000


def start_background_thread(app: Flask, *daily_tasks: Callable[[], None]) -> Callable[[], None]:
    """Start the thread, which calls `daily_tasks` once a day; return the function that stops the thread."""
    stop = threading.Event()
    args = (app, stop, (delete_old_events, *daily_tasks))
    thread = threading.Thread(target=_run_tasks, args=args, name="publication", daemon=True)
    thread.start()

    def stop_thread() -> None:
        stop.set()
        thread.join(STOP_SECONDS)

    return stop_thread


def delete_old_events() -> None:
    """Delete events that were superseded more than EVENT_LIFETIME ago; keep the newest event of each item."""
    is_old = Event.superseded < current_time() - EVENT_LIFETIME
    while True:
        columns = (Event.position, Event.public_position, Event.unlisted)
        old = db.session.execute(select(*columns).where(is_old).limit(_EVENTS_PER_TRANSACTION)).all()
        if old:
            with transaction(visible=False):
                _advance_deleted_position(
                    CommitCounter.deleted_position, [row.position for row in old if row.public_position]
                )
                _advance_deleted_position(
                    CommitCounter.deleted_unlisted, [row.position for row in old if row.unlisted]
                )
                positions = [row.position for row in old]
                db.session.execute(delete(Event).where(Event.position.in_(positions)))
        if len(old) < _EVENTS_PER_TRANSACTION:
            return


def _advance_deleted_position(column: InstrumentedAttribute[int], positions: Sequence[int]) -> None:
    last = max(positions, default=0)
    db.session.execute(update(CommitCounter).where(column < last).values({column: last}))


def _run_tasks(app: Flask, stop: threading.Event, daily_tasks: Sequence[Callable[[], None]]) -> None:
    next_daily_run, pause = clock.monotonic(), CHECK_SECONDS
    while not stop.wait(pause):
        pause = CHECK_SECONDS
        try:
            with app.app_context():
                event_writer.write_due_events()
        except (SQLAlchemyError, NewerSchema):
            # The database may be unreachable for a while, or another version may have upgraded it.
            continue
        except Exception:
            app.logger.exception("the events of due items could not be written")
            pause = _ERROR_PAUSE_SECONDS
        if clock.monotonic() >= next_daily_run:
            next_daily_run = clock.monotonic() + _DAY_SECONDS
            for run_task in daily_tasks:
                _run_daily_task(app, run_task)


def _run_daily_task(app: Flask, run_task: Callable[[], None]) -> None:
    # A task that fails is called again after a day, and neither delays the other tasks nor ends the thread.
    try:
        with app.app_context():
            run_task()
    except Exception:
        app.logger.exception("a daily task failed")
