"""Deleted articles and pages, which can be restored for some days."""
