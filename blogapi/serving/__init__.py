"""The server, a subclass of the waitress server with limits and problem+json errors."""
