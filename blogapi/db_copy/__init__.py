"""Copying a blog between SQLite and PostgreSQL."""
