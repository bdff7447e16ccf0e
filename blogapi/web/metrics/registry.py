"""The registry in which other packages register their metrics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from flask import Flask

_KEY = "blogapi-metrics-registry"

# The values of a metric with labels, each by the values of its labels; empty if there are none.
Values = Mapping[tuple[str, ...], float]
Read = Callable[[], float | Values]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `read` returns its current value; the value of a counter never decreases.

    `read` may raise OSError, and SQLAlchemyError if `reads_database` is set.
    """

    description: str
    kind: Literal["gauge", "counter"]
    read: Read
    labels: tuple[str, ...] = ()
    reads_database: bool = False


_common_metrics: dict[str, Metric] = {}


class EventCounter:
    """A metric that counts events in this process."""

    def __init__(self, name: str, description: str) -> None:
        self._number, self._lock = 0, threading.Lock()
        _common_metrics[name] = Metric(description, "counter", lambda: self._number)

    def count(self) -> None:
        with self._lock:
            self._number += 1


def gauge(name: str, description: str, *labels: str, reads_database: bool = False) -> Callable[[Read], Read]:
    """Register the decorated function, which is called in an application context, as a metric's `read`."""

    def register(read: Read) -> Read:
        _common_metrics[name] = Metric(description, "gauge", read, labels, reads_database)
        return read

    return register


def add_gauge(app: Flask, name: str, description: str, read: Read) -> None:
    """Register a metric of the application whose value can increase and decrease."""
    app.extensions.setdefault(_KEY, {})[name] = Metric(description, "gauge", read)


def add_counter(app: Flask, name: str, description: str, read: Read) -> None:
    """Register a metric of the application whose value only increases."""
    app.extensions.setdefault(_KEY, {})[name] = Metric(description, "counter", read)


def get_metrics(app: Flask) -> dict[str, Metric]:
    own_metrics: dict[str, Metric] = app.extensions.get(_KEY, {})
    return _common_metrics | own_metrics
