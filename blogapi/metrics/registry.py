"""Figures of the running process: whoever has one names it here, and the metrics show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from flask import Flask

_KEY = "blogapi-figures"

Read = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that can be read at any time; a counter only grows."""

    sentence: str
    kind: Literal["gauge", "counter"]
    read: Read


def init_app(app: Flask) -> None:
    """Give the application its list of figures."""
    app.extensions[_KEY] = {}


def gauge(app: Flask, name: str, sentence: str, read: Read) -> None:
    """Name a figure that goes up and down."""
    app.extensions[_KEY][name] = Metric(sentence, "gauge", read)


def counter(app: Flask, name: str, sentence: str, read: Read) -> None:
    """Name a figure that only grows."""
    app.extensions[_KEY][name] = Metric(sentence, "counter", read)


def get_metrics(app: Flask) -> Mapping[str, Metric]:
    """Return the figures by name."""
    figures: dict[str, Metric] = app.extensions[_KEY]
    return figures
