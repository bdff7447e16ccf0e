"""What this process does, in figures for Prometheus."""
