"""The soak runs for a minute, so that it does not rot; its verdicts find what they shall find."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("psutil", reason="psutil is not installed")

from blogapi.storage.postgresql_dumps import find_missing_program
from tests.databases import SERVER_URL
from tests.durability.soak import __main__ as soak
from tests.durability.soak import verdicts
from tests.durability.soak.client import Record
from tests.durability.soak.samples import Sample
from tests.durability.soak.verdicts import Deliveries, Result

MINUTES = 30
STEADY = Sample(
    seconds=0.0,
    requests=0,
    rss=120.0,
    uss=100.0,
    descriptors=30,
    threads=20,
    children=0,
    connections=8,
    database_bytes=10**7,
    wal_bytes=10**6,
    log_bytes=0,
    temporary_files=0,
    instance_files=6,
)


def make_samples(**growth):
    """Return two samples for each minute; the fields in `growth` grow by this number in each minute."""
    samples = []
    for number in range(2 * MINUTES):
        # In each minute, the server needs more for some time, and a request adds 200 bytes to the log.
        fields = {"seconds": number * 30.0, "requests": number * 100, "log_bytes": number * 20_000}
        fields |= {"uss": STEADY.uss + number % 2 * 9, "threads": STEADY.threads + number % 2 * 2}
        sample = replace(STEADY, **fields)
        grown = {name: getattr(sample, name) + more * (number // 2) for name, more in growth.items()}
        samples.append(replace(sample, **grown))
    return samples


def make_result(*, growth=None, problem="", **changes):
    """Return the result of a run in which only these things went wrong."""
    record = Record()
    if problem:
        record.add_problem(problem)
    good = Result(
        minutes=MINUTES,
        samples=make_samples(**growth or {}),
        record=record,
        deliveries=Deliveries(["a", "b", "c"], ["a", "b", "b", "c"], 1),
        traceback_count=0,
        left_files=[],
        doctor_problems=[],
    )
    return replace(good, **changes)


def list_broken(result):
    return [verdict.promise for verdict in verdicts.judge(result) if verdict.kept is False]


def make_deliveries(*accepted):
    return Deliveries(["a", "b", "c"], accepted, 0)


@pytest.mark.no_database
def test_a_steady_run_keeps_all_promises():
    result = make_result()
    assert [verdict.kept for verdict in verdicts.judge(result)] == [True] * 13
    assert [table.title for table in verdicts.make_tables(result)][-1] == "Verdicts"


@pytest.mark.no_database
@pytest.mark.parametrize(
    ("changes", "promise"),
    [
        ({"growth": {"uss": 0.12}}, "memory grows by less than 1 MB in ten minutes"),
        ({"growth": {"descriptors": 1}}, "not more open descriptors"),
        ({"growth": {"threads": 1}}, "not more threads"),
        ({"growth": {"connections": 1}}, "not more database connections"),
        ({"growth": {"wal_bytes": 500_000}}, "not more bytes in the write-ahead log"),
        ({"growth": {"temporary_files": 1}}, "not more temporary files"),
        ({"growth": {"instance_files": 1}}, "not more files in the instance folder"),
        ({"growth": {"log_bytes": 60_000}}, "a request adds the same to the log"),
        ({"problem": "GET /: 500"}, "each response is as expected"),
        ({"deliveries": make_deliveries("a", "c")}, "a webhook gets each event, in order"),
        ({"deliveries": make_deliveries("a", "c", "b")}, "a webhook gets each event, in order"),
        ({"traceback_count": 1}, "no traceback in the log"),
        ({"left_files": ["blogapi-x"]}, "no temporary file is left"),
        ({"doctor_problems": ["media: one is missing"]}, "doctor --full finds nothing wrong"),
    ],
)
def test_one_broken_promise_is_found(changes, promise):
    assert list_broken(make_result(**changes)) == [promise]


@pytest.mark.no_database
def test_a_short_run_does_not_judge_what_grows():
    result = make_result(minutes=1, growth={"uss": 5, "descriptors": 1, "threads": 1})
    assert list_broken(result) == []
    assert sum(verdict.kept is None for verdict in verdicts.judge(result)) == 1 + len(verdicts.MAX_GROWTH)


@pytest.mark.slow
def test_a_minute_of_load(tmp_path):
    result = soak.run_soak(tmp_path, minutes=1, server=SERVER_URL, print_progress=print)
    assert [*result.record.problems, *result.doctor_problems] == []
    assert list_broken(result) == [], verdicts.judge(result)
    assert len(result.samples) >= 3
    # Each activity did something, and the receiver refused a call.
    done = {activity for activity, _ in result.record.counts}
    has_backups = not SERVER_URL or find_missing_program() is None
    commands = {"command import", "command backup"} if has_backups else {"command import"}
    assert done >= {"read", "write", "upload", "import", "administer"} | commands
    assert result.deliveries.refused and len(result.deliveries.expected) > 20
