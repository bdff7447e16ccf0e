"""The figures in the text format of Prometheus, each of this process alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, current_app

from blogapi.metrics import registry
from blogapi.storage import files
from blogapi.storage.database import db
from blogapi.web.errors import METHODS

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"

_KEY = "blogapi-metrics"

# In seconds; most answers are given again, in less than one thousandth.
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestMetrics:
    """The requests that were served, counted and timed."""

    def __init__(self, app: Flask) -> None:
        # Here, since it takes a tenth of the start, and most never ask for figures.
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._total = Counter(
            "blogapi_requests", "Requests served.", ("route", "method", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "blogapi_request_seconds",
            "From the last byte of a request to the last of its answer.",
            ("route",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.registry.register(MetricsCollector(app))

    def count(self, route: str, method: str, status: str, seconds: float) -> None:
        """Count one request; a client can invent methods, but not names in the metrics."""
        known = method if method in METHODS else "other"
        self._total.labels(route or "none", known, status[:3]).inc()
        self._seconds.labels(route or "none").observe(seconds)


class MetricsCollector:
    """Collects what the parts of the application have named."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        """Yield each figure as it is now."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        kinds = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}
        for name, figure in registry.get_metrics(self._app).items():
            yield kinds[figure.kind](f"blogapi_{name}", figure.sentence, value=figure.read())


def init_app(app: Flask) -> None:
    """Begin to count, where the setting says so."""
    if not app.config["METRICS"]:
        return
    with app.app_context():
        engine = db.engine
    if engine.dialect.name == "sqlite":
        wal = files.side_files(Path(str(engine.url.database))).log
        registry.gauge(app, "wal_bytes", "Size of SQLite's write-ahead log.", lambda: _size(wal))
    for name in ("checkedout", "checkedin", "overflow"):
        if hasattr(engine.pool, name):
            registry.gauge(
                app, f"database_pool_{name}", f"Database connections: {name}.", _reader(engine.pool, name)
            )
    app.extensions[_KEY] = RequestMetrics(app)


def get_request_metrics(app: Flask) -> RequestMetrics | None:
    """Return the counts of requests; None where they are off."""
    return app.extensions.get(_KEY)


def render_metrics() -> bytes | None:
    """Return the figures as text; None where they are off."""
    counted = get_request_metrics(current_app)
    if counted is None:
        return None
    from prometheus_client import generate_latest

    return bytes(generate_latest(counted.registry))


def _size(path: Path) -> float:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _reader(pool: object, name: str) -> registry.Read:
    read: registry.Read = getattr(pool, name)
    return read
