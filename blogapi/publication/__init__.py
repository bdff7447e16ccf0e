"""Decides from when readers may see an item, and writes one event for every public change."""
