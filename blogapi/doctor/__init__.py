"""Checks of a blog's files and database, with a remedy for each problem."""
