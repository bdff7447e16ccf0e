"""The server: waitress, with our errors and limits."""
