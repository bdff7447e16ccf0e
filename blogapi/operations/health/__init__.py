"""The health check."""
