"""Upgrades to another version, and rollbacks; `storage.upgrades` runs the migrations."""
