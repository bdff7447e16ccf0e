"""Checks, copies and restores the blog; the server is in `serving`, upgrades are in `upgrading`."""
