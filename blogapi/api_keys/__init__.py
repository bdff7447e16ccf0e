"""API keys: shown once, stored as digests."""
