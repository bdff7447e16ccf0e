"""Copies a blog from SQLite to PostgreSQL or back."""
