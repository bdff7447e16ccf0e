"""Limits on how often a client may do something; attempts are counted in memory or in Redis."""
