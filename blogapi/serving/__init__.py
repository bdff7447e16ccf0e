"""The server, a subclass of the waitress server with limits; what it serves is assembled in `application`."""
