"""Writes the blog into files for other systems and for the import; exact copies are `operations.backups`."""
