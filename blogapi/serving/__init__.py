"""The server, a subclass of the waitress server with limits. It serves the application of `application`."""
