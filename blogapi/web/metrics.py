"""The metrics: the registry in which packages register them, and their text format for Prometheus."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from flask import Blueprint, Flask, Response, current_app
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from blogapi import blog_folder
from blogapi.storage import files
from blogapi.storage.database import WRITE_LOCK, db, end_read
from blogapi.web.access import admin, allow
from blogapi.web.errors import METHODS, NotFound

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as MetricFamily


_REGISTRY_KEY = "blogapi-metrics-registry"

# The values of a metric with labels, by the values of the labels; empty if the metric has no values.
MetricValues = Mapping[tuple[str, ...], float]
ReadMetric = Callable[[], float | MetricValues]


@dataclass(frozen=True, slots=True)
class Metric:
    """A registered metric. `read` returns the current value; the value of a counter never decreases.

    `read` may raise OSError, and SQLAlchemyError if `reads_database` is set.
    """

    description: str
    kind: Literal["gauge", "counter"]
    read: ReadMetric
    labels: tuple[str, ...] = ()
    reads_database: bool = False


_common_metrics: dict[str, Metric] = {}


class EventCounter:
    """A metric that counts events in this process."""

    def __init__(self, name: str, description: str) -> None:
        self._number, self._lock = 0, threading.Lock()
        _common_metrics[name] = Metric(description, "counter", lambda: self._number)

    def count_event(self) -> None:
        with self._lock:
            self._number += 1


def gauge(
    name: str, description: str, *labels: str, reads_database: bool = False
) -> Callable[[ReadMetric], ReadMetric]:
    """Return a decorator that registers a gauge whose `read`, the function, needs an application context."""

    def register(read: ReadMetric) -> ReadMetric:
        _common_metrics[name] = Metric(description, "gauge", read, labels, reads_database)
        return read

    return register


def add_gauge(app: Flask, name: str, description: str, read: ReadMetric) -> None:
    """Register a metric of the application whose value can increase and decrease."""
    app.extensions.setdefault(_REGISTRY_KEY, {})[name] = Metric(description, "gauge", read)


def add_counter(app: Flask, name: str, description: str, read: ReadMetric) -> None:
    """Register a metric of the application whose value only increases."""
    app.extensions.setdefault(_REGISTRY_KEY, {})[name] = Metric(description, "counter", read)


def get_registered_metrics(app: Flask) -> dict[str, Metric]:
    own_metrics: dict[str, Metric] = app.extensions.get(_REGISTRY_KEY, {})
    return _common_metrics | own_metrics


CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"

_METRICS_KEY = "blogapi-metrics"

# The upper bounds of the histogram's buckets, in seconds. Most responses come from the response cache and
# take less than a millisecond.
BUCKET_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class MetricsCollector:
    """Collects the registered metrics, and counts and times the requests that the server has handled."""

    def __init__(self, app: Flask) -> None:
        # Imported here because this import takes a tenth of the start time, and metrics are off by default.
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

        self._app = app
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._total = Counter(
            "blogapi_requests", "Requests served.", ("route", "method", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "blogapi_request_seconds",
            "Seconds from the last byte of a request to the last byte of its response.",
            ("route",),
            buckets=BUCKET_BOUNDS,
            registry=self.registry,
        )
        self.registry.register(self)

    def count_request(self, route: str, method: str, status: str, seconds: float) -> None:
        """Count one request; an unknown method counts as `other`, so that clients cannot create labels."""
        label = method if method in METHODS else "other"
        self._total.labels(route or "none", label, status[:3]).inc()
        self._seconds.labels(route or "none").observe(seconds)

    def render(self) -> bytes:
        """Return the metrics in the text format of Prometheus."""
        from prometheus_client import generate_latest

        return bytes(generate_latest(self.registry))

    def collect(self) -> Iterator[MetricFamily]:
        """Yield each metric of the registry, for prometheus_client; a metric that cannot be read is empty."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        kinds, is_readable = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}, True
        for name, metric in get_registered_metrics(self._app).items():
            values: float | MetricValues = {}
            try:
                # After an error of the database, each further attempt could wait for several seconds.
                if is_readable or not metric.reads_database:
                    values = metric.read()
            except (OSError, SQLAlchemyError) as error:
                self._app.logger.warning("the metric %s cannot be read: %s", name, error)
                if isinstance(error, SQLAlchemyError):
                    is_readable = False
                    end_read()
            family = kinds[metric.kind](f"blogapi_{name}", metric.description, labels=metric.labels)
            for labels, value in (values if isinstance(values, Mapping) else {(): values}).items():
                family.add_metric(labels, value)
            yield family
        yield GaugeMetricFamily("blogapi_database_up", "Whether the database can be read.", value=is_readable)


@gauge("build_info", "Versions of the program.", "version", "commit", "python", "sqlite")
@cache
def _read_build_info() -> MetricValues:
    return {tuple(value or "" for name, value in blog_folder.get_versions().items() if name != "schema"): 1}


@gauge("schema_info", "The last migration of the database.", "migration", reads_database=True)
def _read_schema_info() -> MetricValues:
    return {(str(db.session.scalar(text("SELECT version_num FROM alembic_version"))),): 1}


def init_app(app: Flask) -> None:
    """Collect metrics if the setting METRICS is on."""
    if not app.config["METRICS"]:
        return
    lock = WRITE_LOCK.get(app)
    add_counter(
        app,
        "write_lock_seconds",
        "Seconds in which this process held the write lock.",
        lambda: lock.held_seconds,
    )
    with app.app_context():
        engine = db.engine
    if engine.dialect.name == "sqlite":
        log = files.get_side_files(Path(str(engine.url.database))).log
        add_gauge(app, "wal_bytes", "Size of SQLite's write-ahead log.", lambda: _get_file_size(log))
    for name in ("checkedout", "checkedin", "overflow"):
        if read := getattr(engine.pool, name, None):
            add_gauge(app, f"database_pool_{name}", f"Database connections: {name}.", read)
    app.extensions[_METRICS_KEY] = MetricsCollector(app)


def get_metrics(app: Flask) -> MetricsCollector | None:
    """Return the metrics of the application; None if metrics are off."""
    return app.extensions.get(_METRICS_KEY)


def _get_file_size(path: Path) -> float:
    try:
        return path.stat().st_size
    except OSError:
        return 0


bp = Blueprint("metrics", __name__, url_prefix="/metrics")


@bp.get("/")
@allow(admin)
def show_metrics() -> Response:
    """Return the metrics of the blog and of the process that serves the request."""
    metrics = get_metrics(current_app)
    if metrics is None:
        raise NotFound("Metrics are off; set METRICS to true to turn them on.")
    return Response(metrics.render(), content_type=CONTENT_TYPE)
