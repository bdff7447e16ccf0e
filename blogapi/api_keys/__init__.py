"""API keys: kept as digests, shown once."""
