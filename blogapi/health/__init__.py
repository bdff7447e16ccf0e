"""Whether the service works."""
