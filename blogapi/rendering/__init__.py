"""Renders text to safe HTML and plain text, and makes slugs; it needs neither the database nor a request."""
