"""Reads the metrics as Prometheus does."""

from __future__ import annotations

from typing import Any

from prometheus_client.parser import text_string_to_metric_families

# prometheus_client reports these on Linux.
PROCESS_METRICS = {
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_virtual_memory_bytes",
}


def read_metrics(client: Any) -> dict[tuple[str, ...], float]:
    """Return the value of each sample by its name and its sorted label values."""
    response = client.get("/metrics")
    assert response.status_code == 200
    return parse_metrics(response.text)


def parse_metrics(text: str) -> dict[tuple[str, ...], float]:
    """Return the same for a text."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
