"""Imports that are started over HTTP; a thread of the server watches the process of each import."""
