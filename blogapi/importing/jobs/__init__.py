"""Imports that are started over HTTP and run in a thread of the serving process."""
