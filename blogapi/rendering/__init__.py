"""Renders content to safe HTML and plain text, and makes slugs."""
