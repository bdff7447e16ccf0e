"""Decides when readers can see an item, and writes one event for each public change."""
