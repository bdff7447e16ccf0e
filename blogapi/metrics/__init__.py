"""Metrics of this process, for Prometheus."""
