"""The registry in which other packages register their metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flask import Flask

_KEY = "blogapi-metrics-registry"

Read = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `read` returns its current value; the value of a counter never decreases."""

    description: str
    kind: Literal["gauge", "counter"]
    read: Read


def add_gauge(app: Flask, name: str, description: str, read: Read) -> None:
    """Register a metric whose value can increase and decrease."""
    get_metrics(app)[name] = Metric(description, "gauge", read)


def add_counter(app: Flask, name: str, description: str, read: Read) -> None:
    """Register a metric whose value only increases."""
    get_metrics(app)[name] = Metric(description, "counter", read)


def get_metrics(app: Flask) -> dict[str, Metric]:
    metrics: dict[str, Metric] = app.extensions.setdefault(_KEY, {})
    return metrics
