"""Reads texts of other systems: encodings, lines, dates, titles, data, XML and HTML."""
