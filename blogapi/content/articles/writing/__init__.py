"""Writes of articles: their rows, versions, JSON, search entries and events."""
