"""Resolves wiki links and the template tags of site generators, after all articles have been read."""
