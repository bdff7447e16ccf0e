"""API keys, which are shown once and stored as digests."""
