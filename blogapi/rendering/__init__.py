"""Renders text to safe HTML and plain text, and makes slugs, without the database and without a request."""
