"""Checks of the files and the database of a blog, with a remedy for each problem."""
