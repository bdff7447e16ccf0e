"""Writes the blog into files for other systems and the import; `operations.backups` makes exact copies."""
