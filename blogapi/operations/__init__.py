"""Keeps the blog safe and checks it: backups, copies of the database, `doctor`, health, and the demo.

The server itself is in `serving`, upgrades are in `upgrading`, and connections and files in `storage`.
"""
