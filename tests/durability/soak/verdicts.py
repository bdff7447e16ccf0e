"""The verdicts on a run: what grew, what failed, and what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks.plan import Table, format_value
from tests.benchmarks.servers import MEGABYTE
from tests.durability.soak.client import Record
from tests.durability.soak.samples import Sample, find_lows, find_median, find_trend, split_thirds

# A shorter run does not show whether something grows, because caches and pools are still being filled.
JUDGED_MINUTES = 15
MAX_MEGABYTES_PER_TEN_MINUTES = 1.0
# A line of the log has about 200 bytes. A longer mean, or a mean that grows, is a log that repeats something.
MAX_LOG_BYTES_PER_REQUEST = 400
MAX_LOG_GROWTH = 1.2
NAMES = {
    "rss": "resident memory, MB",
    "uss": "memory of the server alone, MB",
    "descriptors": "open descriptors",
    "threads": "threads",
    "children": "child processes",
    "connections": "database connections",
    "wal_bytes": "bytes in the write-ahead log",
    "temporary_files": "temporary files",
    "instance_files": "files in the instance folder",
}
# How much larger the lowest value of the last third may be than that of the second third.
MAX_GROWTH = {
    "descriptors": 2,
    "threads": 1,
    "connections": 1,
    "wal_bytes": 4_000_000,
    "temporary_files": 1,
    "instance_files": 1,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a promise was kept (None: not judged), and the figures."""

    promise: str
    kept: bool | None
    figures: str


@dataclass(frozen=True, slots=True)
class Deliveries:
    """The ids of the calls that a webhook had to make, and of those that its receiver accepted, in order."""

    expected: Sequence[str]
    accepted: Sequence[str]
    refused: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a run recorded; `traceback_count` is the number of tracebacks in the log.

    `left_files` are the temporary files that exist after the end of the load.
    """

    minutes: float
    samples: Sequence[Sample]
    record: Record
    deliveries: Deliveries
    traceback_count: int
    left_files: Sequence[str]
    doctor_problems: Sequence[str]


def judge(result: Result) -> list[Verdict]:
    """Return the verdicts on a run."""
    return [
        _judge_memory(result),
        *(_judge_growth(result, name) for name in MAX_GROWTH),
        _judge_log(result),
        _judge_responses(result),
        _judge_deliveries(result.deliveries),
        Verdict(
            "no traceback in the log", not result.traceback_count, f"{result.traceback_count} tracebacks"
        ),
        Verdict("no temporary file is left", not result.left_files, _list(result.left_files)),
        Verdict(
            "doctor --full finds nothing wrong", not result.doctor_problems, _list(result.doctor_problems)
        ),
    ]


def make_tables(result: Result) -> list[Table]:
    """Return the medians of the samples, the numbers of responses, and the verdicts as tables."""
    _, second, last = split_thirds(result.samples)
    medians = [
        (label, format_value(find_median(second, name)), format_value(find_median(last, name)))
        for name, label in NAMES.items()
    ]
    grown = [
        (label, *(f"{getattr(part[-1], name) / MEGABYTE:,.1f}" for part in (second, last)))
        for name, label in (
            ("database_bytes", "database at the end, MB"),
            ("log_bytes", "log at the end, MB"),
        )
    ]
    statuses = Counter[tuple[str, int]](result.record.counts)
    responses = [
        (activity, str(status or "-"), f"{count:,}") for (activity, status), count in sorted(statuses.items())
    ]
    words = {True: "yes", False: "NO", None: "not judged"}
    verdicts = [(one.promise, words[one.kept], one.figures) for one in judge(result)]
    return [
        Table("What the server uses", ("Median of", "second third", "last third"), medians + grown),
        Table("Responses and commands", ("Activity", "status", "number"), responses),
        Table("Verdicts", ("Promise", "kept", "figures"), verdicts),
    ]


def _judge_memory(result: Result) -> Verdict:
    promise = f"memory grows by less than {MAX_MEGABYTES_PER_TEN_MINUTES:g} MB in ten minutes"
    if result.minutes < JUDGED_MINUTES:
        return Verdict(promise, None, "")
    _, *later = split_thirds(result.samples)
    lows = find_lows([sample for part in later for sample in part])
    trend = find_trend(lows, lambda sample: sample.uss)
    figures = f"{trend.slope:+.2f} ± {trend.error:.2f} MB in ten minutes"
    return Verdict(promise, trend.slope < MAX_MEGABYTES_PER_TEN_MINUTES, figures)


def _judge_growth(result: Result, name: str) -> Verdict:
    _, second, last = split_thirds(result.samples)
    before, after = (min(getattr(sample, name) for sample in part) for part in (second, last))
    kept = after - before <= MAX_GROWTH[name] if result.minutes >= JUDGED_MINUTES else None
    return Verdict(f"not more {NAMES[name]}", kept, f"at least {before:,}, later {after:,}")


def _judge_log(result: Result) -> Verdict:
    _, second, last = split_thirds(result.samples)
    before, after = (_measure_log(part) for part in (second, last))
    kept = after <= MAX_LOG_BYTES_PER_REQUEST
    if result.minutes >= JUDGED_MINUTES:
        kept = kept and after <= MAX_LOG_GROWTH * before
    return Verdict(
        "a request adds the same to the log", kept, f"{before:.0f} bytes for each request, later {after:.0f}"
    )


def _measure_log(samples: Sequence[Sample]) -> float:
    first, last = samples[0], samples[-1]
    return (last.log_bytes - first.log_bytes) / max(1, last.requests - first.requests)


def _judge_responses(result: Result) -> Verdict:
    record = result.record
    figures = f"{record.requests:,} responses, {record.busy} times 503 or 507 with Retry-After"
    return Verdict("each response is as expected", not record.problems, figures)


def _judge_deliveries(deliveries: Deliveries) -> Verdict:
    """Judge that each event was accepted by the receiver, and that the first calls were in order."""
    first_calls = list(dict.fromkeys(deliveries.accepted))
    lost = len(set(deliveries.expected) - set(first_calls))
    figures = (
        f"{len(deliveries.expected):,} events, {lost} lost, {deliveries.refused} calls refused "
        f"by the receiver, {len(deliveries.accepted) - len(first_calls)} repeated"
    )
    return Verdict("a webhook gets each event, in order", first_calls == list(deliveries.expected), figures)


def _list(words: Sequence[str]) -> str:
    return "; ".join(words) or "nothing"
