"""The pauses between the transactions of an import."""

from __future__ import annotations

import time

import pytest

from blogapi import clock
from blogapi.storage.database import db
from blogapi.transfer.imports.write_turns import WriteTurns


@pytest.mark.parametrize(
    ("duration", "between", "pause"), [(0.05, 0, 0), (1, 0, 0.12), (1, 0.1, 0.02), (1, 1, 0)]
)
def test_other_programs_can_write_after_a_long_transaction(app, monkeypatch, duration, between, pause):
    now, pauses = [100.0], [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", pauses.append)
    with app.app_context():
        turns = WriteTurns()
        with turns.open_transaction():
            now[0] += duration
        now[0] += between
        with turns.open_transaction():
            pass
        assert sum(pauses) == pytest.approx(pause if db.engine.dialect.name == "sqlite" else 0)
