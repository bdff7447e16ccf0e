"""The server, a subclass of the waitress server with limits; it serves the application."""
