"""Imports articles from files that other blog systems, or blogapi itself, have exported."""
