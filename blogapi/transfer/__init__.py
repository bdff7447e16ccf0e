"""Bringing articles over from other blogs: readers that turn bytes into records."""
