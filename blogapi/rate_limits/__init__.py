"""Limits on how often a client may do something, counted in memory or in Redis."""
