"""The progress of an upgrade: which reports are logged."""

from __future__ import annotations

from blogapi.storage import upgrade_progress


def test_each_tenth_of_a_step_is_logged_once(caplog):
    for done in (0, 30, 90, 110, 150, 400, 1000):
        upgrade_progress.report_progress("a step of the test", done, 1000)
    upgrade_progress.report_progress("an empty step of the test", 0, 0)
    assert [message.removeprefix("upgrade: a step of the test: ") for message in caplog.messages] == [
        *("0 of 1000", "110 of 1000", "400 of 1000", "1000 of 1000"),
        "upgrade: an empty step of the test: 0 of 0",
    ]
    assert {record.levelname for record in caplog.records} == {"INFO"}
