"""The migration that moves webhooks from public positions to those among all events."""

from __future__ import annotations

from importlib import import_module

import pytest
from sqlalchemy import create_engine, event, text

from blogapi.storage import integrity
from tests.migrations.alembic_runner import migrate_to

migration = import_module("blogapi.migrations.versions.0033_unlisted_events")

# Position: public position (None: of a draft). Those of the deleted events are missing.
EVENTS = {2: None, 3: 1, 5: 2, 6: None, 9: 4, 10: None, 12: 6, 13: 7, 14: None, 15: None}
LAST = 15


@pytest.fixture
def upgrade(databases, tmp_path):
    """Return a function that upgrades a blog with EVENTS; it returns the positions, and the mark."""

    def upgrade(positions, deleted):
        engine = create_engine(databases.create_empty(tmp_path))
        if engine.dialect.name == "sqlite":
            event.listen(
                engine, "connect", lambda connection, _: integrity.define_sqlar_uncompress(connection)
            )
        migrate_to(engine, migration.down_revision)
        with engine.begin() as connection:
            for position, public in EVENTS.items():
                connection.execute(
                    text(
                        "INSERT INTO event (position, public_position, kind, uuid, what, time, tag, listed)"
                        " VALUES (:position, :public, 'tag', :uuid, 'updated', '2026-01-01', 'aa', true)"
                    ),
                    {"position": position, "public": public, "uuid": f"{position:032}"},
                )
            values = {"last": LAST, "public": 7, "deleted": deleted}
            connection.execute(
                text(
                    "UPDATE commit_counter SET position = :last, public_position = :public,"
                    " deleted_position = :deleted"
                ),
                values,
            )
            for position in positions:
                connection.execute(
                    text(
                        "INSERT INTO webhook (uuid, name, url, preset, mode, events, headers, quiet_seconds,"
                        " interval_seconds, rotation, position, failures, created) VALUES"
                        " (:uuid, 'x', 'x', 'standard', 'each', '[]', '{}', 0, 0, 1, :position, 0,"
                        " '2026-01-01')"
                    ),
                    {"uuid": f"{position:032}", "position": position},
                )
        migrate_to(engine, migration.revision)
        with engine.connect() as connection:
            rows = connection.execute(text("SELECT position FROM webhook ORDER BY uuid")).scalars().all()
            marks = connection.execute(text("SELECT deleted_position, deleted_unlisted FROM commit_counter"))
            assert connection.execute(text("SELECT count(*) FROM event WHERE unlisted")).scalar() == 0
            result = rows, tuple(marks.one())
        engine.dispose()
        return result

    return upgrade


@pytest.mark.parametrize("deleted", [0, 3, 5, 7])
def test_each_webhook_is_told_the_same_changes_and_has_the_same_gap(upgrade, deleted):
    before = range(8)
    after, (mark, unlisted) = upgrade(before, deleted)
    assert unlisted == 0
    for public, position in zip(before, after, strict=True):
        assert (position < mark) is (public < deleted), public
        waiting = [one for one, number in EVENTS.items() if number is not None and number > public]
        assert [one for one, number in EVENTS.items() if number and one > position] == waiting
    # No draft that was written before waits for a webhook that was told everything.
    assert after[-1] == LAST
