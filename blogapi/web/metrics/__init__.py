"""Metrics of this process and of the blog, for Prometheus."""
