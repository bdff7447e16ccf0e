"""Backups of a whole blog in one file, and their restoration."""
