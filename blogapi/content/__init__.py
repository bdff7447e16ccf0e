"""Text to safe HTML, plain text and slugs."""
