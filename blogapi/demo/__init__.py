"""A small sample blog, written for blogapi."""
