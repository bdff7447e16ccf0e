"""Writes the blog into files for other systems and for `import`; `operations.backups` makes exact copies."""
